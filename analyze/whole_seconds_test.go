package analyze

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// coarseTables rounds what recorders might: starts to one step of ns, ends to another.
func coarseTables(n int, start, end, median int64) (*table.Set, []int32) {
	random := rand.New(rand.NewPCG(1, 2))
	var requests []given
	var rows []int32
	for i := range n {
		from := random.Int64N(1000_000*ms) / start * start
		to := from + median/2 + random.Int64N(median)
		if to = to / end * end; to <= from {
			to += end
		}
		requests = append(requests, given{id: uint64(i + 1), start: from, times: times(stage.GPU, int(to-from))})
		rows = append(rows, int32(i))
	}
	return tables(requests), rows
}

func TestWholeSteps(t *testing.T) {
	const us = ms / 1000
	for _, c := range []struct {
		name               string
		n                  int
		start, end, median int64
		want               string // empty for none
	}{
		{"nanoseconds", 500, 1, 1, 2000 * ms, ""},
		{"microseconds", 500, us, us, 2000 * ms, ""},
		{"ms of long requests", 500, ms, ms, 2000 * ms, ""},
		{"ms of short requests", 500, ms, ms, 20 * ms, "the durations of all 500 requests are whole steps of 1 ms "},
		{"10 ms", 500, 10 * ms, 10 * ms, 300 * ms, "the durations of all 500 requests are whole steps of 10 ms "},
		{"seconds", 500, 1000 * ms, 1000 * ms, 5000 * ms, "the durations of all 500 requests are whole steps of 1 s "},
		{"starts of whole seconds", 500, 1000 * ms, 1, 2000 * ms, "the starts of all 500 requests are whole steps of 1 s "},
		{"ends of whole seconds", 500, 1, 1000 * ms, 2000 * ms, "the ends of all 500 requests are whole steps of 1 s "},
		{"few", 19, 1000 * ms, 1000 * ms, 5000 * ms, ""},
	} {
		set, rows := coarseTables(c.n, c.start, c.end, c.median)
		got := ""
		if w := wholeSteps(set, rows); len(w) == 1 {
			got = w[0].Text
		}
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWholeStepsThatAreClaimed says nothing where the records themselves tell of it.
func TestWholeStepsThatAreClaimed(t *testing.T) {
	set, rows := coarseTables(500, 1000*ms, 1000*ms, 5000*ms)
	for i := range rows {
		set.Requests.DurationError[i], set.Requests.Resolution[i] = 1000*ms, 1000*ms
	}
	if w := wholeSteps(set, rows); w != nil {
		t.Errorf("records that claim seconds give %v", w)
	}
}

// withinOneStep makes the first n requests of a set of no length, as a clock of whole
// seconds does, whose roots claim to be exact.
func withinOneStep(set *table.Set, n int) {
	req := &set.Requests
	for i := range n {
		req.RootRow[i] = int32(set.Spans.Grow())
		for k := range req.Stage {
			req.Stage[k][i] = 0
		}
		req.End[i], req.Duration[i] = req.Start[i], 0
		req.DurationError[i], req.Resolution[i] = 1000*ms, 1000*ms
	}
}

// TestWholeStepsCountWhatTookLess: requests that began and ended within one second are of
// those that the warning counts, and are not told of twice; too few for it are told of
// alone, and those of which the record itself says that it is coarse are told as such.
func TestWholeStepsCountWhatTookLess(t *testing.T) {
	for _, c := range []struct {
		name             string
		n, within        int
		claimed          bool
		whole, coarsened string
	}{
		{"some of many", 500, 300, false, "the starts of all 500 requests are whole steps of 1 s ", ""},
		{"all of many", 500, 500, false, "the starts of all 500 requests are whole steps of 1 s ", ""},
		{"some of few", 15, 5, false, "5 of 15 requests began and ended within the same 1 s, ", ""},
		{"none of few", 15, 0, false, "", ""},
		{"told by the record", 500, 500, true, "", "the durations of 500 of 500 requests may be off by up to 1 s, "},
	} {
		set, rows := coarseTables(c.n, 1000*ms, 1000*ms, 1000*ms)
		withinOneStep(set, c.within)
		for i := range set.Spans.Len() {
			if c.claimed {
				set.Spans.LengthError[i], set.Spans.Error[i] = 1000*ms, 1000*ms
			}
		}
		text := func(w []stat.Warning) string {
			if len(w) != 1 {
				return ""
			}
			return w[0].Text
		}
		whole, coarsened := text(wholeSteps(set, rows)), text(coarse(set, rows))
		if !strings.HasPrefix(whole, c.whole) || (whole == "") != (c.whole == "") || !strings.HasPrefix(coarsened, c.coarsened) || (coarsened == "") != (c.coarsened == "") {
			t.Errorf("%s: %q and %q", c.name, whole, coarsened)
		}
	}
}

// TestTimesCutToSeconds: times that a clock cut to whole seconds lose no request, tile,
// count in the load, and shift no percentile by more than the second.
func TestTimesCutToSeconds(t *testing.T) {
	const n, second = 400, 1000 * ms
	random := rand.New(rand.NewPCG(3, 4))
	set := table.NewSet()
	scope := int32(set.Scopes.Grow())
	var took []int64
	at := int64(1_700_000_000_000_000_000)
	for i := range n {
		at += random.Int64N(1400 * ms)
		d := 50*ms + random.Int64N(900*ms)
		if i%10 == 0 {
			d += 3 * second
		}
		took = append(took, d)
		k := set.Spans.Grow()
		set.Spans.TraceID[k][15], set.Spans.TraceID[k][14], set.Spans.SpanID[k][7], set.Spans.SpanID[k][6] = byte(i), byte(i>>8), byte(i), byte(i>>8|128)
		set.Spans.Start[k], set.Spans.End[k], set.Spans.ScopeRow[k], set.Spans.Kind[k] = at/second*second, (at+d)/second*second, scope, 2
		set.Spans.Name[k] = set.Symbols.Intern("POST")
	}
	set.Canonicalize()
	if err := critical.NewBuilder(set, nil, critical.Options{}).Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := Summarize(set, Options{})
	if s.Population.N != n || s.Load.Requests != n {
		t.Errorf("%d used, %d in the load, of %d", s.Population.N, s.Load.Requests, n)
	}
	within := int64(0) // began and ended within one second: they have no path
	for _, d := range set.Requests.Duration {
		if d == 0 {
			within++
		}
	}
	if tiling := CheckTiling(set); within == 0 || tiling.Failed > 0 || tiling.Checked != n-within {
		t.Errorf("%d of no length: %+v", within, tiling)
	}
	slices.Sort(took)
	known := 0
	for _, q := range s.Duration.Quantiles {
		if !q.Known {
			continue
		}
		known++
		if truth := took[q.P.Rank(n)-1]; q.Value <= truth-second || q.Value >= truth+second {
			t.Errorf("%s is %d, in truth %d", q.P, q.Value, truth)
		}
	}
	if w := wholeSteps(set, intsUpTo(n)); known == 0 || len(w) != 1 || !strings.Contains(w[0].Text, " all 400 requests ") {
		t.Errorf("%d percentiles are known; warnings %v", known, w)
	}
}

func intsUpTo(n int32) (out []int32) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
