package capacity

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Kind is how much can be said of the capacity.
type Kind string

// The kinds.
const (
	// Reached: a higher rate was seen to fail, so the capacity is known from both sides.
	Reached Kind = "reached"
	// NotReached: the highest rate that passes was carried, and no rate was seen to fail.
	NotReached Kind = "not-reached"
	// CannotSay: no rate was seen to pass. Why says what is missing.
	CannotSay Kind = "cannot-say"
)

// Why is the reason that nothing can be said.
type Why string

// The reasons.
const (
	NoTarget       Why = "no-target"         // the target is no share
	NoRequests     Why = "no-requests"       // none that can be
	TooFewWindows  Why = "too-few-windows"   // no rate was held in enough windows
	TooFewRequests Why = "too-few-requests"  // no bin has as many as the target needs
	LowestFails    Why = "lowest-rate-fails" // the capacity is below all that was seen
	Undecided      Why = "undecided"         // the lowest rates could pass or fail
)

// The methods of a rate.
const (
	MethodFit  = "logit-fit"  // lower bound of where a line through the windows near it meets the target
	MethodBins = "bin"        // mean rate of the last bin that passes
	MethodHeld = "bin-around" // the same with the windows before and after, if that is less
)

// Answer is what can be said of the capacity.
type Answer struct {
	Kind Kind
	Why  Why    // of [CannotSay]
	Text string // a sentence
	// Rate is what the system carries within the objective, requests a second: of [Reached]
	// the capacity, of [NotReached] a rate that the capacity is not below.
	Rate float64
	// TokenRate is output tokens a second at Rate, with the tokens a request has in the last
	// bin that passes.
	TokenRate float64
	Method    string
	// Estimate is the capacity without caution, by [MethodFit]; 0 by others. Rate is its lower
	// bound by resampling windows; the package comment says how good a bound it was.
	Estimate float64
	// Pass is the mean rate of the last bin that passes and Fail that of the first bin that
	// fails, 0 without one. Rate need not lie between them: it stands on more windows.
	Pass, Fail float64
	// PassBin and FailBin are the places of those bins, -1 without one.
	PassBin, FailBin int
	// NeedWindows and NeedRequests are what a bin would need, in all, for an answer, as far
	// as more of the same would give one; 0 where more would not.
	NeedWindows, NeedRequests int64
}

func (r *Result) cannotSay(why Why, format string, args ...any) {
	r.Kind, r.Why, r.Text = CannotSay, why, fmt.Sprintf(format, args...)
	r.PassBin, r.FailBin = -1, -1
}

// answer walks up the bins to the first that fails.
func (r *Result) answer(target float64, o Options) {
	pass, fail, lowest := -1, -1, -1
	for i := range r.Bins {
		switch v := r.Bins[i].Verdict; {
		case v == Thin:
			continue
		case fail < 0 && v == Fails:
			fail = i
		case fail < 0 && v == Passes:
			pass = i
		case v == Passes:
			r.warn(NotMonotone, "%.4g requests a second pass although %.4g fail: something else than the rate makes requests miss", r.Bins[i].Rate, r.Bins[fail].Rate)
		}
		if lowest < 0 {
			lowest = i
		}
	}
	switch {
	case lowest < 0:
		r.thin(o)
		return
	case pass < 0:
		r.nonePasses(lowest, fail, target)
		return
	}
	last := &r.Bins[pass]
	r.PassBin, r.FailBin, r.Pass = pass, fail, last.Rate
	if fail < 0 {
		r.Kind, r.Method, r.Rate = NotReached, MethodHeld, min(last.Rate, held(r.Windows, last.of))
		r.Text = fmt.Sprintf("at least %.4g requests a second: the limit was not reached", r.Rate)
		if above := len(r.Bins) - 1; above > pass {
			r.Text += fmt.Sprintf("; rates up to %.4g were seen, too seldom to tell", r.Bins[above].High)
		}
	} else {
		r.Kind, r.Fail = Reached, r.Bins[fail].Rate
		r.Rate, r.Method = r.Pass, MethodBins
		for _, reach := range []float64{near, lessNear} {
			if rate, low, ok := meets(r.Windows, r.Pass, r.Fail, reach, target, o); ok {
				r.Rate, r.Estimate, r.Method = min(low, r.Fail), rate, MethodFit
				break
			}
		}
		r.Text = fmt.Sprintf("%.4g requests a second: %.4g pass and %.4g fail", r.Rate, r.Pass, r.Fail)
	}
	r.TokenRate = r.Rate / last.Rate * last.TokenRate
}

// thin says why no bin could be asked.
func (r *Result) thin(o Options) {
	need := stat.Minimum(o.Target).OneSided
	most, requests, arrivals := 0, int64(0), 0.0
	for _, b := range r.Bins {
		most, requests = max(most, b.Windows), max(requests, b.Eligible)
		arrivals = max(arrivals, float64(b.Requests)/float64(b.Windows))
	}
	switch {
	case len(r.Windows) == 0:
		r.cannotSay(NoRequests, "there are no requests")
	case most > 0 && arrivals < leastArrivals:
		r.cannotSay(TooFewRequests, "windows of %.4g s have %s at most, and take %d for a rate that is not chance: longer windows, or a longer capture, would tell",
			float64(o.WindowNS)/1e9, plural(fmt.Sprintf("%.3g", arrivals), "request"), leastArrivals)
	case most == 0 && len(r.Windows) == 1:
		r.cannotSay(TooFewWindows, "the only window of %.4g s is not whole, or has a backlog, and %d at about the same rate are needed: a longer capture would tell",
			float64(o.WindowNS)/1e9, o.LeastWindows)
	case most == 0:
		r.cannotSay(TooFewWindows, "none of the %d windows of %.4g s is whole and without a backlog, and %d at about the same rate are needed: a longer capture would tell",
			len(r.Windows), float64(o.WindowNS)/1e9, o.LeastWindows)
	case most < o.LeastWindows:
		r.cannotSay(TooFewWindows, "no rate was held for longer than %s of %.4g s, and %d are needed: a longer capture would tell",
			plural(strconv.Itoa(most), "window"), float64(o.WindowNS)/1e9, o.LeastWindows)
	default:
		r.cannotSay(TooFewRequests, "at most %s at about the same rate can be asked, and %s of them to be good takes %d or more", plural(strconv.FormatInt(requests, 10), "request"), o.Target.Percent()+" %", need)
	}
	r.NeedWindows, r.NeedRequests = int64(o.LeastWindows), need
}

// plural writes a number, as it is written, of things.
func plural(number, thing string) string {
	if number == "1" {
		return "1 " + thing
	}
	return number + " " + thing + "s"
}

// nonePasses says why no bin passes when some were asked.
func (r *Result) nonePasses(lowest, fail int, target float64) {
	if fail == lowest {
		b := &r.Bins[fail]
		r.cannotSay(LowestFails, "%.4g requests a second, the lowest rate that was held, already fail: the capacity is less", b.Rate)
		r.FailBin, r.Fail = fail, b.Rate
		return
	}
	best := &r.Bins[lowest]
	for i := range r.Bins {
		if b := &r.Bins[i]; (fail < 0 || i < fail) && b.Verdict == Doubtful && b.Attainment > best.Attainment {
			best = b
		}
	}
	r.cannotSay(Undecided, "attainment at %.4g requests a second is between %.4g and %.4g, and the target is %.4g", best.Rate, best.Lower, best.Upper, target)
	if fail >= 0 {
		r.FailBin, r.Fail = fail, r.Bins[fail].Rate
	}
	if best.Attainment > target {
		// A bound draws nearer with the root of the number.
		distance := (best.Attainment - best.Lower) / (best.Attainment - target)
		more := distance * distance
		r.NeedWindows, r.NeedRequests = times(best.Windows, more), times(best.Eligible, more)
		r.Text += fmt.Sprintf(": about %d such requests would pass", r.NeedRequests)
	}
}

// times multiplies a number, up to the greatest.
func times[N int | int64](n N, by float64) int64 {
	v := math.Ceil(float64(n) * by)
	if v < math.MaxInt64 {
		return int64(v)
	}
	return math.MaxInt64
}
