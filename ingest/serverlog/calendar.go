package serverlog

import (
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

const (
	day = 24 * int64(time.Hour)
	// leapYear is what dates without a year are apart if they are of years that follow
	// each other, as long as their year is not known.
	leapYear = 366 * day
)

// year2000 is the year in which package match puts dates without one.
var year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// calendar finds the years of dates that are written without one.
//
// Lines of a log are about in order, so that each date is taken to be of the year that
// puts it next to the one before it: one year after the first date's once December
// has gone to January. Until the first year is known, dates are civil times of a
// calendar in which all years are leap years and the first is 2000.
type calendar struct {
	base    int   // year of the first date; 0 while it is not known
	last    int64 // the last date, in the calendar of leap years
	max     int64
	any     bool
	turns   int // how often the year has turned, at most
	leap    int // turns at a 29 February, for which the year must have one
	hasLeap bool
	dated   int64 // the last date with a year, ns since the epoch
	isDated bool

	cacheDay, cacheDelta int64 // of the last day; cacheDay 0: none
}

// place puts a date of the year 2000 into the calendar of leap years. turned says that
// a new year has begun with it.
func (c *calendar) place(civil int64) (placed int64, turned bool) {
	if !c.any {
		c.any, c.last, c.max = true, civil, civil
		c.noteLeap(civil)
		return civil, false
	}
	k := floorDiv(c.last-year2000, leapYear)
	placed = civil + k*leapYear
	if d := placed - c.last; d > leapYear/2 {
		placed -= leapYear
	} else if d < -leapYear/2 {
		placed += leapYear
	}
	c.last, c.max = placed, max(c.max, placed)
	c.noteLeap(placed)
	if t := int(floorDiv(placed-year2000, leapYear)); t > c.turns {
		c.turns = t
		return placed, true
	}
	return placed, false
}

func (c *calendar) noteLeap(placed int64) {
	if !c.hasLeap && floorDiv(placed-year2000, day)%366 == 59 {
		c.leap, c.hasLeap = int(floorDiv(placed-year2000, leapYear)), true
	}
}

// civil returns the civil time, as if in UTC, of a date in the calendar of leap years.
// The year of the first date must be known.
func (c *calendar) civil(placed int64) int64 {
	d := floorDiv(placed, day)
	if d != c.cacheDay || c.cacheDay == 0 {
		c.cacheDay, c.cacheDelta = d, c.delta(placed, c.base)
	}
	return placed + c.cacheDelta
}

// delta is what lies between a date in the calendar of leap years and the same date if
// the first year is base.
func (c *calendar) delta(placed int64, base int) int64 {
	k := floorDiv(placed-year2000, leapYear)
	in2000 := placed - k*leapYear
	t := time.Unix(0, in2000).UTC()
	real := time.Date(base+int(k), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return real.UnixNano() - (placed - (in2000 - floorDiv(in2000, day)*day))
}

// fits reports whether the first year may be base: a 29 February must be a date.
func (c *calendar) fits(base int) bool {
	if !c.hasLeap {
		return true
	}
	y := base + c.leap
	return y%4 == 0 && (y%100 != 0 || y%400 == 0)
}

// see notes a date that has a year.
func (c *calendar) see(ns int64) {
	if ns > year2000 && ns < year2000+150*leapYear {
		c.dated, c.isDated = ns, true
	}
}

// nearest returns the first year that puts the last date nearest to an instant.
func (c *calendar) nearest(ns int64) (base int, ok bool) {
	around := time.Unix(0, ns).UTC().Year() - int(floorDiv(c.last-year2000, leapYear))
	best := int64(-1)
	for y := around - 4; y <= around+4; y++ {
		d := c.last + c.delta(c.last, y) - ns
		if d < 0 {
			d = -d
		}
		if c.fits(y) && (best < 0 || d < best) {
			base, best, ok = y, d, true
		}
	}
	return base, ok
}

// before returns the last first year that puts no date later than a day after an instant.
func (c *calendar) before(ns int64) (base int, ok bool) {
	around := time.Unix(0, ns).UTC().Year() - int(floorDiv(c.max-year2000, leapYear))
	for y := around + 1; y > around-9; y-- {
		if c.fits(y) && c.max+c.delta(c.max, y) <= ns+day {
			return y, true
		}
	}
	return 0, false
}

// zone turns civil times of a place into instants.
type zone struct {
	loc    *time.Location
	lo, hi int64 // civil times in between are offset from UTC by offset
	offset int64
	last   int64 // the last instant
}

// Where a civil time was found in its zone.
const (
	inZone = iota
	inOverlap
	inGap
)

// transition is more than clocks are ever put forward or back by.
const transition = 3 * int64(time.Hour)

// instant returns the instant of a civil time.
func (z *zone) instant(civil int64) (ns int64, where int) {
	if civil >= z.lo && civil < z.hi {
		z.last = civil - z.offset
		return z.last, inZone
	}
	before, after := z.offsetAt(civil-day), z.offsetAt(civil+day)
	first, second := civil-before, civil-after
	okFirst, okSecond := z.offsetAt(first) == before, z.offsetAt(second) == after
	switch {
	case before == after && okFirst:
		z.remember(first, before)
		ns, where = first, inZone
	case okFirst && okSecond:
		ns, where = min(first, second), inOverlap
		if ns < z.last-int64(time.Minute) {
			ns = max(first, second)
		}
	case okFirst:
		ns, where = first, inZone
	case okSecond:
		ns, where = second, inZone
	default:
		ns, where = first, inGap
	}
	z.last = ns
	return ns, where
}

func (z *zone) offsetAt(ns int64) int64 {
	_, s := time.Unix(0, ns).In(z.loc).Zone()
	return int64(s) * int64(time.Second)
}

// remember keeps the stretch of civil times around an instant that have one offset.
func (z *zone) remember(ns, offset int64) {
	start, end := time.Unix(0, ns).In(z.loc).ZoneBounds()
	z.offset, z.lo, z.hi = offset, ns+offset-366*day, ns+offset+366*day
	if !start.IsZero() {
		z.lo = max(z.lo, start.UnixNano()+offset+transition)
	}
	if !end.IsZero() {
		z.hi = min(z.hi, end.UnixNano()+offset-transition)
	}
}

// settle gives the instants of a value their year and zone, as far as they are known.
// Those of an unknown year stay flagged and in the calendar of leap years.
func (d *Decoder) settle(v *match.Value, st *state) {
	if v.Flags&(match.NoYear|match.NoZone) == 0 || v.Flags&match.Steady != 0 {
		return
	}
	if v.Flags&match.NoYear != 0 {
		var turned bool
		v.Int, turned = d.calendar.place(v.Int)
		if turned {
			d.tally.add(newYear, d.at, "format ", st.f.ID)
		}
		if d.calendar.base == 0 {
			d.inferYear()
		}
	}
	d.resettle(v, st)
}

// resettle is settle for a value that has its place in the calendar.
func (d *Decoder) resettle(v *match.Value, st *state) {
	if v.Flags&match.NoYear != 0 {
		if d.calendar.base == 0 {
			return
		}
		v.Int = d.calendar.civil(v.Int)
		v.Flags &^= match.NoYear
	}
	if v.Flags&match.NoZone != 0 {
		v.Int = d.local(v.Int, st)
		v.Flags &^= match.NoZone
	}
}

// local returns the instant of a civil time of a format's zone.
func (d *Decoder) local(civil int64, st *state) int64 {
	if st.assumed {
		d.tally.add(assumedUTC, d.at, "format ", st.f.ID)
	}
	ns, where := st.zone.instant(civil)
	switch where {
	case inOverlap:
		d.tally.add(dstOverlap, d.at, "zone ", st.zone.loc.String())
	case inGap:
		d.tally.add(dstGap, d.at, "zone ", st.zone.loc.String())
	}
	return ns
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
