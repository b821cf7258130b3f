package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
)

// EngineStalling says whether the stalls at one engine go with prefills of others.
type EngineStalling struct {
	Name    string
	Streams int64 // of the population's requests; one may have several
	Gaps    int64
	// Association counts the gaps by stalling and by a prefill of others for half of them;
	// all 0 where times of different requests cannot be compared.
	engine.Association
	// Fisher tests it gap by gap. Stalls come together, so P is too small where one prefill
	// stalls many: Chance is what decides.
	Fisher stat.Test
	// Chance is the probability that chance overlaps as many stalls, with the prefills shifted
	// in time, and Adjusted that for all engines with stalls (Benjamini-Hochberg). Both are 1
	// without stalls. Stalls in which the request had lost its place are left out, and of more
	// than 2000 an even choice is looked at.
	Chance, Adjusted float64
	// OverlappedNS and ClearNS are the mean gaps with and without a prefill of others for half
	// of them, in ns; NaN when there are none. Where prompts are prefilled in chunks there may
	// be no stalls, and their ratio tells instead.
	OverlappedNS, ClearNS float64
	ExcessNS, PrefillNS   stat.Sum // of stalls: all, and the part of prefills
	// Dose is how much longer a gap is for every 1000 prompt tokens that others prefill in it,
	// in ns: least squares through 0 over the gaps beside prefills of known prompts. It is NaN,
	// with Dose.N their number, where there are fewer than 20.
	Dose stat.Estimate
}

// engineGaps gathers the gaps at one engine.
type engineGaps struct {
	EngineStalling
	clock            string
	overlapped, free stat.Sum // lengths of the gaps
	dose             []dosed
}

// dosed is a gap beside prefills: prompt tokens, and ns above the median.
type dosed struct {
	start        int64
	tokens, over float64
}

// How stalls are tested.
const (
	stallShifts = 499
	mostShifted = 2000 // stalls; of more, every so many
	fewestDosed = 20
)

func newEngineGaps(engines *engine.Timelines) []engineGaps {
	var out []engineGaps
	for _, e := range engines.Engines() {
		out = append(out, engineGaps{EngineStalling: EngineStalling{Name: e.Name, Chance: 1, Adjusted: 1}, clock: e.Clock})
	}
	return out
}

// timed reports whether times of different requests can be compared.
func (e *engineGaps) timed() bool { return e.clock != table.ClockNames[table.ClockNone] }

// add books a gap.
func (e *engineGaps) add(g *engine.Gap, median int64) {
	e.Gaps++
	e.PrefillNS.Add(g.PartsNS[engine.StallPrefill])
	e.ExcessNS.Add(g.ExcessNS())
	if !e.timed() {
		return
	}
	n, beside, sum := &e.Calm, &e.CalmOverlapped, &e.free
	if g.Stalled {
		n, beside = &e.Stalls, &e.StallsOverlapped
	}
	*n++
	if g.Overlapped() {
		*beside++
		sum = &e.overlapped
	}
	sum.Add(g.End - g.Start)
	// What took its place from the request is no work of a prefill.
	if g.PrefillTokens > 0 && g.PartsNS[engine.StallPreempted] == 0 {
		e.dose = append(e.dose, dosed{g.Start, g.PrefillTokens, float64(g.End - g.Start - median)})
	}
}

// judge tests the engines that have gaps, by name.
func (p *pool) judge(engines *engine.Timelines, opt Options) []EngineStalling {
	var chance []float64
	var tested []int
	stalls := make([][]engine.Gap, len(p.engines))
	for _, x := range p.stalls {
		// A request that has lost its place waits whether or not others prefill.
		if x.PartsNS[engine.StallPreempted] == 0 {
			stalls[x.engine] = append(stalls[x.engine], x.Gap)
		}
	}
	for i := range p.engines {
		e := &p.engines[i]
		with := e.StallsOverlapped + e.CalmOverlapped
		e.OverlappedNS, e.ClearNS = e.overlapped.Float()/float64(with), e.free.Float()/float64(e.Stalls+e.Calm-with)
		e.Fisher = stat.FisherGreater(e.StallsOverlapped, e.Stalls-e.StallsOverlapped, e.CalmOverlapped, e.Calm-e.CalmOverlapped)
		e.Dose = e.slope(opt)
		if e.Stalls > 0 && len(stalls[i]) > 0 {
			e.Chance = engines.Chance(int32(i), thinned(stalls[i], mostShifted), stallShifts)
			chance, tested = append(chance, e.Chance), append(tested, i)
		}
	}
	for k, adjusted := range stat.BenjaminiHochberg(chance) {
		p.engines[tested[k]].Adjusted = adjusted
	}
	var out []EngineStalling
	for i := range p.engines {
		if p.engines[i].Gaps > 0 {
			out = append(out, p.engines[i].EngineStalling)
		}
	}
	return out
}

// thinned returns at most so many stalls, evenly chosen from those in order of time.
func thinned(stalls []engine.Gap, most int) (out []engine.Gap) {
	if len(stalls) <= most {
		return stalls
	}
	for i := range most {
		out = append(out, stalls[i*len(stalls)/most])
	}
	return out
}

// slope fits the dose, and resamples blocks of gaps that follow each other for its bounds.
func (e *engineGaps) slope(opt Options) stat.Estimate {
	list := e.dose
	out := stat.Estimate{Value: math.NaN(), N: int64(len(list)), Method: methodThrough0}
	if len(list) < fewestDosed {
		return out
	}
	slices.SortFunc(list, func(a, b dosed) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tokens, b.tokens), cmp.Compare(a.over, b.over))
	})
	blocks := min(len(list), mostBlocks)
	product, square := make([]float64, blocks), make([]float64, blocks)
	var top, bottom float64
	for i, d := range list {
		b := i * blocks / len(list)
		product[b] += float64(d.tokens * d.over)
		square[b] += float64(d.tokens * d.tokens)
	}
	for b := range product {
		top, bottom = top+product[b], bottom+square[b]
	}
	const per = 1000
	out.Value = per * top / bottom
	slopes := make([]float64, opt.replicates())
	count := make([]int32, blocks)
	stat.Replicates(len(slopes), 1, func(_, r int) {
		stat.Draw(opt.Seed, r, blocks, count)
		var top, bottom float64
		for b, times := range count {
			top += float64(times) * product[b]
			bottom += float64(times) * square[b]
		}
		slopes[r] = per * top / bottom
	})
	out.HasBounds, out.Bounds = true, stat.PercentileBounds(slopes, stat.Confidence)
	return out
}
