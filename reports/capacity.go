package reports

import (
	"cmp"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// Capacity is the capacity section of a document: how much the system carries within each
// objective, how much work it did over time, and what holds it up. Rates are a second.
type Capacity struct {
	Answer     string      `json:"answer"` // of the first objective: reached, not_reached or cannot_say; system without any
	Population Population  `json:"population"`
	Objectives []Objective `json:"objectives"` // in the order in which they were given
	System     System      `json:"system"`
	Measures   *Measures   `json:"measures,omitempty"` // of requests, by the definitions of --define
	// Alternatives are figures of the system by the definitions of --define, absent without any.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	Definitions  []Definition  `json:"definitions"`
	Warnings     []Warning     `json:"warnings"`
}

// Objective is one objective with what became of it. Good is how many of Asked requests met
// every limit of every term, each in one and the same request.
type Objective struct {
	Objective  string          `json:"objective"`
	Outcome    string          `json:"outcome"` // pass, fail or inconclusive
	Terms      []ObjectiveTerm `json:"terms"`
	Good       int64           `json:"good"`
	Asked      int64           `json:"asked"`
	Undefined  []Count         `json:"undefined"`  // requests that some limit cannot be asked of
	Attainment *Figure         `json:"attainment"` // null when no request was asked
	Goodput    *float64        `json:"good_per_s"` // null where NoGoodput says why
	NoGoodput  string          `json:"no_goodput"`
	Limiting   string          `json:"limiting"`         // the term that the capacity is of; empty for none
	Carried    Carried         `json:"carried,omitzero"` // absent where it was not asked for
	Warnings   []Warning       `json:"warnings"`         // of Good and the attainment
}

// ObjectiveTerm is one term of an objective: a percentile, or a share of the requests that
// meet some limits all at once. Attainment is the share that met them.
type ObjectiveTerm struct {
	Term       string    `json:"term"`
	Joint      bool      `json:"joint"`
	Target     float64   `json:"target"` // the share that must meet the limits
	Limits     []Limit   `json:"limits"` // one unless joint
	Observed   *Observed `json:"observed"`
	Attainment *Figure   `json:"attainment"` // null when nothing was asked; each bound holds with 95 %
	Of         string    `json:"of"`         // what n of the attainment counts: requests, or gaps between tokens
	Undefined  []Count   `json:"undefined"`
	Outcome    string    `json:"outcome"`
	Need       int64     `json:"need"`             // of them in all that would decide at this share; 0 when more would not
	Carried    Carried   `json:"carried,omitzero"` // absent where it was not asked for
	Warnings   []Warning `json:"warnings"`         // of the attainment
}

// Limit is what a metric may be at most.
type Limit struct {
	Metric string `json:"metric"`
	P      string `json:"p"`     // of a request's own gaps between tokens; empty for other metrics
	Below  bool   `json:"below"` // the value must be less; otherwise it may be the limit itself
	NS     int64  `json:"limit_ns"`
	Time   string `json:"limit"` // as it was written
}

// Observed is the percentile that a term asks of. Value and bounds are null when they are not
// known.
type Observed struct {
	P       string `json:"p"`
	N       int64  `json:"n"`
	ValueNS *int64 `json:"value_ns"`
	LowNS   *int64 `json:"low_ns"`
	HighNS  *int64 `json:"high_ns"`
	Need    int64  `json:"need"`
}

// Carried is the rate of arrivals that was carried within an objective, or a term of one.
type Carried struct {
	Kind string `json:"kind"` // reached, not_reached or cannot_say
	Why  string `json:"why"`  // of cannot_say; empty otherwise
	// Words say it, or why it cannot be said.
	Words        string   `json:"words"`
	Rate         *float64 `json:"requests_per_s"`
	TokenRate    *float64 `json:"output_tokens_per_s"` // null also when no request recorded its tokens
	PerGPU       *float64 `json:"requests_per_s_per_gpu"`
	TokensPerGPU *float64 `json:"output_tokens_per_s_per_gpu"`
	Method       string   `json:"method"`
	Estimate     *float64 `json:"estimate_per_s"` // the rate without caution; null where the method has none
	Pass         *float64 `json:"pass_per_s"`     // mean rate of the last bin that passes
	Fail         *float64 `json:"fail_per_s"`     // mean rate of the first bin that fails

	Target    float64       `json:"target"` // the share of the requests of a bin that must be good
	WindowNS  int64         `json:"window_ns"`
	Windows   int64         `json:"windows"` // with requests
	Empty     int64         `json:"empty_windows"`
	LeftOut   []LeftOut     `json:"left_out"`
	LowLoadNS *int64        `json:"low_load_ns"` // mean latency where little came; null without a whole window
	Bins      []RateBin     `json:"bins"`        // from the lowest rate to the highest
	PassBin   *int64        `json:"pass_bin"`    // place among bins
	FailBin   *int64        `json:"fail_bin"`
	Need      []CapacityFor `json:"needs"` // what an answer would take; empty where more would give none
	Mix       *LengthMix    `json:"limiting_mix"`
	All       *LengthMix    `json:"mix"`
	Warnings  []Warning     `json:"warnings"`
}

// CapacityFor is how many of something an answer takes.
type CapacityFor struct {
	What string `json:"what"`
	N    int64  `json:"n"`
}

// LeftOut is how many windows are left out for a reason, with the requests in them.
type LeftOut struct {
	Reason   string `json:"reason"`
	Windows  int64  `json:"windows"`
	Requests int64  `json:"requests"`
}

// RateBin is the windows whose rates of arrivals are about the same.
type RateBin struct {
	Low        float64 `json:"low_per_s"`
	High       float64 `json:"high_per_s"`
	Rate       float64 `json:"requests_per_s"`
	TokenRate  float64 `json:"output_tokens_per_s"`
	Windows    int64   `json:"windows"`
	Requests   int64   `json:"requests"`
	Attainment Figure  `json:"attainment"` // each bound holds with 95 %; without bounds in a thin bin
	Verdict    string  `json:"verdict"`    // passes, fails, doubtful or thin
}

// LengthMix is how long requests are, in tokens.
type LengthMix struct {
	Prompt Lengths `json:"prompt_tokens"`
	Output Lengths `json:"output_tokens"`
}

// Lengths are percentiles of a number of tokens; null where they are not known.
type Lengths struct {
	N   int64  `json:"n"`
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
}

// answerSystem is the answer without an objective: of the system alone.
const answerSystem = "system"

// Capacity makes the document of a capacity.
func (r Run) Capacity(c analyze.Capacity) Document {
	d := r.document(KindCapacity)
	out := &Capacity{
		Answer: answerSystem, Population: population(c.Population), Objectives: []Objective{}, System: system(c.System),
		Definitions: capacityDefinitions, Warnings: warnings(c.Warnings),
	}
	out.Measures = measures(c.Measures)
	out.Alternatives = alternatives(c.Alternatives)
	for _, o := range c.Objectives {
		out.Objectives = append(out.Objectives, objective(o))
	}
	if len(out.Objectives) > 0 {
		out.Answer = out.Objectives[0].Carried.Kind
	}
	d.Capacity = out
	d.Headline = out.headline()
	d.Next = r.afterCapacity(out)
	return d
}

// spelled writes an id as documents do.
func spelled[S ~string](id S) string { return strings.ReplaceAll(string(id), "-", "_") }

func objective(o analyze.Objective) Objective {
	text := o.Objective.String()
	out := Objective{
		Objective: text, Outcome: outcome(o.Outcome), Terms: []ObjectiveTerm{}, Good: o.Good, Asked: o.Asked,
		Undefined: undefinedCounts(o.Undefined), Attainment: asked(o.Attainment), NoGoodput: o.NoGoodput,
		Warnings: warnings(o.Attainment.Warnings),
	}
	switch {
	case o.Asked == 0:
		out.NoGoodput = cmp.Or(o.NoGoodput, "no request could be asked")
	case o.NoGoodput == "":
		out.Goodput = figure(o.Goodput)
	}
	for _, t := range o.Terms {
		out.Terms = append(out.Terms, objectiveTerm(t))
	}
	if o.Limiting >= 0 && o.Limiting < len(out.Terms) {
		out.Limiting = out.Terms[o.Limiting].Term
	}
	out.Carried = carried(o.Capacity, text)
	return out
}

func objectiveTerm(t analyze.ObjectiveTerm) ObjectiveTerm {
	p := stat.Prob(t.Term.P)
	out := ObjectiveTerm{
		Term: t.Term.String(), Joint: t.Term.Joint, Target: target(p), Limits: []Limit{}, Attainment: asked(t.Attainment), Of: t.Of,
		Undefined: undefinedCounts(t.Undefined), Outcome: outcome(t.Outcome), Need: t.Need,
		Warnings: warnings(t.Attainment.Warnings),
	}
	for _, l := range t.Term.Limits {
		limit := Limit{Metric: l.Metric, Below: l.Below, NS: l.NS, Time: l.Time()}
		if own := stat.Prob(l.P); own.Den > 0 {
			limit.P = own.String()
		}
		out.Limits = append(out.Limits, limit)
	}
	if q := t.Observed; !t.Term.Joint {
		out.Observed = &Observed{P: p.String(), N: q.N, ValueNS: valueOf(q), Need: q.Need}
		if q.HasLow {
			out.Observed.LowNS = &q.Low
		}
		if q.HasHigh {
			out.Observed.HighNS = &q.High
		}
	}
	out.Carried = carried(t.Capacity, out.Term)
	return out
}

// outcome names an outcome; what nothing was asked of is inconclusive.
func outcome(o tokens.Outcome) string { return string(cmp.Or(o, tokens.Inconclusive)) }

// asked returns a share of what was asked, nil when that is nothing.
func asked(e stat.Estimate) *Figure {
	if e.N == 0 {
		return nil
	}
	f := estimate(e)
	return &f
}

func undefinedCounts(in []analyze.Undefined) []Count {
	out := make([]Count, 0, len(in))
	for _, u := range in {
		out = append(out, Count{u.Reason, u.N})
	}
	return out
}

// above0 returns a rate, nil for what stands for none: 0, and what is no number.
func above0(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	return figure(v)
}

func carried(c analyze.ObjectiveCapacity, within string) Carried {
	out := Carried{
		Kind: spelled(c.Kind), Why: spelled(c.Why), Target: target(c.Target), WindowNS: c.WindowNS, Windows: int64(len(c.Windows)), Empty: c.Empty,
		LeftOut: []LeftOut{}, Bins: []RateBin{}, Need: []CapacityFor{}, Mix: lengthMix(c.Mix), All: lengthMix(c.All), Warnings: warnings(c.Warnings),
	}
	if out.Kind == "" { // nothing was asked
		out.Kind = spelled(capacity.CannotSay)
	}
	for _, l := range c.LeftOut {
		out.LeftOut = append(out.LeftOut, LeftOut{spelled(l.Reason), int64(l.Windows), l.Requests})
	}
	for i := range c.Bins {
		out.Bins = append(out.Bins, rateBin(&c.Bins[i]))
	}
	if c.LowLoadNS > 0 {
		ns := rounded(c.LowLoadNS)
		out.LowLoadNS = &ns
	}
	if c.Refused != "" {
		out.Kind, out.Why, out.Words = spelled(capacity.CannotSay), "refused", c.Refused
		return out
	}
	place := func(i int) *int64 {
		if i < 0 || i >= len(c.Bins) {
			return nil
		}
		at := int64(i)
		return &at
	}
	if c.Kind != "" {
		out.PassBin, out.FailBin = place(c.PassBin), place(c.FailBin)
	}
	if c.NeedWindows > 0 {
		out.Need = append(out.Need, CapacityFor{"windows", c.NeedWindows})
	}
	if c.NeedRequests > 0 {
		out.Need = append(out.Need, CapacityFor{"requests", c.NeedRequests})
	}
	out.Pass, out.Fail = above0(c.Pass), above0(c.Fail)
	if out.Kind != spelled(capacity.CannotSay) {
		out.Rate, out.TokenRate, out.Estimate, out.Method = above0(c.Rate), above0(c.TokenRate), above0(c.Estimate), spelled(c.Method)
		out.PerGPU, out.TokensPerGPU = above0(c.PerGPU), above0(c.TokensPerGPU)
	}
	out.Words = out.words(c.Text)
	return out
}

// target is the share that is asked for, 0 for none.
func target(p stat.Prob) float64 {
	if p.Den <= 0 {
		return 0
	}
	return p.Float()
}

func rateBin(b *capacity.Bin) RateBin {
	out := RateBin{
		Low: b.Low, High: b.High, Rate: b.Rate, TokenRate: b.TokenRate, Windows: int64(b.Windows), Requests: b.Requests,
		Attainment: Figure{Value: b.Attainment, N: b.Eligible, Method: attainmentMethod}, Verdict: spelled(b.Verdict),
	}
	if b.Verdict != capacity.Thin {
		out.Attainment.Low, out.Attainment.High = &b.Lower, &b.Upper
	}
	return out
}

// attainmentMethod is how the attainment of a bin is bounded: by the wider of two.
const attainmentMethod = "window-bootstrap or clopper-pearson"

func lengthMix(m analyze.LengthMix) *LengthMix {
	if m.Prompt.N == 0 && m.Output.N == 0 {
		return nil
	}
	of := func(l analyze.Lengths) Lengths { return Lengths{l.N, valueOf(l.P50), valueOf(l.P95)} }
	return &LengthMix{of(m.Prompt), of(m.Output)}
}
