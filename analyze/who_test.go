package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// fleet is n requests, two a second, of which those with long prompts on one of four hosts
// are slow. Their ids are numbered in an order of their own, so that rows have none.
func fleet(n int, clock uint8) (set *table.Set, slow, rest []int32) {
	set = table.NewSet()
	random := rand.New(rand.NewPCG(5, 5))
	for i := range n {
		prompt := 100 + random.IntN(16000)
		late := i%4 == 2 && prompt > 8000
		g := given{id: uint64(i + 1), start: houseBegan + int64(i)*ms*500, times: times(stage.Queue, int(ms), stage.GPU, int(10*ms))}
		if late {
			g.times[stage.Queue] = 900 * ms
		}
		add(set, g)
		host := fmt.Sprintf("gpu-%d", i%4+1)
		root := spanOf(set, []pair{{"host.name", host}, {"pod", "pod-of-" + host}}, []pair{
			{"tenant", []string{"acme", "globex"}[random.IntN(2)]}, {"gen_ai.latency.time_in_queue", float64(g.times[stage.Queue]) / 1e9},
			{"shard.id", i % 4 * 7}, {"session", fmt.Sprint("s", random.Uint64())}, {"tailsampling.policy", map[bool]string{true: "slow", false: "rest"}[late]},
			{"request_time_ms", int(g.duration() / ms)}, {"timeout_ms", 1000 + 500*random.IntN(3)}, {"sdk", "go"}, {"temperature", random.Float64()},
		})
		for k := set.Segments.Len() - 1; k >= 0 && int(set.Segments.RequestRow[k]) == i; k-- {
			set.Segments.SpanRow[k] = root
		}
		req := &set.Requests
		req.RootRow[i], req.PromptTokens[i], req.Attempts[i], req.Clock[i] = root, int64(prompt), 1, clock
		req.Model[i], req.Route[i] = set.Symbols.Intern("llama3"), set.Symbols.Intern([]string{"/chat", "/complete"}[random.IntN(2)])
		if late {
			slow = append(slow, int32(i))
		} else {
			rest = append(rest, int32(i))
		}
	}
	return set, slow, rest
}

func TestWhoDiffers(t *testing.T) {
	set, slow, rest := fleet(2000, table.ClockWall)
	r := WhoDiffers(set, NewFields(set), slow, rest, 2)
	var found []string
	for _, f := range r.Findings {
		found = append(found, fmt.Sprint(f.Attribute, " ", f.Value.Kind, " ", f.Value.Name))
	}
	if diff := cmp.Diff([]string{"host category gpu-3", "prompt_tokens range "}, found); diff != "" {
		t.Fatal(diff)
	}
	var same []string
	for _, s := range r.Findings[0].Same {
		same = append(same, s.Attribute)
	}
	if diff := cmp.Diff([]string{"host.name", "pod", "shard.id"}, same); diff != "" {
		t.Error(diff)
	}
	if low := r.Findings[1].Value.Low; low < 6000 || low > 9000 {
		t.Errorf("long prompts begin at %v tokens", low)
	}
	status := map[string]string{}
	for _, a := range r.Attributes {
		status[a.Name] = string(a.Status) + " " + a.Reason
	}
	want := map[string]string{
		"host": "tested ", "host.name": "tested ", "pod": "tested ", "shard.id": "tested ", "tenant": "tested ", "route": "tested ", "prompt_tokens": "tested ",
		"timeout_ms": "tested ", "temperature": "tested ", "model": "constant ", "sdk": "constant ", "attempts": "constant ", "session": "id ",
		"status": "left_out " + LeftOutChosen, "class": "left_out " + LeftOutChosen, "trace_id": "left_out " + LeftOutName,
		"gen_ai.latency.time_in_queue": "left_out " + LeftOutTime, "request_time_ms": "left_out " + LeftOutTime, "e2e": "left_out " + LeftOutTime,
		"start": "left_out " + LeftOutTime, "tailsampling.policy": "left_out " + LeftOutSampler,
	}
	for _, name := range StageNames() {
		want[name] = "left_out " + LeftOutTime
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Error(diff)
	}
	if r.Strata.N < 50 || r.Strata.Undated != 0 {
		t.Errorf("strata are %+v", r.Strata)
	}
	// The set has marks of a sampler, so what is said holds among kept traces.
	if !slices.ContainsFunc(r.Warnings, hasID(KeptTraces)) {
		t.Errorf("warnings are %+v", r.Warnings)
	}
}

func hasID(id string) func(w stat.Warning) bool {
	return func(w stat.Warning) bool { return w.ID == id }
}

// TestWhoDiffersWhateverTheOrder deals the rows anew; a row of both groups is slow.
func TestWhoDiffersWhateverTheOrder(t *testing.T) {
	set, slow, rest := fleet(800, table.ClockWall)
	want := WhoDiffers(set, NewFields(set), slow, rest, 2)
	random := rand.New(rand.NewPCG(1, 1))
	dealt := slices.Concat(rest, slow[:9])
	for _, rows := range [][]int32{slow, dealt} {
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	if diff := cmp.Diff(want, WhoDiffers(set, NewFields(set), slow, dealt, 2)); diff != "" {
		t.Fatal(diff)
	}
}

func TestWhoDiffersWithoutTimes(t *testing.T) {
	set, slow, rest := fleet(800, table.ClockNone)
	r := WhoDiffers(set, NewFields(set), slow, rest, 2)
	if r.Strata.N != 1 || r.Strata.Undated != 800 || !slices.ContainsFunc(r.Warnings, hasID(cohort.WarnUndated)) {
		t.Errorf("strata %+v, warnings %+v", r.Strata, r.Warnings)
	}
	if len(r.Findings) == 0 || r.Findings[0].Attribute != "host" {
		t.Errorf("findings are %+v", r.Findings)
	}
}

func TestWhoDiffersOfTooFew(t *testing.T) {
	set, slow, rest := fleet(40, table.ClockWall)
	for _, c := range [][2][]int32{{nil, nil}, {slow[:2], rest}, {slow, nil}} {
		if r := WhoDiffers(set, NewFields(set), c[0], c[1], 2); r.Enough || len(r.Findings) != 0 || len(r.Warnings) == 0 {
			t.Errorf("%d and %d requests give %+v", len(c[0]), len(c[1]), r)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for key, want := range map[string][]string{
		"gen_ai.latency.time_in_queue": {"gen", "ai", "latency", "time", "in", "queue"},
		"upstreamResponseTime":         {"upstream", "response", "time"}, "HTTPStatus": {"httpstatus"}, "": nil, "..": nil,
	} {
		if diff := cmp.Diff(want, wordsOf(key)); diff != "" && len(want)+len(wordsOf(key)) > 0 {
			t.Errorf("%q: %s", key, diff)
		}
	}
	for key, want := range map[string]bool{
		"http.server.duration": true, "timeout_ms": false, "upstream_response_time": true, "timestamp": true, "prompt.length": false,
		"max_time": false, "items": false, "gpu.ms": true,
	} {
		if got := measuresTime(key, true); got != want {
			t.Errorf("%q measures time: %v", key, got)
		}
	}
}

// BenchmarkWhoDiffers reads 200,000 requests of 21 fields and compares them.
func BenchmarkWhoDiffers(b *testing.B) {
	set, slow, rest := fleet(200_000, table.ClockWall)
	f := NewFields(set)
	for b.Loop() {
		if r := WhoDiffers(set, f, slow, rest, 2); len(r.Findings) == 0 {
			b.Fatal("nothing found")
		}
	}
}
