package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// mayMiss is the share of the requests, and of their time, that may be missing before what is
// there no longer stands for the system.
const mayMiss = 0.01

// missed is requests that are missing, with the request-ns that are known of them.
type missed struct {
	n  int64
	ns stat.Sum
}

// partial names what the system did that the capture does not have, as serving.Options.Partial
// wants it. What a filter leaves out, a sampler and an engine whose requests are partly missing always count;
// single requests do from mayMiss on.
func (c *captured) partial(s Sampling) (out []string) {
	if c.opt.kept.filters() {
		out = append(out, "the requests that the filter leaves out")
	}
	if s.Biased() || s.Kind == SamplingUniform {
		out = append(out, "the requests whose traces were not kept")
	}
	var all stat.Sum
	for _, row := range c.rows {
		all.Add(c.lengthOf(row))
	}
	elsewhere, short := c.leftOut()
	torn, placeless := c.unknownPlaces()
	for _, m := range []struct {
		missed
		which string
	}{
		{c.opt.kept.carried, "in flight when the time began"},
		{c.opt.kept.undated, "without a date"},
		{elsewhere, "on other clocks"},
		{short, "shorter than the resolution of their record"},
		{torn, "of which the parts do not add up"},
		{placeless, "at no known engine"},
	} {
		if float64(m.n) > mayMiss*float64(int64(len(c.rows))+m.n) || m.ns.Over(all) > mayMiss {
			out = append(out, fmt.Sprintf("%s %s", plural(m.n, "request"), m.which))
		}
	}
	if n := c.partialEngines(); n > 0 {
		out = append(out, fmt.Sprintf("some requests of %d of %d engines", n, len(c.engines)))
	}
	return out
}

func (c *captured) lengthOf(row int32) int64 {
	return c.set.Requests.End[row] - c.set.Requests.Start[row]
}

// leftOut returns the requests that the filter keeps and that are in no figure: those of other
// clocks, and those that a coarse record shows without any length.
func (c *captured) leftOut() (elsewhere, short missed) {
	req := &c.set.Requests
	for i := range req.Len() {
		switch {
		case c.index[i] >= 0:
		case c.ended(i):
			elsewhere.n++
			elsewhere.ns.Add(c.lengthOf(int32(i)))
		case critical.Class(req.Class[i]) == critical.Broken && req.Start[i] != table.Missing && req.Start[i] == req.End[i] && c.opt.kept.holds(i):
			short.n++
		}
	}
	return elsewhere, short
}

// unrecordedStays are the details of stays at a server that told nothing of the request.
var unrecordedStays = []string{"upstream", "upstream not recorded", "engine times missing"}

// unknownPlaces returns the requests whose parts are not known, and, where engines are, those
// that none of them is known to have served: all that were answered, and failed ones that were
// with a server which told nothing. Others may have got to no engine at all.
func (c *captured) unknownPlaces() (torn, placeless missed) {
	req := &c.set.Requests
	unrecorded := map[table.Sym]bool{}
	for _, text := range unrecordedStays {
		if sym, ok := c.set.Symbols.Lookup(text); ok {
			unrecorded[sym] = true
		}
	}
	for _, row := range c.rows {
		switch {
		case !c.tiled(row):
			torn.n++
			torn.ns.Add(c.lengthOf(row))
		case len(c.engines) == 0 || c.Requests[c.index[row]].Engine >= 0:
		case !req.Error[row] && !req.Aborted[row] || c.stayed(row, unrecorded):
			placeless.n++
			placeless.ns.Add(c.lengthOf(row))
		}
	}
	return torn, placeless
}

// stayed reports whether a path has an unattributed part with one of some details.
func (c *captured) stayed(row int32, details map[table.Sym]bool) bool {
	seg := &c.set.Segments
	for _, i := range c.pathOf(int(row)) {
		if details[seg.Detail[i]] && stage.Stage(seg.Stage[i]) == stage.Unattributed {
			return true
		}
	}
	return false
}

// partialEngines returns how many engines have requests that are not known.
func (c *captured) partialEngines() (n int) {
	for _, e := range c.engines {
		if e.Partial {
			n++
		}
	}
	return n
}

// stamped returns how coarsely starts are stamped, ns: the most that the record of any request
// says, or the step on which all of very many lie, whatever their records claim.
func (c *captured) stamped() (ns int64) {
	var starts []int64
	for row, at := range c.index {
		if at >= 0 {
			ns = max(ns, c.set.Requests.Resolution[row])
			starts = append(starts, c.Requests[at].StartNS)
		}
	}
	if len(starts) >= stepInstants {
		ns = max(ns, stepOf(starts))
	}
	return ns
}
