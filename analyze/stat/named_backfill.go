package stat

import (
	"fmt"
	"slices"
)

// backFillMost is the greatest number of values that BackFill adds: 800 MB.
const backFillMost = 100_000_000

// BackFill returns the values with those that a closed-loop load generator did not measure:
// if it meant to send every interval ns and one request took v ns, it sent nothing
// meanwhile, and the requests it did not send would have taken v-interval, v-2*interval and
// so on, down to interval at least. The result is ascending.
//
// This is what HdrHistogram does about coordinated omission. It is a guess that fits steady
// load on one connection and makes values up, so no figure here uses it by itself; where a
// record says when a request should have been sent, measuring from there is right.
//
// interval must be above 0. It is an error if more than 100 million values would be added.
func BackFill(values []int64, interval int64) ([]int64, error) {
	if interval <= 0 {
		return nil, fmt.Errorf("back-fill: the interval between requests is %d ns; it must be above 0", interval)
	}
	var more int64
	for _, v := range values {
		if more += max(0, v/interval-1); more > backFillMost {
			return nil, fmt.Errorf("back-fill: an interval of %d ns adds more than %d values; take a longer one", interval, backFillMost)
		}
	}
	out := make([]int64, 0, int64(len(values))+more)
	for _, v := range values {
		out = append(out, v)
		for missed := v - interval; missed >= interval; missed -= interval {
			out = append(out, missed)
		}
	}
	slices.Sort(out)
	return out, nil
}
