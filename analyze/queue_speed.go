package analyze

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Speed splits what the slow requests take longer than the usual ones in prefill or decode,
// exactly: Excess = Work + Slower, in ns a request. Work is what more tokens take and Slower
// what a slower token takes, by [attribution.WorkOrSpeed].
type Speed struct {
	Detail string // prefill, by prompt tokens, or decode, by output tokens
	// Uncached says that the tokens are those of the prompt that had to be computed: all less
	// those that were in a cache. It takes that of every request that is compared.
	Uncached               bool
	Slow, Usual            int64 // requests with both: of the tail, and of the body
	Excess, Work, Slower   int64 // ns
	SlowTokens, BodyTokens float64
	SlowRate, BodyRate     float64 // ns a token
}

// speeds splits the time on the device of the tail and of the body.
func (t *queueTail) speeds() (out []Speed) {
	r := &t.set.Requests
	if took, ok := t.took("prefill"); ok {
		s, split := Speed{}, false
		if computed := t.uncached(); computed != nil {
			s, split = t.speed(took, computed)
			s.Uncached = true
		}
		if !split {
			s, split = t.speed(took, r.PromptTokens)
		}
		if split {
			s.Detail = "prefill"
			out = append(out, s)
		}
	}
	if took, ok := t.took("decode"); ok {
		if s, split := t.speed(took, r.OutputTokens); split {
			s.Detail = "decode"
			out = append(out, s)
		}
	}
	return out
}

// took returns the time on the device of every request under a detail, in ns; false when
// there is none.
func (t *queueTail) took(name string) ([]int64, bool) {
	seg := &t.set.Segments
	detail, ok := t.set.Symbols.Lookup(name)
	if !ok {
		return nil, false
	}
	took := make([]int64, t.set.Requests.Len())
	for i, row := range seg.RequestRow {
		if seg.Detail[i] == detail && stage.Stage(seg.Stage[i]) == stage.GPU && critical.Target(seg.Target[i]) == critical.End && row >= 0 && int(row) < len(took) {
			took[row] += seg.Duration[i]
		}
	}
	return took, true
}

// speed splits a time by tokens; false when that cannot be done, or nothing took any time.
func (t *queueTail) speed(took, tokens []int64) (Speed, bool) {
	var tail, body attribution.Done
	for _, row := range t.rows {
		if tokens[row] == table.Missing {
			continue
		}
		if t.slow[row] {
			tail.Add(took[row], tokens[row])
		}
		if t.body[row] {
			body.Add(took[row], tokens[row])
		}
	}
	split, ok := attribution.WorkOrSpeed(tail, body)
	if !ok || split.Excess.Sign() == 0 && split.TailRate.Sign() == 0 {
		return Speed{}, false
	}
	s := Speed{Slow: tail.N, Usual: body.N, Excess: stat.RoundRat(split.Excess)}
	parts := stat.RoundParts([]*big.Rat{split.Work, split.Speed}, s.Excess)
	s.Work, s.Slower = parts[0], parts[1]
	s.SlowTokens, _ = split.TailTokens.Float64()
	s.BodyTokens, _ = split.BodyTokens.Float64()
	s.SlowRate, _ = split.TailRate.Float64()
	s.BodyRate, _ = split.BodyRate.Float64()
	return s, true
}

// uncached returns the prompt tokens of every request less those that were in a cache; nil
// unless that is known of every request of the tail and of the body whose prompt is. Else some
// would be measured by one number of tokens and some by another.
//
// A request's spans say it: those on its path, and its root. Of several the least counts,
// since what one engine had in its cache another may have had to compute.
func (t *queueTail) uncached() []int64 {
	r, spans, seg := &t.set.Requests, &t.set.Spans, &t.set.Segments
	cached := make([]int64, r.Len())
	for row := range cached {
		cached[row] = table.Missing
	}
	see := func(row, span int32) {
		if row < 0 || int(row) >= len(cached) || span < 0 || int(span) >= spans.Len() {
			return
		}
		if n := spans.CachedTokens[span]; n >= 0 && n <= r.PromptTokens[row] && (cached[row] == table.Missing || n < cached[row]) {
			cached[row] = n
		}
	}
	for row, span := range r.RootRow {
		see(int32(row), span)
	}
	for i, row := range seg.RequestRow {
		see(row, seg.SpanRow[i])
	}
	out := make([]int64, r.Len())
	for row := range out {
		out[row] = table.Missing
	}
	for _, row := range t.rows {
		switch {
		case !t.slow[row] && !t.body[row], r.PromptTokens[row] == table.Missing:
		case cached[row] == table.Missing:
			return nil
		default:
			out[row] = r.PromptTokens[row] - cached[row]
		}
	}
	return out
}
