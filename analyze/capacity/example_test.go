package capacity_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/stat"
)

// minutes is requests that come evenly for so many minutes from one on; bad of every minute's
// are not good.
func minutes(from, to, each, bad int64) (out []capacity.Request) {
	const minute = int64(60e9)
	for m := from; m < to; m++ {
		for i := range each {
			start := m*minute + i*minute/each
			out = append(out, capacity.Request{StartNS: start, EndNS: start + 2e8, Good: i >= bad, Eligible: true, Tokens: 50})
		}
	}
	return out
}

func ExampleOf() {
	morning := minutes(0, 30, 600, 0)
	noon := minutes(30, 60, 1200, 3)
	r := capacity.Of(append(morning, noon...), capacity.Options{Target: stat.P99})
	fmt.Println(r.Kind, r.Text)

	evening := minutes(60, 90, 1260, 40)
	r = capacity.Of(append(append(morning, noon...), evening...), capacity.Options{Target: stat.P99})
	fmt.Println(r.Kind, r.Text)
	fmt.Printf("%s: %.2f, %.0f tokens a second\n", r.Method, r.Rate, r.TokenRate)
	for _, b := range r.Bins {
		fmt.Printf("%.1f: %d windows, %.4f, %s\n", b.Rate, b.Windows, b.Attainment, b.Verdict)
	}

	r = capacity.Of(minutes(0, 10, 20, 0), capacity.Options{Target: stat.P99})
	fmt.Println(r.Kind, r.Why)
	fmt.Println(r.Text)
	// Output:
	// not-reached at least 19.89 requests a second: the limit was not reached
	// reached 20.1 requests a second: 20 pass and 21 fail
	// logit-fit: 20.10, 1005 tokens a second
	// 10.0: 29 windows, 1.0000, passes
	// 20.0: 30 windows, 0.9975, passes
	// 21.0: 29 windows, 0.9683, fails
	// cannot-say too-few-requests
	// windows of 60 s have 20 requests at most, and take 40 for a rate that is not chance: longer windows, or a longer capture, would tell
}
