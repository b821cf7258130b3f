package join

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// bigSet returns a set of n spans, one a trace, and its units.
func bigSet(n int, shape func(rng *rand.Rand, i int, r *row)) (*table.Set, []int32) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{trace: traceID(rng.Uint64(), rng.Uint64()), service: "vllm", start: int64(i) * 1e6, end: int64(i)*1e6 + 5e8}
		shape(rng, i, &rows[i])
	}
	set := setOf(rows)
	return set, unitsOf(set)
}

func hex32(a, b uint64) string { return fmt.Sprintf("%016x%016x", a, b) }

// BenchmarkFind measures sets of a million spans with an id each: none shared; half of
// them a gateway's and half the engine's ids made of them; trace ids in records; short
// ids that come again and again.
func BenchmarkFind(b *testing.B) {
	const n = 1_000_000
	var last [2]uint64
	for _, c := range []struct {
		name   string
		groups int
		shape  func(rng *rand.Rand, i int, r *row)
	}{
		{"unshared", n, func(rng *rand.Rand, _ int, r *row) { r.requestID = "chatcmpl-" + hex32(rng.Uint64(), rng.Uint64()) }},
		{"gateway and engine", n / 2, func(rng *rand.Rand, i int, r *row) {
			if i%2 == 0 {
				last = [2]uint64{rng.Uint64(), rng.Uint64()}
				r.requestID, r.record, r.service = hex32(last[0], last[1]), true, "nginx"
				return
			}
			r.requestID = "cmpl-" + hex32(last[0], last[1]) + "-0-" + fmt.Sprintf("%08x", rng.Uint32())
		}},
		{"recorded trace ids", n / 2, func(rng *rand.Rand, i int, r *row) {
			if i%2 == 0 {
				last = [2]uint64{rng.Uint64(), rng.Uint64()}
				r.trace = traceID(last[0], last[1])
				return
			}
			r.record, r.service, r.attrs = true, "nginx", []attr{{"trace_id", hex32(last[0], last[1])}}
		}},
		{"weak ids", n / 2, func(_ *rand.Rand, i int, r *row) {
			r.requestID = fmt.Sprint(i / 2 % 30_000)
			if r.start = int64(i/2) * 1e6; i%2 == 0 {
				r.record, r.service = true, "nginx"
			}
			r.end = r.start + 5e8
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			set, units := bigSet(n, c.shape)
			b.ReportAllocs()
			for b.Loop() {
				if got := len(Find(set, units, Options{}, nil).Groups); got != c.groups && c.name != "weak ids" {
					b.Fatalf("%d groups, want %d", got, c.groups)
				}
			}
		})
	}
}
