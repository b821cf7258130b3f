package reports_test

import (
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/reports"
)

// defined adds the documents of figures by other definitions: of a summary, with measures of
// requests that have weights, and of a request whose tokens are known.
func defined(out map[string]reports.Document) {
	weights := func(i int) float64 { return float64(1 + 9*(i%2)) }
	opt := analyze.Options{Define: []string{"tpot", "tpot_to_end", "output_rate", "linear_r7"}, Replicates: 100}
	s := analyze.Summarize(incident(400, never), analyze.Options{})
	s.Measures = analyze.Summarize(incident(400, weights), opt).Measures
	itl, err := analyze.DefinitionNamed("itl")
	if err != nil {
		panic(err)
	}
	gaps := analyze.Measure{
		Definition: itl, Unit: "ns", Scale: 1, Of: analyze.OfGaps, Requests: 380,
		Percentiles: analyze.Percentiles{N: 12_000, Undefined: []analyze.Undefined{{Reason: "no instants of tokens recorded", N: 20}}},
		Mean:        stat.Estimate{Value: 20.5e6, N: 12_000, Method: "mean", Warnings: []stat.Warning{{ID: analyze.NoInterval, Text: "no interval: it takes requests in ten stretches of time"}}},
	}
	for _, p := range []stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99, stat.P999} {
		q := stat.Quantile{P: p, N: gaps.N, Method: stat.MethodNearestRank, Known: true, Value: 20e6, HasLow: true, Low: 19e6, Coverage: .95, Need: 5}
		gaps.Quantiles = append(gaps.Quantiles, analyze.Percentile{Quantile: q})
	}
	s.Measures.Values = append(s.Measures.Values, gaps)
	out["summary_defined"] = run("summary", "incident/").Summary(s)

	set := incident(60, never)
	peers := analyze.NewPeers(set, analyze.Options{Define: []string{"tpot_llmperf"}})
	e := analyze.Explain(set, slow(set, 0), peers, nil, 0)
	e.Facts.CachedTokens = 96
	e.Gaps = []analyze.RequestGaps{{Definition: itl, N: 3, Runs: []tokens.Run{{GapNS: 25e6, N: 2}, {GapNS: 70e6, N: 1}}, MeanNS: 40e6, MedianNS: 25e6, MostNS: 70e6}}
	out["explain_defined"] = run("explain", "incident/").Explain([]analyze.Explanation{e})
}

// TestMeasuresOfADocument holds that nothing is lost or made up on the way into a document.
func TestMeasuresOfADocument(t *testing.T) {
	docs := map[string]reports.Document{}
	defined(docs)
	schema := compiled(t)
	for name, d := range docs {
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := docs["summary_defined"].Summary.Measures
	if len(m.Values) != 4 || len(m.Rules) != 3 {
		t.Fatalf("%d measures, %d rules", len(m.Values), len(m.Rules))
	}
	for _, v := range m.Values {
		n := v.Requests
		for _, u := range v.Undefined {
			n += u.N
		}
		if n != docs["summary_defined"].Summary.Population.Used && v.ID != "itl" {
			t.Errorf("%s counts %d requests", v.ID, n)
		}
		if rules := map[bool]int{false: 1, true: 0}[v.ID == "itl"]; len(v.Rules) != rules {
			t.Errorf("%s has percentiles by %d rules", v.ID, len(v.Rules))
		}
		for _, r := range v.Rules {
			for i, q := range r.Percentiles {
				own := v.Percentiles[i]
				if q.Method != r.Rule || q.N != own.N || (q.Value == nil) != (own.Value == nil) || (q.Low == nil) != (own.Low == nil) || q.Exemplar != nil {
					t.Errorf("%s by %s: %+v", v.ID, r.Rule, q)
				}
			}
		}
		for _, q := range v.Percentiles {
			if (q.Value == nil) != (q.N < q.Need) || q.Exemplar != nil && (v.Of != "requests" || q.Value == nil) {
				t.Errorf("%s: %+v", v.ID, q)
			}
		}
		if (v.Mean == nil) != (v.N == 0) {
			t.Errorf("%s: n = %d, mean %+v", v.ID, v.N, v.Mean)
		}
		if v.Mean != nil && v.Mean.Low == nil && len(v.Warnings) == 0 {
			t.Errorf("the mean of %s has no interval and no reason", v.ID)
		}
	}
	r := docs["explain_defined"].Requests[0]
	if *r.CachedTokens != 96 || r.Outcome == "" || len(r.Measures) != 6 || len(r.Gaps) != 1 || *r.Gaps[0].MeanNS != 40e6 || r.Gaps[0].Runs[1].GapNS != 70e6 {
		t.Errorf("%+v %+v", r.Measures, r.Gaps)
	}
	for _, v := range r.Measures {
		if (v.Value == nil) != (v.Undefined != "") {
			t.Errorf("%+v", v)
		}
	}
}
