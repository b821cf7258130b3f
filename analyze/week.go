package analyze

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Week is a week by ISO 8601: from Monday 00:00 in a zone to the Monday after. It has 168
// hours, but 167 or 169 where the clocks of the zone are moved in it.
type Week struct {
	Name string // such as 2026-W47
	// From and To are instants in ns since the Unix epoch: what starts in [From, To) is of it.
	From, To int64
	Zone     *time.Location
}

// The years of which weeks are told: their nanoseconds fit into 64 bits.
const (
	firstWeekYear = 1970
	lastWeekYear  = 2261
)

// ParseWeek returns the week of a name such as 2026-W47. A nil zone is UTC. It is an error when
// the name is none, the year is not from 1970 to 2261, or has no such week.
func ParseWeek(name string, zone *time.Location) (Week, error) {
	y, w, ok := strings.Cut(name, "-W")
	year, errYear := strconv.Atoi(y)
	week, errWeek := strconv.Atoi(w)
	if !ok || errYear != nil || errWeek != nil || len(y) != 4 || len(w) != 2 || strings.ContainsAny(name, "+") {
		return Week{}, fmt.Errorf("%q is no week such as 2026-W47", name)
	}
	if year < firstWeekYear || year > lastWeekYear {
		return Week{}, fmt.Errorf("week %s is of no year from %d to %d", name, firstWeekYear, lastWeekYear)
	}
	found := weekOf(mondayOf(year, week), zone)
	if week < 1 || found.Name != name {
		return Week{}, fmt.Errorf("year %d has no week %d", year, week)
	}
	return found, nil
}

// WeekAt returns the week in which an instant lies, in ns since the Unix epoch. A nil zone is
// UTC.
func WeekAt(ns int64, zone *time.Location) Week {
	if zone == nil {
		zone = time.UTC
	}
	year, week := time.Unix(0, ns).In(zone).ISOWeek()
	return weekOf(mondayOf(year, week), zone)
}

// Before returns the week that is n weeks before this one, or after it if n is negative.
func (w Week) Before(n int) Week {
	year, week := time.Unix(0, w.From).In(w.Zone).ISOWeek()
	return weekOf(mondayOf(year, week).AddDate(0, 0, -7*n), w.Zone)
}

// Interval returns the time of the week.
func (w Week) Interval() Interval { return Interval{w.From, w.To} }

// mondayOf returns the date on which a week begins, as midnight in UTC: week 1 is that of
// January 4th.
func mondayOf(year, week int) time.Time {
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	return fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7)
}

// weekOf returns the week that begins on the date of a Monday.
func weekOf(monday time.Time, zone *time.Location) Week {
	if zone == nil {
		zone = time.UTC
	}
	year, week := monday.ISOWeek()
	return Week{
		Name: fmt.Sprintf("%04d-W%02d", year, week), Zone: zone,
		From: DayStart(monday, zone), To: DayStart(monday.AddDate(0, 0, 7), zone),
	}
}

// DayStart returns the first instant of a date in a zone, in ns since the Unix epoch. That is
// midnight but where the clocks of the zone are moved at midnight: there the date begins later,
// or has two midnights, of which it is the first. A date that the clocks skip as a whole begins,
// and ends, when they do.
func DayStart(date time.Time, zone *time.Location) int64 {
	midnight := time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, zone)
	first := midnight
	from, to := midnight.ZoneBounds()
	tries := []time.Time{from, to}
	if !from.IsZero() {
		// The same clock time by the offset that held before.
		_, before := from.Add(-1).Zone()
		_, now := midnight.Zone()
		tries = append(tries, midnight.Add(time.Duration(now-before)*time.Second))
	}
	for _, t := range tries {
		if !t.IsZero() && beginsDate(t, date) && (!beginsDate(first, date) || t.Before(first)) {
			first = t
		}
	}
	return first.UnixNano()
}

// beginsDate reports whether an instant is of a date, or of a later one, and the one before it is
// of an earlier one.
func beginsDate(t, date time.Time) bool {
	at := func(t time.Time) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return !at(t).Before(at(date)) && at(t.Add(-1)).Before(at(date))
}
