package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical/stage"
)

// held is a timeline on which level requests run for some ms while another waits, reached
// again and again by one that had waited.
type held struct {
	level, ms int64
	times     int
}

// plateau makes such a timeline.
func plateau(levels ...held) *timeline {
	l := &timeline{}
	at := int64(0)
	for _, h := range levels {
		for range h.times {
			l.waits = append(l.waits, interval{start: at * ms, end: (at + h.ms + 1) * ms})
			for range h.level {
				l.runs = append(l.runs, interval{start: (at + 1) * ms, end: (at + h.ms + 1) * ms})
			}
			at += h.ms + 2
		}
	}
	l.steps = newSteps(l)
	return l
}

func TestPlateau(t *testing.T) {
	for name, c := range map[string]struct {
		line        *timeline
		limit, held int64
	}{
		"held":                 {plateau(held{4, 100, 6}, held{3, 10, 6}), 4, 4},
		"too few":              {plateau(held{4, 1000, 4}, held{3, 10, 6}), 0, 4},
		"too short":            {plateau(held{4, 10, 6}, held{1, 3000, 6}), 0, 4},
		"no more than below":   {plateau(held{4, 100, 6}, held{3, 60, 6}), 0, 4},
		"briefly above":        {plateau(held{4, 1000, 6}, held{5, 1, 60}), 4, 4},
		"above for long":       {plateau(held{4, 1000, 6}, held{5, 200, 5}), 0, 5},
		"one, but once two":    {plateau(held{1, 1000, 6}, held{2, 1, 2}), 0, 1},
		"one at a time":        {plateau(held{1, 1000, 6}), 1, 1},
		"nothing ever ran":     {plateau(held{0, 1000, 6}), 0, 0},
		"nothing ever happens": {plateau(), 0, 0},
	} {
		c.line.learn()
		if c.line.level.Value != c.limit || c.line.held != c.held {
			t.Errorf("%s: limit %+v, held %d", name, c.line.level, c.line.held)
		}
	}
}

// TestPlateauOfMemory: what is held while memory is full, or somebody prefills or was
// preempted, is no sign of slots.
func TestPlateauOfMemory(t *testing.T) {
	for name, change := range map[string]func(l *timeline){
		"memory": func(l *timeline) {
			l.reads.list = []*series{{metric: metricKV, time: []int64{0}, value: []float64{.9}, force: 1e12}}
		},
		"prefill":    func(l *timeline) { l.prefills = []interval{{start: 0, end: 1e12}} },
		"preemption": func(l *timeline) { l.preempts = []interval{{start: 0, end: 1e12}} },
	} {
		l := plateau(held{4, 100, 6})
		change(l)
		l.steps = newSteps(l)
		if l.learn(); l.level.Value != 0 || l.held != 4 {
			t.Errorf("%s: %+v", name, l.level)
		}
	}
}

func TestPlateauOfReadings(t *testing.T) {
	read := func(values ...float64) *series {
		s := &series{value: values}
		for i := range values {
			s.time = append(s.time, int64(i)*10_000*ms)
		}
		s.settle()
		return s
	}
	for name, c := range map[string]struct {
		running, waiting, memory *series
		want                     int64
	}{
		"held":            {read(8, 8, 8, 7), read(1, 2, 3, 0), read(), 8},
		"two":             {read(8, 8, 5, 7), read(1, 2, 3, 0), read(), 0},
		"nobody waits":    {read(8, 8, 8, 8), read(0, 0, 0, 1), read(), 0},
		"once more":       {read(8, 8, 8, 9), read(1, 2, 3, 0), read(), 0},
		"as often below":  {read(8, 8, 8, 7, 7, 7), read(1, 2, 3, 1, 1, 1), read(), 0},
		"a small share":   {read(8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), read(1, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), read(), 0},
		"full memory":     {read(8, 8, 8, 7), read(1, 2, 3, 0), read(.9, .95, .99, .5), 0},
		"room in memory":  {read(8, 8, 8, 7), read(1, 2, 3, 0), read(.8, .8, .8, .5), 8},
		"nothing is read": {read(), read(1), read(), 0},
	} {
		if got, _ := learnReadings(c.running, c.waiting, c.memory, read()); got.Value != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestBehindPreempted: those that lost their place wait ahead of others.
func TestBehindPreempted(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "", "")
	lost := g.request(0, 0, decoded(e, 10), piece{scope: e, stage: stage.Queue, detail: "preempted", until: 200}, decoded(e, 300))
	r := g.request(20, 0, waited(e, 250), decoded(e, 300))
	tl, names := causes(t, g)
	if f := tl.Finding(g.segment(r, 0)); names[g.segment(r, 0)] != "kv_memory" || f.Rule != "behind-preempted" || f.PreemptedNS != 180*ms {
		t.Errorf("%d, %+v", lost, f)
	}
}

// TestLateInstance: an instance that stays free for a second waits for no batch.
func TestLateInstance(t *testing.T) {
	for until, want := range map[int64]string{500: "batch_delay", 501: "stuck"} {
		g := newGiven()
		e := g.scope("triton", "a", "", scopeTriton)
		r := g.request(0, 0, waited(e, until), computed(e, until+10))
		if _, names := causes(t, g); names[g.segment(r, 0)] != want {
			t.Errorf("%d ms: %s", until, names[g.segment(r, 0)])
		}
	}
}

// TestLoggedBatches: the members of a batch are logged one after the other, and are one
// execution, but not exactly one batch.
func TestLoggedBatches(t *testing.T) {
	g := newGiven()
	e := g.scope("triton", "", "", scopeTritonLog)
	for i := range int64(3) {
		g.request(0, 0, waited(e, 10), computed(e, 20))
		seg := &g.set.Segments
		for k := seg.Len() - 2; k < seg.Len(); k++ {
			if seg.Stage[k] == uint8(stage.GPU) {
				seg.Start[k] += i * 15_000
			} else {
				seg.End[k] += i * 15_000
			}
		}
	}
	tl := Build(g.set)
	if got := tl.Engines()[0]; got.Peak != 1 || !got.Batching {
		t.Errorf("%+v", got)
	}
	if b := tl.Batches(0); b != nil {
		t.Errorf("%+v", b)
	}
}

// TestHeldBetween: host work between two executions keeps the place, other work does not,
// and the chunks of a prompt are one prefill.
func TestHeldBetween(t *testing.T) {
	g := newGiven()
	e, app := g.scope("sglang", "a", "", ""), g.scope("agent", "", "", "")
	host := piece{scope: e, stage: stage.Scheduling, until: 30}
	r := g.request(0, 0, prefilled(e, 20), host, prefilled(e, 40), decoded(e, 50), elsewhere(app, 60), decoded(e, 70))
	tl := Build(g.set)
	l := &tl.engines[0]
	if !cmp.Equal(tl.At(0, 25*ms).Running, []int32{r}) || tl.At(0, 55*ms).Running != nil || len(l.prefills) != 1 || l.prefills[0].end != 40*ms {
		t.Errorf("%+v %+v", l.runs, l.prefills)
	}
}

// TestOffPath: executions that no path goes through hold the engine as well.
func TestOffPath(t *testing.T) {
	g := newGiven()
	e := g.scope("triton", "a", "", scopeTritonLog)
	in := g.set.Symbols.Intern
	r := g.request(0, 0, elsewhere(e, 5), computed(e, 20))
	other := g.request(50, 0, computed(e, 60))
	for i := range g.set.Spans.Len() {
		g.set.Spans.Name[i] = in("compute")
	}
	g.set.Spans.Name[0] = in("handler")
	lost := g.set.Spans.Grow() // a hedge of the first request, which lost
	g.set.Spans.TraceID[lost], g.set.Spans.ScopeRow[lost], g.set.Spans.Name[lost] = g.set.Requests.TraceID[r], e, in("compute")
	g.set.Spans.Start[lost], g.set.Spans.End[lost] = 30*ms, 40*ms
	copied := g.set.Spans.Grow() // of what is on the path
	g.set.Spans.TraceID[copied], g.set.Spans.ScopeRow[copied], g.set.Spans.Name[copied] = g.set.Requests.TraceID[other], e, in("compute")
	g.set.Spans.Start[copied], g.set.Spans.End[copied] = 52*ms, 58*ms
	tl := Build(g.set)
	if !cmp.Equal(tl.At(0, 35*ms).Running, []int32{r}) || len(tl.engines[0].runs) != 3 || tl.Engines()[0].Partial {
		t.Errorf("%+v", tl.engines[0].runs)
	}
	g.set.Segments.Stage[2] = uint8(stage.Scheduling) // the spans hold more than execution
	if tl = Build(g.set); !tl.Engines()[0].Partial || len(tl.engines[0].runs) != 1 {
		t.Errorf("%+v", tl.Engines())
	}
}

// TestOffPathModel: an execution off the paths is of the engine of its parent's model.
func TestOffPathModel(t *testing.T) {
	g := newGiven()
	e := g.scope("triton", "a", "", scopeTriton)
	in := g.set.Symbols.Intern
	r := g.request(0, 0, waited(e, 5), computed(e, 20))
	g.request(0, 0, waited(e, 5), computed(e, 20))
	spans := &g.set.Spans
	for i := range spans.Len() {
		spans.Name[i], spans.Model[i] = in("compute"), 0
		if i%2 == 0 {
			spans.Name[i], spans.Model[i] = in("model"), in([]string{"x", "y"}[i/2])
		}
	}
	model, lost := spans.Grow(), spans.Grow() // the first request asked the other model as well
	for _, i := range []int{model, lost} {
		spans.TraceID[i], spans.ScopeRow[i], spans.Name[i] = g.set.Requests.TraceID[r], e, in("compute")
		spans.SpanID[i][0] = byte(i)
		spans.Start[i], spans.End[i] = 30*ms, 40*ms
	}
	spans.Name[model], spans.Model[model], spans.ParentID[lost] = in("model"), in("y"), spans.SpanID[model]
	tl := Build(g.set)
	if got := tl.Engines(); len(got) != 2 || tl.At(0, 35*ms).Running != nil || !cmp.Equal(tl.At(1, 35*ms).Running, []int32{r}) {
		t.Errorf("%+v", got)
	}
}

// TestPartial: if requests stand for others that are not known, their own times show no
// limit, and at a gateway no room.
func TestPartial(t *testing.T) {
	g := newGiven()
	gateway := g.scope("haproxy", "g", "", "haproxy")
	e := g.scope("vllm", "a", "", "")
	r := g.request(-1000, 0, piece{scope: gateway, stage: stage.Queue, detail: "admission", until: -800}, decoded(e, -700))
	busy(g, e)
	g.set.Requests.Weight[r] = 2
	tl, names := causes(t, g)
	if got := tl.Engines()[0]; !got.Partial || got.SlotLimit.Value != 0 || names[g.segment(r, 0)] != "unknown" {
		t.Errorf("%+v, %s", got, names[g.segment(r, 0)])
	}
}

// TestGatewayOfBatches: a gateway that holds a request back waits for no batch.
func TestGatewayOfBatches(t *testing.T) {
	g := newGiven()
	gateway := g.scope("haproxy", "g", "", "haproxy")
	e := g.scope("triton", "a", "", scopeTritonLog)
	r := g.request(0, 0, piece{scope: gateway, stage: stage.Queue, detail: "admission", until: 100}, computed(e, 150))
	g.request(0, 0, waited(e, 100), computed(e, 120))
	if _, names := causes(t, g); names[g.segment(r, 0)] != "unknown" {
		t.Error(names)
	}
}

// TestRoomInMemory: prompts of others in half of a wait are its cause if readings rule out
// memory.
func TestRoomInMemory(t *testing.T) {
	for usage, want := range map[float64]string{.5: "prefill", -1: "unknown"} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		for range 3 {
			g.request(-9000, 0, decoded(e, -1000)) // slots enough
		}
		g.request(0, 0, prefilled(e, 60), decoded(e, 200))
		r := g.request(0, 0, waited(e, 100), prefilled(e, 150), decoded(e, 200))
		if usage >= 0 {
			g.sample("vllm", "", "", "kv_usage", 50, usage)
		}
		tl, names := causes(t, g)
		if f := tl.Finding(g.segment(r, 0)); names[g.segment(r, 0)] != want || f.PrefillNS != 60*ms {
			t.Errorf("%v: %+v", usage, f)
		}
	}
}
