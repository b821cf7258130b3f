package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// hostileTexts are what may stand in a document that somebody made up.
var hostileTexts = []string{"", "</script><b>", "| a | b", "\x1b[31mred", "\u202eevil", "*x* _y_ `z`", strings.Repeat("long ", 200), "-", "@all", "a\nb", "queue", "duration", "wall"}

// spoil changes a value at random, all the way down: texts become hostile, numbers extreme,
// lists shorter and what may be missing does.
func spoil(r *rand.Rand, v reflect.Value) {
	odd := func(n int) bool { return r.IntN(n+1) == 0 }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				spoil(r, v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if odd(12) {
			v.SetZero()
			return
		}
		whole := reflect.New(v.Type().Elem())
		whole.Elem().Set(v.Elem())
		v.Set(whole)
		spoil(r, v.Elem())
	case reflect.Slice:
		n := v.Len()
		if odd(9) {
			n = r.IntN(n + 1)
		}
		list := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(list, v)
		v.Set(list)
		for i := range n {
			if i < 6 || odd(20) {
				spoil(r, v.Index(i))
			}
		}
	case reflect.String:
		if odd(5) {
			v.SetString(hostileTexts[r.IntN(len(hostileTexts))])
		}
	case reflect.Int, reflect.Int64:
		if odd(12) {
			v.SetInt([]int64{0, -1, 1, math.MaxInt64, math.MinInt64, 1e18}[r.IntN(6)])
		}
	case reflect.Float64:
		if odd(12) {
			v.SetFloat([]float64{0, -1, 1e300, -1e300, 1e-300, math.NaN(), math.Inf(1)}[r.IntN(7)])
		}
	case reflect.Bool:
		if odd(5) {
			v.SetBool(!v.Bool())
		}
	}
}

// idPattern is what an id may be made of.
var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// sound checks what holds of every page of a report.
func sound(t interface {
	Helper()
	Errorf(string, ...any)
}, p Page) {
	t.Helper()
	ids, figures, notes := map[string]bool{}, 0, map[string]bool{}
	named := func(id string) {
		t.Helper()
		if ids[id] || !idPattern.MatchString(id) {
			t.Errorf("id %q: used twice, or not of letters, figures and hyphens", id)
		}
		ids[id] = true
	}
	for _, s := range p.Sections {
		named(s.ID)
		for _, block := range s.Blocks {
			switch x := block.(type) {
			case Table:
				named(x.ID)
				if len(x.Rows) == 0 || x.Caption == "" {
					t.Errorf("table %s has no rows or no caption", x.ID)
				}
				for _, row := range x.Rows {
					if len(row) != len(x.Columns) {
						t.Errorf("table %s: a row of %d cells under %d columns: %q", x.ID, len(row), len(x.Columns), row)
					}
				}
			case Figure:
				named(x.ID)
				if !s.Folded && !x.Silent {
					figures++
				}
				if x.Drawing == nil || x.Answer == "" && !s.Folded {
					t.Errorf("figure %s has no drawing or no answer", x.ID)
				}
			case Waterfall:
				named(x.ID)
			case Note:
				if notes[x.Mark] || x.Text == "" {
					t.Errorf("note %s is there twice or empty", x.Mark)
				}
				notes[x.Mark] = true
			case Blank:
				if x.Prompt == "" {
					t.Errorf("a field of %s does not say what it is for", s.ID)
				}
			}
		}
	}
	if figures > 8 {
		t.Errorf("%d charts: at most eight", figures)
	}
}

func TestEveryReportIsSound(t *testing.T) {
	kinds := []string{reports.Weekly, reports.PostMortem}
	for _, kind := range kinds {
		sound(t, Of(emptyReport(kind), Options{}))
	}
	base := richReport(t)
	rapid.Check(t, func(t *rapid.T) {
		d := base
		whole := reports.Report{}
		whole = *base.Report
		d.Report = &whole
		seed := rapid.Uint64().Draw(t, "seed")
		spoil(rand.New(rand.NewPCG(seed, 0)), reflect.ValueOf(&d).Elem())
		if d.Report == nil {
			return
		}
		d.Report.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
		p := Of(d, Options{})
		sound(t, p)
		if q := Of(d, Options{}); dumpPage(p) != dumpPage(q) {
			t.Errorf("the same document gives another page")
		}
	})
}

// The parts of a report come in one order whatever it holds.
func TestPartsOfReports(t *testing.T) {
	for _, x := range []struct{ kind, parts, empty string }{
		{reports.Weekly, "answer headline verdict moved bottlenecks load when who open-items quality method", "answer headline verdict quality method"},
		{
			reports.PostMortem, "answer summary impact timeline root-cause trigger detection resolution action-items lessons-learned supporting-information when who quality method",
			"answer summary impact timeline root-cause trigger detection resolution action-items lessons-learned quality method",
		},
	} {
		kind, rich := x.kind, richReport(t)
		rich.Report.Kind = kind
		for parts, d := range map[string]reports.Document{x.parts: rich, x.empty: emptyReport(kind)} {
			var got []string
			charted := false
			for _, s := range Of(d, Options{}).Sections {
				if s.Folded {
					continue
				}
				got = append(got, s.ID)
				for _, block := range s.Blocks {
					_, chart := block.(Figure)
					charted = charted || chart
				}
				if charted && (s.ID == "verdict" || s.ID == "summary") {
					t.Errorf("%s: a chart stands before the end of the first page", kind)
				}
			}
			if text := strings.Join(got, " "); text != parts {
				t.Errorf("%s: parts are\n%s\nwant\n%s", kind, text, parts)
			}
		}
	}
}

// A figure of a page as it is written: a number of its unit, give or take half a step of its last
// digit.
type figureText struct{ value, give float64 }

// numberForm is a number as pages write them.
var numberForm = regexp.MustCompile(`<?\d[\d,]*(\.\d+)?`)

// unitScale is how much of the base is in a unit: ns of a time, 1 of a share.
var unitScale = map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01, "min": 60e9}

// numbersIn returns the numbers of a text, each in its unit.
func numbersIn(text, unit string) (out []figureText) {
	for _, at := range numberForm.FindAllStringIndex(text, -1) {
		number, rest := text[at[0]:at[1]], text[at[1]:]
		scale := 1.0
		if u, ok := unitScale[unit]; ok {
			scale = u
		} else if word, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " "); unit == "" {
			if u, ok := unitScale[strings.Trim(word, ",;:()")]; ok {
				scale = u
			}
		}
		digits, less := strings.CutPrefix(strings.ReplaceAll(number, ",", ""), "<")
		var v float64
		fmt.Sscan(digits, &v)
		step := 1.0
		if _, fraction, ok := strings.Cut(digits, "."); ok {
			step = math.Pow(10, -float64(len(fraction)))
		}
		w := figureText{v * scale, step / 2 * scale}
		if less {
			w = figureText{0, v * scale}
		}
		out = append(out, w)
	}
	return out
}

// unitOf returns the unit in the head of a column, "-" for none.
func unitOf(head string) string {
	words := strings.Fields(head)
	if len(words) > 0 {
		if _, ok := unitScale[strings.Trim(words[len(words)-1], "()")]; ok {
			return strings.Trim(words[len(words)-1], "()")
		}
	}
	return "-"
}

// figuresIn returns all numbers of blocks. The bounds in a column that belongs to the one before
// have its unit.
func figuresIn(blocks []Block) (out []figureText) {
	for _, block := range blocks {
		switch x := block.(type) {
		case Figure:
			out = append(out, numbersIn(x.Answer, "")...)
		case Labelled:
			out = append(out, numbersIn(x.Text, "")...)
		case Waterfall:
			table := x.Table()
			table.Columns[len(table.Columns)-1].Head += " " + x.Unit // which it has in common with the column before
			out = append(out, figuresIn([]Block{table})...)
		case Table:
			before := "-"
			for k, c := range x.Columns {
				unit := unitOf(c.Head)
				if c.Join && unit == "%" && c.Head != "%" {
					unit = before
				}
				before = unit
				for _, row := range x.Rows {
					if k < len(row) {
						out = append(out, numbersIn(row[k], unit)...)
					}
				}
			}
		}
	}
	return out
}

// numbersOf returns the numbers that a chart shows.
func numbersOf(d chart.Drawing) (out []float64) {
	add := func(list ...float64) { out = append(out, list...) }
	lines := func(list []chart.Line) {
		for _, l := range list {
			add(l.Values...)
		}
	}
	marks := func(list []chart.Mark) {
		for _, m := range list {
			if !m.Limit {
				add(m.Value, m.Low, m.High)
			}
		}
	}
	switch x := d.(type) {
	case chart.Stack:
		for _, b := range x.Bars {
			for _, p := range b.Parts {
				add(p.Value, p.Share)
			}
		}
	case chart.Tail:
		marks(x.Marks)
		for _, n := range x.Counts {
			add(float64(n))
		}
	case chart.Heat:
		lines(x.Lines)
		for _, c := range x.Counts {
			for _, n := range c {
				add(float64(n))
			}
		}
	case chart.Panels:
		for _, p := range x.Panels {
			lines(p.Lines)
		}
	case chart.Knee:
		for _, p := range x.Panels {
			for _, of := range p.Of {
				for _, dot := range of.Dots {
					add(dot.X, dot.Y, float64(dot.N))
				}
			}
		}
		marks(x.At)
	case chart.Waterfall:
		for _, s := range x.Spans {
			add(s.From, s.To-s.From)
		}
	case chart.Tokens:
		add(x.At...)
		add(x.First, x.End)
		for _, n := range x.N {
			add(float64(n))
		}
		marks(x.Marks)
		for _, h := range x.Held {
			add(h.From, h.To)
		}
	case chart.Change:
		for _, p := range x.Pairs {
			add(p.Old, p.New)
		}
	case chart.Ranked:
		for _, r := range x.Ranks {
			add(r.Value, r.Low, r.High)
		}
	case chart.Multiples:
		for _, s := range x.Of {
			for _, p := range s.Points {
				add(p.Value, p.Low, p.High)
			}
		}
	}
	return slices.DeleteFunc(out, math.IsNaN)
}

// notWritten returns the numbers of the charts of a page that neither their answers and tables
// nor the details have.
func notWritten(p Page) (missing []string) {
	var details []Block
	for _, s := range p.Sections {
		if s.Folded && strings.HasPrefix(s.ID, "details-") {
			details = append(details, s.Blocks...)
		}
	}
	for _, s := range p.Sections {
		for i, block := range s.Blocks {
			f, ok := block.(Figure)
			if !ok {
				continue
			}
			end := i + 1
			for end < len(s.Blocks) {
				if _, next := s.Blocks[end].(Figure); next {
					break
				}
				end++
			}
			have := figuresIn(slices.Concat(s.Blocks[i:end], details))
			for _, v := range numbersOf(f.Drawing) {
				if !slices.ContainsFunc(have, func(w figureText) bool { return math.Abs(math.Abs(v)-w.value) <= w.give*1.000001 }) {
					missing = append(missing, fmt.Sprintf("%s: %v", f.ID, v))
				}
			}
		}
	}
	return missing
}

// Whoever cannot see the charts, or has a format without any, has their numbers all the same.
func TestChartsRepeatNumbersOfTables(t *testing.T) {
	weekly, gains := richReport(t), richReport(t)
	gains.Report.Before, gains.Report.Moved = gains.Report.Before[2:], nil
	for name, d := range map[string]reports.Document{"weekly": weekly, "gains": gains} {
		p := Of(d, Options{})
		drawn := map[string]bool{}
		for _, s := range p.Sections {
			for _, block := range s.Blocks {
				if f, ok := block.(Figure); ok {
					drawn[fmt.Sprintf("%T", f.Drawing)] = true
				}
			}
		}
		if len(drawn) < 8 || !drawn["chart.Waterfall"] {
			t.Errorf("%s: only %v are drawn", name, drawn)
		}
		for _, text := range notWritten(p) {
			t.Errorf("%s: not in a table: %s", name, text)
		}
		// Without its tables a page must be found wanting, else the test is none.
		for i := range p.Sections {
			p.Sections[i].Blocks = slices.DeleteFunc(slices.Clone(p.Sections[i].Blocks), func(b Block) bool { _, is := b.(Table); return is })
		}
		if n := len(notWritten(p)); n < 100 {
			t.Errorf("%s: without tables only %d numbers are missing", name, n)
		}
	}
}

// Contributions add up to the change, and shares to 100.0, as they are written.
func TestWrittenPartsAddUp(t *testing.T) {
	base := richReport(t)
	base.Requests, base.Capacity, base.Report.Heat, base.Report.Distribution = nil, nil, nil, nil // nothing that adds up
	rapid.Check(t, func(t *rapid.T) {
		d := base
		whole := *base.Report
		d.Report = &whole
		m, still := &reports.Moved{Q: "p99", OldN: 20, NewN: 20}, map[string]bool{}
		for _, stage := range []string{"network", "queue", "gpu", "transfer"} {
			most := rapid.SampledFrom([]int64{1e3, 1e7, 3e10}).Draw(t, "most")
			x := reports.MovedStage{Stage: stage, OldNS: rapid.Int64Range(0, most).Draw(t, "old"), NewNS: rapid.Int64Range(0, most).Draw(t, "new")}
			if rapid.IntRange(0, 3).Draw(t, "still") == 0 {
				x.NewNS = x.OldNS
			}
			still[stage] = x.NewNS == x.OldNS
			x.Change = x.NewNS - x.OldNS
			m.OldNS, m.NewNS, m.Stages = m.OldNS+x.OldNS, m.NewNS+x.NewNS, append(m.Stages, x)
		}
		if m.NewNS != m.OldNS {
			for i := range m.Stages {
				m.Stages[i].Share = to(float64(m.Stages[i].Change) / float64(m.NewNS-m.OldNS))
			}
		}
		d.Report.Moved = m
		for _, s := range Of(d, Options{}).Sections {
			for _, block := range s.Blocks {
				table, ok := block.(Table)
				if !ok {
					continue
				}
				switch table.ID {
				case "contributions":
					columnsAddUp(t, table, 1, 2, 3, 4)
					for _, row := range table.Rows {
						if still[row[0]] && row[3] != "0" {
							t.Errorf("%q: nothing changed", row)
						}
						if cell(row[3]) > 0 && row[3][0] != '+' || !strings.Contains(strings.Join(row[1:4], ""), "<") && !near(cell(row[2])-cell(row[1]), cell(row[3])) {
							t.Errorf("%q: the change is not the difference", row)
						}
					}
				case "stages-by-band":
					columnsAddUp(t, Table{ID: table.ID, Rows: table.Rows[:len(table.Rows)-1]}, 1, 2, 3, 4, 5, 6, 7, 8)
				}
			}
		}
	})
}

// cell returns the number in a cell; less than a step is 0.
func cell(text string) float64 {
	text = strings.TrimPrefix(strings.ReplaceAll(text, ",", ""), "+")
	if strings.Contains(text, "<") {
		return 0
	}
	var v float64
	fmt.Sscan(text, &v)
	return v
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// columnsAddUp checks that the last row is the sum of the others, but for what floating-point
// numbers of the size of the largest lose.
func columnsAddUp(t *rapid.T, table Table, columns ...int) {
	for _, k := range columns {
		sum, size, last := 0.0, 0.0, len(table.Rows)-1
		for _, row := range table.Rows[:last] {
			sum += cell(row[k])
			size = max(size, math.Abs(cell(row[k])))
		}
		if total := table.Rows[last][k]; total != absent && math.Abs(sum-cell(total)) > 1e-6+1e-15*size {
			t.Errorf("table %s, column %d: parts add up to %v, and not to %s", table.ID, k, sum, total)
		}
	}
}
