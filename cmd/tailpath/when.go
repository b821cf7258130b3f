package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// lastWeek is the value of --week that stands for the last one that is over.
const lastWeek = "last"

// settled is how long before its end a week counts as over: who records up to midnight has the
// last record a little before it.
const settled = time.Hour

// timesHint is the hint for a text that is no time.
const timesHint = "such as 2026-08-17, '2026-08-17 14:10', 14:10, 2026-08-17T14:10:00Z, or -2h before the last record: tailpath help filters"

// moment is a time as a flag gives it: an instant, one that is reckoned back from the last
// record, or a time of its day.
type moment struct {
	flag, text string
	is         momentKind
	ns         int64 // the instant, or how long before the last record
	ofDay      time.Time
}

type momentKind uint8

const (
	isInstant momentKind = iota
	isBack
	isOfDay
)

// chosenTimes is what the flags say of the time in which requests start.
type chosenTimes struct {
	zone         *time.Location
	since, until *moment
	week         string // of --week; empty without it
	named        analyze.Week
	// split, baseSince and baseUntil are those of a base with a time of its own. one says that it
	// is of the same set, of which resolve then returns the time of the new side.
	split, baseSince, baseUntil *moment
	one                         bool
}

// zone returns the zone of times that are given and told: that of a --tz without a source.
func (p *program) zone() (*time.Location, error) {
	zone, first := time.UTC, ""
	for _, text := range p.flags.zones {
		if strings.Contains(text, "=") {
			continue
		}
		if first != "" && text != first {
			return nil, usage("--tz "+text, "is a second zone beside "+first, "one is that of --since, --until and --week, and of logs that no other names; give others with what they are of, such as --tz 'vllm="+text+"'")
		}
		z, err := parseZone(text)
		if err != nil {
			return nil, err
		}
		zone, first = z.Location, text
	}
	return zone, nil
}

// times reads the flags about times, as far as that can be done before the input is read.
func (p *program) times() (chosenTimes, error) {
	var t chosenTimes
	var err error
	if t.zone, err = p.zone(); err != nil {
		return t, err
	}
	for _, f := range []struct {
		flag, text string
		into       **moment
	}{
		{"--since", p.flags.since, &t.since}, {"--until", p.flags.until, &t.until},
		{splitFlag, p.flags.split, &t.split}, {baseSinceFlag, p.flags.baseSince, &t.baseSince}, {baseUntilFlag, p.flags.baseUntil, &t.baseUntil},
	} {
		if f.text == "" {
			continue
		}
		m, err := parseMoment(f.flag, f.text, t.zone)
		if err != nil {
			return t, err
		}
		*f.into = &m
	}
	if t.split != nil && (t.baseSince != nil || t.baseUntil != nil) {
		return t, usage(splitFlag+" "+t.split.text, "and "+baseSinceFlag+" or "+baseUntilFlag+" are both given", "--since and --until bound what "+splitFlag+" divides")
	}
	if p.flags.baseline != "" && t.ownBase() {
		return t, usage("--baseline "+p.flags.baseline, "and "+t.ofBase().flags()+" are both given", "the one names what the report is set against, the other is a time of its own FILEs: leave out one")
	}
	if t.week = p.flags.week; t.week != "" {
		if t.ownBase() {
			return t, usage("--week "+t.week, "and "+t.ofBase().flags()+" are both given", "a week is set against those before it: leave out one")
		}
		if t.since != nil || t.until != nil {
			return t, usage("--week "+t.week, "and --since or --until are both given", "a week has its own bounds: leave out the others")
		}
		if t.week != lastWeek {
			if t.named, err = analyze.ParseWeek(t.week, t.zone); err != nil {
				return t, usage("--week "+t.week, err.Error(), "such as --week 2026-W47, or --week last for the last one that is over")
			}
		}
	}
	return t, t.inOrder()
}

// inOrder says what is wrong with the order of the times, where that can be told before the input
// is read.
func (t chosenTimes) inOrder() error {
	if !t.given() || t.needsLast() {
		return nil
	}
	_, _, err := t.resolve(0, true)
	return err
}

// given reports whether a time was chosen.
func (t chosenTimes) given() bool {
	return t.since != nil || t.until != nil || t.week != "" || t.one
}

// needsLast reports whether it is reckoned from the last record.
func (t chosenTimes) needsLast() bool {
	from := func(m *moment) bool { return m != nil && m.is != isInstant }
	return from(t.since) || from(t.until) || t.week == lastWeek || t.one && (from(t.split) || from(t.baseSince) || from(t.baseUntil))
}

// resolve returns the time, and its week if it is one. last is the last instant, in ns since the
// epoch, that a record with a date tells of; known is false where none has one.
func (t chosenTimes) resolve(last int64, known bool) (*analyze.Interval, *analyze.Week, error) {
	if !t.given() {
		return nil, nil, nil
	}
	if t.needsLast() && !known {
		return nil, nil, nothing("", "no record has a date, and "+t.flags()+" is reckoned from that of the last one", "tailpath inspect tells what was read")
	}
	if t.week != "" {
		week := t.named
		if t.week == lastWeek {
			week = analyze.WeekAt(last+int64(settled), t.zone).Before(1)
		}
		in := week.Interval()
		return &in, &week, nil
	}
	if t.one {
		_, in, err := t.halves(last)
		return &in[change.New], nil, err
	}
	in, err := t.interval(last)
	return &in, nil, err
}

// interval returns the time from --since to --until, or what stands for them.
func (t chosenTimes) interval(last int64) (analyze.Interval, error) {
	in := analyze.Interval{Start: analyze.OpenStart, End: analyze.OpenEnd}
	for _, f := range []struct {
		m    *moment
		into *int64
	}{{t.since, &in.Start}, {t.until, &in.End}} {
		if f.m == nil {
			continue
		}
		ns, err := f.m.at(last, t.zone)
		if err != nil {
			return in, err
		}
		*f.into = ns
	}
	if in.Start >= in.End {
		return in, usage(t.until.flag+" "+t.until.text, "is not after "+t.since.flag+" "+t.since.text, "requests are kept that start at "+t.since.flag+" or later, and before "+t.until.flag)
	}
	return in, nil
}

// flags spells the flags that were given.
func (t chosenTimes) flags() string {
	var out []string
	for _, m := range []*moment{t.since, t.until, t.split, t.baseSince, t.baseUntil} {
		if m != nil {
			out = append(out, m.flag+" "+m.text)
		}
	}
	if t.week != "" {
		out = append(out, "--week "+t.week)
	}
	return strings.Join(out, " ")
}

// The layouts of times, without and with their zone, of dates, and of times of a day.
var (
	zonedLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00"}
	localLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04"}
	dayLayouts   = []string{"15:04", "15:04:05.999999999"}
)

// parseMoment reads the time that a flag gives.
func parseMoment(flag, text string, zone *time.Location) (moment, error) {
	m := moment{flag: flag, text: text}
	where := flag + " " + text
	if back, ok := strings.CutPrefix(text, "-"); ok {
		ns, err := parseBack(back)
		if err != nil {
			return m, usage(where, "is no time before the last record", "such as -7d, -2h, -30m or -1h30m; d is 24 hours, w is 7 d")
		}
		m.is, m.ns = isBack, ns
		return m, nil
	}
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			m.is, m.ofDay = isOfDay, t
			return m, nil
		}
	}
	var t time.Time
	var err error
	for _, layout := range zonedLayouts {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	if err == nil {
		m.ns = t.UnixNano()
	} else if t, err = time.Parse(time.DateOnly, text); err == nil {
		m.ns = analyze.DayStart(t, zone)
	} else {
		for _, layout := range localLayouts {
			if t, err = time.Parse(layout, text); err == nil {
				break
			}
		}
		if err != nil {
			hint := timesHint
			if _, back := parseBack(text); back == nil {
				hint = "did you mean " + flag + " -" + text + ", before the last record?"
			}
			return m, usage(where, "is no time", hint)
		}
		if m.ns, err = localTime(where, t, zone); err != nil {
			return m, err
		}
	}
	if y := t.Year(); y < leastYear || y > lastYear {
		return m, usage(where, fmt.Sprintf("is of no year from %d to %d", leastYear, lastYear), "times are those of the records")
	}
	return m, nil
}

// parseBack reads how long before the last record a time is: whole weeks, days of 24 hours, or
// hours, minutes and seconds. It is positive, in ns.
func parseBack(text string) (int64, error) {
	const most = 100 * 366 * 24 * time.Hour
	each := map[string]time.Duration{"w": 7 * 24 * time.Hour, "d": 24 * time.Hour}
	var back time.Duration
	var err error
	if unit := text[max(0, len(text)-1):]; each[unit] > 0 {
		var n uint64
		if n, err = strconv.ParseUint(strings.TrimSuffix(text, unit), 10, 16); err == nil {
			back = time.Duration(n) * each[unit]
		}
	} else {
		back, err = time.ParseDuration(text)
	}
	if err == nil && (back <= 0 || back > most || strings.ContainsAny(text, "+-")) {
		err = fmt.Errorf("%s is not from 1ns to 100 years", text)
	}
	return int64(back), err
}

// localTime returns the instant at which the clocks of a zone show the date and time of t, in
// ns. Where they are moved there may be none, or two.
func localTime(where string, t time.Time, zone *time.Location) (int64, error) {
	const layout = "2006-01-02T15:04:05.999999999"
	want := t.Format(layout)
	at := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	if at.Format(layout) != want {
		return 0, usage(where, "is a time that the clocks of "+zone.String()+" skip", "give it with its offset: "+at.Format(time.RFC3339)+" is the same moment")
	}
	_, offset := at.Zone()
	from, to := at.ZoneBounds()
	for _, edge := range []time.Time{from.Add(-1), to} {
		if from.IsZero() && edge.Equal(from.Add(-1)) || edge.IsZero() {
			continue
		}
		_, other := edge.Zone()
		again := at.Add(time.Duration(offset-other) * time.Second)
		if other != offset && again.Format(layout) == want {
			return 0, usage(where, "is there twice by the clocks of "+zone.String(), "give it with its offset: "+at.Format(time.RFC3339)+" or "+again.Format(time.RFC3339))
		}
	}
	return at.UnixNano(), nil
}

// at returns the instant of a time, by the last record, in ns since the epoch.
func (m *moment) at(last int64, zone *time.Location) (int64, error) {
	switch m.is {
	case isBack:
		return last - m.ns, nil
	case isOfDay:
		day := time.Unix(0, last).In(zone)
		return localTime(m.flag+" "+m.text, time.Date(day.Year(), day.Month(), day.Day(), m.ofDay.Hour(), m.ofDay.Minute(), m.ofDay.Second(), m.ofDay.Nanosecond(), time.UTC), zone)
	}
	return m.ns, nil
}

// reportTime returns the week that a command was asked for; nil when it was asked for none.
func (p *program) reportTime(l *loaded) *analyze.Week { return l.week }

// choiceOf returns which requests of some tables the flags choose.
func (p *program) choiceOf(l *loaded) analyze.Options {
	choice := p.choice()
	choice.During = l.during
	return choice
}

// starts says when the requests start that were read, for who chose a time in which none does.
func (l *loaded) starts() string {
	r := &l.set.Requests
	first, last, some := int64(0), int64(0), false
	for _, row := range l.rows() {
		class := critical.Class(r.Class[row])
		whole := class == critical.Complete || class == critical.Incomplete // others start when they can
		if at := r.Start[row]; whole && r.Clock[row] == table.ClockWall && at != table.Missing {
			if !some {
				first, last, some = at, at, true
			}
			first, last = min(first, at), max(last, at)
		}
	}
	if !some {
		return "no request that is complete has a date, by which a time could choose it"
	}
	text := "those that were read start " + reports.TimeMilli(first) + " to " + reports.TimeMilli(last)
	if l.week != nil {
		from, to := analyze.WeekAt(first, l.week.Zone).Name, analyze.WeekAt(last, l.week.Zone).Name
		if text += ": --week " + from; to != from {
			text += " to " + to
		}
	}
	return text
}

// flagValue is a flag as it was given.
type flagValue struct{ name, value string }

// sameTimes returns the flags that choose the same time in another command, which may have no
// weeks.
func (p *program) sameTimes() (out []flagValue) {
	switch {
	case p.flags.week != "" && p.during != nil:
		at := func(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339) }
		return []flagValue{{"since", at(p.during.Start)}, {"until", at(p.during.End)}}
	case p.flags.week != "":
		return nil
	}
	for _, f := range []struct {
		name string
		at   *moment
	}{{"since", p.bounds.since}, {"until", p.bounds.until}} {
		if f.at != nil {
			out = append(out, flagValue{f.name, f.at.text})
		}
	}
	return out
}
