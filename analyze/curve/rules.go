package curve

import "math"

// The ids of the rules here.
const (
	MethodPower   = "power_max"
	MethodPlateau = "plateau95"
	MethodKneedle = "kneedle"
	MethodUsable  = "max_passing"
)

// edge is how many of the highest loads make the best one doubtful.
const edge = 2

// PowerMax returns the load with the greatest power: throughput over latency, which is X²/N
// since latency is N/X by Little's law (Kleinrock). It is the efficient point of operation
// and no limit. The least load wins a tie. When it is one of the two highest loads nothing
// shows that a higher one is not better, and the warning says so.
func PowerMax(points []Point) Knee {
	use, refused := ordered(points)
	k, enough := newKnee(MethodPower, use, refused, 1)
	if !enough {
		return k
	}
	use = merged(use)
	best, at := math.Inf(-1), 0
	for i, p := range use {
		if v := p.Throughput / p.InFlight * p.Throughput; v > best {
			best, at = v, i
		}
	}
	k.Reached, k.InFlight, k.Throughput = true, use[at].InFlight, use[at].Throughput
	if at >= len(use)-edge {
		k.warn(AtEdge, "the best load is one of the %d highest of %d: higher ones may be better", min(edge, len(use)), len(use))
	}
	return k
}

// plateauShare is the share of the greatest throughput that is called the plateau.
const plateauShare = 0.95

// Plateau returns the least load that reaches 95 % of the greatest throughput seen. It
// takes the greatest one for the limit, so it always answers, and the warning says when
// that is one of the two highest loads.
func Plateau(points []Point) Knee {
	use, refused := ordered(points)
	k, enough := newKnee(MethodPlateau, use, refused, 1)
	if !enough {
		return k
	}
	use = merged(use)
	top := 0.0
	for _, p := range use {
		top = max(top, p.Throughput)
	}
	for i, p := range use {
		if p.Throughput >= plateauShare*top {
			k.Reached, k.InFlight, k.Throughput = true, p.InFlight, p.Throughput
			if i >= len(use)-edge {
				k.warn(AtEdge, "the plateau begins at one of the %d highest of %d loads: it may not be one", min(edge, len(use)), len(use))
			}
			break
		}
	}
	return k
}

// sensitivity is Kneedle's S: how far below its peak the difference must fall, in mean
// steps of load.
const sensitivity = 1

// flat is the difference of two numbers of the order of 1 that counts as rounding.
const flat = 1e-12

// Kneedle returns the knee by the rule of Satopää et al. with S = 1: both axes are
// normalised to 0..1; where throughput less load has a peak and then falls below the peak
// by more than the mean step of load before it rises to another, the peak is the knee;
// from a trough on, falling below 0 is enough. It finds knees in curves that never
// saturated: read it with [BrokenStick].
func Kneedle(points []Point) Knee {
	use, refused := ordered(points)
	k, enough := newKnee(MethodKneedle, use, refused, 3)
	if !enough {
		return k
	}
	use = merged(use)
	n := len(use)
	low, high := use[0].Throughput, use[0].Throughput
	for _, p := range use {
		low, high = min(low, p.Throughput), max(high, p.Throughput)
	}
	first, span := use[0].InFlight, use[n-1].InFlight-use[0].InFlight
	if high == low {
		k.warn(NoKnee, "throughput is the same at every load")
		return k
	}
	diff := make([]float64, n)
	for i, p := range use {
		diff[i] = (p.Throughput-low)/(high-low) - (p.InFlight-first)/span
	}
	step := 1 / float64(n-1)
	peak, threshold := -1, 0.0
	for i := 0; i+1 < n; i++ {
		falls := diff[i+1] < diff[i]-flat
		rose := rising(diff, i)
		switch {
		case rose > 0 && falls:
			peak, threshold = i, diff[i]-float64(sensitivity*step)
		case rose < 0 && diff[i+1] > diff[i]+flat && peak >= 0:
			threshold = 0
		}
		if peak >= 0 && diff[i+1] < threshold-flat {
			k.Reached, k.InFlight, k.Throughput = true, use[peak].InFlight, use[peak].Throughput
			return k
		}
	}
	k.warn(NoKnee, "no peak of the difference curve is followed by a fall of one mean step")
	return k
}

// rising tells how a curve came to a point: from below 1, from above -1, and 0 when it was
// flat from the beginning.
func rising(v []float64, i int) int {
	for j := i; j > 0; j-- {
		switch {
		case v[i] > v[j-1]+flat:
			return 1
		case v[i] < v[j-1]-flat:
			return -1
		}
	}
	return 0
}

// Load is a point with the latency that its requests had.
type Load struct {
	Point
	LatencyNS int64 // of the percentile that the limit is for, ns
}

// Usable returns the load of greatest throughput among those whose latency is below a
// limit, or at most it when orEqual is true; the least load of equal ones. It is biased
// upwards when the loads are short windows of changing traffic, since chance makes some
// of them pass.
func Usable(loads []Load, limitNS int64, orEqual bool) Knee {
	k := Knee{Method: MethodUsable}
	for _, l := range loads {
		use, _ := ordered([]Point{l.Point})
		k.Points += len(use)
		if len(use) == 0 || l.LatencyNS > limitNS || l.LatencyNS == limitNS && !orEqual {
			continue
		}
		if !k.Reached || l.Throughput > k.Throughput || l.Throughput == k.Throughput && l.InFlight < k.InFlight {
			k.Reached, k.InFlight, k.Throughput = true, l.InFlight, l.Throughput
		}
	}
	k.leftOut(len(loads) - k.Points)
	if !k.Reached {
		k.warn(NoKnee, "none of %d loads keeps the limit", k.Points)
	}
	return k
}
