package change

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Judge applies the rule to everything that was tested together: the percentiles and
// the rates are one family, the times of the parts another, and in each the false
// discovery rate is bounded.
func Judge(results []*Result, rates []*Rate, rule Rule) {
	var chance []float64
	var percentiles []*Percentile
	for _, r := range results {
		for i := range r.Percentiles {
			if p := &r.Percentiles[i]; p.ample() {
				percentiles, chance = append(percentiles, p), append(chance, p.Chance)
			}
		}
	}
	for _, r := range rates {
		chance = append(chance, r.Chance)
	}
	adjusted := stat.BenjaminiHochberg(chance)
	for i, p := range percentiles {
		p.Adjusted = adjusted[i]
	}
	for i, r := range rates {
		r.judge(adjusted[len(percentiles)+i], rule)
	}
	for _, r := range results {
		for i := range r.Percentiles {
			r.Percentiles[i].judge(r)
		}
	}
	judgeFigures(results, rule)
}

// ample reports whether ten requests lie beyond the percentile on both sides.
func (p *Percentile) ample() bool {
	return p.bothValues && min(p.Base.N, p.New.N) >= stat.Minimum(p.P).Ample
}

// judge decides one percentile.
func (p *Percentile) judge(r *Result) {
	rule := r.rule
	p.Outcome = Same
	if !p.ample() {
		p.Outcome = TooFew
		p.Reason = fmt.Sprintf("%s takes %d requests on either side, and there are %d and %d", p.P, stat.Minimum(p.P).Ample, p.Base.N, p.New.N)
		if p.bothValues || p.Base.N == 0 || p.New.N == 0 || !p.Base.Known || !p.New.Known {
			return
		}
		p.Reason = fmt.Sprintf("%s is 0 ns on a side: there is no ratio", p.P)
		return
	}
	log := math.Log(p.Ratio.Value)
	ns := float64(p.New.Value) - float64(p.Base.Value)
	if !rule.large(p.P, log, ns, float64(min(p.Base.Value, p.New.Value))) {
		p.Reason = "the change is below what counts"
		return
	}
	if refused := p.refused(r); refused != "" {
		p.Outcome, p.Reason = Describes, refused
		return
	}
	switch {
	case !p.excludes1:
		p.Reason = "the interval of the ratio holds 1"
	case p.Adjusted > rule.FalseDiscovery:
		p.Reason = fmt.Sprintf("the chance of it among all that is tested is %.3f", p.Adjusted)
	case log > 0:
		p.Outcome, p.Reason = Slower, "every part of the rule holds"
	default:
		p.Outcome, p.Reason = Faster, "every part of the rule holds"
	}
}

// refused says why a change describes the captures and predicts nothing; empty when it
// predicts.
func (p *Percentile) refused(r *Result) string {
	rule := r.rule
	switch few := min(p.Incidents[Base], p.Incidents[New]); {
	case !r.Blocks.Known():
		return r.Blocks.why()
	case r.Blocks.Refused != "":
		return r.Blocks.Refused
	case few < rule.MinIncidents && 2*p.P.Num > p.P.Den: // up to the median there are requests at all times
		return fmt.Sprintf("requests at and above %s come from %d separate slow moments in base and %d in new, and it takes %d on either side", p.P, p.Incidents[Base], p.Incidents[New], rule.MinIncidents)
	case !p.Ratio.HasBounds:
		return "what happened lasts too much of a capture to be told from chance"
	}
	return ""
}

// judgeFigures marks the times of parts that stand out.
func judgeFigures(results []*Result, rule Rule) {
	var figures []*Figure
	add := func(s *Split) {
		figures = append(figures, &s.Total)
		for i := range s.Parts {
			figures = append(figures, &s.Parts[i])
		}
	}
	for _, r := range results {
		if min(r.N[Base], r.N[New]) >= enough {
			add(&r.Mean)
		}
		for i := range r.At {
			if r.At[i].Ample {
				add(&r.At[i].Split)
			}
		}
		for i := range r.Bands {
			if r.Bands[i].Ample {
				add(&r.Bands[i].Split)
			}
		}
	}
	chance := make([]float64, len(figures))
	for i, f := range figures {
		chance[i] = f.P
	}
	for i, a := range stat.BenjaminiHochberg(chance) {
		d := figures[i].Difference
		figures[i].Stands = a <= rule.FalseDiscovery && d.HasBounds && (d.Bounds.Low > 0 || d.Bounds.High < 0)
	}
}

// String states the rule in words.
func (r Rule) String() string {
	parts := []string{
		"the interval of the ratio leaves out 1",
		fmt.Sprintf("the ratio is at least %s up to p50 and %s above, or the inverse", times(r.Body), times(r.Tail)),
		fmt.Sprintf("the difference is at least %.4g ms, or %.4g %% of the smaller value if that is less", float64(r.FloorNS)/1e6, 100*r.FloorShare),
		"ten requests lie beyond the percentile on both sides",
		fmt.Sprintf("%d blocks of time or a week of days on both sides, and %d incidents", r.MinBlocks, r.MinIncidents),
		fmt.Sprintf("at most %.4g %% false alarms among all alarms", 100*r.FalseDiscovery),
	}
	return strings.Join(parts, "; ")
}

func times(share float64) string { return fmt.Sprintf("x%.4g", 1+share) }
