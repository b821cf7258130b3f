package analyze

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestRankingsAreThoseOfRank ranks requests that agree in much by both ways.
func TestRankingsAreThoseOfRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := table.NewSet()
		req := &set.Requests
		n := rapid.IntRange(0, 60).Draw(t, "n")
		value := make([]int64, n)
		few := rapid.IntRange(0, 2)
		for i := range n {
			req.Grow()
			req.TraceID[i][0] = byte(few.Draw(t, "high") * 127)
			req.TraceID[i][few.Draw(t, "place")*7] = byte(few.Draw(t, "low"))
			req.RootSpanID[i][7] = byte(few.Draw(t, "root"))
			req.Start[i] = int64(few.Draw(t, "start"))
			req.Stage[3][i], req.TTFTStage[5][i] = int64(few.Draw(t, "stage")), int64(few.Draw(t, "ttft"))
			value[i] = rapid.OneOf(rapid.Int64Range(-2, 2), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 1 << 40})).Draw(t, "value")
		}
		rows := []int32{}
		some := []int32{}
		for i := range n {
			if rapid.Bool().Draw(t, "of all") {
				rows = append(rows, int32(i))
				if rapid.Bool().Draw(t, "of some") {
					some = append(some, int32(i))
				}
			}
		}
		before := slices.Clone(rows)
		r := rankingsOf(set, rows)
		for _, among := range [][]int32{rows, some} {
			got, want := r.by(value, among), slices.Clone(among)
			if rank(set, want, value); !slices.Equal(got, want) {
				t.Fatalf("%d values: ranked %v, want %v", len(among), got, want)
			}
		}
		if !slices.Equal(rows, before) {
			t.Fatalf("the rows were moved: %v, were %v", rows, before)
		}
	})
}
