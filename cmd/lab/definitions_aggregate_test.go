package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// benchRun is a run as a load generator has it in its records.
type benchRun struct {
	sent []int64 // ns
	all  []answered
}

// each returns a value of every answer of some tokens.
func (r *benchRun) each(least float64, of func(a *answered) float64) (out []float64) {
	for i := range r.all {
		if a := &r.all[i]; a.tokens() >= least {
			out = append(out, of(a))
		}
	}
	return out
}

// last returns the latest of some instants of the answers, from the first request sent on, ns.
func (r *benchRun) last(of func(a *answered) float64) (latest float64) {
	for i := range r.all {
		latest = max(latest, float64(r.sent[i]-slices.Min(r.sent))+of(&r.all[i]))
	}
	return latest
}

// total is the time of the run to the end of its last response, s, and toLastToken to the last
// token.
func (r *benchRun) total() float64 {
	return r.last(func(a *answered) float64 { return float64(a.end) }) / 1e9
}
func (r *benchRun) toLastToken() float64 { return r.last((*answered).last) / 1e9 }

// gaps returns the times between pieces from some piece on.
func (r *benchRun) gaps(of func(p piece) bool) (out []float64) {
	for i := range r.all {
		before := int64(-1)
		for _, p := range r.all[i].pieces {
			if !of(p) {
				continue
			}
			if before >= 0 {
				out = append(out, float64(p.at-before))
			}
			before = p.at
		}
	}
	return out
}

// good counts the answers for which something holds.
func (r *benchRun) good(of func(a *answered) bool) (n float64) {
	for i := range r.all {
		if of(&r.all[i]) {
			n++
		}
	}
	return n
}

// perToken are the gaps by token, as SGLang's script has them for its own endpoint.
func (r *benchRun) perToken() (out []float64) {
	for i := range r.all {
		before := r.all[i].first()
		for _, p := range r.all[i].pieces {
			for range p.tokens {
				if float64(p.at) > before {
					out = append(out, (float64(p.at)-before)/float64(p.tokens))
				}
			}
			before = max(before, float64(p.at))
		}
	}
	return out
}

// fullestSecond counts pieces by seconds from the first request on, each for as much as worth
// says.
func (r *benchRun) fullestSecond(worth func(p piece) float64) float64 {
	buckets := map[int64]float64{}
	for i := range r.all {
		for _, p := range r.all[i].pieces {
			buckets[int64(float64(r.sent[i]-slices.Min(r.sent)+p.at)/1e9)] += worth(p)
		}
	}
	most := 0.0
	for _, n := range buckets {
		most = max(most, n)
	}
	return most
}

// peak is the most requests at once, each from when it was sent to before something.
func (r *benchRun) peak(until func(a *answered) float64) (most float64) {
	for i := range r.all {
		now, open := float64(r.sent[i]), 0.0
		for k := range r.all {
			if from := float64(r.sent[k]); from <= now && now < from+until(&r.all[k]) {
				open++
			}
		}
		most = max(most, open)
	}
	return most
}

// etalon counts deadlines and those missed, as Etalon's code does.
func (r *benchRun) etalon(first, gap float64) (missed, deadlines float64) {
	for i := range r.all {
		slack, before := 0.0, 0.0
		for _, p := range r.all[i].pieces {
			if p.tokens == 0 {
				continue
			}
			took, allowed := float64(p.at)-before, gap
			isFirst := before == 0
			if isFirst {
				allowed = first
			}
			before = float64(p.at)
			if took-slack <= allowed {
				slack += allowed - took
				deadlines++
				continue
			}
			n := math.Floor((took - slack) / gap)
			if isFirst {
				n = math.Floor((took-first)/gap) + 1
			}
			missed, deadlines, slack = missed+n, deadlines+n, 0
		}
	}
	return missed, deadlines
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}

// numpyPercentile is numpy.percentile with its default rule.
func numpyPercentile(list []float64, percent float64) float64 {
	x := slices.Sorted(slices.Values(list))
	at := percent / 100 * float64(len(x)-1)
	low := int(math.Floor(at))
	if low+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[low] + (at-float64(low))*(x[low+1]-x[low])
}

// Limits of the objectives, ns.
const (
	limitTTFT = 400e6
	limitTPOT = 12e6
	limitE2E  = 1500e6
	dueFirst  = 400e6
	dueGap    = 11e6
)

// The same as objectives, by the names that the tools' own measures have here.
const (
	vllmLimits   = "90%(ttft_any_chunk <= 400ms and tpot_bench <= 12ms and e2e_last_token <= 1500ms)"
	aiperfLimits = "90%(ttft <= 400ms and itl_request_mean <= 12ms and e2e_last_token <= 1500ms)"
	etalonLimits = "90%(ttft <= 400ms and p99(itl) <= 11ms)"
)

// numpys is the percentile rule of numpy.
const numpys = "linear_r7"

// frameworkAggregates are figures of a whole run by tool, as the tool computes them from its
// records, and the definition that has them.
//
// Without a definition of their own are: standard deviations; vLLM's most output tokens in a
// second where a chunk is not one token, since it counts chunks, its most requests at once,
// which it follows to their last token, and its end of a request at a chunk that has choices and
// no text; GuideLLM's mean of tpot weighed by n, and its percentiles weighed by tokens; AIPerf's
// gap from the first to the second token and its rates per user; and Etalon's share of deadlines
// by request, of which the pooled one is here.
func frameworkAggregates(form answerForm) []aggregate {
	every := func(piece) bool { return true }
	text := func(p piece) bool { return p.tokens > 0 }
	end := func(a *answered) float64 { return float64(a.end) }
	bench := func(a *answered) float64 { return (a.last() - a.opened()) / (a.tokens() - 1) }
	strict := func(a *answered) float64 { return (a.last() - a.first()) / (a.tokens() - 1) }
	toEnd := func(a *answered) float64 { return (float64(a.end) - a.first()) / (a.tokens() - 1) }
	tokens := func(r *benchRun) (n float64) {
		for i := range r.all {
			n += r.all[i].tokens()
		}
		return n
	}
	count := func(r *benchRun) float64 { return float64(len(r.all)) }
	list := []aggregate{}
	// The mean, the median and a percentile of a list.
	add := func(tool, figure, id string, of func(r *benchRun) []float64) {
		list = append(list, aggregate{tool, "mean " + figure, id, "mean", "", func(r *benchRun) float64 { return mean(of(r)) }})
		for _, p := range []float64{50, 99} {
			stat := fmt.Sprintf("p%g", p)
			list = append(list, aggregate{tool, stat + " " + figure, id, stat, numpys, func(r *benchRun) float64 { return numpyPercentile(of(r), p) }})
		}
	}
	of := func(least float64, f func(a *answered) float64) func(r *benchRun) []float64 {
		return func(r *benchRun) []float64 { return r.each(least, f) }
	}
	add("vLLM bench", "ttft", "ttft_any_chunk", of(1, (*answered).opened))
	add("vLLM bench", "tpot", "tpot_bench", of(2, bench))
	add("vLLM bench", "itl", "any_chunk_gap", func(r *benchRun) []float64 { return r.gaps(every) })
	add("vLLM bench", "e2el", "e2e_last_token", of(1, (*answered).last))
	add("SGLang bench", "ttft", "ttft", of(1, (*answered).first))
	add("SGLang bench", "tpot", "tpot_to_end", of(2, toEnd))
	add("SGLang bench", "itl of OpenAI's endpoints", "icl", func(r *benchRun) []float64 { return r.gaps(text) })
	add("SGLang bench", "itl of its own endpoint", "itl", func(r *benchRun) []float64 { return r.perToken() })
	add("SGLang bench", "e2e_latency", "e2e", of(1, end))
	add("AIPerf", "inter_token_latency", "itl_request_mean", of(2, strict))
	add("AIPerf", "request_latency", "e2e_last_token", of(1, (*answered).last))
	add("AIPerf", "inter_chunk_latency", "icl", func(r *benchRun) []float64 { return r.gaps(text) })
	list = append(list,
		aggregate{"GuideLLM", "mean itl weighed by n - 1", "itl", "mean", "", func(r *benchRun) float64 {
			sum, n := 0.0, 0.0
			for i := range r.all {
				if a := &r.all[i]; a.tokens() > 1 {
					sum, n = sum+strict(a)*(a.tokens()-1), n+a.tokens()-1
				}
			}
			return sum / n
		}},
		aggregate{"LLMPerf", "p99 inter_token_latency_s", "tpot_llmperf", "p99", numpys, func(r *benchRun) float64 {
			return numpyPercentile(r.each(1, func(a *answered) float64 { return a.last() / a.tokens() }), 99)
		}},
		aggregate{"DistServe", "p90 tpot", "tpot_zero", "p90", numpys, func(r *benchRun) float64 {
			return numpyPercentile(r.each(1, func(a *answered) float64 {
				if a.tokens() < 2 {
					return 0
				}
				return strict(a)
			}), 90)
		}},
		aggregate{"MLPerf", "p99 tpot", "tpot", "p99", "mlperf_floor", func(r *benchRun) float64 {
			x := slices.Sorted(slices.Values(r.each(2, strict)))
			return x[int(float64(len(x))*.99)]
		}},

		aggregate{"vLLM bench", "request_throughput", "throughput_run", "", "", func(r *benchRun) float64 { return count(r) / r.total() }},
		aggregate{"vLLM bench", "output_throughput", "tokens_of_answered", "", "", func(r *benchRun) float64 { return tokens(r) / r.total() }},
		aggregate{"SGLang bench", "concurrency", "little_sum", "", "", func(r *benchRun) float64 { return mean(r.each(1, end)) * count(r) / 1e9 / r.total() }},
		aggregate{"AIPerf", "request_throughput", "throughput_answered", "", "", func(r *benchRun) float64 { return count(r) / r.toLastToken() }},
		aggregate{"own", "most tokens in a second", "peak_1s", "", "", func(r *benchRun) float64 {
			return r.fullestSecond(func(p piece) float64 { return float64(p.tokens) })
		}},
		aggregate{"own", "most requests at once, to their ends", "peak_in_flight", "", "", func(r *benchRun) float64 { return r.peak(end) }},
		aggregate{"vLLM bench", "goodput of ttft, tpot and e2el", "goodput_vllm", vllmLimits, "", func(r *benchRun) float64 {
			return r.good(func(a *answered) bool {
				return a.opened() <= limitTTFT && (a.tokens() < 2 || bench(a) <= limitTPOT) && a.last() <= limitE2E
			}) / r.total()
		}},
		aggregate{"Etalon", "deadlines kept, of all requests", "fluidity_etalon_code", etalonLimits, "", func(r *benchRun) float64 {
			missed, deadlines := r.etalon(dueFirst, dueGap)
			return 1 - missed/deadlines
		}},
		aggregate{"AIPerf", "goodput of ttft, inter_token_latency and request_latency", "goodput_aiperf", aiperfLimits, "", func(r *benchRun) float64 {
			return r.good(func(a *answered) bool {
				return a.first() <= limitTTFT && a.tokens() > 1 && strict(a) <= limitTPOT && a.last() <= limitE2E
			}) / r.toLastToken()
		}},
	)
	if form == single {
		list = append(list, aggregate{"vLLM bench", "max_output_tokens_per_s", "peak_1s", "", "", func(r *benchRun) float64 {
			return r.fullestSecond(func(piece) float64 { return 1 })
		}})
	}
	return list
}

// aggregate is a figure of a run.
type aggregate struct {
	tool, figure, id string
	stat             string // "mean" or a percentile of a measure; of a figure of the system the objective, or ""
	rule             string // of a percentile
	want             func(r *benchRun) float64
}

// aggregatesRun is a run whose traces tell what a load generator saw.
func aggregatesRun(t *testing.T, form answerForm) (*benchRun, analyze.Summary, analyze.Capacity) {
	t.Helper()
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	c, err := simulate.Run(sc, 1, simulate.Options{Server: simulate.VLLM, Requests: 340})
	if err != nil {
		t.Fatal(err)
	}
	r := &benchRun{all: seenAnswers(c, form)}
	for i := range c.Truth {
		r.sent = append(r.sent, c.Truth[i].StartNS)
	}
	withChunks(c, r.all)
	onlyChunksTell(c)
	set, engines := readRun(t, c)
	opt := analyze.Options{Engines: engines, Replicates: 20}
	for _, g := range frameworkAggregates(form) {
		opt.Define = append(opt.Define, g.id, g.rule)
	}
	var ask analyze.CapacityOptions
	for _, text := range []string{vllmLimits, aiperfLimits, etalonLimits} {
		o, err := filter.ParseObjective(text, analyze.ObjectiveMetrics())
		if err != nil {
			t.Fatal(err)
		}
		ask.Objectives = append(ask.Objectives, o)
	}
	return r, analyze.Summarize(set, opt), analyze.CapacityOf(set, opt, ask)
}

// figureOf returns what is said under the id of an aggregate.
func figureOf(g aggregate, s *analyze.Summary, c *analyze.Capacity) (float64, error) {
	for i := range c.Alternatives {
		if x := &c.Alternatives[i]; x.Definition.ID == g.id && x.Of == g.stat {
			if x.Undefined != "" || x.AtLeast {
				return 0, fmt.Errorf("it is %+v", x)
			}
			return x.Value, nil
		}
	}
	for i := range s.Measures.Values {
		m := &s.Measures.Values[i]
		switch {
		case m.Definition.ID != g.id:
			continue
		case g.stat == "mean":
			return m.Mean.Value, nil
		}
		for _, by := range m.ByRule {
			for _, q := range by.Named {
				if by.Rule.ID == g.rule && q.P.String() == g.stat && q.Known {
					return q.Value / m.Scale, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("there is none")
}

// TestFrameworkAggregates computes what load generators print of a whole simulated run, each by
// its own arithmetic from what it would have seen, and holds it against the figures of that name
// that are taken of the traces of the run: to 1e-9, or a percentile, which is of whole ns, to a
// ns.
func TestFrameworkAggregates(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work")
	}
	for name, form := range map[string]answerForm{"bundled": bundled, "single": single} {
		t.Run(name, func(t *testing.T) {
			r, s, c := aggregatesRun(t, form)
			for _, g := range frameworkAggregates(form) {
				want := g.want(r)
				got, err := figureOf(g, &s, &c)
				least := 0.0
				if g.rule != "" {
					least = 1
				}
				if err != nil || want <= 0 || math.Abs(got-want) > max(least, 1e-9*want) {
					t.Errorf("%s has %s at %.12g, and %s is %.12g: %v", g.tool, g.figure, want, g.id, got, err)
				}
			}
		})
	}
}
