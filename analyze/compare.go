package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Comparison says whether one set of requests is slower or faster than another, which
// stage moved, and whether the workload or the server did it.
type Comparison struct {
	Base, New Side
	// Metrics are the duration, the time to the first token, and the time per output token.
	Metrics []MetricChange
	// Rates are shares of requests that are left out of the latencies, which must not be
	// hidden by that.
	Rates []*change.Rate
	// Missed are the objectives of the options with what became of each, in their order.
	Missed []Missed
	// By is what became of the requests with each combination of the values of Options.By; nil
	// without keys. No other figure depends on it.
	By *ChangeBy
	// Mix compares what the requests asked for, before anything is said of the server.
	Mix      []change.Shift
	Verdict  ChangeVerdict
	Rule     change.Rule
	Blocks   change.Blocks
	Warnings []stat.Warning // what else differs between the sides, and doubts about either
	// Artefacts are those of one side alone, which a difference may come from: base first.
	Artefacts []Artefact
	// Contexts are what the figures of base and of new must be read with, and Likeness says
	// whether they may be set against each other.
	Contexts [2]serving.Context
	Likeness serving.Likeness
	Forced   bool // they are, whatever Likeness says
	// OneCapture says that both sides are times of one set, so that they are of one system: it
	// is the workload that may differ, and what does is told and refuses nothing.
	OneCapture bool
}

// Side is one of the two sets.
type Side struct {
	Population Population
	Load       Load
}

// MetricChange is what became of one latency.
type MetricChange struct {
	Metric    string // "duration", "ttft" or "tpot"
	Undefined [2][]Undefined
	Parts     []ChangePart // as in the splits of Result; none for tpot
	Blind     []Blind
	partly    []Blind // recorded on one side for far fewer requests
	*change.Result
}

// ChangePart is a part of the time that is compared: a stage, or unattributed time
// together with the stages that one side does not record.
type ChangePart struct{ Stages []stage.Stage }

// Name returns the names of the part's stages.
func (p ChangePart) Name() string {
	name := ""
	for i, s := range p.Stages {
		if i > 0 {
			name += " or "
		}
		name += s.String()
	}
	return name
}

// Pooled reports whether the part is more than one stage.
func (p ChangePart) Pooled() bool { return len(p.Stages) > 1 }

// Blind is a stage that no request of one side has time in, while the other side has it
// and less unattributed time: it is not recorded there rather than absent.
type Blind struct {
	Stage stage.Stage
	Side  int // change.Base or change.New: where it is not recorded
	// Mean times in ns on the side that records it, and of what is unattributed on the
	// other.
	SeenNS, UnattributedNS int64
}

// The names of rates.
const (
	RateErrors     = "errors"
	RateIncomplete = "incomplete"
	RateUnfinished = "unfinished"
)

// sideOf is one set with what a comparison needs of it.
type sideOf struct {
	set  *table.Set
	opt  Options
	rows []int32 // of the population
	// recorded are the rows of requests that have a duration, failed or not; one tells that
	// their times can be set against each other.
	recorded []int32
	one      bool
	places   []int32 // scratch by row of the set, for sides that are many parts of one; may be nil
}

// Compare compares the requests of two sets. Rule is the rule of what counts as a
// change; change.DefaultRule when zero. It depends on the order of no table, and of two
// sets that are swapped it says the opposite. Two times of one set are compared when base and
// new are the same one, and Options.Base has the time of base; each request belongs to the time
// that it starts in.
func Compare(base, new *table.Set, opt Options, rule change.Rule) Comparison {
	if rule == (change.Rule{}) {
		rule = change.DefaultRule()
	}
	c := Comparison{Rule: rule, OneCapture: base == new}
	opt = opt.filled()
	var sides [2]sideOf
	// The two sides have nothing in common to write to.
	stat.Replicates(2, opt.Workers, func(_, s int) {
		set, side := [2]*table.Set{base, new}[s], [2]*Side{&c.Base, &c.New}[s]
		o := opt.ofSide(s).on(set)
		x := sideOf{set: set, opt: o}
		x.rows, side.Population = population(set, o)
		side.Load = load(set, o)
		x.recorded = recorded(set, o)
		x.one = oneClock(set, x.recorded)
		c.Contexts[s] = contextOf(set, o)
		sides[s] = x
	})
	c.Likeness, c.Forced = likenessOf(sides, c.Contexts), opt.Force
	c.Blocks = change.Cut(sides[0].clock(), sides[1].clock(), rule)
	o := change.Options{Rule: rule, Blocks: c.Blocks, Seed: opt.Seed, Replicates: opt.Replicates, Workers: opt.Workers}
	for _, b := range opt.Bands {
		o.Bands = append(o.Bands, change.Band{From: b.From, To: b.To})
	}
	o.Percentiles = percentilesOf(sides, opt)
	columns := workloadColumns(sides)
	c.Mix = change.Shifts(columns, rule)
	work := change.Cells(columns)
	c.Metrics = metricChanges(sides, work, o)
	c.Rates = rates(sides, o)
	c.Missed = missedBy(sides, [2]Population{c.Base.Population, c.New.Population}, opt.Objectives, o)
	for _, m := range c.Missed {
		c.Rates = append(c.Rates, m.Rate)
	}
	var results []*change.Result
	for _, m := range c.Metrics {
		results = append(results, m.Result)
	}
	change.Judge(results, c.Rates, rule)
	c.Verdict = changeVerdict(&c)
	c.By = changeBy(sides, opt, o)
	c.Warnings = differences(sides, &c, opt.Workers)
	return c
}

// percentilesOf returns the percentiles that are compared. Of the default ones p99.9 takes more
// requests than most captures have.
func percentilesOf(sides [2]sideOf, opt Options) (out []stat.Prob) {
	few := int64(min(len(sides[0].rows), len(sides[1].rows)))
	for _, p := range opt.Percentiles {
		if p != stat.P999 || few >= stat.Minimum(p).Ample {
			out = append(out, p)
		}
	}
	return out
}

// recorded returns the rows that a filter keeps and that have a duration.
func recorded(set *table.Set, opt Options) (rows []int32) {
	opt.Errors, opt.Incomplete = Include, Include
	for i := range set.Requests.Len() {
		if _, out := exclusion(set, i, opt); !out {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// longWait is the percentile of the waits that a block of time is not shorter than.
var longWait = stat.P99

func (x *sideOf) clock() change.Clock {
	if !x.one {
		return change.Clock{}
	}
	req := &x.set.Requests
	waits := make([]int64, len(x.recorded))
	for i, row := range x.recorded {
		waits[i] = req.Stage[stage.Queue][row] + req.Stage[stage.Scheduling][row]
	}
	slices.Sort(waits)
	return change.Clock{
		Starts: gather(req.Start, x.recorded), Wall: req.Clock[x.recorded[0]] == table.ClockWall,
		HoldNS: stat.NearestRank(waits, longWait),
	}
}

// rates compares the shares of failed, incomplete and unfinished requests.
func rates(sides [2]sideOf, o change.Options) []*change.Rate {
	of := func(name string, among func(critical.Class) bool, hit func(req *table.Requests, row int) bool) *change.Rate {
		var events [2]change.Events
		for s, x := range sides {
			req := &x.set.Requests
			e := &events[s]
			e.Hit = make([]bool, 0, req.Len())
			if x.one {
				e.Start, e.Value = make([]int64, 0, req.Len()), make([]int64, 0, req.Len())
			}
			for row := range req.Len() {
				if !x.opt.kept.holds(row) || !among(critical.Class(req.Class[row])) {
					continue
				}
				e.Hit = append(e.Hit, hit(req, row))
				if x.one {
					e.Start, e.Value = append(e.Start, req.Start[row]), append(e.Value, req.Duration[row])
				}
			}
		}
		return change.RateOf(name, events[change.Base], events[change.New], o)
	}
	every := func(critical.Class) bool { return true }
	classed := func(class critical.Class) func(*table.Requests, int) bool {
		return func(req *table.Requests, row int) bool { return critical.Class(req.Class[row]) == class }
	}
	return []*change.Rate{
		of(RateErrors, func(c critical.Class) bool { return c == critical.Complete }, func(req *table.Requests, row int) bool { return req.Error[row] && !req.Aborted[row] }),
		of(RateIncomplete, every, classed(critical.Incomplete)),
		of(RateUnfinished, every, classed(critical.Unfinished)),
	}
}
