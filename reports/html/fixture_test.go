package html

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
	"github.com/tailpath/tailpath/reports/page"
)

// sketch is a drawing that is as plain as one may be.
type sketch struct{ label string }

func (s sketch) SVG(id, title string) string {
	text := (&strings.Builder{})
	text.WriteString(`<svg class="chart" width="680" height="60" viewBox="0 0 680 60" role="img" aria-labelledby="` + id + `-title ` + id + `-desc">`)
	text.WriteString(`<title id="` + id + `-title">` + escape(title) + `</title><desc id="` + id + `-desc">one bar of parts</desc>`)
	text.WriteString(`<rect class="s-queue" x="0" y="10" width="400" height="30"><title>queue 400 ms</title></rect>`)
	text.WriteString(`<rect class="s-gpu" x="401" y="10" width="279" height="30"><title>gpu 279 ms</title></rect>`)
	text.WriteString(`<text x="4" y="56">` + escape(s.label) + `</text></svg>`)
	return text.String()
}

// stored returns a document that package reports keeps as a golden file.
func stored(t testing.TB, name string) reports.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := reports.ReadJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(name, ": ", err)
	}
	return d
}

// weekly returns a document of a report with a page that has every kind of block.
func weekly(t testing.TB) (reports.Document, page.Page) {
	d := stored(t, "summary")
	d.Kind = reports.KindReport
	d.Command = []string{"tailpath", "report", "week 48/", "--baseline", "last's.json", "-o", "week.html"}
	d.Report = &reports.Report{
		Kind: reports.Weekly, Scope: "model llama3-70b, without failed and incomplete requests",
		Week:   &reports.Week{Name: "2026-W48", Zone: "Europe/Berlin", Start: "2026-11-22T23:00:00Z", End: "2026-11-29T23:00:00Z"},
		Banner: []reports.Warning{{ID: "week-incomplete", Text: "the capture tells of 151 of 168 hours: the week is not ranked"}},
	}
	stages := page.Table{
		ID: "moved-table", Caption: "what the mean of the slow requests is made of, in ms [1]",
		Columns: []page.Column{{Head: "stage", Text: true, Told: true}, {Head: "last week"}, {Head: "this week"}, {Head: "change"}, {Head: "%", Join: true}},
		Rows: [][]string{
			{"network", "2", "1", "-1", "-0.1"},
			{"queue/engine", "1,480", "3,358", "+1,878", "98.4"},
			{"  admission [2]", "80", "1,204", "+1,124", "58.9"},
			{"gpu", "2,196", "2,227", "+31", "1.6"},
			{"unattributed", "1", "2", "+1", "0.1"},
			{"total", "3,679", "5,588", "+1,909", "100.0"},
		},
	}
	hosts := page.Table{
		ID: "who-table", Caption: "which requests the slow ones are",
		Columns: []page.Column{{Head: "attribute", Text: true}, {Head: "value", Text: true}, {Head: "lift"}, {Head: "95 %", Join: true}, {Head: "n"}},
	}
	for i := range 24 {
		hosts.Rows = append(hosts.Rows, []string{"host", "gpu-" + strconv.Itoa(i), strconv.FormatFloat(3.1-float64(i)/10, 'f', 1, 64), "1.2-4.4", strconv.Itoa(480 - 13*i)})
	}
	return d, page.Page{
		Headline: "p99 of the duration is 6.4 s (+1.9 s, +42 %): queue took 71 % of it, Tuesday to Wednesday 14 to 17 h on two hosts",
		Next:     "tailpath explain 'week 48/' --slowest 5",
		Sections: []page.Section{
			{ID: "answer", Blocks: []page.Block{
				page.Labelled{Tone: page.Strong, Label: "caution: ", Text: d.Report.Banner[0].Text + " (week-incomplete)"},
				page.Labelled{Label: "caveat: ", Text: "the slow requests form 2 incidents: this describes them; it does not predict"},
				page.Blank{Prompt: "What a person adds in one sentence"},
			}},
			{ID: "verdict", Title: "Verdict", Blocks: []page.Block{
				page.Paragraph{Tone: page.Strong, Text: "queue dominates what makes slow requests slow: 98.4 % of +1.91 s"},
				page.Labelled{Label: "requests     ", Text: "48,213 of 48,900"},
				page.Labelled{Label: "  incomplete ", Text: "5 (missing parent)"},
				page.Labelled{Tone: page.Dim, Label: "             ", Text: "and what goes on below it"},
				page.Gap{},
				page.Labelled{Label: "load         ", Text: "0.997 requests/s, 79.6 output tokens/s"},
				page.Paragraph{Tone: page.Dim, Text: "No baseline before last week."},
				page.Paragraph{Line: true, Text: "000000004cad6cb9000000000000064f"},
			}},
			{ID: "moved", Title: "What moved", Blocks: []page.Block{
				page.Figure{ID: "stages", Answer: "Waiting in the engine's queue grew from 1.5 s to 3.4 s; nothing else moved", Drawing: sketch{"p99-100, n = 482"}},
				stages,
				page.Note{Mark: "[1]", ID: "few-incidents", Text: "the requests of one incident are not independent"},
				page.Note{Mark: "[2]", Text: "measured by the engine's own log"},
			}},
			{ID: "who", Title: "Who differs", Blocks: []page.Block{hosts, page.Blank{Prompt: "Owner"}, page.Blank{Prompt: "Action"}}},
			{ID: "exemplar-1", Title: "Request 000000004cad6cb9000000000000064f, the slowest", Folded: true, Blocks: []page.Block{
				page.Figure{ID: "waterfall-1", Answer: "It waited 5.1 s for a place in the batch", Drawing: sketch{"client"}},
				page.Table{ID: "waterfall-1-table", Caption: "its spans, in ms", Columns: []page.Column{{Head: "", Text: true}, {Head: "took"}, {Head: "of", Text: true, Path: true}},
					Rows: [][]string{{"client", "7,711", "spans.jsonl:12"}, {"  engine", "7,702", "a path that is so long that it would not fit on one line of a narrow screen.jsonl:12"}, {"", "1", ""}}},
			}},
			{ID: "exemplar-2", Title: "Request 000000003ab0cb2f000000000000025b, a usual one", Folded: true, Blocks: []page.Block{
				page.Paragraph{Text: "Nothing of note."},
				page.Waterfall{ID: "waterfall", LengthNS: 2_104_000_000, Unit: "ms", Rows: []page.WaterfallRow{
					{Label: "client", To: 2_104_000_000, Took: "2104", OnPath: "11", Marks: []page.WaterfallMark{{To: 8_000_000}, {From: 2_101_000_000, To: 2_104_000_000, Sign: page.Ambiguous}}},
					{Label: "network/hop", Depth: 0, To: 8_000_000, OnPath: "8", OfStage: true, Marks: []page.WaterfallMark{{To: 8_000_000}}},
					{Label: "engine !", Depth: 1, From: 8_000_000, To: 2_101_000_000, Took: "2093", OnPath: "2093", Marks: []page.WaterfallMark{{From: 8_000_000, To: 2_101_000_000, Sign: page.Derived}}},
					{Label: "usage report (detached)", Depth: 1, From: 2_100_000_000, To: 2_200_000_000, Took: "100", OnPath: "-"},
				}},
				page.Labelled{Label: "  ", Text: "3 spans off the path not drawn"},
			}},
		},
	}
}

var _ chart.Drawing = sketch{}

func write(t interface{ Fatal(...any) }, o Options, d reports.Document, p page.Page) string {
	var b bytes.Buffer
	if err := o.Write(&b, d, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
