package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/ingest/store"
)

// timesOf reads the flags about times, and resolves them by a last record.
func timesOf(last string, flags flagValues) (*analyze.Interval, *analyze.Week, error) {
	t, err := (&program{flags: flags}).times()
	if err != nil {
		return nil, nil, err
	}
	at, err := time.Parse(time.RFC3339Nano, last)
	return t.resolve(at.UnixNano(), err == nil)
}

func TestTimesOfFlags(t *testing.T) {
	const last = "2026-08-20T12:00:01.3Z" // a Thursday
	for _, c := range []struct {
		since, until, week, tz string
		last                   string
		want                   string // the words of the time, or what the error says
	}{
		{since: "2026-08-17", want: "from 2026-08-17T00:00:00Z on"},
		{until: "2026-08-17", tz: "America/New_York", want: "before 2026-08-17T04:00:00Z"},
		{since: "2026-08-17T14:10:00.25+02:00", tz: "Asia/Tokyo", want: "from 2026-08-17T12:10:00.25Z on"},
		{since: "2026-08-17T14:10", want: "from 2026-08-17T14:10:00Z on"},
		{since: "2026-08-17 14:10Z", tz: "Asia/Tokyo", want: "from 2026-08-17T14:10:00Z on"},
		{since: "2026-08-17 14:10:05.5", tz: "+02:00", want: "from 2026-08-17T12:10:05.5Z on"},
		{since: "14:10", until: "14:20", want: "from 2026-08-20T14:10:00Z up to 2026-08-20T14:20:00Z"},
		{since: "01:30", tz: "Pacific/Auckland", want: "from 2026-08-20T13:30:00Z on"}, // it is the 21st there
		{since: "-7d", want: "from 2026-08-13T12:00:01.3Z on"},
		{since: "-2w", until: "-1h30m", want: "from 2026-08-06T12:00:01.3Z up to 2026-08-20T10:30:01.3Z"},
		{since: "-1.5h", want: "from 2026-08-20T10:30:01.3Z on"},
		{week: "2026-W34", want: "from 2026-08-17T00:00:00Z up to 2026-08-24T00:00:00Z"},
		{week: "2026-W34", tz: "Europe/Berlin", want: "from 2026-08-16T22:00:00Z up to 2026-08-23T22:00:00Z"},
		{week: "last", want: "from 2026-08-10T00:00:00Z up to 2026-08-17T00:00:00Z"},
		{week: "last", last: "2026-08-23T23:59:59Z", want: "from 2026-08-17T00:00:00Z up to 2026-08-24T00:00:00Z"},
		{week: "last", last: "2026-08-24T01:00:00Z", want: "from 2026-08-17T00:00:00Z up to 2026-08-24T00:00:00Z"},
		{week: "last", last: "2026-08-23T22:59:59Z", want: "from 2026-08-10T00:00:00Z up to 2026-08-17T00:00:00Z"},
		{since: "2026-02-30", want: "is no time"},
		{since: "25:00", want: "is no time"},
		{since: "7d", want: "is no time"},
		{since: "-0d", want: "is no time before the last record"},
		{since: "--1h", want: "is no time before the last record"},
		{since: "-99999d", want: "is no time before the last record"},
		{since: "-", want: "is no time before the last record"},
		{since: "1969-12-31", want: "is of no year from 1970 to 2261"},
		{since: "2026-08-18", until: "2026-08-17", want: "is not after --since 2026-08-18"},
		{since: "14:10", until: "14:10", want: "is not after --since 14:10"},
		{since: "02:30", last: "2026-03-29T12:00:00Z", tz: "Europe/Berlin", want: "is a time that the clocks of Europe/Berlin skip"},
		{since: "02:30", last: "2026-10-25T12:00:00Z", tz: "Europe/Berlin", want: "is there twice by the clocks of Europe/Berlin"},
		{since: "-1h", last: "none", want: "no record has a date"},
		{week: "last", last: "none", want: "no record has a date"},
		{since: "2026-08-17", last: "none", want: "from 2026-08-17T00:00:00Z on"},
		{week: "2026-W54", want: "has no week 54"},
		{week: "2026-W34", until: "-1h", want: "are both given"},
		{since: "2026-08-17", tz: "Mars", want: "is no time zone"},
	} {
		flags := flagValues{since: c.since, until: c.until, week: c.week}
		if c.tz != "" {
			flags.zones = []string{"vllm=Asia/Kolkata", c.tz}
		}
		if c.last == "" {
			c.last = last
		}
		in, _, err := timesOf(c.last, flags)
		got := ""
		if err != nil {
			got = err.Error()
		} else if in != nil {
			got = in.Words()
		}
		if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("--since %q --until %q --week %q --tz %q by %s: %q, want %q", c.since, c.until, c.week, c.tz, c.last, got, c.want)
		}
		var f *fault
		if err != nil && (!errors.As(err, &f) || f.hint == "") {
			t.Errorf("%v has no hint", err)
		}
	}
}

// TestLocalTimesAreRightOrRefused: a date and time is the instant at which the clocks of the zone
// show it, and what they skip or show twice is refused.
func TestLocalTimesAreRightOrRefused(t *testing.T) {
	const layout = "2006-01-02 15:04:05"
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Asia/Kolkata"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(1_500_000_000, 1_800_000_000).Draw(t, "second"), 0).In(zone)
		text := at.Format(layout)
		shown := 0 // how often clocks show it within a day
		for _, by := range []time.Duration{-time.Hour, -30 * time.Minute, 0, 30 * time.Minute, time.Hour} {
			if at.Add(by).Format(layout) == text {
				shown++
			}
		}
		m, err := parseMoment("--since", text, zone)
		if shown == 1 && (err != nil || m.ns != at.UnixNano()) || shown > 1 && err == nil {
			t.Fatalf("%s, shown %d times, is %v (%v), want %v", text, shown, time.Unix(0, m.ns).In(zone), err, at)
		}
		skipped := at.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "by"))).Format(layout)
		m, err = parseMoment("--since", skipped, zone)
		if err == nil && time.Unix(0, m.ns).In(zone).Format(layout) != skipped {
			t.Fatalf("%s is taken for %v", skipped, time.Unix(0, m.ns).In(zone))
		}
	})
}

// FuzzTimes: no text makes it panic, and what is taken is of a year that fits.
func FuzzTimes(f *testing.F) {
	for _, text := range []string{"2026-08-17", "-7d", "14:10", "2026-08-17T14:10:00Z", "-1h30m", "9999-12-31", "-9223372036854775808ns"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMoment("--since", text, time.UTC)
		if err == nil && m.is == isInstant {
			if y := time.Unix(0, m.ns).UTC().Year(); y < leastYear-1 || y > lastYear+1 {
				t.Fatalf("%q is of year %d", text, y)
			}
		}
		if err == nil && m.is == isBack && m.ns <= 0 {
			t.Fatalf("%q is %d ns back", text, m.ns)
		}
	})
}

// TestPartsAroundATime: those of an hour before and after are read as well, and an open end has
// no other.
func TestPartsAroundATime(t *testing.T) {
	const hour = int64(time.Hour)
	for _, c := range []struct{ in, want analyze.Interval }{
		{analyze.Interval{Start: 10 * hour, End: 20 * hour}, analyze.Interval{Start: 9 * hour, End: 21*hour - 1}},
		{analyze.Interval{Start: analyze.OpenStart, End: analyze.OpenEnd}, analyze.Interval{Start: analyze.OpenStart, End: analyze.OpenEnd}},
	} {
		if from, to := widened(c.in); from != c.want.Start || to != c.want.End {
			t.Errorf("around %v is %d to %d", c.in, from, to)
		}
	}
	if got := holds([]*store.Store{nil}, time.UTC); got != "" {
		t.Errorf("no store holds %q", got)
	}
}
