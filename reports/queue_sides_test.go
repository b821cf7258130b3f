package reports_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/reports"
)

// TestWhatIfTellsTheBoundedGain: what is told is the gain that parallel branches allow, and
// without that bound only beside it, where they differ.
func TestWhatIfTellsTheBoundedGain(t *testing.T) {
	whatIf := func(drag func(waited int64) int64) *reports.WhatIf {
		set := incident(2000, never)
		for row, waited := range set.Requests.Stage[stage.Queue] {
			for k := range set.Requests.Drag {
				set.Requests.Drag[k][row] = set.Requests.Stage[k][row]
			}
			set.Requests.Drag[stage.Queue][row] = drag(waited)
		}
		return run("queue", "incident/").Queue(analyze.QueueOf(set, analyze.Options{Replicates: 20}, nil)).Queue.WhatIf
	}
	serial := whatIf(func(waited int64) int64 { return waited })
	if serial.AtMedianNS != serial.BoundedAtMedianNS || serial.Gain.Value != serial.Bounded.Value || strings.Contains(serial.Words, "parallel") {
		t.Errorf("in series: %+v", serial)
	}
	w := whatIf(func(waited int64) int64 { return min(waited, 700*ms) })
	if w.BoundedAtMedianNS <= w.AtMedianNS || float64(w.NowNS-w.BoundedAtMedianNS) != w.Bounded.Value || w.Bounded.Value >= w.Gain.Value {
		t.Errorf("a branch beside it: %+v", w)
	}
	first, last, ok := strings.Cut(w.Words, ". A request gets no shorter than its parallel branches allow; without that bound it would be ")
	now := fmt.Sprintf("%s would be %s (now %s, n = 1,983)", w.Q, reports.Duration(w.BoundedAtMedianNS), reports.Duration(w.NowNS))
	if !ok || !strings.Contains(first, now) || !strings.HasPrefix(last, reports.Duration(w.AtMedianNS)) || !strings.Contains(last, "arithmetic on these requests, no forecast") {
		t.Errorf("%q, want %q first and then the other", w.Words, now)
	}
	if w := whatIf(func(int64) int64 { return 0 }); w.BoundedAtMedianNS != w.NowNS || !strings.Contains(w.Words, " would be what it is (") || !strings.Contains(w.Words, "without that bound") {
		t.Errorf("nothing to gain: %+v", w)
	}
}

// TestTheCountMayNameAnotherStage: of four stages the one with the largest share is set
// against the one that exceeds by most in most slow requests; a tie is no finding.
func TestTheCountMayNameAnotherStage(t *testing.T) {
	attribution := func(pairs ...float64) *reports.Attribution {
		a := &reports.Attribution{TailN: 31}
		for i := 0; i < len(pairs); i += 2 {
			s := reports.AttributedStage{Stage: []string{"queue", "gpu", "network"}[i/2], Largest: int64(pairs[i+1])}
			s.Share.Value = pairs[i]
			a.Stages = append(a.Stages, s)
		}
		return a
	}
	for _, c := range []struct {
		a    *reports.Attribution
		want string
	}{
		{attribution(.86, 7, .14, 24), "the count names another stage than the share: gpu exceeds by most in 24 of the 31 slow requests, queue in 7: fewer and longer ones make its share"},
		{attribution(.86, 11, .14, 20), "~ the count names another stage than the share: gpu exceeds by most in 20 of the 31 slow requests, queue in 11"},
		{attribution(.4, 0, .35, 20, .25, 11), "the count names another stage than the share: gpu exceeds by most in 20 of the 31 slow requests, queue in none: it has the largest share and is the largest part of no slow request"},
		{attribution(.86, 20, .14, 11), ""},
		{attribution(.86, 12, .14, 0), ""},
		{attribution(.86, 15, .14, 15), ""},
		{nil, ""},
		{&reports.Attribution{}, ""},
	} {
		if got := c.a.CountWords(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestOneSlowRequestIsNoPlural: what is said of the slow requests is said of one as well.
func TestOneSlowRequestIsNoPlural(t *testing.T) {
	one := reports.Tail{Tail: reports.Mix{N: 1}}
	a := &reports.Attribution{TailN: 1, Stages: []reports.AttributedStage{{Stage: "queue"}, {Stage: "gpu", Largest: 1}}}
	a.Stages[0].Share.Value = .6
	for _, c := range []struct{ got, want string }{
		{a.CountWords(), "gpu exceeds by most in 1 of 1 slow request, queue in none"},
		{reports.When{Known: true, Waits: 1, Incidents: []reports.Incident{{Slow: 1}}}.Text(one), "; 1 of 1 slow request began to wait in one"},
		{reports.Where{Kind: "single", Values: 1, Places: []reports.Place{{Value: "a", N: 1}}}.Text(0), "a, the only request"},
		{reports.Where{Kind: "single", Values: 1, Places: []reports.Place{{Value: "a", N: 2}}}.Text(0), "a, all 2 requests"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestUnevenDeniesNoShare: a place may have all of the excess and still not stand out, since
// its requests are not the longest waits; it is not said that no single place has it.
func TestUnevenDeniesNoShare(t *testing.T) {
	all, none := 1.0, 0.0
	w := reports.Where{Kind: "uneven", Values: 2, N: 3000, Places: []reports.Place{{Value: "big", N: 2100, Share: &all}, {Value: "small", N: 900, Share: &none}}}
	if got := w.Text(0); !strings.HasPrefix(got, "uneven, and none stands out both in the excess and among the longest waits: ") {
		t.Errorf("%q", got)
	}
}

// TestPlacesAddUpAsWritten: tenths of a per cent of any shares that add up to 1 add up to
// 1000, and shares that are refused have none.
func TestPlacesAddUpAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := reports.Where{}
		rest := 1.0
		for range rapid.IntRange(0, 9).Draw(t, "places") {
			share := rapid.Float64Range(-1, 1).Draw(t, "share")
			w.Places = append(w.Places, reports.Place{Share: &share})
			rest -= share
		}
		half := rest / 2
		w.NoneShare, w.Others = &half, &reports.Place{Share: &half}
		var sum int64
		for _, tenths := range w.ShareTenths() {
			sum += tenths
		}
		if sum != 1000 || len(w.ShareTenths()) != len(w.Places)+2 {
			t.Fatalf("%v add up to %d", w.ShareTenths(), sum)
		}
		if w.NoShares = "none"; w.ShareTenths() != nil {
			t.Fatalf("refused shares are %v", w.ShareTenths())
		}
	})
}

// TestWhereSaysWhatItNeeds: too few long waits, too few requests for a percentile, and shares
// that are refused, each with the number that would do or the reason.
func TestWhereSaysWhatItNeeds(t *testing.T) {
	docs := map[string]reports.Document{}
	queues(docs)
	routed := docs["queue_routed"].Queue
	for _, w := range routed.Where {
		for _, p := range w.Places {
			if (p.P95NS == nil) != (p.N < p.P95Need) || p.P95Need != 59 || (p.P50NS == nil) != (p.N < p.P50Need) {
				t.Errorf("%s %s: %+v", w.Key, p.Value, p)
			}
			if (p.Share == nil) != (w.NoShares != "") {
				t.Errorf("%s %s has the share %v: %q", w.Key, p.Value, p.Share, w.NoShares)
			}
		}
	}
	few := run("queue", "incident/").Queue(analyze.QueueOf(routed60(), analyze.Options{Replicates: 20}, []filter.Key{{Name: "route"}})).Queue
	if w := few.Where[0]; w.Kind != "few" || w.LongNeed != 20 || !strings.Contains(w.Words, fmt.Sprintf("too few long waits to tell: %d of the 20 needed (n = 58)", w.Long)) {
		t.Errorf("%+v", w)
	}
	if b := few.Busy; b.Known || b.Need != 20 || !strings.Contains(b.Words, "; each takes 20") {
		t.Errorf("%+v", b)
	}
	if b := docs["queue_empty"].Queue.Busy; b.Need != 0 || b.Words != "cannot be told without times" {
		t.Errorf("%+v", b)
	}
}

// TestBusyTimesSayWhatP99Needs: a percentile that one side has too few requests for is
// refused with their number, and not left out.
func TestBusyTimesSayWhatP99Needs(t *testing.T) {
	value := int64(900 * ms)
	side := reports.BusyGroup{N: 200, P50NS: &value, P50Need: 6, P99Need: 299, OwnNS: &value}
	full := side
	full.P99NS = &value
	for _, c := range []struct {
		quiet, busy reports.BusyGroup
		want        string
	}{
		{full, side, "p99 900 ms to - (needs 299), "}, {side, full, "p99 - to 900 ms (needs 299), "}, {side, side, "p99 - to - (needs 299), "}, {full, full, "p99 900 ms to 900 ms, "},
	} {
		if got := (reports.Busy{Known: true, Kind: "alike", Quiet: c.quiet, Busy: c.busy}).Text(); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestEveryNumberOfAQueueHasItsN looks for figures without the number that they stand on.
func TestEveryNumberOfAQueueHasItsN(t *testing.T) {
	docs := map[string]reports.Document{}
	queues(docs)
	n := regexp.MustCompile(`n = [0-9,]+`)
	for _, name := range []string{"queue", "queue_routed", "queue_steady"} {
		q := docs[name].Queue
		texts := map[string]string{"what if": q.WhatIf.Words, "when": q.When.Words, "busy": q.Busy.Words, "Little": q.Little.Words, "work": q.Work.Words}
		for _, w := range q.Where {
			texts["where "+w.Key] = w.Words
			if w.Kind == "single" || w.Kind == "" {
				delete(texts, "where "+w.Key)
			}
		}
		for _, c := range q.Candidates {
			texts[c.Name] = c.Words
		}
		for what, text := range texts {
			if !n.MatchString(text) && !strings.Contains(text, "cannot be told without") {
				t.Errorf("%s: %s has no n: %q", name, what, text)
			}
		}
	}
}
