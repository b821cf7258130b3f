package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/cmd/lab/plant"
	"github.com/tailpath/tailpath/critical/stage"
)

// tailSeeds is how many captures of a kind and size are scored unless told otherwise.
const tailSeeds = 20

// tailScore is what the verdict says of captures of one kind and size, over its seeds,
// against what is true of the kind.
type tailScore struct {
	Kind       string `json:"kind"`
	Correlated bool   `json:"correlated"`
	Requests   int    `json:"requests"` // of a capture
	Seeds      int    `json:"seeds"`

	// What is true, at the percentile whose tail has requests enough.
	Percentile string     `json:"percentile"`
	Top        string     `json:"top"`
	Share      float64    `json:"share"`      // of the excess
	Lead       float64    `json:"lead"`       // over the next stage
	LeadError  float64    `json:"lead_error"` // standard error of the lead in captures of this size
	Incidents  float64    `json:"incidents"`  // in the tail of a capture, on average
	Open       plant.Open `json:"open"`       // why the top stage is not decidable; empty when it is
	Dominates  bool       `json:"dominates"`  // whether the top stage has more than half

	// Said counts the kinds of verdict, in the order of saidKinds.
	Said []int `json:"said"`
	// First counts captures in which the stage with the most excess is the true one. Named
	// counts those of which the verdict names the true one as leading or dominating, Wrong
	// those of which it names another; of the rest it names none. They are counted of
	// decidable ones only.
	First int `json:"first"`
	Named int `json:"named"`
	Wrong int `json:"wrong"`
	// Held counts, of those that are not decidable, the verdicts that claim no more than can be
	// known.
	Held int `json:"held"`
	// False counts verdicts that a stage dominates that has half or less; Unfounded those that
	// one dominates whose excess, in the capture, is made by fewer than 10 incidents.
	False     int `json:"false_dominates"`
	Unfounded int `json:"unfounded_dominates"`
	// Predicting counts captures with an interval that predicts, Refused those of which the tail
	// is large enough, and slower than usual, and which have none.
	Predicting int `json:"predicting"`
	Refused    int `json:"refused"`
	// Covered counts the intervals of the true top stage's share that hold it; Below those that
	// lie below it, and Above those above.
	Covered int `json:"covered"`
	Below   int `json:"below"`
	Above   int `json:"above"`
	// Blind counts, of the captures that predict, those of a kind with events that hold none:
	// what they show is another population, and nothing in them says so. BlindCovered counts
	// those of them whose interval holds the true share all the same.
	Blind        int     `json:"blind"`
	BlindCovered int     `json:"blind_covered"`
	Width        float64 `json:"width"` // mean, of those that predict

	// Misses name the verdicts that are wrong or claim too much.
	Misses []string `json:"misses,omitempty"`
	// Outside are the seeds whose intervals do not hold the true share.
	Outside []string `json:"outside,omitempty"`

	widths float64
}

// saidKinds are the kinds of verdict, in the order of the table.
var saidKinds = []analyze.Kind{
	analyze.KindDominates, analyze.KindLeads, analyze.KindMixed, analyze.KindUnclear,
	analyze.KindNone, analyze.KindUnattributed, analyze.KindTooFew,
}

// selectKinds returns the kinds of planted tails with the given name, all for an empty one.
func selectKinds(name string) []plant.Kind {
	return slices.DeleteFunc(plant.Kinds(), func(k plant.Kind) bool { return name != "" && k.Name != name })
}

// scoreTails scores kinds, several at once; which, changes nothing. requests replaces the
// sizes of the kinds unless it is 0.
func scoreTails(kinds []plant.Kind, seeds, requests int) []tailScore {
	rows := make([][]tailScore, len(kinds))
	order := make([]int, len(kinds)) // what takes longest first
	for i := range kinds {
		order[i] = i
		if requests > 0 {
			kinds[i].Sizes = []int{requests}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(slices.Max(kinds[b].Sizes), slices.Max(kinds[a].Sizes))
	})
	var all sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(kinds)) {
		all.Go(func() {
			for i := range next {
				rows[i] = scoreKind(kinds[i], seeds)
			}
		})
	}
	for _, i := range order {
		next <- i
	}
	close(next)
	all.Wait()
	return slices.Concat(rows...)
}

// scoreKind scores the captures of one kind, a row a size.
func scoreKind(k plant.Kind, seeds int) []tailScore {
	known := plant.Know(k, k.Sizes...)
	var rows []tailScore
	for _, n := range k.Sizes {
		t := known.At(n, plant.TailAt(n))
		row := tailScore{
			Kind: k.Name, Correlated: k.Correlated, Requests: n, Seeds: seeds, Percentile: "p" + t.Q.Percent(),
			Top: t.Top.String(), Share: t.Shares[t.Top], Lead: t.Lead(), LeadError: t.LeadError, Incidents: t.Incidents,
			Open: t.Open, Dominates: t.Dominates(), Said: make([]int, len(saidKinds)),
		}
		for seed := range uint64(seeds) {
			capture := k.Draw(seed+1, n)
			s := analyze.Summarize(capture.Set, analyze.Options{})
			row.hold(k, seed+1, capture, &s, known.At(n, s.Duration.Tail.Q))
		}
		if row.Predicting > 0 {
			row.Width = row.widths / float64(row.Predicting)
		}
		rows = append(rows, row)
	}
	return rows
}

// hold holds what is said of one capture against what is true at the percentile that it
// is said of.
func (r *tailScore) hold(k plant.Kind, seed uint64, c plant.Capture, s *analyze.Summary, t plant.Truth) {
	v := &s.Verdict
	r.Said[slices.Index(saidKinds, v.Kind)]++
	named := v.Kind == analyze.KindDominates || v.Kind == analyze.KindLeads
	var wrong []string
	switch {
	case r.Open != plant.Decided:
		if holds(t, v) {
			r.Held++
		} else {
			wrong = append(wrong, "claims what cannot be known")
		}
	case v.HasShares && v.Stage == t.Top:
		r.First++
		if named {
			r.Named++
			if part, is := gpuPart(s), t.GPUPart(); v.Stage == stage.GPU && part != is {
				wrong = append(wrong, "gpu is "+part+", not "+is)
			}
		}
	case named:
		r.Wrong++
		wrong = append(wrong, "wrong stage")
	}
	if v.Kind == analyze.KindDominates {
		if t.Shares[v.Stage] <= 0.5 {
			r.False++
			wrong = append(wrong, "does not dominate")
		}
		if n := c.Incidents(v.Stage, t.Q); n < plant.LeastIncidents {
			r.Unfounded++
			wrong = append(wrong, fmt.Sprintf("predicts from %d", n))
		}
	}
	if k.Kept && !slices.ContainsFunc(v.Caveats, func(w stat.Warning) bool { return w.ID == analyze.KeptTraces }) {
		wrong = append(wrong, "does not tell that a sampler chose")
	}
	if len(wrong) > 0 {
		said := string(v.Kind)
		if v.HasShares {
			said = fmt.Sprintf("%s %s %.2f %s", v.Stage, v.Kind, v.Share, bounds(v.Interval))
		}
		r.Misses = append(r.Misses, fmt.Sprintf("seed %d: %s; in truth %s %.2f, %s %.2f at p%s: %s",
			seed, said, t.Top, t.Shares[t.Top], t.RunnerUp, t.Shares[t.RunnerUp], t.Q.Percent(), strings.Join(wrong, ", ")))
	}
	r.interval(seed, s, t, k.Eventful && c.Events == 0)
}

// holds reports whether a verdict claims no more than can be known of an undecidable
// capture. A verdict that does not predict is about the capture's own requests, of which
// it may name the stage that leads.
func holds(t plant.Truth, v *analyze.Verdict) bool {
	named := v.Kind == analyze.KindDominates || v.Kind == analyze.KindLeads
	switch t.Open {
	case plant.Small:
		return v.Kind == analyze.KindTooFew
	case plant.NoTail:
		return v.Kind == analyze.KindNone
	case plant.Hidden:
		return v.Kind == analyze.KindUnattributed
	case plant.Close:
		return !named || !v.Predicts
	}
	return !named || !v.Predicts || v.Stage == t.Top
}

// interval holds the interval of the true top stage's share against the share. blind says
// that the capture holds no event of a kind that has events.
func (r *tailScore) interval(seed uint64, s *analyze.Summary, t plant.Truth, blind bool) {
	a := s.Duration.Attribution
	switch {
	case a == nil || s.Verdict.Kind == analyze.KindNone: // there is no share to bound
		return
	case !s.Verdict.Predicts:
		r.Refused++
		return
	}
	b, share := a.Parts[t.Top].Share.Bounds, t.Shares[t.Top]
	r.Predicting++
	r.widths += b.High - b.Low
	without := ""
	if blind {
		r.Blind++
		without = " (no event)"
	}
	switch {
	case share < b.Low:
		r.Above++
		r.Outside = append(r.Outside, fmt.Sprintf("%d above by %.3f%s", seed, b.Low-share, without))
	case share > b.High:
		r.Below++
		r.Outside = append(r.Outside, fmt.Sprintf("%d below by %.3f%s", seed, share-b.High, without))
	default:
		r.Covered++
		if blind {
			r.BlindCovered++
		}
	}
}

// bounds writes the bounds of a share.
func bounds(e stat.Estimate) string {
	if !e.HasBounds {
		return "without bounds"
	}
	return fmt.Sprintf("[%.2f, %.2f]", e.Bounds.Low, e.Bounds.High)
}

// gpuPart is the detail with the most excess of the gpu.
func gpuPart(s *analyze.Summary) string {
	best, most := "", 0.0
	for _, d := range s.Duration.Tail.Details {
		if share := s.Duration.Tail.DetailShare(d); d.Stage == stage.GPU && share > most {
			best, most = d.Name, share
		}
	}
	return best
}
