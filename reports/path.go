package reports

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Path is what the critical path of a slow request looks like, with that of usual ones beside it:
// the paths of the tail of the duration, laid over each other step by step, and those of the body.
type Path struct {
	Q       string `json:"q"` // slow are the requests at or above this percentile
	SlowN   int64  `json:"slow_n"`
	UsualN  int64  `json:"usual_n"` // ranks 40 to 60 %
	SlowNS  int64  `json:"slow_ns"` // durations of all slow requests: what slow_self_ns of the steps adds up to
	UsualNS int64  `json:"usual_ns"`
	// Steps are in the order of the tree: each is followed by those beneath it. Those beneath the
	// same one are in the order in which requests come to them.
	Steps []PathStep `json:"steps"`
	// Largest is the step in which slow requests spend most themselves, and MostMore that in which
	// they spend most more than usual ones, whether the list has them or not; absent without any.
	Largest  *PathPlace `json:"largest,omitempty"`
	MostMore *PathPlace `json:"most_more,omitempty"`
	// Distinct counts the steps before the smallest were put together.
	Distinct int64 `json:"distinct_steps"`
	// Beyond sums up the steps that the list was cut by; absent when it was not.
	Beyond *PathBeyond `json:"beyond,omitempty"`
	// NoSteps says why there are none, and NoIntervals why differences have no bounds.
	NoSteps     string `json:"no_steps,omitempty"`
	NoIntervals string `json:"no_intervals,omitempty"`
}

// PathStep is a step of the paths. Its time is its own, which is "self", or with what is beneath
// it, which is "total"; spans have no time of their own but in their stages.
type PathStep struct {
	Parent  int64  `json:"parent"` // place of the step above it in the list, from 1; 0 for none
	Depth   int64  `json:"depth"`
	Kind    string `json:"kind"` // span, stage (own time of the span above) or other (steps put together)
	Service string `json:"service,omitempty"`
	Name    string `json:"name,omitempty"` // of the span; * stands for ids in which very many names differ
	Stage   string `json:"stage,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Folded  int64  `json:"folded,omitzero"` // how many steps other stands for
	// SlowN and UsualN count the requests that come to it.
	SlowN        int64 `json:"slow_n"`
	UsualN       int64 `json:"usual_n"`
	SlowSelfNS   int64 `json:"slow_self_ns"` // of all requests together
	SlowTotalNS  int64 `json:"slow_total_ns"`
	UsualSelfNS  int64 `json:"usual_self_ns"`
	UsualTotalNS int64 `json:"usual_total_ns"`
	// Share is of the time of the slow requests, with what is beneath it.
	Share float64 `json:"share"`
	// SlowMeanNS is total by all slow requests, whether they come to it or not.
	SlowMeanNS  int64  `json:"slow_mean_ns"`
	UsualMeanNS int64  `json:"usual_mean_ns"`
	Difference  Figure `json:"difference_ns"` // of the means
}

// PathPlace is a step of the paths by itself, with the span that it is in.
type PathPlace struct {
	Step        string  `json:"step"`
	Service     string  `json:"service,omitempty"`
	Name        string  `json:"name,omitempty"`
	SlowN       int64   `json:"slow_n"`
	UsualN      int64   `json:"usual_n"`
	SlowMeanNS  int64   `json:"slow_mean_ns"`
	UsualMeanNS int64   `json:"usual_mean_ns"`
	Share       float64 `json:"share"` // of the time of the slow requests
}

// PathBeyond sums up steps that were cut: what they have of their own.
type PathBeyond struct {
	N           int64 `json:"n"`
	SlowSelfNS  int64 `json:"slow_self_ns"`
	UsualSelfNS int64 `json:"usual_self_ns"`
}

// pathOf writes the paths; nil without any.
func pathOf(t *analyze.PathTree) *Path {
	if t == nil {
		return nil
	}
	out := &Path{
		Q: t.Q.String(), SlowN: t.Slow.N, UsualN: t.Usual.N, SlowNS: t.Slow.NS, UsualNS: t.Usual.NS,
		Steps: []PathStep{}, Distinct: t.Distinct, NoSteps: t.Refused, NoIntervals: t.Blocks.Refused,
	}
	for _, s := range t.Steps {
		e := PathStep{
			Parent: int64(s.Parent + 1), Depth: int64(s.Depth), Kind: string(s.Kind), Service: s.Service, Name: s.Name, Folded: s.Folded,
			SlowN: s.Slow.N, UsualN: s.Usual.N, SlowSelfNS: s.Slow.SelfNS, SlowTotalNS: s.Slow.TotalNS, UsualSelfNS: s.Usual.SelfNS, UsualTotalNS: s.Usual.TotalNS,
			Difference: estimate(s.Difference),
		}
		if s.Kind == analyze.PathStage {
			e.Stage, e.Detail = s.Stage.String(), s.Detail
		}
		if t.Slow.NS > 0 {
			e.Share = float64(e.SlowTotalNS) / float64(t.Slow.NS)
		}
		out.Steps = append(out.Steps, e)
	}
	slow := pathMeans(t.Steps, t.Slow, func(s analyze.PathStep) analyze.PathTime { return s.Slow })
	usual := pathMeans(t.Steps, t.Usual, func(s analyze.PathStep) analyze.PathTime { return s.Usual })
	for i := range out.Steps {
		out.Steps[i].SlowMeanNS, out.Steps[i].UsualMeanNS = slow[i], usual[i]
	}
	out.Largest = out.place(func(s PathStep) int64 { return s.SlowSelfNS })
	out.MostMore = out.place(func(s PathStep) int64 { return s.SlowMeanNS - s.UsualMeanNS })
	return out
}

// pathMeans rounds the means of the steps so that those beneath a step add up to it, and those
// beneath none to the mean of the requests.
func pathMeans(steps []analyze.PathStep, g analyze.PathGroup, of func(analyze.PathStep) analyze.PathTime) []int64 {
	out := make([]int64, len(steps))
	below := make([][]int, len(steps)+1) // by the place of the step above, from 1
	for i, s := range steps {
		below[s.Parent+1] = append(below[s.Parent+1], i)
	}
	for above, list := range below {
		whole := analyze.PathTime{TotalNS: g.NS}.MeanOf(g.N)
		sum := stat.RoundRat(whole)
		if above > 0 {
			sum = out[above-1]
		}
		parts := make([]*big.Rat, len(list))
		for k, i := range list {
			parts[k] = of(steps[i]).MeanOf(g.N)
		}
		for k, ns := range stat.RoundParts(parts, sum) {
			out[list[k]] = ns
		}
	}
	return out
}

// path keeps the steps that have most of the time of slow requests themselves, each with those above
// it, and fills up with the largest of the others. What is left is summed up.
func (c *cutter) path(name string, p *Path) *Path {
	if p == nil {
		return nil
	}
	out := *p
	of := max(c.before[name], int64(len(p.Steps)))
	if c.rows > 0 && len(p.Steps) > c.rows {
		out.Steps, out.Beyond = cutSteps(p, c.rows)
	}
	if n := int64(len(out.Steps)); n < of {
		c.out.Cut = append(c.out.Cut, CutList{name, n, of})
	}
	return &out
}

// fewer adds the steps to lists of which a document has fewer rows than there were, if some of them
// were put together before it was made.
func (p *Path) fewer(name string, list []CutList) []CutList {
	if p == nil || slices.ContainsFunc(list, func(x CutList) bool { return x.List == name }) {
		return list
	}
	if n := int64(len(p.Steps)); slices.ContainsFunc(p.Steps, func(s PathStep) bool { return s.Folded > 0 }) {
		return append(list, CutList{name, n, p.Distinct})
	}
	return list
}

func cutSteps(p *Path, rows int) (steps []PathStep, beyond *PathBeyond) {
	keep, kept := make([]bool, len(p.Steps)), 0
	// show keeps a step with those above it, if there is room for all of them.
	show := func(i int) bool {
		var need []int
		for at := i; at >= 0 && !keep[at]; at = int(p.Steps[at].Parent) - 1 {
			need = append(need, at)
		}
		if kept+len(need) > rows {
			return false
		}
		for _, at := range need {
			keep[at] = true
		}
		kept += len(need)
		return true
	}
	bySelf := p.largestFirst(func(s PathStep) (slow, usual int64) { return s.SlowSelfNS, 0 })
	byTotal := p.largestFirst(func(s PathStep) (slow, usual int64) { return s.SlowTotalNS, s.UsualTotalNS })
	for _, i := range bySelf {
		if p.Steps[i].Kind == string(analyze.PathStage) && !show(i) {
			break // the largest of what is left is then told by what is above it
		}
	}
	for _, i := range byTotal {
		show(i)
	}
	place := make([]int64, len(p.Steps)+1) // by the place before, from 1
	beyond = &PathBeyond{}
	if p.Beyond != nil {
		*beyond = *p.Beyond
	}
	for i, s := range p.Steps {
		if !keep[i] {
			beyond.N, beyond.SlowSelfNS, beyond.UsualSelfNS = beyond.N+1, beyond.SlowSelfNS+s.SlowSelfNS, beyond.UsualSelfNS+s.UsualSelfNS
			continue
		}
		s.Parent = place[s.Parent]
		steps = append(steps, s)
		place[i+1] = int64(len(steps))
	}
	return steps, beyond
}

// largestFirst returns the places of the steps by their share of the time of either side.
func (p *Path) largestFirst(of func(PathStep) (slow, usual int64)) []int {
	order, weight := make([]int, len(p.Steps)), make([]float64, len(p.Steps))
	for i, s := range p.Steps {
		slow, usual := of(s)
		order[i], weight[i] = i, max(float64(slow)/float64(max(1, p.SlowNS)), float64(usual)/float64(max(1, p.UsualNS)))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	return order
}

// Words names a step.
func (s PathStep) Words() string {
	switch {
	case s.Kind == string(analyze.PathOther):
		return plural(s.Folded, "other step")
	case s.Kind == string(analyze.PathStage) && s.Detail != "":
		return s.Stage + "/" + s.Detail
	case s.Kind == string(analyze.PathStage):
		return s.Stage
	}
	name := cmp.Or(s.Name, "(no name)")
	if s.Service == "" {
		return name
	}
	return s.Service + ": " + name
}

// Means returns the mean durations of the slow and of the usual requests, in ns.
func (p *Path) Means() (slow, usual int64) {
	mean := func(ns, n int64) int64 { return stat.RoundRat(analyze.PathTime{TotalNS: ns}.MeanOf(n)) }
	return mean(p.SlowNS, p.SlowN), mean(p.UsualNS, p.UsualN)
}

// place returns the stage with the most of something, the first among equals; of steps that were put
// together only where no stage has any, and nil where these have none either.
func (p *Path) place(of func(PathStep) int64) *PathPlace {
	for _, kind := range []analyze.PathKind{analyze.PathStage, analyze.PathOther} {
		at, most := -1, int64(0)
		for i, s := range p.Steps {
			if v := of(s); s.Kind == string(kind) && v > most {
				at, most = i, v
			}
		}
		if at < 0 {
			continue
		}
		s := p.Steps[at]
		out := &PathPlace{Step: s.Words(), SlowN: s.SlowN, UsualN: s.UsualN, SlowMeanNS: s.SlowMeanNS, UsualMeanNS: s.UsualMeanNS, Share: s.Share}
		if s.Parent > 0 {
			out.Service, out.Name = p.Steps[s.Parent-1].Service, p.Steps[s.Parent-1].Name
		}
		return out
	}
	return nil
}
