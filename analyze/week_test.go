package analyze

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

// zones have clocks that are moved at night, at midnight and never, and a date that never was.
var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"}

func zoneNamed(t interface{ Fatal(...any) }, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestWeeksAreThoseOfISO8601: the week of an instant is that of the standard library, its first
// and last instants are of it and those around them are not, and its name leads back to it.
func TestWeeksAreThoseOfISO8601(t *testing.T) {
	from, to := time.Date(1970, 1, 5, 12, 0, 0, 0, time.UTC).Unix(), time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		zone := zoneNamed(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		ns := rapid.Int64Range(from, to).Draw(t, "second") * 1e9
		w := WeekAt(ns, zone)
		if ns < w.From || ns >= w.To {
			t.Fatalf("%d is not in %+v", ns, w)
		}
		year, week := time.Unix(0, ns).In(zone).ISOWeek()
		inside := func(ns int64) bool {
			y, v := time.Unix(0, ns).In(zone).ISOWeek()
			return y == year && v == week
		}
		if !inside(w.From) || !inside(w.To-1) || inside(w.From-1) || inside(w.To) {
			t.Fatalf("%+v has other bounds than week %d of %d", w, week, year)
		}
		if again, err := ParseWeek(w.Name, zone); err != nil || again != w {
			t.Fatalf("%s is %+v (%v), want %+v", w.Name, again, err, w)
		}
		n := rapid.IntRange(1, 60).Draw(t, "weeks")
		if before := w.Before(n); before.Before(-n) != w || w.Before(1).To != w.From || w.Before(0) != w {
			t.Fatalf("%d weeks before %+v is %+v", n, w, before)
		}
	})
}

func TestParseWeek(t *testing.T) {
	const hour = int64(time.Hour)
	for _, c := range []struct {
		name, zone, from string
		hours            int64
	}{
		{"2026-W47", "UTC", "2026-11-16T00:00:00Z", 168},
		{"2026-W47", "Europe/Berlin", "2026-11-15T23:00:00Z", 168},
		{"2026-W13", "Europe/Berlin", "2026-03-22T23:00:00Z", 167},
		{"2026-W43", "Europe/Berlin", "2026-10-18T22:00:00Z", 169},
		{"2020-W53", "UTC", "2020-12-28T00:00:00Z", 168},
		{"2021-W01", "UTC", "2021-01-04T00:00:00Z", 168},
	} {
		w, err := ParseWeek(c.name, zoneNamed(t, c.zone))
		if got := time.Unix(0, w.From).UTC().Format(time.RFC3339); err != nil || got != c.from || w.To-w.From != c.hours*hour {
			t.Errorf("%s in %s begins %s and has %d h (%v), want %s and %d h", c.name, c.zone, got, (w.To-w.From)/hour, err, c.from, c.hours)
		}
	}
	for _, bad := range []string{"", "2026", "2026-47", "2026-W5", "2026-W00", "2026-W54", "2021-W53", "26-W47", "1969-W01", "2262-W01", "2026-W4x", "+026-W47", "2026-W+7", "2026-W-7"} {
		if w, err := ParseWeek(bad, nil); err == nil {
			t.Errorf("%q is %+v", bad, w)
		}
	}
}

// TestDaysThatDoNotBeginAtMidnight: where clocks are moved at midnight a date begins with its
// first instant.
func TestDaysThatDoNotBeginAtMidnight(t *testing.T) {
	for _, c := range []struct{ zone, date, from string }{
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // 00:00 is 01:00
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},    // 01:00 is 00:00 again
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"},       // 00:00 is 01:00
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},      // the 30th never was
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00Z"}, // nor was this
	} {
		date, err := time.Parse(time.DateOnly, c.date)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Unix(0, DayStart(date, zoneNamed(t, c.zone))).UTC().Format(time.RFC3339); got != c.from {
			t.Errorf("%s in %s begins %s, want %s", c.date, c.zone, got, c.from)
		}
	}
}
