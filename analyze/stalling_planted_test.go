package analyze

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// streamed reads a simulated capture, with an event at the engine's span for every token:
// one at the first token and at the end of every step of the engine until the last, but
// those in which the request had lost its place.
func streamed(t *testing.T, scenario string, server simulate.Server) (*table.Set, *engine.Timelines) {
	t.Helper()
	sc, err := simulate.Lookup(scenario)
	if err != nil {
		t.Fatal(err)
	}
	c, err := simulate.Run(sc, 1, simulate.Options{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	set, account := table.NewSet(), &table.Account{}
	for _, sv := range c.Services {
		var b bytes.Buffer
		if err := sv.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		d := otlp.NewDecoder(set, account, sv.Name)
		if err := d.Read(&b, otlp.Sniff(b.Bytes(), true), otlp.Start{}); err != nil {
			t.Fatal(err)
		}
		d.Close()
	}
	rows := map[table.TraceID]int32{}
	for i, name := range set.Spans.Name {
		if text := set.Symbols.Text(name); text == "llm_request" || text == "decode_forward" {
			if was, ok := rows[set.Spans.TraceID[i]]; !ok || set.Spans.Start[i] < set.Spans.Start[was] {
				rows[set.Spans.TraceID[i]] = int32(i)
			}
		}
	}
	for _, v := range c.Visits {
		row, ok := rows[table.TraceID(v.TraceID)]
		if !ok || v.FirstToken == 0 {
			continue
		}
		token := func(at int64) {
			i := set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[i], set.SpanEvents.Time[i], set.SpanEvents.Name[i] = row, at, set.Symbols.Intern("token")
		}
		token(v.FirstToken)
		for _, s := range c.Engines[v.Replica].Log.Steps {
			lost := false
			for _, p := range v.Preemptions {
				lost = lost || s.EndNS > p[0] && s.StartNS < p[1]
			}
			if s.EndNS > v.FirstToken && s.EndNS <= v.LastToken && !lost {
				token(s.EndNS)
			}
		}
	}
	set.Canonicalize()
	b := critical.NewBuilder(set, account, critical.Options{})
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return set, b.Engines()
}

// TestPlantedStalls tells stalls of prefills from those of preemptions in simulated
// captures, and says nothing where the recording does not tell.
func TestPlantedStalls(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	for _, c := range []struct {
		scenario string
		server   simulate.Server
		kind     Kind
		cause    engine.StallCause
		share    float64 // least of the excess
	}{
		{"healthy", simulate.VLLM, KindDominates, engine.StallPrefill, .99},
		{"healthy", simulate.SGLang, KindDominates, engine.StallPrefill, .99},
		{"queue-buildup", simulate.VLLMV0, KindDominates, engine.StallPrefill, .99},
		{"slow-prefill", simulate.VLLM, KindNone, engine.StallPrefill, .99}, // 28 of 1,100 requests have stalls
		{"slow-prefill", simulate.SGLang, KindNone, engine.StallPrefill, .99},
		{"preemption", simulate.SGLang, KindDominates, engine.StallPreempted, .99},
		{"preemption", simulate.VLLM, KindUnattributed, engine.StallUntold, .9}, // its spans do not show preemptions
		{"split-prefill", simulate.VLLM, KindNone, engine.StallUntold, 0},       // another engine prefills
	} {
		t.Run(fmt.Sprintf("%s/%s", c.scenario, c.server), func(t *testing.T) {
			set, engines := streamed(t, c.scenario, c.server)
			s := Summarize(set, Options{Engines: engines, Replicates: 200}).Stalling
			if v := s.Verdict; v.Kind != c.kind || s.Parts[c.cause].Share.Value < c.share || v.Kind == KindDominates && v.Cause != c.cause {
				t.Errorf("%+v, parts %+v", v, s.Parts)
			}
			for _, e := range s.Engines {
				if prefills := c.cause == engine.StallPrefill; prefills != (e.Adjusted <= .05 && e.Lift() > 5) {
					t.Errorf("%+v, lift %.1f", e, e.Lift())
				}
			}
		})
	}
}
