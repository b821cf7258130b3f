package cohort

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Of finds the attributes in which slow requests differ from the rest.
func Of(s *Sample, o Options) Result {
	o = o.filled()
	r := Result{Options: o}
	r.Slow, r.Rest = s.sizes()
	r.Enough = r.Slow >= o.MinSupport && r.Rest >= o.MinSupport
	r.Warnings = fewWarnings(r.Slow, r.Rest)
	if !r.Enough {
		return r
	}
	st := stratify(s)
	r.Strata = st.Strata
	r.Warnings = append(r.Warnings, st.warnings(r.Slow)...)
	examined := make([]candidates, s.Columns)
	each(s.Columns, o.Workers, func(i int) {
		examined[i] = compare(s, s.Column(i), st, o, r.Slow, r.Rest)
	})
	slices.SortStableFunc(examined, func(a, b candidates) int { return cmp.Compare(a.Name, b.Name) })
	discover(examined)
	r.findings(examined)
	for i := range examined {
		r.Attributes = append(r.Attributes, examined[i].Attribute)
	}
	return r
}

// ample is how many requests a group needs for shares in steps of 5 %.
const ample = 20

func fewText(n int64, kind string) string {
	are := "requests are"
	if n == 1 {
		are = "request is"
	}
	return fmt.Sprintf("%d %s %s few: only large differences show", n, kind, are)
}

func fewWarnings(slow, rest int64) (out []stat.Warning) {
	if slow < ample {
		out = append(out, stat.Warning{ID: WarnFewSlow, Text: fewText(slow, "slow")})
	}
	if rest < ample {
		out = append(out, stat.Warning{ID: WarnFewRest, Text: fewText(rest, "other")})
	}
	return out
}

// each calls f for 0 to n-1 from several goroutines.
func each(n, workers int, f func(i int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// candidates is an attribute with the values that pass the gates, should the attribute be
// found to differ at all.
type candidates struct {
	Attribute
	crude, adjusted []candidate
}

// candidate is a finding with the requests that have it.
type candidate struct {
	Finding
	has []uint64 // one bit a request
}

// compare compares both groups in one attribute.
func compare(s *Sample, c Column, st *strata, o Options, nSlow, nRest int64) candidates {
	b := examine(c, s.Slow, o, nSlow, nRest)
	if b.code == nil {
		return candidates{Attribute: b.Attribute}
	}
	a := &b.Attribute
	slow, rest := make([]float64, len(b.Values)), make([]float64, len(b.Values))
	table := [][]int64{make([]int64, len(b.Values)), make([]int64, len(b.Values))}
	for v, x := range b.Values {
		table[0][v], table[1][v] = x.Slow, x.Rest
		slow[v], rest[v] = float64(x.Slow), float64(x.Rest)
	}
	a.CrudeScore = stat.JensenShannon(slow, rest)
	a.G, a.ChiSquared = stat.GTest(table), stat.ChiSquared(table)
	a.CrudeP, a.CrudeMethod = tableP(table)
	n := count(&b, st, s.Slow)
	if st.N == 1 {
		a.Score, a.P, a.Method = a.CrudeScore, a.CrudeP, a.CrudeMethod
	} else {
		a.Score = stat.JensenShannon(n.weighted())
		a.P, a.Method = n.test()
	}
	g := gate{b: &b, n: n, o: o, nSlow: nSlow, nRest: nRest}
	adjusted, regardless := g.candidates()
	return candidates{b.Attribute, regardless, adjusted}
}

// discover adjusts the probabilities of all tested attributes for their number.
func discover(examined []candidates) {
	var p, crude []float64
	var of []*Attribute
	for i := range examined {
		if a := &examined[i].Attribute; a.Status == Tested || a.Status == Presence {
			p, crude, of = append(p, a.P), append(crude, a.CrudeP), append(of, a)
		}
	}
	q, crudeQ := stat.BenjaminiHochberg(p), stat.BenjaminiHochberg(crude)
	for i, a := range of {
		a.Q, a.CrudeQ = q[i], crudeQ[i]
	}
}

// findings collects what was discovered, and merges what the same requests have.
func (r *Result) findings(examined []candidates) {
	var found, timed []candidate
	for i := range examined {
		c := &examined[i]
		passed := false
		for _, f := range c.adjusted {
			if c.Q <= r.Options.FDR && f.Why == WhyNotDecided {
				found, passed = append(found, f), true
			}
		}
		if passed || r.Strata.N == 1 {
			continue
		}
		if c.Q <= r.Options.FDR && len(c.adjusted) > 0 {
			timed = append(timed, c.adjusted[0])
		} else if c.CrudeQ <= r.Options.FDR && len(c.crude) > 0 {
			timed = append(timed, c.crude[0])
		}
	}
	n := int64(len(found) + len(timed))
	r.Findings, r.TimeOnly = merged(found, r.Slow+r.Rest), merged(timed, r.Slow+r.Rest)
	r.Same = int(n) - len(r.Findings) - len(r.TimeOnly)
}

// byScore orders findings: the attribute that tells most comes first, and in it the value
// with the largest difference.
func byScore(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(b.Score, a.Score), cmp.Compare(a.Attribute, b.Attribute),
		cmp.Compare(b.decides().Difference.Value, a.decides().Difference.Value),
		cmp.Compare(a.Value.Low, b.Value.Low), cmp.Compare(a.Value.Name, b.Value.Name), cmp.Compare(a.Value.Kind, b.Value.Kind))
}

// decides returns the contrast that a finding is ranked by.
func (f *Finding) decides() *Contrast {
	if f.Why == WhyNotDecided {
		return &f.Adjusted
	}
	return &f.Crude
}

// sameAs is the V above which two findings are one.
const sameAs = 0.9

// merged sorts findings and merges those of other attributes that nearly the same requests
// have into the first. It compares the findings and not whole attributes: a host tells its
// region for certain and is not the same for that.
func merged(found []candidate, n int64) (out []Finding) {
	slices.SortFunc(found, byScore)
	var kept []candidate
	var known []property // of kept; packed, since each is looked at for every finding
next:
	for _, f := range found {
		p := property{f.has, countOf(f.has), f.Attribute}
		for i, k := range known {
			if mostAgreement(k.n, p.n, n) < nearlySame || k.attribute == p.attribute {
				continue
			}
			if v := agreement(k.has, p.has, k.n, p.n, n); v > sameAs {
				kept[i].Same = append(kept[i].Same, SameAs{f.Attribute, f.Value, v})
				continue next
			}
		}
		kept, known = append(kept, f), append(known, p)
	}
	for _, k := range kept {
		out = append(out, k.Finding)
	}
	return out
}

// property is the requests that have a finding, n of them.
type property struct {
	has       []uint64
	n         int64
	attribute string
}

// nearlySame is a V that is surely no more than sameAs, whichever way it is computed.
const nearlySame = sameAs - 1e-6

// agreement returns Cramer's V of two properties that inX and inY of n requests have; 0 when
// they exclude each other more often than by chance, and for a V below nearlySame. As every two
// findings are compared, it stops at the request that tells them apart.
func agreement(x, y []uint64, inX, inY, n int64) float64 {
	least := int64((nearlySame*margins(inX, inY, n) + float64(inX)*float64(inY)) / float64(n))
	most, apart := inX+inY-2*(least-1), int64(0) // requests that have one of the two alone
	for i := range x {
		if apart += ones(x[i] ^ y[i]); apart > most {
			return 0
		}
	}
	both := (inX + inY - apart) / 2
	if float64(both)*float64(n) <= float64(inX)*float64(inY) {
		return 0
	}
	return stat.ChiSquared([][]int64{{both, inX - both}, {inY - both, n - inX - inY + both}}).Effect
}

// mostAgreement is the highest V that two properties can have which inX and inY of n requests
// have: that of the smaller if it is all within the larger.
func mostAgreement(inX, inY, n int64) float64 { return phi(min(inX, inY), inX, inY, n) }

// phi is the correlation of two properties, of which both of n requests have both: Cramer's V
// with its sign. It is 0 for a property that all have, or none.
func phi(both, inX, inY, n int64) float64 {
	size := margins(inX, inY, n)
	if size <= 0 {
		return 0
	}
	return (float64(n)*float64(both) - float64(inX)*float64(inY)) / size
}

// margins is the square root of the product of the four margins of a table of two properties.
func margins(inX, inY, n int64) float64 {
	return math.Sqrt(float64(inX) * float64(n-inX) * float64(inY) * float64(n-inY))
}

// countOf counts the bits that are set.
func countOf(x []uint64) (n int64) {
	for _, word := range x {
		n += ones(word)
	}
	return n
}
