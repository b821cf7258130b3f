package analyze

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// The vantages: what the outermost span of a request is of.
const (
	vantageClient  = "client"  // who calls
	vantageGateway = "gateway" // a proxy in front of the engines
	vantageEngine  = "engine"  // the engine itself: nothing before it is seen
)

// kindClient is the kind of a span of who calls, as in table.KindNames.
const kindClient = 3

// about fills in the parts of a context that hold whatever the clocks and the sampling are.
// gpus is how many GPUs there were by who asks; 0 for unknown.
func (c *captured) about(x *serving.Context, s Sampling, gpus int64) {
	x.Vantage = c.vantage()
	if s.Kind != SamplingUnknown {
		x.Sampling = serving.Is(string(s.Kind))
	}
	x.Model = c.model()
	c.platform(x)
	if gpus > 0 {
		x.GPUCount = serving.Is(gpus)
	}
}

// model returns the model of all requests, unknown when they name several or one names none.
func (c *captured) model() serving.Maybe[string] {
	return alike(c.counted(), func(row int32) string { return c.set.Symbols.Text(c.set.Requests.Model[row]) })
}

// alike returns the text that all rows have in common, unknown when they differ or one has
// none.
func alike(rows []int32, of func(row int32) string) serving.Maybe[string] {
	var first string
	for i, row := range rows {
		text := of(row)
		if i == 0 {
			first = text
		}
		if text == "" || text != first {
			return serving.Maybe[string]{}
		}
	}
	return serving.Maybe[string]{Known: first != "", Value: first}
}

// vantage says where requests are seen from, by what their roots are: spans of an engine's
// own process, of a gateway by the rule that gave the root its stage, or else of kind
// client. A root of another service is none of these. Fragments whose root is missing are
// not asked while others are whole.
func (c *captured) vantage() serving.Maybe[string] {
	set := c.set
	text, spans := set.Symbols.Text, &set.Spans
	gateway := make([]bool, spans.Len())
	seg := &set.Segments
	rules := map[table.Sym]bool{} // whether a rule is of a gateway
	for i, row := range seg.SpanRow {
		if row < 0 || int(row) >= len(gateway) {
			continue
		}
		of, seen := rules[seg.Rule[i]]
		if !seen {
			of = strings.HasPrefix(text(seg.Rule[i]), "gateway.")
			rules[seg.Rule[i]] = of
		}
		if of || stage.Stage(seg.Stage[i]) == stage.Gateway {
			gateway[row] = true
		}
	}
	ofEngine := make([]bool, set.Scopes.Len())
	for i := range ofEngine {
		ofEngine[i] = slices.ContainsFunc(c.engines, func(e engine.Engine) bool {
			return e.Service == text(set.Scopes.Service[i]) && e.Host == text(set.Scopes.Host[i]) && e.Instance == text(set.Scopes.Instance[i])
		})
	}
	calls := c.callers()
	rows := slices.DeleteFunc(slices.Clone(c.rows), func(row int32) bool { return critical.Class(set.Requests.Class[row]) != critical.Complete })
	if len(rows) == 0 {
		rows = c.rows
	}
	return alike(rows, func(row int32) string {
		root := set.Requests.RootRow[row]
		if root < 0 || int(root) >= spans.Len() {
			return ""
		}
		scope := spans.ScopeRow[root]
		switch {
		case scope >= 0 && int(scope) < len(ofEngine) && ofEngine[scope]:
			return vantageEngine
		case gateway[root]:
			return vantageGateway
		case spans.Kind[root] == kindClient, calls(root):
			return vantageClient
		}
		return ""
	})
}

// measured fills in what takes the requests' times.
func (c *captured) measured(x *serving.Context, closed bool) {
	set := c.set
	with, tpot, _ := tpotRows(set, c.rows)
	var values []int64
	for _, row := range with {
		values = append(values, tpot[row])
	}
	_, x.TPOT.P95 = quantilesOf(values, stat.P50, stat.P95)
	gaps, chunks := c.gaps()
	x.ITL.P95, x.ITL.P99 = quantilesOf(gaps, stat.P95, stat.P99)
	var complete, failed int64
	for _, row := range c.rows {
		if critical.Class(set.Requests.Class[row]) == critical.Complete {
			complete++
			if set.Requests.Error[row] || set.Requests.Aborted[row] {
				failed++
			}
		}
	}
	if complete > 0 {
		x.FailureRate = serving.Is(float64(failed) / float64(complete))
	}
	x.CacheHit = c.cacheHit()
	if closed {
		x.LoadMode = serving.Is(serving.Closed) // nothing shows an open one
	}
	ids := slices.Clone(x.Definitions)
	for id, known := range map[string]bool{
		"e2e": x.E2E.P50.Known, "ttft": x.TTFT.P50.Known, "itl": x.ITL.P95.Known && !chunks, "icl": x.ITL.P95.Known && chunks,
		"tpot_to_end": x.TPOT.P95.Known, // the end of the request counts as that of its last token
	} {
		if known {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	x.Definitions = slices.Compact(ids)
}

// cacheHit returns the share of the prompts' tokens that were found in a cache, of the
// requests that were answered; unknown unless each of them tells both.
func (c *captured) cacheHit() (hit serving.Maybe[float64]) {
	set := c.set
	var cached, prompts stat.Sum
	for _, row := range c.rows {
		if set.Requests.Error[row] || set.Requests.Aborted[row] {
			continue
		}
		most, prompt := int64(-1), set.Requests.PromptTokens[row]
		for _, i := range c.pathOf(int(row)) {
			if span := set.Segments.SpanRow[i]; span >= 0 && int(span) < set.Spans.Len() {
				most = max(most, set.Spans.CachedTokens[span])
			}
		}
		if most < 0 || prompt < most {
			return serving.Maybe[float64]{}
		}
		cached.Add(most)
		prompts.Add(prompt)
	}
	if prompts.Sign() > 0 {
		hit = serving.Is(cached.Over(prompts))
	}
	return hit
}

// gaps returns the gaps between the tokens of all requests, pooled, ns. chunks says that they
// are not known to be between tokens.
func (c *captured) gaps() (list []int64, chunks bool) {
	chunks = newSpacing(c.set, c.opt.Engines).each(c.inside(c.rows), func(_ *engine.Stream, gaps []gapAt) {
		for _, g := range gaps {
			list = append(list, g.ns)
		}
	})
	return list, chunks
}

// inside says which rows of the requests table are among some.
func (c *captured) inside(rows []int32) []bool {
	in := make([]bool, c.set.Requests.Len())
	for _, row := range rows {
		in[row] = true
	}
	return in
}

// quantilesOf returns two percentiles of some values, each unknown when they are too few
// for it. It moves the values about.
func quantilesOf(values []int64, p, q stat.Prob) (low, high serving.Maybe[int64]) {
	of := func(p stat.Prob) serving.Maybe[int64] {
		if int64(len(values)) < stat.Minimum(p).OneSided {
			return serving.Maybe[int64]{}
		}
		return serving.Is(stat.SelectRank(values, p))
	}
	return of(p), of(q)
}
