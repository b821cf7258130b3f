package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// System is how much work the system did over time, how much was in it, and what held it up.
//
// It is of every request with a start and an end on the clock that most have, failed ones
// and those of which a part was not recorded too: each was there. Requests that had not ended
// arrive, and are in flight nowhere. A device
// is busy while an engine says that it executes something: what it leaves idle within that,
// between two steps of decoding, is not seen.
type System struct {
	// Serving has the windows, the engines and the decision table. Names are those of its
	// engines, by their ID. Its warnings are those of the whole. The requests of an engine are
	// those that were there, also on their way to another, while what is in flight and what
	// arrives there is of those for which it did the most.
	Serving serving.Result
	Names   []string
	// WindowNS is the length of the windows: 10 s, or twice as long until a request takes
	// no longer on average and five end in it, and 60 s at most; but never so short that there
	// would be more than 131,072 of them.
	WindowNS int64
	Clock    uint8 // of all times, as in table.ClockNames
	// Elsewhere counts requests of other clocks, which are in no figure.
	Elsewhere int64
	// Refused says why there is nothing: no times in common, or a sample of the traces. Context
	// then has what does not depend on that.
	Refused string
	Curves  []Curve
	Stages  []StageLoad // by Little's law, the stages with time, in their order
	// Little sets who waited at engines by the traces against the engines' own readings. It is
	// nil where they have none, and where a filter leaves requests out, which readings do not.
	Little  *DepthReadings
	Context serving.Context

	// Latency is there also where Refused says why there are no rates.
	Latency SystemLatency
	Levels  []SystemLevel
	Rates   []SystemRate
	Batches SystemBatches

	// Outside sets the load of the traces against every other source of it, also where Refused
	// says why there are no rates; NoOutside says why there is none.
	Outside   []LittleAgainst
	NoOutside string
	// Full is the stage that is full, by the windows.
	Full Full
	// Interference says what held tokens, by engine, and Tradeoff what a sooner first token
	// costs in time between tokens.
	Interference Stalling
	Tradeoff     Tradeoff
}

// Curve is throughput and latency against how much is in flight.
type Curve struct {
	Of      string // "requests" or "output tokens"
	Points  []CurvePoint
	LeftOut []Count // windows, by reason
	// Unsteady is how many of the windows in the points have arrivals and completions that
	// differ by more than a tenth of the completions.
	Unsteady int64
	// Overloaded is how many of them began with a backlog and worked nothing off: more came
	// than the system does.
	Overloaded int64
	// Told is how many of the Answered requests of the load, those that did not fail, have a
	// number of what the curve is of. AtLeast is true when something that came is not counted, so
	// that every throughput is a lower bound; failed requests count here if they had a first
	// token, or were given up.
	Told, Answered int64
	AtLeast        bool
	// Knee is where throughput stops growing, by the broken stick. Others are the answers of
	// other rules, each by its name: the power point always, the USL only beyond a knee. Where
	// the engines were not the same all the time, or serve different models, none has an answer
	// and a warning says why: a number in flight then means one thing here and another there.
	Knee   curve.Stick
	Power  curve.Knee
	USL    *curve.USL
	Reason string // why there is no curve
}

// CurvePoint is the windows with about as many requests in flight.
type CurvePoint struct {
	From, To   float64 // requests in flight, mean of a window
	Windows    int64
	InFlight   float64 // mean of the windows
	Arrivals   float64 // requests a second
	Throughput float64 // requests or tokens a second
	// N is how many requests arrived in the windows and ended, whenever that was; those that
	// had not are in Arrivals alone. MeanNS is their mean duration, 0 for none.
	N, MeanNS int64
	P50, P99  stat.Quantile
}

// StageLoad is how many requests were in a stage at a time.
type StageLoad struct {
	Stage    string
	MeanNS   float64 // of all requests
	InFlight float64 // arrivals a second times MeanNS
	// Quiet and Busy are the mean numbers in the stage over the quarter of the windows with
	// the least in flight and that with the most: the stage that is full does not grow. Each
	// has so many windows; with 0 there are too few to tell, and both are 0.
	Quiet, Busy float64
	Windows     int64
}

// The ids of warnings about the system over time.
const (
	OtherClocks    = "other-clocks"
	PartialEngines = "partial-engines"
	FilteredLoad   = "filtered-load"
	LongWindows    = "long-windows"
	MixedEngines   = "mixed-engines" // of the knees of a curve
)

// systemOf measures what the set tells of the system over time. It depends on the order of
// no table. Failed requests are load as well.
func systemOf(set *table.Set, opt Options, ask CapacityOptions) System {
	c := captureOf(set, opt)
	s := System{Clock: c.base.clock, Elsewhere: c.elsewhere}
	sampled := sampling(set, c.counted())
	c.about(&s.Context, sampled, ask.GPUs)
	s.Outside, s.NoOutside = c.against()
	s.Interference = stalling(set, c.rows, opt.Engines, opt)
	if s.Refused = c.refused(sampled); s.Refused != "" {
		s.Serving.Warnings = outsideCaveats(s.Outside)
		c.sizes(&s.Context)
		s.Latency = c.latencies(sampled, c.stretches(), c.blocking(c.span()))
		return s
	}
	for _, e := range c.engines {
		s.Names = append(s.Names, e.Name)
	}
	hidden, told := c.hidden(s.Context.Vantage)
	var fits bool
	s.WindowNS, fits = c.window()
	about := s.Context
	b := c.blocking(c.span())
	look := serving.Options{WindowNS: s.WindowNS, BlockNS: b.ns, Stretches: stretchesOfTime, Partial: c.partial(sampled), StampNS: c.stamped(), Replicas: c.replicas()}
	if told {
		look.Hidden[serving.Gateway], look.Hidden[serving.Queue] = serving.Is(hidden.waits), serving.Is(hidden.waits)
		look.Hidden[serving.Transfer] = serving.Is(hidden.copies)
	}
	s.Serving = serving.Of(c.Capture, look)
	for i := range s.Serving.Engines {
		e := &s.Serving.Engines[i]
		e.Requests = c.visits[e.ID]
	}
	made := artefacts(set, c.rows)
	s.Context = c.complete(s.Serving.Context, about, slices.ContainsFunc(made, func(w stat.Warning) bool { return w.ID == ClosedLoop }))
	s.Serving.Warnings = slices.Concat(s.Serving.Warnings, c.warnings(sampled, s.WindowNS), made, outsideCaveats(s.Outside))
	s.Curves = c.curves(&s.Serving, s.WindowNS, fits)
	s.Stages = c.stageLoads(&s.Serving)
	s.Full, s.Tradeoff = c.fullStage(&s.Serving), c.tradeoff(&s.Serving, s.WindowNS)
	s.Latency = c.latencies(sampled, s.Serving.Stretches, b)
	s.Levels, s.Rates, s.Batches = systemLevels(&s.Serving, b, opt), systemRates(&s.Serving, b, opt), c.batches(&s.Serving)
	if opt.Where == nil {
		s.Little = depthReadings(set, sharedWaiting(set, opt), opt.Seed)
	}
	return s
}

// refused says why rates and numbers in flight mean nothing, "" when they do.
func (c *captured) refused(s Sampling) string {
	switch {
	case len(c.Requests) == 0 && c.base.clock == table.ClockNone:
		return "no request has a start and an end on a clock that others have too"
	case len(c.rows) == 0:
		return "no request has a start and an end"
	}
	switch s.Kind {
	case SamplingWeighted:
		return "traces stand for different numbers of requests: how many came, and how many were in flight, cannot be told from those that were kept"
	case SamplingPartial:
		return "only some traces say how many requests they stand for: how many came, and how many were in flight, cannot be told"
	case SamplingSuspected:
		return "attribute " + s.Mark + " shows that a sampler chose among traces, and none says how many requests it stands for: how many came, and how many were in flight, cannot be told"
	}
	return ""
}

// warnings tells what the figures do not cover.
func (c *captured) warnings(s Sampling, windowNS int64) (out []stat.Warning) {
	warn := func(id, format string, args ...any) {
		out = append(out, stat.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
	}
	if s.Kind == SamplingUniform {
		warn(UniformWeights, "every trace stands for %.4g requests: rates, numbers in flight and busy times are those of the kept traces, not of all requests", s.Low)
	}
	if c.elsewhere > 0 {
		warn(OtherClocks, "on other clocks than these %d are the times of %s: they are in no rate and not in flight", len(c.rows), plural(int64(c.elsewhere), "request"))
	}
	if c.opt.Where != nil {
		warn(FilteredLoad, "rates and numbers in flight are those of the requests that the filter keeps, not of all")
	}
	if partial := c.partialEngines(); partial > 0 {
		warn(PartialEngines, "not every request of %d of %d engines is known: their busy times are lower bounds, and whether their slots were full is unknown", partial, len(c.engines))
	}
	if why := c.longWindows(windowNS); why != "" {
		warn(LongWindows, "%s", why)
	}
	return out
}
