package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// Condition is a condition of --fail-on with what was found, or one of --require, which passes
// when it is true. Figures are in the unit: ns, shares from 0 to 1, requests, or requests a second.
type Condition struct {
	Condition  string   `json:"condition"`
	Side       string   `json:"side,omitempty"` // of a requirement where two sets are read: base or new
	Passed     *bool    `json:"passed"`         // false when the condition is true; null when the data cannot say
	Observed   *float64 `json:"observed"`       // null when it is not known
	Verdict    string   `json:"verdict,omitempty"`
	Limit      *float64 `json:"limit"` // null of a verdict
	Unit       string   `json:"unit"`  // ns, share, requests, per_s, change or verdict
	N          int64    `json:"n"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Confidence *float64 `json:"confidence"` // of the interval; null of a figure without one
	Method     string   `json:"method"`
	Why        string   `json:"why"` // the data cannot say, or how far the figure goes; may be empty
}

// Conditions writes what became of conditions.
func Conditions(judgements []analyze.Judgement) []Condition {
	var out []Condition
	for _, j := range judgements {
		c := Condition{
			Condition: j.Condition.String(), Verdict: j.Verdict, Unit: j.Unit, N: j.N, Method: j.Method, Why: j.Why,
			Observed: present(j.Observed, j.Known), Low: present(j.Low, j.HasLow), High: present(j.High, j.HasHigh),
			Confidence: present(j.Confidence, (j.HasLow || j.HasHigh) && j.Confidence > 0), Limit: present(j.Condition.Limit, j.Unit != analyze.UnitVerdict),
		}
		if j.Outcome != analyze.Inconclusive {
			passed := j.Outcome == analyze.Passed
			c.Passed = &passed
		}
		out = append(out, c)
	}
	return out
}

func present(v float64, is bool) *float64 {
	if !is {
		return nil
	}
	return &v
}

// Outcome returns the word for what became of the condition.
func (c Condition) Outcome() string {
	switch {
	case c.Passed == nil:
		return string(analyze.Inconclusive)
	case *c.Passed:
		return string(analyze.Passed)
	}
	return string(analyze.Failed)
}

// Figure writes a figure of the condition in its unit.
func (c Condition) Figure(v float64) string {
	switch c.Unit {
	case analyze.UnitNS:
		return Duration(int64(v))
	case analyze.UnitRequests:
		return Integer(int64(v))
	case analyze.UnitRate:
		return Number(v) + "/s"
	case analyze.UnitChange:
		if v > 0 {
			return "+" + Percent(v) + " %"
		}
	}
	return c.percent(v) + " %"
}

// mostDecimals is how many decimals of a per cent are written at most.
const mostDecimals = 6

// percent writes a share in per cent: with one decimal, or as many as show on which side of the
// limit it lies.
func (c Condition) percent(v float64) string {
	if c.Limit == nil || c.Unit != analyze.UnitShare || v == *c.Limit {
		return Percent(v)
	}
	written := func(share float64, decimals int) string { return strconv.FormatFloat(100*share, 'f', decimals, 64) }
	limit := written(*c.Limit, mostDecimals)
	for decimals := 1; decimals <= mostDecimals; decimals++ {
		text := written(v, decimals)
		padded := text + strings.Repeat("0", mostDecimals-decimals)
		// Of one length, texts of numbers are in their order.
		if cmp.Or(cmp.Compare(len(padded), len(limit)), cmp.Compare(padded, limit)) != cmp.Compare(v, *c.Limit) {
			continue
		}
		if decimals > 1 {
			return text
		}
		break
	}
	return Percent(v)
}

// Found writes what was observed, "-" when that is not known.
func (c Condition) Found() string {
	switch {
	case c.Verdict != "":
		return c.Verdict
	case c.Observed == nil:
		return "-"
	}
	return c.Figure(*c.Observed)
}

// Interval writes the bounds, empty when there are none.
func (c Condition) Interval() string {
	switch {
	case c.Low != nil && c.High != nil:
		return c.Figure(*c.Low) + " to " + c.Figure(*c.High)
	case c.Low != nil:
		return "at least " + c.Figure(*c.Low)
	case c.High != nil:
		return "at most " + c.Figure(*c.High)
	}
	return ""
}

// BoundWords says when bounds decide, and with what confidence those that are shown hold.
func BoundWords(list []Condition) string {
	return boundWords("a condition fails or passes only when the bounds leave no doubt", list)
}

// RequiredWords is BoundWords of requirements.
func RequiredWords(list []Condition) string {
	return boundWords("a requirement is met only when the bounds leave no doubt", list)
}

func boundWords(decide string, list []Condition) string {
	words := []string{decide}
	for _, kind := range []struct {
		of   func(c Condition) bool
		says string
	}{
		{func(c Condition) bool {
			return c.Unit == analyze.UnitNS && c.Method == analyze.MethodOrder || strings.HasSuffix(c.Method, analyze.MethodBinom)
		}, "each bound of a percentile or a rate holds with 95 %, for independent requests"},
		{func(c Condition) bool { return c.Unit == analyze.UnitNS && c.Method == analyze.MethodBlocks }, "both bounds of a percentile of gaps hold together with 95 %, by resampling blocks of time"},
		{func(c Condition) bool { return c.Method == analyze.MethodCalls }, "clocks are bounded by calls, none of which can arrive before it was sent"},
		{func(c Condition) bool { return c.Unit == analyze.UnitRate && c.Method != analyze.MethodExact }, "a capacity is bounded by a rate that passed, or that failed, with 95 %"},
		{func(c Condition) bool { return c.Unit == analyze.UnitShare && c.Method == analyze.MethodBlocks }, "both bounds of a share hold together with 95 %"},
		{func(c Condition) bool { return c.Unit == analyze.UnitChange }, "both bounds of a change hold together with one less its level, 95 % without one"},
	} {
		if slices.ContainsFunc(list, func(c Condition) bool { return c.Interval() != "" && kind.of(c) }) {
			words = append(words, kind.says)
		}
	}
	return strings.Join(words, "; ")
}
