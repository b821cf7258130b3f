package serving

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// call is a request that a batching device serves.
type call struct {
	at             int64 // ns
	device         int
	prompt, output int64
	done           int64 // tokens of the prompt that are computed
	given          int64 // tokens of the answer
	began, first   int64
}

// batching serves calls on devices that compute in steps: a step takes 8 ms, 26 us for each token
// of a prompt, of which it computes 2,048, and 120 us for each request that gets a token; all of
// it times the slowness of the device. It runs 64 at a time.
func batching(calls []call, slowness ...float64) Capture {
	c := Capture{StintsOf: "token"}
	for device, slow := range slowness {
		var queue, running []*call
		for i := range calls {
			if calls[i].device == device {
				queue = append(queue, &calls[i])
			}
		}
		for now := int64(0); len(queue)+len(running) > 0; {
			if len(running) == 0 {
				now = max(now, queue[0].at)
			}
			for len(queue) > 0 && queue[0].at <= now && len(running) < 64 {
				queue[0].began = now
				running, queue = append(running, queue[0]), queue[1:]
			}
			left, decoding := int64(2048), int64(0)
			var gets []*call
			for _, q := range running {
				switch n := min(left, q.prompt-q.done); {
				case q.done == q.prompt:
					decoding++
					gets = append(gets, q)
				case n > 0:
					if q.done, left = q.done+n, left-n; q.done == q.prompt {
						gets = append(gets, q)
					}
				}
			}
			now += int64(slow * float64(8*ms+26_000*(2048-left)+120_000*decoding))
			for _, q := range gets {
				if q.given++; q.given == 1 {
					q.first = now
				}
			}
			keep := running[:0]
			for _, q := range running {
				if q.given < q.output {
					keep = append(keep, q)
					continue
				}
				c.Requests = append(c.Requests, plain(q.at, now, device))
				c.Intervals = append(c.Intervals, Interval{q.at, q.began, device, Queue}, Interval{q.began, now, device, GPU})
				if q.output > 1 {
					c.Stints = append(c.Stints, Stint{Engine: device, FromNS: q.began, ToNS: now, NS: now - q.first, Per: q.output - 1, Prompt: q.prompt, Output: q.output})
				}
			}
			running = keep
		}
	}
	return c
}

// arriving draws calls at a rate, a second, from one instant to another, in s.
func arriving(rng *rand.Rand, rate, from, to float64, of func(k int) call) (calls []call) {
	for at, k := from, 0; ; k++ {
		if at += rng.ExpFloat64() / rate; at >= to {
			return calls
		}
		x := of(k)
		x.at = int64(at * float64(second))
		calls = append(calls, x)
	}
}

// TestDevicesByLoad simulates replicas. None is said to be slower where all devices are the same,
// whatever else differs, and one is where its device takes more than twice as long.
func TestDevicesByLoad(t *testing.T) {
	length := func(rng *rand.Rand, median, sigma float64) int64 {
		return max(1, int64(median*math.Exp(sigma*rng.NormFloat64())))
	}
	for _, c := range []struct {
		name  string
		calls func(rng *rand.Rand) []call
		slow  []float64
		want  []Speaks // what may be said
	}{
		{"alike, long tails", func(rng *rand.Rand) []call {
			return arriving(rng, 12, 0, 60, func(k int) call {
				return call{device: k % 2, prompt: length(rng, 300, 1.2), output: length(rng, 60, 1)}
			})
		}, []float64{1, 1}, []Speaks{Against}},
		{"one is sent four times as much", func(rng *rand.Rand) []call {
			return arriving(rng, 22, 0, 60, func(k int) call {
				return call{device: min(1, k%5), prompt: length(rng, 600, .5), output: length(rng, 120, .3)}
			})
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"one runs in the busy time alone", func(rng *rand.Rand) []call {
			of := func(devices int) func(k int) call {
				return func(k int) call {
					return call{device: k % devices, prompt: length(rng, 500, .5), output: length(rng, 100, .3)}
				}
			}
			calls := append(arriving(rng, 2, 0, 200, of(1)), arriving(rng, 30, 200, 220, of(2))...)
			return append(calls, arriving(rng, 2, 240, 400, of(1))...)
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"one has long prompts and short answers", func(rng *rand.Rand) []call {
			return arriving(rng, 7, 0, 80, func(k int) call {
				if k%2 == 0 {
					return call{device: 0, prompt: length(rng, 8000, .2), output: length(rng, 80, .2)}
				}
				return call{device: 1, prompt: length(rng, 80, .2), output: length(rng, 3000, .2) / 10}
			})
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"one has a few very long prompts", func(rng *rand.Rand) []call {
			return arriving(rng, 6, 0, 80, func(k int) call {
				x := call{device: k % 2, prompt: length(rng, 200, .2), output: length(rng, 60, .2)}
				if k%8 == 1 {
					x.prompt = 20_000
				}
				return x
			})
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"few requests", func(rng *rand.Rand) []call {
			return arriving(rng, 3, 0, 4, func(k int) call { return call{device: k % 2, prompt: length(rng, 500, 1), output: length(rng, 60, 1)} })
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"one in bursts", func(rng *rand.Rand) []call {
			calls := arriving(rng, 2, 0, 100, func(int) call { return call{device: 0, prompt: length(rng, 300, .3), output: length(rng, 100, .3)} })
			for from := 0.; from < 100; from += 25 {
				calls = append(calls, arriving(rng, 50, from, from+1, func(int) call { return call{device: 1, prompt: length(rng, 300, .3), output: length(rng, 100, .3)} })...)
			}
			return calls
		}, []float64{1, 1}, []Speaks{Against, Silent}},
		{"one of two is slow", func(rng *rand.Rand) []call {
			return arriving(rng, 6, 0, 60, func(k int) call {
				return call{device: k % 2, prompt: length(rng, 400, .5), output: length(rng, 80, .3)}
			})
		}, []float64{1, 2.3}, []Speaks{For}},
		{"one of four is slow, and busy", func(rng *rand.Rand) []call {
			return arriving(rng, 20, 0, 60, func(k int) call {
				return call{device: k % 4, prompt: length(rng, 400, .5), output: length(rng, 80, .3)}
			})
		}, []float64{1, 1, 2.3, 1}, []Speaks{For, Silent}},
	} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 7))
			x := batching(c.calls(rng), c.slow...)
			row := skewOf(Of(x, Options{Recorded: Everything, Replicas: Is(true)}).Table)
			slow := Row{}
			for _, f := range row.Figures {
				if f.Sign == 1 {
					slow.Figures = append(slow.Figures, f)
				}
			}
			says := slow.done().Speaks
			t.Log(c.name, seed, len(x.Requests), says, fmt.Sprint(slow.Figures))
			ok := false
			for _, may := range c.want {
				ok = ok || says == may
			}
			if !ok {
				t.Errorf("%s, seed %d: %s: %v", c.name, seed, says, slow.Figures)
			}
		}
	}
}
