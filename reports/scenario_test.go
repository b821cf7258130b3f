package reports_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

const (
	us = int64(1_000)
	ms = 1_000 * us
	// began is 2026-03-02T14:00:00Z.
	began = int64(1_772_460_000) * 1_000 * ms
)

// dice is a small generator, so that the scenario is the same everywhere.
type dice uint64

func (d *dice) roll(from, to int64) int64 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return from + int64(uint64(*d>>33)%uint64(to-from+1))
}

// incident is a chat service for about 33 minutes: a gateway, an engine that
// reports its queue, prefill and decode as durations, and two bursts during which
// the queue fills. kept says which requests have a sampling weight.
func incident(n int, kept func(i int) float64) *table.Set {
	set := table.NewSet()
	d := dice(7)
	for i := range n {
		var t [analyze.StageCount]int64
		t[stage.Network] = d.roll(400*us, 3*ms)
		t[stage.Gateway] = d.roll(2*ms, 12*ms)
		t[stage.Queue] = d.roll(1*ms, 60*ms)
		t[stage.Scheduling] = d.roll(1*ms, 6*ms)
		prefill, tokens := d.roll(80*ms, 400*ms), d.roll(40, 120)
		decode := tokens * d.roll(19*ms, 27*ms)
		t[stage.Transfer] = d.roll(100*us, 900*us)
		t[stage.Unattributed] = d.roll(0, 5*ms)
		start := began + int64(i)*1_000*ms + d.roll(0, 900*ms)
		if i%1000 > 600 && i%1000 < 616 {
			t[stage.Queue] += int64(i%1000-600) * 340 * ms
		}
		t[stage.GPU] = prefill + decode
		row := request(set, i, start, t, decode, tokens)
		if w := kept(i); w > 0 {
			set.Requests.Weight[row] = w
		}
		switch {
		case i%170 == 3:
			set.Requests.Error[row] = true
		case i%400 == 9:
			set.Requests.Class[row], set.Requests.ClassReason[row] = uint8(critical.Incomplete), set.Symbols.Intern("missing parent")
		}
	}
	open := set.Requests.Grow()
	set.Requests.TraceID[open][0] = 0xff
	set.Requests.Class[open], set.Requests.ClassReason[open] = uint8(critical.Unfinished), set.Symbols.Intern("root never ended")
	set.Requests.Start[open] = began + 1_900_000*ms
	set.Requests.SpansIn[open], set.Requests.SpansExcluded[open] = 2, 2
	return set
}

func request(set *table.Set, i int, start int64, t [analyze.StageCount]int64, decode, tokens int64) int {
	r := &set.Requests
	row := r.Grow()
	d := dice(i + 1)
	binary.BigEndian.PutUint64(r.TraceID[row][:8], uint64(d.roll(0, 1<<62)))
	binary.BigEndian.PutUint64(r.TraceID[row][8:], uint64(i))
	binary.BigEndian.PutUint64(r.RootSpanID[row][:], uint64(i+1))
	r.Name[row], r.Service[row] = set.Symbols.Intern("POST /v1/chat"), set.Symbols.Intern("edge")
	r.Model[row], r.Route[row] = set.Symbols.Intern("llama3-70b"), set.Symbols.Intern("/v1/chat")
	r.OutputTokens[row], r.PromptTokens[row] = tokens, 900+tokens
	r.SpansIn[row], r.SpansOnPath[row], r.SpansOffPath[row] = 5, 3, 2
	r.FirstTokenBasis[row] = set.Symbols.Intern("gen_ai.latency.time_to_first_token")
	r.Start[row] = start
	at, token := start, start
	for k, length := range t {
		r.Stage[k][row] = length
		early := length
		switch stage.Stage(k) {
		case stage.GPU:
			at = segment(set, row, at, length-decode, k, "prefill", critical.Anchored)
			at = segment(set, row, at, decode, k, "decode", critical.Anchored)
			early -= decode
		case stage.Queue:
			at = segment(set, row, at, length, k, "engine", critical.Anchored)
		case stage.Transfer, stage.Unattributed:
			at, early = segment(set, row, at, length, k, "", critical.Residual), 0
		default:
			at = segment(set, row, at, length, k, "", critical.Exact)
		}
		r.TTFTStage[k][row] = early
		token += early
	}
	r.End[row], r.Duration[row] = at, at-start
	r.FirstToken[row], r.TTFT[row] = token, token-start
	return row
}

func segment(set *table.Set, row int, at, length int64, k int, detail string, known critical.Confidence) int64 {
	if length == 0 {
		return at
	}
	s := &set.Segments
	i := s.Grow()
	s.RequestRow[i], s.Start[i], s.End[i], s.Duration[i] = int32(row), at, at+length, length
	s.Stage[i], s.Detail[i], s.Confidence[i] = uint8(k), set.Symbols.Intern(detail), uint8(known)
	switch known {
	case critical.Exact:
		set.Requests.ExactNS[row] += length
	case critical.Anchored:
		set.Requests.AnchoredNS[row] += length
	default:
		set.Requests.ResidualNS[row] += length
	}
	return at + length
}

func never(int) float64 { return 0 }

// quality writes an account of what a reader may have met.
func quality(set *table.Set) {
	var a table.Account
	a.Add(table.Issue{ID: "cut-line", Severity: table.Info, Advice: "the file was rotated while it was written; nothing is lost if its neighbour is given too"},
		1, table.Place{Source: "incident/spans.jsonl", Line: 41_233, Offset: 88_213_004}, "")
	a.Add(table.Issue{ID: "bad-timestamp", Severity: table.Error, Advice: "look at the exporter: are its times in ms? (--time-unit ms)"},
		14, table.Place{Source: "incident/spans.jsonl", Line: 41, Offset: 80_112}, "end before 2000-01-01")
	a.Add(table.Issue{ID: "duplicate-span", Severity: table.Warning, Advice: "an exporter retried; equal copies are counted once"},
		3, table.Place{Source: "incident/engine.log.gz", Offset: 512}, "")
	a.WriteTo(set)
}

// slow rebuilds one request of the incident with the spans it came from.
func slow(set *table.Set, row int) *critical.Request {
	t := &set.Requests
	start, end := t.Start[row], t.End[row]
	req := &critical.Request{
		TraceID: t.TraceID[row], Start: start, End: end, FirstToken: t.FirstToken[row],
		Basis:    set.Symbols.Text(t.FirstTokenBasis[row]),
		Excluded: []critical.Exclusion{{Row: 0, Reason: "duplicate"}},
	}
	scopes := map[string]int32{}
	for _, name := range []string{"edge", "vllm"} {
		i := set.Scopes.Grow()
		set.Scopes.Service[i], set.Scopes.Host[i] = set.Symbols.Intern(name), set.Symbols.Intern(name+"-1")
		scopes[name] = int32(i)
	}
	var lengths [analyze.StageCount]int64
	for k := range lengths {
		lengths[k] = t.Stage[k][row]
	}
	edge := lengths[stage.Network] + lengths[stage.Gateway]
	engineStart, engineEnd := start+edge, end-lengths[stage.Transfer]-lengths[stage.Unattributed]
	add := func(name, service string, kind uint8, parent, depth int32, from, to int64, role critical.Role) {
		i := set.Spans.Grow()
		set.Spans.Name[i], set.Spans.Kind[i], set.Spans.ScopeRow[i] = set.Symbols.Intern(name), kind, scopes[service]
		set.Spans.TraceID[i], set.Spans.Start[i], set.Spans.End[i] = t.TraceID[row], from, to
		span := critical.Span{Row: int32(i), Parent: parent, Depth: depth, Start: from, End: to, Role: role}
		binary.BigEndian.PutUint64(span.ID[:], uint64(row+1)+uint64(len(req.Spans))<<32)
		req.Spans = append(req.Spans, span)
	}
	add("POST /v1/chat", "edge", 2, -1, 0, start, end, critical.Root)
	add("auth\x1b[31m check", "edge", 1, 0, 1, start+lengths[stage.Network], engineStart-1*ms, critical.Blocking)
	add("llm_request", "vllm", 2, 0, 1, engineStart, engineEnd, critical.Blocking)
	add("tokenize", "vllm", 1, 2, 2, engineStart+lengths[stage.Queue], engineStart+lengths[stage.Queue]+2*ms, critical.Blocking)
	add("usage report", "edge", 4, 0, 1, engineEnd-10*ms, end+40*ms, critical.Detached)
	at := start
	put := func(span int32, s stage.Stage, detail string, length int64, known critical.Confidence, bound int64, reason, rule string, over int32) {
		if length > 0 {
			req.EndPath = append(req.EndPath, critical.Segment{Start: at, End: at + length, Span: span, Stage: s, Detail: detail, Confidence: known, Error: bound, Reason: reason, Rule: rule, OverlappedBy: over})
			at += length
		}
	}
	put(0, stage.Network, "hop", lengths[stage.Network], critical.Exact, 0, "only span running", "client-server-gap", -1)
	put(1, stage.Gateway, "", lengths[stage.Gateway]-1*ms, critical.Exact, 0, "last child to end before the engine started", "gateway-service", -1)
	put(0, stage.Gateway, "", 1*ms, critical.Exact, 0, "no child was running", "gateway-service", -1)
	put(2, stage.Queue, "engine", lengths[stage.Queue], critical.Anchored, 40*us, "gen_ai.latency.time_in_queue says so, and the last child to end", "vllm-durations", -1)
	put(2, stage.Scheduling, "", lengths[stage.Scheduling], critical.Residual, 0, "left over by the durations", "vllm-durations", -1)
	req.FirstByte, req.ByteBasis, req.BytePath = at, "event http.response.headers", slices.Clone(req.EndPath)
	prefill := t.TTFT[row] - edge - lengths[stage.Queue] - lengths[stage.Scheduling]
	put(2, stage.GPU, "prefill", prefill, critical.Anchored, 40*us, "gen_ai.latency.time_in_model_prefill says so", "vllm-durations", -1)
	put(2, stage.GPU, "decode", lengths[stage.GPU]-prefill, critical.Anchored, 40*us, "gen_ai.latency.time_in_model_decode says so", "vllm-durations", -1)
	put(0, stage.Transfer, "response", lengths[stage.Transfer], critical.Exact, 0, "after the last child, before the end", "response-drain", 4)
	put(0, stage.Unattributed, "no span", lengths[stage.Unattributed], critical.Residual, 0, "nothing was recorded", "default", 4)
	return req
}

var inputs = []reports.Input{
	{Name: "incident/spans.jsonl", Format: "otlp-json", Bytes: 88_213_551, SHA256: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9", Spans: 10_012, Bad: 14},
	{Name: "incident/engine.log.gz", Format: "vllm", Compression: "gzip", Bytes: 1_204_113, SHA256: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", Logs: 20_144,
		Samples: 360, Lines: &reports.Lines{In: 30_000, Used: 20_504, Unused: []reports.Count{{Name: "no known record (vllm)", N: 9_490}, {Name: "unknown line", N: 6}}}},
}

func run(command ...string) reports.Run {
	return reports.Run{Version: "0.1.0", Command: append([]string{"tailpath"}, command...), Operands: []string{"incident/"}, Inputs: inputs}
}

// engineReadings adds readings of two engines.
func engineReadings(set *table.Set) {
	for i := range 360 {
		for k, m := range []string{"running", "waiting", "kv_usage", "step_time"} {
			metric, _ := table.MetricByName(m)
			s := &set.EngineSamples
			row := s.Grow()
			s.Time[row] = set.Requests.Start[0] + int64(i)*10_000_000*us
			s.Service[row], s.Engine[row] = set.Symbols.Intern("vllm"), set.Symbols.Intern(fmt.Sprint(i%2))
			s.Metric[row], s.Unit[row] = set.Symbols.Intern(m), set.Symbols.Intern(metric.Unit)
			s.Value[row] = []float64{float64(18 + i%5), float64(i % 47), float64(i%100) / 100, 187_410_000}[k]
		}
	}
}

// gated is the summary of the requests that a filter keeps, with conditions of each outcome.
func gated() reports.Document {
	set := incident(2000, never)
	quality(set)
	where, err := filter.Parse("e2e>0")
	if err != nil {
		panic(err)
	}
	var conditions []filter.Condition
	for _, text := range []string{
		"p99(e2e) > 5s", "p97.5(e2e) > 1us", "p99.9(ttft) > 1s", "share(queue) > 50%", "share(gpu, p90-100) < 1%", "errors > 1%", "n < 10k", "verdict(queue) = (dominates leads)",
	} {
		c, err := filter.ParseCondition(text, analyze.ConditionWords())
		if err != nil {
			panic(err)
		}
		conditions = append(conditions, c)
	}
	opt := analyze.Options{Where: where}.WithPercentiles(conditions)
	s := analyze.Summarize(set, opt)
	r := run("summary", "incident/", "--where", "e2e>0")
	r.Quality = analyze.Issues(set)
	d := r.Summary(s)
	d.Conditions = reports.Conditions(analyze.Judge(set, &s, conditions, opt))
	return d
}

// documents are the documents that the golden files hold, by name. They are made once: no
// test changes them.
var documents = sync.OnceValue(func() map[string]reports.Document {
	out := map[string]reports.Document{}
	summary := func(name string, set *table.Set, opt analyze.Options) {
		r := run("summary", "incident/")
		quality(set)
		r.Quality = analyze.Issues(set)
		out[name] = r.Summary(analyze.Summarize(set, opt))
	}
	summary("summary", incident(2000, never), analyze.Options{})
	summary("summary_few", incident(60, never), analyze.Options{})
	summary("summary_weighted", incident(1000, func(i int) float64 {
		if i%1000 > 600 && i%1000 < 616 {
			return 1
		}
		return 10
	}), analyze.Options{Errors: analyze.Include})
	summary("summary_since", incident(300, never), analyze.Options{During: &analyze.Interval{Start: began + 60_000*ms, End: began + 240_000*ms}})
	summary("summary_empty", table.NewSet(), analyze.Options{})
	keys, err := filter.ParseKeys("service,status")
	if err != nil {
		panic(err)
	}
	summary("summary_by", incident(1200, never), analyze.Options{By: keys.List, Errors: analyze.Include})
	out["summary_stalls"] = run("summary", "incident/").Summary(stalled(incident(400, never), analyze.KindDominates, engine.StallPrefill))
	out["summary_gated"] = gated()
	out["summary_silenced"], _ = gated().Silenced([]string{"few-incidents", "too-few"})
	blind := incident(400, never)
	for i := range blind.Requests.Len() {
		q, u := &blind.Requests.Stage[stage.GPU][i], &blind.Requests.Stage[stage.Unattributed][i]
		*q, *u = *u, *q
	}
	for i, k := range blind.Segments.Stage {
		switch stage.Stage(k) {
		case stage.GPU:
			blind.Segments.Stage[i] = uint8(stage.Unattributed)
		case stage.Unattributed:
			blind.Segments.Stage[i] = uint8(stage.GPU)
		}
	}
	summary("summary_blind", blind, analyze.Options{})

	set := incident(2000, never)
	quality(set)
	peers := analyze.NewPeers(set, analyze.Options{})
	explain := run("explain", "incident/", "--slowest", "2")
	explain.Quality = analyze.Issues(set)
	var explained []analyze.Explanation
	for _, e := range peers.Slowest(2) {
		for row, id := range set.Requests.TraceID {
			if id == e.TraceID {
				explained = append(explained, analyze.Explain(set, slow(set, row), peers, nil, 0))
			}
		}
	}
	out["explain"] = explain.Explain(explained[:1])
	out["explain_two"] = explain.Explain(explained)
	explain.Requests = int64(set.Requests.Len())
	out["explain_none"] = explain.Explain(nil)

	var tally analyze.ExclusionTally
	tally.Add(slow(set, 0))
	set.Requests.SpansIn[0]++
	set.Requests.SpansExcluded[0]++
	engineReadings(set)
	out["inspect"] = run("inspect", "incident/").Inspect(analyze.Inspect(set, analyze.Beside{Excluded: &tally}))
	joined(out)
	comparisons(out)
	withRequirements(out)
	queues(out)
	capacities(out)
	withObjectives(out)
	defined(out)
	reported(out)
	pathed(out)
	out["inspect_limited"], out["queue_limited"] = out["inspect_joined"].Limited(2), out["queue_routed"].Limited(3)
	out["inspect_empty"] = reports.Run{Version: "0.1.0"}.Inspect(analyze.Inspect(table.NewSet(), analyze.Beside{}))
	return out
})

// joined adds the documents of requests that several sources tell of.
func joined(out map[string]reports.Document) {
	set, b := told(60)
	made := func(command ...string) reports.Run {
		r := run(command...)
		r.Inputs, r.Quality = []reports.Input{}, analyze.Issues(set)
		return r
	}
	out["summary_joined"] = made("summary", "incident/").Summary(analyze.Summarize(set, analyze.Options{}))
	out["inspect_joined"] = made("inspect", "incident/").Inspect(analyze.Inspect(set, analyze.Beside{Clocks: b.Clocks(), Engines: b.Engines()}))
	peers := analyze.NewPeers(set, analyze.Options{})
	var explained []analyze.Explanation
	for _, number := range []byte{9, 59} { // the one that stalls, and the last
		for row, id := range set.Requests.TraceID {
			if id[6] == number {
				explained = append(explained, analyze.Explain(set, b.Find(set.Requests.TraceID[row])[0], peers, b.Engines(), 0))
			}
		}
	}
	out["explain_joined"] = made("explain", "incident/").Explain(explained)
}
