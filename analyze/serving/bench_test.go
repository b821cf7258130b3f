package serving

import "testing"

// fleet returns a capture of n requests over engines, 1000 a second: each waits at the
// gateway and in the queue, and has host work, a copy and GPU work.
func fleet(n int, engines int) Capture {
	c := Capture{Requests: make([]Request, n), Intervals: make([]Interval, 0, 5*n)}
	for i := range n {
		// A stride that shares no factor with n, so that nothing comes in order.
		k := int64(i) * 7_919 % int64(n)
		at, engine := k*ms, int(k)%engines
		for j, what := range []What{Gateway, Queue, Host, Transfer, GPU} {
			length := (k*(int64(j)+3)%17 + 1) * ms
			c.Intervals = append(c.Intervals, Interval{at, at + length, engine, what})
			at += length
		}
		c.Requests[i] = Request{StartNS: k * ms, EndNS: at, FirstTokenNS: at - ms, InputTokens: k % 1000, OutputTokens: k % 300, Engine: engine}
	}
	for e := range engines {
		c.Slots = append(c.Slots, Sample{0, e, 8})
		for at := int64(0); at < int64(n)*ms; at += 10 * second {
			c.KV = append(c.KV, Sample{at, e, float64(at%7) / 7})
		}
	}
	return c
}

func BenchmarkOf(b *testing.B) {
	c := fleet(1_000_000, 8)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		Of(c, Options{Recorded: Everything})
	}
}

func BenchmarkOfHundredThousand(b *testing.B) {
	c := fleet(100_000, 8)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		Of(c, Options{Recorded: Everything})
	}
}
