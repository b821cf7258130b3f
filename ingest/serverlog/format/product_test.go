package format

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// moved is a format in which one part is told by its size and its speed.
const moved = `id: moved
title: unit test
doc: A format of the tests.
kind: engine
service: moved
records:
  - id: request
    example: "t=10.000 total=100 size=512.00 speed=22.41"
    pattern: "t={time:epoch_s} total={total:ms} size={size:float}{? speed={speed:float}?}"
    span:
      start: time
      end: start + total
      parts:
        - {until: end - 1s / 1024 * size / speed, stage: gpu, detail: prefill, confidence: anchored, error: 1s / 1024 * size / speed * 0.01 / speed}
        - {until: end, stage: transfer, detail: kv, confidence: anchored, error: 1s / 1024 * size / speed * 0.01 / speed}
`

// TestProducts compares a duration that is a product with exact arithmetic.
func TestProducts(t *testing.T) {
	f := compile(t, moved)
	rapid.Check(t, func(t *rapid.T) {
		size, speed := rapid.Int64Range(0, 1_000_00).Draw(t, "size"), rapid.Int64Range(1, 100_00).Draw(t, "speed")
		line := fmt.Sprintf("t=10.000 total=100000000 size=%d.%02d speed=%d.%02d", size/100, size%100, speed/100, speed%100)
		_, out := evaluate(t, f, line)
		want, _ := new(big.Rat).SetFrac64(size*1_000_000_000, speed*1024).Float64()
		if len(out.Impossible) > 0 || out.Clock != table.ClockWall {
			t.Fatalf("%s: impossible %v", line, out.Impossible)
		}
		got := int64(0)
		if last := out.Parts[len(out.Parts)-1]; table.StageNames[last.Stage] == "transfer" {
			got = last.End - last.Start
			if most := math.Max(want/float64(speed), 1e6); math.Abs(float64(last.Error)-most) > 2 {
				t.Fatalf("%s: off by %d ns, want %v", line, last.Error, most)
			}
		}
		if math.Abs(float64(got)-want) > 1 {
			t.Fatalf("%s: %d ns, want %v", line, got, want)
		}
	})
	for _, c := range []struct{ line, want string }{
		{"t=10.000 total=100 size=512.00", "100000000 transfer/kv"},
		{"t=10.000 total=100 size=512.00 speed=0.00", "100000000 transfer/kv"},
		{"t=10.000 total=100 size=1e300 speed=1e-9", "100000000 unattributed/recorded times conflict"},
	} {
		r, values, _ := f.Match(&Line{Text: []byte(c.line)}, f.NewScratch())
		var out Result
		r.Span.Evaluate(values, &out)
		var got []string
		for _, p := range out.Parts {
			got = append(got, fmt.Sprintf("%d %s/%s", p.End-p.Start, table.StageNames[p.Stage], r.Span.Labels[p.Detail]))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.line, s, c.want)
		}
	}
}

// TestProductFaults says which products mean nothing.
func TestProductFaults(t *testing.T) {
	for _, c := range []struct{ product, want string }{
		{"size / speed", "a product of numbers alone is no duration"},
		{"1s * total", "is the second duration of a product"},
		{"size / 1s", "is divided by numbers alone"},
		{"1s * time", `"time" is an instant`},
		{"1s / 0", "is divided by 0"},
		{"1s * nothing", `no field "nothing"`},
		{"1s *", "ends with *"},
		{"1s * / size", `no field "/"`},
	} {
		d, err := Parse([]byte(strings.Replace(moved, "end - 1s / 1024 * size / speed,", "end - "+c.product+",", 1)), "unit.yaml")
		if err == nil {
			_, err = d.Compile()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "unit.yaml:") {
			t.Errorf("%s: got %v, want %s", c.product, err, c.want)
		}
	}
}
