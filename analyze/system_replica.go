package analyze

import (
	"math"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
)

// worked is what one answered request had of the device of the engine that did the most for it.
type worked struct {
	engine         int
	from, to       int64 // when that was, from first to last
	decode, device int64 // ns
	output         int64 // output tokens; below 0 when not told
	prompt         int64 // prompt tokens that were in no cache; below 0 when not told
}

// worked returns what every request that was answered at its first attempt had of a device.
// Others may have been cut short, or had a part of their work done elsewhere.
func (c *captured) worked() (out []worked) {
	req, seg := &c.set.Requests, &c.set.Segments
	for _, row := range c.rows {
		w := worked{engine: c.Requests[c.index[row]].Engine, from: math.MaxInt64, to: math.MinInt64, output: req.OutputTokens[row], prompt: req.PromptTokens[row]}
		if w.engine < 0 || req.Error[row] || req.Aborted[row] || req.Attempts[row] > 1 || critical.Class(req.Class[row]) != critical.Complete {
			continue
		}
		cached := int64(0)
		for _, i := range c.pathOf(int(row)) {
			if span := seg.SpanRow[i]; span >= 0 && int(span) < c.set.Spans.Len() {
				cached = max(cached, c.set.Spans.CachedTokens[span])
			}
			if stage.Stage(seg.Stage[i]) != stage.GPU || c.engineOf(i) != w.engine {
				continue
			}
			w.from, w.to = min(w.from, seg.Start[i]), max(w.to, seg.End[i])
			w.device += seg.Duration[i]
			if c.set.Symbols.Text(seg.Detail[i]) == "decode" {
				w.decode += seg.Duration[i]
			}
		}
		if w.prompt >= cached {
			w.prompt -= cached
		}
		if w.device > 0 {
			out = append(out, w)
		}
	}
	return out
}

// stints says how long devices took for the same work: for an output token while decoding, if
// every engine tells that, or else for an output token in all, or else for a request.
func (c *captured) stints() {
	list := c.worked()
	decodes, counts := c.everywhere(list, worked.decodes), c.everywhere(list, func(w worked) bool { return w.output > 0 })
	switch {
	case decodes:
		c.StintsOf = "device, decoding a token"
	case counts:
		c.StintsOf = "device, for each output token"
	default:
		c.StintsOf = "device, for a request"
	}
	for _, w := range list {
		s := serving.Stint{Engine: w.engine, FromNS: w.from, ToNS: w.to, NS: w.device, Per: 1, Prompt: serving.Unknown, Output: serving.Unknown}
		if w.prompt >= 0 && w.output >= 0 {
			s.Prompt, s.Output = w.prompt, w.output
		}
		switch {
		case decodes && !w.decodes(), counts && w.output <= 0:
			continue
		case decodes:
			s.NS, s.Per = w.decode, w.output-1 // the first token came of the prompt
		case counts:
			s.Per = w.output
		}
		c.Stints = append(c.Stints, s)
	}
}

func (w worked) decodes() bool { return w.decode > 0 && w.output > 1 }

// everywhere reports whether something holds of a request at every engine that served one.
func (c *captured) everywhere(list []worked, holds func(worked) bool) bool {
	served, yes := make([]bool, len(c.engines)), make([]bool, len(c.engines))
	for _, w := range list {
		served[w.engine] = true
		yes[w.engine] = yes[w.engine] || holds(w)
	}
	for e := range served {
		if served[e] && !yes[e] {
			return false
		}
	}
	return len(list) > 0
}
