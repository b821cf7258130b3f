package main

import (
	"runtime/debug"
	"testing"
)

// TestManyRowsAreCollectedTightly asks the collector what it was told.
func TestManyRowsAreCollectedTightly(t *testing.T) {
	const usual = 100
	before := debug.SetGCPercent(usual)
	defer debug.SetGCPercent(before)
	for _, c := range []struct {
		rows int64
		gogc string
		want int
	}{
		{0, "", usual}, {manyRows - 1, "", usual}, {manyRows, "", tightPercent}, {1 << 40, "", tightPercent}, {1 << 40, "300", usual},
	} {
		p := &program{env: func(name string) string { return map[string]string{"GOGC": c.gogc}[name] }}
		p.collectTightly(c.rows)
		if got := debug.SetGCPercent(usual); got != c.want {
			t.Errorf("%d bytes of rows, GOGC=%s: the heap may grow by %d %% and not %d %%", c.rows, c.gogc, got, c.want)
		}
	}
}
