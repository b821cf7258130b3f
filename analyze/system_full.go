package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// Full is the stage that is full: by Little's law a stage in which requests take as long as
// before has more of them the more come, so that one whose number stays the same, while
// others wait before it, takes no more.
type Full struct {
	Kind FullKind
	// Stage is full, and Before is the stage before it of which the number grew most; both are
	// empty unless Kind is FullFound.
	Stage, Before string
	Why           string
	// From names the quarter of the windows, by how many were in flight, that the busiest one
	// is set against: the first (1) in which it shows, or that in which it would soonest. 0 for
	// no windows.
	From            int
	Windows, Blocks int64 // of each of the two quarters, and of time that were resampled
	// InFlight is the number of all requests and Stages that in each, in path order, those with
	// any.
	InFlight StageGrowth
	Stages   []StageGrowth
	Rule     string
}

// FullKind is the kind of an answer to which stage is full.
type FullKind string

// The kinds of answer.
const (
	FullFound     FullKind = "full"
	FullNone      FullKind = "none"       // every stage that matters grows with the load
	FullCannotSay FullKind = "cannot-say" // Why has what it takes
)

// StageGrowth is how the number of requests in a stage grows from the quieter windows to the
// busiest.
type StageGrowth struct {
	Stage       string
	Quiet, Busy float64
	// Growth is Busy over Quiet, +Inf from none, and Share the part that the stage has of the
	// growth of all; N of both is the number of windows.
	Growth, Share stat.Estimate
}

// What a stage must show to be full.
const (
	fullLoads   = 1.5  // the least growth of all in flight for which anything is said
	fullFlat    = 1.15 // the most growth of a stage that is full
	fullShare   = 0.5  // of the growth of all, what the stages before it must take
	fullMatters = 0.1  // of all in flight, what a stage must hold in quieter windows
	fullWindows = 6    // in a quarter
	fullBlocks  = 30
	// fullTries is how many quarters are set against the busiest; bounds are as much wider.
	fullTries      = 3
	fullReplicates = 1000
)

func fullRule() string {
	return fmt.Sprintf("a stage is full that holds %g of the requests in flight or more, and grows to %g times at most while all in flight grow to %g times or more and the stages before it take more than %g of that growth; each by the bounds of resampled blocks of time",
		fullMatters, fullFlat, fullLoads, fullShare)
}

// stageWindow is one window: its length and the request-ns in each stage.
type stageWindow struct {
	ns int64
	in [stage.Count]float64
}

// all returns the request-ns in flight.
func (w *stageWindow) all() (sum float64) {
	for _, v := range w.in {
		sum += v
	}
	return sum
}

// fullStage finds the stage that is full by the whole windows of a capture.
func (c *captured) fullStage(r *serving.Result) Full {
	if len(c.rows) == 0 || len(r.Windows) == 0 {
		return Full{Kind: FullCannotSay, Why: "there are no windows", Rule: fullRule()}
	}
	sums := c.inWindows(r)
	list := make([]stageWindow, 0, len(r.Windows))
	for i := range r.Windows {
		w := &r.Windows[i]
		if w.Edge || w.Partial {
			continue
		}
		list = append(list, stageWindow{ns: w.ToNS - w.FromNS})
		s := &list[len(list)-1]
		for k := range s.in {
			s.in[k] = sums[i][k].Float()
		}
	}
	return fullOf(list, c.opt.Seed)
}

// inWindows adds up the request-ns in each stage over each window.
func (c *captured) inWindows(r *serving.Result) [][stage.Count]stat.Sum {
	sums := make([][stage.Count]stat.Sum, len(r.Windows))
	c.addInWindows(r, func(w int, k uint8, ns int64) { sums[w][k].Add(ns) })
	return sums
}

// fullOf finds the stage that is full by windows in order of time, none of them cut.
func fullOf(windows []stageWindow, seed uint64) Full {
	f := Full{Kind: FullCannotSay, Rule: fullRule()}
	order := make([]int, len(windows))
	for i := range order {
		order[i] = i
	}
	level := func(i int) float64 { return windows[i].all() / float64(max(1, windows[i].ns)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(level(a), level(b)) })
	quarter := len(order) / 4
	if quarter < fullWindows {
		f.Why = fmt.Sprintf("%d whole windows are too few: it takes %d", len(windows), 4*fullWindows)
		return f
	}
	busiest := order[len(order)-quarter:]
	for from := 1; from <= fullTries; from++ {
		try := growthsOf(windows, order[(from-1)*quarter:from*quarter], busiest, seed)
		try.From, try.Windows, try.Rule = from, int64(quarter), f.Rule
		try.decide()
		// The one that answers counts, and else the widest apart.
		switch {
		case try.Kind == FullFound:
			return try
		case from == 1:
			f = try
		}
	}
	return f
}

// growthsOf sets the busiest windows against others.
func growthsOf(windows []stageWindow, quieter, busiest []int, seed uint64) (f Full) {
	blocks := min(fullBlocks, len(windows))
	f.Blocks = int64(blocks)
	// Of each group and block: time, and request-ns in each stage and in all.
	const ofAll, ofTime = stage.Count, stage.Count + 1
	var sums [2][][stage.Count + 2]float64
	for g, list := range [2][]int{quieter, busiest} {
		sums[g] = make([][stage.Count + 2]float64, blocks)
		list = slices.Sorted(slices.Values(list))
		for _, i := range list {
			into := &sums[g][i*blocks/len(windows)]
			for k, v := range windows[i].in {
				into[k] += v
			}
			into[ofAll] += windows[i].all()
			into[ofTime] += float64(windows[i].ns)
		}
	}
	level := func(count []int32) (out [2][stage.Count + 1]float64) {
		for g := range sums {
			var sum [stage.Count + 2]float64
			for b, times := range count {
				for k, v := range sums[g][b] {
					sum[k] += float64(v * float64(times))
				}
			}
			for k := range out[g] {
				out[g][k] = sum[k] / sum[ofTime]
			}
		}
		return out
	}
	count := make([]int32, blocks)
	for b := range count {
		count[b] = 1
	}
	seen := level(count)
	growths, shares := make([][]float64, stage.Count+1), make([][]float64, stage.Count+1)
	share := func(l *[2][stage.Count + 1]float64, k int) float64 {
		if d := l[1][ofAll] - l[0][ofAll]; d > 0 {
			return (l[1][k] - l[0][k]) / d
		}
		return math.NaN()
	}
	for r := range fullReplicates {
		stat.Draw(seed, r, blocks, count)
		l := level(count)
		for k := range growths {
			growths[k] = append(growths[k], l[1][k]/l[0][k])
			shares[k] = append(shares[k], share(&l, k))
		}
	}
	confidence := stat.ExpandedConfidence(blocks, 1-(1-stat.Confidence)/fullTries)
	of := func(k int, name string) StageGrowth {
		estimate := func(value float64, values []float64) stat.Estimate {
			e := stat.Estimate{Value: value, N: int64(len(quieter) + len(busiest)), Method: MethodBlockRatio, Bounds: stat.PercentileBounds(values, confidence)}
			e.HasBounds = !math.IsNaN(e.Bounds.Low) && !math.IsInf(e.Bounds.High, 0)
			return e
		}
		g := StageGrowth{Stage: name, Quiet: seen[0][k], Busy: seen[1][k]}
		value := g.Busy / g.Quiet
		if math.IsNaN(value) {
			value = 1
		}
		g.Growth, g.Share = estimate(value, growths[k]), estimate(share(&seen, k), shares[k])
		return g
	}
	f.InFlight = of(ofAll, "in_flight")
	for _, k := range stage.All() {
		if seen[0][k] > 0 || seen[1][k] > 0 {
			f.Stages = append(f.Stages, of(int(k), k.String()))
		}
	}
	return f
}

// grows and flat say what the bounds of a growth show; neither where they show nothing.
func (g *StageGrowth) grows(to float64) bool {
	return g.Growth.Bounds.Low >= to || g.Quiet == 0 && g.Busy > 0
}

func (g *StageGrowth) flat() bool { return g.Growth.HasBounds && g.Growth.Bounds.High <= fullFlat }

// decide says which stage is full, by the rule.
func (f *Full) decide() {
	f.Kind = FullCannotSay
	if !f.InFlight.grows(fullLoads) {
		f.Why = fmt.Sprintf("loads hardly differ: the busiest quarter of the windows has %.3g times as many in flight as the quietest; it takes %g times, by the bounds too", f.InFlight.Growth.Value, fullLoads)
		return
	}
	var flat, unsure []int
	for i := range f.Stages {
		g := &f.Stages[i]
		if g.Quiet < fullMatters*f.InFlight.Quiet {
			continue
		}
		switch {
		case g.flat():
			flat = append(flat, i)
		case !g.grows(fullFlat):
			unsure = append(unsure, i)
		}
	}
	best := -1
	for _, i := range flat {
		if f.growthBefore(i) > fullShare && (best < 0 || f.Stages[i].Quiet > f.Stages[best].Quiet) {
			best = i
		}
	}
	switch {
	case best >= 0:
		f.found(best)
	case len(flat) > 0:
		f.Why = fmt.Sprintf("%s does not grow, but what grows is not before it", f.names(flat))
	case len(unsure) > 0:
		f.Why = fmt.Sprintf("whether %s grows with the load is within what chance does: it takes more windows", f.names(unsure))
	default:
		f.Kind, f.Why = FullNone, "every stage with a tenth of the requests in flight or more grows with the load"
	}
}

// growthBefore returns the least share that the stages before one have of the growth of all,
// each by its lower bound where it grew.
func (f *Full) growthBefore(i int) (sum float64) {
	for k := range f.Stages[:i] {
		if s := &f.Stages[k].Share; s.HasBounds {
			sum += s.Bounds.Low
		}
	}
	return sum
}

func (f *Full) found(i int) {
	f.Kind, f.Stage = FullFound, f.Stages[i].Stage
	most := 0
	for k := range f.Stages[:i] {
		if f.Stages[k].Share.Value > f.Stages[most].Share.Value {
			most = k
		}
	}
	g, before := &f.Stages[i], &f.Stages[most]
	f.Before = before.Stage
	f.Why = fmt.Sprintf("%s holds %.3g requests and %.3g when %.3g and %.3g are in flight: it takes no more, and what comes beyond that waits in %s, %.3g and %.3g",
		g.Stage, g.Quiet, g.Busy, f.InFlight.Quiet, f.InFlight.Busy, f.Before, before.Quiet, before.Busy)
}

func (f *Full) names(list []int) string {
	var names []string
	for _, i := range list {
		names = append(names, f.Stages[i].Stage)
	}
	return strings.Join(names, ", ")
}
