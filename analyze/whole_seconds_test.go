package analyze

import (
	"math/rand/v2"
	"strings"
	"testing"

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
