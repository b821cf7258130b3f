package clock

import "math"

const (
	// farthestInstant is the largest distance from 1970 of an instant that counts,
	// about 146 years in ns; differences of two such instants fit into an int64.
	farthestInstant = 1 << 62
	// farthestOffset is the largest offset that counts, about 73 years in ns: more
	// than a clock that counts from its boot is away from the date.
	farthestOffset = 1 << 61
)

// Exchange is what one call says of two clocks: the clock of Server minus the clock of
// Caller was at most High ns when the call began, and at least Low ns when it ended.
type Exchange struct {
	Caller, Server string
	// At is when the call began, on the clock of Caller, in ns.
	At, Low, High int64
	// Until is when it ended, on the same clock. One before At counts as At.
	Until int64
}

// Observe returns what a call says of the clocks of its two ends. The four times are
// in ns, each on its own end's clock; errorNS is the sum of the errors of one stamp of
// the caller and one of the server, in ns, and widens the bounds both ways.
//
// ok is false where the server's time does not fit into the caller's, wherever it is
// put: a retry, a wrong parent, a proxy that ended its span with the headers, or clocks
// that drift apart by more, during the call, than it spent on the way. Such a call
// bounds nothing. It is false, too, for times that end before they start and for
// times or offsets beyond any clock.
//
// The bounds are those of Cristian's two-way exchange.
func Observe(caller, server string, callerStart, callerEnd, serverStart, serverEnd, errorNS int64) (x Exchange, ok bool) {
	if callerEnd < callerStart || serverEnd < serverStart || errorNS < 0 || errorNS > farthestOffset {
		return Exchange{}, false
	}
	for _, at := range [...]int64{callerStart, callerEnd, serverStart, serverEnd} {
		if !instant(at) {
			return Exchange{}, false
		}
	}
	x = Exchange{
		Caller: caller, Server: server, At: callerStart, Until: callerEnd,
		Low:  add(serverEnd-callerEnd, -errorNS),
		High: add(serverStart-callerStart, errorNS),
	}
	if !x.bounds() {
		return Exchange{}, false
	}
	return x, true
}

// bounds says whether the exchange holds an interval between two instants of this age.
func (x Exchange) bounds() bool {
	return x.Low <= x.High && instant(x.At) && instant(max(x.At, x.Until)) && offset(x.Low) && offset(x.High)
}

func instant(at int64) bool { return -farthestInstant < at && at < farthestInstant }

func offset(by int64) bool { return -farthestOffset < by && by < farthestOffset }

// add returns a + b, or the end of the range that the sum passes.
func add(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}
