package cohort

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestBucketsHoldEnough: requests of one clock and time share a bucket, and the width is the
// narrowest that leaves 20 in one on average.
func TestBucketsHoldEnough(t *testing.T) {
	for _, c := range []struct {
		n        int
		interval int64
		width    int64
	}{
		{7200, second / 4, 5 * second}, {7200, second / 40, second}, {500, second, 30 * second}, {100, 600 * second, 3600 * second}, {1 << 16, 60 * second, 3600 * second},
		{10, 1 << 58, 3600 * second << 21},
	} {
		l := newLoad(c.n, c.interval, 1, oneIn(5))
		if c.interval == 1<<58 { // as far apart as starts can be
			for i := range l.Start {
				l.Start[i] = math.MinInt64 + int64(i)*(1<<60)
			}
		}
		st := stratify(l.Sample)
		if c.interval < 1<<58 && st.WidthNS != c.width {
			t.Errorf("%d requests every %d ns are in buckets of %d ns, want %d", c.n, c.interval, st.WidthNS, c.width)
		}
		var all int64
		for k := range st.slow {
			all += st.slow[k] + st.rest[k]
		}
		if all != int64(c.n) || len(st.slow) != st.N || st.N > maxBuckets {
			t.Errorf("%d of %d requests are in %d buckets", all, c.n, st.N)
		}
	}
}

func TestClocksShareNoBucket(t *testing.T) {
	l := newLoad(400, second, 1, oneIn(4))
	for i := range l.Slow {
		l.Clock = append(l.Clock, int32(i%3)-1)
	}
	st := stratify(l.Sample)
	of := map[int32]int32{}
	for i, k := range st.index {
		if c, ok := of[k]; ok && c != l.Clock[i] {
			t.Fatalf("bucket %d has requests of clocks %d and %d", k, c, l.Clock[i])
		}
		of[k] = l.Clock[i]
	}
	if st.Undated != 134 || len(st.warnings(100)) == 0 || st.warnings(100)[0].ID != WarnUndated {
		t.Errorf("%d requests have no time: %+v", st.Undated, st.warnings(100))
	}
}

// TestWhatStandsOnOneMomentIsNotAFinding plants a burst of two seconds in a long load: what
// was on just then differs from the others of its bucket, and of no other.
func TestWhatStandsOnOneMomentIsNotAFinding(t *testing.T) {
	burst := func(i int) bool { return i >= 6000 && i < 6040 && i%2 == 0 }
	l := newLoad(8000, second/20, 1, func(i int, r *rand.Rand) bool { return burst(i) || i%400 == 0 })
	l.add("job", []string{"no", "yes"}, func(i int) int {
		if burst(i) {
			return 1
		}
		return 0
	})
	r := Of(l.Sample, Options{})
	if len(r.Findings) != 0 || len(r.TimeOnly) != 1 || r.TimeOnly[0].Why != WhyOneMoment {
		t.Errorf("found %v, put down to time %+v, over %+v", names(r.Findings), r.TimeOnly, r.Strata)
	}
}

// small draws a few buckets of a few requests with an attribute of some values.
func small(t *rapid.T, values int) *counted {
	n := rapid.IntRange(4, 14).Draw(t, "n")
	s := &Sample{}
	b := binned{Attribute: Attribute{Values: make([]Value, values)}}
	for range n {
		s.Slow = append(s.Slow, rapid.Bool().Draw(t, "slow"))
		s.Start = append(s.Start, int64(rapid.IntRange(0, 2).Draw(t, "bucket")))
		b.code = append(b.code, int32(rapid.IntRange(0, values-1).Draw(t, "value")))
	}
	s.Clock = make([]int32, n)
	for i, at := range s.Start { // buckets of one clock are wider than these few
		s.Clock[i] = int32(at)
	}
	return count(&b, stratify(s), s.Slow)
}

// TestExactAgainstEnumeration deals which requests of each bucket are slow in every way.
func TestExactAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := small(t, 2)
		law := map[int]float64{0: 1}
		at := 0
		c.each(0, 1, func(x one) {
			at += int(x.slowWith)
			next, ways := map[int]float64{}, map[int]float64{}
			total := 0.0
			for set := range 1 << int(x.all) {
				chosen, with := 0, 0
				for bit := range int(x.all) {
					if set>>bit&1 == 1 {
						chosen++
						if bit < int(x.with) {
							with++
						}
					}
				}
				if chosen == int(x.slow) {
					ways[with]++
					total++
				}
			}
			for a, p := range law {
				for b, w := range ways {
					next[a+b] += p * w / total
				}
			}
			law = next
		})
		want := 0.0
		for _, p := range law {
			if p <= law[at]*(1+1e-9) {
				want += p
			}
		}
		if got := c.exact(0, 1); math.Abs(got-want) > 1e-9 {
			t.Fatalf("p is %v, want %v", got, want)
		}
	})
}

// TestQuadraticAgainstMoments: with two values the general test is that of either value, and
// the quadratic form does not depend on the order of the values.
func TestQuadraticAgainstMoments(t *testing.T) {
	l := newLoad(4000, second/2, 1, oneIn(4))
	l.add("two", []string{"a", "b"}, func(i int) int { return l.random.IntN(3) % 2 })
	l.add("six", []string{"a", "b", "c", "d", "e", "f"}, func(i int) int {
		if l.Slow[i] {
			return min(l.random.IntN(6), l.random.IntN(9))
		}
		return l.random.IntN(6)
	})
	st := stratify(l.Sample)
	two := binned{Attribute: Attribute{Values: make([]Value, 2)}, code: l.columns[0].Codes}
	c := count(&two, st, l.Slow)
	p, ok := c.general()
	if want := c.probability(1, 2); !ok || math.Abs(p-want) > 1e-12 {
		t.Errorf("p is %v, want %v", p, want)
	}
	six := binned{Attribute: Attribute{Values: make([]Value, 6)}, code: l.columns[1].Codes}
	p, ok = count(&six, st, l.Slow).general()
	turned := six
	turned.code = slices.Clone(six.code)
	for i := range turned.code {
		turned.code[i] = 5 - turned.code[i]
	}
	if q, _ := count(&turned, st, l.Slow).general(); !ok || math.Abs(p-q) > 1e-9*p || p > .01 {
		t.Errorf("p is %v, and %v with the values turned round", p, q)
	}
	if q, rank := quadratic([]float64{2, -2, -2, 2}, []float64{3, -3}); q != 4.5 || rank != 1 {
		t.Errorf("the singular form is %v of rank %d, want 4.5 and 1", q, rank)
	}
}

// TestBoundsHoldTheirConfidence draws loads whose rates change with time, and counts how
// often bounds hold the true difference, risk and fraction.
func TestBoundsHoldTheirConfidence(t *testing.T) {
	const runs = 400
	var difference, risk, newcombe int
	for seed := range uint64(runs) {
		// A request with the value, of which there are 0.3, is slow 3 times as often as others,
		// whose rate rises from 0.02 to 0.2.
		const with, ratio = .3, 3.0
		n := 1500
		l := newLoad(n, second, seed, func(int, *rand.Rand) bool { return false })
		base := func(i int) float64 { return .02 + .18*float64(i)/float64(n) }
		l.add("value", []string{"no", "yes"}, func(i int) int {
			v, rate := 0, base(i)
			if l.random.Float64() < with {
				v, rate = 1, ratio*rate
			}
			l.Slow[i] = l.random.Float64() < rate
			return v
		})
		nSlow, _ := l.sizes()
		st := stratify(l.Sample)
		b := binned{Attribute: Attribute{Values: make([]Value, 2)}, code: l.columns[0].Codes}
		for i, v := range b.code {
			t := tally{b.Values[v].Slow, b.Values[v].Rest}
			t.add(l.Slow[i])
			b.Values[v].Slow, b.Values[v].Rest = t.slow, t.rest
		}
		f := count(&b, st, l.Slow).adjusted(1, 2, b.Values[1].Slow, nSlow)
		// The true difference over the buckets, weighted as the estimate is.
		var sum, weight float64
		for _, k := range st.both {
			i := (float64(k) + .5) * float64(n) / float64(st.N)
			rate := base(int(i))
			slow := with * ratio * rate / (with*ratio*rate + (1-with)*rate)
			rest := with * (1 - ratio*rate) / (with*(1-ratio*rate) + (1-with)*(1-rate))
			w := float64(st.slow[k]) * float64(st.rest[k]) / float64(st.slow[k]+st.rest[k])
			sum, weight = sum+w*(slow-rest), weight+w
		}
		holds := func(e stat.Estimate, x float64) int {
			if e.HasBounds && e.Bounds.Low <= x && x <= e.Bounds.High {
				return 1
			}
			return 0
		}
		difference += holds(f.Difference, sum/weight)
		risk += holds(f.RelativeRisk, ratio)
		k1, k2 := int64(0), int64(0)
		for i := range 60 {
			if l.random.Float64() < .6 {
				k1++
			}
			if i < 40 && l.random.Float64() < .03 {
				k2++
			}
		}
		newcombe += holds(Newcombe(k1, 60, k2, 40), .57)
	}
	for name, held := range map[string]int{"difference": difference, "risk": risk, "Newcombe": newcombe} {
		if share := float64(held) / runs; share < .92 || share > .985 {
			t.Errorf("bounds of the %s hold it in %.3f of the runs", name, share)
		}
	}
	t.Logf("difference %d, risk %d, Newcombe %d of %d", difference, risk, newcombe, runs)
}
