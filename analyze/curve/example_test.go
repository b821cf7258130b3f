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

func ExampleWindowed() {
	var windows []curve.Window
	for i := range int64(20) {
		w := curve.Window{FromNS: i * 10e9, ToNS: (i + 1) * 10e9, InFlight: 4, Arrivals: 2, Completions: 2, Throughput: 2, InFlightAtStart: 4, N: 20, MeanNS: 2e9}
		if i >= 12 { // a rush
			w.InFlight, w.Arrivals, w.Completions, w.Throughput, w.InFlightAtStart, w.N = 10, 5, 5, 5, 9, 50
		}
		if i == 18 { // what is left of it
			w.InFlight, w.Arrivals, w.InFlightAtStart, w.N = 12, 1, 14, 10
		}
		w.Edge = i == 0 || i == 19
		windows = append(windows, w)
	}
	b := curve.Windowed(windows)
	for _, bin := range b.Bins {
		fmt.Printf("%.1f to %.1f: %.0f in flight, %.0f requests/s, %d windows\n", bin.From, bin.To, bin.InFlight, bin.Throughput, len(bin.Windows))
	}
	fmt.Println(b.LeftOut(curve.Edge), b.LeftOut(curve.Draining))
	// Output:
	// 3.6 to 4.3: 4 in flight, 2 requests/s, 11 windows
	// 8.9 to 10.7: 10 in flight, 5 requests/s, 6 windows
	// 2 1
}
