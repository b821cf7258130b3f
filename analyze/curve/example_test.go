package curve_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/curve"
)

func ExampleOf() {
	c := curve.Of([]curve.Point{
		{InFlight: 2, Throughput: 10}, {InFlight: 4, Throughput: 20}, {InFlight: 8, Throughput: 40},
		{InFlight: 16, Throughput: 80}, {InFlight: 32, Throughput: 80}, {InFlight: 64, Throughput: 80},
	})
	fmt.Printf("%s: %.0f in flight, %.0f before and %.0f beyond, n %d\n", c.Stick.Method, c.Stick.InFlight, c.Stick.Slope, c.Stick.Beyond, c.Stick.Points)
	line := curve.Of([]curve.Point{
		{InFlight: 2, Throughput: 10}, {InFlight: 4, Throughput: 20}, {InFlight: 8, Throughput: 40}, {InFlight: 16, Throughput: 80},
	})
	fmt.Println(line.Stick.Reached, line.Stick.Warnings[0].Text)
	// Output:
	// broken-stick: 16 in flight, 5 before and 0 beyond, n 6
	// false not reached: at the highest load of 16 in flight throughput grows by 100 % of what it did at first
}
