package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
)

// gapsAt returns the gaps between tokens with the instants at which they end, on the clock of
// the requests, and by what name: an instant may be of several tokens.
func (c *captured) gapsAt() (out []tradeValue, metric string) {
	coarse := newSpacing(c.set, c.opt.Engines).each(c.inside(c.rows), func(s *engine.Stream, gaps []gapAt) {
		path := c.pathOf(int(s.Request))
		if len(path) == 0 {
			return
		}
		// From the engine's clock to that of the path.
		by := -c.opt.Engines.Local(s.Engine, path[0], 0)
		for _, g := range gaps {
			out = append(out, tradeValue{g.start + g.ns + by, g.ns})
		}
	})
	switch {
	case len(out) == 0:
		return nil, metricITL
	case coarse:
		return out, metricICL
	}
	return out, metricITL
}

// tpotAt returns the time per token of the requests that tell it, with their ends.
func (c *captured) tpotAt() (out []tradeValue) {
	with, tpot, _ := tpotRows(c.set, c.rows)
	for _, row := range with {
		// The last ns of a request: one that ends as a window does is of that window.
		out = append(out, tradeValue{max(c.set.Requests.Start[row], c.set.Requests.End[row]-1), tpot[row]})
	}
	return out
}

// prefillIn returns the prompt tokens that were prefilled in each window, less those that are
// known to have been found in a cache, and how they are put there; or why they are unknown.
func (c *captured) prefillIn(in *tradeInput) (tokens []float64, how, why string) {
	req, seg := &c.set.Requests, &c.set.Segments
	var asked, told, spread int64
	prompts := make([]float64, len(c.rows))
	prefills := make([][]stayAt, len(c.rows))
	for k, row := range c.rows {
		if req.TTFT[row] < 0 {
			continue
		}
		asked++
		if req.PromptTokens[row] < 0 {
			continue
		}
		told++
		cached := int64(0)
		for _, i := range c.pathOf(int(row)) {
			if span := seg.SpanRow[i]; span >= 0 && int(span) < c.set.Spans.Len() {
				cached = max(cached, c.set.Spans.CachedTokens[span])
			}
			if stage.Stage(seg.Stage[i]) == stage.GPU && critical.Target(seg.Target[i]) == critical.End && c.set.Symbols.Text(seg.Detail[i]) == "prefill" && seg.End[i] > seg.Start[i] {
				prefills[k] = append(prefills[k], stayAt{seg.Start[i], seg.End[i]})
			}
		}
		prompts[k] = float64(max(0, req.PromptTokens[row]-cached))
		if prefills[k] != nil {
			spread++
		}
	}
	switch {
	case told == 0:
		return nil, "", "no request tells the length of its prompt"
	case float64(told) < leastPrompted*float64(asked):
		return nil, "", fmt.Sprintf("%d of %d requests tell the length of their prompts", told, asked)
	}
	how = prefillAtTokens
	if spread == told {
		how = prefillSpread
	}
	tokens = make([]float64, in.windows())
	for k, row := range c.rows {
		switch {
		case prompts[k] == 0:
		case how == prefillSpread:
			in.spread(tokens, prefills[k], prompts[k])
		default:
			at := req.Start[row] + req.TTFT[row]
			in.spread(tokens, []stayAt{{at, at + 1}}, prompts[k])
		}
	}
	return tokens, how, ""
}

// spread adds an amount to windows, evenly over some times.
func (in *tradeInput) spread(into []float64, over []stayAt, amount float64) {
	var all int64
	for _, s := range over {
		all += s.to - s.from
	}
	end := in.fromNS + int64(len(into))*in.windowNS
	for _, s := range over {
		for from, to := max(s.from, in.fromNS), min(s.to, end); from < to; {
			w := (from - in.fromNS) / in.windowNS
			until := min(to, in.fromNS+(w+1)*in.windowNS)
			into[w] += amount * float64(until-from) / float64(all)
			from = until
		}
	}
}
