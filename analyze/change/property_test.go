package change

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// drawnSide draws a side with parts, starts, waits and cells.
func drawnSide(t *rapid.T, name string, least int) (Sample, Clock) {
	n := rapid.IntRange(least, 400).Draw(t, name+" n")
	type request struct {
		parts [3]int64
		start int64
		cell  int32
	}
	rows := make([]request, n)
	gen := rapid.Int64Range(0, 500_000_000)
	scale := rapid.Int64Range(1, 4).Draw(t, name+" scale")
	for i := range rows {
		for k := range rows[i].parts {
			rows[i].parts[k] = gen.Draw(t, "part") * scale
		}
		rows[i].start = monday + rapid.Int64Range(0, 30*60*1_000_000_000).Draw(t, "start")
		rows[i].cell = rapid.Int32Range(0, 2).Draw(t, "cell")
	}
	value := func(r request) int64 { return 1 + r.parts[0] + r.parts[1] + r.parts[2] }
	slices.SortStableFunc(rows, func(a, b request) int { return int(value(a) - value(b)) })
	s := Sample{Parts: make([][]int64, 3)}
	for _, r := range rows {
		s.Value, s.Start, s.Cell = append(s.Value, value(r)), append(s.Start, r.start), append(s.Cell, r.cell)
		for k := range s.Parts {
			part := r.parts[k]
			if k == 0 {
				part++
			}
			s.Parts[k] = append(s.Parts[k], part)
		}
		s.Waited = append(s.Waited, r.parts[1]/10)
	}
	return s, Clock{Starts: s.Start, Wall: true}
}

func compared(base, new *Sample, from, to Clock, workers int) *Result {
	o := Options{Blocks: Cut(from, to, DefaultRule()), Replicates: 100, Workers: workers, Seed: 3}
	r := Of(base, new, o)
	Judge([]*Result{r}, nil, DefaultRule())
	return r
}

func splits(r *Result) []Split {
	all := []Split{r.Mean}
	for _, a := range r.At {
		all = append(all, a.Split)
	}
	for _, b := range r.Bands {
		all = append(all, b.Split)
	}
	return all
}

func near(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(scale)) }

func TestChangesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, from := drawnSide(t, "base", 1)
		new, to := drawnSide(t, "new", 1)
		r := compared(&base, &new, from, to, 1)
		for i, s := range splits(r) {
			var was, is, d float64
			for _, f := range s.Parts {
				was, is, d = was+f.Base, is+f.New, d+f.Difference.Value
			}
			if !near(was, s.Total.Base, s.Total.Base) || !near(is, s.Total.New, s.Total.New) || !near(d, s.Total.Difference.Value, s.Total.Base+s.Total.New) {
				t.Fatalf("split %d: parts add up to %v, %v and %v of %v", i, was, is, d, s.Total)
			}
		}
		for _, a := range r.At {
			want := stat.HarrellDavis(r.N[New], a.P).Of(new.Value) - stat.HarrellDavis(r.N[Base], a.P).Of(base.Value)
			if !near(a.Total.Difference.Value, want, a.Total.Base+a.Total.New) {
				t.Fatalf("%s moves by %v, the estimates by %v", a.P, a.Total.Difference.Value, want)
			}
		}
		for _, p := range r.Percentiles {
			if w := p.Workload; w != nil && w.Workload+w.Server+w.Unmatched != float64(p.New.Value-p.Base.Value) {
				t.Fatalf("%s: %v does not add up to %d", p.P, *w, p.New.Value-p.Base.Value)
			}
		}
	})
}

// TestNothingChangesAgainstItself compares a side with itself.
func TestNothingChangesAgainstItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, clock := drawnSide(t, "side", 1)
		r := compared(&s, &s, clock, clock, 1)
		for _, p := range r.Percentiles {
			if p.Ratio.Value != 1 || p.Outcome != Same && p.Outcome != TooFew || p.Ratio.HasBounds && p.Ratio.Bounds != (stat.Bounds{Low: 1, High: 1}) {
				t.Fatalf("%s: %+v", p.P, p)
			}
			if w := p.Workload; w != nil && (w.Workload != 0 || w.Server != 0 || w.Unmatched != 0 || w.Ratio.Value != 1) {
				t.Fatalf("%s: %+v", p.P, *w)
			}
		}
		for _, x := range splits(r) {
			for _, f := range append([]Figure{x.Total}, x.Parts...) {
				if f.Difference.Value != 0 || f.Stands {
					t.Fatalf("%+v", f)
				}
			}
		}
	})
}

func TestSwappingFlipsSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, from := drawnSide(t, "base", 1)
		new, to := drawnSide(t, "new", 1)
		there, back := compared(&base, &new, from, to, 1), compared(&new, &base, to, from, 1)
		opposite := map[Outcome]Outcome{Slower: Faster, Faster: Slower, Same: Same, Describes: Describes, TooFew: TooFew}
		for i, p := range there.Percentiles {
			q := back.Percentiles[i]
			if !near(p.Ratio.Value*q.Ratio.Value, 1, 1) || q.Outcome != opposite[p.Outcome] || !near(p.Adjusted, q.Adjusted, 1) {
				t.Fatalf("%s: %+v and back %+v", p.P, p, q)
			}
			if p.Ratio.HasBounds && (math.Abs(p.Ratio.Bounds.Low*q.Ratio.Bounds.High-1) > 1e-6 || math.Abs(p.Ratio.Bounds.High*q.Ratio.Bounds.Low-1) > 1e-6) {
				t.Fatalf("%s: %v and back %v", p.P, p.Ratio.Bounds, q.Ratio.Bounds)
			}
			if (p.Workload == nil) != (q.Workload == nil) || p.Workload != nil && (p.Workload.Server != -q.Workload.Server || p.Workload.Workload != -q.Workload.Workload) {
				t.Fatalf("%s: %v and back %v", p.P, p.Workload, q.Workload)
			}
		}
		for i, s := range splits(there) {
			u := splits(back)[i]
			for k, f := range s.Parts {
				g := u.Parts[k]
				if f.Difference.Value != -g.Difference.Value || f.Base != g.New || f.Stands != g.Stands ||
					!near(f.Difference.Bounds.Low, -g.Difference.Bounds.High, f.Base+f.New) {
					t.Fatalf("%+v and back %+v", f, g)
				}
			}
		}
	})
}

func TestWorkersChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, from := drawnSide(t, "base", 1)
		new, to := drawnSide(t, "new", 1)
		one, many := compared(&base, &new, from, to, 1), compared(&base, &new, from, to, 5)
		if diff := cmp.Diff(one, many, cmp.AllowUnexported(Result{}, Percentile{}, Blocks{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestEqualMixChangesNothing gives both sides the same share of every cell.
func TestEqualMixChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, from := drawnSide(t, "base", 1)
		new := Sample{Cell: base.Cell, Start: base.Start}
		more := rapid.Int64Range(0, 1_000_000_000).Draw(t, "more")
		for _, v := range base.Value {
			new.Value = append(new.Value, v+more)
		}
		base.Parts = nil
		for _, p := range compared(&base, &new, from, from, 1).Percentiles {
			if p.Workload == nil {
				if p.bothValues {
					t.Fatalf("%s has no split", p.P)
				}
				continue
			}
			if p.Workload.Workload != 0 || p.Workload.Unmatched != 0 || p.Workload.Server != float64(more) {
				t.Fatalf("%s: %+v, all of %d ns is the server's", p.P, *p.Workload, more)
			}
		}
	})
}
