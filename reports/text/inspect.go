package text

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tailpath/tailpath/reports"
)

// seenShown is how many services, hosts or scopes are listed; the rest are counted.
const seenShown = 20

func (p *page) inspect(in *reports.Inspect, inputs []reports.Input) {
	p.inputs(inputs)
	p.title("what is in it")
	r := in.Rows
	p.field("  rows", fmt.Sprintf("%s, %s, %s, %s, %s", plural(r.Spans, "span"), plural(r.SpanEvents, "span event"),
		plural(r.SpanLinks, "link"), plural(r.Logs, "log record"), plural(r.EngineSamples, "engine sample")))
	if t := in.SpanTime; t != nil {
		p.field("  spans", window(wall, t.StartNS, t.EndNS))
	}
	if t := in.LogTime; t != nil {
		p.field("  logs", window(wall, t.StartNS, t.EndNS))
	}
	if t := in.SampleTime; t != nil {
		p.field("  samples", window(wall, t.StartNS, t.EndNS))
	}
	if in.Undated > 0 {
		p.field("  undated", plural(in.Undated, "span")+" on clocks without a date: durations and order count, times do not")
	}
	p.sampling(in.Sampling)
	p.seen("service", in.Services)
	p.seen("host", in.Hosts)
	p.seen("scope", in.Scopes)
	p.readings(in.Readings)
	p.engines(in.Engines)
	p.clocks(in.Clocks)
	p.classes(in)
	p.joined(in.Joining)
	p.trust(in)
}

func (p *page) inputs(inputs []reports.Input) {
	if len(inputs) == 0 {
		return
	}
	p.title("inputs")
	g := grid{columns: []column{
		{head: "input", text: true, flex: true, path: true}, {head: "format", text: true}, {head: "bytes"}, {head: "spans"}, {head: "logs"}, {head: "samples"}, {head: "bad"},
	}}
	for _, i := range inputs {
		format := i.Format
		if i.Compression != "" {
			format += ", " + i.Compression
		}
		g.rows = append(g.rows, []string{i.Name, format, reports.Integer(i.Bytes), reports.Integer(i.Spans), reports.Integer(i.Logs), reports.Integer(i.Samples), reports.Integer(i.Bad)})
	}
	p.table(g)
	p.lines(inputs)
}

// lines accounts for the lines of logs: each was used, or not for a reason.
func (p *page) lines(inputs []reports.Input) {
	g := grid{columns: []column{{head: "input", text: true, flex: true, path: true}, {head: "lines"}, {head: "used"}, {head: "not used, by reason", text: true}}}
	for _, i := range inputs {
		if i.Lines == nil {
			continue
		}
		g.rows = append(g.rows, []string{i.Name, reports.Integer(i.Lines.In), reports.Integer(i.Lines.Used), ""})
		last := len(g.rows) - 1
		for k, u := range i.Lines.Unused {
			text := reports.Integer(u.N) + " " + u.Name
			if k > 0 {
				g.rows = append(g.rows, []string{"", "", "", text})
				continue
			}
			g.rows[last][3] = text
		}
	}
	if len(g.rows) > 0 {
		p.title("lines of logs")
		p.table(g)
	}
}

func (p *page) sampling(s reports.Sampling) {
	text := "nothing says that traces were dropped"
	switch s.Kind {
	case "none":
		text = "every trace was kept"
	case "uniform":
		text = fmt.Sprintf("1 in %s traces was kept, all alike", reports.Number(s.WeightLow))
	case "weighted":
		text = fmt.Sprintf("traces stand for %s to %s requests each", reports.Number(s.WeightLow), reports.Number(s.WeightHigh))
	case "partial":
		text = fmt.Sprintf("only %s say how many requests they stand for", plural(s.Weighted, "request"))
	case "suspected":
		text = "attribute " + s.Mark + " shows that a sampler chose among traces"
	}
	p.field("  sampling", text)
}

func (p *page) seen(what string, list []reports.Seen) {
	if len(list) == 0 {
		return
	}
	p.title(what + "s")
	g := grid{columns: []column{{head: what, text: true, flex: true}, {head: "spans"}, {head: "logs"}}}
	for _, s := range list[:min(len(list), seenShown)] {
		name := s.Name
		if name == "" {
			name = "(not named)"
		}
		g.rows = append(g.rows, []string{name, reports.Integer(s.Spans), reports.Integer(s.Logs)})
	}
	p.table(g)
	if more := len(list) - seenShown; more > 0 {
		p.hanging(plain, "  ", fmt.Sprintf("and %d more with fewer spans", more))
	}
}

// readings lists what engines and GPUs said of their state.
func (p *page) readings(list []reports.Reading) {
	if len(list) == 0 {
		return
	}
	p.title("engine readings")
	g := grid{columns: []column{
		{head: "service", text: true, flex: true}, {head: "metric", text: true}, {head: "n"}, {head: "engines"}, {head: "least"}, {head: "median"}, {head: "most"},
	}}
	for _, r := range list {
		name := r.Metric
		if r.Unit != "ratio" && r.Unit != "ns" && r.Unit != "" {
			name += ", " + r.Unit
		}
		service := r.Service
		if service == "" {
			service = "(not named)"
		}
		g.rows = append(g.rows, []string{service, name, reports.Integer(r.N), reports.Integer(r.Engines),
			readValue(r.Least, r.Unit), readValue(r.Median, r.Unit), readValue(r.Most, r.Unit)})
	}
	p.table(g)
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

func (p *page) classes(in *reports.Inspect) {
	if len(in.Classes) == 0 {
		return
	}
	p.title("requests")
	g := grid{columns: []column{{head: "class", text: true}, {head: "why", text: true, flex: true}, {head: "requests"}, {head: "failed"}}}
	for _, c := range in.Classes {
		g.rows = append(g.rows, []string{c.Class, c.Reason, reports.Integer(c.N), reports.Integer(c.Errors)})
	}
	p.table(g)
}

// trust writes how far the path times can be relied on.
func (p *page) trust(in *reports.Inspect) {
	p.title("can it be trusted")
	if c := in.Coverage; c.PathSeconds > 0 {
		by := reports.Percents([]float64{c.Exact, c.Anchored, c.Residual})
		p.field("  known", fmt.Sprintf("%s %% of path time exact, %s %% anchored, %s %% residual", by[0], by[1], by[2]))
		of := reports.Percents([]float64{c.Attributed, c.Unattributed})
		p.field("  attributed", fmt.Sprintf("%s %%; unattributed %s %%", of[0], of[1]))
		if !c.Balanced {
			p.field("  warning", "path time by confidence does not add up to path time by stage (confidence-account)")
		}
	}
	p.field("  spans", spanAccount(in.Conservation))
	for _, x := range in.Excluded {
		p.field("", fmt.Sprintf("%s excluded: %s", reports.Integer(x.N), x.Name))
	}
	if in.ExcludedUnnamed != 0 && len(in.Excluded) > 0 {
		p.field("", fmt.Sprintf("%s excluded: reason not given", reports.Integer(in.ExcludedUnnamed)))
	}
	t := in.Tiling
	switch {
	case t.Failed > 0:
		p.field("  tiling", fmt.Sprintf("FAILED for %s of %s; the first: %s", reports.Integer(t.Failed), plural(t.Checked, "request"), t.First))
	case t.Checked == 0:
		p.field("  tiling", "no request to check")
	case t.NoSegments:
		p.field("  tiling", fmt.Sprintf("stage times add up for %s; there are no segments to check", plural(t.Checked, "request")))
	default:
		p.field("  tiling", fmt.Sprintf("exact to the nanosecond for %s", plural(t.Checked, "request")))
	}
}

// quality writes the account of losses, repairs and doubts. Outside inspect, what
// cost nothing is counted only.
func (p *page) quality(d reports.Document) {
	if len(d.Quality) == 0 {
		if d.Kind == reports.KindInspect {
			p.title("input quality: no issue was met")
		}
		return
	}
	g := grid{columns: []column{
		{head: "severity", text: true}, {head: "count"}, {head: "issue", text: true},
		{head: "first met", text: true, flex: true, path: true}, {head: "what to do", text: true, below: true},
	}}
	harmless := int64(0)
	for _, q := range d.Quality {
		if q.Severity == "info" && d.Kind != reports.KindInspect {
			harmless++
			continue
		}
		advice := q.Advice
		if q.Detail != "" {
			advice = q.Detail + ": " + advice
		}
		g.rows = append(g.rows, []string{q.Severity, reports.Integer(q.Count), q.ID, place(q), advice})
	}
	p.title("input quality")
	p.table(g)
	if harmless > 0 {
		p.hanging(plain, "  ", plural(harmless, "kind")+" of issue that cost nothing: tailpath inspect lists them")
	}
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
