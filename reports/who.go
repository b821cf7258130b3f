package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/analyze/cohort"
)

// Who says which attributes slow requests have more often than the rest. It tells what
// goes together, and never what causes what.
type Who struct {
	Sentence string    `json:"sentence"`
	Slow     int64     `json:"slow"`
	Rest     int64     `json:"rest"`
	Enough   bool      `json:"enough"` // both groups are large enough for anything to be tested
	Rule     string    `json:"rule"`
	Strata   WhoStrata `json:"strata"`
	// Counts says what became of the attributes, by status; every attribute is in one.
	Counts   []Count      `json:"counts"`
	Findings []WhoFinding `json:"findings"`
	// TimeOnly stand out only as long as time is not looked at.
	TimeOnly   []WhoFinding   `json:"time_only"`
	Merged     int            `json:"merged"` // findings that are named under another, since the same requests have both
	Attributes []WhoAttribute `json:"attributes"`
	Warnings   []Warning      `json:"warnings"`
}

// WhoStrata says how requests of the same time were found.
type WhoStrata struct {
	N            int   `json:"n"`
	WidthNS      int64 `json:"width_ns"` // of a bucket of time; 0 when there is one for all
	Both         int   `json:"both"`     // buckets with slow requests and others
	SlowCompared int64 `json:"slow_compared"`
	RestCompared int64 `json:"rest_compared"`
	Undated      int64 `json:"undated"`
}

// WhoFinding is a value that stands out among the slow requests.
type WhoFinding struct {
	Words     string   `json:"words"` // attribute and value
	Where     string   `json:"where"` // the same as an expression of --where; empty when there is none
	Attribute string   `json:"attribute"`
	Value     WhoValue `json:"value"`
	Score     float64  `json:"score"` // Jensen-Shannon divergence of the attribute, in bits
	// Crude compares regardless of time. Adjusted compares requests of the same time, and
	// decides; null when there is one bucket for all.
	Crude    Contrast  `json:"crude"`
	Adjusted *Contrast `json:"adjusted"`
	Strata   float64   `json:"strata"` // buckets of time that the adjusted contrast stands on
	Same     []WhoSame `json:"same"`
	Why      string    `json:"why,omitempty"` // of time_only
}

// WhoValue is a value of an attribute, with the requests that have it. Bounds are null
// where there is none.
type WhoValue struct {
	Kind   string   `json:"kind"`
	Name   string   `json:"name,omitempty"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Pooled int      `json:"pooled,omitempty"` // rare values taken as one
	Slow   int64    `json:"slow"`
	Rest   int64    `json:"rest"`
}

// WhoSame is a finding of another attribute that the same requests have.
type WhoSame struct {
	Words     string  `json:"words"`
	Attribute string  `json:"attribute"`
	V         float64 `json:"v"` // Cramer's V of having the one and the other
}

// Contrast compares the share of the slow requests that have a value with that of the rest.
type Contrast struct {
	Slow       int64   `json:"slow"`
	Rest       int64   `json:"rest"`
	SlowShare  float64 `json:"slow_share"`
	RestShare  float64 `json:"rest_share"`
	Difference Figure  `json:"difference"`
	// Lift is slow_share / rest_share and RelativeRisk how many times as often requests with
	// the value are slow as the others; null when they are infinite.
	Lift         *float64 `json:"lift"`
	RelativeRisk *Figure  `json:"relative_risk"`
	Fraction     Figure   `json:"fraction"` // of all slow requests that would go; arithmetic, no cause
	P            float64  `json:"p"`
}

// WhoAttribute is what became of one attribute.
type WhoAttribute struct {
	Name        string  `json:"name"`
	Status      string  `json:"status"`
	Reason      string  `json:"reason,omitempty"`
	Numeric     bool    `json:"numeric"`
	Distinct    int     `json:"distinct"`
	Missing     int64   `json:"missing"`
	Score       float64 `json:"score"`
	P           float64 `json:"p"`
	Q           float64 `json:"q"` // p after Benjamini and Hochberg
	Method      string  `json:"method,omitempty"`
	CrudeScore  float64 `json:"crude_score"`
	CrudeP      float64 `json:"crude_p"`
	CrudeQ      float64 `json:"crude_q"`
	CrudeMethod string  `json:"crude_method,omitempty"`
}

// Decides returns the contrast that decides about a finding.
func (f WhoFinding) Decides() Contrast {
	if f.Adjusted != nil {
		return *f.Adjusted
	}
	return f.Crude
}

func who(r cohort.Result) Who {
	o, s := r.Options, r.Strata
	w := Who{
		Slow: r.Slow, Rest: r.Rest, Enough: r.Enough, Merged: r.Same,
		Rule: fmt.Sprintf("false discoveries <= %s %% of attributes; >= %d slow requests; lift >= %s; difference >= %s points; against requests of the same time",
			Number(100*o.FDR), o.MinSupport, Number(o.MinLift), Number(100*o.MinDifference)),
		Strata: WhoStrata{s.N, s.WidthNS, s.Both, s.SlowCompared, s.RestCompared, s.Undated},
		Counts: []Count{}, Findings: []WhoFinding{}, TimeOnly: []WhoFinding{}, Attributes: []WhoAttribute{}, Warnings: warnings(r.Warnings),
	}
	for _, status := range cohort.Statuses() {
		w.Counts = append(w.Counts, Count{string(status), int64(r.Count(status))})
	}
	for _, f := range r.Findings {
		w.Findings = append(w.Findings, whoFinding(f, s.N > 1))
	}
	for _, f := range r.TimeOnly {
		w.TimeOnly = append(w.TimeOnly, whoFinding(f, true))
	}
	for i := range r.Attributes {
		a := &r.Attributes[i]
		w.Attributes = append(w.Attributes, WhoAttribute{
			Name: a.Name, Status: string(a.Status), Reason: a.Reason, Numeric: a.Numeric, Distinct: a.Distinct, Missing: a.Missing,
			Score: a.Score, P: a.P, Q: a.Q, Method: a.Method,
			CrudeScore: a.CrudeScore, CrudeP: a.CrudeP, CrudeQ: a.CrudeQ, CrudeMethod: a.CrudeMethod,
		})
	}
	w.Sentence = w.sentence(o)
	return w
}

func whoFinding(f cohort.Finding, strata bool) WhoFinding {
	out := WhoFinding{
		Words: valueWords(f.Attribute, f.Value), Where: whereText(f.Attribute, f.Value), Attribute: f.Attribute, Score: f.Score, Strata: f.Strata, Why: string(f.Why), Same: []WhoSame{},
		Value: WhoValue{Kind: string(f.Value.Kind), Name: f.Value.Name, Pooled: f.Value.Pooled, Slow: f.Value.Slow, Rest: f.Value.Rest},
		Crude: contrast(f.Crude),
	}
	if f.Value.Kind == cohort.Range || f.Value.Kind == cohort.Number {
		out.Value.Low, out.Value.High = figure(f.Value.Low), figure(f.Value.High)
	}
	if strata {
		c := contrast(f.Adjusted)
		out.Adjusted = &c
	}
	for _, s := range f.Same {
		out.Same = append(out.Same, WhoSame{valueWords(s.Attribute, s.Value), s.Attribute, s.V})
	}
	return out
}

func contrast(c cohort.Contrast) Contrast {
	out := Contrast{
		Slow: c.Slow, Rest: c.Rest, SlowShare: c.SlowShare, RestShare: c.RestShare,
		Difference: estimate(c.Difference), Lift: figure(c.Lift), Fraction: estimate(c.Fraction), P: c.P,
	}
	if figure(c.RelativeRisk.Value) != nil {
		risk := estimate(c.RelativeRisk)
		out.RelativeRisk = &risk
	}
	return out
}

// valueWords names a value of an attribute.
func valueWords(attribute string, v cohort.Value) string {
	switch v.Kind {
	case cohort.Missing:
		return attribute + " is missing"
	case cohort.Any:
		return attribute + " is there"
	case cohort.Other:
		return fmt.Sprintf("%s is one of %s", attribute, plural(int64(v.Pooled), "rare value"))
	case cohort.Number:
		return attribute + " = " + amount(v.Low)
	case cohort.Range:
		switch {
		case math.IsInf(v.Low, -1):
			return attribute + " < " + amount(v.High)
		case math.IsInf(v.High, 1):
			return attribute + " >= " + amount(v.Low)
		}
		return attribute + " >= " + amount(v.Low) + " and < " + amount(v.High)
	}
	return attribute + "=" + v.Name
}

// amount writes a number in full, with thousands separated by commas.
func amount(x float64) string {
	if x != 0 && (math.Abs(x) >= 1e15 || math.Abs(x) < 1e-6) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if whole, negative := strings.CutPrefix(text, "-"); negative {
		return "-" + grouped(whole)
	}
	return grouped(text)
}

// whereText selects the requests that have a value, in the language of --where; empty for
// pooled values, which no expression names, and for texts that a document or a command line
// cannot hold as they are.
func whereText(attribute string, v cohort.Value) string {
	for _, text := range []string{attribute, v.Name} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return ""
		}
	}
	field := filterWord(attribute)
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch v.Kind {
	case cohort.Category:
		return field + "=" + filterWord(v.Name)
	case cohort.Missing:
		return field + "=none"
	case cohort.Any:
		return field + "!=none"
	case cohort.Number:
		return field + "=" + number(v.Low)
	case cohort.Range:
		var bounds []string
		if !math.IsInf(v.Low, -1) {
			bounds = append(bounds, field+">="+number(v.Low))
		}
		if !math.IsInf(v.High, 1) {
			bounds = append(bounds, field+"<"+number(v.High))
		}
		return strings.Join(bounds, " AND ")
	}
	return ""
}

// filterWord writes a word of an expression, in quotes unless it means itself without.
func filterWord(text string) string {
	special := func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !strings.ContainsRune("._/:-", c)
	}
	switch strings.ToUpper(text) {
	case "", "NONE", "AND", "OR", "NOT":
	default:
		if strings.IndexFunc(text, special) < 0 && text[0] != '-' {
			return text
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// tested returns how many attributes were compared.
func (w Who) tested() (n int64) {
	for _, c := range w.Counts {
		if c.Name == string(cohort.Tested) || c.Name == string(cohort.Presence) {
			n += c.N
		}
	}
	return n
}

// sentence says what differs most.
func (w Who) sentence(o cohort.Options) string {
	switch {
	case !w.Enough:
		return fmt.Sprintf("too few requests to say how slow ones differ: %s slow and %s, of each it takes %d", Integer(w.Slow), plural(w.Rest, "other"), o.MinSupport)
	case w.tested() == 0:
		return "nothing to say how slow requests differ: no attribute has values to compare"
	case len(w.Findings) == 0:
		text := fmt.Sprintf("slow requests differ from others of the same time in none of %s", plural(w.tested(), "attribute"))
		if w.Strata.WidthNS == 0 {
			text = fmt.Sprintf("slow requests differ from the others in none of %s", plural(w.tested(), "attribute"))
		}
		return text + fmt.Sprintf(" (n = %s and %s)", Integer(w.Slow), Integer(w.Rest))
	}
	c, against := w.Findings[0].Decides(), "the others"
	if w.Strata.WidthNS > 0 {
		against = "others of the same time"
	}
	return fmt.Sprintf("slow requests differ most in %s: %s %% have it against %s %% of %s (n = %s and %s)",
		w.Findings[0].Words, Percent(c.SlowShare), Percent(c.RestShare), against, Integer(w.Slow), Integer(w.Rest))
}
