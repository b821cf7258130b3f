package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Some engines record one execution of a request as a whole, from when it was taken to its
// last token. Which part of it was prefill shows in two ways. An answer of one token is
// prefill alone. And an engine takes those that wait whenever a step ends, as long as
// there is room: if it takes one that has waited, and nobody has ended since it took the one
// before, then there was room all the time, and one step lasted until then. It was a
// prefill for as long as the one before stood still then.
//
//	before  |--prefill--|--------|-token-token-...
//	next       |--waits-|--prefill--|-token-...
//
// What an execution takes beyond its tokens is its own prefill and those of others later.
// The later ones held those up as well that were taken later, so they are no longer than what
// these take beyond their tokens; the rest is what it stood still before.

const (
	leastTokens = 10         // from which on an answer tells how long a step takes
	leastWholes = 10         // answers that must tell
	longerStep  = 3          // times a step, from which on a wait is more than for the step that runs
	endLag      = 20_000_000 // ns by which an end may be recorded after who follows is taken
	mostLater   = 64         // runs, one after the other, that are looked at while another lasts
)

// tellPrefills adds to the timelines the prefills that no span tells apart. It comes before
// the steps are made.
func (t *Timelines) tellPrefills(set *table.Set) {
	is := make([]bool, len(t.engines))
	some := false
	for e := range t.engines {
		l := &t.engines[e]
		is[e] = l.timed() && !l.batching && !l.partial && len(l.prefills) == 0 && len(l.runs) > 0
		some = some || is[e]
	}
	if !some {
		return
	}
	made := t.made(set, is)
	for e := range t.engines {
		if l := &t.engines[e]; is[e] {
			l.prefills = l.hiddenPrefills(made)
			l.told = len(l.prefills) > 0
		}
	}
}

// made returns, by row of the requests, how many tokens an execution made that is recorded as
// a whole; 0 where that is not known, and of requests that ran more than once. Engines that
// tell prefill or decode apart are struck out.
func (t *Timelines) made(set *table.Set, is []bool) []int64 {
	seg, req := &set.Segments, &set.Requests
	made := make([]int64, req.Len())
	inference, okInference := set.Symbols.Lookup("inference_time")
	token, okToken := set.Symbols.Lookup("time_per_token")
	last := int32(-1)
	for k := range seg.Len() {
		i := t.row(k)
		e := t.at[i]
		if stage.Stage(seg.Stage[i]) != stage.GPU || e < 0 || !is[e] || seg.Target[i] != targetEnd {
			continue
		}
		if is[e] = seg.Detail[i] == t.words.compute; !is[e] {
			continue
		}
		r := seg.RequestRow[i]
		if r == last {
			made[r] = 0
			continue
		}
		last = r
		switch made[r] = req.OutputTokens[r]; {
		case made[r] != table.Missing:
		case okInference && okToken:
			made[r] = quotient(&set.Spans.Attributes, int(seg.SpanRow[i]), inference, token)
		default:
			made[r] = 0
		}
	}
	return made
}

// quotient returns how often one duration of a span goes into another, 0 if either is
// missing or it is no whole number but for rounding.
func quotient(attributes *table.Attrs, row int, whole, part table.Sym) int64 {
	a, b := rustNS(attributes, row, whole), rustNS(attributes, row, part)
	if n := math.Round(a / b); b > 0 && n >= 1 && a-n*b >= 0 && a-n*b <= n {
		return int64(n)
	}
	return 0
}

// rustNS returns the ns of an attribute that holds a duration in the form of Rust's Debug,
// such as 812.345µs; NaN when there is none.
func rustNS(attributes *table.Attrs, row int, key table.Sym) float64 {
	v, ok := attributes.Get(row, key)
	if !ok || v.Type != table.ValueString {
		return math.NaN()
	}
	for _, unit := range []struct {
		suffix string
		ns     float64
	}{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		if number, ok := strings.CutSuffix(string(v.Text), unit.suffix); ok {
			if value, err := strconv.ParseFloat(number, 64); err == nil {
				return math.Round(value * unit.ns)
			}
			return math.NaN()
		}
	}
	return math.NaN()
}

// wholes are the executions of an engine that are recorded as a whole.
type wholes struct {
	*timeline
	made    []int64         // tokens by row of the requests
	step    int64           // ns of a token when nothing comes between; 0 when it is not known
	ends    []int64         // of the runs, in order
	since   map[int32]int64 // when a request began to wait last
	missing overlaps
}

// hiddenPrefills finds the prefills of an engine in executions that are recorded as a whole.
func (l *timeline) hiddenPrefills(made []int64) []interval {
	w := wholes{timeline: l, made: made, step: l.step(made), since: map[int32]int64{}}
	for _, r := range l.runs {
		w.ends = append(w.ends, r.end)
	}
	slices.Sort(w.ends)
	for _, v := range l.waits {
		w.since[v.request] = max(w.since[v.request], v.start)
	}
	missing := slices.Clone(l.missing)
	slices.SortFunc(missing, compareIntervals)
	w.missing = newOverlaps(missing)
	var out []interval
	for from := 0; from < len(l.runs); {
		to := together(l.runs, from)
		until := w.until(from, to)
		for _, r := range l.runs[from:to] {
			switch {
			case made[r.request] == 1:
				out = append(out, r)
			case until > r.start:
				out = append(out, interval{start: r.start, end: until, request: r.request, engine: r.engine})
			}
		}
		from = to
	}
	slices.SortFunc(out, compareIntervals)
	return out
}

// until returns until when runs that were taken together are known to have been in their
// prefill, 0 when they are not.
func (w *wholes) until(from, to int) int64 {
	if to == len(w.runs) || w.step == 0 {
		return 0
	}
	start, next := w.runs[from].start, w.runs[to].start
	longest := int64(0)
	for _, r := range w.runs[to:together(w.runs, to)] {
		if at, ok := w.since[r.request]; ok && at < r.start {
			longest = max(longest, next-max(at, start))
		}
	}
	ended, _ := slices.BinarySearch(w.ends, start+endLag+1)
	if longest < longerStep*w.step || ended < len(w.ends) && w.ends[ended] <= next+endLag {
		return 0
	}
	still := next - start
	w.missing.each(start, next+endLag, func(interval) { still = 0 })
	for _, r := range w.runs[from:to] {
		rest, ok := w.beyond(r)
		if later, known := w.later(to, r.end); ok && known {
			still = min(still, rest-later)
		} else {
			still = 0
		}
	}
	if 2*still < next-start {
		return 0
	}
	return start + still
}

// beyond returns what a run takes beyond its tokens, in ns.
func (w *wholes) beyond(r interval) (ns int64, ok bool) {
	n := w.made[r.request]
	return r.end - r.start - (n-1)*w.step, n > 0
}

// later returns for how long a run may have stood still, in ns, for those that were taken
// from a place in the runs on and before it ended: they themselves take no less beyond their
// tokens. False when that is not known.
func (w *wholes) later(from int, end int64) (ns int64, ok bool) {
	for range mostLater {
		if from == len(w.runs) || w.runs[from].start >= end {
			return ns, true
		}
		last := w.runs[from]
		for _, r := range w.runs[from:together(w.runs, from)] {
			if r.end > last.end {
				last = r
			}
		}
		rest, ok := w.beyond(last)
		if !ok {
			return 0, false
		}
		ns += max(rest, 0)
		n, _ := slices.BinarySearchFunc(w.runs[from:], last.end-endLag, func(r interval, at int64) int { return cmp.Compare(r.start, at) })
		from = max(from+n, together(w.runs, from))
	}
	return 0, false
}

// together returns the end of the runs that were taken together with one.
func together(runs []interval, from int) (to int) {
	for to = from + 1; to < len(runs) && runs[to].start-runs[from].start <= leastApart; {
		to++
	}
	return to
}

// step returns the ns that a token takes when nothing comes between, 0 when it is not known:
// of ten answers, nine take as long or longer for each of their tokens.
func (l *timeline) step(made []int64) int64 {
	var steps []int64
	for _, r := range l.runs {
		if n := made[r.request]; n >= leastTokens {
			steps = append(steps, (r.end-r.start)/n)
		}
	}
	if len(steps) < leastWholes {
		return 0
	}
	slices.Sort(steps)
	return steps[(len(steps)-1)/10]
}
