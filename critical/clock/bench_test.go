package clock

import (
	"fmt"
	"testing"
)

// million returns a million exchanges of a gateway with four engines over an hour.
func million() []Exchange {
	clocks := map[string]shows{"gateway": exact}
	w := newWorld(1, clocks)
	for i := range 4 {
		name := fmt.Sprintf("engine-%d", i)
		clocks[name] = drifting(int64(i)*20*ms, int64(i)*5_000)
		w.run(traffic{caller: "gateway", server: name, from: noon, to: noon + hour, calls: 250_000,
			least: [2]int64{100 * us, 100 * us}, mean: [2]int64{300 * us, 300 * us}, wrong: 0.005})
	}
	var out []Exchange
	for _, c := range w.calls {
		if c.ok {
			out = append(out, c.exchange)
		}
	}
	return out
}

// BenchmarkAdd adds a million exchanges that come engine by engine.
func BenchmarkAdd(b *testing.B) {
	exchanges := million()
	b.ReportAllocs()
	for b.Loop() {
		logOf(exchanges)
	}
}

// BenchmarkAddMixed adds a million exchanges of all engines in turn.
func BenchmarkAddMixed(b *testing.B) {
	exchanges := million()
	mixed := make([]Exchange, 0, len(exchanges))
	for i := range len(exchanges) / 4 {
		for j := range 4 {
			mixed = append(mixed, exchanges[i+j*len(exchanges)/4])
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		logOf(mixed)
	}
}

// BenchmarkSolve solves the log of a million exchanges, some of which are wrong.
func BenchmarkSolve(b *testing.B) {
	l := logOf(million())
	b.ReportAllocs()
	for b.Loop() {
		Solve(l)
	}
}

// BenchmarkSolveUnsteady solves a clock that is set every minute for a day.
func BenchmarkSolveUnsteady(b *testing.B) {
	unsteady := func(at int64) int64 { return at + at/(60*sec)%7*100*ms }
	w := newWorld(1, map[string]shows{"a": exact, "b": unsteady})
	w.run(traffic{caller: "a", server: "b", from: noon, to: noon + 24*hour, calls: 100_000,
		least: [2]int64{100 * us, 100 * us}, mean: [2]int64{300 * us, 300 * us}, wrong: 0.01})
	l := w.log()
	for b.Loop() {
		Solve(l)
	}
}

// BenchmarkBetween asks for one offset of a clock with many windows.
func BenchmarkBetween(b *testing.B) {
	s := Solve(logOf(million()))
	i := int64(0)
	for b.Loop() {
		i = (i + 7919*ms) % hour
		s.Between("gateway", "engine-3", noon+i)
	}
}
