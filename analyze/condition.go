package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Outcome is what became of a condition.
type Outcome string

// The outcomes. A condition holds or does not only as far as its interval says so.
const (
	Passed       Outcome = "pass"         // what it says is not so
	Failed       Outcome = "FAIL"         // it is so
	Inconclusive Outcome = "inconclusive" // the data cannot say
)

// Judgement is a condition with what was found.
type Judgement struct {
	Condition filter.Condition
	Outcome   Outcome
	// Observed is the figure, in ns, as a share from 0 to 1, or a count; absent unless Known.
	Known    bool
	Observed float64
	Unit     string
	Verdict  string // found instead of a figure: the kind, with its stage if it has one
	N        int64  // requests that the figure stands on
	// Low and High bound the figure; absent where Has is false. Confidence is that of the
	// interval, 0 for a figure that is exact for these requests.
	HasLow, HasHigh bool
	Low, High       float64
	Confidence      float64
	Method          string
	Why             string // the outcome is inconclusive; or how far it goes
}

// The units of a judgement.
const (
	UnitNS       = "ns"
	UnitShare    = "share" // 0 to 1
	UnitRequests = "requests"
	UnitVerdict  = "verdict" // a word
	UnitChange   = "change"  // against a baseline: 0.1 is a tenth more
	UnitRate     = "per_s"   // requests a second
)

// keptTraces says of a figure that a sampler may have shifted it.
const keptTraces = "among kept traces"

// The methods of a judgement besides those of the figures themselves.
const (
	MethodOrder  = "order-statistics" // one-sided bounds of 95 % each, from the exact binomial law
	MethodBinom  = "clopper-pearson"  // the same of a rate
	MethodExact  = "exact"            // a count of these requests, which predicts nothing
	MethodBlocks = "block-bootstrap"  // resampled blocks of time
	MethodCalls  = "calls"            // a call between two hosts bounds how far their clocks are apart
)

// confidence of an interval whose bounds each hold with 95 %: a condition is about one of
// them.
const confidence = 1 - 2*(1-stat.Confidence)

// ConditionWords returns the words that conditions may use.
func ConditionWords() filter.Vocabulary {
	kinds := func(list ...Kind) (out []string) {
		for _, k := range list {
			out = append(out, string(k))
		}
		return out
	}
	return filter.Vocabulary{
		Metrics: ObjectiveMetrics(), Stages: StageNames(),
		Verdicts:      kinds(KindDominates, KindLeads, KindMixed, KindNone, KindUnclear, KindUnattributed, KindTooFew),
		StageVerdicts: kinds(KindDominates, KindLeads), Samplings: samplingKinds(),
	}
}

// WithPercentiles returns the options with the percentiles of the conditions among those
// of the report.
func (o Options) WithPercentiles(conditions []filter.Condition) Options {
	list := slices.Clone(o.filled().Percentiles)
	for _, c := range conditions {
		p := stat.Prob(c.P)
		same := func(q stat.Prob) bool { return p.Num*q.Den == q.Num*p.Den }
		if c.Quantity == filter.Percentile && !slices.ContainsFunc(list, same) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b stat.Prob) int { return cmp.Compare(a.Num*b.Den, b.Num*a.Den) })
	o.Percentiles = list
	return o
}

// judge holds what the conditions of one summary share.
type judge struct {
	set    *table.Set
	s      *Summary
	opt    Options
	rows   []int32            // of the population
	sorted map[string][]int64 // values of a metric in ns, ascending
	ranked []int32            // rows by duration
	pooled []weighedGap       // gaps between tokens, by length
	pool   *pool              // of them; nil until they are asked for
	taken  *measured          // nil until a measure by another definition is asked for
}

// Judge says of each condition whether it holds for the requests of a summary, which must
// be that of the same tables and options. Changes against a baseline are not for it.
func Judge(set *table.Set, s *Summary, conditions []filter.Condition, opt Options) []Judgement {
	if len(conditions) == 0 {
		return nil
	}
	j := &judge{set: set, s: s, opt: opt.filled().on(set), sorted: map[string][]int64{}}
	j.rows, _ = population(set, j.opt)
	out := make([]Judgement, len(conditions))
	for i, c := range conditions {
		out[i] = j.judge(c)
	}
	return out
}

func (j *judge) judge(c filter.Condition) Judgement {
	r := Judgement{Condition: c, Outcome: Inconclusive, Unit: unitOf(c.Quantity)}
	switch c.Quantity {
	case filter.Percentile:
		j.percentile(&r)
	case filter.Share:
		if c.Banded {
			j.bandShare(&r)
		} else {
			j.excessShare(&r)
		}
	case filter.Unattributed:
		r.exact(j.s.Unattributed.Overall, j.s.Population.N)
	case filter.Incomplete:
		incomplete(j.set, j.opt.kept.holds, &r)
	case filter.Errors:
		r.errorRate(j.s.Population.Errors)
	case filter.N:
		r.exact(float64(j.s.Population.N), j.s.Population.N)
	case filter.Verdict:
		j.verdict(&r)
	case filter.Rate, filter.Goodput, filter.Capacity:
		j.objective(&r)
	}
	if r.Known || r.Verdict != "" {
		r.Why = j.among(c.Quantity, r.Why)
	}
	return r
}

// among puts before a reason whose figures the judged one is: those of kept traces, unless
// it says itself that it is of all requests.
func (j *judge) among(q filter.Quantity, why string) string {
	if !j.s.Population.Sampling.Biased() || q == filter.N || strings.HasPrefix(why, allRequests) {
		return why
	}
	parts := []string{keptTraces}
	if f := j.s.Duration.ForAll; q == filter.Share && f != nil && f.Refused != "" {
		parts = append(parts, "of all requests it cannot be said: "+f.Refused)
	}
	if q == filter.Verdict {
		for _, c := range j.s.Verdict.Caveats {
			if c.ID == OtherForAll || c.ID == UnknownForAll {
				parts = append(parts, c.Text)
			}
		}
	}
	if why != "" {
		parts = append(parts, why)
	}
	return strings.Join(parts, "; ")
}

func unitOf(q filter.Quantity) string {
	switch q {
	case filter.Percentile, filter.Clock:
		return UnitNS
	case filter.N:
		return UnitRequests
	case filter.Verdict, filter.Sampling:
		return UnitVerdict
	case filter.Goodput, filter.Capacity:
		return UnitRate
	}
	return UnitShare
}

// exact fills in a figure that these requests have exactly, and decides by it.
func (r *Judgement) exact(value float64, n int64) {
	r.N, r.Method = n, MethodExact
	if r.Known = n > 0 || r.Condition.Quantity == filter.N; !r.Known { // none is a number of requests too
		r.Why = "there is no request to judge"
		return
	}
	r.Observed, r.Low, r.High, r.HasLow, r.HasHigh = value, value, value, true, true
	r.decide()
	r.HasLow, r.HasHigh, r.Low, r.High = false, false, 0, 0 // it is no interval
}

// decide compares the interval with the limit: the condition holds when all of it lies on
// the wrong side, and does not when none of it does.
func (r *Judgement) decide() {
	op, limit := r.Condition.Op, r.Condition.Limit
	near, far := r.Low, r.High // the bound that must pass the limit for the condition to hold, and the other
	hasNear, hasFar := r.HasLow, r.HasHigh
	if op == filter.Less || op == filter.LessEqual {
		near, far, hasNear, hasFar = far, near, hasFar, hasNear
	}
	switch {
	case hasNear && op.Holds(near, limit):
		r.Outcome = Failed
	case hasFar && !op.Holds(far, limit):
		r.Outcome = Passed
	}
}

// percentile judges a percentile of a metric. That p % of all requests are within a limit
// is accepted when the exact lower bound of that part is p or more, and refused when its
// upper bound is less, each at 95 %: which is to say that a bound of the percentile from
// order statistics lies on that side of the limit.
func (j *judge) percentile(r *Judgement) {
	switch {
	case r.Condition.Metric == metricITL:
		j.gapPercentile(r)
		return
	case j.s.Population.Sampling.Kind == SamplingWeighted:
		j.weightedPercentile(r)
		return
	}
	sorted, p := j.values(r.Condition.Metric), stat.Prob(r.Condition.P)
	n := int64(len(sorted))
	r.N, r.Method, r.Confidence = n, MethodOrder, confidence
	if n == 0 {
		r.Why = "no request has one"
		return
	}
	if n >= stat.Minimum(p).OneSided {
		r.Known, r.Observed = true, float64(stat.NearestRank(sorted, p))
	}
	ranks := stat.OrderInterval(n, p, confidence)
	q := stat.Quantile{HasLow: ranks.Low >= 1, HasHigh: ranks.High <= n, LowRank: ranks.Low, HighRank: ranks.High}
	if r.HasLow = q.HasLow; q.HasLow {
		q.Low = sorted[ranks.Low-1]
	}
	if r.HasHigh = q.HasHigh; q.HasHigh {
		q.High = sorted[ranks.High-1]
	}
	if r.Condition.Metric == metricE2E {
		farOffOf(j.set, j.rows).widen(&q)
	}
	r.Low, r.High = float64(q.Low), float64(q.High)
	if r.decide(); r.Outcome != Inconclusive {
		return
	}
	if r.Why = "the limit lies between the bounds"; !r.HasHigh {
		r.Why = fmt.Sprintf("%s takes %d requests to be bounded from above", p, stat.Minimum(p).OneSided)
	}
}

// values returns the values of a metric in ns, ascending.
func (j *judge) values(metric string) []int64 {
	if sorted, done := j.sorted[metric]; done {
		return sorted
	}
	rows, value := j.measured(metric)
	sorted := gather(value, rows)
	slices.Sort(sorted)
	j.sorted[metric] = sorted
	return sorted
}

// measured returns the requests that have a metric, and its values in ns by row.
func (j *judge) measured(metric string) (rows []int32, value []int64) {
	switch metric {
	case metricE2E:
		return j.rows, j.set.Requests.Duration
	case metricTTFT:
		rows, _ = ttftRows(j.set, j.rows)
		return rows, j.set.Requests.TTFT
	case metricTPOT:
		rows, value, _ = tpotRows(j.set, j.rows)
		return rows, value
	}
	if j.taken == nil {
		j.taken = newMeasured(j.set)
	}
	rows, value, _ = j.taken.rows(metric, j.rows)
	return rows, value
}

// bandShare judges a stage's share of the time of the requests between two percentiles of
// the duration. It is exact for these requests, as long as they are enough.
func (j *judge) bandShare(r *Judgement) {
	if j.ranked == nil {
		j.ranked = slices.Clone(j.rows)
		rank(j.set, j.ranked, j.set.Requests.Duration)
	}
	k, _ := stage.Parse(r.Condition.Stage)
	first, last := Band{stat.Prob(r.Condition.From), stat.Prob(r.Condition.To)}.ranks(int64(len(j.ranked)))
	var g Group
	m := durationMetric(j.set)
	for at := first; at <= last && at <= int64(len(j.ranked)); at++ {
		g.add(&m, j.ranked[at-1])
	}
	r.exact(g.Share(int(k)), g.N)
	if g.N < j.opt.Rule.MinTail {
		r.Known, r.Outcome = false, Inconclusive
		r.Why = fmt.Sprintf("the band has %s, a share needs %d", plural(g.N, "request"), j.opt.Rule.MinTail)
	}
}

// excessShare judges a stage's share of what the slow requests take longer than usual
// ones, by its interval.
func (j *judge) excessShare(r *Judgement) {
	k, _ := stage.Parse(r.Condition.Stage)
	r.Method = MethodBlocks
	if j.excessForAll(r, k) {
		return
	}
	t, a := j.s.Duration.Tail, j.s.Duration.Attribution
	r.N = t.Tail.N
	shares := t.Shares()
	switch {
	case a == nil:
		r.Why = j.s.Verdict.Reason
		return
	case shares == nil:
		r.Why = "slow requests take no longer than usual ones, so there is nothing to share"
		return
	}
	r.share(shares[k], a.Parts[k].Share, a.Blocks)
}

// share judges a share of an excess by its interval.
func (r *Judgement) share(value float64, e stat.Estimate, blocks attribution.Blocks) {
	r.Known, r.Observed, r.Why = true, value, ""
	if !e.HasBounds {
		r.Why = "the share has no interval: " + cmp.Or(blocks.Refused, "too few requests")
		if blocks.Need != "" {
			r.Why += "; it takes " + blocks.Need
		}
		return
	}
	r.Low, r.High, r.HasLow, r.HasHigh, r.Confidence = e.Bounds.Low, e.Bounds.High, true, true, stat.Confidence
	// An interval that does not predict still describes these requests, as the condition does.
	if r.Why = blocks.Refused; r.Why != "" {
		r.Why = "of these requests: " + r.Why
	}
	if r.decide(); r.Outcome == Inconclusive {
		r.Why = "the limit lies within the interval"
	}
}

// incomplete judges the share of requests that are not complete, of those that the filter
// keeps.
func incomplete(set *table.Set, kept func(row int) bool, r *Judgement) {
	var n, of int64
	for i, class := range set.Requests.Class {
		if !kept(i) {
			continue
		}
		of++
		if critical.Class(class) != critical.Complete {
			n++
		}
	}
	r.exact(float64(n)/float64(max(of, 1)), of)
}

// errorRate judges the share of complete requests that failed, as a rate of which these are
// a sample.
func (r *Judgement) errorRate(e ErrorRate) {
	r.N, r.Method, r.Confidence = e.Of, MethodBinom, confidence
	if e.Of == 0 {
		r.Why = "no request is complete"
		return
	}
	r.Known, r.Observed, r.HasLow, r.HasHigh = true, float64(e.N)/float64(e.Of), true, true
	r.Low, r.High = stat.ClopperPearsonLower(e.N, e.Of, stat.Confidence), stat.ClopperPearsonUpper(e.N, e.Of, stat.Confidence)
	if r.decide(); r.Outcome == Inconclusive {
		r.Why = "the limit lies between the bounds"
	}
}

// verdict judges the kind of the verdict. What cannot be said is no answer, unless just
// that was asked for.
func (j *judge) verdict(r *Judgement) {
	v := j.s.Verdict
	r.N, r.Method, r.Verdict = j.s.Duration.Tail.Tail.N, "rule", string(v.Kind)
	if v.Kind == KindDominates || v.Kind == KindLeads {
		r.Verdict = v.Stage.String() + " " + r.Verdict
	}
	asked := slices.Contains(r.Condition.Words, string(v.Kind))
	if v.Kind.CannotSay() && !asked {
		r.Why = v.Reason
		return
	}
	is := asked && (r.Condition.Stage == "" || r.Condition.Stage == v.Stage.String())
	if r.Outcome = Passed; is == (r.Condition.Op == filter.Equal) {
		r.Outcome = Failed
	}
}
