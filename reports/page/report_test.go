package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

// readDocument reads a document that package reports keeps as a golden file.
func readDocument(t testing.TB, name string) reports.Document {
	t.Helper()
	file, err := os.Open(filepath.Join("../testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d, err := reports.ReadJSON(file)
	if err != nil {
		t.Fatal(name, ": ", err)
	}
	return d
}

// dumpPage writes a page block by block, as simple as can be.
func dumpPage(p Page) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# %s", p.Headline)
	for _, s := range p.Sections {
		folded := ""
		if s.Folded {
			folded = " (folded)"
		}
		line("\n== %s | %s%s", s.ID, s.Title, folded)
		for _, block := range s.Blocks {
			switch x := block.(type) {
			case Paragraph:
				line("%s", x.Text)
			case Labelled:
				line("%s%s", x.Label, x.Text)
			case Note:
				line("  %s %s %s", x.Mark, x.ID, x.Text)
			case Gap:
				line("")
			case Blank:
				line("____ %s", x.Prompt)
			case Waterfall:
				table := x.Table()
				line("[%s] %s", table.ID, table.Caption)
				for _, row := range table.Rows {
					line("  %s", strings.Join(row, " | "))
				}
			case Figure:
				line("<%s %T> %s", x.ID, x.Drawing, x.Answer)
			case Table:
				line("[%s] %s", x.ID, x.Caption)
				var heads []string
				for _, c := range x.Columns {
					heads = append(heads, c.Head)
				}
				line("  %s", strings.Join(heads, " | "))
				for _, row := range x.Rows {
					line("  %s", strings.Join(row, " | "))
				}
			default:
				line("%T", block)
			}
		}
	}
	line("\nnext: %s", p.Next)
	return out.String()
}

func TestReportPages(t *testing.T) {
	rich := richReport(t)
	first := richReport(t)
	first.Report.Before, first.Report.Moved, first.Report.OpenItems, first.Compare = nil, nil, nil, nil
	for i := range first.Report.Verdicts {
		v := &first.Report.Verdicts[i]
		*v = reports.VerdictRow{Metric: v.Metric, P: v.P, Of: v.Of, Unit: v.Unit, Now: v.Now, Outcome: "unknown", Why: "there is nothing to compare with"}
	}
	incident := richReport(t)
	incident.Report.Kind, incident.Report.Week, incident.Report.Hours = reports.PostMortem, nil, nil
	for name, d := range map[string]reports.Document{
		"weekly": rich, "hostile": hostileReport(t), "weekly_first": first, "postmortem": incident, "empty": emptyReport(reports.Weekly), "empty_postmortem": emptyReport(reports.PostMortem),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "report_"+name+".txt")
			got := dumpPage(Of(d, Options{}))
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Pages that have the tables already get the chart alone, and formats without pictures nothing.
func TestFiguresBesideTables(t *testing.T) {
	d := richReport(t)
	draw := func(write func(*builder)) []Block {
		b := &builder{ids: map[string]int{}, page: Page{Sections: []Section{{}}}}
		write(b)
		return b.page.Sections[0].Blocks
	}
	for name, blocks := range map[string][]Block{
		"stages":    draw(func(b *builder) { b.stageFigure(d.Queue.Summary.Duration) }),
		"knee":      draw(func(b *builder) { b.kneeFigure(*d.Capacity) }),
		"waterfall": draw(func(b *builder) { b.waterfallFigure(d.Requests[0]) }),
	} {
		if len(blocks) != 1 {
			t.Errorf("%s: %d blocks", name, len(blocks))
			continue
		}
		if f, ok := blocks[0].(Figure); !ok || !f.Silent || f.Drawing == nil || f.Answer == "" {
			t.Errorf("%s: %+v is no silent figure", name, blocks[0])
		}
	}
	for name, blocks := range map[string][]Block{
		"stages":    draw(func(b *builder) { b.stageFigure(reports.Latency{}) }),
		"knee":      draw(func(b *builder) { b.kneeFigure(reports.Capacity{}) }),
		"waterfall": draw(func(b *builder) { b.waterfallFigure(reports.Request{}) }),
	} {
		if len(blocks) != 0 {
			t.Errorf("%s: of nothing it writes %+v", name, blocks)
		}
	}
}
