package reports_test

import (
	"context"
	"fmt"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// told is a chat service of a client with spans, a gateway with a log and an engine with
// a log, which tell of the same n requests. The engine has two slots and too many
// requests, one of them with a long prompt. Its log is two hours ahead, in local time, has
// an instant for every token, and every second says how many run and wait.
func told(n int) (*table.Set, *critical.Builder) {
	const way, ahead = 2 * ms, 2 * 3600 * 1000 * ms
	set, account := table.NewSet(), &table.Account{}
	intern := set.Symbols.Intern
	scopes := map[string]int32{}
	for _, s := range [][3]string{{"app", "web-1", ""}, {"nginx", "", "nginx"}, {"vllm", "gpu-1", "vllm"}} {
		i := set.Scopes.Grow()
		set.Scopes.Service[i], set.Scopes.Host[i], set.Scopes.Scope[i] = intern(s[0]), intern(s[1]), intern(s[2])
		scopes[s[0]] = int32(i)
	}
	set.Scopes.Instance[scopes["vllm"]] = intern("0")
	spans := &set.Spans
	row := func(i, layer int, service, source string, from, to int64) int {
		r := spans.Grow()
		spans.ScopeRow[r], spans.Source[r], spans.Line[r], spans.Name[r], spans.Kind[r] = scopes[service], intern(source), int64(i+1), intern("POST /v1/chat"), 2
		spans.SpanID[r], spans.TraceID[r] = table.SpanID{1, byte(layer), 7: byte(i)}, table.TraceID{1, byte(layer), 6: byte(i), 13: byte(i)}
		spans.Start[r], spans.End[r], spans.RequestID[r] = began+from, began+to, fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", i)
		if layer > 0 {
			spans.Origin[r] = table.OriginRecord
		}
		return r
	}
	part := func(r int, from, to int64, s stage.Stage, detail string) {
		if from == to {
			return
		}
		k := set.Parts.Grow()
		set.Parts.SpanRow[k], set.Parts.Start[k], set.Parts.End[k] = int32(r), began+from, began+to
		set.Parts.Stage[k], set.Parts.Detail[k], set.Parts.Basis[k] = uint8(s), intern(detail), intern("a timer")
	}
	var free [2]int64
	var long [2]int64 // when the long prompt is prefilled
	type visit struct{ came, began, answering, done int64 }
	var visits []visit
	for i := range n {
		came, prefill, decode := int64(i)*60*ms+2*way, 20*ms, 180*ms
		switch i {
		case 9:
			decode = 900 * ms
		case 11:
			prefill = 300 * ms
		}
		k := 0
		if free[1] < free[0] {
			k = 1
		}
		at := max(free[k], came)
		visits = append(visits, visit{came, at, at + prefill, at + prefill + decode})
		free[k] = at + prefill + decode
		if i == 11 {
			long = [2]int64{at, at + prefill}
		}
	}
	for i, v := range visits {
		r := row(i, 0, "app", "traces.jsonl", v.came-2*way, v.done+2*way)
		spans.Kind[r] = 3
		r = row(i, 1, "nginx", "edge.log", v.came-way, v.done+way)
		part(r, v.came-way, v.done+way, stage.Unattributed, "upstream")
		r = row(i, 2, "vllm", "engine.log", v.came+ahead, v.done+ahead)
		spans.PromptTokens[r], spans.OutputTokens[r] = (v.answering-v.began)/ms, (v.done-v.answering)/ms/10
		part(r, v.came+ahead, v.began+ahead, stage.Queue, "engine")
		part(r, v.began+ahead, v.answering+ahead, stage.GPU, "prefill")
		part(r, v.answering+ahead, v.done+ahead, stage.GPU, "decode")
		for at := v.answering; at <= v.done; at += 10 * ms {
			if i != 11 && at > long[0] && at < long[1] {
				continue // no token comes meanwhile
			}
			e := set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[e], set.SpanEvents.Time[e], set.SpanEvents.Name[e] = int32(r), began+at+ahead, intern("token")
		}
	}
	for at := int64(0); at <= visits[n-1].done; at += 1000 * ms {
		running, waiting := 0.0, 0.0
		for _, v := range visits {
			switch {
			case at >= v.began && at < v.done:
				running++
			case at >= v.came && at < v.began:
				waiting++
			}
		}
		for k, metric := range []string{"running", "waiting"} {
			e := &set.EngineSamples
			i := e.Grow()
			e.Time[i], e.Service[i], e.Host[i] = began+at+ahead, intern("vllm"), intern("gpu-1")
			e.Metric[i], e.Unit[i], e.Value[i] = intern(metric), intern("requests"), []float64{running, waiting}[k]
		}
	}
	account.Add(table.Issue{ID: "log-assumed-utc", Severity: table.Warning, Advice: "give the zone of the server with --tz"}, int64(n), table.Place{Source: "engine.log", Line: 1}, "")
	set.Canonicalize()
	b := critical.NewBuilder(set, account, critical.Options{})
	if err := b.Build(context.Background()); err != nil {
		panic(err) // the tables above are sound
	}
	account.WriteTo(set)
	return set, b
}
