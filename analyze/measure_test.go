package analyze

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// spoken is a request of which a span tells when the pieces of its answer came.
type spoken struct {
	id        uint64
	start     int64 // ns
	length    int64 // ns
	tokens    int64 // of the requests table; 0 for not recorded
	class     critical.Class
	chunks    []tokens.Chunk // AtNS counts from the start
	event     string         // name of the events; "llm.chunk" when empty
	uncounted bool           // the events do not say how many tokens a chunk brought
	told      bool           // they say whether they were of reasoning
	ahead     int64          // ns that the clock of the span is ahead
	dropped   int64
}

// answers are the tables of some requests. The span has all of the path.
func answers(list []spoken) *table.Set {
	set := table.NewSet()
	intern := set.Symbols.Intern
	for _, a := range list {
		row := set.Requests.Len()
		add(set, given{id: a.id, start: a.start, times: times(stage.GPU, int(a.length)), tokens: a.tokens, class: a.class})
		span := set.Spans.Grow()
		set.Requests.RootRow[row] = int32(span)
		set.Spans.TraceID[span], set.Spans.SpanID[span] = set.Requests.TraceID[row], set.Requests.RootSpanID[row]
		set.Spans.Start[span], set.Spans.End[span], set.Spans.Dropped[span] = a.start+a.ahead, a.start+a.length+a.ahead, a.dropped
		for i := range set.Segments.Len() {
			if set.Segments.RequestRow[i] == int32(row) {
				set.Segments.SpanRow[i] = int32(span)
			}
		}
		for _, c := range a.chunks {
			e := set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[e], set.SpanEvents.Time[e], set.SpanEvents.Name[e] = int32(span), a.start+a.ahead+c.AtNS, intern("llm.chunk")
			if a.event != "" {
				set.SpanEvents.Name[e] = intern(a.event)
			}
			if !a.uncounted {
				set.SpanEvents.Attributes.Add(intern("llm.chunk.tokens"), table.IntValue(c.Tokens))
			}
			if a.told {
				set.SpanEvents.Attributes.Add(intern("llm.chunk.reasoning"), table.BoolValue(c.Reasoning))
			}
		}
	}
	return set
}

// pieces are chunks by pairs of ms and tokens.
func pieces(pairs ...int64) (out []tokens.Chunk) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, tokens.Chunk{AtNS: pairs[i] * ms, Tokens: pairs[i+1]})
	}
	return out
}

// defineAll are the ids of all measures and gaps.
func defineAll() (ids []string) {
	for _, d := range requestDefinitions() {
		ids = append(ids, d.ID)
	}
	return ids
}

// measuresBy returns the measures of a summary by id.
func measuresBy(t failer, set *table.Set, ids ...string) map[string]Measure {
	t.Helper()
	m := measuresIn(set, ids...)
	if m == nil || len(m.Values) != len(ids) {
		t.Fatalf("measures %v are %+v", ids, m)
	}
	out := map[string]Measure{}
	for _, v := range m.Values {
		out[v.Definition.ID] = v
	}
	return out
}

func measuresIn(set *table.Set, ids ...string) *Measures {
	opt := Options{Define: ids, Replicates: 20}.filled().on(set)
	rows, population := population(set, opt)
	return measuresOf(set, rows, population.Sampling, opt)
}

func nearly(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5e-5*want {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// TestG1MeasuresOfARequest has one request: first token after 600 ms, gaps of 25, 27 and
// 24 ms.
func TestG1MeasuresOfARequest(t *testing.T) {
	set := answers([]spoken{{id: 1, start: 1000 * ms, length: 676 * ms, tokens: 4, chunks: pieces(600, 1, 625, 1, 652, 1, 676, 1)}})
	want := map[string]float64{
		"ttft": 600e6, "e2e": 676e6, "tpot": 25.3333e6, "itl": 25.3333e6, "tpot_to_end": 25.3333e6, "generation_rate": 39.4737,
		"tpot_guidellm": 19e6, "tpot_llmperf": 169e6, "output_rate": 5.9172, "icl": 25.3333e6,
	}
	var ids []string
	for id := range want {
		ids = append(ids, id)
	}
	for id, m := range measuresBy(t, set, ids...) {
		nearly(t, id, m.Mean.Value, want[id])
		if n := map[string]int64{OfGaps: 3, OfRequests: 1}[m.Of]; m.N != n || m.Mean.N != n || m.Requests != 1 {
			t.Errorf("%s is of %d %s of %d requests", id, m.N, m.Of, m.Requests)
		}
	}
}

// TestG5Weighting has a request of two tokens and one of 101: by request, and by gap. And
// one whose chunks bring several tokens.
func TestG5Weighting(t *testing.T) {
	long := spoken{id: 2, start: 2000 * ms, length: 3000 * ms, tokens: 101}
	for k := range int64(101) {
		long.chunks = append(long.chunks, pieces(500+20*k, 1)...)
	}
	set := answers([]spoken{{id: 1, start: 1000 * ms, length: 700 * ms, tokens: 2, chunks: pieces(500, 1, 600, 1)}, long})
	by := measuresBy(t, set, "tpot", "itl", "icl")
	nearly(t, "mean tpot", by["tpot"].Mean.Value, 60e6)
	nearly(t, "mean itl", by["itl"].Mean.Value, 20.7921e6)
	if by["itl"].N != 101 || by["tpot"].N != 2 {
		t.Errorf("%d gaps, %d requests", by["itl"].N, by["tpot"].N)
	}
	set = answers([]spoken{{id: 1, length: 800 * ms, tokens: 6, chunks: pieces(100, 0, 600, 1, 650, 3, 700, 2)}})
	by = measuresBy(t, set, "tpot", "itl", "icl", "any_chunk_gap", "ttft", "ttft_any_chunk", "tpot_bench")
	for id, want := range map[string]float64{"tpot": 20e6, "itl": 20e6, "icl": 50e6, "any_chunk_gap": 200e6, "ttft": 600e6, "ttft_any_chunk": 100e6, "tpot_bench": 120e6} {
		nearly(t, id, by[id].Mean.Value, want)
	}
	if by["itl"].N != 5 || by["icl"].N != 2 || by["any_chunk_gap"].N != 3 {
		t.Errorf("%d, %d and %d gaps", by["itl"].N, by["icl"].N, by["any_chunk_gap"].N)
	}
}

// TestG9GoodByName has objectives of measures by name: terms are joint, and a request of one
// token is not asked.
func TestG9GoodByName(t *testing.T) {
	one := func(id uint64, ttft, gap int64) spoken {
		return spoken{id: id, start: int64(id) * 1000 * ms, length: (ttft + 10*gap) * ms, tokens: 11, chunks: pieces(ttft, 1, ttft+10*gap, 10)}
	}
	list := []spoken{one(1, 500, 30), one(2, 900, 45), one(3, 1200, 20), one(4, 800, 60)}
	ask := func(list []spoken) Objective {
		o, err := filter.ParseObjective("90%(ttft_any_chunk <= 1s and tpot_bench <= 50ms)", ObjectiveMetrics())
		if err != nil {
			t.Fatal(err)
		}
		return CapacityOf(answers(list), Options{Replicates: 20}, CapacityOptions{Objectives: []filter.Objective{o}}).Objectives[0]
	}
	if o := ask(list); o.Good != 2 || o.Asked != 4 || o.Attainment.Value != .5 {
		t.Errorf("%d of %d are good: %+v", o.Good, o.Asked, o.Attainment)
	}
	list = append(list, spoken{id: 5, start: 5000 * ms, length: 600 * ms, tokens: 1, chunks: pieces(500, 1)})
	if o := ask(list); o.Good != 2 || o.Asked != 4 || unequal([]Undefined{{"tpot_bench: " + tokens.OneToken, 1}}, o.Undefined) != "" {
		t.Errorf("%d of %d are good, undefined %v", o.Good, o.Asked, o.Undefined)
	}
}

// TestG10InterTokenTimes has the series that Etalon's figures are made of.
func TestG10InterTokenTimes(t *testing.T) {
	set := answers([]spoken{{id: 1, length: 676 * ms, tokens: 4, chunks: pieces(600, 1, 625, 1, 652, 1, 676, 1)}})
	s := newMeasured(set).stream(0)
	if !s.counted {
		t.Fatal(s.why)
	}
	due := tokens.Schedule{FirstNS: 500 * ms, GapNS: 25 * ms}
	if missed, of := tokens.EtalonMisses(s.InterTokenTimes(), due); missed != 6 || of != 8 {
		t.Errorf("%d of %d are missed", missed, of)
	}
	if f := s.OnSchedule(tokens.Schedule{FirstNS: 700 * ms, GapNS: 25 * ms}); f.OnTime != 4 {
		t.Errorf("%+v", f)
	}
}

// TestWhatIsNotRecorded holds that nothing is put in place of instants that are not known.
func TestWhatIsNotRecorded(t *testing.T) {
	whole := pieces(100, 1, 200, 2)
	for _, c := range []struct {
		name string
		a    spoken
		want map[string]string // reason by id
	}{
		{"no events", spoken{length: 300 * ms, tokens: 3}, map[string]string{
			"tpot": tokens.NoFirst, "e2e_last_token": tokens.NoLast, "ttft_any_chunk": tokens.NoChunk, "output_rate": "", "itl": noInstants}},
		{"chunks without counts", spoken{length: 300 * ms, tokens: 3, chunks: whole, uncounted: true}, map[string]string{
			"tpot": tokens.NoFirst, "e2e_last_token": chunksUncounted, "ttft_any_chunk": "", "tpot_bench": chunksUncounted, "itl": chunksUncounted, "icl": chunksUncounted, "any_chunk_gap": ""}},
		{"chunks as many as tokens, without counts", spoken{length: 300 * ms, tokens: 2, chunks: whole, uncounted: true}, map[string]string{"itl": chunksUncounted}},
		{"tokens without counts", spoken{length: 300 * ms, tokens: 2, chunks: whole, uncounted: true, event: "token"}, map[string]string{"tpot": "", "itl": "", "ttft": "", "ttat": noReasoning}},
		{"fewer tokens than made", spoken{length: 300 * ms, tokens: 3, chunks: whole, uncounted: true, event: "token"}, map[string]string{"itl": chunksUncounted, "any_chunk_gap": ""}},
		{"chunks of a part", spoken{length: 300 * ms, tokens: 4, chunks: whole}, map[string]string{
			"e2e_last_token": chunksMissing, "ttft_any_chunk": chunksMissing, "itl": chunksMissing, "any_chunk_gap": chunksMissing}},
		{"dropped events", spoken{length: 300 * ms, chunks: whole, dropped: 1}, map[string]string{"itl": chunksMissing, "tpot": tokens.NoTokens}},
		{"dropped attributes", spoken{length: 300 * ms, tokens: 3, chunks: whole, dropped: 1}, map[string]string{"itl": "", "tpot": ""}},
		{"chunks after the end", spoken{length: 150 * ms, tokens: 3, chunks: whole}, map[string]string{"itl": chunksOutside, "e2e_last_token": chunksOutside}},
		{"one token", spoken{length: 300 * ms, tokens: 1, chunks: pieces(100, 1)}, map[string]string{"itl": tokens.OneToken, "icl": fewChunks, "tpot": tokens.OneToken, "tpot_zero": "", "tpot_guidellm": ""}},
		{"too many tokens", spoken{length: 300 * ms, chunks: pieces(100, chunk.Most, 200, chunk.Most)}, map[string]string{"itl": chunksMissing}},
		{"not ended", spoken{length: 300 * ms, tokens: 3, class: critical.Unfinished, chunks: pieces(100, 1, 900, 2)}, map[string]string{"tpot": "", "norm_latency": ""}},
		{"a clock that is ahead", spoken{length: 300 * ms, tokens: 3, chunks: whole, ahead: 900 * ms}, map[string]string{"tpot": "", "itl": ""}},
		{"reasoning", spoken{length: 300 * ms, tokens: 3, chunks: whole, told: true}, map[string]string{"ttat": ""}},
		{"other events", spoken{length: 300 * ms, tokens: 3, chunks: whole, event: "First Token Stream Event"}, map[string]string{"itl": noInstants}},
	} {
		c.a.id, c.a.start = 1, 5000*ms
		m := newMeasured(answers([]spoken{c.a}))
		for id, want := range c.want {
			got := ""
			if d, ok := tokens.Define(id); ok {
				got = m.value(d, 0).Undefined
			} else {
				_, got = m.gapsOf(id, 0)
			}
			if got != want {
				t.Errorf("%s: %s is undefined because %q, want %q", c.name, id, got, want)
			}
		}
	}
}

// TestDecodeTime holds that an engine's own time of decoding gives the last token where its
// own first token is the request's, and only there.
func TestDecodeTime(t *testing.T) {
	tables := func(decode int64, basis string) *measured {
		set := answers([]spoken{{id: 1, length: 1000 * ms, tokens: 5}})
		set.Spans.TTFT[0], set.Spans.Decode[0] = 200*ms, decode
		set.Requests.TTFT[0], set.Requests.FirstToken[0] = 200*ms, 200*ms
		set.Requests.FirstTokenBasis[0] = set.Symbols.Intern(basis)
		return newMeasured(set)
	}
	tpot, _ := tokens.Define("tpot")
	const engine = "vLLM's gen_ai.latency.time_to_first_token"
	if v := tables(600*ms, engine).value(tpot, 0); v != (tokens.Value{V: 150e6}) {
		t.Errorf("tpot is %+v", v)
	}
	if v := tables(900*ms, engine).value(tpot, 0); v.Undefined != decodeTooLong {
		t.Errorf("tpot is %+v", v)
	}
	if v := tables(600*ms, "the caller's gen_ai.response.time_to_first_chunk").value(tpot, 0); v.Undefined != tokens.NoLast {
		t.Errorf("tpot is %+v", v)
	}
}

// drawAnswers makes requests with answers of all kinds.
func drawAnswers(t *rapid.T) []spoken {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	list := make([]spoken, n)
	for i := range list {
		a := &list[i]
		a.id, a.start = uint64(i), int64(i)*rapid.Int64Range(1, 1000).Draw(t, "apart")*ms
		at := int64(0)
		for range rapid.IntRange(0, 6).Draw(t, "chunks") {
			at += rapid.Int64Range(0, 50).Draw(t, "gap") * ms / 7
			c := tokens.Chunk{AtNS: at, Tokens: rapid.Int64Range(0, 3).Draw(t, "tokens"), Reasoning: rapid.Bool().Draw(t, "reasoning")}
			a.chunks, a.tokens = append(a.chunks, c), a.tokens+c.Tokens
		}
		a.length = at + rapid.Int64Range(1, 50).Draw(t, "rest")*ms
		a.told = len(a.chunks) > 0
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			a.uncounted = true
		case 1:
			a.tokens++
		case 2:
			a.ahead = 40 * ms
		}
	}
	return list
}

// TestMeasuresAreThoseOfTheStream holds that a measure by name is the function of that name
// of the chunks, that every request is counted once, and that no order changes anything.
func TestMeasuresAreThoseOfTheStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawAnswers(t)
		set := answers(list)
		m := newMeasured(set)
		for row, a := range list {
			s := m.stream(int32(row))
			if !s.counted {
				continue
			}
			chunks := slices.Clone(a.chunks)
			for i := range chunks {
				chunks[i].AtNS += a.start
			}
			want := tokens.NewStream(a.start, a.start+a.length, chunks)
			for _, d := range tokens.Definitions() {
				got, want := m.value(d, int32(row)), d.Of(want.Times())
				if got.V != want.V || got.Defined() != want.Defined() {
					t.Fatalf("%s of %+v is %+v, want %+v", d.ID, a, got, want)
				}
			}
			if runs, why := m.gapsOf(gapsOfTokens, int32(row)); why == "" && len(runs) != len(want.Runs()) {
				t.Fatalf("%+v has gaps %v, want %v", a, runs, want.Runs())
			}
		}
		ids := defineAll()
		found := measuresIn(set, ids...)
		for _, v := range found.Values {
			n := v.Requests
			for _, u := range v.Undefined {
				n += u.N
			}
			if n != int64(len(list)) {
				t.Fatalf("%s counts %d of %d requests", v.Definition.ID, n, len(list))
			}
			if e := v.Mean; v.N > 0 && e.HasBounds && (e.Bounds.Low > e.Bounds.High || e.Value <= 0 && e.Bounds.Low < 0) {
				t.Fatalf("%s has mean %+v", v.Definition.ID, e)
			}
		}
		other := answers(rapid.Permutation(list).Draw(t, "order"))
		if d := unequal(found, measuresIn(other, ids...)); d != "" {
			t.Fatalf("the order of requests changes measures:\n%s", d)
		}
	})
}

// TestToEndIsTPOTOfReports holds that the figure that reports call tpot is tpot_to_end.
func TestToEndIsTPOTOfReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		m := newMeasured(set)
		for row := range int32(set.Requests.Len()) {
			ns, why := tpotOf(&set.Requests, row)
			if got, lacks := valueOfMeasure(m, "tpot_to_end", row); timedClass(set, row) && (got != ns || lacks != why) {
				t.Fatalf("row %d: %d %q, want %d %q", row, got, lacks, ns, why)
			}
		}
	})
}

// TestRulesByName has the five latencies whose P99 rules disagree about, many times over.
func TestRulesByName(t *testing.T) {
	var list []spoken
	for i, length := range []int64{100, 110, 120, 130, 2540} {
		list = append(list, spoken{id: uint64(i), start: int64(i) * 1000 * ms, length: length * ms})
	}
	found := measuresIn(answers(list), "linear_r7", "mlperf_floor", "nearest-rank", "linear_r7")
	if found.Values != nil || len(found.Rules) != 9 {
		t.Fatalf("%d rules: %+v", len(found.Rules), found.Rules)
	}
	for i, want := range map[int]float64{0: 120e6, 3: 120e6, 6: 120e6} {
		r := found.Rules[i]
		if r.Metric != durationName || !r.Named[0].Known || r.Named[0].Value != want || r.Named[0].N != 5 || r.Named[3].Known {
			t.Errorf("%s: %+v", r.Rule.ID, r.Named)
		}
	}
}

// TestMeanHasBoundsOrAReason holds that no mean stands alone.
func TestMeanHasBoundsOrAReason(t *testing.T) {
	var list []spoken
	for i := range 60 {
		gap := int64(20 + i%7)
		list = append(list, spoken{id: uint64(i), start: int64(i) * 1000 * ms, length: (100 + 3*gap) * ms, tokens: 4, chunks: pieces(100, 1, 100+gap, 1, 100+2*gap, 1, 100+3*gap, 1)})
	}
	for _, id := range []string{"tpot", "itl"} {
		e := measuresBy(t, answers(list), id)[id].Mean
		if !e.HasBounds || e.Bounds.Low >= e.Value || e.Bounds.High <= e.Value || e.Bounds.Low < 20e6 || e.Bounds.High > 26e6 {
			t.Errorf("%s has mean %+v", id, e)
		}
		e = measuresBy(t, answers(list[:9]), id)[id].Mean
		if e.HasBounds || len(e.Warnings) != 1 || e.Warnings[0].Text != meanTooFew {
			t.Errorf("%s of few has mean %+v", id, e)
		}
		set := answers(list)
		for row := range set.Requests.Clock {
			set.Requests.Clock[row] = table.ClockNone
		}
		e = measuresBy(t, set, id)[id].Mean
		if e.HasBounds || len(e.Warnings) != 1 || e.Warnings[0].Text != meanUndated {
			t.Errorf("%s without a clock has mean %+v", id, e)
		}
	}
}

// TestMeasuresAreFields holds that measures can be filtered and grouped by.
func TestMeasuresAreFields(t *testing.T) {
	set := answers([]spoken{{id: 1, length: 676 * ms, tokens: 4, chunks: pieces(600, 1, 625, 1, 652, 1, 676, 1)}, {id: 2, length: 10 * ms}})
	f := NewFields(set)
	for name, want := range map[string]float64{"tpot_guidellm": 19e6, "generation_rate": 3e9 / 76e6, "e2e_last_token": 676e6} {
		if v, ok := f.Number(0, name); !ok || math.Abs(v-want) > 1e-9*want {
			t.Errorf("%s is %g, %v", name, v, ok)
		}
		if text, ok := f.Text(1, name); ok {
			t.Errorf("%s without tokens is %q", name, text)
		}
		if slices.Contains(f.Names(), name) {
			t.Errorf("%s is taken unasked", name)
		}
	}
}

// TestDefinitionsAreOfOneMetricTogether holds what Definitions says of its order, and that
// ids are told apart.
func TestDefinitionsAreOfOneMetricTogether(t *testing.T) {
	seen, ids, last := map[string]bool{}, map[string]bool{}, ""
	for _, d := range Definitions() {
		if d.ID == "" || d.Metric == "" || d.Text == "" || ids[d.ID] {
			t.Errorf("%+v", d)
		}
		ids[d.ID] = true
		if d.Metric != last && (seen[d.Metric] || !d.Own) {
			t.Errorf("%s is apart from its metric, or before its own", d.ID)
		}
		seen[d.Metric], last = true, d.Metric
	}
	for _, d := range tokens.Definitions() {
		if !ids[d.ID] {
			t.Errorf("%s is not listed", d.ID)
		}
	}
}

// TestFirstTokenIsThatOfTheTable holds that ttft and tpot_to_end, and the stream that a report
// shows, have the first token of the requests table, though chunks of another span came later;
// what is counted between tokens is of the chunks alone.
func TestFirstTokenIsThatOfTheTable(t *testing.T) {
	set := answers([]spoken{{id: 1, start: 1000 * ms, length: 700 * ms, tokens: 4, chunks: pieces(100, 0, 600, 1, 640, 1, 660, 2)}})
	m := newMeasured(set)
	at := func(id string) float64 {
		d, _ := tokens.Define(id)
		v := m.value(d, 0)
		if !v.Defined() {
			t.Errorf("%s is undefined: %s", id, v.Undefined)
		}
		return v.V / 1e6
	}
	for _, told := range []bool{false, true} {
		want := map[string]float64{"ttft": 600, "tpot_to_end": 100. / 3, "tpot": 20, "ttft_any_chunk": 100}
		if told {
			set.Requests.TTFT[0], set.Requests.FirstToken[0] = 550*ms, 1550*ms
			want["ttft"], want["tpot_to_end"] = 550, 50
		}
		for id, ns := range want {
			nearly(t, id, at(id), ns)
		}
		if s := m.tokenStream(0); float64(s.FirstNS) != want["ttft"]*1e6 || len(s.AtNS) != 4 {
			t.Errorf("the stream has its first token after %d of %d pieces", s.FirstNS, len(s.AtNS))
		}
		if runs, why := m.gapsOf(gapsOfTokens, 0); why != "" || runs[0].ns != 40*ms {
			t.Errorf("gaps are %v, %q", runs, why)
		}
	}
}
