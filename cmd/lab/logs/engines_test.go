package logs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// TestEngines reads the engines' logs of every scenario with every server.
func TestEngines(t *testing.T) {
	everyCapture(t, 260, func(t *testing.T, c *simulate.Capture) {
		for _, kind := range Names(c) {
			check, ok := checkEngine[kind]
			if !ok {
				continue
			}
			files := write(t, c, kind)
			if len(files) != len(c.Engines) {
				t.Fatalf("%d files for %d engines", len(files), len(c.Engines))
			}
			for i, f := range files {
				e := &engineLog{readLog: readBack(t, c, f), c: c, host: f.Host, engine: &c.Engines[i], visits: reachedEngine(c, i)}
				check(t, e)
			}
		}
	})
}

// engineLog is the log of an engine, read back, and what it must tell.
type engineLog struct {
	*readLog
	c      *simulate.Capture
	host   string
	engine *simulate.EngineState
	visits []*simulate.Visit
}

// reachedEngine are the visits that reached an engine, by their own ids.
func reachedEngine(c *simulate.Capture, i int) []*simulate.Visit {
	var visits []*simulate.Visit
	for k := range c.Visits {
		if v := &c.Visits[k]; v.Replica == i && v.Received > 0 {
			visits = append(visits, v)
		}
	}
	return visits
}

func (e *engineLog) shown(at int64) int64         { return e.c.Shown(e.host, at) }
func (e *engineLog) between(from, to int64) int64 { return e.shown(to) - e.shown(from) }

var checkEngine = map[string]func(*testing.T, *engineLog){
	"vllm":        checkVLLM,
	"sglang":      checkSGLang,
	"sglang-json": checkSGLang,
	"triton":      checkTriton,
	"tgi":         checkTGI,
	"tgi-json":    checkTGI,
}

// row is a request as a log tells it: its name and its bounds in ns, 0 for no end.
type row struct {
	id         string
	start, end int64
}

// rows are the spans of a log in order of name and start.
func (e *engineLog) rows() []row {
	var rows []row
	for i := range e.set.Spans.Len() {
		sp := &e.set.Spans
		rows = append(rows, row{sp.RequestID[i], sp.Start[i], max(0, sp.End[i])})
	}
	sortRows(rows)
	return rows
}

func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
}

// letGo is when a server let go of a visit that it did not finish, 0 if it did.
func letGo(v *simulate.Visit) int64 {
	if !v.Aborted || v.LastOutput > 0 || v.RequestEnd > 0 {
		return 0
	}
	return v.ServerEnd
}

// checkVLLM demands a request for every one that was handed to the engine, from the second
// of that, without an end unless the client left (V1) or at all (V0); and readings that
// are those of the engine's steps.
func checkVLLM(t *testing.T, e *engineLog) {
	v0 := e.c.Header.Server == simulate.VLLMV0
	var want []row
	for _, v := range e.visits {
		if left := letGo(v); v.Dispatched == 0 || left > 0 && left < v.Dispatched {
			continue
		}
		r := row{v.EngineID, e.second(v.Dispatched), 0}
		switch {
		case letGo(v) > 0:
			r.end = e.second(letGo(v))
		case v0:
			r.end = e.second(v.LastOutput)
		}
		want = append(want, r)
	}
	sortRows(want)
	got := e.rows()
	if len(got) != len(want) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
	ids := make(map[string]int)
	for i := range want {
		if ids[want[i].id]++; got[i] != want[i] {
			t.Errorf("request is %v, want %v", got[i], want[i])
		}
	}
	if e.account.Count("log-id-reused") > int64(len(want)-len(ids)) {
		t.Errorf("ids were used again %d times", e.account.Count("log-id-reused"))
	}
	checkVLLMReadings(t, e, v0)
}

// second is a time as vLLM's prefix has it, read back in the zone of the host.
func (e *engineLog) second(at int64) int64 { return e.shown(at) / s * s }

// readings are the values of a metric in order of time.
func (e *engineLog) readings(metric string) (at []int64, values []float64) {
	for i := range e.set.EngineSamples.Len() {
		if x := &e.set.EngineSamples; e.set.Symbols.Text(x.Metric[i]) == metric {
			at, values = append(at, x.Time[i]), append(values, x.Value[i])
		}
	}
	return at, values
}

func checkVLLMReadings(t *testing.T, e *engineLog, v0 bool) {
	prompts, tokens, preempted, exact := 0, 0, 0, true
	for _, v := range e.visits {
		if v.FirstToken > 0 {
			prompts += v.PromptTokens
		}
		if letGo(v) > 0 || len(v.Preemptions) > 0 {
			exact = false // what was produced before is not told
		}
		tokens += v.OutputTokens
		for _, x := range v.Preemptions {
			if x[1] > 0 && (letGo(v) == 0 || x[1] < letGo(v)) {
				preempted++
			}
		}
	}
	at, prompt := e.readings("prompt_throughput")
	_, generated := e.readings("generation_throughput")
	if len(at) == 0 {
		t.Fatal("no statistics line")
	}
	// A line's stamp is cut to a second, so an interval of V0 is known to one; V1's is
	// always the same.
	sum, sumTokens, slack, last := 0.0, 0.0, 0.0, e.shown(e.c.Header.EpochNS)
	for i := range at {
		seconds := float64(at[i]-last) / 1e9
		last = at[i]
		if !v0 {
			seconds = float64(e.between(epochNS, epochNS+vllmIntervalNS)) / 1e9
		} else {
			slack += prompt[i] + generated[i]
		}
		sum, sumTokens, slack = sum+prompt[i]*seconds, sumTokens+generated[i]*seconds, slack+0.051*seconds
	}
	if math.Abs(sum-float64(prompts)) > slack {
		t.Errorf("the lines tell of %.1f prompt tokens, want %d within %.1f", sum, prompts, slack)
	}
	if exact && math.Abs(sumTokens-float64(tokens)) > slack {
		t.Errorf("the lines tell of %.1f output tokens, want %d within %.1f", sumTokens, tokens, slack)
	}
	if _, n := e.readings("preemptions"); !v0 && int(total(n)) != preempted {
		t.Errorf("the lines tell of %v preemptions, want %d", total(n), preempted)
	}
	e.checkStates(t, v0)
}

func total(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum
}

// checkStates compares running and waiting requests and the memory in use with the
// engine's own steps that had ended by the time of a line.
func (e *engineLog) checkStates(t *testing.T, v0 bool) {
	at, running := e.readings("running")
	_, waiting := e.readings("waiting")
	_, kv := e.readings("kv_usage")
	for i := range at {
		// Before the first step has ended nothing is known of anything.
		ok := (len(e.engine.Log.Steps) == 0 || e.shown(e.engine.Log.Steps[0].EndNS) >= at[i]) && running[i]+waiting[i]+kv[i] == 0
		for k, st := range e.engine.Log.Steps {
			next := int64(math.MaxInt64)
			if k+1 < len(e.engine.Log.Steps) {
				next = e.shown(e.engine.Log.Steps[k+1].EndNS)
			}
			// The line was written within its second while this step was the last one.
			if e.shown(st.EndNS) >= at[i]+s || next < at[i] {
				continue
			}
			done, gave := 0, 0
			for _, v := range e.visits {
				if v.LastOutput > 0 && v.LastToken == st.EndNS {
					done++
					gave += (v.PromptTokens + v.OutputTokens + blockTokens - 2) / blockTokens
				}
			}
			used := float64(e.engine.Blocks-st.FreeBlocks-gave) / float64(e.engine.Blocks)
			ok = ok || int(running[i]) == st.Running-done && int(waiting[i]) == st.Waiting && math.Abs(kv[i]-used) < 0.000501
		}
		if !ok {
			t.Errorf("at %d: running %v, waiting %v, memory %v is the state of no step (V0: %v)", at[i], running[i], waiting[i], kv[i], v0)
		}
	}
}

// checkTriton demands every executed request with its wait and its execution.
func checkTriton(t *testing.T, e *engineLog) {
	byID := make(map[string][]*simulate.Visit)
	want := 0
	for _, v := range e.visits {
		if v.QueueStart > 0 {
			byID[v.EngineID] = append(byID[v.EngineID], v)
			want++
		}
	}
	if e.set.Spans.Len() != want {
		t.Errorf("%d requests, want %d", e.set.Spans.Len(), want)
	}
	for i := range e.set.Spans.Len() {
		sp := &e.set.Spans
		v := nearest(byID[sp.RequestID[i]], func(v *simulate.Visit) int64 { return e.shown(v.QueueStart) - sp.Start[i] })
		if v == nil {
			t.Fatalf("a request of an unknown id %q", sp.RequestID[i])
		}
		cut(t, "start", sp.Start[i], e.shown(v.QueueStart), us)
		if v.RequestEnd > 0 && v.ComputeStart > 0 {
			parts := e.parts(i)
			within(t, "queue", parts["queue/engine"], e.between(v.QueueStart, v.ComputeStart), us)
			within(t, "compute", parts["gpu/compute"], e.between(v.ComputeStart, v.RequestEnd), us)
		}
	}
}

// nearest is the visit for which a distance is least.
func nearest(visits []*simulate.Visit, distance func(*simulate.Visit) int64) (best *simulate.Visit) {
	for _, v := range visits {
		if best == nil || max(distance(v), -distance(v)) < max(distance(best), -distance(best)) {
			best = v
		}
	}
	return best
}

// checkTGI demands every answered request, to the ns but for its end, which is cut to µs.
func checkTGI(t *testing.T, e *engineLog) {
	visits := slices.DeleteFunc(slices.Clone(e.visits), func(v *simulate.Visit) bool { return v.LastOutput == 0 })
	slices.SortStableFunc(visits, func(a, b *simulate.Visit) int { return cmp.Compare(serverEnd(a), serverEnd(b)) })
	sp := &e.set.Spans
	if sp.Len() != len(visits) {
		t.Fatalf("%d requests, want %d", sp.Len(), len(visits))
	}
	for i, v := range visits {
		cut(t, "end", sp.End[i], e.shown(serverEnd(v)), us)
		within(t, "start", sp.Start[i], e.shown(v.Handled), us)
		parts := e.parts(i)
		within(t, "validation", parts["scheduling/tokenize"], e.between(v.Handled, v.Queued), 0)
		within(t, "queue", parts["queue/engine"], e.between(v.Queued, v.Scheduled), 0)
		within(t, "inference", parts["gpu/compute"], e.between(v.Scheduled, serverEnd(v)), 0)
		if id, ok := e.attribute(i, "trace_id"); !ok || id != fmt.Sprintf("%x", v.TraceID) {
			t.Errorf("trace id is %q, want %x", id, v.TraceID)
		}
	}
}

// attribute is an attribute of a span.
func (e *engineLog) attribute(i int, name string) (string, bool) {
	key, ok := e.set.Symbols.Lookup(name)
	if !ok {
		return "", false
	}
	v, ok := e.set.Spans.Attributes.Get(i, key)
	return string(v.Text), ok
}
