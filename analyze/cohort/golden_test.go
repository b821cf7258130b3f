package cohort

import (
	"math"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// given is an attribute by how often each value is met.
type given struct {
	name       string
	slow, rest []int
	values     []string
}

// sampleOf makes a sample without times: the slow requests first, each attribute in the
// order of its values.
func sampleOf(attributes ...given) *Sample {
	s := &Sample{Columns: len(attributes)}
	columns := make([]Column, len(attributes))
	for i, a := range attributes {
		columns[i] = Column{Name: a.name, Names: a.values}
		for g, counts := range [][]int{a.slow, a.rest} {
			for v, n := range counts {
				for range n {
					columns[i].Codes = append(columns[i].Codes, int32(v))
					if i == 0 {
						s.Slow = append(s.Slow, g == 0)
					}
				}
			}
		}
	}
	s.Column = func(i int) Column { return columns[i] }
	return s
}

func close6(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %.7g, want %.7g", name, got, want)
	}
}

// weights returns how often the values of an attribute were met in both groups.
func weights(a Attribute) (slow, rest []float64) {
	for _, v := range a.Values {
		slow, rest = append(slow, float64(v.Slow)), append(rest, float64(v.Rest))
	}
	return slow, rest
}

// TestTheCohortOfTheReference holds the published figures for 100 slow requests against 900.
func TestTheCohortOfTheReference(t *testing.T) {
	r := Of(sampleOf(
		given{"input", []int{60, 40}, []int{45, 855}, []string{">8k", "<=8k"}},
		given{"region", []int{52, 48}, []int{450, 450}, []string{"eu", "us"}},
		given{"replica", []int{70, 10, 10, 10}, []int{225, 225, 225, 225}, []string{"r1", "r2", "r3", "r4"}},
	), Options{})

	attribute := func(name string) Attribute {
		i := slices.IndexFunc(r.Attributes, func(a Attribute) bool { return a.Name == name })
		return r.Attributes[i]
	}
	input := attribute("input")
	slow, rest := weights(input)
	close6(t, "input score", input.Score, .281062, 5e-7)
	close6(t, "KL(slow||rest)", stat.KullbackLeibler(slow, rest), 1.144945, 5e-7)
	close6(t, "KL(rest||slow)", stat.KullbackLeibler(rest, slow), .697502, 5e-7)
	close6(t, "input chi-squared", input.ChiSquared.Statistic, 289.7047, 5e-5)
	close6(t, "input G", input.G.Statistic, 179.9347, 5e-5)
	close6(t, "input V", input.ChiSquared.Effect, .5382, 5e-5)

	region := attribute("region")
	close6(t, "region score", region.Score, .000289, 5e-7)
	close6(t, "region chi-squared", region.ChiSquared.Statistic, .1440, 5e-5)
	close6(t, "region p", region.ChiSquared.P, .704, 5e-4)

	replica := attribute("replica")
	close6(t, "replica score", replica.Score, .151911, 5e-7)
	close6(t, "replica chi-squared", replica.ChiSquared.Statistic, 87.6307, 5e-5)
	close6(t, "replica V", replica.ChiSquared.Effect, .2960, 5e-5)
	if replica.ChiSquared.DF != 3 {
		t.Errorf("replica has %d degrees of freedom, want 3", replica.ChiSquared.DF)
	}

	if len(r.Findings) != 2 || r.Findings[0].Attribute != "input" || r.Findings[1].Attribute != "replica" {
		t.Fatalf("findings are %+v, want input, then replica", r.Findings)
	}
	f := r.Findings[0].Adjusted
	close6(t, "input slow share", f.SlowShare, .6, 1e-12)
	close6(t, "input rest share", f.RestShare, .05, 1e-12)
	close6(t, "input lift", f.Lift, 12, 1e-12)
	close6(t, "input difference", f.Difference.Value, .55, 1e-12)
	close6(t, "input relative risk", f.RelativeRisk.Value, 12.7857, 5e-5)
	close6(t, "input fraction", f.Fraction.Value, .553073, 5e-7)
	close6(t, "replica lift", r.Findings[1].Adjusted.Lift, 2.8, 1e-12)
	if r.Findings[1].Value.Name != "r1" {
		t.Errorf("replica %q stands out, want r1", r.Findings[1].Value.Name)
	}
	if !(region.Score < replica.Score && replica.Score < input.Score) {
		t.Errorf("scores do not rank input > replica > region")
	}
	if r.Strata.N != 1 || len(r.Warnings) != 1 || r.Warnings[0].ID != WarnUndated {
		t.Errorf("strata %+v, warnings %+v: want one bucket, and that it is said", r.Strata, r.Warnings)
	}
}

// TestNewcombe holds the first example of Newcombe 1998: 56/70 against 48/80, for which his
// method 10 gives 0.0524 to 0.3339.
func TestNewcombe(t *testing.T) {
	e := Newcombe(56, 70, 48, 80)
	close6(t, "difference", e.Value, .2, 1e-12)
	close6(t, "low", e.Bounds.Low, .0524, 5e-5)
	close6(t, "high", e.Bounds.High, .3339, 5e-5)
	for _, c := range [][4]int64{{0, 10, 0, 10}, {10, 10, 0, 10}, {0, 1, 1, 1}} {
		e := Newcombe(c[0], c[1], c[2], c[3])
		if !e.HasBounds || e.Bounds.Low > e.Value || e.Bounds.High < e.Value || e.Bounds.Low < -1 || e.Bounds.High > 1 {
			t.Errorf("%v gives %+v", c, e)
		}
	}
	if e := Newcombe(0, 0, 3, 4); e.HasBounds || len(e.Warnings) == 0 {
		t.Errorf("nothing to compare gives %+v", e)
	}
}

// TestStrataAgainstOneBucket compares what is weighted over buckets with the plain figures,
// which it must equal when there is but one.
func TestStrataAgainstOneBucket(t *testing.T) {
	s := sampleOf(given{"a", []int{60, 40}, []int{45, 855}, []string{"x", "y"}})
	st := stratify(s)
	b := examine(s.Column(0), s.Slow, Options{}.filled(), 100, 900)
	n := count(&b, st, s.Slow)
	plain, over := crude(60, 45, 100, 900), n.adjusted(0, 1, 60, 100)
	close6(t, "slow share", over.SlowShare, plain.SlowShare, 1e-12)
	close6(t, "rest share", over.RestShare, plain.RestShare, 1e-12)
	close6(t, "relative risk", over.RelativeRisk.Value, plain.RelativeRisk.Value, 1e-9)
	close6(t, "relative risk low", over.RelativeRisk.Bounds.Low, plain.RelativeRisk.Bounds.Low, 1e-9)
	close6(t, "relative risk high", over.RelativeRisk.Bounds.High, plain.RelativeRisk.Bounds.High, 1e-9)
	close6(t, "fraction", over.Fraction.Value, plain.Fraction.Value, 1e-12)
	close6(t, "fraction low", over.Fraction.Bounds.Low, plain.Fraction.Bounds.Low, 1e-9)
	close6(t, "fraction high", over.Fraction.Bounds.High, plain.Fraction.Bounds.High, 1e-9)
	close6(t, "difference", over.Difference.Value, plain.Difference.Value, 1e-12)
	// The difference's bounds are of another method, which is close where counts are large.
	close6(t, "difference low", over.Difference.Bounds.Low, plain.Difference.Bounds.Low, .02)
	close6(t, "difference high", over.Difference.Bounds.High, plain.Difference.Bounds.High, .02)
	p, _ := n.general()
	want := stat.ChiSquared([][]int64{{60, 40}, {45, 855}}).Statistic * 999 / 1000
	close6(t, "general association, as a chi-squared", -2*math.Log(p), -2*math.Log(math.Erfc(math.Sqrt(want/2))), .01)
}

// TestExactAgainstFisher: over one bucket the exact law is Fisher's.
func TestExactAgainstFisher(t *testing.T) {
	for _, c := range [][4]int64{{8, 0, 12, 380}, {3, 1, 17, 79}, {0, 9, 10, 81}, {10, 300, 0, 90}} {
		s := sampleOf(given{"a", []int{int(c[0]), int(c[2])}, []int{int(c[1]), int(c[3])}, []string{"x", "y"}})
		st := stratify(s)
		b := binned{Attribute: Attribute{Values: make([]Value, 2)}, code: s.Column(0).Codes}
		got := count(&b, st, s.Slow).exact(0, 1)
		want := stat.FisherTwoSided(c[0], c[1], c[2], c[3]).P
		close6(t, "p", got, want, 1e-9)
	}
}
