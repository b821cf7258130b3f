package reports

import (
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Summary is the summary section of a document.
type Summary struct {
	Population   Population   `json:"population"`
	Load         Load         `json:"load"`
	Duration     Latency      `json:"duration"`
	TTFT         Latency      `json:"ttft"`
	TPOT         Percentiles  `json:"tpot"`
	FirstToken   []Count      `json:"first_token_basis"`
	Path         *Path        `json:"path,omitempty"` // absent of a tail too small for shares, and where nothing says which span called which
	Verdict      Verdict      `json:"verdict"`
	TTFTVerdict  Verdict      `json:"ttft_verdict"`
	Stalling     Stalling     `json:"stalling"`
	By           *By          `json:"by,omitempty"` // with --by
	Queueing     Queueing     `json:"queueing"`
	Joining      Joining      `json:"joining"`
	Conservation Conservation `json:"conservation"`
	Unattributed Unattributed `json:"unattributed"`
	Context      Context      `json:"context"`             // of all load, failed requests too
	Objectives   []Objective  `json:"objectives,omitzero"` // of --slo, in the order in which they were given
	Measures     *Measures    `json:"measures,omitempty"`  // by the definitions of --define
	Definitions  []Definition `json:"definitions"`
	Warnings     []Warning    `json:"warnings"`
}

// Definition says what a metric means here.
type Definition struct {
	Metric string `json:"metric"`
	ID     string `json:"id"`
	Text   string `json:"text"`
}

// Population says which requests the figures stand on.
type Population struct {
	Requests   int64  `json:"requests"`
	Used       int64  `json:"used"`
	Words      string `json:"words"` // limits what the figures are about; empty when nothing does
	Incomplete string `json:"incomplete"`
	Errors     string `json:"errors"`
	// Failed, GivenUp and Partial are how many of those used failed, were given up by who
	// asked, or lack a part; one may be several of these.
	Failed    int64       `json:"failed,omitzero"`
	GivenUp   int64       `json:"given_up,omitzero"`
	Partial   int64       `json:"part_missing,omitzero"`
	Excluded  []Exclusion `json:"excluded"`
	ErrorRate ErrorRate   `json:"error_rate"`
	Sampling  Sampling    `json:"sampling"`
	// SinceNS and UntilNS bound the time in which they start, where one was chosen.
	SinceNS *int64 `json:"since_ns,omitempty"`
	UntilNS *int64 `json:"until_ns,omitempty"`
}

// Exclusion counts requests left out for one reason.
type Exclusion struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	N      int64  `json:"n"`
}

// ErrorRate is the share of complete requests that failed, with its 95 % interval.
type ErrorRate struct {
	N       int64   `json:"n"`
	Of      int64   `json:"of"`
	Share   float64 `json:"share"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Aborted int64   `json:"aborted"` // complete requests that were given up by who asked for them; none of n
}

// Sampling says how the traces were chosen, as far as they tell.
type Sampling struct {
	Kind       string  `json:"kind"`
	Weighted   int64   `json:"weighted"`
	WeightLow  float64 `json:"weight_low"`
	WeightHigh float64 `json:"weight_high"`
	Mark       string  `json:"mark,omitempty"`
}

// Load says how busy the system was. Rates are per second. They and the concurrency
// but for its peak are null when the window is shorter than ten mean durations.
type Load struct {
	Clock           string   `json:"clock"` // wall, steady, or none where durations alone are recorded
	StartNS         int64    `json:"start_ns"`
	EndNS           int64    `json:"end_ns"`
	Start           string   `json:"start"` // empty when the clock is not the wall clock
	End             string   `json:"end"`
	Requests        int64    `json:"requests"`
	Elsewhere       int64    `json:"elsewhere"` // requests on other clocks, which are not in it
	Unfinished      int64    `json:"unfinished"`
	ArrivalRate     *float64 `json:"arrivals_per_s"`
	ConcurrencyMean *float64 `json:"concurrency_mean"`
	ConcurrencyP50  *int64   `json:"concurrency_p50"`
	ConcurrencyP95  *int64   `json:"concurrency_p95"`
	ConcurrencyPeak int64    `json:"concurrency_peak"`
	OutputTokenRate *float64 `json:"output_tokens_per_s"` // null also when no request recorded its tokens
	TokensKnown     int64    `json:"output_tokens_known"` // requests that recorded them
	// Silence is absent unless there is some.
	Silence *Silence `json:"silence,omitempty"`
	// ForAll is absent unless all requests have weights and some stand for several.
	ForAll *LoadForAll `json:"for_all_requests,omitempty"`
}

// Silence is time of a window in which nothing was recorded: no request was in flight, for far
// longer than requests are apart. Rates and concurrency are of the whole window.
type Silence struct {
	Gaps int64 `json:"gaps"`
	NS   int64 `json:"total_ns"`
}

// Percentiles are the percentiles of one metric.
type Percentiles struct {
	Metric      string       `json:"metric"`
	N           int64        `json:"n"`
	Undefined   []Count      `json:"undefined"`
	Percentiles []Percentile `json:"percentiles"`
	Slowest     *RequestRef  `json:"slowest"` // null without requests
	// Warnings are about all of the percentiles; absent without one that is known.
	Warnings []Warning `json:"warnings,omitempty"`
}

// Independence is the id of the warning that comes with every interval.
const Independence = "independence"

// independent says of intervals what they stand on.
var independent = Warning{Independence, "the intervals hold for independent requests; they are too narrow when requests queue behind each other"}

// Percentile is one percentile. Value and bounds are null when they are not known.
type Percentile struct {
	P        string      `json:"p"`
	N        int64       `json:"n"`
	Method   string      `json:"method"`
	ValueNS  *int64      `json:"value_ns"`
	LowNS    *int64      `json:"low_ns"`
	HighNS   *int64      `json:"high_ns"`
	Coverage float64     `json:"coverage"`
	Need     int64       `json:"need"` // the least n that has this percentile
	Exemplar *RequestRef `json:"exemplar"`
	Weighted *Weighted   `json:"weighted,omitempty"`
	Warnings []Warning   `json:"warnings"`
}

// Weighted is the percentile estimated for all requests, kept or not.
type Weighted struct {
	ValueNS   *int64      `json:"value_ns"`
	Effective float64     `json:"effective_n"`
	Exemplar  *RequestRef `json:"exemplar"`
}

// Latency is a metric that the stages tile.
type Latency struct {
	Percentiles
	All   Mix    `json:"all"`
	Bands []Band `json:"bands"`
	Tail  Tail   `json:"tail"`
	// Attribution is null when the tail is too small.
	Attribution *Attribution `json:"attribution"`
	ForAll      *ForAll      `json:"for_all_requests,omitempty"` // absent unless weights differ
	Strata      []Strata     `json:"strata"`                     // by fields of which there are several values
}

// Mix is the stage mix of some requests. The mean times of the stages add up to the
// mean, and their shares to 1 unless the mean is 0.
type Mix struct {
	N      int64        `json:"n"`
	MinNS  int64        `json:"min_ns"`
	MaxNS  int64        `json:"max_ns"`
	MeanNS int64        `json:"mean_ns"`
	Stages []StageShare `json:"stages"` // every stage, in path order
}

// StageShare is one stage's part of a mix.
type StageShare struct {
	Stage  string  `json:"stage"`
	MeanNS int64   `json:"mean_ns"`
	Share  float64 `json:"share"`
}

// Band is the mix of the requests between two percentiles.
type Band struct {
	Band      string `json:"band"`
	FirstRank int64  `json:"first_rank"`
	LastRank  int64  `json:"last_rank"` // below first_rank when the band is empty
	Mix
}

// Tail compares the slow requests with the usual ones.
type Tail struct {
	Q        string        `json:"q"` // the tail is the requests at or above this percentile
	Enough   bool          `json:"enough"`
	Need     int64         `json:"need"`     // requests at which the p90 tail is large enough
	MinTail  int64         `json:"min_tail"` // requests that shares of a tail or a band need
	Clusters int64         `json:"clusters"` // incidents: slow requests that overlap in time are one
	Tail     Mix           `json:"tail"`
	Body     Mix           `json:"body"`
	ExcessNS int64         `json:"excess_ns"`
	Stages   []ExcessShare `json:"stages"`  // every stage, in path order
	Details  []ExcessShare `json:"details"` // sub-labels, under their stage; empty without segments
}

// ExcessShare is the mean time that a stage takes more in the tail than in the body.
// Share is its part of the whole excess, null when there are no shares.
type ExcessShare struct {
	Stage    string   `json:"stage"`
	Detail   string   `json:"detail,omitempty"`
	TailNS   int64    `json:"tail_ns"`
	BodyNS   int64    `json:"body_ns"`
	ExcessNS int64    `json:"excess_ns"`
	Share    *float64 `json:"share"`
}

// Verdict says which stage makes the slow requests slow, by the stated rule.
type Verdict struct {
	Sentence      string    `json:"sentence"`
	Kind          string    `json:"kind"`
	Reason        string    `json:"reason"`
	Rule          string    `json:"rule"`
	Stage         string    `json:"stage,omitempty"`
	Share         *float64  `json:"share"`
	RunnerUp      string    `json:"runner_up,omitempty"`
	RunnerUpShare *float64  `json:"runner_up_share"`
	QueueShare    *float64  `json:"queue_share"`
	TailNS        int64     `json:"tail_ns"`
	BodyNS        int64     `json:"body_ns"`
	ExcessNS      int64     `json:"excess_ns"`
	Unattributed  float64   `json:"unattributed"`
	Caveats       []Warning `json:"caveats"`
	// ShareInterval and QueueInterval have bounds only if these predict: with predicts false
	// the shares are exact for these requests, and say nothing of others.
	ShareInterval *Figure `json:"share_interval"`
	QueueInterval *Figure `json:"queue_interval"`
	Predicts      bool    `json:"predicts"`
	First         float64 `json:"first"` // share of the resamples in which stage is the largest
	Needs         string  `json:"needs"` // what stage lacks to dominate, where it leads
}

// Conservation accounts for every span.
type Conservation struct {
	SpansRead int64 `json:"spans_read"`
	SpansIn   int64 `json:"spans_in"`
	OnPath    int64 `json:"on_path"`
	OffPath   int64 `json:"off_path"`
	Excluded  int64 `json:"excluded"`
	Balanced  bool  `json:"balanced"`
}

// Unattributed is the share of path time that nothing recorded explains.
type Unattributed struct {
	Overall float64 `json:"overall"`
	Tail    float64 `json:"tail"`
	TailQ   string  `json:"tail_q"`
	TailN   int64   `json:"tail_n"`
}

// Summary makes the document of a summary.
func (r Run) Summary(s analyze.Summary) Document {
	d := r.document(KindSummary)
	d.Summary = &Summary{
		Population: population(s.Population), Load: load(s.Load),
		Duration: latency(s.Duration), TTFT: latency(s.TTFT), TPOT: percentiles(s.TPOT), FirstToken: []Count{},
		Path: pathOf(s.Path), Verdict: verdict(s.Verdict), TTFTVerdict: verdict(s.TTFTVerdict), Stalling: stalling(s.Stalling), Queueing: queueing(s.Queueing), Joining: joining(s.Joining), Conservation: conservation(s.Conservation),
		Context:      context(s.Context),
		Unattributed: Unattributed{s.Unattributed.Overall, s.Unattributed.Tail, s.Unattributed.TailQ.String(), s.Unattributed.TailN},
		Definitions:  definitions, Warnings: warnings(s.Warnings),
	}
	for _, b := range s.FirstToken {
		d.Summary.FirstToken = append(d.Summary.FirstToken, Count{b.Name, b.N})
	}
	v, w := &d.Summary.Verdict, &d.Summary.TTFTVerdict
	v.Sentence = v.sentence(d.Summary.Duration.Tail, s.Duration.N, ofRequests)
	w.Sentence = w.sentence(d.Summary.TTFT.Tail, s.TTFT.N, ofFirstTokens)
	d.Summary.Objectives = attained(s.Objectives)
	d.Summary.Measures = measures(s.Measures)
	d.Summary.By = byGroups(s.By, d.Summary.Population)
	d.Headline = summaryHeadline(d.Summary)
	d.Next = r.afterSummary(d.Summary)
	return d
}

// definitions are the meanings of the metrics.
var definitions = []Definition{
	{"duration", "e2e", "end of the root span less its start"},
	{"ttft", "ttft", "first token at the request's vantage point less the start of the root span"},
	{"tpot", "tpot_to_end", "(end - first token) / (output tokens - 1) of each request; undefined below two tokens"},
	{"percentile", stat.MethodNearestRank, "the value at rank ceil(p n): always that of a real request"},
	{"interval", "order_statistic_95", "exact binomial, equal-tailed; assumes independent requests; of durations also as far out as their records may be off"},
	{"share_interval", "block_bootstrap_95", "blocks of time resampled; absent where they would not predict"},
	{"gain", "at_the_median", "what the percentile would fall by if no request spent more in a stage than the median: arithmetic, no forecast"},
	{"excess", "tail_less_body", "mean of the tail less the mean of the requests ranked above 40 % and up to 60 %"},
	{"output_tokens_per_s", "tokens_of_completed", "output tokens of the requests of the window by the window's length"},
	{"concurrency", "time_weighted", "requests in flight, weighted by time; failed ones count"},
}

func sampling(s analyze.Sampling) Sampling {
	return Sampling{string(s.Kind), s.Weighted, s.Low, s.High, s.Mark}
}

func load(l analyze.Load) Load {
	out := Load{
		Clock: analyze.ClockName(l.Clock), StartNS: l.Start, EndNS: l.End, Start: instant(l.Clock, l.Start), End: instant(l.Clock, l.End),
		Requests: l.Requests, Elsewhere: l.Elsewhere, Unfinished: l.Unfinished,
		ConcurrencyPeak: l.InFlight.Peak, TokensKnown: l.Tokens.Known, ForAll: loadForAll(l),
	}
	if s := l.Silence; s.Gaps > 0 {
		out.Silence = &Silence{Gaps: s.Gaps, NS: s.NS}
	}
	if !l.Rated() {
		return out
	}
	rate, mean, p50, p95 := l.ArrivalRate(), l.InFlight.Mean(), l.InFlight.Quantile(stat.P50), l.InFlight.Quantile(stat.P95)
	out.ArrivalRate, out.ConcurrencyMean, out.ConcurrencyP50, out.ConcurrencyP95 = &rate, &mean, &p50, &p95
	if l.Tokens.Known > 0 {
		tokens := l.TokenRate()
		out.OutputTokenRate = &tokens
	}
	return out
}

func percentiles(p analyze.Percentiles) Percentiles {
	out := Percentiles{Metric: p.Metric, N: p.N, Undefined: []Count{}, Percentiles: []Percentile{}}
	for _, u := range p.Undefined {
		out.Undefined = append(out.Undefined, Count{u.Reason, u.N})
	}
	if p.N > 0 {
		out.Slowest = requestRef(p.Slowest)
	}
	for _, q := range p.Quantiles {
		e := Percentile{P: q.P.String(), N: q.N, Method: q.Method, Coverage: q.Coverage, Need: q.Need, Warnings: warnings(q.Warnings)}
		if q.Known {
			e.ValueNS, e.Exemplar = &q.Value, requestRef(q.Exemplar)
		}
		if q.HasLow {
			e.LowNS = &q.Low
		}
		if q.HasHigh {
			e.HighNS = &q.High
		}
		if w := q.Weighted; w != nil {
			e.Weighted = &Weighted{Effective: w.Effective}
			if w.Known {
				e.Weighted.ValueNS, e.Weighted.Exemplar = &w.Value, requestRef(q.WeightedExemplar)
			}
		}
		out.Percentiles = append(out.Percentiles, e)
	}
	if slices.ContainsFunc(out.Percentiles, func(q Percentile) bool { return q.ValueNS != nil }) {
		out.Warnings = []Warning{independent}
	}
	return out
}

func latency(l analyze.Latency) Latency {
	out := Latency{Percentiles: percentiles(l.Percentiles), All: mix(l.All), Bands: []Band{}, Tail: tail(l.Tail), Attribution: attributed(l.Attribution), ForAll: forAll(l.ForAll), Strata: stratified(l.Strata)}
	for _, b := range l.Bands {
		out.Bands = append(out.Bands, Band{b.Band.String(), b.First, b.Last, mix(b.Group)})
	}
	return out
}

func mix(g analyze.Group) Mix {
	m := Mix{N: g.N, MinNS: g.Min, MaxNS: g.Max, MeanNS: g.MeanNS()}
	means := g.MeansNS()
	for k, name := range analyze.StageNames() {
		m.Stages = append(m.Stages, StageShare{name, means[k], g.Share(k)})
	}
	return m
}

func tail(t analyze.Tail) Tail {
	out := Tail{Q: t.Q.String(), Enough: t.Enough, Need: t.Need, MinTail: t.MinTail, Clusters: t.Clusters, Tail: mix(t.Tail), Body: mix(t.Body), Details: []ExcessShare{}}
	excess, total := t.ExcessNS()
	out.ExcessNS = total
	shares := t.Shares()
	for k, name := range analyze.StageNames() {
		e := ExcessShare{Stage: name, TailNS: out.Tail.Stages[k].MeanNS, BodyNS: out.Body.Stages[k].MeanNS, ExcessNS: excess[k]}
		if shares != nil {
			e.Share = &shares[k]
		}
		out.Stages = append(out.Stages, e)
	}
	for _, d := range t.Details {
		e := ExcessShare{Stage: d.Stage.String(), Detail: d.Name}
		e.TailNS, e.BodyNS, e.ExcessNS = t.DetailMeans(d)
		if shares != nil {
			share := t.DetailShare(d)
			e.Share = &share
		}
		out.Details = append(out.Details, e)
	}
	return out
}

func verdict(v analyze.Verdict) Verdict {
	out := Verdict{
		Kind: string(v.Kind), Reason: v.Reason, Rule: v.Rule.String(), TailNS: v.TailNS, BodyNS: v.BodyNS, ExcessNS: v.ExcessNS,
		Unattributed: v.Unattributed, Caveats: warnings(v.Caveats), Predicts: v.Predicts, First: v.First, Needs: v.Needs,
	}
	if v.HasShares && v.Interval.N > 0 {
		share, queue := estimate(v.Interval), estimate(v.QueueInterval)
		out.ShareInterval, out.QueueInterval = &share, &queue
	}
	if v.HasShares {
		out.Stage, out.RunnerUp = v.Stage.String(), v.RunnerUp.String()
		out.Share, out.RunnerUpShare, out.QueueShare = &v.Share, &v.RunnerUpShare, &v.Queue
	}
	return out
}

func conservation(c analyze.Conservation) Conservation {
	return Conservation{c.Read, c.In, c.OnPath, c.OffPath, c.Excluded, c.Balanced}
}
