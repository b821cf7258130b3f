package page

import (
	"bytes"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// drawnSet draws requests whose stages are of every size, from none to hours.
func drawnSet(t *rapid.T, side string) *table.Set {
	set := table.NewSet()
	req := &set.Requests
	scale := rapid.SampledFrom([]int64{0, 0, 1, 3, 999, 1_000_000, 70_000_000, 4_000_000_000, 5_000_000_000_000})
	var scales [analyze.StageCount]int64
	for k := range scales {
		scales[k] = scale.Draw(t, side+" scale")
	}
	state := rapid.Uint64().Draw(t, side+" seed")
	roll := func(upto int64) int64 {
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state>>33) % (upto + 1)
	}
	n := rapid.IntRange(1, 120).Draw(t, side+" n")
	rare := rapid.Int64Range(0, 30).Draw(t, side+" rare")
	at := roll(1 << 40)
	for i := range n {
		row := req.Grow()
		req.TraceID[row][0], req.TraceID[row][1] = byte(i), byte(len(side))
		at += roll(2_000_000_000)
		req.Start[row], req.OutputTokens[row], req.TTFT[row] = at, 2+roll(50), 0
		for k, s := range scales {
			if k%2 == 0 && roll(rare) > 0 {
				continue // a stage that few requests have
			}
			req.Stage[k][row] = roll(s)
			req.TTFTStage[k][row] = req.Stage[k][row] / 3
			req.Duration[row] += req.Stage[k][row]
			req.TTFT[row] += req.TTFTStage[k][row]
		}
		req.End[row], req.FirstToken[row] = at+req.Duration[row], at+req.TTFT[row]
	}
	return set
}

// comparedSets makes the document of a comparison of two drawn sets, by way of JSON.
func comparedSets(t *rapid.T) reports.Document {
	c := analyze.Compare(drawnSet(t, "base"), drawnSet(t, "new"), analyze.Options{Replicates: 20}, change.Rule{})
	d := reports.Run{Version: "1", Operands: []string{"new/"}}.Compare(c, reports.Compared{Label: "base"}, reports.Compared{Label: "new"})
	var b bytes.Buffer
	if err := reports.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	d, err := reports.ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var between = regexp.MustCompile(` {2,}`)

// cellsOf splits a row of a table, without the marks of differences that do not stand out.
func cellsOf(line string) (cells []string) {
	for _, cell := range between.Split(strings.TrimSpace(line), -1) {
		if cell != same {
			cells = append(cells, cell)
		}
	}
	return cells
}

// number reads a printed figure; "<0.01" has no steps.
func number(t *rapid.T, cell string) *big.Rat {
	cell = strings.TrimPrefix(cell, "+")
	if strings.Contains(cell, "<") {
		return new(big.Rat)
	}
	v, ok := new(big.Rat).SetString(cell)
	if !ok {
		t.Fatalf("%q is no number", cell)
	}
	return v
}

// addedUp checks a table whose last row is the sum of the others, in the columns that
// hold numbers to add.
func addedUp(t *rapid.T, rows []string, columns func(cells int) []int) (last []*big.Rat) {
	var sums []*big.Rat
	for _, line := range rows {
		cells := cellsOf(line)
		last = nil
		for i, c := range columns(len(cells)) {
			if len(sums) == i {
				sums = append(sums, new(big.Rat))
			}
			last = append(last, number(t, cells[c]))
			sums[i].Add(sums[i], last[i])
		}
	}
	for i, sum := range sums {
		if sum.Sub(sum, last[i]).Cmp(last[i]) != 0 {
			t.Fatalf("column %d adds up to %s and not to %s:\n%s", i, sum.FloatString(3), last[i].FloatString(3), strings.Join(rows, "\n"))
		}
	}
	return last
}

// TestPrintedContributionsAddUp draws pairs of sets and reads the tables as a user would:
// what is printed for the parts adds up to what is printed for all of them, which is the
// change itself, rounded; and in JSON they add up to the ns.
func TestPrintedContributionsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := comparedSets(t)
		lines := strings.Split(render(t, d, Options{Verbose: true}), "\n")
		after := func(title string, last string) (at int, rows []string) {
			for i, line := range lines {
				if !strings.HasPrefix(line, title) {
					continue
				}
				for at = i + 1; ; at++ {
					rows = append(rows, lines[at])
					if strings.HasPrefix(lines[at], last) {
						return i, rows
					}
				}
			}
			t.Fatalf("no table %q in\n%s", title, strings.Join(lines, "\n"))
			return 0, nil
		}
		for _, m := range d.Compare.Metrics {
			if m.Mean == nil || len(m.Mean.Parts) == 0 {
				continue
			}
			at, rows := after("what moved "+m.Metric+": ", "total ")
			unit := strings.Fields(lines[at])[3]
			shown := addedUp(t, rows[1:], func(cells int) (at []int) {
				for i := 1; i < cells; i += 2 {
					at = append(at, i)
				}
				return at
			})
			splits := map[string]reports.ChangeSplit{"mean": *m.Mean}
			for _, a := range m.At {
				splits[a.P] = a.ChangeSplit
			}
			heads := regexp.MustCompile(`mean|p[0-9.]+`).FindAllString(rows[0], -1)
			if len(heads) != len(shown) {
				t.Fatalf("%d columns and %d sums: %q", len(heads), len(shown), rows)
			}
			for i, head := range heads {
				s := splits[head]
				var sum int64
				for _, part := range s.Parts {
					sum += part.DifferenceNS
				}
				if sum != s.Total.DifferenceNS {
					t.Fatalf("%s of %s: parts add up to %d ns of %d", head, m.Metric, sum, s.Total.DifferenceNS)
				}
				closeTo(t, rows[len(rows)-1], unit, shown[i], s.Total.DifferenceNS)
			}
			for _, b := range m.Bands {
				if !b.Ample {
					continue
				}
				lines = lines[at+1:]
				var rows []string
				at, rows = after(b.Band+" ", "mean ")
				sums := addedUp(t, rows, func(int) []int { return []int{1, 2, 3} })
				if new(big.Rat).Sub(sums[1], sums[0]).Cmp(sums[2]) != 0 {
					t.Fatalf("%s: new less base is not the difference:\n%s", b.Band, strings.Join(rows, "\n"))
				}
			}
		}
	})
}

// closeTo checks that a printed figure is what it stands for, to half a step of the last
// decimal.
func closeTo(t *rapid.T, row, unit string, printed *big.Rat, ns int64) {
	per := map[string]int64{"ns": 1, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}[unit]
	off := new(big.Rat).Sub(printed, big.NewRat(ns, per))
	steps := int64(1)
	if point := regexp.MustCompile(`\.([0-9]+)`).FindStringSubmatch(row); point != nil {
		for range point[1] {
			steps *= 10
		}
	}
	if off.Abs(off).Cmp(big.NewRat(1, 2*steps)) > 0 {
		t.Fatalf("%d ns are printed as %s %s: %q", ns, printed.FloatString(3), unit, row)
	}
}
