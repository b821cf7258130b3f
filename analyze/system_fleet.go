package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// served returns how many replicas did the most for some request. It is unknown without any,
// where answered requests were at none that is known, and of several that are not known to do
// the same work.
func (c *captured) served() serving.Maybe[int64] {
	n := int64(0)
	for _, requests := range c.homes {
		if requests > 0 {
			n++
		}
	}
	if _, placeless := c.unknownPlaces(); n == 0 || placeless.n > 0 || n > 1 && !c.replicas().Value {
		return serving.Maybe[int64]{}
	}
	return serving.Is(n)
}

// replicas says whether all engines do the same work: they are of one service and one model,
// and no request goes from one to another.
func (c *captured) replicas() serving.Maybe[bool] {
	if len(c.engines) == 0 {
		return serving.Maybe[bool]{}
	}
	first := &c.engines[0]
	same := !c.passed && !c.mixedModels()
	for i := range c.engines {
		e := &c.engines[i]
		if e.Service == "" {
			return serving.Maybe[bool]{}
		}
		same = same && e.Service == first.Service && e.Model == first.Model
	}
	return serving.Is(same)
}

// mixedModels reports whether two engines that did the most for some requests serve different
// models: the names that these requests tell have none in common.
func (c *captured) mixedModels() bool {
	named := make([]map[string]bool, len(c.engines))
	for _, row := range c.rows {
		home := c.Requests[c.index[row]].Engine
		if home < 0 {
			continue
		}
		name := c.engines[home].Model
		if name == "" {
			name = c.set.Symbols.Text(c.set.Requests.Model[row])
		}
		if name == "" {
			continue
		}
		if named[home] == nil {
			named[home] = map[string]bool{}
		}
		named[home][name] = true
	}
	sets, engines := slices.DeleteFunc(named, func(m map[string]bool) bool { return len(m) == 0 }), map[string]int{}
	for _, set := range sets {
		for name := range set {
			if engines[name]++; engines[name] == len(sets) {
				return false // all share it
			}
		}
	}
	for i := range sets {
		for _, other := range sets[:i] {
			if !overlap(sets[i], other) {
				return true
			}
		}
	}
	return false
}

func overlap(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

const (
	// sureToCome is how many requests must be due at an engine in a stretch of windows before
	// none is a sign that it was away: of 150 such stretches chance leaves one empty.
	sureToCome = 5
	// mostAway is the share of the windows for which an engine may be away in a curve.
	mostAway = 0.1
)

// changed returns how many of the engines that requests are at home at were away for more than
// a tenth of some windows. The windows of an engine are put together, in order of time, into
// stretches in which five of its requests are due by its share of all that arrived in them: it
// was away in those where none came. One with fewer than five is not asked.
func (c *captured) changed(windows []serving.Window, used []int) (away int) {
	if len(used) == 0 {
		return 0
	}
	slices.Sort(used)
	length := windows[0].ToNS - windows[0].FromNS
	place := make([]int32, len(windows))
	for i := range place {
		place[i] = -1
	}
	for k, i := range used {
		place[i] = int32(k)
	}
	until := make([]int64, len(used)+1) // arrivals in the windows before each
	at := make([][]int32, len(c.engines))
	for i := range c.Requests {
		q := &c.Requests[i]
		if q.Engine < 0 || q.StartNS < windows[0].FromNS || q.StartNS >= windows[len(windows)-1].ToNS {
			continue
		}
		w := (q.StartNS - windows[0].FromNS) / length
		if place[w] < 0 {
			continue
		}
		until[place[w]+1]++
		at[q.Engine] = append(at[q.Engine], place[w])
	}
	for k := range used {
		until[k+1] += until[k]
	}
	for _, came := range at {
		if float64(awayFor(came, until)) > mostAway*float64(len(used)) {
			away++
		}
	}
	return away
}

// awayFor returns in how many windows an engine was away. came are the windows of its requests,
// and until how many of any engine came before each window.
func awayFor(came []int32, until []int64) (windows int) {
	last := len(until) - 1
	if len(came) < sureToCome {
		return 0
	}
	slices.Sort(came)
	due := int64(math.Ceil(sureToCome * float64(until[last]) / float64(len(came))))
	for from, k := 0, 0; from < last; {
		to, _ := slices.BinarySearch(until, until[from]+due)
		if to > last {
			break // too few are due in what is left
		}
		next := k
		for next < len(came) && int(came[next]) < to {
			next++
		}
		if next == k {
			windows += to - from
		}
		from, k = to, next
	}
	return windows
}

// unlike says why windows with as much in flight are not of one system; "" when they are.
func (c *captured) unlike(windows []serving.Window, used []int) string {
	if c.mixedModels() {
		return "engines serve different models, and a request in flight is not the same work at each: there is no one knee; --where takes one model"
	}
	if n := c.changed(windows, used); n > 0 {
		return fmt.Sprintf("no requests came to %d of the engines for more than a tenth of the windows: the system was not the same all the time, and there is no one knee; take a time with the same engines", n)
	}
	return ""
}

// none takes back the answers of the rules of a curve, and says why.
func (c *Curve) none(why string) {
	warning := stat.Warning{ID: MixedEngines, Text: why}
	c.Knee = curve.Stick{Knee: curve.Knee{Method: c.Knee.Method, Points: c.Knee.Points, Warnings: []stat.Warning{warning}}}
	c.Power = curve.Knee{Method: c.Power.Method, Points: c.Power.Points, Warnings: []stat.Warning{warning}}
}
