package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/tailpath/tailpath/ingest/table"
)

// TooLarge says that the rows of a run take more than Options.RowBytes, or would by the end. All
// numbers are bytes.
type TooLarge struct {
	Bound int64 // Options.RowBytes
	Rows  int64 // what the rows took when it was found
	Whole int64 // what all rows would take, about; Rows where that cannot be said
	Read  int64 // of the inputs, as stored
	Total int64 // of the inputs, as stored; 0 when it is not known
}

// Error returns the numbers in one line.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the rows take %d bytes after %d of %d, about %d in the end, and the bound is %d", e.Rows, e.Read, e.Total, e.Whole, e.Bound)
}

// judgedFrom is the share of the inputs that must be read before the whole is judged by it.
const judgedFrom = 0.1

// Rows are weighed again when a sixteenth more was read, and at least some bytes, decompressed:
// weighing looks at each text, and must stay small beside reading.
const (
	weighShare   = 16
	weighAtLeast = 1 << 20
)

// bound adds up the rows of all inputs of a run, and ends it when they are too many. A nil bound
// is none.
type bound struct {
	most  int64
	stop  context.CancelCauseFunc
	total int64 // bytes of all inputs, as stored; 0 when it is not known
	read  atomic.Int64
	rows  atomic.Int64
	kinds map[string]*tally // of each kind of input
	of    map[string]*tally // of each input, by its name
}

// tally is the same of inputs of one kind. One that is compressed has many times the rows of one
// of its size that is not, so each kind is judged by itself.
type tally struct {
	total      int64
	read, rows atomic.Int64
}

// newBound returns the bound of a run, nil if there is none.
func newBound(targets []target, opt Options, stop context.CancelCauseFunc) *bound {
	if opt.RowBytes <= 0 {
		return nil
	}
	b := &bound{most: opt.RowBytes, stop: stop, total: totalSize(targets), kinds: map[string]*tally{}, of: map[string]*tally{}}
	for _, t := range targets {
		kind, size := kindOf(t)
		if b.kinds[kind] == nil {
			b.kinds[kind] = &tally{}
		}
		b.kinds[kind].total += size
		b.of[t.name] = b.kinds[kind]
	}
	return b
}

// kindOf returns the kind of an input by its first bytes, and its size.
func kindOf(t target) (kind string, size int64) {
	if t.tables {
		return "tables", tablesSize(t.name)
	}
	if !t.regular() {
		return "stream", 0
	}
	size = t.info.Size()
	f, err := os.Open(t.name)
	if err != nil {
		return "", size // whoever reads it tells of that
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head) // an empty file has no kind
	switch head = head[:n]; {
	case isGzip(head):
		return "gzip", size
	case isZstd(head):
		return "zstd", size
	case n > 0 && (head[0] == '{' || head[0] == '['):
		return "JSON", size
	}
	return "other", size
}

// check ends the run if the rows take more than the bound, or would by the end. What is read so
// far says less of the rest the less it is, so an estimate must be beyond the bound by half of
// the share that is still to be read.
func (b *bound) check() {
	e := TooLarge{Bound: b.most, Rows: b.rows.Load(), Read: b.read.Load(), Total: b.total}
	e.Whole = e.Rows
	margin := 1.0
	if e.Total > 0 && float64(e.Read) >= judgedFrom*float64(e.Total) {
		e.Whole = max(e.Rows, b.whole())
		margin += max(0, 1-float64(e.Read)/float64(e.Total)) / 2
	}
	if e.Rows > b.most || float64(e.Whole) > margin*float64(b.most) {
		b.stop(&e)
	}
}

// whole returns what all rows will take, about: those of each kind in the measure of the part of
// it that was read, and of a kind of which hardly anything was, no more than there is.
func (b *bound) whole() int64 {
	sum := int64(0)
	for _, t := range b.kinds {
		rows, read := t.rows.Load(), float64(t.read.Load())
		if total := float64(t.total); read > 0 && read >= judgedFrom*total && read < total {
			rows = int64(float64(rows) * (total / read))
		}
		sum += rows
	}
	return sum
}

// gauge is what one input has in a bound; nil without a bound. It may be used by many goroutines.
type gauge struct {
	*bound
	kind *tally
	rows atomic.Int64
}

// gauge returns that of an input.
func (b *bound) gauge(t target) *gauge {
	if b == nil {
		return nil
	}
	return &gauge{bound: b, kind: b.of[t.name]}
}

// readMore counts stored bytes that were read.
func (g *gauge) readMore(n int64) {
	if g != nil {
		g.bound.read.Add(n)
		g.kind.read.Add(n)
	}
}

// add counts bytes of rows, or takes them back when there are less, and ends the run if they are
// too many.
func (g *gauge) add(rows int64) {
	if g == nil {
		return
	}
	g.rows.Add(rows)
	g.kind.rows.Add(rows)
	g.bound.rows.Add(rows)
	if rows > 0 {
		g.bound.check()
	}
}

// addSet is add of the rows of a set, and returns their bytes.
func (g *gauge) addSet(set *table.Set) int64 {
	if g == nil || set == nil {
		return 0
	}
	n := set.Footprint()
	g.add(n)
	return n
}

// drop takes all rows of the input back.
func (g *gauge) drop() {
	if g != nil {
		g.add(-g.rows.Load())
	}
}

// scale weighs the rows of a set while one goroutine makes them.
type scale struct {
	gauge *gauge
	set   *table.Set
	n     int64 // bytes that rows were made of
	next  int64 // when to weigh again
	known int64 // bytes of rows that the gauge has
}

// advance says that rows were made of so many more bytes.
func (s *scale) advance(n int64) {
	if s.n += n; s.gauge != nil && s.n >= s.next {
		s.weigh()
		s.next = s.n + max(weighAtLeast, s.n/weighShare)
	}
}

// weigh counts what came since it did last.
func (s *scale) weigh() {
	if s.gauge != nil {
		now := s.set.Footprint()
		s.gauge.add(now - s.known)
		s.known = now
	}
}

// reader returns a reader of what the rows are made of. The decoder that reads it has made rows
// of all that it read before.
func (s *scale) reader(r io.Reader) io.Reader {
	if s.gauge == nil {
		return r
	}
	return weighing{r, s}
}

type weighing struct {
	io.Reader
	scale *scale
}

func (w weighing) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.scale.advance(int64(n))
	return n, err
}
