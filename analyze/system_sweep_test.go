package analyze

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEachStepCountsWhatHolds counts the stays of every list at every step one by one.
func TestEachStepCountsWhatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := make([][]stayAt, rapid.IntRange(1, 3).Draw(t, "lists"))
		var times []int64
		for k := range lists {
			for range rapid.IntRange(0, 8).Draw(t, "stays") {
				s := stayAt{from: rapid.Int64Range(-9, 9).Draw(t, "from"), to: rapid.Int64Range(-9, 9).Draw(t, "to")}
				lists[k] = append(lists[k], s)
				if s.from < s.to {
					times = append(times, s.from, s.to)
				}
			}
		}
		slices.Sort(times)
		times = slices.Compact(times)
		step := 0
		eachStep(lists, func(from, to int64, n []int64) {
			if step >= len(times) || from != times[step] || to != times[min(step+1, len(times)-1)] {
				t.Fatalf("step %d is %d to %d, of changes %v", step, from, to, times)
			}
			for k, list := range lists {
				holds := int64(0)
				for _, s := range list {
					if s.from < s.to && s.from <= from && from < s.to {
						holds++
					}
				}
				if n[k] != holds {
					t.Fatalf("at %d list %d has %d and not %d", from, k, n[k], holds)
				}
			}
			step++
		})
		if step != len(times) {
			t.Fatalf("%d steps of %d", step, len(times))
		}
	})
}

// TestFastestBesideEachDecoding compares with the pieces one by one.
func TestFastestBesideEachDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make([]pace, rapid.IntRange(1, 12).Draw(t, "decodings"))
		first := int64(math.MaxInt64)
		for i := range list {
			from := rapid.Int64Range(0, 400).Draw(t, "from")
			list[i] = pace{from, from + rapid.Int64Range(1, 50).Draw(t, "length"), float64(rapid.IntRange(1, 20).Draw(t, "pace"))}
			first = min(first, from)
		}
		width := rapid.Int64Range(1, 9).Draw(t, "width")
		beside := fastestOf(list, first, width)
		for i := range list {
			var want []float64
			low, high := list[i].pieces(first, width)
			for piece := low; piece < high; piece++ {
				var there []float64
				for j := range list {
					if low, high := list[j].pieces(first, width); low <= piece && piece < high {
						there = append(there, list[j].each)
					}
				}
				slices.Sort(there)
				want = append(want, there[(len(there)-1)/paceFastest])
			}
			got := beside.of(&list[i])
			if !slices.Equal(want, got) {
				t.Fatalf("beside decoding %d are %v and not %v", i, got, want)
			}
		}
	})
}
