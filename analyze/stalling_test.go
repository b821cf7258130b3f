package analyze

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// decoder is a request at an engine: it prefills from start to first, decodes to end, and
// loses its place in between; all in ms.
type decoder struct {
	id                uint64
	engine            string
	start, first, end int64
	lost, back        int64 // 0 for never; it prefills again for a tenth of that time
	tokens            []int64
	prompt, output    int64 // tokens; 0 for not recorded
	failed            bool
}

// decoding writes the tables of some requests, in order.
func decoding(list []decoder) (*table.Set, *engine.Timelines) {
	set := table.NewSet()
	in := set.Symbols.Intern
	scopes := map[string]int32{}
	for _, d := range list {
		scope, ok := scopes[d.engine]
		if !ok {
			scope = int32(set.Scopes.Grow())
			scopes[d.engine] = scope
			set.Scopes.Service[scope], set.Scopes.Host[scope] = in("vllm"), in(d.engine)
		}
		req, spans, seg := &set.Requests, &set.Spans, &set.Segments
		i, row := req.Grow(), spans.Grow()
		binary.BigEndian.PutUint64(req.TraceID[i][8:], d.id+1)
		binary.BigEndian.PutUint64(spans.SpanID[row][:], d.id+1)
		spans.TraceID[row], spans.ScopeRow[row], spans.Start[row], spans.End[row] = req.TraceID[i], scope, d.start*ms, d.end*ms
		req.RootRow[i], req.RootSpanID[i], req.Error[i] = int32(row), spans.SpanID[row], d.failed
		req.Start[i], req.End[i], req.Duration[i] = d.start*ms, d.end*ms, (d.end-d.start)*ms
		if d.prompt > 0 {
			req.PromptTokens[i] = d.prompt
		}
		if d.output > 0 {
			req.OutputTokens[i] = d.output
		}
		at := d.start
		piece := func(s stage.Stage, detail string, until int64) {
			if until <= at {
				return
			}
			k := seg.Grow()
			seg.RequestRow[k], seg.TraceID[k], seg.SpanRow[k] = int32(i), req.TraceID[i], int32(row)
			seg.Start[k], seg.End[k], seg.Duration[k] = at*ms, until*ms, (until-at)*ms
			seg.Stage[k], seg.Detail[k] = uint8(s), in(detail)
			req.Stage[s][i] += (until - at) * ms
			at = until
		}
		piece(stage.GPU, "prefill", d.first)
		if d.back > d.lost {
			piece(stage.GPU, "decode", d.lost)
			piece(stage.Queue, "preempted", d.back-(d.back-d.lost)/10)
			piece(stage.GPU, "prefill", d.back)
		}
		piece(stage.GPU, "decode", d.end)
		for _, at := range d.tokens {
			e := set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[e], set.SpanEvents.Time[e], set.SpanEvents.Name[e] = int32(row), at*ms, in("gen_ai.token")
		}
	}
	return set, engine.Build(set)
}

// even returns instants from one to another, a step apart.
func even(from, to, step int64) (out []int64) {
	for ; from <= to; from += step {
		out = append(out, from)
	}
	return out
}

// halted takes out the instants in (from, to) ms.
func halted(list []int64, from, to int64) (out []int64) {
	for _, at := range list {
		if at <= from || at >= to {
			out = append(out, at)
		}
	}
	return out
}

// toldOf analyses the stalls of all requests.
func toldOf(list []decoder) Stalling {
	set, engines := decoding(list)
	return Summarize(set, Options{Engines: engines, Replicates: 200}).Stalling
}

func partsMS(s Stalling) (out [engine.StallCauses]int64) {
	for c, p := range s.Parts {
		out[c] = p.NS.MeanRounded(1) / ms
	}
	return out
}

// TestPrefillInterference is golden G14: one stall of 175 ms of excess, of which a prefill
// on the same engine has all and one on another none.
func TestPrefillInterference(t *testing.T) {
	victim := decoder{id: 1, engine: "a", start: 900, first: 1000, end: 1325, tokens: []int64{1000, 1025, 1050, 1075, 1275, 1300, 1325}}
	other := decoder{id: 2, engine: "a", start: 1080, first: 1260, end: 1400}
	s := toldOf([]decoder{victim, other})
	if s.Requests != 1 || s.Gaps != 6 || s.Stalls != 1 || s.Hit != 1 || s.ExcessNS != stat.SumOf(175*ms) || s.DecodeNS != stat.SumOf(325*ms) || partsMS(s) != [...]int64{175, 0, 0, 0, 0} {
		t.Errorf("%+v", s)
	}
	if s.Quantiles[0].Known != true || s.Quantiles[0].Value != 25*ms || s.Quantiles[2].Known || s.Quantiles[2].Need != 299 {
		t.Errorf("%+v", s.Quantiles)
	}
	if e := s.Engines[0]; e.StallsOverlapped != 1 || e.Calm != 5 || e.CalmOverlapped != 0 || e.OverlappedNS != 200e6 || e.ClearNS != 25e6 {
		t.Errorf("%+v", e)
	}
	other.engine = "b"
	if s := toldOf([]decoder{victim, other}); partsMS(s) != [...]int64{0, 0, 0, 0, 175} || s.Engines[0].StallsOverlapped != 0 {
		t.Errorf("a prefill on another engine: %+v", s)
	}
}

// TestAssociation is golden G14's table: prefills overlap 8 of 10 stalls and 20 of 190 other
// gaps.
func TestAssociation(t *testing.T) {
	victim := decoder{engine: "a", start: 0, first: 100, tokens: []int64{100}, output: 201}
	list := []decoder{}
	at := int64(100)
	for i := range 200 {
		length := int64(25)
		stalls := i%20 == 10
		if stalls {
			length = 200
		}
		if stalls && i < 160 || !stalls && i%9 == 0 && i/9 < 21 {
			list = append(list, decoder{id: uint64(10 + i), engine: "a", start: at, first: at + length, end: at + length, prompt: 1000})
		}
		at += length
		victim.tokens = append(victim.tokens, at)
	}
	victim.end = at
	s := toldOf(append(list, victim))
	e := s.Engines[0]
	if want := (engine.Association{Stalls: 10, StallsOverlapped: 8, Calm: 190, CalmOverlapped: 20}); e.Association != want {
		t.Fatalf("%+v", e.Association)
	}
	if math.Abs(e.Lift()-7.6) > 1e-12 || e.OddsRatio() != 34 || math.Abs(e.Fisher.P/2.089e-6-1) > 1e-3 || math.Abs(e.Fisher.P/e.P()-1) > 1e-9 {
		t.Errorf("lift %v, odds %v, p %v", e.Lift(), e.OddsRatio(), e.Fisher.P)
	}
	// A thousand tokens cost 175 ms in 8 gaps, and nothing in 20.
	if e.Dose.N != 28 || math.Abs(e.Dose.Value-8*175e6/28) > 1 || !e.Dose.HasBounds || e.Dose.Bounds.Low > e.Dose.Value || e.Dose.Bounds.High < e.Dose.Value {
		t.Errorf("dose %+v", e.Dose)
	}
	if s.Verdict.Kind != KindTooFew || s.Verdict.Need != 20 || s.Chunked != 0 {
		t.Errorf("%+v", s.Verdict)
	}
}

// crowd is n decoders at an engine, of a token every 20 ms for two seconds, one after every
// ten seconds for each round; change gets what is planted.
func crowd(rounds, n int, change func(round, k int, d *decoder) []decoder) (out []decoder) {
	for r := range rounds {
		base := int64(r) * 10_000
		for k := range n {
			d := decoder{id: uint64(r*100 + k), engine: "a", start: base, first: base + 100, end: base + 2100, output: 101}
			d.tokens = even(base+100, base+2100, 20)
			more := change(r, k, &d)
			out = append(append(out, d), more...)
		}
	}
	return out
}

// TestCausesOfStalls plants each cause.
func TestCausesOfStalls(t *testing.T) {
	prefill := func(r int, from, to int64) decoder {
		base := int64(r) * 10_000
		return decoder{id: uint64(r*100 + 99), engine: "a", start: base + from, first: base + to, end: base + to + 10, prompt: 4000}
	}
	for name, c := range map[string]struct {
		rounds, n int
		change    func(r, k int, d *decoder) []decoder
		kind      Kind
		cause     engine.StallCause
		caveat    string
	}{
		"prefill": {30, 3, func(r, k int, d *decoder) (more []decoder) {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			if k == 0 {
				more = []decoder{prefill(r, 500, 900)}
			}
			return more
		}, KindDominates, engine.StallPrefill, ""},
		"prefill, few groups": {7, 3, func(r, k int, d *decoder) (more []decoder) {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			if k == 0 {
				more = []decoder{prefill(r, 500, 900)}
			}
			return more
		}, KindLeads, engine.StallPrefill, FewIncidents},
		"preempted": {30, 3, func(r, k int, d *decoder) []decoder {
			if k == 0 {
				d.lost, d.back = d.start+500, d.start+900
				d.tokens = halted(d.tokens, d.lost, d.back)
			}
			return nil
		}, KindDominates, engine.StallPreempted, ""},
		"engine": {30, 3, func(r, k int, d *decoder) []decoder {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			return nil
		}, KindDominates, engine.StallEngine, ""},
		"alone": {30, 3, func(r, k int, d *decoder) []decoder {
			if k == 0 {
				d.tokens = halted(d.tokens, d.start+500, d.start+900)
			}
			return nil
		}, KindDominates, engine.StallAlone, ""},
		"nobody beside": {30, 1, func(r, k int, d *decoder) []decoder {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			return nil
		}, KindUnattributed, engine.StallPrefill, ""},
		"some of them": {30, 4, func(r, k int, d *decoder) []decoder {
			if k < 2 {
				d.tokens = halted(d.tokens, d.start+500, d.start+900)
			}
			return nil
		}, KindUnattributed, engine.StallPrefill, ""},
		"two causes": {30, 3, func(r, k int, d *decoder) (more []decoder) {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			if k == 0 && r%2 == 0 {
				more = []decoder{prefill(r, 500, 900)}
			}
			return more
		}, KindMixed, engine.StallPrefill, ""},
		"hardly any": {30, 3, func(r, k int, d *decoder) []decoder {
			if r < 5 && k == 0 {
				d.tokens = halted(d.tokens, d.start+500, d.start+900)
			}
			return nil
		}, KindNone, engine.StallAlone, ""},
		"few stalls": {30, 1, func(r, k int, d *decoder) []decoder {
			if r < 5 {
				d.tokens = halted(d.tokens, d.start+500, d.start+900)
			}
			return nil
		}, KindTooFew, engine.StallPrefill, ""},
		"few requests": {5, 3, func(r, k int, d *decoder) []decoder {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			return nil
		}, KindTooFew, engine.StallEngine, ""},
		"chunks": {30, 3, func(r, k int, d *decoder) []decoder {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
			d.output = 400
			return nil
		}, KindDominates, engine.StallEngine, Chunks},
	} {
		v := toldOf(crowd(c.rounds, c.n, c.change)).Verdict
		if v.Kind != c.kind || v.Cause != c.cause && v.Kind != KindUnattributed && v.Kind != KindTooFew {
			t.Errorf("%s: %+v", name, v)
		}
		if has := slices.ContainsFunc(v.Caveats, func(w stat.Warning) bool { return w.ID == c.caveat }); c.caveat != "" && !has {
			t.Errorf("%s: caveats %+v", name, v.Caveats)
		}
		if v.Kind == KindTooFew != (v.Need > 0) || v.Kind == KindLeads != (v.Needs != "") || v.Reason == "" {
			t.Errorf("%s: %+v", name, v)
		}
		if v.Kind == KindDominates && (!v.Predicts || !v.Interval.HasBounds || v.Interval.Bounds.Low <= .5) || v.Kind == KindLeads && v.Predicts {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestChanceIsNoCause: prefills fill most of the time, and stalls come whether or not there
// is one. Gap by gap they go together, since a long gap is easily overlapped by half; with
// the prefills shifted they do not.
func TestChanceIsNoCause(t *testing.T) {
	random := uint64(7)
	next := func(below uint64) int64 {
		random = random*6364136223846793005 + 1442695040888963407
		return int64((random >> 33) % below)
	}
	list := crowd(60, 4, func(r, k int, d *decoder) []decoder {
		if k == 0 {
			from := d.start + 100 + 20*next(60)
			d.tokens = halted(d.tokens, from, from+600)
		}
		return nil
	})
	for at, id := int64(0), uint64(100_000); at < 600_000; id++ {
		length := 50 + next(200)
		list = append(list, decoder{id: id, engine: "a", start: at, first: at + length, end: at + length + 5, prompt: 10 * length})
		at += length + next(100)
	}
	s := toldOf(list)
	if e := s.Engines[0]; e.Chance < .05 || e.Lift() <= 1 || e.Fisher.P > .001 {
		t.Errorf("%+v, lift %v", e, e.Lift())
	}
	if s.Verdict.Kind != KindUnclear || s.Verdict.Cause != engine.StallPrefill || !strings.Contains(s.Verdict.Reason, "chance") {
		t.Errorf("%+v", s.Verdict)
	}
}

func TestStallsWithoutEngines(t *testing.T) {
	set, _ := decoding(crowd(30, 2, func(int, int, *decoder) []decoder { return nil }))
	s := Summarize(set, Options{}).Stalling
	if s.Requests != 0 || s.Verdict.Kind != KindTooFew || s.Undefined[0] != (Undefined{noInstants, 60}) {
		t.Errorf("%+v", s)
	}
	set.SpanEvents = table.SpanEvents{}
	if s := Summarize(set, Options{Engines: engine.Build(set)}).Stalling; s.Requests != 0 || s.Verdict.Need != 20 || s.Engines != nil {
		t.Errorf("%+v", s)
	}
}

// drawDecoders makes requests at two engines that prefill, decode and lose their place as it
// happens.
func drawDecoders(t *rapid.T) (out []decoder) {
	for i := range rapid.IntRange(1, 14).Draw(t, "requests") {
		d := decoder{id: uint64(i), engine: rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "engine"), start: rapid.Int64Range(0, 2000).Draw(t, "start")}
		d.first = d.start + rapid.Int64Range(1, 600).Draw(t, "prefill")
		d.end = d.first
		for range rapid.IntRange(0, 20).Draw(t, "tokens") {
			d.end += rapid.OneOf(rapid.Int64Range(1, 30), rapid.Int64Range(20, 500)).Draw(t, "gap")
			d.tokens = append(d.tokens, d.end)
		}
		d.end++
		if rapid.Bool().Draw(t, "preempted") && d.end > d.first+3 {
			d.lost = rapid.Int64Range(d.first+1, d.end-2).Draw(t, "lost")
			d.back = rapid.Int64Range(d.lost, d.end-1).Draw(t, "back")
		}
		d.prompt = rapid.SampledFrom([]int64{0, 50, 3000}).Draw(t, "prompt")
		d.failed = rapid.IntRange(0, 9).Draw(t, "failed") == 0
		out = append(out, d)
	}
	return out
}

// TestStallsAddUp: the parts add up to the excess, gap by gap and in all; every request is
// judged or counted; and no order changes anything.
func TestStallsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawDecoders(t)
		set, engines := decoding(list)
		engines.Streams(func(s *engine.Stream) {
			var last int64
			for i, g := range s.Gaps {
				excess := int64(0)
				if g.Stalled {
					excess = g.End - g.Start - s.MedianNS
				}
				if g.ExcessNS() != excess || slices.Min(g.PartsNS[:]) < 0 || g.OverlapNS > g.End-g.Start || i > 0 && g.Start != last {
					t.Fatalf("gap %+v of median %d", g, s.MedianNS)
				}
				last = g.End
			}
		})
		sum := Summarize(set, Options{Engines: engines, Replicates: 50})
		s := sum.Stalling
		var parts, perEngine stat.Sum
		for _, p := range s.Parts {
			parts = parts.Plus(p.NS)
		}
		n, gaps := s.Requests, int64(0)
		for _, u := range s.Undefined {
			n += u.N
		}
		for _, e := range s.Engines {
			perEngine, gaps = perEngine.Plus(e.ExcessNS), gaps+e.Gaps
			if e.Stalls+e.Calm != e.Gaps {
				t.Fatalf("%+v", e)
			}
		}
		if parts != s.ExcessNS || perEngine != parts || gaps != s.Gaps || n != sum.Population.N || s.Hit > s.Requests || s.Groups > s.Stalls {
			t.Fatalf("%+v", s)
		}
		other, otherEngines := decoding(rapid.Permutation(list).Draw(t, "order"))
		again := Summarize(other, Options{Engines: otherEngines, Replicates: 50, Workers: 3}).Stalling
		if a, b := fmt.Sprintf("%+v", s), fmt.Sprintf("%+v", again); a != b {
			t.Fatalf("another order:\n%s\n%s", a, b)
		}
	})
}

// TestOthersDoNotCount: what prefills at another engine changes nothing, and a request that
// is left out is still there beside the others.
func TestOthersDoNotCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawDecoders(t)
		start := rapid.Int64Range(0, 3000).Draw(t, "start")
		more := append(slices.Clone(list), decoder{id: 999, engine: "z", start: start, first: start + 2000, end: start + 2001})
		a, b := toldOf(list), toldOf(more)
		a.Undefined, b.Undefined = nil, nil
		if a, b := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b); a != b {
			t.Fatalf("with another engine:\n%s\n%s", a, b)
		}
		failed := slices.Clone(list)
		for i := range failed {
			failed[i].failed = false
		}
		set, engines := decoding(failed)
		rows := []int32{0}
		one := stalling(set, rows, engines, Options{Replicates: 50}.filled())
		var want [engine.StallCauses]int64
		engines.Streams(func(s *engine.Stream) {
			for _, g := range s.Gaps {
				for c, ns := range g.PartsNS {
					if s.Request == 0 {
						want[c] += ns
					}
				}
			}
		})
		for c, p := range one.Parts {
			if p.NS != stat.SumOf(want[c]) {
				t.Fatalf("one request: %+v, not %v", one.Parts, want)
			}
		}
	})
}

// TestWoodruffCovers: the interval of the 95th percentile holds the true one in about 95 % of
// captures in which gaps of one time are alike.
func TestWoodruffCovers(t *testing.T) {
	random := uint64(3)
	next := func() float64 {
		random = random*6364136223846793005 + 1442695040888963407
		return float64(random>>11) / (1 << 53)
	}
	// Every stream has a level of its own, uniform from 1 to 2, and gaps of an exponential law
	// times it. The true percentile solves the mean of exp(-q/u) over u = 5 %.
	low, high := 0.0, 20.0
	for range 60 {
		q, mean := (low+high)/2, 0.0
		for i := range 1000 {
			mean += math.Exp(-q/(1+(float64(i)+.5)/1000)) / 1000
		}
		if mean > .05 {
			low = q
		} else {
			high = q
		}
	}
	truth := int64(low * 1e6)
	held, trials := 0, 400
	for range trials {
		p := pool{}
		for i := range 60 {
			level, at := 1+next(), int64(i)*1000*ms
			p.starts = append(p.starts, at)
			for range 40 {
				ns := int64(-math.Log(1-next()) * level * 1e6)
				p.gaps = append(p.gaps, gapAt{ns, at})
				at += ns
			}
		}
		var s Stalling
		p.quantiles(&s, commonClock, Options{Replicates: 200}.filled())
		if q := s.Quantiles[1]; q.HasLow && q.Low <= truth && (!q.HasHigh || truth <= q.High) {
			held++
		}
	}
	if share := float64(held) / float64(trials); share < .90 || share > .985 {
		t.Errorf("%d of %d intervals hold the percentile", held, trials)
	}
}
