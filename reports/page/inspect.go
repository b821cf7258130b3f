package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/reports"
)

// seenShown is how many services, hosts or scopes are listed; the rest are counted.
const seenShown = 20

func (b *builder) inspect(in *reports.Inspect, inputs []reports.Input) {
	b.inputs(inputs)
	b.title("what is in it")
	r := in.Rows
	b.field("  rows", fmt.Sprintf("%s, %s, %s, %s, %s", plural(r.Spans, "span"), plural(r.SpanEvents, "span event"),
		plural(r.SpanLinks, "link"), plural(r.Logs, "log record"), plural(r.EngineSamples, "engine sample")))
	if t := in.SpanTime; t != nil {
		b.field("  spans", window(wall, t.StartNS, t.EndNS))
	}
	if t := in.LogTime; t != nil {
		b.field("  logs", window(wall, t.StartNS, t.EndNS))
	}
	if t := in.SampleTime; t != nil {
		b.field("  samples", window(wall, t.StartNS, t.EndNS))
	}
	if in.Undated > 0 {
		b.field("  undated", plural(in.Undated, "span")+" on clocks without a date: durations and order count, times do not")
	}
	b.sampling(in.Sampling)
	b.seen("service", in.Services)
	b.seen("host", in.Hosts)
	b.seen("scope", in.Scopes)
	b.readings(in.Readings)
	b.engines(in.Engines)
	b.clocks(in.Clocks)
	b.classes(in)
	b.joined(in.Joining)
	b.trust(in)
}

func (b *builder) inputs(inputs []reports.Input) {
	if len(inputs) == 0 {
		return
	}
	b.title("inputs")
	g := Table{Columns: []Column{
		{Head: "input", Text: true, Flex: true, Path: true}, {Head: "format", Text: true}, {Head: "bytes"}, {Head: "spans"}, {Head: "logs"}, {Head: "samples"}, {Head: "bad"},
	}}
	shown := shownOf(b, inputs, everything)
	for _, i := range shown {
		format := i.Format
		if i.Compression != "" {
			format += ", " + i.Compression
		}
		g.Rows = append(g.Rows, []string{i.Name, format, reports.Integer(i.Bytes), reports.Integer(i.Spans), reports.Integer(i.Logs), reports.Integer(i.Samples), reports.Integer(i.Bad)})
	}
	b.table(g)
	b.rest(Dim, len(shown), len(inputs), "")
	b.lines(inputs)
}

// lines accounts for the lines of logs: each was used, or not for a reason.
func (b *builder) lines(inputs []reports.Input) {
	g := Table{Columns: []Column{{Head: "input", Text: true, Flex: true, Path: true}, {Head: "lines"}, {Head: "used"}, {Head: "not used, by reason", Text: true}}}
	logs := slices.DeleteFunc(slices.Clone(inputs), func(i reports.Input) bool { return i.Lines == nil })
	shown := shownOf(b, logs, everything)
	for _, i := range shown {
		g.Rows = append(g.Rows, []string{i.Name, reports.Integer(i.Lines.In), reports.Integer(i.Lines.Used), ""})
		last := len(g.Rows) - 1
		for k, u := range i.Lines.Unused {
			text := reports.Integer(u.N) + " " + u.Name
			if k > 0 {
				g.Rows = append(g.Rows, []string{"", "", "", text})
				continue
			}
			g.Rows[last][3] = text
		}
	}
	if len(g.Rows) > 0 {
		b.title("lines of logs")
		b.table(g)
		b.rest(Dim, len(shown), len(logs), "")
	}
}

func (b *builder) sampling(s reports.Sampling) { b.field("  sampling", samplingOf(s)) }

func (b *builder) seen(what string, list []reports.Seen) {
	if len(list) == 0 {
		return
	}
	b.title(what + "s")
	g := Table{Columns: []Column{{Head: what, Text: true, Flex: true}, {Head: "spans"}, {Head: "logs"}}}
	shown := shownOf(b, list, seenShown)
	for _, s := range shown {
		name := s.Name
		if name == "" {
			name = "(not named)"
		}
		g.Rows = append(g.Rows, []string{name, reports.Integer(s.Spans), reports.Integer(s.Logs)})
	}
	b.table(g)
	b.rest(Plain, len(shown), b.limit.Of("inspect."+what+"s", len(list)), fmt.Sprintf("and %d more with fewer spans", len(list)-len(shown)))
}

// readings lists what engines and GPUs said of their state.
func (b *builder) readings(list []reports.Reading) {
	if len(list) == 0 {
		return
	}
	b.title("engine readings")
	g := Table{Columns: []Column{
		{Head: "service", Text: true, Flex: true}, {Head: "metric", Text: true}, {Head: "n"}, {Head: "engines"}, {Head: "least"}, {Head: "median"}, {Head: "most"},
	}}
	shown := shownOf(b, list, everything)
	for _, r := range shown {
		name := r.Metric
		if r.Unit != "ratio" && r.Unit != "ns" && r.Unit != "" {
			name += ", " + r.Unit
		}
		service := r.Service
		if service == "" {
			service = "(not named)"
		}
		g.Rows = append(g.Rows, []string{service, name, reports.Integer(r.N), reports.Integer(r.Engines),
			readValue(r.Least, r.Unit), readValue(r.Median, r.Unit), readValue(r.Most, r.Unit)})
	}
	b.table(g)
	b.rest(Dim, len(shown), b.limit.Of("inspect.readings", len(list)), "")
}

// readValue writes a reading in the unit it is of.
func readValue(v *float64, unit string) string {
	switch {
	case v == nil:
		return absent
	case unit == "ratio":
		return reports.Percent(*v) + " %"
	case unit == "ns":
		return reports.Duration(int64(*v))
	case *v == math.Trunc(*v) && math.Abs(*v) < 1e15:
		return reports.Integer(int64(*v))
	}
	return reports.Number(*v)
}

func (b *builder) classes(in *reports.Inspect) {
	if len(in.Classes) == 0 {
		return
	}
	b.title("requests")
	g := Table{Columns: []Column{{Head: "class", Text: true}, {Head: "why", Text: true, Flex: true}, {Head: "requests"}, {Head: "failed"}}}
	for _, c := range in.Classes {
		g.Rows = append(g.Rows, []string{c.Class, c.Reason, reports.Integer(c.N), reports.Integer(c.Errors)})
	}
	b.table(g)
}

// trust writes how far the path times can be relied on.
func (b *builder) trust(in *reports.Inspect) {
	b.title("can it be trusted")
	b.silently(coverageFigure(in))
	if c := in.Coverage; c.PathSeconds > 0 {
		by := reports.Percents([]float64{c.Exact, c.Anchored, c.Residual})
		b.field("  known", fmt.Sprintf("%s %% of path time exact, %s %% anchored, %s %% residual", by[0], by[1], by[2]))
		of := reports.Percents([]float64{c.Attributed, c.Unattributed})
		b.field("  attributed", fmt.Sprintf("%s %%; unattributed %s %%", of[0], of[1]))
		if !c.Balanced {
			b.field("  warning", "path time by confidence does not add up to path time by stage (confidence-account)")
		}
	}
	b.field("  spans", spanAccount(in.Conservation))
	for _, x := range in.Excluded {
		b.field("", fmt.Sprintf("%s excluded: %s", reports.Integer(x.N), x.Name))
	}
	if in.ExcludedUnnamed != 0 && len(in.Excluded) > 0 {
		b.field("", fmt.Sprintf("%s excluded: reason not given", reports.Integer(in.ExcludedUnnamed)))
	}
	t := in.Tiling
	switch {
	case t.Failed > 0:
		b.field("  tiling", fmt.Sprintf("FAILED for %s of %s; the first: %s", reports.Integer(t.Failed), plural(t.Checked, "request"), t.First))
	case t.Checked == 0:
		b.field("  tiling", "no request to check")
	case t.NoSegments:
		b.field("  tiling", fmt.Sprintf("stage times add up for %s; there are no segments to check", plural(t.Checked, "request")))
	default:
		b.field("  tiling", fmt.Sprintf("exact to the nanosecond for %s", plural(t.Checked, "request")))
	}
}

// quality writes the account of losses, repairs and doubts. Outside inspect, what
// cost nothing is counted only.
func (b *builder) quality(d reports.Document) {
	if len(d.Quality) == 0 {
		if d.Kind == reports.KindInspect {
			b.title("input quality: no issue was met")
		}
		return
	}
	var shown []reports.Quality
	harmless := int64(0)
	for _, q := range d.Quality {
		if q.Severity == "info" && d.Kind != reports.KindInspect {
			harmless++
			continue
		}
		shown = append(shown, q)
	}
	b.title("input quality")
	b.table(issueTable(shown))
	if harmless > 0 {
		b.hanging(Plain, "  ", plural(harmless, "kind")+" of issue that cost nothing: tailpath inspect lists them")
	}
}

// issueTable lists issues, with what to do about each.
func issueTable(list []reports.Quality) Table {
	t := Table{Columns: []Column{
		{Head: "severity", Text: true}, {Head: "count"}, {Head: "issue", Text: true},
		{Head: "first met", Text: true, Flex: true, Path: true}, {Head: "what to do", Text: true, Below: true},
	}}
	for _, q := range list {
		advice := q.Advice
		if q.Detail != "" {
			advice = q.Detail + ": " + advice
		}
		t.Rows = append(t.Rows, []string{q.Severity, reports.Integer(q.Count), q.ID, place(q), advice})
	}
	return t
}

// place writes where an issue was met, as file:line or as file at a byte.
func place(q reports.Quality) string {
	switch {
	case q.Source == "":
		return absent
	case q.Line > 0:
		return q.Source + ":" + strconv.FormatInt(q.Line, 10)
	case q.Offset != nil:
		return q.Source + " byte " + reports.Integer(*q.Offset)
	}
	return q.Source
}
