package engine

import (
	"fmt"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// loaded is n segments of requests at eight engines that are overloaded: each waits for
// a slot among some hundred others.
func loaded(n int) *table.Set {
	g := newGiven()
	var scopes []int32
	for k := range 8 {
		scopes = append(scopes, g.scope("vllm", fmt.Sprint("gpu-", k), "", ""))
	}
	app := g.scope("client", "c", "", "")
	g.set.Segments.Reserve(n)
	for i := int64(0); g.set.Segments.Len() < n; i++ {
		e := scopes[i%8]
		at := i / 8 * 30
		until := at + 3000 + i%7
		prompt := 200 + i%50
		if i%97 == 0 {
			prompt = 20_000
		}
		ready := until + prompt/10
		g.request(at, prompt, elsewhere(app, at+10), waited(e, until), prefilled(e, ready), decoded(e, ready+900),
			piece{scope: e, stage: stage.Scheduling, until: ready + 905})
	}
	for i := int64(0); i < 2000; i++ {
		g.sample("vllm", fmt.Sprint("gpu-", i%8), "", "running", i/8*10_000, float64(30+i%2))
		g.sample("vllm", fmt.Sprint("gpu-", i%8), "", "kv_usage", i/8*10_000, .5)
	}
	return g.set
}

func BenchmarkBuild(b *testing.B) {
	set := loaded(1_000_000)
	b.ResetTimer()
	b.ReportAllocs()
	for b.Loop() {
		Build(set)
	}
	b.ReportMetric(float64(set.Segments.Len()), "segments")
}

func BenchmarkAnnotate(b *testing.B) {
	set := loaded(1_000_000)
	t := Build(set)
	b.ResetTimer()
	b.ReportAllocs()
	for b.Loop() {
		t.Annotate(set)
	}
	b.ReportMetric(float64(len(t.queue)), "waits")
}

func BenchmarkBlame(b *testing.B) {
	set := loaded(1_000_000)
	t := Build(set)
	b.ResetTimer()
	i := 0
	for b.Loop() {
		t.Blame(t.queue[i%len(t.queue)].segment)
		i += 7919
	}
}
