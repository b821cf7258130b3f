package engine

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
)

// Stream is the tokens of one request as it decoded at one engine. Losing its place and
// getting it back, with the prompt computed anew, does not end a stream.
type Stream struct {
	Engine   int32
	Request  int32 // row of the requests table
	MedianNS int64 // of its gaps
	// Gaps has those between successive instants, in order; nil for fewer than five, among
	// which none is usual. They are the time from the first instant to the last.
	Gaps []Gap
}

// Gap is the time between two tokens of a stream, on the engine's own clock.
type Gap struct {
	Start, End int64
	// Stalled says that it is three times the stream's median or more, and 20 ms above it
	// or more.
	Stalled bool
	// OverlapNS is the time of it in which others prefilled at the same engine.
	OverlapNS int64
	// PrefillTokens are the tokens of their prompts that were prefilled meanwhile, each
	// prefill taken to be even; NaN when one of the prompts has no known length.
	PrefillTokens float64
	// PartsNS divides what a stall takes beyond the median by what held the token, in ns;
	// all 0 for other gaps.
	PartsNS [StallCauses]int64
}

// Overlapped reports whether others prefilled for half of the gap or more.
func (g *Gap) Overlapped() bool { return g.OverlapNS > 0 && 2*g.OverlapNS >= g.End-g.Start }

// ExcessNS is what a stall takes beyond the median, the sum of its parts.
func (g *Gap) ExcessNS() (sum int64) {
	for _, ns := range g.PartsNS {
		sum += ns
	}
	return sum
}

// StallCause says what held a token.
type StallCause uint8

// What holds a token. A stall's excess is divided among them once: first the time in which
// the request had lost its place; then, if others prefilled for half of the gap, their
// prefills; and what is left goes to StallEngine or StallAlone if it held for half of the
// gap's other time, else to StallUntold.
const (
	StallPrefill   StallCause = iota // prefills of others on the same engine
	StallPreempted                   // it lost its place, and its prompt was computed anew
	StallEngine                      // all that decoded there stalled together, and nobody prefilled
	StallAlone                       // others decoded there meanwhile, and none of them stalled
	StallUntold                      // nobody else's tokens are known then, or some stalled and some did not
	StallCauses                      // how many there are
)

var stallNames = [StallCauses]string{"prefill", "preempted", "engine", "alone", "untold"}

// String returns the name of the cause.
func (c StallCause) String() string { return stallNames[c] }

// span is a half-open stretch of time in ns.
type span struct{ start, end int64 }

// stream is a Stream before its gaps are measured.
type stream struct {
	engine, request int32
	at              []int64 // instants in order; nil for fewer than fewestGaps+1
	lost            []span  // after a preemption, until it decoded again; in order, disjoint
	median          int64
}

// stalled reports whether the gap before instant i is a stall.
func (s *stream) stalled(i int) bool {
	length := s.at[i] - s.at[i-1]
	return length >= stallRatio*s.median && length-s.median >= stallExcess
}

// Streams visits the streams of all requests on their paths to the end, in an order that
// depends on what they hold alone. Those that have instants, but too few, are visited with
// no gaps. What is visited is valid until visit returns.
func (t *Timelines) Streams(visit func(*Stream)) {
	t.measure(t.streams(-1), visit)
}

// measure visits streams of whole engines, in order.
func (t *Timelines) measure(list []stream, visit func(*Stream)) {
	var out Stream
	for len(list) > 0 {
		e, n := list[0].engine, 1
		for n < len(list) && list[n].engine == e {
			n++
		}
		halts := newHalts(list[:n])
		for i := range list[:n] {
			s := &list[i]
			out.Engine, out.Request, out.MedianNS, out.Gaps = e, s.request, s.median, out.Gaps[:0]
			for k := 1; k < len(s.at); k++ {
				out.Gaps = append(out.Gaps, t.gap(s, k, &halts))
			}
			shown := out
			if len(s.at) == 0 {
				shown.Gaps = nil
			}
			visit(&shown)
		}
		list = list[n:]
	}
}

// streams finds the streams at an engine, of all engines for -1, ordered by engine, instants
// and the ids of requests.
func (t *Timelines) streams(engine int32) []stream {
	var out []stream
	seg, req := &t.set.Segments, &t.set.Requests
	for from := 0; from < seg.Len(); {
		to := t.block(seg, from)
		if seg.Target[t.row(from)] == targetEnd && (engine < 0 || t.visits(from, to, engine)) && t.mayStream(from, to) {
			for _, d := range t.rejoin(t.decodes(from, to)) {
				if s, ok := t.stream(&d); ok && (engine < 0 || d.engine == engine) {
					out = append(out, s)
				}
			}
		}
		from = to
	}
	slices.SortStableFunc(out, func(a, b stream) int {
		x, y := a.request, b.request
		return cmp.Or(cmp.Compare(a.engine, b.engine), slices.Compare(a.at, b.at), bytes.Compare(req.TraceID[x][:], req.TraceID[y][:]),
			bytes.Compare(req.RootSpanID[x][:], req.RootSpanID[y][:]), cmp.Compare(x, y))
	})
	return out
}

// mayStream reports whether a path may tell of tokens at all: most sets have no events of
// them, and few spans of single steps.
func (t *Timelines) mayStream(from, to int) bool {
	if t.tokens.events != nil {
		return true
	}
	n := 0
	for k := from; k < to && n <= fewestGaps; k++ {
		if i := t.row(k); t.isDecode(i) {
			n++
		}
	}
	return n > fewestGaps
}

// isDecode reports whether a segment is of decoding at an engine.
func (t *Timelines) isDecode(segment int32) bool {
	seg := &t.set.Segments
	return stage.Stage(seg.Stage[segment]) == stage.GPU && t.at[segment] >= 0 && seg.Detail[segment] == t.words.decode
}

// rejoin joins the stretches of one path that lie before and after a preemption.
func (t *Timelines) rejoin(list []decode) []decode {
	out := list[:0]
	for _, d := range list {
		if n := len(out) - 1; n >= 0 && t.regained(&out[n], &d) {
			out[n].rows, out[n].end = append(out[n].rows, d.rows...), d.end
			continue
		}
		out = append(out, d)
	}
	return out
}

// regained reports whether a request lost its place after one stretch, and all that it did
// until the other was to get it back.
func (t *Timelines) regained(a, b *decode) bool {
	if a.engine != b.engine {
		return false
	}
	seg, lost := &t.set.Segments, false
	from, to := slices.Index(a.path, a.rows[len(a.rows)-1]), slices.Index(a.path, b.rows[0])
	for _, i := range a.path[from+1 : to] {
		switch s := stage.Stage(seg.Stage[i]); {
		case s == stage.Queue && t.at[i] == a.engine && seg.Detail[i] == t.words.preempted:
			lost = true
		case s == stage.Queue, s == stage.GPU && (t.at[i] != a.engine || !lost):
			return false
		}
	}
	return lost
}

// stream finds the instants of a stretch, and when it had lost its place; false without
// any instant.
func (t *Timelines) stream(d *decode) (stream, bool) {
	s := stream{engine: d.engine, request: d.request}
	seg, open := &t.set.Segments, false
	from, to := slices.Index(d.path, d.rows[0]), slices.Index(d.path, d.rows[len(d.rows)-1])
	var since int64
	for _, i := range d.path[from : to+1] {
		switch {
		case open && t.isDecode(i):
			if until := t.Local(d.engine, i, seg.Start[i]); until > since {
				s.lost = append(s.lost, span{since, until})
			}
			open = false
		case !open && stage.Stage(seg.Stage[i]) == stage.Queue && t.at[i] == d.engine && seg.Detail[i] == t.words.preempted:
			since, open = t.Local(d.engine, i, seg.Start[i]), true
		}
	}
	marks, window := false, *d
	window.start, window.end = t.firstInstant(d, from)-leastApart, d.end+leastApart
	for _, rows := range [][]int32{d.rows, d.path} {
		if s.at = t.marked(&window, rows); len(s.at) > fewestGaps {
			break
		}
		marks, s.at = marks || len(s.at) > 0, nil
	}
	// What a preemption cuts in two is no step: only more of them than that are.
	if s.at == nil && len(d.rows)-len(s.lost) > fewestGaps {
		s.at = t.instants(d)
	}
	if s.at == nil {
		return s, marks
	}
	lengths := make([]int64, len(s.at)-1)
	for i := range lengths {
		lengths[i] = s.at[i+1] - s.at[i]
	}
	s.median = median(lengths)
	return s, true
}

// leastApart is how far apart stamps of one instant may be, in ns: a token and the end of
// the prefill that gave it.
const leastApart = 1_000_000

// firstInstant returns when the first token of a stretch may have come, whose first segment
// stands at a place of the path: before the host's work until it was decoded on.
func (t *Timelines) firstInstant(d *decode, place int) int64 {
	seg, first := &t.set.Segments, d.start
	for place--; place >= 0; place-- {
		i := d.path[place]
		if stage.Stage(seg.Stage[i]) != stage.Scheduling || t.placeOf(i) != t.keys[d.engine].place {
			break
		}
		first = t.Local(d.engine, i, seg.Start[i])
	}
	return first
}

// gap measures the gap before instant k of a stream.
func (t *Timelines) gap(s *stream, k int, h *halts) Gap {
	g := Gap{Start: s.at[k-1], End: s.at[k], Stalled: s.stalled(k)}
	l := &t.engines[s.engine]
	var prefills []span
	if l.timed() {
		until := g.Start
		l.prefillsIn.each(g.Start, g.End, func(v interval) {
			if v.request == s.request {
				return
			}
			start, end := max(v.start, g.Start), min(v.end, g.End)
			g.PrefillTokens += t.promptOf(v.request) * float64(end-start) / float64(v.end-v.start)
			if start = max(start, until); start < end {
				g.OverlapNS, until = g.OverlapNS+end-start, end
				if g.Stalled {
					prefills = append(prefills, span{start, end})
				}
			}
		})
	}
	if g.Stalled {
		g.divide(s, prefills, h, l.timed())
	}
	return g
}

// promptOf returns the tokens of a request's prompt, NaN when they are not known.
func (t *Timelines) promptOf(request int32) float64 {
	if n := t.set.Requests.PromptTokens[request]; n >= 0 {
		return float64(n)
	}
	return math.NaN()
}

// divide divides the excess of a stall; prefills are the times of it in which others
// prefilled.
func (g *Gap) divide(s *stream, prefills []span, h *halts, timed bool) {
	rest := g.End - g.Start - s.median
	take := func(c StallCause, ns int64) {
		ns = min(ns, rest)
		g.PartsNS[c], rest = ns, rest-ns
	}
	open := without([]span{{g.Start, g.End}}, s.lost)
	take(StallPreempted, g.End-g.Start-total(open))
	clear := without(open, prefills)
	if g.Overlapped() {
		take(StallPrefill, total(open)-total(clear))
		open = clear
	}
	cause := StallUntold
	if timed {
		switch most := total(open); {
		case 2*h.within(h.together, clear) >= most && most > 0:
			cause = StallEngine
		case 2*h.within(h.alone, open) >= most && most > 0:
			cause = StallAlone
		}
	}
	take(cause, rest)
}

// total adds up the lengths of spans.
func total(list []span) (ns int64) {
	for _, v := range list {
		ns += v.end - v.start
	}
	return ns
}

// without cuts holes out of spans; both are in order and disjoint.
func without(list, holes []span) []span {
	var out []span
	for _, v := range list {
		for _, hole := range holes {
			if hole.end <= v.start || hole.start >= v.end {
				continue
			}
			if hole.start > v.start {
				out = append(out, span{v.start, hole.start})
			}
			v.start = min(hole.end, v.end)
		}
		if v.start < v.end {
			out = append(out, v)
		}
	}
	return out
}

// halts knows when, of those that decode at one engine and whose tokens are known, all
// stall, and when one of several does.
type halts struct {
	at              []int64
	together, alone []int64 // ns before at[i]
}

// newHalts sweeps over the streams of one engine. Who has lost its place neither decodes
// nor stalls.
func newHalts(list []stream) halts {
	type change struct {
		at               int64
		present, stalled int
	}
	var changes []change
	add := func(list []span, present, stalled int) {
		for _, v := range list {
			changes = append(changes, change{v.start, present, stalled}, change{v.end, -present, -stalled})
		}
	}
	for i := range list {
		s := &list[i]
		if len(s.at) == 0 {
			continue
		}
		add(without([]span{{s.at[0], s.at[len(s.at)-1]}}, s.lost), 1, 0)
		for k := 1; k < len(s.at); k++ {
			if s.stalled(k) {
				add(without([]span{{s.at[k-1], s.at[k]}}, s.lost), 0, 1)
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var h halts
	var together, alone int64
	present, stalled := 0, 0
	for i := 0; i < len(changes); {
		at := changes[i].at
		if n := len(h.at); n > 0 && present > 1 {
			switch stalled {
			case present:
				together += at - h.at[n-1]
			case 1:
				alone += at - h.at[n-1]
			}
		}
		for ; i < len(changes) && changes[i].at == at; i++ {
			present, stalled = present+changes[i].present, stalled+changes[i].stalled
		}
		h.at, h.together, h.alone = append(h.at, at), append(h.together, together), append(h.alone, alone)
	}
	return h
}

// within returns the time of some spans in ns that sums count. They lie between the first
// change and the last.
func (h *halts) within(sums []int64, list []span) (ns int64) {
	for _, v := range list {
		ns += h.until(sums, v.end) - h.until(sums, v.start)
	}
	return ns
}

// until returns what sums count before an instant. Between two changes all of the time is
// counted or none.
func (h *halts) until(sums []int64, at int64) int64 {
	i, exact := slices.BinarySearch(h.at, at)
	if exact || i == len(h.at) {
		return sums[min(i, len(h.at)-1)]
	}
	if i == 0 || sums[i] == sums[i-1] {
		return sums[max(i-1, 0)]
	}
	return sums[i-1] + at - h.at[i-1]
}
