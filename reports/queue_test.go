package reports_test

import (
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

// queues adds the documents of waiting.
func queues(out map[string]reports.Document) {
	queue := func(name string, set *table.Set, by ...filter.Key) {
		r := run("queue", "incident/")
		quality(set)
		r.Quality = analyze.Issues(set)
		r.Requests = int64(set.Requests.Len())
		out[name] = r.Queue(analyze.QueueOf(set, analyze.Options{Replicates: 200}, by))
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
}

func TestQueueAnswers(t *testing.T) {
	docs := map[string]reports.Document{}
	queues(docs)
	for _, c := range []struct{ name, answer, headline, next string }{
		{"queue", "leads", "queueing leads: it takes ", "tailpath explain incident/ --slowest 5 --where 'start>=2026-03-02T14:"},
		{"queue_few", "cannot_say", "cannot say whether queueing dominates: there are 58 requests of the ", "tailpath explain incident/ --slowest 5"},
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
