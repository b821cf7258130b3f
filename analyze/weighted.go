package analyze

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// ForAll is why slow requests are slow among all requests, kept or not, when each kept one
// has a sampling weight and the weights differ. Latency.Tail is about kept traces: a
// sampler that keeps what is slow or failed shifts its ranks, and with them what is slow
// and what is usual.
type ForAll struct {
	// Q is the percentile, of all requests, from which on they are slow.
	Q stat.Prob
	// Tail and Body are the sizes of the groups, also when they are too small.
	Tail, Body attribution.WeightedGroup
	// Refused says why there are no shares, and Need what it takes; Attribution is then nil.
	Refused, Need string
	Attribution   *attribution.Weighted
	// Leading is the stage with the largest excess, unattributed aside, and Share its share.
	// HasShares is false without an excess.
	HasShares bool
	Leading   stage.Stage
	Share     float64
	// Leads says that the excess, the share and the lead are those that the rule of the
	// verdict wants of a stage that leads, and that unattributed time does not forbid it.
	Leads bool
	// Predicts says that the bounds hold for captures like this one.
	Predicts bool
}

// forAll attributes the tail of all requests. It returns nil unless every request has a
// weight and they differ.
func forAll(set *table.Set, m metric, ranked []int32, s Sampling, opt Options) *ForAll {
	if s.Kind != SamplingWeighted || len(ranked) == 0 {
		return nil
	}
	weight := make([]float64, len(ranked))
	for i, row := range ranked {
		weight[i] = set.Requests.Weight[row]
	}
	want := float64(opt.Rule.MinTail)
	f := &ForAll{}
	for _, f.Q = range tailSteps {
		if f.Tail, f.Body = attribution.WeightedGroups(weight, f.Q); f.Tail.Effective >= want {
			break
		}
	}
	for _, g := range []struct {
		name string
		is   attribution.WeightedGroup
	}{{"slowest tenth", f.Tail}, {"middle fifth", f.Body}} {
		if g.is.Effective < want {
			f.Refused = fmt.Sprintf("the %s of all requests is %s here, worth %.0f of equal weight; shares need %d", g.name, plural(g.is.N, "trace"), math.Floor(g.is.Effective), opt.Rule.MinTail)
			f.Need = fmt.Sprintf("about %.0f times the traces, or weights that differ less", math.Ceil(want/max(g.is.Effective, 1)))
			return f
		}
	}
	w := attribution.Weigh(sample(set, m, ranked), weight, attribution.Options{
		Q: f.Q, Seed: opt.Seed, Replicates: opt.Replicates, Workers: opt.Workers, NeverFirst: []int{int(stage.Unattributed)},
	})
	f.Attribution = &w
	f.Predicts = w.Excess.HasBounds && w.Blocks.Refused == ""
	f.lead(opt.Rule)
	return f
}

// lead finds the stage that leads, in the order of the verdict.
func (f *ForAll) lead(r Rule) {
	w := f.Attribution
	if f.HasShares = w.Excess.Value > 0; !f.HasShares {
		return
	}
	share := func(s stage.Stage) float64 { return w.Parts[s].Share.Value }
	first, next := stage.Queue, math.Inf(-1)
	for _, s := range stage.All() {
		switch {
		case s == stage.Unattributed || s == stage.Queue:
		case share(s) > share(first):
			first, next = s, share(first)
		default:
			next = max(next, share(s))
		}
	}
	f.Leading, f.Share = first, share(first)
	var unattributed float64
	if w.Tail.MeanNS > 0 {
		unattributed = w.Parts[stage.Unattributed].Tail / w.Tail.MeanNS
	}
	f.Leads = w.Excess.Value >= r.MinExcess.Float()*w.Tail.MeanNS &&
		unattributed < r.MaxUnattributed.Float() && unattributed < f.Share && share(stage.Unattributed) < f.Share &&
		f.Share >= r.MinShare.Float() && f.Share-next >= r.MinLead.Float()
}

// The ids of the caveats that all requests say otherwise, or cannot be asked.
const (
	OtherForAll   = "other-for-all-requests"
	UnknownForAll = "unknown-for-all-requests"
)

// caveats says what a verdict among kept traces is worth for all requests.
func (f *ForAll) caveats(v Verdict) (out []stat.Warning) {
	if f == nil {
		return nil
	}
	named := v.Kind == KindLeads || v.Kind == KindDominates
	other := f.HasShares && (!v.HasShares || f.Leading != v.Stage)
	switch {
	case f.Refused != "":
		if named {
			out = append(out, stat.Warning{ID: UnknownForAll, Text: "whether it holds for all requests, by weights, cannot be said: " + f.Refused})
		}
	case f.Leads && (other || !named):
		out = append(out, stat.Warning{ID: OtherForAll, Text: fmt.Sprintf("for all requests, by weights, %s leads at %s: %.1f %% of the excess%s", f.Leading, f.Q, 100*f.Share, f.bounds())})
	case named && !f.HasShares:
		out = append(out, stat.Warning{ID: OtherForAll, Text: fmt.Sprintf("for all requests, by weights, slow ones (%s) take no longer than usual ones", f.Q)})
	case named && (other || !f.Leads):
		out = append(out, stat.Warning{ID: OtherForAll, Text: fmt.Sprintf("for all requests, by weights, no stage leads at %s: %s has most of the excess, %.1f %%%s", f.Q, f.Leading, 100*f.Share, f.bounds())})
	}
	return out
}

// bounds writes the bounds of the leading share, where they predict.
func (f *ForAll) bounds() string {
	if e := f.Attribution.Parts[f.Leading].Share; f.Predicts && e.HasBounds {
		return fmt.Sprintf(" (95 %%: %.1f to %.1f)", 100*e.Bounds.Low, 100*e.Bounds.High)
	}
	return ""
}
