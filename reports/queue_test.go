package reports_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// routed is an incident in which half of the requests go to a route that waits for longer,
// and has many models.
func routed() *table.Set {
	set := incident(2000, never)
	r := &set.Requests
	late := map[int32]int64{}
	for i := range r.Len() {
		if i%2 == 0 {
			r.Route[i], r.Name[i] = set.Symbols.Intern("/v1/batch"), set.Symbols.Intern("POST /v1/batch")
		}
		if i%5 > 0 {
			r.Model[i] = set.Symbols.Intern("llama3-" + string(rune('a'+i%26)) + string(rune('a'+i/26%3)))
		} else {
			r.Model[i] = 0
		}
		if r.Attempts[i] = 1; i%1000 > 600 && i%1000 < 616 && i%3 == 0 {
			r.Attempts[i] = 2
		}
		if r.Duration[i] > 0 && i%8 == 2 {
			r.PromptTokens[i] += 4000
			late[int32(i)] = 2_000 * ms
			r.Stage[stage.Queue][i] += 2_000 * ms
			r.Duration[i] += 2_000 * ms
			r.End[i] += 2_000 * ms
			r.FirstToken[i] += 2_000 * ms
			r.TTFT[i] += 2_000 * ms
			r.TTFTStage[stage.Queue][i] += 2_000 * ms
		}
	}
	s := &set.Segments
	waited := map[int32]bool{}
	for i, row := range s.RequestRow {
		by := late[row]
		if waited[row] {
			s.Start[i] += by
			s.End[i] += by
		}
		if stage.Stage(s.Stage[i]) == stage.Queue {
			waited[row] = true
			s.End[i] += by
			s.Duration[i] += by
			s.Cause[i] = set.Symbols.Intern("slots")
		}
	}
	return set
}

// depthGauge adds what an engine would say of the requests that wait.
func depthGauge(set *table.Set) {
	t := &set.EngineSamples
	for at := began; at < began+1_990_000*ms; at += 10_000 * ms {
		n := 0
		for i, k := range set.Segments.Stage {
			if stage.Stage(k) == stage.Queue && set.Segments.Start[i] <= at && at < set.Segments.End[i] {
				n++
			}
		}
		for _, reading := range []struct {
			metric string
			value  float64
		}{{"waiting", float64(n)}, {"requests_total", float64((at - began) / (1_000 * ms))}} {
			i := t.Grow()
			t.Time[i], t.Metric[i], t.Value[i], t.Engine[i] = at, set.Symbols.Intern(reading.metric), reading.value, set.Symbols.Intern("0")
		}
	}
}

// routed60 is an incident with two routes and few requests.
func routed60() *table.Set {
	set := incident(60, never)
	for i := range set.Requests.Len() {
		if i%2 == 0 {
			set.Requests.Route[i] = set.Symbols.Intern("/v1/batch")
		}
	}
	return set
}

// queues adds the documents of waiting.
func queues(out map[string]reports.Document) {
	queue := func(name string, set *table.Set, by ...filter.Key) {
		r := run("queue", "incident/")
		quality(set)
		r.Quality = analyze.Issues(set)
		r.Requests = int64(set.Requests.Len())
		out[name] = r.Queue(analyze.QueueOf(set, analyze.Options{Replicates: 200, OverTime: true}, by))
	}
	queue("queue", incident(2000, never))
	set := routed()
	depthGauge(set)
	queue("queue_routed", set, filter.Key{Name: "route"}, filter.Key{Name: "model"}, filter.Key{Name: "host"})
	queue("queue_few", incident(60, never))
	queue("queue_empty", table.NewSet())
	steady := incident(2000, never)
	for i := range steady.Requests.Clock {
		steady.Requests.Clock[i] = table.ClockSteady
	}
	queue("queue_steady", steady)
	queue("queue_apart", apart(incident(2000, never)))
}

// apart moves the earlier half of the requests to the day before.
func apart(set *table.Set) *table.Set {
	const day = 86_400_000_000_000
	req, seg := &set.Requests, &set.Segments
	half := slices.Sorted(slices.Values(req.Start))[req.Len()/2]
	moved := make([]bool, req.Len())
	for i, start := range req.Start {
		if moved[i] = start < half; moved[i] {
			req.Start[i], req.End[i] = start-day, req.End[i]-day
		}
	}
	for i, row := range seg.RequestRow {
		if moved[row] {
			seg.Start[i], seg.End[i] = seg.Start[i]-day, seg.End[i]-day
		}
	}
	return set
}

func TestQueueAnswers(t *testing.T) {
	docs := map[string]reports.Document{}
	queues(docs)
	for _, c := range []struct{ name, answer, headline, next string }{
		{"queue", "leads", "queueing leads: it takes ", "tailpath explain incident/ --slowest 5 --where 'start>=2026-03-02T14:"},
		{"queue_few", "cannot_say", "cannot say whether queueing dominates: too few requests, 58 of the ", "tailpath explain incident/ --slowest 5"},
		{"queue_empty", "cannot_say", "no request was found", "tailpath inspect incident/"},
		{"queue_steady", "leads", "queueing leads: it takes ", "tailpath explain incident/ --slowest 5"},
	} {
		d := docs[c.name]
		if d.Queue.Answer != c.answer || !strings.HasPrefix(d.Headline, c.headline) || !strings.HasPrefix(d.Next, c.next) {
			t.Errorf("%s answers %s: %q, then %q", c.name, d.Queue.Answer, d.Headline, d.Next)
		}
	}
	if list := docs["queue"].Queue.When.Incidents; len(list) == 0 {
		t.Error("no burst is an incident")
	}
	for _, i := range docs["queue"].Queue.When.Incidents {
		if at := (i.OnsetNS - began) / (1000 * ms) % 1000; at < 600 || at > 616 || i.RecoveryNS-i.OnsetNS > 25_000*ms {
			t.Errorf("%s to %s is no burst", i.Onset, i.Recovery)
		}
	}
	for _, i := range docs["queue_steady"].Queue.When.Incidents {
		if i.Onset != "" || i.OnsetNS == 0 {
			t.Errorf("an incident on a steady clock has a date: %+v", i)
		}
	}
}

// TestNoNameIsSaidTwice: where no stage stands out and the queue has most, the next one is
// named beside it, and not the queue again.
func TestNoNameIsSaidTwice(t *testing.T) {
	for _, s := range []string{"queue", "gpu"} {
		docs := map[string]reports.Document{}
		queues(docs)
		q := docs["queue"].Queue
		v := &q.Summary.Verdict
		v.Kind, v.Stage, v.RunnerUp = "mixed", s, map[string]string{"queue": "gpu", "gpu": "queue"}[s]
		got := reports.QueueHeadline(q)
		want := map[string]string{"queue": "; next is gpu with ", "gpu": "; gpu has most with "}[s]
		if !strings.Contains(got, want) || strings.Contains(got, "queue has most") {
			t.Errorf("%s first: %q", s, got)
		}
	}
}

// TestQueueWordsMakeSense: what no test or no arrival supports is not claimed.
func TestQueueWordsMakeSense(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	size := func(name string, slow, rest int64, chance float64, more bool) reports.QueueSizes {
		return reports.QueueSizes{Name: name, Slow: &slow, Rest: &rest, SlowN: 56, RestN: 1044, Test: reports.Test{P: p(chance)}, More: more}
	}
	for _, c := range []struct{ got, want string }{
		{reports.QueueCandidate{Name: "arrivals", Quiet: 5.96, N: 50, Speaks: "~"}.Text(), "cannot be told: nobody arrived between onset and peak (5.96 arrivals/s before, n = 50)"},
		{reports.QueueCandidate{Name: "service", Quiet: 846e6, Busy: 924e6, N: 660, P: p(0.0001), Speaks: "against"}.Text(),
			"median without the queue 846 ms in quiet, 924 ms in busy times (n = 660, p < 0.001): +9.2 %, of the 10.0 % that would count"},
		{reports.QueueCandidate{Name: "prompts", Quiet: 422, Busy: 439, N: 1100, P: p(0.215), Speaks: "against"}.Text(), "median prompt tokens 422 in quiet, 439 in busy times (n = 1,100, p = 0.215)"},
		{reports.QueueCandidate{Name: "capacity", Quiet: 1, Busy: 1, N: 1100, Speaks: "against"}.Text(), "1 engine served in quiet, 1 in busy times (n = 1,100)"},
		{reports.QueueWork{Sizes: []reports.QueueSizes{size("prompt_tokens", 48024, 411, 0, true), size("output_tokens", 26, 80, 0, false)}}.Text(),
			"slow requests are other work than the rest: more prompt tokens 48,024 against 411 (n = 56 and 1,044, p < 0.001), fewer output tokens 26 against 80 (n = 56 and 1,044, p < 0.001)"},
		{reports.QueueWork{Sizes: []reports.QueueSizes{size("prompt_tokens", 500, 411, 0, true), size("output_tokens", 81, 80, 0.5, false)}}.Text(),
			"slow requests are other work than the rest: more prompt tokens 500 against 411 (n = 56 and 1,044, p < 0.001); ~ output tokens 81 against 80 (n = 56 and 1,044, p = 0.500)"},
		{reports.Little{Requests: 600, Rate: 5.84, MeanWaitNS: 25, Depth: 1.5e-7, Ratio: 1}.Text(),
			"<0.001 waited on average = 5.84 requests/s x 25 ns (n = 600): an identity of one source, which proves nothing; no engine said how many waited"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestQueueAnswersForEveryVerdict words every kind of verdict of every stage.
func TestQueueAnswersForEveryVerdict(t *testing.T) {
	docs := map[string]reports.Document{}
	queues(docs)
	for _, kind := range []string{"too_few", "none", "unattributed", "mixed", "unclear", "leads", "dominates"} {
		for _, s := range []string{"queue", "gpu"} {
			v := docs["queue"].Queue.Summary.Verdict
			v.Kind, v.Stage = kind, s
			got := reports.QueueAnswer(v)
			want := "no"
			switch {
			case kind == "too_few" || kind == "unattributed" || kind == "unclear":
				want = "cannot_say"
			case s == "queue" && (kind == "leads" || kind == "dominates"):
				want = kind
			}
			if got != want {
				t.Errorf("%s of %s is the answer %s, want %s", kind, s, got, want)
			}
		}
	}
}
