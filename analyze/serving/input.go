package serving

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Unknown stands for a time or a count that was not recorded.
const Unknown = math.MinInt64

// NoEngine is the engine of a request or an interval of which none is known; so is any
// number below 0.
const NoEngine = -1

// Request is one request as the outermost span saw it.
type Request struct {
	StartNS int64
	// EndNS is Unknown for a request that had not ended, or lost its end: it arrives and its
	// tokens come, but it is not in flight, for nothing says for how long it was.
	EndNS        int64
	FirstTokenNS int64 // or Unknown
	InputTokens  int64 // or Unknown
	OutputTokens int64 // or Unknown
	Engine       int   // that served it, or NoEngine
}

// What is what a request does in an interval.
type What uint8

// The kinds of interval. All but GPU are waits for what their names say.
const (
	GPU      What = iota // execution on the device
	Gateway              // waits in front of the engines: connection pool, rate limit
	Queue                // waits in the engine's queue
	Host                 // scheduling and other host work: tokenising, IPC, batch forming
	Transfer             // copies between host and device, or of KV between instances

	whats = iota
)

// BackOff is when a client waits before it tries its request again. The request is in
// flight, but it waits for nothing that the system has and runs nowhere: it is at no engine,
// takes no slot, and is neither among those that wait nor among those that run.
const BackOff What = whats

var whatNames = [whats]string{"gpu", "gateway", "queue", "host", "transfer"}

// String returns the name of the kind.
func (w What) String() string {
	switch {
	case int(w) < whats:
		return whatNames[w]
	case w == BackOff:
		return "back-off"
	}
	return "unknown"
}

// Kinds is a set of kinds of interval.
type Kinds uint8

// Everything is all kinds.
const Everything Kinds = 1<<whats - 1

// KindsOf returns the set of some kinds.
func KindsOf(list ...What) (k Kinds) {
	for _, w := range list {
		if int(w) < whats {
			k |= 1 << w
		}
	}
	return k
}

// Has reports whether a kind is in the set.
func (k Kinds) Has(w What) bool { return int(w) < whats && k&(1<<w) != 0 }

// Interval is a half-open interval [FromNS, ToNS) of one request. GPU intervals may also be
// of a whole batch.
type Interval struct {
	FromNS, ToNS int64
	Engine       int // or NoEngine
	What         What
}

// Sample is a reading of an engine. It holds until the next one of the same engine.
type Sample struct {
	AtNS   int64
	Engine int
	Value  float64
}

// Emission is some output tokens that a request gave at one time.
type Emission struct {
	Request int // index in Capture.Requests
	AtNS    int64
	Tokens  int64
}

// Capture is what was recorded. Times are ns of one clock, within 146 years (2^62 ns) of 0.
type Capture struct {
	// FromNS and ToNS are the window. Without one (ToNS <= FromNS) it is that of the requests,
	// from the first start to the last end, or of the intervals when there are no requests.
	FromNS, ToNS int64
	Requests     []Request
	Intervals    []Interval
	Emissions    []Emission
	Slots        []Sample // most requests that an engine runs at a time, above 0
	Stints       []Stint
	StintsOf     string // what one piece of their work is
	Preemptions  []Preemptions
	// KV is how full an engine's KV cache is, 0 to 1. A reading says nothing any more once it
	// is a minute old.
	KV []Sample
}

// Options say how to look at a capture.
type Options struct {
	WindowNS int64 // length of a window; 0 for 10 s
	// BlockNS is the length of the blocks of time that intervals are drawn from; 0 for none.
	BlockNS int64
	// Stretches are how many stretches of time engines' use is told of at most, as [Stretches]
	// takes them; none for no stretch.
	Stretches []int
	// Recorded names the kinds of interval that the source would have told of. Kinds of which
	// the capture has an interval are recorded in any case; without either, none is not 0 but
	// unknown.
	Recorded Kinds
	// Hidden is how much of the requests' time, in request-ns, intervals of a kind that was not
	// recorded can have had at most; unknown for any part of it.
	Hidden [whats]Maybe[stat.Sum]
	// Partial names what the system did that the capture does not have, each as a noun phrase:
	// "the requests that a filter leaves out". With any, figures are those of a part of the
	// system: they stay, nothing is decided on them, and how many wait is unknown.
	Partial []string
	// Replicas is true when all engines do the same work, and no request that one serves is at
	// another on its way. False is known when they do not; neither tells of skew then.
	Replicas Maybe[bool]
	// StampNS is how coarsely the starts of requests are stamped, the most of any; 0 when they
	// are exact.
	StampNS int64
}

// defaultWindow is the length of a window where none is asked for, ns.
const defaultWindow = 10_000_000_000

// Refused counts what could not be used, by reason.
type Refused struct {
	// Requests with times beyond the range, and with an end before the start: in no figure.
	RequestTimes, RequestsReversed int64
	// RequestsOutside have no part in the window.
	RequestsOutside int64
	// Unfinished requests have no end.
	Unfinished int64
	// TokenCounts are counts below 0, and FirstTokens first tokens outside their requests: both
	// then are unknown.
	TokenCounts, FirstTokens int64
	// Intervals that have times beyond the range, end before they start, have no length, are of
	// no known kind, or have no part in the window.
	IntervalTimes, IntervalsReversed, IntervalsEmpty, IntervalKinds, IntervalsOutside int64
	// Emissions of no request, of no token, or at no time of their request.
	Emissions int64
	// EmittedOther are requests whose emissions do not add up to their output tokens: when
	// their tokens came is unknown.
	EmittedOther int64
	// Samples of no engine, at times beyond the range, or with values that cannot be.
	Samples int64
	// Windows is 1 when the window that was asked for is beyond the range: that of the
	// requests is used.
	Windows int64
}

// reach bounds times, so that no difference of two overflows, nor of a time after one.
const reach = int64(1)<<62 - 1

func inReach(ns int64) bool { return ns >= -reach && ns < reach }

// lastNS returns the last ns of a request, which is in the window in which it completes: it
// ended before anything at its end began.
func (r *Request) lastNS() int64 { return max(r.StartNS, r.EndNS-1) }

// holds reports whether a token can have come at an instant: from the start to the end.
func (r *Request) holds(ns int64) bool {
	return inReach(ns) && ns >= r.StartNS && (r.EndNS == Unknown || ns <= r.EndNS)
}

// seenUntil returns the time after the last ns in which a request is known to be there: its
// end, or what follows the last token of one without end.
func (r *Request) seenUntil(emitted []Emission) int64 {
	to := r.StartNS + 1
	if r.EndNS != Unknown {
		return max(to, r.EndNS)
	}
	if r.holds(r.FirstTokenNS) {
		to = max(to, r.FirstTokenNS+1)
	}
	if n := len(emitted); n > 0 {
		to = max(to, emitted[n-1].AtNS+1)
	}
	return to
}

// within returns the instant of a token that counts for windows: one at the very end came
// with the request's last ns.
func (r *Request) within(ns int64) int64 {
	if r.EndNS == Unknown {
		return ns
	}
	return min(ns, r.lastNS())
}
