package engine_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// run simulates a scenario.
func run(t testing.TB, sc simulate.Scenario, server simulate.Server) *simulate.Capture {
	t.Helper()
	c, err := simulate.Run(sc, 1, simulate.Options{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// load reads the spans of a capture and builds its requests.
func load(t testing.TB, c *simulate.Capture) *table.Set {
	t.Helper()
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
	set.Canonicalize()
	if err := critical.NewBuilder(set, account, critical.Options{}).Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return set
}

// sample adds the engine's own readings every so many ns, as its statistics lines would
// tell them.
func sample(set *table.Set, c *simulate.Capture, blocks int, every int64) {
	next := int64(0)
	for _, s := range c.Engines[0].Log.Steps {
		if s.StartNS < next {
			continue
		}
		next = s.StartNS + every
		for metric, value := range map[string]float64{
			"running": float64(s.Running), "waiting": float64(s.Waiting), "kv_usage": 1 - float64(s.FreeBlocks)/float64(blocks),
		} {
			i := set.EngineSamples.Grow()
			set.EngineSamples.Time[i], set.EngineSamples.Value[i] = s.StartNS, value
			set.EngineSamples.Service[i], set.EngineSamples.Metric[i] = set.Symbols.Intern("vllm"), set.Symbols.Intern(metric)
		}
	}
}

// shares returns the share of the time in queues by cause, of waits of at least so many ns.
func shares(set *table.Set, least int64) map[string]float64 {
	seg, out, total := &set.Segments, map[string]float64{}, 0.0
	for i, s := range seg.Stage {
		if stage.Stage(s) == stage.Queue && seg.Target[i] == 0 && seg.Duration[i] >= least {
			out[set.Symbols.Text(seg.Cause[i])] += float64(seg.Duration[i])
			total += float64(seg.Duration[i])
		}
	}
	for c := range out {
		out[c] /= total
	}
	return out
}

const long = 200_000_000 // ns that a wait is no accident

var servers = []simulate.Server{simulate.VLLM, simulate.VLLMV0, simulate.SGLang, simulate.Triton, simulate.TGI}

// TestQueueBuildup: on every server the long waits of an overload are for slots, and the
// limit is the one that was declared.
func TestQueueBuildup(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine reads many captures")
	}
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range servers {
		set := load(t, run(t, sc, server))
		tl := engine.Build(set)
		tl.Annotate(set)
		got := tl.Engines()
		want := int64(sc.Engine.Slots)
		if server == simulate.Triton {
			want = int64(sc.Batcher.Instances)
		}
		if len(got) != 1 || got[0].SlotLimit.Value != want || got[0].Requests != int64(sc.Requests) {
			t.Errorf("%s: %+v", server, got)
		}
		if share := shares(set, long); share["slots"] < 0.99 {
			t.Errorf("%s: %v", server, share)
		}
		if share := shares(set, 0); share["slots"] < 0.99 {
			t.Errorf("%s: of all waits %v", server, share)
		}
	}
}

// TestBatchDelay: what the batcher let an instance idle for is told from what it waited
// for an instance, to the nanosecond.
func TestBatchDelay(t *testing.T) {
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	c := run(t, sc, simulate.Triton)
	set := load(t, c)
	tl := engine.Build(set)
	free := map[string]int64{}
	for i := range int32(set.Segments.Len()) {
		if stage.Stage(set.Segments.Stage[i]) == stage.Queue && set.Segments.Target[i] == 0 {
			free[hex.EncodeToString(set.Segments.TraceID[i][:])] += tl.Finding(i).FreeNS
		}
	}
	for _, x := range c.Truth {
		if want := x.DetailsNS.Get("queue/batch_delay"); free[x.TraceID] != want {
			t.Errorf("%s: an instance was free for %d ns, not %d", x.TraceID, free[x.TraceID], want)
		}
	}
	// Every batch that the batcher formed is found, with its members.
	batches := tl.Batches(0)
	if len(batches) != len(c.Engines[0].Log.Steps) {
		t.Fatalf("%d batches, not %d", len(batches), len(c.Engines[0].Log.Steps))
	}
	slices.SortFunc(c.Engines[0].Log.Steps, func(a, b simulate.Step) int { return int(a.StartNS - b.StartNS) })
	for i, s := range c.Engines[0].Log.Steps {
		if b := batches[i]; b.Start != s.StartNS || len(b.Requests) != s.Decodes || b.End != s.EndNS {
			t.Errorf("batch %d: %+v, not %+v", i, b, s)
		}
	}
}

// TestLongPromptAhead: with slots and memory to spare, requests wait behind whole documents.
func TestLongPromptAhead(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine reads many captures")
	}
	sc, err := simulate.Lookup("slow-prefill")
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []simulate.Server{simulate.VLLM, simulate.VLLMV0, simulate.SGLang, simulate.TGI} {
		set := load(t, run(t, sc, server))
		tl := engine.Build(set)
		tl.Annotate(set)
		least := 0.95
		if server == simulate.TGI {
			least = 0.9 // its prefills are concluded, and no longer than is sure
		}
		if share := shares(set, long); share["prefill"] < least || share["unknown"]+share["prefill"] < 1 {
			t.Errorf("%s: %v", server, share)
		}
		for i := range int32(set.Segments.Len()) {
			f := tl.Finding(i)
			if f.Rule != "long-prompt" {
				continue
			}
			blame := tl.Blame(i)
			if len(blame) == 0 || blame[0].NS < f.WaitNS/2/int64(len(blame)) {
				t.Errorf("%s: segment %d of %d ns: %+v", server, i, f.WaitNS, blame)
				continue
			}
			first := set.Requests.PromptTokens[blame[0].Request]
			if own := set.Requests.PromptTokens[set.Segments.RequestRow[i]]; first < 2*own {
				t.Errorf("%s: %d tokens waited behind %d", server, own, first)
			}
		}
	}
}

// TestMemory: with too little memory for its slots, an engine's readings tell why requests
// wait; without them nothing is claimed that is not so.
func TestMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine reads many captures")
	}
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	sc.Engine.Blocks = 600
	for _, server := range []simulate.Server{simulate.VLLM, simulate.VLLMV0, simulate.SGLang, simulate.TGI} {
		c := run(t, sc, server)
		set := load(t, c)
		engine.Build(set).Annotate(set)
		if share := shares(set, long); share["slots"] > 0 || share["stuck"] > 0 || share["prefill"] > 0.02 {
			t.Errorf("%s without readings: %v", server, share)
		}
		sample(set, c, sc.Engine.Blocks, 2_000_000_000)
		tl := engine.Build(set)
		tl.Annotate(set)
		if share := shares(set, long); share["kv_memory"] < 0.95 {
			t.Errorf("%s: %v %+v", server, share, tl.Engines())
		}
	}
}

// TestSlotsByReadings: readings of the same overload give the same limit, and the cause.
func TestSlotsByReadings(t *testing.T) {
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	c := run(t, sc, simulate.VLLM)
	set := load(t, c)
	sample(set, c, sc.Engine.Blocks, 1_000_000_000)
	tl := engine.Build(set)
	tl.Annotate(set)
	e := tl.Engines()[0]
	if e.SlotLimit.Value != int64(sc.Engine.Slots) || e.SlotLimit.Basis != engine.Readings || e.Partial || e.Coverage < 0.9 {
		t.Errorf("%+v", e)
	}
	if share := shares(set, long); share["slots"] < 0.99 {
		t.Errorf("%v", share)
	}
}
