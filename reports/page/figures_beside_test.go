package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// figuresOf returns the figures of a page by id.
func figuresOf(p Page) map[string]Figure {
	out := map[string]Figure{}
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if f, is := b.(Figure); is {
				out[f.ID] = f
			}
		}
	}
	return out
}

// notBeside returns the numbers of charts that no table behind them has, in the unit that the
// title of the section names, or as a share. Parts that add up as written may be off by the last
// digit. That of the stages is drawn beside another table.
func notBeside(p Page) (missing []string) {
	for _, s := range p.Sections {
		title := strings.Fields(strings.TrimRight(s.Title, " []0123456789"))
		scale := 0.0
		if len(title) > 0 {
			scale = unitScale[title[len(title)-1]]
		}
		for i, b := range s.Blocks {
			f, is := b.(Figure)
			if !is || f.ID == "figure-stages" {
				continue
			}
			scales := []float64{scale, 0.01}
			if f.ID == "figure-queueing" { // rates and depths are as they are
				scales = append(scales, 1)
			}
			var have []figureText
			for _, b := range s.Blocks[i:] {
				if t, is := b.(Table); is {
					for _, row := range t.Rows {
						for _, cell := range row {
							have = append(have, numbersIn(cell, "-")...)
						}
					}
				}
			}
			for _, v := range numbersOf(f.Drawing) {
				if !slices.ContainsFunc(have, func(w figureText) bool {
					for _, scale := range scales {
						if scale > 0 && math.Abs(math.Abs(v)-w.value*scale) <= 3*w.give*scale {
							return true
						}
					}
					return false
				}) {
					missing = append(missing, fmt.Sprintf("%s: %v", f.ID, v))
				}
			}
		}
	}
	return missing
}

// TestFiguresBesideTablesRepeatThem: the charts of queue and compare show numbers that the tables
// behind them have, and nothing else; other formats write nothing for them.
func TestFiguresBesideTablesRepeatThem(t *testing.T) {
	drawn := map[string]int{}
	for name, d := range fixed(t) {
		if d.Kind != reports.KindQueue && d.Kind != reports.KindCompare {
			continue
		}
		p := Of(d, Options{})
		for id, f := range figuresOf(p) {
			drawn[id]++
			if !f.Silent || f.Answer == "" {
				t.Errorf("%s: %s is written in other formats, or says nothing: %q", name, id, f.Answer)
			}
		}
		for _, text := range notBeside(p) {
			t.Errorf("%s: not in a table: %s", name, text)
		}
		for i := range p.Sections {
			p.Sections[i].Blocks = slices.DeleteFunc(p.Sections[i].Blocks, func(b Block) bool { _, is := b.(Table); return is })
		}
		if missing := notBeside(p); len(missing) == 0 && len(figuresOf(p)) > 1 {
			t.Errorf("%s: without its tables nothing is missing, so that the test is none", name)
		}
	}
	for _, id := range []string{"figure-gains", "figure-who", "figure-change-duration", "figure-queueing"} {
		if drawn[id] == 0 {
			t.Errorf("no document has %s: %v", id, drawn)
		}
	}
}

// TestBandChangeFigureSaysWhatChangedMost: a stage that does not stand out from chance is marked,
// and one without time is not drawn.
func TestBandChangeFigureSaysWhatChangedMost(t *testing.T) {
	const ms = 1_000_000
	part := func(name string, base, now int64, stands bool) reports.PartChange {
		low, high := (now-base-200)*ms, (now-base+200)*ms
		return reports.PartChange{Part: name, BaseNS: base * ms, NewNS: now * ms, DifferenceNS: (now - base) * ms, Stands: stands, LowNS: &low, HighNS: &high}
	}
	band := reports.ChangeBand{Band: "p99-100", BaseN: 12, NewN: 13, ChangeSplit: reports.ChangeSplit{
		Total: part("", 900, 2000, true),
		Parts: []reports.PartChange{part("network", 100, 50, true), part("queue", 100, 1250, true), part("gpu", 700, 700, false), part("transfer", 0, 0, false)},
	}}
	m := reports.MetricChange{Metric: "duration"}
	f := bandChangeFigure(m, band, []int{1, 0, 2, 3}).figure
	want := "p99-100 of duration took 2.00 s on average, 900 ms in base (n = 13 and 12): +1.10 s; queue changed most, +1.15 s (1.25 s, 100 ms in base)"
	if f.Answer != want {
		t.Errorf("%q, want\n%q", f.Answer, want)
	}
	var words []string
	for _, p := range f.Drawing.(chart.Change).Pairs {
		words = append(words, p.Label+" "+p.Word)
	}
	if got := strings.Join(words, ", "); got != "queue slower, network faster, gpu ~" {
		t.Error(got)
	}
	for i := range band.Parts {
		band.Parts[i].Stands = false
	}
	if f := bandChangeFigure(m, band, []int{0, 1, 2, 3}).figure; f.Answer != want+"; none of it stands out from chance" {
		t.Errorf("%q", f.Answer)
	}
	// Without intervals nothing was asked, so nothing is within chance.
	for i := range band.Parts {
		band.Parts[i].LowNS, band.Parts[i].HighNS = nil, nil
	}
	f = bandChangeFigure(m, band, []int{0, 1, 2}).figure
	if f.Answer != want+"; whether it is chance cannot be told" || f.Drawing.(chart.Change).Pairs[1].Word != "slower" {
		t.Errorf("%q, %+v", f.Answer, f.Drawing)
	}
	if cells := changeCells(reports.CommonUnit(ms), band.Parts[1], 1150); cells[1] != absent || cells[2] != "" {
		t.Errorf("a difference without an interval is marked: %q", cells)
	}
	if c := bandChangeFigure(m, band, []int{3}); c.figure.Drawing != nil {
		t.Errorf("a chart of no time: %+v", c)
	}
}
