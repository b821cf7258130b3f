package clock

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	us   = int64(1000)
	ms   = 1000 * us
	sec  = 1000 * ms
	hour = 3600 * sec
	// noon is a date, so that instants are of the size that captures have.
	noon = int64(1_790_000_000) * sec
)

// shows is a clock: what it shows at a true instant.
type shows func(at int64) int64

func exact(at int64) int64 { return at }

func ahead(by int64) shows { return func(at int64) int64 { return at + by } }

func drifting(by int64, ppb int64) shows {
	return func(at int64) int64 { return at + by + (at-noon)/1000*ppb/1_000_000 }
}

func stepped(when, before, after int64) shows {
	return func(at int64) int64 {
		if at < when {
			return at + before
		}
		return at + after
	}
}

// traffic is calls from one host to another with planted truth.
type traffic struct {
	caller, server string
	from, to       int64 // true ns
	calls          int
	least          [2]int64 // shortest time on the way there and back, ns
	mean           [2]int64 // mean of what is added to it
	wrong          float64  // share of calls whose server times are off by up to 5 s
	resolution     int64    // of all stamps, ns
}

// one is a call as planted.
type one struct {
	caller, server string
	at             int64 // true ns
	exchange       Exchange
	ok             bool
}

type world struct {
	clocks map[string]shows
	calls  []one
	random *rand.Rand
}

func newWorld(seed uint64, clocks map[string]shows) *world {
	return &world{clocks: clocks, random: rand.New(rand.NewPCG(seed, 7))}
}

func (w *world) run(t traffic) {
	step := (t.to - t.from) / int64(t.calls)
	for i := range t.calls {
		at := t.from + int64(i)*step + w.random.Int64N(max(1, step))
		way := func(i int) int64 {
			return t.least[i] + int64(w.random.ExpFloat64()*float64(t.mean[i]))
		}
		start := at + way(0)
		end := start + 5*ms + int64(w.random.ExpFloat64()*float64(200*ms))
		done := end + way(1)
		caller, server := w.clocks[t.caller], w.clocks[t.server]
		stamp := func(at int64) int64 {
			if t.resolution > 0 {
				return at - at%t.resolution
			}
			return at
		}
		serverStart, serverEnd := server(start), server(end)
		if w.random.Float64() < t.wrong {
			by := w.random.Int64N(10*sec) - 5*sec
			serverStart, serverEnd = serverStart+by, serverEnd+by
		}
		x, ok := Observe(t.caller, t.server, stamp(caller(at)), stamp(caller(done)), stamp(serverStart), stamp(serverEnd), t.resolution)
		w.calls = append(w.calls, one{t.caller, t.server, at, x, ok})
	}
}

func (w *world) log() *Log {
	var l Log
	for _, c := range w.calls {
		if c.ok {
			l.Add(c.exchange)
		} else {
			l.Broken(c.caller, c.server)
		}
	}
	return &l
}

// verdict is how the answers compare with the truth.
type verdict struct {
	asked, known, outside int
	worst                 int64 // largest error given
	mean                  float64
}

// judge asks for the offset of two clocks at true instants, by the caller's clock.
func (w *world) judge(s *Solution, caller, server string, instants []int64) verdict {
	var v verdict
	sum := 0.0
	for _, at := range instants {
		v.asked++
		shown := w.clocks[caller](at)
		offset, errorNS, known := s.Between(caller, server, shown)
		if !known {
			continue
		}
		v.known++
		truth := w.clocks[server](at) - shown
		if truth < offset-errorNS || truth > offset+errorNS {
			v.outside++
		}
		v.worst = max(v.worst, errorNS)
		sum += float64(errorNS)
	}
	v.mean = sum / float64(max(1, v.known))
	return v
}

// instants returns true instants all through a time.
func instants(from, to int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = from + int64(float64(to-from)*float64(i)/float64(n))
	}
	return out
}

// at returns the true instants of the calls of a pair.
func (w *world) at(caller, server string) []int64 {
	var out []int64
	for _, c := range w.calls {
		if c.caller == caller && c.server == server {
			out = append(out, c.at)
		}
	}
	return out
}

func (v verdict) share() float64 { return float64(v.known) / math.Max(1, float64(v.asked)) }
