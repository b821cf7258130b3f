package clock_test

import (
	"fmt"

	"github.com/tailpath/tailpath/critical/clock"
)

// Two calls of a gateway, in ms of each host's clock. The engine's clock is 30 ms ahead.
func Example() {
	const ms = 1_000_000
	var log clock.Log
	for _, c := range [][4]int64{
		{0, 100, 35, 125},
		{200, 300, 235, 305},
	} {
		x, ok := clock.Observe("gateway", "engine", c[0]*ms, c[1]*ms, c[2]*ms, c[3]*ms, 0)
		if !ok {
			log.Broken("gateway", "engine")
			continue
		}
		fmt.Printf("a call says: %d to %d ms\n", x.Low/ms, x.High/ms)
		log.Add(x)
	}
	solution := clock.Solve(&log)
	for _, e := range solution.Clocks() {
		for _, w := range e.Windows {
			fmt.Printf("%s: %.2f ± %.2f ms by %s, %d calls\n",
				e.Clock, float64(w.Offset)/ms, float64(w.Error)/ms, e.Reference, w.Calls)
		}
	}
	// Output:
	// a call says: 25 to 35 ms
	// a call says: 5 to 35 ms
	// engine: 25.00 ± 10.00 ms by gateway, 2 calls
	// gateway: 0.00 ± 0.00 ms by gateway, 2 calls
}
