package change

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShifts(t *testing.T) {
	labels := func(counts ...int) []int64 {
		var out []int64
		for v, n := range counts {
			out = append(out, slices.Repeat([]int64{int64(v)}, n)...)
		}
		return out
	}
	numbers := func(n int, f func(i int64) int64) []int64 {
		var out []int64
		for i := range int64(n) {
			out = append(out, f(i))
		}
		return out
	}
	got := Shifts([]Column{
		// The pair of distributions of which the divergence is known: .6 and .05.
		{Name: "long", Labels: []string{"no", "yes"}, Rows: [2][]int64{labels(40, 60), labels(855, 45)}},
		{Name: "region", Labels: []string{"a", "b"}, Rows: [2][]int64{labels(52, 48), labels(450, 450)}},
		{Name: "tokens", Numeric: true, Rows: [2][]int64{numbers(500, func(i int64) int64 { return i % 100 }), numbers(500, func(i int64) int64 { return i%100 + 60 })}},
		{Name: "alike", Numeric: true, Rows: [2][]int64{numbers(500, func(i int64) int64 { return i % 100 }), numbers(300, func(i int64) int64 { return i % 100 })}},
		{Name: "few", Labels: []string{"a", "b"}, Rows: [2][]int64{labels(3, 1), labels(1, 3)}},
		{Name: "unseen", Numeric: true, Rows: [2][]int64{{Missing, Missing}, {1, 2}}},
	}, DefaultRule())
	want := []struct {
		bits            float64
		shifted, unseen bool
	}{{.281062, true, false}, {.000289, false, false}, {-1, true, false}, {0, false, false}, {-1, false, false}, {0, false, true}}
	for i, w := range want {
		s := got[i]
		if s.Shifted != w.shifted || s.Unseen != w.unseen || w.bits >= 0 && math.Abs(s.Divergence-w.bits) > 1e-6 {
			t.Errorf("%s: %+v", s.Column, s)
		}
	}
	if s := got[2]; s.Median != [2]int64{49, 109} {
		t.Errorf("medians are %v", s.Median)
	}
	if v := got[0].Values; v[0].Share != [2]float64{.4, .95} {
		t.Errorf("shares are %v", v)
	}
}

// TestCellsAreAlike puts requests in cells and checks that a cell holds ten of either
// side, of one label each, and that nobody is counted twice.
func TestCellsAreAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := []Column{{Name: "model", Labels: []string{"a", "b", "c"}}, {Name: "tokens", Numeric: true}, {Name: "prompt", Numeric: true}}
		for s := range sides {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			for range n {
				columns[0].Rows[s] = append(columns[0].Rows[s], rapid.SampledFrom([]int64{0, 0, 0, 1, 1, 2, Missing}).Draw(t, "model"))
				columns[1].Rows[s] = append(columns[1].Rows[s], rapid.Int64Range(0, 60).Draw(t, "tokens")*int64(s+1))
				columns[2].Rows[s] = append(columns[2].Rows[s], rapid.SampledFrom([]int64{5, 7, 2000, Missing}).Draw(t, "prompt"))
			}
		}
		w := Cells(columns)
		counts := make([][2]int, w.Count)
		label := map[int32]int64{}
		for s := range sides {
			var alone int64
			for i, c := range w.Cells[s] {
				if c < 0 {
					alone++
					continue
				}
				counts[c][s]++
				model := columns[0].Rows[s][i]
				if was, ok := label[c]; ok && was != model && recorded(columns[0].Rows[Base]) && recorded(columns[0].Rows[New]) {
					t.Fatalf("cell %d holds models %d and %d", c, was, model)
				}
				label[c] = model
			}
			if alone != w.Unmatched[s] || len(w.Cells[s]) != len(columns[0].Rows[s]) {
				t.Fatalf("%d are alone, told are %d", alone, w.Unmatched[s])
			}
		}
		for c, n := range counts {
			if min(n[Base], n[New]) < leastCell {
				t.Fatalf("cell %d holds %v", c, n)
			}
		}
	})
}

// TestOtherModelsHaveNoCounterpart keeps a model of one side from passing for that of
// the other.
func TestOtherModelsHaveNoCounterpart(t *testing.T) {
	same := slices.Repeat([]int64{100}, 50)
	w := Cells([]Column{
		{Name: "model", Labels: []string{"a", "b"}, Rows: [2][]int64{make([]int64, 50), slices.Repeat([]int64{1}, 50)}},
		{Name: "tokens", Numeric: true, Rows: [2][]int64{same, same}},
	})
	if w.Unmatched != [2]int64{50, 50} || w.Count != 0 {
		t.Errorf("%+v", w)
	}
}

// TestWorkOrServer takes twice as long per token, then gives twice the tokens.
func TestWorkOrServer(t *testing.T) {
	side := func(long int, per int64) (Sample, []int64) {
		var tokens []int64
		for i := range 400 {
			n := int64(10)
			if i%10 < long {
				n = 100
			}
			tokens = append(tokens, n)
		}
		slices.Sort(tokens)
		s := Sample{}
		for i, n := range tokens {
			s.Value = append(s.Value, n*per*ms)
			s.Start = append(s.Start, int64(i*7919%400)*1_000*ms)
		}
		return s, tokens
	}
	for _, c := range []struct {
		name             string
		long             int
		per              int64
		workload, server float64 // ns, of the mean of both ways
		ratio            float64
	}{
		{"alike", 3, 5, 0, 0, 1},
		{"slower", 3, 10, 0, 50 * float64(ms), 2},
		{"longer", 7, 5, 450 * float64(ms), 0, 1},
	} {
		base, was := side(3, 5)
		new, is := side(c.long, c.per)
		w := Cells([]Column{{Name: "tokens", Numeric: true, Rows: [2][]int64{was, is}}})
		base.Cell, new.Cell = w.Cells[Base], w.Cells[New]
		r := judged(&base, &new, Clock{Starts: base.Start}, Clock{Starts: new.Start}, DefaultRule())
		got := r.Percentiles[0].Workload
		if got == nil || got.Workload != c.workload || got.Server != c.server || math.Abs(got.Ratio.Value-c.ratio) > 1e-12 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestRates(t *testing.T) {
	events := func(n, every int, from int64) Events {
		e := Events{}
		for i := range n {
			e.Hit, e.Start = append(e.Hit, i%every == 0), append(e.Start, from+int64(i)*1_000*ms)
		}
		return e
	}
	base := events(2000, 100, 0)
	for _, c := range []struct {
		name string
		new  Events
		want Outcome
	}{
		{"alike", events(2000, 100, week), Same},
		{"more", events(2000, 10, week), Slower},
		{"fewer", events(2000, 2001, week), Faster},
		{"few requests", events(5, 1, week), TooFew},
		{"no times", Events{Hit: events(2000, 10, week).Hit}, Describes},
	} {
		o := Options{Blocks: Cut(Clock{Starts: base.Start}, Clock{Starts: c.new.Start}, DefaultRule()), Replicates: 200}
		r := RateOf("errors", base, c.new, o)
		Judge(nil, []*Rate{r}, DefaultRule())
		if r.Outcome != c.want || r.Difference.HasBounds != (c.want != TooFew && c.want != Describes) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	// Of what no request has, or every one, resamples are all alike: they bound nothing.
	for _, every := range []int{2001, 1} {
		e := [2]Events{events(2000, every, 0), events(2000, every, week)}
		for s := range e {
			e[s].Hit[0] = every == 1
		}
		r := RateOf("errors", e[Base], e[New], Options{Blocks: Cut(Clock{Starts: base.Start}, Clock{Starts: e[New].Start}, DefaultRule()), Replicates: 200})
		Judge(nil, []*Rate{r}, DefaultRule())
		if r.Outcome != Same || r.Difference.HasBounds || r.Difference.Value != 0 || r.Difference.Warnings[0].ID != AllAlike {
			t.Errorf("one in %d: %+v", every, r)
		}
	}
	// One burst of failures is no rate that stays.
	burst := events(2000, 100, week)
	for i := 500; i < 560; i++ {
		burst.Hit[i] = true
	}
	o := Options{Blocks: Cut(Clock{Starts: base.Start}, Clock{Starts: burst.Start}, DefaultRule()), Replicates: 200}
	r := RateOf("errors", base, burst, o)
	if Judge(nil, []*Rate{r}, DefaultRule()); r.Outcome == Slower {
		t.Errorf("one burst passes for a rate: %+v", r)
	}
}

// TestRateThatLasts: a share that is another for a long stretch is too much of the capture for the
// blocks to tell it from chance. Nor do they tell that it is chance: it describes.
func TestRateThatLasts(t *testing.T) {
	const n = 2000
	var sides [2]Events
	for i := range int64(n) {
		for s := range sides {
			sides[s].Start = append(sides[s].Start, int64(s)*week+i*1_000*ms)
			sides[s].Hit = append(sides[s].Hit, s == New && i >= n/4 && i < 3*n/4)
		}
	}
	o := Options{Blocks: Cut(Clock{Starts: sides[Base].Start}, Clock{Starts: sides[New].Start}, DefaultRule()), Replicates: 200}
	for _, swapped := range []bool{false, true} {
		r := RateOf("missed", sides[Base], sides[New], o)
		if swapped {
			o.Blocks = Cut(Clock{Starts: sides[New].Start}, Clock{Starts: sides[Base].Start}, DefaultRule())
			r = RateOf("missed", sides[New], sides[Base], o)
		}
		Judge(nil, []*Rate{r}, DefaultRule())
		if r.Outcome != Describes || r.Difference.HasBounds || r.Adjusted > 1e-6 || len(r.Difference.Warnings) != 1 || r.Difference.Warnings[0].ID != Lasting {
			t.Errorf("swapped %v: %+v", swapped, r)
		}
	}
}
