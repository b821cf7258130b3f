package serving

import "github.com/tailpath/tailpath/analyze/stat"

// Lengths are percentiles of how many tokens requests have, over the N that tell it. All of it
// may be unknown.
type Lengths struct {
	P50, P95 Maybe[int64]
	// Low and High are the ends of the 95 % interval of P50, by order statistics, which take
	// requests for independent. They are unknown of fewer than six requests, and where these
	// stand for different numbers of others.
	Low, High Maybe[int64]
	N         Maybe[int64]
}

// LengthsOf returns the lengths of requests by their numbers of tokens, which it moves about.
func LengthsOf(tokens []int64) (l Lengths) {
	n := int64(len(tokens))
	if n == 0 {
		return l
	}
	l.N = Is(n)
	l.P50, l.P95 = percentiles(tokens, stat.P95)
	l.Low, l.High = stated(stat.SelectInterval(tokens, stat.P50))
	return l
}

func stated(low, high int64, known bool) (Maybe[int64], Maybe[int64]) {
	if !known {
		return Maybe[int64]{}, Maybe[int64]{}
	}
	return Is(low), Is(high)
}

// in writes a median with what it is worth, and whose it is.
func (l Lengths) in(name string) string {
	text := l.P50.String()
	switch {
	case l.Low.Known && l.High.Known:
		text += " (95 % " + l.Low.String() + " to " + l.High.String() + "; n = " + l.N.String() + ")"
	case l.N.Known:
		text += " (no interval; n = " + l.N.String() + ")"
	}
	return text + " in " + name
}
