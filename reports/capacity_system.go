package reports

import (
	"math"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// System is how much work the system did over time, how much was in it, and what held it up.
type System struct {
	Refused  string     `json:"refused"` // why there is nothing; empty when there is
	Clock    string     `json:"clock"`   // of all times
	FromNS   int64      `json:"from_ns"`
	ToNS     int64      `json:"to_ns"`
	Requests int64      `json:"requests"`
	Others   int64      `json:"elsewhere"` // requests on other clocks, which are in no figure
	WindowNS int64      `json:"window_ns"` // length of the windows that stretches are made of; 0 without any
	Whole    SystemTime `json:"whole"`
	Levels   []Level    `json:"levels"` // of the whole time: in_flight, waiting and running
	// WaitsKnown says that every wait for a place is recorded. Otherwise waiting is at least what
	// is said, and running at most.
	WaitsKnown bool           `json:"waits_known"`
	OverTime   []SystemTime   `json:"over_time"` // stretches of the same length, in order
	Engines    []EngineLoad   `json:"engines"`
	Unplaced   int64          `json:"unplaced"` // requests of no engine that is known
	Decision   Decision       `json:"decision"`
	Curves     []Curve        `json:"curves"`
	Rates      []LoadRate     `json:"rates"`   // of the whole time, with intervals
	Latency    LoadLatency    `json:"latency"` // there also where Refused says why there are no rates
	Stretches  []LoadStretch  `json:"stretches"`
	Batches    Batches        `json:"batch_sizes"`
	Stages     []StageLoad    `json:"stages"`
	Little     *CapacityDepth `json:"readings"` // null where no engine said how many waited
	// Outside sets the load of the traces against other sources; NoOutside says why none does.
	Outside   []LittleAgainst `json:"outside"`
	NoOutside string          `json:"no_outside"`
	Full      FullStage       `json:"full_stage"`
	// Interference is what prefills cost the tokens of others, by engine.
	Interference Stalling  `json:"interference"`
	Tradeoff     Tradeoff  `json:"tradeoff"`
	Context      Context   `json:"context"`
	LeftOut      []Count   `json:"left_out"` // of what was recorded, by reason
	Warnings     []Warning `json:"warnings"`
}

// SystemTime is what the system did in a time. Rates are null where they are not known.
type SystemTime struct {
	FromNS      int64   `json:"from_ns"`
	ToNS        int64   `json:"to_ns"`
	Arrivals    int64   `json:"arrivals"`
	Completions int64   `json:"completions"`
	Arrived     float64 `json:"arrivals_per_s"`
	Completed   float64 `json:"completions_per_s"`
	Output      Tokens  `json:"output_tokens"`
	Input       Tokens  `json:"input_tokens"`
	// GenerationRate is the median of what single requests got, tokens a second; null also of
	// several windows, since medians do not add up.
	GenerationRate *float64 `json:"generation_rate"`
	GenerationN    int64    `json:"generation_n"`
	InFlight       float64  `json:"in_flight_mean"`
	InFlightPeak   int64    `json:"in_flight_peak"`
	Waiting        float64  `json:"waiting_mean"` // for a place, at the gateway or in an engine's queue
	Running        float64  `json:"running_mean"` // in flight, and not waiting for a place
}

// Tokens are those that the system worked on, a second of the time, by a definition.
type Tokens struct {
	Definition string   `json:"definition"`
	Rate       *float64 `json:"tokens_per_s"`
	Counted    int64    `json:"counted"` // completed requests that told a number; fewer than completed: a lower bound
}

// Level is a number of requests over time.
type Level struct {
	Of   string  `json:"of"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P95  int64   `json:"p95"`
	P99  int64   `json:"p99"`
	P999 int64   `json:"p99_9"`
	Peak int64   `json:"peak"`
	// Bounds is the mean with its interval, from so many blocks of time; null where none was
	// asked for. NoBounds says why it has none.
	Bounds      *Figure           `json:"bounds"`
	NoBounds    string            `json:"no_bounds"`
	Percentiles []LevelPercentile `json:"percentiles"`
}

// EngineLoad is what one engine did. Shares are null where nothing tells.
type EngineLoad struct {
	Name        string   `json:"name"`
	Requests    int64    `json:"requests"`
	Busy        *float64 `json:"busy"`    // of the time, with work on the GPU
	Present     float64  `json:"present"` // of the time, with a request
	IdleWaiting *float64 `json:"idle_while_waiting"`
	// IdleLeast says that the share is a lower bound: there were requests of which nothing
	// tells what they did.
	IdleLeast bool    `json:"idle_at_least"`
	IdleFor   []Part  `json:"idle_for"` // what requests waited for meanwhile; adds up to 1
	InFlight  float64 `json:"in_flight_mean"`
	Peak      int64   `json:"in_flight_peak"`
	Verdict   string  `json:"verdict"` // kind of it, or the signature where there is one
	Words     string  `json:"words"`
	// Decision is what was asked of this engine alone.
	Decision Decision `json:"decision"`
	// Times are what its replicas are set beside it by.
	Times []EngineTimes `json:"times"`
}

// Part is a share of a whole.
type Part struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Curve is throughput and latency against how many requests are in flight.
type Curve struct {
	Of      string       `json:"of"`
	Reason  string       `json:"reason"` // why there is none; empty when there is
	Points  []CurvePoint `json:"points"`
	LeftOut []Count      `json:"left_out"` // windows, by reason
	// Unsteady windows, of those in the points, had arrivals and completions that differ by more
	// than a tenth, and overloaded ones began with a backlog and worked nothing off.
	Unsteady   int64 `json:"unsteady_windows"`
	Overloaded int64 `json:"overloaded_windows"`
	// Told is how many of the Answered requests have a number of what the curve is of. With
	// AtLeast something that came is not counted, and every throughput is a lower bound.
	Told     int64 `json:"told"`
	Answered int64 `json:"answered"`
	AtLeast  bool  `json:"at_least"`
	Knee     Knee  `json:"knee"`
	Power    Knee  `json:"power"`
	USL      *Knee `json:"usl"` // null unless a knee was reached
}

// CurvePoint is the windows with about as many requests in flight.
type CurvePoint struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	InFlight   float64 `json:"in_flight"`
	Windows    int64   `json:"windows"`
	Arrivals   float64 `json:"arrivals_per_s"`
	Throughput float64 `json:"throughput_per_s"`
	N          int64   `json:"n"`
	MeanNS     *int64  `json:"mean_ns"`
	P50NS      *int64  `json:"p50_ns"`
	P99NS      *int64  `json:"p99_ns"`
	P99Need    int64   `json:"p99_need"`
}

// Knee is where a rule says that throughput stops growing.
type Knee struct {
	Method     string    `json:"method"`
	Reached    bool      `json:"reached"`
	InFlight   *float64  `json:"in_flight"`
	Throughput *float64  `json:"throughput_per_s"`
	Points     int64     `json:"points"`
	Most       *float64  `json:"most_in_flight"` // that was seen
	Slope      *float64  `json:"slope"`          // of throughput for each request in flight, up to the knee
	Beyond     *float64  `json:"slope_beyond"`
	Warnings   []Warning `json:"warnings"`
}

// StageLoad is how many requests were in a stage: arrivals a second by the mean time in it.
type StageLoad struct {
	Stage    string  `json:"stage"`
	MeanNS   int64   `json:"mean_ns"`
	InFlight float64 `json:"in_flight"`
	// Quiet is the number in the quarter of the windows with the least in flight, and Busy that
	// in the quarter with the most; null for too few windows.
	Quiet *float64 `json:"quiet_in_flight"`
	Busy  *float64 `json:"busy_in_flight"`
}

// CapacityDepth compares how many waited by the traces and by what engines said.
type CapacityDepth struct {
	DepthReadings
	Words string `json:"words"`
}

// stretches is the most stretches of time that a document holds.
const stretches = 240

func system(s analyze.System) System {
	r := &s.Serving
	out := System{
		Refused: s.Refused, Clock: analyze.ClockName(s.Clock), Others: s.Elsewhere, WindowNS: s.WindowNS, FromNS: r.FromNS, ToNS: r.ToNS, Requests: r.Requests, Levels: []Level{}, OverTime: []SystemTime{}, Engines: []EngineLoad{},
		Unplaced: r.Unplaced.Requests, Decision: decision(r.Table), Curves: []Curve{}, Stages: []StageLoad{}, Context: context(s.Context),
		LeftOut: refused(r.Refused), Warnings: warnings(r.Warnings),
	}
	out.Whole, out.WaitsKnown = systemTime(r.Whole, r), r.Context.Waiting.Mean.Known
	for _, l := range []struct {
		of    string
		level serving.Level
	}{{"in_flight", r.Whole.InFlight}, {"waiting", r.Whole.Waiting}, {"running", r.Whole.Running}} {
		out.Levels = append(out.Levels, level(l.of, l.level, s.Levels))
	}
	for _, w := range r.Windows {
		out.OverTime = append(out.OverTime, systemTime(w, r))
	}
	out.OverTime = JoinTimes(out.OverTime, stretches)
	out.Rates, out.Latency, out.Stretches, out.Batches = loadRates(s.Rates), loadLatency(s.Latency), loadStretches(&s), batches(s.Batches)
	for i := range r.Engines {
		out.Engines = append(out.Engines, engineLoad(&r.Engines[i], s.Names))
	}
	for i := range s.Curves {
		out.Curves = append(out.Curves, curveOf(&s.Curves[i]))
	}
	for _, st := range s.Stages {
		load := StageLoad{Stage: st.Stage, MeanNS: rounded(st.MeanNS), InFlight: st.InFlight}
		if st.Windows > 0 {
			load.Quiet, load.Busy = &st.Quiet, &st.Busy
		}
		out.Stages = append(out.Stages, load)
	}
	out.Outside, out.NoOutside, out.Full = littleAgainst(s.Outside), s.NoOutside, fullStage(s.Full)
	out.Interference, out.Tradeoff = interference(s.Interference), tradeoff(s.Tradeoff)
	if d := s.Little; d != nil {
		out.Little = &CapacityDepth{DepthReadings: *depthReadings(d)}
		out.Little.Words = out.Little.DepthReadings.words(d.Words)
	}
	return out
}

func systemTime(w serving.Window, r *serving.Result) SystemTime {
	out := SystemTime{
		FromNS: w.FromNS, ToNS: w.ToNS, Arrivals: w.Arrivals, Completions: w.Completions, Arrived: w.ArrivalRate(), Completed: w.CompletionRate(),
		Output:   Tokens{string(r.Output), nil, w.Output.Counted},
		Input:    Tokens{string(r.Input), nil, w.Input.Counted},
		InFlight: w.InFlight.Mean(), InFlightPeak: w.InFlight.Peak, Waiting: w.Waiting.Mean(), Running: w.Running.Mean(), GenerationN: w.Generation.N,
	}
	if w.Generation.N > 0 {
		out.GenerationRate = figure(w.Generation.P50)
	}
	// Where no request of the whole time told a number, none in a stretch is unknown and not 0.
	if r.Whole.Output.Counted > 0 {
		out.Output.Rate = figure(w.OutputRate(r.Output))
	}
	if r.Whole.Input.Counted > 0 {
		out.Input.Rate = figure(w.InputRate(r.Input))
	}
	return out
}

func engineLoad(e *serving.Engine, names []string) EngineLoad {
	out := EngineLoad{
		Name: "engine " + Integer(int64(e.ID)), Requests: e.Requests, Present: e.Present(), IdleFor: []Part{},
		InFlight: e.InFlight.Mean(), Peak: e.InFlight.Peak, Times: engineTimes(e), Verdict: verdictOf(e.Table.Verdict), Decision: decision(e.Table),
	}
	out.Words = out.Decision.Words
	if e.ID >= 0 && e.ID < len(names) && names[e.ID] != "" {
		out.Name = names[e.ID]
	}
	if !e.GPUKnown {
		return out
	}
	busy, idle := e.Busy(), e.IdleWaiting()
	out.Busy, out.IdleWaiting, out.IdleLeast = &busy, &idle, e.UnseenNS > 0
	var whole stat.Sum
	for _, s := range e.IdleFor {
		whole = whole.Plus(s)
	}
	for k, s := range e.IdleFor {
		if s.Sign() > 0 {
			out.IdleFor = append(out.IdleFor, Part{serving.What(k).String(), s.Over(whole)})
		}
	}
	return out
}

// verdictOf names a verdict: by its signature where it has one.
func verdictOf(v serving.Verdict) string {
	if v.Kind == serving.Answered {
		return spelled(v.Signature)
	}
	return spelled(v.Kind)
}

// noSlope is how small a slope is beside another that is rounding alone.
const noSlope = 1e-9

func curveOf(c *analyze.Curve) Curve {
	out := Curve{Of: c.Of, Reason: c.Reason, Points: []CurvePoint{}, LeftOut: counts(c.LeftOut), Unsteady: c.Unsteady, Overloaded: c.Overloaded,
		Told: c.Told, Answered: c.Answered, AtLeast: c.AtLeast}
	most := 0.0
	for i := range c.Points {
		p := &c.Points[i]
		point := CurvePoint{
			From: p.From, To: p.To, InFlight: p.InFlight, Windows: p.Windows, Arrivals: p.Arrivals, Throughput: p.Throughput, N: p.N,
			P50NS: valueOf(p.P50), P99NS: valueOf(p.P99), P99Need: p.P99.Need,
		}
		if p.N > 0 {
			point.MeanNS = &p.MeanNS
		}
		most = max(most, p.InFlight)
		out.Points = append(out.Points, point)
	}
	out.Knee, out.Power = knee(c.Knee.Knee, most), knee(c.Power, most)
	if c.Knee.Slope > 0 {
		beyond := c.Knee.Beyond
		if math.Abs(beyond) < noSlope*c.Knee.Slope {
			beyond = 0
		}
		out.Knee.Slope, out.Knee.Beyond = figure(c.Knee.Slope), &beyond
	}
	if c.USL != nil {
		usl := knee(c.USL.Knee, most)
		out.USL = &usl
	}
	return out
}

func knee(k curve.Knee, most float64) Knee {
	out := Knee{Method: spelled(k.Method), Reached: k.Reached, Points: int64(k.Points), Most: above0(most), Warnings: warnings(k.Warnings)}
	if k.Reached {
		out.InFlight, out.Throughput = figure(k.InFlight), figure(k.Throughput)
	}
	return out
}

// refused counts what was recorded and could not be used. Intervals of no length are none of
// it: nothing is lost with them.
func refused(r serving.Refused) []Count {
	out := []Count{}
	for _, c := range []Count{
		{"requests at impossible times", r.RequestTimes}, {"requests that end before they start", r.RequestsReversed},
		{"requests outside the window", r.RequestsOutside}, {"requests without an end: they arrive, and are in flight for no time", r.Unfinished},
		{"counts of tokens below 0", r.TokenCounts}, {"first tokens outside their request", r.FirstTokens},
		{"intervals at impossible times", r.IntervalTimes}, {"intervals that end before they start", r.IntervalsReversed},
		{"intervals of no known kind", r.IntervalKinds}, {"intervals outside the window", r.IntervalsOutside},
		{"instants of tokens that are in no request", r.Emissions}, {"requests whose instants of tokens do not add up to their tokens", r.EmittedOther},
		{"readings that cannot be", r.Samples},
	} {
		if c.N > 0 {
			out = append(out, c)
		}
	}
	return out
}
