package analyze

import (
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// SamplingKind says what is known about how the traces were chosen.
type SamplingKind string

// The kinds of sampling.
const (
	SamplingUnknown   SamplingKind = "unknown"   // nothing says that traces were dropped
	SamplingNone      SamplingKind = "none"      // every weight is 1: every trace was kept
	SamplingUniform   SamplingKind = "uniform"   // one weight for all: percentiles and shares hold
	SamplingWeighted  SamplingKind = "weighted"  // weights differ
	SamplingPartial   SamplingKind = "partial"   // some requests have a weight, others none
	SamplingSuspected SamplingKind = "suspected" // marks of a tail sampler, without weights
)

// samplingKinds returns the names of the kinds.
func samplingKinds() (out []string) {
	for _, k := range []SamplingKind{SamplingUnknown, SamplingNone, SamplingUniform, SamplingWeighted, SamplingPartial, SamplingSuspected} {
		out = append(out, string(k))
	}
	return out
}

// Sampling describes the weights of a population.
type Sampling struct {
	Kind SamplingKind
	// Weighted counts the requests that have a weight.
	Weighted int64
	// Low and High are the least and the greatest weight; 0 without any.
	Low, High float64
	// Mark is the attribute that gave the suspicion.
	Mark string
}

// Biased reports whether figures describe the kept traces only, since slow or
// failed ones may have been kept more often than others.
func (s Sampling) Biased() bool {
	return s.Kind == SamplingWeighted || s.Kind == SamplingPartial || s.Kind == SamplingSuspected
}

// samplerMarks are attributes that samplers which look at whole traces leave on
// spans or on their scopes: the OpenTelemetry Collector's tail sampling processor
// and Honeycomb's Refinery.
var samplerMarks = []string{"tailsampling.policy", "tailsampling.composite_policy", "tailsampling.cached_decision", "meta.refinery.reason"}

func sampling(set *table.Set, rows []int32) Sampling {
	s := Sampling{Kind: SamplingUnknown}
	for _, i := range rows {
		w := set.Requests.Weight[i]
		if !finite(w) {
			continue
		}
		if s.Weighted == 0 {
			s.Low, s.High = w, w
		}
		s.Low, s.High = min(s.Low, w), max(s.High, w)
		s.Weighted++
	}
	switch {
	case s.Weighted == 0:
		if s.Mark = samplerMark(set); s.Mark != "" {
			s.Kind = SamplingSuspected
		}
	case s.Weighted < int64(len(rows)):
		s.Kind = SamplingPartial
	case s.Low < s.High:
		s.Kind = SamplingWeighted
	case s.Low == 1:
		s.Kind = SamplingNone
	default:
		s.Kind = SamplingUniform
	}
	return s
}

// samplerMark returns the first mark that some scope or root span carries.
func samplerMark(set *table.Set) string {
	for _, mark := range samplerMarks {
		key, known := set.Symbols.Lookup(mark)
		if !known {
			continue
		}
		for i := range set.Scopes.Len() {
			if _, ok := set.Scopes.ScopeAttributes.Get(i, key); ok {
				return mark
			}
		}
		for _, row := range set.Requests.RootRow {
			if row < 0 || int(row) >= set.Spans.Len() {
				continue
			}
			if _, ok := set.Spans.Attributes.Get(int(row), key); ok {
				return mark
			}
		}
	}
	return ""
}

// finite reports whether w is usable as a weight.
func finite(w float64) bool { return w > 0 && !math.IsInf(w, 1) }
