package attribution

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Done is what a group of requests did in a part: how long it took, in ns, and how much
// work it was, in tokens.
type Done struct {
	N            int64
	Time, Tokens stat.Sum
}

// Add adds one request.
func (d *Done) Add(ns, tokens int64) {
	d.N++
	d.Time.Add(ns)
	d.Tokens.Add(tokens)
}

// WorkSpeed splits the excess of a part whose time is tokens times time per token into
// what more tokens take and what slower tokens take. Excess = Work + Speed, exactly, in
// ns per request.
type WorkSpeed struct {
	Excess, Work, Speed *big.Rat
	// TailTokens and BodyTokens are the mean tokens of a request, TailRate and BodyRate the
	// time per token in ns: all time over all tokens, so that a request counts by its tokens.
	TailTokens, BodyTokens, TailRate, BodyRate *big.Rat
}

// WorkOrSpeed splits the excess of the tail over the body (the formula of Kitagawa):
// Work is the difference of mean tokens at the mean of both rates, Speed the difference
// of the rates at the mean of both token counts. A group that took no time for no
// tokens has no rate and takes that of the other: all is then Work. It returns false
// when a group has no requests, or took time for no tokens: nothing can be split then.
func WorkOrSpeed(tail, body Done) (WorkSpeed, bool) {
	if tail.N == 0 || body.N == 0 {
		return WorkSpeed{}, false
	}
	w := WorkSpeed{TailTokens: tail.Tokens.Mean(tail.N), BodyTokens: body.Tokens.Mean(body.N)}
	w.TailRate, w.BodyRate = tail.rate(), body.rate()
	switch {
	case w.TailRate == nil && tail.Time.Sign() != 0, w.BodyRate == nil && body.Time.Sign() != 0:
		return WorkSpeed{}, false
	case w.TailRate == nil && w.BodyRate == nil:
		w.TailRate, w.BodyRate = new(big.Rat), new(big.Rat)
	case w.TailRate == nil:
		w.TailRate = w.BodyRate
	case w.BodyRate == nil:
		w.BodyRate = w.TailRate
	}
	w.Excess = new(big.Rat).Sub(tail.Time.Mean(tail.N), body.Time.Mean(body.N))
	more, slower := new(big.Rat).Sub(w.TailTokens, w.BodyTokens), new(big.Rat).Sub(w.TailRate, w.BodyRate)
	w.Work = more.Mul(more, mid(w.TailRate, w.BodyRate))
	w.Speed = slower.Mul(slower, mid(w.TailTokens, w.BodyTokens))
	return w, true
}

// rate returns the time per token, nil without tokens.
func (d Done) rate() *big.Rat {
	if d.Tokens.Sign() <= 0 {
		return nil
	}
	return new(big.Rat).SetFrac(d.Time.Int(), d.Tokens.Int())
}
