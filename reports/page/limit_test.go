package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// crowded returns a golden document with many entries in a list.
func crowded(t *testing.T, name string, fill func(d *reports.Document)) reports.Document {
	t.Helper()
	d := readDocument(t, name)
	fill(&d)
	return d
}

// TestListsHaveAsManyRowsAsAsked cuts every kind of list, has it in full, and has it as usual. Each
// place says what is missing, and how many there are.
func TestListsHaveAsManyRowsAsAsked(t *testing.T) {
	many := func(list []reports.Incident) (out []reports.Incident) {
		for i := range 14 {
			x := list[0]
			x.Waited += float64(i)
			out = append(out, x)
		}
		return out
	}
	for _, c := range []struct {
		name    string
		d       reports.Document
		row     string // what every row has
		usual   int
		all     int
		as      string // what a usual page says of the rest
		verbose bool
	}{
		{
			name: "incidents", row: " request-seconds waited, ", usual: 5, all: 14, as: "and 9 incidents in which less was waited",
			d: crowded(t, "queue", func(d *reports.Document) { d.Queue.When.Incidents = many(d.Queue.When.Incidents) }),
		},
		{
			name: "incidents of a report", row: " from onset to its peak", usual: 10, all: 14, as: "and 4 incidents in which less was waited",
			d: crowded(t, "report_postmortem", func(d *reports.Document) { d.Queue.When.Incidents = many(d.Queue.When.Incidents) }),
		},
		{
			name: "findings", row: "\nprompt_tokens >= ", usual: 10, all: 25, as: "and 15 more",
			d: crowded(t, "queue_routed", func(d *reports.Document) {
				d.Queue.Who.Findings = slices.Repeat(d.Queue.Who.Findings[:1], 25)
			}),
		},
		{
			name: "findings of a report", row: "\nprompt_tokens >= ", usual: 10, all: 25, as: "and 15 more",
			d: crowded(t, "report_weekly", func(d *reports.Document) {
				d.Queue.Who.Findings = slices.Repeat(readDocument(t, "queue_routed").Queue.Who.Findings[:1], 25)
			}),
		},
		{
			name: "places", row: "\nllama3-", usual: 5, all: 50, as: "73 more",
			d: crowded(t, "queue_routed", func(d *reports.Document) {
				d.Queue.Where, d.Queue.Who.TimeOnly = d.Queue.Where[1:2], nil
			}),
		},
		{
			name: "groups", row: "\nhere ", usual: 20, all: 30, as: "10 more",
			d: crowded(t, "summary_by", func(d *reports.Document) {
				here, by := "here", d.Summary.By
				by.Groups = slices.Repeat(by.Groups[:1], 30)
				for i := range by.Groups {
					by.Groups[i].Values = []*string{&here, &here}
				}
			}),
		},
		{
			name: "groups that are compared", row: " slower: p", usual: 20, all: 30, as: "10 more",
			d: crowded(t, "compare_by", func(d *reports.Document) {
				here, by := "here", d.Compare.By
				by.Groups = slices.Repeat(by.Groups[:1], 30)
				for i := range by.Groups {
					by.Groups[i].Values = []*string{&here}
				}
			}),
		},
		{
			name: "hosts", row: "\nhost-", usual: 20, all: 31, as: "and 11 more with fewer spans",
			d: crowded(t, "inspect", func(d *reports.Document) {
				d.Inspect.Hosts = nil
				for i := range 31 {
					d.Inspect.Hosts = append(d.Inspect.Hosts, reports.Seen{Name: fmt.Sprint("host-", i), Spans: int64(100 - i)})
				}
			}),
		},
		{
			name: "inputs", row: "\nfile-", usual: 31, all: 31,
			d: crowded(t, "inspect", func(d *reports.Document) {
				d.Inputs = nil
				for i := range 31 {
					d.Inputs = append(d.Inputs, reports.Input{Name: fmt.Sprint("file-", i)})
				}
			}),
		},
		{
			name: "clocks", row: "\nclock-", usual: 20, all: 31, as: "and 11 more that are off by less",
			d: crowded(t, "inspect", func(d *reports.Document) {
				d.Inspect.Clocks.Clocks = nil
				for i := range 31 {
					d.Inspect.Clocks.Clocks = append(d.Inspect.Clocks.Clocks, reports.ClockOffset{Clock: fmt.Sprint("clock-", i), Reference: "web", Stretches: []reports.Stretch{{}}})
				}
			}),
		},
		{
			name: "values of a property", row: "\nmodel llama3-70b   100.0 %", usual: 3, all: 9,
			d: crowded(t, "compare", func(d *reports.Document) {
				i := slices.IndexFunc(d.Compare.Mix, func(m reports.MixShift) bool { return m.Column == "model" })
				d.Compare.Mix[i].Values = slices.Repeat(d.Compare.Mix[i].Values, 9)
			}),
		},
		{
			name: "bottlenecks", row: "\n  confidence ", usual: 3, all: 3,
			d: crowded(t, "report_weekly", func(*reports.Document) {}),
		},
	} {
		for _, n := range []int{1, 2, 0, -1} {
			d, want := c.d, n
			switch n {
			case 0:
				d, want = d.Limited(0), c.all
			case -1:
				want = c.usual
			default:
				d = d.Limited(n)
			}
			text := drawn(Of(d, Options{Verbose: c.verbose}))
			if got := strings.Count(text, c.row); got != want {
				t.Errorf("%s, limit %d: %d rows, want %d", c.name, n, got, want)
			}
			if said := fmt.Sprintf("%d of ", n); n > 0 && !strings.Contains(text, said) || n > 0 && !strings.Contains(text, " shown; --limit 0 shows all") {
				t.Errorf("%s, limit %d: it is not said what is missing", c.name, n)
			}
			if n == -1 && (!strings.Contains(text, c.as) || strings.Contains(text, "--limit")) {
				t.Errorf("%s: a usual page does not say %q", c.name, c.as)
			}
		}
	}
}

func TestWaterfallsHaveAsManySpansAsAsked(t *testing.T) {
	d := readDocument(t, "explain")
	spans := 0
	for _, r := range d.Requests[0].Rows {
		if !r.OfStage {
			spans++
		}
	}
	falls := func(d reports.Document) (rows int, text string) {
		p := Of(d, Options{})
		for _, s := range p.Sections {
			for _, b := range s.Blocks {
				if w, is := b.(Waterfall); is {
					for _, r := range w.Rows {
						if !r.OfStage {
							rows++
						}
					}
				}
			}
		}
		return rows, drawn(p)
	}
	all, text := falls(d.Limited(0))
	if all != spans || strings.Contains(text, "not drawn") {
		t.Errorf("%d of %d spans", all, spans)
	}
	few, text := falls(d.Limited(1))
	if want := fmt.Sprintf("%s off the path not drawn; --limit 0 draws all", plural(int64(spans-few), "span")); few >= spans || !strings.Contains(text, want) {
		t.Errorf("%d of %d spans; the page does not say %q:\n%s", few, spans, want, text)
	}
}

// TestOtherListsSayWhatIsMissing has lists of which rows are in several tables, or are chosen among
// others: each says how many there are, and has all when all are asked for.
func TestOtherListsSayWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		name, section string
		all           int
		d             reports.Document
	}{
		{"engines", "engines", 20, crowded(t, "capacity_system", func(d *reports.Document) {
			d.Capacity.System.Engines = slices.Repeat(d.Capacity.System.Engines[:1], 20)
		})},
		{"engines that stalled", "prefills", 7, crowded(t, "capacity_system", func(d *reports.Document) {
			d.Capacity.System.Interference.Requests = 1
			d.Capacity.System.Interference.Engines = make([]reports.StallEngine, 7)
		})},
		{"windows of a trade-off", "prefills", 9, crowded(t, "capacity_system", func(d *reports.Document) {
			s := &d.Capacity.System
			s.Refused = ""
			s.Tradeoff = reports.Tradeoff{Metric: "itl", Better: 5, Worse: 4, Moves: make([]reports.TradeoffMove, 9)}
		})},
		{"chunks", "details-stream", 700, crowded(t, "report_streams", func(d *reports.Document) {
			s := &d.Report.Streams[0]
			s.AtNS, s.Tokens = nil, nil
			for i := range 700 {
				s.AtNS = append(s.AtNS, int64(i+1)*int64(i+1)*1_000_000)
			}
			d.Report.Streams = d.Report.Streams[:1]
		})},
	} {
		words := func(d reports.Document, verbose bool) string {
			p := Of(d, Options{Verbose: verbose})
			i := slices.IndexFunc(p.Sections, func(s Section) bool { return s.ID == c.section })
			if i < 0 {
				t.Fatalf("%s: there is no section %s", c.name, c.section)
			}
			return drawn(Page{Sections: p.Sections[i : i+1]})
		}
		for _, verbose := range []bool{false, true} {
			if got, want := words(c.d.Limited(2), verbose), fmt.Sprintf("2 of %d shown; --limit 0 shows all", c.all); !strings.Contains(got, want) {
				t.Errorf("%s, verbose %v: %q is not in\n%s", c.name, verbose, want, got)
			}
			if got := words(c.d.Limited(0), verbose); strings.Contains(got, "shown; --limit") || strings.Contains(got, "\n  and ") {
				t.Errorf("%s, verbose %v: something is missing where all was asked for\n%s", c.name, verbose, got)
			}
		}
	}
}
