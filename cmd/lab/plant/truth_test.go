package plant

import (
	"math"
	"os"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestKinds holds what the score needs: kinds enough, of all sizes, each with a name of its
// own.
func TestKinds(t *testing.T) {
	least, most := math.MaxInt, 0
	names := map[string]bool{}
	for _, k := range Kinds() {
		if names[k.Name] || k.About == "" || len(k.Sizes) == 0 {
			t.Errorf("%+v", k)
		}
		names[k.Name] = true
		for _, n := range k.Sizes {
			least, most = min(least, n), max(most, n)
		}
		if found, err := Lookup(k.Name); err != nil || found.Name != k.Name {
			t.Errorf("%s: found %s, %v", k.Name, found.Name, err)
		}
	}
	if len(names) < 22 || least != 30 || most != 30000 {
		t.Errorf("%d kinds of %d to %d requests", len(names), least, most)
	}
	if _, err := Lookup("none such"); err == nil {
		t.Error("a kind that does not exist is found")
	}
}

// TestTruths holds of every kind: shares add up to 1, what is declared follows from the
// rules, and a second sample from another stream says the same within its error. Large
// samples where TAILPATH_WHOLE is set, as the checks of the repository do.
func TestTruths(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	whole := os.Getenv("TAILPATH_WHOLE") != ""
	for _, k := range Kinds() {
		n := k.Sizes[0]
		requests := 200_000
		if k.Kept {
			requests = 60_000
		}
		if !whole {
			requests /= 4 // the error that is allowed grows with it
		}
		a, b := know(k, 100, requests, []int{n}), know(k, 101, requests, []int{n})
		for _, q := range percentiles {
			x, y := a.At(n, q), b.At(n, q)
			var sum float64
			for s, share := range x.Shares {
				sum += share
				// What captures of n requests miss by, a sample of many of them misses by less.
				err := x.ShareErrors[s] / math.Sqrt(float64(x.Reference)/float64(n))
				if d := math.Abs(share - y.Shares[s]); d > 5*err+0.003 {
					t.Errorf("%s at p%s: %s has %.3f of the excess, and %.3f in another sample (standard error %.3f)", k.Name, q.Percent(), stage.Stage(s), share, y.Shares[s], err)
				}
				if named := stage.Stage(s) != stage.Unattributed; named && (share > x.Shares[x.Top] || stage.Stage(s) != x.Top && share > x.Shares[x.RunnerUp]) {
					t.Errorf("%s at p%s: %s has more than the top or the next", k.Name, q.Percent(), stage.Stage(s))
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s at p%s: shares add up to %v", k.Name, q.Percent(), sum)
			}
			if x.Prefill > x.Shares[stage.GPU]+0.02 || x.N != n || x.Q != q || x.Reference < requests-n {
				t.Errorf("%s at p%s: %+v", k.Name, q.Percent(), x)
			}
		}
	}
}

// TestUnknownSizePanics keeps truths of other sizes from being read as zeros.
func TestUnknownSizePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Known{}.At(1, stat.P99)
}

// TestOpenRules tries every rule at its limit.
func TestOpenRules(t *testing.T) {
	base := Truth{N: 1000, Top: stage.Queue, RunnerUp: stage.GPU, Excess: 0.5, LeadError: 0.05}
	base.Shares[stage.Queue], base.Shares[stage.GPU] = 0.6, 0.4
	for _, c := range []struct {
		name   string
		change func(*Truth)
		want   Open
	}{
		{"decided", func(*Truth) {}, Decided},
		{"199 requests have 20 in the slowest tenth", func(x *Truth) { x.N = 191 }, Decided},
		{"190 have 20 too, as the rank of p90 is 171", func(x *Truth) { x.N = 190 }, Decided},
		{"180 have 19", func(x *Truth) { x.N = 180 }, Small},
		{"excess", func(x *Truth) { x.Excess = 0.049 }, NoTail},
		{"excess at the limit", func(x *Truth) { x.Excess = 0.05 }, Decided},
		{"unattributed time", func(x *Truth) { x.Unattributed = 0.2 }, Hidden},
		{"unattributed excess", func(x *Truth) { x.Shares[stage.Unattributed] = 0.6 }, Hidden},
		{"lead", func(x *Truth) { x.Shares[stage.GPU] = 0.51 }, Close},
		{"share", func(x *Truth) { x.Shares[stage.Queue], x.Shares[stage.GPU] = 0.39, 0.2 }, Close},
		{"error", func(x *Truth) { x.LeadError = 0.07 }, Noisy},
	} {
		x := base
		c.change(&x)
		if got := x.open(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTailAt has the least sizes at which a tail is large enough.
func TestTailAt(t *testing.T) {
	for _, c := range []struct {
		n    int
		want stat.Prob
	}{{30, stat.P90}, {190, stat.P90}, {379, stat.P90}, {380, stat.P95}, {1899, stat.P95}, {1900, stat.P99}, {30000, stat.P99}} {
		if got := TailAt(c.n); got != c.want {
			t.Errorf("%d: p%s, want p%s (%d requests)", c.n, got.Percent(), c.want.Percent(), tailOf(c.n, c.want))
		}
	}
}

// TestExcessByHand has ten requests of 1 to 10 ns: the body is the fifth and the sixth, the
// tail at p90 the ninth and tenth.
func TestExcessByHand(t *testing.T) {
	s := newSample(10)
	for _, ns := range []int64{3, 9, 1, 7, 10, 2, 5, 8, 4, 6} {
		var q Request
		q.StagesNS[stage.Queue], q.StagesNS[stage.GPU] = ns-1, 1
		if ns == 10 {
			q.Incident = 4
		}
		s.add(&q)
	}
	keys := s.ranked(0, 10, nil)
	e := s.excess(keys, stat.P90)
	if e.total != 4 || e.stages[stage.Queue] != 4 || e.stages[stage.GPU] != 0 || e.tail != 9.5 {
		t.Errorf("%+v", e)
	}
	// Excesses of 3.5 and 4.5 over the body's 5.5: the larger alone has less than nine tenths.
	if got := s.incidents(keys, stat.P90, stage.Queue); got != 2 {
		t.Errorf("%d incidents", got)
	}
}

// TestFewest holds: incidents are never more than there are, one is enough when it has nine
// tenths, and splitting off what is small or negative adds none.
func TestFewest(t *testing.T) {
	for _, c := range []struct {
		excess   []float64
		incident []int32
		want     int
	}{
		{nil, nil, 0},
		{[]float64{0, -1}, []int32{0, 1}, 1},
		{[]float64{1, 1, 1, 1}, []int32{0, 0, 0, 0}, 4},
		{[]float64{1, 1, 1, 1}, []int32{7, 7, 7, 7}, 1},
		{[]float64{5, 5, 1, -9}, []int32{2, 2, 0, 0}, 1},
		{[]float64{5, 5, 2, -9}, []int32{2, 2, 0, 0}, 2},
		{[]float64{5, 5, 5, 5, 1, 1}, []int32{1, 2, 1, 2, 3, 0}, 2},
	} {
		if got := fewest(c.excess, c.incident); got != c.want {
			t.Errorf("%v of %v: %d, want %d", c.excess, c.incident, got, c.want)
		}
	}
}

// TestIncidentsOfCaptures has one burst, many bursts and requests that know nothing of each
// other: by definition one, several and nearly as many as are slow.
func TestIncidentsOfCaptures(t *testing.T) {
	for _, c := range []struct {
		kind        string
		n           int
		least, most int
	}{{"one-incident", 4000, 1, 2}, {"many-incidents", 4000, 8, 40}, {"queue-80", 4000, 25, 41}} {
		k, err := Lookup(c.kind)
		if err != nil {
			t.Fatal(err)
		}
		for seed := uint64(1); seed <= 5; seed++ {
			if got := k.Draw(seed, c.n).Incidents(stage.Queue, stat.P99); got < c.least || got > c.most {
				t.Errorf("%s, seed %d: %d incidents", c.kind, seed, got)
			}
		}
	}
}

// TestLineOfOneServer has Lindley's recursion by hand, in ms: requests at 0, 4 and 30 that
// need 10 each wait 0, 6 and 0.
func TestLineOfOneServer(t *testing.T) {
	l := line{free: make([]int64, 1)}
	var waits []int64
	var incidents []int32
	for _, at := range []int64{0, 4, 30} {
		q := Request{StartNS: at}
		q.StagesNS[stage.GPU] = 10
		l.take(&q)
		waits, incidents = append(waits, q.StagesNS[stage.Queue]), append(incidents, q.Incident)
	}
	if waits[0] != 0 || waits[1] != 6 || waits[2] != 0 || incidents[1] == 0 {
		t.Errorf("waits %v, incidents %v", waits, incidents)
	}
}

// TestRank has the queue behind unattributed, which is no answer.
func TestRank(t *testing.T) {
	var shares [table.StageCount]float64
	shares[stage.Unattributed], shares[stage.Queue], shares[stage.GPU], shares[stage.Network] = 0.6, 0.3, 0.2, -0.1
	if top, next := rank(&shares); top != stage.Queue || next != stage.GPU {
		t.Errorf("%s, then %s", top, next)
	}
}
