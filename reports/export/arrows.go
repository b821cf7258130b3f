package export

import (
	"cmp"
	"slices"
	"sort"
)

// The format says that the end of an arrow belongs to the slice around it in time. Perfetto takes
// the slice or instant that began last on the thread instead, whether it has ended or not, and
// turns an arrow around whose slices began the other way. An arrow is drawn where both readings
// have one answer, and it is the right one.

// begun is a slice or an instant that begins on a thread.
type begun struct {
	at, length int64 // ns
	span       int32 // -1 for an instant
}

// instantLength puts an instant behind the slices that begin with it.
const instantLength = -1

// tracks has what begins on each thread, in the order in which a viewer meets it.
type tracks map[[2]int][]begun

func (t tracks) note(pid, tid int, b begun) {
	at := [2]int{pid, tid}
	t[at] = append(t[at], b)
}

// sort puts what was noted in order. Of slices that begin together the longer one is first.
func (t tracks) sort() {
	for _, list := range t {
		slices.SortStableFunc(list, func(a, b begun) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.length, a.length)) })
	}
}

// newest returns the span whose slice is the last thing to begin on a thread by some time, -1 for
// none. Instants of that very time come later in the file.
func (t tracks) newest(pid, tid int, at int64) int32 {
	list := t[[2]int{pid, tid}]
	n := sort.Search(len(list), func(i int) bool { return list[i].at > at })
	for n > 0 && list[n-1].at == at && list[n-1].length == instantLength {
		n--
	}
	if n == 0 {
		return -1
	}
	return list[n-1].span
}

// pathArrows leads along the path to the end, from owner to owner. The way back to a span that
// began earlier has no arrow: there it would lead back in time.
func (d *drawing) pathArrows() {
	path := d.req.EndPath
	for i := 1; i < len(path); i++ {
		from, to := path[i-1], path[i]
		if from.Span != to.Span {
			d.arrow("critical path", "path", from.Span, from.Start, to.Span, to.Start)
		}
	}
}

// linkArrows leads from the spans of the request that links of one point at to that one.
func (d *drawing) linkArrows(k int32) {
	s := d.req.Spans[k]
	for _, i := range d.links[s.Row] {
		to, ok := d.byID[spanKey{d.set.SpanLinks.TraceID[i], d.set.SpanLinks.SpanID[i]}]
		if ok && to != k {
			d.arrow("link", "link", to, d.req.Spans[to].Start, k, s.Start)
		}
	}
}

// arrow leads from one span to another that does not begin before it, where viewers bind it to
// both. One that cannot leave the first span at its instant, because something began in it since,
// leaves it at its start.
func (d *drawing) arrow(name, category string, from int32, fromAt int64, to int32, toAt int64) {
	start := d.req.Spans[from].Start
	if start > d.req.Spans[to].Start || !d.binds(to, toAt) {
		return
	}
	if !d.binds(from, fromAt) {
		if fromAt = start; !d.binds(from, fromAt) {
			return
		}
	}
	fromPID, fromTID := d.threadOf(from)
	toPID, toTID := d.threadOf(to)
	d.flow(name, category, place{fromPID, fromTID, fromAt}, place{toPID, toTID, toAt})
}

// binds reports whether viewers bind the end of an arrow at some instant to a span's slice: the
// instant is within it, nothing else began on its thread since, and it is not before the origin,
// where Perfetto draws nothing.
func (d *drawing) binds(k int32, at int64) bool {
	s := d.req.Spans[k]
	pid, tid := d.threadOf(k)
	return d.origin <= s.Start && s.Start <= at && at < s.End && d.tracks.newest(pid, tid, at) == k
}
