package join

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// naivePair is pair, over all pairs of stays and all instants.
func naivePair(stays []stay) (joined [][2]int32, doubt bool) {
	services := map[int32]map[int32]bool{}
	var groups []int32
	for _, s := range stays {
		if services[s.group] == nil {
			services[s.group] = map[int32]bool{}
			groups = append(groups, s.group)
		}
		services[s.group][s.service] = true
	}
	slices.Sort(groups)
	apart := func(a, b int32) bool {
		for s := range services[a] {
			if services[b][s] {
				return false
			}
		}
		return a != b
	}
	crowded := map[int32]bool{}
	for _, at := range stays {
		here := map[int32]bool{}
		for _, s := range stays {
			if at.dated && s.dated && s.start <= at.start && at.start <= s.end {
				here[s.group] = true
			}
		}
		for g := range here {
			crowded[g] = crowded[g] || len(here) > mostAtOnce
		}
	}
	met := map[[2]int32]bool{}
	for _, a := range stays {
		for _, b := range stays {
			if a.dated && b.dated && a.start <= b.end && b.start <= a.end && apart(a.group, b.group) {
				met[[2]int32{a.group, b.group}] = true
			}
			doubt = doubt || !a.dated && apart(a.group, b.group)
		}
	}
	only := func(a, b int32) bool {
		for _, c := range groups {
			if c != b && met[[2]int32{a, c}] && !apart(c, b) {
				return false
			}
		}
		return true
	}
	for _, a := range groups {
		for _, b := range groups {
			if a < b && met[[2]int32{a, b}] {
				if only(a, b) && only(b, a) && !crowded[a] && !crowded[b] {
					joined = append(joined, [2]int32{a, b})
				} else {
					doubt = true
				}
			}
		}
	}
	return joined, doubt
}

// someStays draws stays; with sparse, each group has one service.
func someStays(sparse bool) *rapid.Generator[[]stay] {
	return rapid.Custom(func(t *rapid.T) []stay {
		n := rapid.IntRange(0, 30).Draw(t, "n")
		groups := rapid.Int32Range(1, 16).Draw(t, "groups")
		long := rapid.Int64Range(1, 40).Draw(t, "long")
		stays := make([]stay, n)
		for i := range stays {
			group := rapid.Int32Range(0, groups).Draw(t, "group")
			service := rapid.Int32Range(1, 4).Draw(t, "service")
			if sparse {
				service = group%3 + 1
			}
			start := rapid.Int64Range(0, 60).Draw(t, "start")
			stays[i] = stay{group: group, service: service, row: int32(i), start: start, end: start + rapid.Int64Range(0, long).Draw(t, "length")}
			if stays[i].dated = rapid.IntRange(0, 40).Draw(t, "dated") > 0; !stays[i].dated {
				stays[i].start, stays[i].end = 0, 0
			}
		}
		return stays
	})
}

// TestPairIsTheNaivePair compares with all pairs, also where one pairing is used again.
func TestPairIsTheNaivePair(t *testing.T) {
	for _, sparse := range []bool{true, false} {
		var p pairing
		rapid.Check(t, func(t *rapid.T) {
			stays := someStays(sparse).Draw(t, "stays")
			joined, doubt := p.pair(stays)
			want, wantDoubt := naivePair(stays)
			if d := cmp.Diff(want, slices.Clone(joined)); d != "" && len(want)+len(joined) > 0 {
				t.Fatalf("joined (-want +got):\n%s", d)
			}
			if got := doubt != ""; got != wantDoubt && (sparse || got) {
				t.Fatalf("doubt is %q, want %v", doubt, wantDoubt)
			}
		})
	}
}

func TestAddTimeStaysWithinItsBounds(t *testing.T) {
	for _, c := range [][3]int64{
		{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, -1, math.MinInt64},
		{math.MaxInt64, -1, math.MaxInt64 - 1}, {0, math.MinInt64, math.MinInt64},
	} {
		if got := addTime(c[0], c[1]); got != c[2] {
			t.Errorf("%d + %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
