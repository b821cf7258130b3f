package serverlog

import (
	"strconv"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// pending is a row, or several, whose times are in the calendar of leap years until the
// year of the log's first date is known.
type pending struct {
	civil int64 // the time that tells by how much the row's times are moved
	st    *state
	parts [2]int32 // rows of the parts of a span, or of samples
	row   int32
	table uint8
}

// Tables of pending rows.
const (
	spanRows = iota
	logRows
	sampleRows
)

func (d *Decoder) wait(p pending) {
	if len(d.pending) == 0 && len(d.firstPlace.Source) == 0 {
		d.firstPlace = d.at
	}
	d.pending = append(d.pending, p)
}

// anchor returns the time of a record by which its request is placed.
func (d *Decoder) anchor(r *format.Record, values []match.Value, start int64) int64 {
	if v := r.Time.Value(values); v != nil && v.Flags&match.NoYear != 0 {
		return v.Int
	}
	return start
}

// inferYear finds the year of the first date by a date that has one, if one was met.
func (d *Decoder) inferYear() {
	if !d.calendar.isDated || !d.calendar.any {
		return
	}
	base, ok := d.calendar.nearest(d.calendar.dated)
	if !ok {
		return
	}
	d.setYear(base, "by a date with a year in the same input")
}

// setYear makes the year of the first date known and moves the rows that waited for it.
func (d *Decoder) setYear(base int, basis string) {
	d.calendar.base = base
	at := d.firstPlace
	if at.Source == "" {
		at = d.at
	}
	d.tally.add(yearInferred, at, strconv.Itoa(base), ", ", basis)
	for _, p := range d.pending {
		place := d.at
		d.move(p)
		d.at = place
	}
	d.pending = nil
}

// move gives the times of a pending row their year and zone.
func (d *Decoder) move(p pending) {
	// No layout of a date without a year has a zone.
	v := match.Value{Kind: match.Instant, Flags: match.NoYear | match.NoZone, Int: p.civil}
	d.at = d.placeOf(p)
	d.resettle(&v, p.st)
	delta := v.Int - p.civil
	switch p.table {
	case spanRows:
		t := &d.set.Spans
		t.Start[p.row] += delta
		if t.End[p.row] != 0 {
			t.End[p.row] += delta
		}
		for i := p.parts[0]; i < p.parts[1]; i++ {
			d.set.Parts.Start[i] += delta
			d.set.Parts.End[i] += delta
		}
	case logRows:
		d.set.Logs.Time[p.row] += delta
	case sampleRows:
		for i := p.parts[0]; i < p.parts[1]; i++ {
			d.set.EngineSamples.Time[i] += delta
		}
	}
}

// placeOf returns where a pending row was read.
func (d *Decoder) placeOf(p pending) table.Place {
	var line, offset int64
	switch p.table {
	case spanRows:
		line, offset = d.set.Spans.Line[p.row], d.set.Spans.Offset[p.row]
	case logRows:
		line, offset = d.set.Logs.Line[p.row], d.set.Logs.Offset[p.row]
	default:
		line, offset = d.set.EngineSamples.Line[p.row], d.set.EngineSamples.Offset[p.row]
	}
	return table.Place{Source: d.source, Line: max(line, 0), Offset: offset}
}

// endYear settles the year at the end of the log: by a date with a year, else by the
// reference. If neither tells it, the times are those of a clock of their own.
func (d *Decoder) endYear() {
	if len(d.pending) == 0 {
		return
	}
	if d.inferYear(); len(d.pending) == 0 {
		return
	}
	if ref := d.opt.Reference; ref != table.Missing && ref != 0 {
		if base, ok := d.calendar.before(ref); ok {
			d.setYear(base, "by "+d.opt.ReferenceBasis)
			return
		}
	}
	d.tally.add(noYear, d.firstPlace, "format ", d.pending[0].st.f.ID)
	for _, p := range d.pending {
		switch p.table {
		case spanRows:
			d.set.Spans.Clock[p.row] = table.ClockSteady
		case logRows:
			d.set.Logs.Clock[p.row] = table.ClockSteady
		case sampleRows:
			for i := p.parts[0]; i < p.parts[1]; i++ {
				d.set.EngineSamples.Clock[i] = table.ClockSteady
			}
		}
	}
	d.pending = nil
}
