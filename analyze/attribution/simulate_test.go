package attribution

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The parts of the simulated requests.
const (
	simNetwork = iota
	simQueue
	simPrefill
	simDecode
	simUnknown
	simParts
)

const millisecond = 1e6 // ns

// request is one simulated request in ns.
type request struct {
	start  float64
	part   [simParts]float64
	waited float64
}

// sample ranks requests.
func sampleOf(requests []request, drag bool) *Sample {
	total := func(r request) (sum int64) {
		for _, v := range r.part {
			sum += int64(v)
		}
		return sum
	}
	slices.SortStableFunc(requests, func(a, b request) int { return compare(total(a), total(b)) })
	s := &Sample{Parts: make([][]int64, simParts)}
	if drag {
		s.Drag = make([][]int64, simParts)
	}
	for _, r := range requests {
		s.Value = append(s.Value, total(r))
		s.Start = append(s.Start, int64(r.start))
		s.Waited = append(s.Waited, int64(r.waited))
		for k, v := range r.part {
			s.Parts[k] = append(s.Parts[k], int64(v))
			if drag {
				s.Drag[k] = append(s.Drag[k], int64(v)/2)
			}
		}
	}
	return s
}

// load makes captures of a kind of traffic.
type load interface {
	requests(random *rand.Rand, n int) []request
}

func lognormal(r *rand.Rand, median, sigma float64) float64 {
	return median * math.Exp(sigma*r.NormFloat64())
}

// work fills in the parts that do not wait and returns their sum.
func work(r *rand.Rand, q *request) {
	q.part[simNetwork] = lognormal(r, 2*millisecond, .3)
	q.part[simPrefill] = lognormal(r, 60*millisecond, .5)
	q.part[simDecode] = lognormal(r, 400*millisecond, .4)
	q.part[simUnknown] = r.ExpFloat64() * millisecond
}

// independentLoad has requests that know nothing of each other. Some wait.
type independentLoad struct {
	gap   float64 // mean time between starts, ns
	wait  float64 // mean wait of those that wait, ns
	sigma float64 // of decode; 0.4 when 0
	// night is how many requests come between pauses of a thousand gaps; none when 0.
	night int
}

func (l independentLoad) requests(r *rand.Rand, n int) []request {
	out := make([]request, n)
	at := 0.0
	for i := range out {
		q := &out[i]
		at += l.gap * r.ExpFloat64()
		if l.night > 0 && i%l.night == l.night-1 {
			at += 1000 * l.gap
		}
		q.start = at
		work(r, q)
		if l.sigma > 0 {
			q.part[simDecode] = lognormal(r, 400*millisecond, l.sigma)
		}
		if l.wait > 0 && r.Float64() < .3 {
			q.part[simQueue] = l.wait * r.ExpFloat64()
			q.waited = q.part[simQueue]
		}
	}
	return out
}

// queueLoad is one server that serves in the order of arrival (Lindley's recursion).
type queueLoad struct {
	rate    float64 // of arrivals, in services
	heavy   bool    // service times lognormal with a long tail instead of exponential
	servers int     // 1 when 0
	drag    bool
}

func (l queueLoad) requests(r *rand.Rand, n int) []request {
	const service = 100 * millisecond
	out := make([]request, 0, n)
	at := 0.0
	free := make([]float64, max(1, l.servers))
	const warm = 5000
	for i := range n + warm {
		at += service / l.rate / float64(len(free)) * r.ExpFloat64()
		q := request{start: at}
		work(r, &q)
		busy := service * r.ExpFloat64()
		if l.heavy {
			busy = lognormal(r, service*math.Exp(-.5), 1)
		}
		q.part[simDecode] = busy
		s := 0
		for j := range free {
			if free[j] < free[s] {
				s = j
			}
		}
		q.waited = max(0, free[s]-at)
		q.part[simQueue] = q.waited
		free[s] = at + q.waited + busy
		if i >= warm {
			out = append(out, q)
		}
	}
	return out
}

func (l queueLoad) capture(seed uint64, n int) *Sample {
	return sampleOf(l.requests(rand.New(rand.NewPCG(seed, 7)), n), l.drag)
}

// burstLoad is one server whose arrivals come in bursts above its capacity.
type burstLoad struct {
	calm, burst float64 // rates of arrivals, in services
	length      float64 // mean requests of a burst
	every       float64 // mean requests from burst to burst
}

func (l burstLoad) requests(r *rand.Rand, n int) []request {
	const service = 100 * millisecond
	const warm = 5000
	out := make([]request, 0, n)
	at, free, left, bursting := 0.0, 0.0, l.every*r.ExpFloat64(), false
	for i := range n + warm {
		if left--; left <= 0 {
			bursting = !bursting
			if left = l.every * r.ExpFloat64(); bursting {
				left = l.length * r.ExpFloat64()
			}
		}
		rate := l.calm
		if bursting {
			rate = l.burst
		}
		at += service / rate * r.ExpFloat64()
		q := request{start: at}
		work(r, &q)
		q.part[simDecode] = service * r.ExpFloat64()
		q.waited = max(0, free-at)
		q.part[simQueue] = q.waited
		free = at + q.waited + q.part[simDecode]
		if i >= warm {
			out = append(out, q)
		}
	}
	return out
}

// regimeLoad has no queue: for spells of time every request decodes slower.
type regimeLoad struct {
	length, every float64 // mean requests of a slow spell and of the time between
	slower        float64 // factor on decode
}

func (l regimeLoad) requests(r *rand.Rand, n int) []request {
	const gap = 50 * millisecond
	const warm = 5000
	out := make([]request, 0, n)
	at, left, slow := 0.0, l.every*r.ExpFloat64(), false
	for i := range n + warm {
		if left--; left <= 0 {
			slow = !slow
			if left = l.every * r.ExpFloat64(); slow {
				left = l.length * r.ExpFloat64()
			}
		}
		at += gap * r.ExpFloat64()
		q := request{start: at}
		work(r, &q)
		if slow {
			q.part[simDecode] *= l.slower
		}
		if i >= warm {
			out = append(out, q)
		}
	}
	return out
}

// mixedLoad has requests of which some wait, each for itself, and spells of time in
// which prefill takes longer: two causes of slowness of which one comes in spells.
type mixedLoad struct {
	length, every float64 // mean requests of a spell and of the time between
}

func (l mixedLoad) requests(r *rand.Rand, n int) []request {
	out := independentLoad{gap: 20000 * millisecond, wait: 200 * millisecond}.requests(r, n)
	left, slow := l.every*r.ExpFloat64(), r.Float64() < l.length/(l.length+l.every)
	for i := range out {
		if left--; left <= 0 {
			slow = !slow
			if left = l.every * r.ExpFloat64(); slow {
				left = l.length * r.ExpFloat64()
			}
		}
		if slow {
			out[i].part[simPrefill] *= 10
		}
	}
	return out
}
