package reports

import (
	"cmp"
	"math"

	"github.com/tailpath/tailpath/analyze"
)

// Tradeoff sets the time to the first token against the gaps between tokens, by window.
type Tradeoff struct {
	Why      string `json:"why"` // why there is nothing; empty when there is
	WindowNS int64  `json:"window_ns"`
	Windows  int64  `json:"windows"`  // whole ones
	Measured int64  `json:"measured"` // of them, with a P95 of both
	Metric   string `json:"metric"`   // that the TTFT is set against: itl, icl or tpot; empty for none
	// Substituted says why it is not the gaps; empty when it is.
	Substituted  string                `json:"substituted"`
	Prefill      string                `json:"prefill"`    // how prompt tokens are put into windows: prefill or first_token; empty for unknown
	NoPrefill    string                `json:"no_prefill"` // why they are unknown
	Points       []TradeoffPoint       `json:"points"`     // none where there are very many
	Correlations []TradeoffCorrelation `json:"correlations"`
	Judged       int64                 `json:"judged"`        // windows that were set against the one before
	Better       int64                 `json:"ttft_improved"` // of them, with TTFT better and the other worse
	Worse        int64                 `json:"ttft_worsened"` // and the reverse
	Moves        []TradeoffMove        `json:"moves"`         // the largest of both, in order of time
	Rule         string                `json:"rule"`
}

// TradeoffPoint is one window; null for what is unknown or of too few.
type TradeoffPoint struct {
	FromNS      int64    `json:"from_ns"`
	PrefillRate *float64 `json:"prefill_tokens_per_s"`
	TTFTNS      *int64   `json:"ttft_p95_ns"`
	TTFTN       int64    `json:"ttft_n"`
	GapNS       *int64   `json:"gap_p95_ns"`
	GapN        int64    `json:"gap_n"`
}

// TradeoffCorrelation is Spearman's rho over the windows; null where there is none.
type TradeoffCorrelation struct {
	Of        string    `json:"of"`
	With      string    `json:"with"`
	Rho       *Figure   `json:"rho"`
	P         float64   `json:"p"`
	Effective float64   `json:"effective_n"` // what the windows are worth, being like those beside them
	Warnings  []Warning `json:"warnings"`
}

// TradeoffMove is a window in which one got better and the other worse than right before.
type TradeoffMove struct {
	FromNS      int64    `json:"from_ns"`
	Improved    string   `json:"improved"` // ttft or the other metric
	TTFTBefore  int64    `json:"ttft_p95_before_ns"`
	TTFT        int64    `json:"ttft_p95_ns"`
	TTFTN       int64    `json:"ttft_n"`
	GapBefore   int64    `json:"gap_p95_before_ns"`
	Gap         int64    `json:"gap_p95_ns"`
	GapN        int64    `json:"gap_n"`
	RateBefore  *float64 `json:"prefill_tokens_before_per_s"`
	PrefillRate *float64 `json:"prefill_tokens_per_s"`
	P           float64  `json:"p"` // of the likelier of both differences
	Adjusted    float64  `json:"q"` // that over all windows that were judged
}

// tradeoffPoints is the most windows that a document holds: a day of minutes.
const tradeoffPoints = 1440

// interference is the stalling of a system; where nothing was asked, nothing can be said.
func interference(s analyze.Stalling) Stalling {
	s.Verdict.Kind = cmp.Or(s.Verdict.Kind, analyze.KindTooFew)
	return stalling(s)
}

func tradeoff(t analyze.Tradeoff) Tradeoff {
	out := Tradeoff{
		Why: t.Why, WindowNS: t.WindowNS, Windows: t.Windows, Measured: t.Measured, Metric: t.Metric, Substituted: t.Substituted,
		Prefill: spelled(t.Prefill), NoPrefill: t.NoPrefill, Points: []TradeoffPoint{}, Correlations: []TradeoffCorrelation{}, Judged: t.Judged,
		Better: t.Better, Worse: t.Worse, Moves: []TradeoffMove{}, Rule: t.Rule,
	}
	if len(t.Points) <= tradeoffPoints {
		for i := range t.Points {
			p := &t.Points[i]
			out.Points = append(out.Points, TradeoffPoint{p.FromNS, figure(p.PrefillRate), valueOf(p.TTFT), p.TTFT.N, valueOf(p.Gap), p.Gap.N})
		}
	}
	for _, c := range t.Correlations {
		out.Correlations = append(out.Correlations, TradeoffCorrelation{c.Of, c.With, bounded(c.Estimate), c.P, c.Effective, warnings(c.Warnings)})
	}
	for i := range t.Listed {
		m := &t.Listed[i]
		improved := t.Metric
		if m.TTFTBetter {
			improved = "ttft"
		}
		out.Moves = append(out.Moves, TradeoffMove{
			FromNS: m.FromNS, Improved: improved, TTFTBefore: m.TTFT[0], TTFT: m.TTFT[1], TTFTN: m.TTFTN[1], GapBefore: m.Gap[0], Gap: m.Gap[1], GapN: m.GapN[1],
			RateBefore: figure(m.PrefillRate[0]), PrefillRate: figure(m.PrefillRate[1]), P: math.Max(m.ChanceTTFT, m.ChanceGap), Adjusted: m.Adjusted,
		})
	}
	return out
}
