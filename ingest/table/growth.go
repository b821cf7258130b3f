package table

import "fmt"

// columns are those of a table by their Go types. It makes them, in one piece for each type,
// and appends rows of default values to them: a call through an interface for each of forty
// columns costs more than the row itself.
type columns struct {
	int64s   columnsOf[int64]
	int32s   columnsOf[int32]
	float64s columnsOf[float64]
	bools    columnsOf[bool]
	enums    columnsOf[uint8]
	syms     []symbolic
	texts    columnsOf[string]
	traceIDs columnsOf[TraceID]
	spanIDs  columnsOf[SpanID]
	maps     []mapped
}

type columnsOf[T any] []plain[T]

// add makes the column of vals. What it returns stays good when the slice moves: no more than
// what lies behind vals ever changes.
func (c *columnsOf[T]) add(vals *[]T, k *kind[T]) *plain[T] {
	*c = append(*c, plain[T]{vals: vals, kind: k, absent: k.absent})
	return &(*c)[len(*c)-1]
}

func (c columnsOf[T]) row() {
	for i := range c {
		c := &c[i]
		*c.vals = append(*c.vals, c.absent)
	}
}

// add makes the column of a field, whose values are those that ptr points to.
func (c *columns) add(f Field, ptr any) column {
	switch f.Type {
	case Timestamp, Int64:
		if f.Nullable {
			return c.int64s.add(ptr.(*[]int64), &nullableInt64s)
		}
		return c.int64s.add(ptr.(*[]int64), &int64s)
	case Int32:
		return c.int32s.add(ptr.(*[]int32), &int32s)
	case Float64:
		if f.Nullable {
			return c.float64s.add(ptr.(*[]float64), &nullableFloat64s)
		}
		return c.float64s.add(ptr.(*[]float64), &float64s)
	case Bool:
		return c.bools.add(ptr.(*[]bool), &bools)
	case Enum:
		return c.enums.add(ptr.(*[]uint8), &enums)
	case Dict:
		c.syms = append(c.syms, symbolic{plain[Sym]{vals: ptr.(*[]Sym), kind: &syms}})
		return &c.syms[len(c.syms)-1]
	case Text:
		return c.texts.add(ptr.(*[]string), &texts)
	case ID16:
		return c.traceIDs.add(ptr.(*[]TraceID), &traceIDs)
	case ID8:
		return c.spanIDs.add(ptr.(*[]SpanID), &spanIDs)
	case Map:
		c.maps = append(c.maps, mapped{ptr.(*Attrs)})
		return &c.maps[len(c.maps)-1]
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

// room returns columns without any, and with room for as many of each type as c has.
func (c *columns) room() columns {
	return columns{
		int64s: make(columnsOf[int64], 0, len(c.int64s)), int32s: make(columnsOf[int32], 0, len(c.int32s)),
		float64s: make(columnsOf[float64], 0, len(c.float64s)), bools: make(columnsOf[bool], 0, len(c.bools)),
		enums: make(columnsOf[uint8], 0, len(c.enums)), syms: make([]symbolic, 0, len(c.syms)),
		texts: make(columnsOf[string], 0, len(c.texts)), traceIDs: make(columnsOf[TraceID], 0, len(c.traceIDs)),
		spanIDs: make(columnsOf[SpanID], 0, len(c.spanIDs)), maps: make([]mapped, 0, len(c.maps)),
	}
}

// row appends one row.
func (c *columns) row() {
	c.int64s.row()
	for i := range c.syms {
		vals := c.syms[i].vals
		*vals = append(*vals, 0)
	}
	c.enums.row()
	c.int32s.row()
	c.texts.row()
	c.spanIDs.row()
	c.traceIDs.row()
	for i := range c.maps {
		c.maps[i].attrs.growRow()
	}
	c.float64s.row()
	c.bools.row()
}
