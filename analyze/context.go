package analyze

import (
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/ingest/table"
)

// contextOf returns the record that the figures of a set must be read with: that of System,
// for a fraction of the work. It is of every request with a start and an end, failed ones
// too, for each was there; Options.Where chooses among them.
func contextOf(set *table.Set, opt Options) serving.Context {
	c := sharedRequests(set, opt)
	sampled := sampling(set, c.counted())
	var about serving.Context
	c.about(&about, sampled, opt.GPUs)
	if c.refused(sampled) != "" {
		c.sizes(&about)
		return about
	}
	return c.complete(serving.ContextOf(c.Capture, serving.Options{Partial: c.partial(sampled)}), about, c.closed())
}

// complete returns what package serving tells of the capture, with what it does not know.
// closed says that the load came from a closed loop.
func (c *captured) complete(of, about serving.Context, closed bool) serving.Context {
	of.Vantage, of.Sampling, of.Model = about.Vantage, about.Sampling, about.Model
	of.Engine, of.EngineVersion, of.GPUType, of.GPUCount = about.Engine, about.EngineVersion, about.GPUType, about.GPUCount
	of.Replicas = c.served()
	c.measured(&of, closed)
	return of
}

// closed reports whether the load came from a closed loop.
func (c *captured) closed() bool {
	req := &c.set.Requests
	return len(closedLoop(gather(req.Start, c.rows), gather(req.End, c.rows))) > 0
}

// counted returns the rows of the requests that a context is of: also of those that have a
// duration alone, where no more than that is recorded.
func (c *captured) counted() []int32 {
	if c.timeless != nil {
		return c.timeless
	}
	return c.rows
}

// sizes fills in how many requests there are, and how long what they asked for and got was.
func (c *captured) sizes(x *serving.Context) {
	rows := c.counted()
	if len(rows) == 0 {
		return
	}
	x.N = serving.Is(int64(len(rows)))
	of := func(column []int64) (known []int64) {
		for _, row := range rows {
			if n := column[row]; n >= 0 { // what is missing is below 0
				known = append(known, n)
			}
		}
		return known
	}
	req := &c.set.Requests
	x.InputTokens, x.OutputTokens = serving.LengthsOf(of(req.PromptTokens)), serving.LengthsOf(of(req.OutputTokens))
}
