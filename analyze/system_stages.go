package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// The groups of windows that a StageLoad compares.
const (
	neither = iota
	quiet
	crowded
	groups
)

// stageLoads returns how many requests were in each stage at a time, by Little's law over
// all of the capture, and counted over the time of the quiet and of the busy windows. Those
// are quarters of the whole windows by how much was in flight, the earlier first among
// equals: windows that the ends of the capture cut, or that lie at them, are in neither.
func (c *captured) stageLoads(r *serving.Result) (out []StageLoad) {
	if len(c.rows) == 0 || r.ToNS <= r.FromNS {
		return nil
	}
	group, length, n := quarters(r.Windows)
	sums := c.inGroups(r, group)
	seconds := float64(r.ToNS-r.FromNS) / 1e9
	for _, k := range stage.All() {
		var sum stat.Sum
		for _, row := range c.rows {
			sum.Add(c.inStage(row, k))
		}
		if sum.Sign() <= 0 {
			continue
		}
		mean := sum.Float() / float64(len(c.rows))
		load := StageLoad{Stage: k.String(), MeanNS: mean, InFlight: little.InStage(float64(len(c.rows))/seconds, mean), Windows: n}
		if n > 0 {
			load.Quiet, load.Busy = sums[quiet][k].Over(length[quiet]), sums[crowded][k].Over(length[crowded])
		}
		out = append(out, load)
	}
	return out
}

// inStage returns the time of a request in a stage, ns. Where its parts do not add up to it,
// all of it is unattributed.
func (c *captured) inStage(row int32, k stage.Stage) int64 {
	req := &c.set.Requests
	switch {
	case c.tiled(row):
		return req.Stage[k][row]
	case k == stage.Unattributed:
		return req.End[row] - req.Start[row]
	}
	return 0
}

// quarters says, for each window, which group it is in, with the time of each group in ns and
// the number of windows in a quarter.
func quarters(windows []serving.Window) (group []uint8, length [groups]stat.Sum, n int64) {
	var whole []int
	for i := range windows {
		if !windows[i].Edge && !windows[i].Partial {
			whole = append(whole, i)
		}
	}
	slices.SortFunc(whole, func(a, b int) int {
		// Whole windows are of one length.
		d := windows[a].InFlight.Integral.Minus(windows[b].InFlight.Integral)
		return cmp.Or(d.Sign(), cmp.Compare(a, b))
	})
	group = make([]uint8, len(windows))
	quarter := len(whole) / 4
	put := func(list []int, g uint8) {
		for _, i := range list {
			group[i] = g
			length[g].Add(windows[i].ToNS - windows[i].FromNS)
		}
	}
	put(whole[:quarter], quiet)
	put(whole[len(whole)-quarter:], crowded)
	return group, length, int64(quarter)
}

// inGroups adds up the request-ns in each stage over the windows of each group.
func (c *captured) inGroups(r *serving.Result, group []uint8) (sums [groups][stage.Count]stat.Sum) {
	c.addInWindows(r, func(w int, k uint8, ns int64) {
		if g := group[w]; g != neither {
			sums[g][k].Add(ns)
		}
	})
	return sums
}

// addInWindows calls add for the time of every part of every path in each window that it lies
// in, in ns.
func (c *captured) addInWindows(r *serving.Result, add func(window int, k uint8, ns int64)) {
	if len(r.Windows) == 0 {
		return
	}
	seg, req, length := &c.set.Segments, &c.set.Requests, r.Windows[0].ToNS-r.Windows[0].FromNS
	spread := func(from, to int64, k uint8) {
		for from, to = max(from, r.FromNS), min(to, r.ToNS); from < to; {
			w := (from - r.FromNS) / length
			until := min(to, r.Windows[w].ToNS)
			add(int(w), k, until-from)
			from = until
		}
	}
	for _, row := range c.rows {
		if !c.tiled(row) {
			spread(req.Start[row], req.End[row], uint8(stage.Unattributed))
		}
		for _, i := range c.pathOf(int(row)) {
			spread(seg.Start[i], seg.End[i], seg.Stage[i])
		}
	}
}
