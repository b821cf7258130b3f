package table

import "fmt"

// growth appends rows of default values to a table. It holds the columns by their Go
// types, since a call through an interface for each of forty columns costs more than
// the row itself.
type growth struct {
	int64s   defaults[int64]
	int32s   defaults[int32]
	float64s defaults[float64]
	bools    defaults[bool]
	enums    defaults[uint8]
	syms     defaults[Sym]
	texts    defaults[string]
	traceIDs defaults[TraceID]
	spanIDs  defaults[SpanID]
	attrs    []*Attrs
}

// defaults are the columns of one type, each with its default value.
type defaults[T any] []struct {
	vals   *[]T
	absent T
}

func (d defaults[T]) row() {
	for i := range d {
		c := &d[i]
		*c.vals = append(*c.vals, c.absent)
	}
}

// add adds a column, which is a pointer to its slice, and its default value.
func (g *growth) add(vals, absent any) {
	switch vals := vals.(type) {
	case *[]int64:
		g.int64s.add(vals, absent)
	case *[]int32:
		g.int32s.add(vals, absent)
	case *[]float64:
		g.float64s.add(vals, absent)
	case *[]bool:
		g.bools.add(vals, absent)
	case *[]uint8:
		g.enums.add(vals, absent)
	case *[]Sym:
		g.syms.add(vals, absent)
	case *[]string:
		g.texts.add(vals, absent)
	case *[]TraceID:
		g.traceIDs.add(vals, absent)
	case *[]SpanID:
		g.spanIDs.add(vals, absent)
	default:
		panic(fmt.Sprintf("column of unknown type %T", vals))
	}
}

func (d *defaults[T]) add(vals *[]T, absent any) {
	*d = append(*d, struct {
		vals   *[]T
		absent T
	}{vals, absent.(T)})
}

// row appends one row.
func (g *growth) row() {
	g.int64s.row()
	g.syms.row()
	g.enums.row()
	g.int32s.row()
	g.texts.row()
	g.spanIDs.row()
	g.traceIDs.row()
	for _, a := range g.attrs {
		a.growRow()
	}
	g.float64s.row()
	g.bools.row()
}
