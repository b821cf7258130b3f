package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
)

// StallRule is the rule of the verdict on token gaps. As in [Rule], its parts are tried in
// the order of the fields, the first that fails gives the kind, and only "dominates"
// predicts.
type StallRule struct {
	MinRequests int64     // requests with instants of tokens needed; else too_few
	MinExcess   stat.Prob // share of the time of decoding that stalls must take beyond the median; else none
	MinStalls   int64     // stalls needed; else too_few
	MinShare    stat.Prob // share of the excess that the largest cause needs, and more than is untold; else mixed or unattributed
	MinLead     stat.Prob // lead over the next cause, in shares of the excess; else mixed
	MaxP        stat.Prob // adjusted probability by chance at the engines with most of the prefills' part; else unclear
	MinFirst    stat.Prob // share of the resamples in which it must be the largest; else unclear
	MinGroups   int64     // groups of stalls it needs to dominate; with fewer the verdict carries FewIncidents
	MinBound    stat.Prob // what the lower bound of its share must exceed to dominate
}

// DefaultStallRule returns the rule as it is documented.
func DefaultStallRule() StallRule {
	return StallRule{
		MinRequests: 20, MinExcess: stat.Prob{Num: 1, Den: 50}, MinStalls: 20, MinShare: stat.Prob{Num: 2, Den: 5}, MinLead: stat.Prob{Num: 1, Den: 10},
		MaxP: stat.Prob{Num: 1, Den: 20}, MinFirst: stat.P95, MinGroups: 10, MinBound: stat.P50,
	}
}

// String states the rule in words.
func (r StallRule) String() string {
	return fmt.Sprintf("requests with instants of tokens >= %d; stalls take >= %s %% of the time of decoding beyond the median; stalls >= %d; "+
		"leads: share >= %s %% and more than is untold, >= %s points ahead of the next, the largest in >= %s %% of the resamples, "+
		"and prefills only where chance overlaps as many stalls with p <= %s %%; dominates: also >= %d groups of stalls and lower bound of the share > %s %%",
		r.MinRequests, r.MinExcess.Percent(), r.MinStalls, r.MinShare.Percent(), r.MinLead.Percent(), r.MinFirst.Percent(), r.MaxP.Percent(),
		r.MinGroups, r.MinBound.Percent())
}

// Chunks is the id of the caveat that gaps are between chunks, not tokens.
const Chunks = "chunks"

// inChunks says that a request has instants for fewer than nine in ten of its output tokens.
func inChunks(tokens, instants int64) bool { return tokens > instants+tokens/10 }

func chunksText(n, of int64) string {
	return fmt.Sprintf("%d of %s have instants for fewer than nine in ten output tokens: their gaps are those between chunks of several", n, plural(of, "request"))
}

// StallVerdict answers what makes token gaps long, by a stated rule.
type StallVerdict struct {
	Kind   Kind
	Rule   StallRule
	Reason string // which part of the rule decided, with the figures

	// Cause has the largest part of the excess of all but what is untold, RunnerUp the next.
	// They and the shares are set when there is an excess.
	Cause, RunnerUp      engine.StallCause
	Share, RunnerUpShare float64 // of the excess
	HasShares            bool
	Untold               float64 // share of the excess
	OfDecode             float64 // share of the excess of the time of decoding
	Need                 int64   // requests with instants of tokens that it would take, as far as can be told; 0 for enough
	// Interval is the share of Cause; it has bounds only if these predict.
	Interval stat.Estimate
	Predicts bool
	First    float64 // share of the resamples in which Cause is the largest; 0 without
	Needs    string  // what Cause lacks to dominate, where it leads
	Caveats  []stat.Warning
}

// stallVerdict applies the rule; known is false without timelines of engines.
func stallVerdict(s *Stalling, known bool, sampling Sampling, r StallRule) StallVerdict {
	v := StallVerdict{Rule: r, OfDecode: s.ExcessNS.Over(s.DecodeNS), Untold: s.Parts[engine.StallUntold].Share.Value}
	if s.ExcessNS.Sign() > 0 {
		v.rank(s)
	}
	v.Kind, v.Reason = v.decide(s, known)
	caveat := func(id, text string) { v.Caveats = append(v.Caveats, stat.Warning{ID: id, Text: text}) }
	if sampling.Biased() && s.Requests > 0 {
		caveat(KeptTraces, "traces were not all kept alike: this holds among kept traces")
	}
	if s.Chunked > 0 {
		caveat(Chunks, chunksText(s.Chunked, s.Requests))
	}
	if v.Kind.CannotSay() || v.Kind == KindNone {
		return v
	}
	if s.Groups < r.MinGroups {
		caveat(FewIncidents, fmt.Sprintf("the stalls form %s: this describes them; it does not predict", plural(s.Groups, "group")))
	} else if s.Refused != "" {
		caveat(NoInterval, s.Refused)
	}
	return v
}

// rank finds the two largest parts; of equal ones the first.
func (v *StallVerdict) rank(s *Stalling) {
	first, second := engine.StallPrefill, engine.StallPreempted
	less := func(a, b engine.StallCause) bool { return s.Parts[a].NS.Int().Cmp(s.Parts[b].NS.Int()) < 0 }
	if less(first, second) {
		first, second = second, first
	}
	for _, c := range []engine.StallCause{engine.StallEngine, engine.StallAlone} {
		switch {
		case less(first, c):
			first, second = c, first
		case less(second, c):
			second = c
		}
	}
	part := s.Parts[first]
	v.Cause, v.RunnerUp, v.HasShares = first, second, true
	v.Share, v.RunnerUpShare = part.Share.Value, s.Parts[second].Share.Value
	v.Interval, v.First = part.Share, part.First
	if v.Predicts = part.Share.HasBounds && s.Groups >= v.Rule.MinGroups; !v.Predicts {
		v.Interval.HasBounds, v.First = false, 0
	}
}

func (v *StallVerdict) decide(s *Stalling, known bool) (Kind, string) {
	r := v.Rule
	switch {
	case !known:
		v.Need = r.MinRequests
		return KindTooFew, "which requests ran at which engine is not known"
	case s.Requests == 0:
		v.Need = r.MinRequests
		return KindTooFew, "no request has five gaps between tokens whose instants are recorded"
	case s.Requests < r.MinRequests:
		v.Need = r.MinRequests
		return KindTooFew, fmt.Sprintf("%s with instants of tokens, the rule wants %d", plural(s.Requests, "request"), r.MinRequests)
	case v.OfDecode < r.MinExcess.Float():
		return KindNone, fmt.Sprintf("stalls take less than %s %% of the time of decoding beyond the median", r.MinExcess.Percent())
	case s.Stalls < r.MinStalls:
		v.Need = (r.MinStalls*s.Requests + s.Stalls - 1) / s.Stalls
		return KindTooFew, fmt.Sprintf("%s, the rule wants %d: at this rate it takes %d requests", plural(s.Stalls, "stall"), r.MinStalls, v.Need)
	case v.Untold >= v.Share:
		return KindUnattributed, fmt.Sprintf("%.1f %% of the excess is untold, and no cause has more", 100*v.Untold)
	case v.Share < r.MinShare.Float():
		return KindMixed, fmt.Sprintf("no cause has %s %% of the excess", r.MinShare.Percent())
	case v.Share-v.RunnerUpShare < r.MinLead.Float():
		return KindMixed, fmt.Sprintf("the two largest causes are within %s points", r.MinLead.Percent())
	case v.Cause == engine.StallPrefill && !v.associated(s):
		return KindUnclear, "as many stalls would meet a prefill by chance"
	case v.Predicts && v.First < r.MinFirst.Float():
		return KindUnclear, fmt.Sprintf("%s is the largest in %.0f %% of the resamples, the rule wants %s %%", v.Cause, 100*v.First, r.MinFirst.Percent())
	}
	if v.Needs = v.misses(s); v.Needs == "" {
		return KindDominates, fmt.Sprintf("%s has more than %s %% of the excess even at the lower bound, in %s of stalls", v.Cause, r.MinBound.Percent(), plural(s.Groups, "group"))
	}
	return KindLeads, fmt.Sprintf("%s has at least %s %% of the excess and leads by at least %s points", v.Cause, r.MinShare.Percent(), r.MinLead.Percent())
}

// associated reports whether more than half of the prefills' part is at engines where
// stalls go with prefills more often than by chance.
func (v *StallVerdict) associated(s *Stalling) bool {
	var sure stat.Sum
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Adjusted <= v.Rule.MaxP.Float() {
			sure = sure.Plus(e.PrefillNS)
		}
	}
	return sure.Plus(sure).Int().Cmp(s.Parts[engine.StallPrefill].NS.Int()) > 0
}

// misses returns what the leading cause misses to dominate; empty for nothing.
func (v *StallVerdict) misses(s *Stalling) string {
	switch bound := v.Rule.MinBound; {
	case s.Groups < v.Rule.MinGroups:
		return fmt.Sprintf("%d groups of stalls at separate times; there are %d", v.Rule.MinGroups, s.Groups)
	case !v.Predicts:
		return "an interval: " + s.Refused
	case v.Interval.Bounds.Low <= bound.Float():
		return fmt.Sprintf("a share whose lower bound exceeds %s %%; it is %.1f %%", bound.Percent(), 100*v.Interval.Bounds.Low)
	}
	return ""
}
