package reports

import "github.com/tailpath/tailpath/analyze/stat"

// together makes one of some places and of those that are others already, which are so many
// values in all. Percentiles of the parts do not give one of the whole, so that it has none.
func together(places []Place, others *Place, values int64) *Place {
	out := Place{Value: plural(values, "other")}
	if others != nil {
		places = append(places[:len(places):len(places)], *others)
	}
	share, shared := 0.0, true
	for _, p := range places {
		out.N, out.Long = out.N+p.N, out.Long+p.Long
		out.P50Need, out.P95Need = p.P50Need, p.P95Need // of a percentile, and the same for all
		share, shared = share+valueOr0(p.Share), shared && p.Share != nil
	}
	if shared {
		out.Share = &share
	}
	bounds := stat.ClopperPearson(out.Long, out.N, stat.Confidence)
	out.LongShare = Figure{N: out.N, Method: "clopper-pearson", Low: &bounds.Low, High: &bounds.High}
	if out.N > 0 {
		out.LongShare.Value = float64(out.Long) / float64(out.N)
	}
	return &out
}
