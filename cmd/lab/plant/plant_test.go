package plant

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// kindOf draws a kind.
func kindOf(t *rapid.T) Kind { return rapid.SampledFrom(Kinds()).Draw(t, "kind") }

func drawn(k Kind, seed uint64, n int) (all []Request) {
	k.Each(seed, n, func(q *Request) { all = append(all, *q) })
	return all
}

// TestRequests holds of every kind: a capture has n requests in order of start, whose
// stage times are not negative, whose parts are no longer than what they are part of, and
// of which a longer capture has the same first ones, unless the kind is of whole captures.
func TestRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, seed, n := kindOf(t), rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 300).Draw(t, "requests")
		all := drawn(k, seed, n)
		if len(all) != n {
			t.Fatalf("%s: %d requests of %d", k.Name, len(all), n)
		}
		for i, q := range all {
			for s, ns := range q.StagesNS {
				if ns < 0 {
					t.Fatalf("%s: request %d: %s takes %d ns", k.Name, i, stage.Stage(s), ns)
				}
			}
			if q.StartNS < 0 || i > 0 && q.StartNS < all[i-1].StartNS {
				t.Fatalf("%s: request %d starts at %d ns", k.Name, i, q.StartNS)
			}
			if q.PrefillNS < 0 || q.PrefillNS > q.StagesNS[stage.GPU] || q.BackoffNS < 0 || q.BackoffNS > q.StagesNS[stage.Queue] {
				t.Fatalf("%s: request %d: %+v", k.Name, i, q)
			}
			if q.PromptTokens < 1 || q.Tokens < 1 || q.Attempts < 1 || k.Kept != (q.Weight != 0) {
				t.Fatalf("%s: request %d: %+v", k.Name, i, q)
			}
		}
		if longer := drawn(k, seed, n+7); !k.whole {
			for i := range all {
				if all[i] != longer[i] {
					t.Fatalf("%s: request %d depends on how many follow", k.Name, i)
				}
			}
		}
	})
}

// TestTables holds of every kind: the tables say what the requests are, segments tile
// them, and the same seed gives the same tables.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, seed, n := kindOf(t), rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "requests")
		set := k.Draw(seed, n).Set
		if err := set.Validate(); err != nil {
			t.Fatal(err)
		}
		req, seg := &set.Requests, &set.Segments
		at := make([]int64, req.Len())
		sums := make([][table.StageCount]int64, req.Len())
		for i := range req.Len() {
			at[i] = req.Start[i]
		}
		for i := range seg.Len() {
			row := seg.RequestRow[i]
			if seg.Start[i] != at[row] || seg.Duration[i] != seg.End[i]-seg.Start[i] || seg.Duration[i] <= 0 || critical.Target(seg.Target[i]) != critical.End {
				t.Fatalf("%s: segment %d does not follow the one before", k.Name, i)
			}
			at[row] = seg.End[i]
			sums[row][seg.Stage[i]] += seg.Duration[i]
		}
		for i, q := range drawn(k, seed, n) {
			if req.Start[i] != epochNS+q.StartNS || req.Duration[i] != q.DurationNS() || at[i] != req.End[i] || req.End[i] != req.Start[i]+req.Duration[i] {
				t.Fatalf("%s: request %d is not tiled", k.Name, i)
			}
			for s, ns := range q.StagesNS {
				if req.Stage[s][i] != ns || sums[i][s] != ns {
					t.Fatalf("%s: request %d: %s takes %d ns, not %d", k.Name, i, stage.Stage(s), req.Stage[s][i], ns)
				}
			}
			if k.Kept && req.Weight[i] != q.Weight || !k.Kept && !math.IsNaN(req.Weight[i]) {
				t.Fatalf("%s: request %d has weight %v", k.Name, i, req.Weight[i])
			}
		}
		again := k.Draw(seed, n).Set
		if !slices.Equal(req.TraceID, again.Requests.TraceID) || !slices.Equal(req.RootSpanID, again.Requests.RootSpanID) ||
			!slices.Equal(seg.Start, again.Segments.Start) || !slices.Equal(seg.Detail, again.Segments.Detail) {
			t.Fatalf("%s: two captures of seed %d differ", k.Name, seed)
		}
	})
}

// TestSeedsDiffer holds of every kind that two seeds give other requests and other ids.
func TestSeedsDiffer(t *testing.T) {
	for _, k := range Kinds() {
		a, b := k.Draw(1, 50).Set, k.Draw(2, 50).Set
		same := 0
		for i := range 50 {
			if a.Requests.Duration[i] == b.Requests.Duration[i] {
				same++
			}
			if a.Requests.TraceID[i] == b.Requests.TraceID[i] {
				t.Errorf("%s: seeds 1 and 2 share an id", k.Name)
			}
		}
		if same > 5 {
			t.Errorf("%s: %d of 50 durations are those of another seed", k.Name, same)
		}
	}
}

// TestLoad holds of every kind that requests arrive at the declared rate and keep its
// servers busy as declared, within four standard errors of what captures show.
func TestLoad(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const captures, n = 30, 4000
	for _, k := range Kinds() {
		if k.PerSecond <= 0 || k.Correlated && k.Servers > 0 != (k.Busy > 0) {
			t.Errorf("%s declares %v requests a second for %d servers busy for %v", k.Name, k.PerSecond, k.Servers, k.Busy)
		}
		var rates, busy moments
		for seed := range uint64(captures) {
			var worked, first, last int64
			count := 0
			k.Each(seed+1000, n, func(q *Request) {
				if count == 0 {
					first = q.StartNS
				}
				count++
				last = q.StartNS
				worked += q.StagesNS[stage.GPU]
			})
			span := float64(last - first)
			rates.add(span / float64(n-1) / float64(second))
			busy.add(float64(worked) * float64(n-1) / float64(n) / span)
		}
		// Times between arrivals are averaged, not rates: their mean is 1 / rate.
		if mean, err := rates.of(); math.Abs(mean*k.PerSecond-1) > 4*err*k.PerSecond+0.005 {
			t.Errorf("%s: %.4f requests a second, declared are %.4f", k.Name, 1/mean, k.PerSecond)
		}
		if mean, err := busy.of(); k.Servers > 0 && math.Abs(mean/float64(k.Servers)-k.Busy) > 4*err/float64(k.Servers)+0.01 {
			t.Errorf("%s: servers are busy for %.3f of the time, declared is %.3f", k.Name, mean/float64(k.Servers), k.Busy)
		}
	}
}

// of returns the mean and its standard error.
func (m *moments) of() (mean, err float64) { return m.mean(), m.deviation() / math.Sqrt(m.n) }
