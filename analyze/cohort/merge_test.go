package cohort

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestAgreementIsCramersV: two properties of random requests agree by Cramer's V, computed in
// full, wherever that may make them one.
func TestAgreementIsCramersV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		x, y := make([]uint64, (n+63)/64), make([]uint64, (n+63)/64)
		var table [2][2]int64
		differ := rapid.IntRange(1, 200).Draw(t, "one in that many differs")
		for i := range n {
			a := rapid.Bool().Draw(t, "x")
			b := a != (rapid.IntRange(1, differ).Draw(t, "differs") == 1)
			for has, in := range map[*uint64]bool{&x[i/64]: a, &y[i/64]: b} {
				if in {
					*has |= 1 << (i % 64)
				}
			}
			table[bit(!a)][bit(!b)]++
		}
		inX, inY := countOf(x), countOf(y)
		if inX != table[0][0]+table[0][1] || inY != table[0][0]+table[1][0] {
			t.Fatalf("%d and %d of %v", inX, inY, table)
		}
		want := 0.0
		if float64(table[0][0])*float64(n) > float64(inX)*float64(inY) {
			want = stat.ChiSquared([][]int64{table[0][:], table[1][:]}).Effect
		}
		got := agreement(x, y, inX, inY, int64(n))
		if want >= nearlySame && got != want || got != 0 && got != want {
			t.Fatalf("%v: %v, want %v", table, got, want)
		}
		if most := mostAgreement(inX, inY, int64(n)); want > most+1e-9 {
			t.Fatalf("%v: %v, and at most %v", table, want, most)
		}
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestMergingManyFindingsReadsFewRequests: of thousands of findings, each of other requests, every
// two are compared. That must cost a few words of each and no table of tests, or it takes
// minutes.
func TestMergingManyFindingsReadsFewRequests(t *testing.T) {
	const findings, requests = 3000, 6400
	var found []candidate
	state := uint64(1)
	for k := range findings {
		has := make([]uint64, requests/64)
		for i := range has {
			state += 0x9e3779b97f4a7c15 // splitmix64
			z := state
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			has[i] = z ^ z>>31
		}
		found = append(found, candidate{Finding{Attribute: fmt.Sprintf("k%04d", k), Value: Value{Name: fmt.Sprint(bits.OnesCount64(has[0]))}}, has})
	}
	if n := testing.AllocsPerRun(1, func() {
		if kept := merged(found, requests); len(kept) != findings {
			t.Fatalf("%d of %d findings are kept", len(kept), findings)
		}
	}); n > findings {
		t.Errorf("%v allocations for %d findings", n, findings)
	}
}
