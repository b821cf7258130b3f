package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/export"
)

// defaultLength is how long an engine is shown when --for does not say.
const defaultLength = time.Minute

// longestLength is the longest time that an engine is shown for: viewers draw no more.
const longestLength = 24 * time.Hour

// mostRequests is how many requests may be at an engine that is shown, and mostSlowest how many
// are shown one by one: files of some ten MB, and viewers get slow with larger ones.
const (
	mostRequests = 10_000
	mostSlowest  = 1000
)

// checkPerfetto says whether the flags name one thing to show.
func (e *exporter) checkPerfetto() error {
	f := &e.flags
	named := 0
	for _, given := range []bool{f.request != "", f.slowest > 0, f.engine != ""} {
		if given {
			named++
		}
	}
	if named != 1 {
		what := "nothing to show is named"
		if named > 1 {
			what = "more than one thing to show is named"
		}
		return usage("export", what, "one of --request ID, --slowest N and --engine NAME")
	}
	if f.request != "" {
		return e.refuseChoice("--request "+f.request, "names its request", "leave it out, or use --slowest")
	}
	if f.slowest > mostSlowest {
		return usage("--slowest "+strconv.Itoa(f.slowest), "viewers draw no more than "+count(mostSlowest, "request"), "a smaller number, or -f pprof for all of them")
	}
	_, err := e.length()
	return err
}

// length returns how long an engine is shown.
func (e *exporter) length() (time.Duration, error) {
	text := e.flags.length
	if text == "" {
		return defaultLength, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > longestLength {
		return 0, usage("--for "+text, "is no time up to 24h", "such as --for 60s")
	}
	return d, nil
}

// perfetto exports requests, or an engine for a while, as a trace for Perfetto.
func (e *exporter) perfetto(l *loaded) error {
	switch {
	case e.flags.engine != "":
		return e.engineTrace(l)
	case e.flags.request != "":
		found, err := findRequests(l, strings.ToLower(e.flags.request))
		if err != nil {
			return err
		}
		return e.requestTrace(l, found, false)
	}
	var found []*critical.Request
	peers := analyze.NewPeers(l.set, e.choiceOf(l))
	for _, x := range peers.Slowest(e.flags.slowest) {
		for _, r := range l.builder.Find(x.TraceID) {
			if r.Spans[0].ID == x.RootSpanID {
				found = append(found, r)
			}
		}
	}
	if err := e.enough(l, int64(len(found))); err != nil {
		return err
	}
	return e.requestTrace(l, found, true)
}

func (e *exporter) requestTrace(l *loaded, found []*critical.Request, chosen bool) error {
	return e.deliver(l, count(len(found), "request"), chosen, func(w io.Writer) error { return export.WriteRequests(w, l.set, found) })
}

// engineTrace exports what an engine did.
func (e *exporter) engineTrace(l *loaded) error {
	number, err := e.findEngine(l)
	if err != nil {
		return err
	}
	timelines := l.builder.Engines()
	named := timelines.Engines()[number]
	busy := timelines.Occupancy(number)
	at := export.Window{Engines: timelines, Engine: number, From: busy.From, Most: mostRequests}
	if e.flags.at != "" {
		last := busy.To
		if l.source.known {
			last = l.source.last
		}
		if at.From, err = e.instant(named, last); err != nil {
			return err
		}
	}
	length, err := e.length()
	if err != nil {
		return err
	}
	at.To = at.From + min(int64(length), math.MaxInt64-max(at.From, 0))
	if named.Clock == table.ClockNames[table.ClockNone] || at.From >= busy.To || at.To <= busy.From {
		hint := "its requests have no times that could be set against each other"
		if named.Clock == table.ClockNames[table.ClockWall] {
			hint = fmt.Sprintf("it was busy from %s to %s", reports.TimeMilli(busy.From), reports.TimeMilli(busy.To))
		}
		return nothing(l.where(), "no request was at engine "+named.Name+" then", hint)
	}
	keep := make([]bool, l.set.Requests.Len())
	rows, err := e.chosen(l)
	if err != nil {
		return err
	}
	for _, row := range rows {
		keep[row] = true
	}
	var text bytes.Buffer
	n, err := export.WriteEngine(&text, l.set, at, func(row int) bool { return keep[row] })
	var many *export.TooManyError
	if errors.As(err, &many) {
		return tooMany(named.Name, many)
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return nothing(l.where(), "none of the chosen requests was at engine "+named.Name+" then", e.moreRequests(l))
	}
	return e.deliver(l, "engine "+named.Name+" for "+reports.Duration(at.To-at.From)+", "+count(n, "request"), true, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// tooMany is the fault of a time in which more requests were at an engine than viewers draw.
func tooMany(engine string, many *export.TooManyError) error {
	what := fmt.Sprintf("%s were at engine %s then, and viewers draw no more than %s", count(many.Requests, "request"), engine, count(many.Most, "request"))
	return usage("export", what, "show it for a shorter time with --for")
}

// instant returns the time of --at on the engine's clock, by the last record as --since is.
func (e *exporter) instant(of engine.Engine, last int64) (int64, error) {
	where := "--at " + e.flags.at
	if of.Clock != table.ClockNames[table.ClockWall] {
		return 0, usage(where, "engine "+of.Name+" has no dates, its clock is "+of.Clock, "leave out --at: its first requests are shown")
	}
	zone, err := e.zone()
	if err != nil {
		return 0, err
	}
	m, err := parseMoment("--at", e.flags.at, zone)
	if err != nil {
		return 0, err
	}
	return m.at(last, zone)
}

// findEngine returns the number of the engine that --engine names: by its whole name, else by
// its service, host or instance, if that is of one engine alone.
func (e *exporter) findEngine(l *loaded) (int32, error) {
	given := e.flags.engine
	var all, like []string
	number := int32(-1)
	for i, x := range l.builder.Engines().Engines() {
		if x.Name == given {
			return int32(i), nil
		}
		all = append(all, x.Name)
		if given == x.Service || given == x.Host || given == x.Instance {
			like, number = append(like, x.Name), int32(i)
		}
	}
	switch {
	case len(like) == 1:
		return number, nil
	case len(like) > 1:
		return -1, usage("--engine "+given, fmt.Sprintf("is of %d engines", len(like)), "name one of them: "+someNames(like))
	case len(all) == 0:
		return -1, nothing(l.where(), "no engine is known, because no span or record tells of an execution", "tailpath inspect says what was read")
	}
	return -1, nothing(l.where(), "there is no engine "+given, "there is "+someNames(all))
}

// mostListed is how many names a hint lists.
const mostListed = 5

// someNames writes the first names of a list, each as one argument of a shell.
func someNames(names []string) string {
	var out []string
	for _, name := range names[:min(len(names), mostListed)] {
		out = append(out, reports.Quote(name))
	}
	text := strings.Join(out, ", ")
	if n := len(names) - mostListed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
