package reports

import (
	"math"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Queue is the queue section of a document: whether queueing makes slow requests slow, when
// and where it did, and why. Each part of the evidence has figures and says in words what
// they mean.
type Queue struct {
	Answer     string           `json:"answer"` // dominates, leads, no or cannot_say
	TTFTAnswer string           `json:"ttft_answer"`
	TTFTWords  string           `json:"ttft_words"` // the answer for the time to the first token; empty without any
	Bands      []QueueBand      `json:"bands"`
	TTFTBands  []QueueBand      `json:"ttft_bands"`
	Work       QueueWork        `json:"work"`
	Little     Little           `json:"little"`
	Busy       Busy             `json:"busy"`
	When       When             `json:"when"`
	OverTime   []QueueStretch   `json:"over_time"` // in order of time, without gaps; empty in a report, whose heat has it
	Where      []Where          `json:"where"`
	Candidates []QueueCandidate `json:"candidates"`
	Who        Who              `json:"who"`
	WhatIf     *WhatIf          `json:"what_if"` // null when the tail is too small
	Summary    Summary          `json:"summary"` // what all of it stands on
	// WithoutQueue is absent without an objective.
	WithoutQueue []WithoutQueue `json:"without_queue,omitzero"`
}

// QueueBand is the share of the queue in the time of the requests of a band.
type QueueBand struct {
	Band  string `json:"band"`
	Share Figure `json:"share"`
}

// QueueWork says whether slow requests ask for more than the rest.
type QueueWork struct {
	Slow   int64        `json:"slow"`
	Rest   int64        `json:"rest"`
	Sizes  []QueueSizes `json:"sizes"`
	Kinds  []QueueKinds `json:"kinds"`
	Speeds []QueueSpeed `json:"speeds"`
	Words  string       `json:"words"`
}

// QueueSizes compares a number of tokens: medians, null where they are not known.
type QueueSizes struct {
	Name  string `json:"name"`
	Slow  *int64 `json:"slow_median"`
	Rest  *int64 `json:"rest_median"`
	SlowN int64  `json:"slow_n"`
	RestN int64  `json:"rest_n"`
	Need  int64  `json:"median_need"` // what a median takes
	Test  Test   `json:"test"`
	More  bool   `json:"more"` // slow requests have more, and it matters
}

// QueueKinds compares the values of a field.
type QueueKinds struct {
	Name   string  `json:"name"`
	Values int64   `json:"values"`
	Top    string  `json:"top"` // the value that slow requests have more of, by most
	Slow   float64 `json:"slow_share"`
	Rest   float64 `json:"rest_share"`
	Test   *Test   `json:"test"` // null with one value
	Differ bool    `json:"differ"`
}

// QueueSpeed splits what slow requests take longer than usual ones in prefill or decode:
// excess_ns = work_ns, by more tokens, + slower_ns, by the time a token takes. Uncached says
// that the tokens are those of the prompt less those that were in a cache.
type QueueSpeed struct {
	Detail      string  `json:"detail"`
	Uncached    bool    `json:"uncached"`
	Slow        int64   `json:"slow_n"`
	Usual       int64   `json:"usual_n"`
	ExcessNS    int64   `json:"excess_ns"`
	WorkNS      int64   `json:"work_ns"`
	SlowerNS    int64   `json:"slower_ns"`
	SlowTokens  float64 `json:"slow_tokens"`
	UsualTokens float64 `json:"usual_tokens"`
	SlowRate    float64 `json:"slow_ns_per_token"`
	UsualRate   float64 `json:"usual_ns_per_token"`
}

// Test is the outcome of a test of two groups.
type Test struct {
	Method string   `json:"method"`
	P      *float64 `json:"p"`
	Effect *float64 `json:"effect"`
	N1     int64    `json:"n1"`
	N2     int64    `json:"n2"`
}

// Little sets the number that waited against arrivals and mean wait.
type Little struct {
	Requests   int64          `json:"requests"`
	Rate       float64        `json:"arrivals_per_s"`
	MeanWaitNS int64          `json:"mean_wait_ns"` // of all requests, waiting or not
	Depth      float64        `json:"depth_mean"`
	Ratio      float64        `json:"ratio"` // depth by rate times wait: 1; 0 when nobody waited
	Readings   *DepthReadings `json:"readings"`
	Words      string         `json:"words"`
}

// DepthReadings compares the waits at engines with what engines said.
type DepthReadings struct {
	Metric   string   `json:"metric"`
	N        int64    `json:"n"`
	Engines  int64    `json:"engines"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Depth    float64  `json:"depth_mean"`
	Read     float64  `json:"read_mean"`
	Ratio    *Figure  `json:"ratio"` // null when the readings are all 0
	Rate     float64  `json:"ended_per_s"`
	ReadRate *float64 `json:"counted_per_s"` // null when engines count none
	Agrees   bool     `json:"agrees"`
}

// Busy compares requests of busy with those of quiet times.
type Busy struct {
	Known      bool      `json:"known"`
	Need       int64     `json:"need"` // requests that either side takes; 0 without times
	ByIncident bool      `json:"by_incident"`
	Kind       string    `json:"kind"`
	Quiet      BusyGroup `json:"quiet"`
	Busy       BusyGroup `json:"busy"`
	RiseNS     int64     `json:"rise_ns"`       // of the mean duration
	QueueNS    int64     `json:"queue_rise_ns"` // of it, in the queue
	Own        *Test     `json:"own_test"`
	Words      string    `json:"words"`
}

// BusyGroup is one side of it. Own is the median of the duration without the queue. The needs
// are the requests that a percentile takes: with fewer it is null.
type BusyGroup struct {
	N       int64  `json:"n"`
	P50NS   *int64 `json:"p50_ns"`
	P50Need int64  `json:"p50_need"`
	P99NS   *int64 `json:"p99_ns"`
	P99Need int64  `json:"p99_need"`
	OwnNS   *int64 `json:"own_p50_ns"`
}

// Where splits the waiting by a field.
type Where struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Values int64  `json:"values"`
	N      int64  `json:"n"`
	None   int64  `json:"none"` // requests without a value
	// NoneShare and the places' shares are null where NoShares says why.
	NoneShare *float64 `json:"none_share"`
	NoShares  string   `json:"no_shares"`
	Long      int64    `json:"longest_waits"`      // of n
	LongNeed  int64    `json:"longest_waits_need"` // to tell how they are spread
	Places    []Place  `json:"places"`
	Others    *Place   `json:"others"` // those beyond the ones that are listed, as one
	Test      *Test    `json:"test"`   // whether the longest waits are spread as the requests are
	Words     string   `json:"words"`
}

// Place is the requests with one value. Share is its part of the queue's excess, null where
// Where.NoShares says why. The needs are the requests that a percentile takes.
type Place struct {
	Value     string   `json:"value"`
	N         int64    `json:"n"`
	Share     *float64 `json:"share"`
	Long      int64    `json:"longest_waits"`
	LongShare Figure   `json:"longest_waits_share"`
	P50NS     *int64   `json:"queue_p50_ns"`
	P50Need   int64    `json:"queue_p50_need"`
	P95NS     *int64   `json:"queue_p95_ns"`
	P95Need   int64    `json:"queue_p95_need"`
}

// QueueCandidate is something that may have made requests wait.
type QueueCandidate struct {
	Name   string   `json:"name"`
	Speaks string   `json:"speaks"` // for, against, or ~ for no difference that chance does not make
	Unit   string   `json:"unit"`
	Quiet  float64  `json:"quiet"`
	Busy   float64  `json:"busy"`
	N      int64    `json:"n"`
	Ratio  *Figure  `json:"ratio"`
	P      *float64 `json:"p"`
	Words  string   `json:"words"`
}

// WhatIf is arithmetic on the requests at hand, no forecast. What is bounded lets a request get
// shorter by no more than its parallel branches allow, and is what Words tells; the others are
// the most that could be gained.
type WhatIf struct {
	Q           string `json:"q"`
	N           int64  `json:"n"`
	NowNS       int64  `json:"now_ns"`
	MedianNS    int64  `json:"queue_median_ns"`
	AtMedianNS  int64  `json:"at_median_ns"`
	Gain        Figure `json:"gain_ns"`
	OffPeakNS   *int64 `json:"queue_off_peak_ns"` // null without incidents
	AtOffPeakNS *int64 `json:"at_off_peak_ns"`

	BoundedAtMedianNS  int64  `json:"at_median_bounded_ns"`
	Bounded            Figure `json:"gain_bounded_ns"`
	BoundedAtOffPeakNS *int64 `json:"at_off_peak_bounded_ns"`

	Words string `json:"words"`
}

// Queue makes the document of the waiting.
func (r Run) Queue(q analyze.Queue) Document {
	d := r.document(KindQueue)
	s := r.Summary(q.Summary)
	out := &Queue{
		Summary: *s.Summary, Bands: queueBands(q.Bands), TTFTBands: queueBands(q.TTFTBands), Work: queueWork(q.Work),
		Little: little(q.Little), Busy: busy(q.Busy), When: r.when(q.When), OverTime: overTime(q.OverTime), Where: []Where{}, Candidates: []QueueCandidate{}, WhatIf: whatIf(q.WhatIf), Who: who(q.Who),
	}
	for _, w := range q.Where {
		out.Where = append(out.Where, where(w))
	}
	for _, c := range q.Candidates {
		out.Candidates = append(out.Candidates, candidate(c, out.Summary.Queueing))
	}
	out.Answer, out.TTFTAnswer = QueueAnswer(out.Summary.Verdict), QueueAnswer(out.Summary.TTFTVerdict)
	d.Queue = out
	d.Headline = out.headline()
	if out.Summary.TTFT.N > 0 {
		out.TTFTWords = out.Summary.Population.Limited(queueSentence(out.Summary.TTFTVerdict, out.Summary.TTFT.Tail, out.Summary.TTFT.N, ofFirstTokens))
	}
	out.Work.Words, out.Little.Words, out.Busy.Words, out.When.Words = out.Work.words(), out.Little.words(), out.Busy.words(), out.When.words(out.Summary.Duration.Tail)
	out.WithoutQueue = withoutQueue(q.WithoutQueue, out.Summary.Objectives)
	d.Next = r.afterQueue(out)
	return d
}

func queueBands(in []analyze.BandShare) []QueueBand {
	out := make([]QueueBand, 0, len(in))
	for _, b := range in {
		out = append(out, QueueBand{b.Band.String(), estimate(b.Share)})
	}
	return out
}

func queueWork(w analyze.Work) QueueWork {
	out := QueueWork{Slow: w.Slow, Rest: w.Rest, Sizes: []QueueSizes{}, Kinds: []QueueKinds{}, Speeds: []QueueSpeed{}}
	for _, s := range w.Sizes {
		out.Sizes = append(out.Sizes, QueueSizes{
			Name: s.Name, Slow: valueOf(s.Slow), Rest: valueOf(s.Rest), SlowN: s.Slow.N, RestN: s.Rest.N, Need: s.Slow.Need, Test: *test(s.Test), More: s.More,
		})
	}
	for _, k := range w.Kinds {
		out.Kinds = append(out.Kinds, QueueKinds{Name: k.Name, Values: k.Values, Top: k.Top, Slow: k.SlowShare, Rest: k.RestShare, Test: test(k.Test), Differ: k.Differ})
	}
	for _, s := range w.Speeds {
		out.Speeds = append(out.Speeds, QueueSpeed{
			Detail: s.Detail, Uncached: s.Uncached, Slow: s.Slow, Usual: s.Usual, ExcessNS: s.Excess, WorkNS: s.Work, SlowerNS: s.Slower,
			SlowTokens: s.SlowTokens, UsualTokens: s.BodyTokens, SlowRate: s.SlowRate, UsualRate: s.BodyRate,
		})
	}
	return out
}

// valueOf returns the value of a quantile, nil when it is not known.
func valueOf(q stat.Quantile) *int64 {
	if !q.Known {
		return nil
	}
	return &q.Value
}

// test returns a test, nil when none was made.
func test(t stat.Test) *Test {
	if t.Method == "" {
		return nil
	}
	return &Test{Method: t.Method, P: figure(t.P), Effect: figure(t.Effect), N1: t.N1, N2: t.N2}
}

// bounded returns an estimate, nil when it was not made or is no number.
func bounded(e stat.Estimate) *Figure {
	if e.Method == "" || math.IsInf(e.Value, 0) || math.IsNaN(e.Value) {
		return nil
	}
	f := estimate(e)
	return &f
}

func little(l analyze.Little) Little {
	out := Little{Requests: l.Requests, Rate: l.Rate, MeanWaitNS: l.MeanWaitNS, Depth: l.Depth, Ratio: l.Ratio}
	if d := l.Readings; d != nil {
		out.Readings = depthReadings(d)
		out.Words = d.Words
	}
	return out
}

func depthReadings(d *analyze.DepthReadings) *DepthReadings {
	out := &DepthReadings{
		Metric: d.Metric, N: d.N, Engines: d.Engines, From: Time(d.From), To: Time(d.To), Depth: d.Depth, Read: d.Read,
		Ratio: bounded(d.Ratio), Rate: d.Rate, Agrees: d.Agrees,
	}
	if d.HasRates {
		out.ReadRate = &d.ReadRate
	}
	return out
}

func busy(b analyze.Busy) Busy {
	group := func(g analyze.BusyGroup) BusyGroup {
		return BusyGroup{
			N: g.N, P50NS: valueOf(g.P50), P50Need: stat.Minimum(stat.P50).OneSided, P99NS: valueOf(g.P99), P99Need: stat.Minimum(stat.P99).OneSided,
			OwnNS: valueOf(g.Own),
		}
	}
	return Busy{
		Known: b.Known, Need: b.Need, ByIncident: b.ByIncident, Kind: string(b.Kind), Quiet: group(b.Quiet), Busy: group(b.Busy),
		RiseNS: b.RiseNS, QueueNS: b.QueueNS, Own: test(b.Own),
	}
}

func where(w analyze.Where) Where {
	share := func(v float64) *float64 {
		if w.NoShares != "" {
			return nil
		}
		return &v
	}
	place := func(p analyze.Place) Place {
		long := Figure{N: p.N, Method: "clopper-pearson", Low: &p.Bounds.Low, High: &p.Bounds.High}
		if p.N > 0 {
			long.Value = float64(p.Long) / float64(p.N)
		}
		return Place{
			Value: p.Value, N: p.N, Share: share(p.Share), Long: p.Long, LongShare: long,
			P50NS: valueOf(p.P50), P50Need: p.P50.Need, P95NS: valueOf(p.P95), P95Need: p.P95.Need,
		}
	}
	out := Where{Key: w.Key, Kind: string(w.Kind), Values: w.Values, N: w.N, None: w.None, NoneShare: share(w.NoneShare), NoShares: w.NoShares, Long: w.Long, LongNeed: w.Need, Places: []Place{}, Test: test(w.Test)}
	for _, p := range w.Places {
		out.Places = append(out.Places, place(p))
	}
	if w.Others.N > 0 {
		others := place(w.Others)
		out.Others = &others
	}
	out.Words = out.words(w.Top)
	return out
}

func candidate(c analyze.Candidate, waits Queueing) QueueCandidate {
	out := QueueCandidate{Name: string(c.Name), Speaks: string(c.Speaks), Unit: c.Unit, Quiet: c.Quiet, Busy: c.Busy, N: c.N, Ratio: bounded(c.Ratio), P: figure(c.P)}
	out.Words = out.words(waits)
	return out
}

func whatIf(w analyze.WhatIf) *WhatIf {
	if !w.Known {
		return nil
	}
	out := &WhatIf{
		Q: w.Q.String(), N: w.N, NowNS: w.NowNS, MedianNS: w.MedianNS, AtMedianNS: w.AtMedian.Serial, BoundedAtMedianNS: w.AtMedian.Bounded,
		Gain: estimate(w.Gain), Bounded: estimate(w.Bounded),
	}
	if w.HasOffPeak {
		out.OffPeakNS, out.AtOffPeakNS, out.BoundedAtOffPeakNS = &w.OffPeakNS, &w.AtOffPeak.Serial, &w.AtOffPeak.Bounded
	}
	out.Words = out.words()
	return out
}
