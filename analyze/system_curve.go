package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// What curves are of.
const (
	ofRequests     = "requests"
	ofOutputTokens = "output tokens"
)

// leastCounted is the share of the answered requests that must tell their output tokens.
const leastCounted = 0.9

// arrivals are the requests of a capture that ended, in order of their start, and how many
// had started and ended before any time.
type arrivals struct {
	starts, durations []int64 // of request i
	ends              []int64 // in order
}

func (c *captured) arrivals() arrivals {
	req := &c.set.Requests
	rows := slices.Clone(c.rows)
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(req.Start[a], req.Start[b]), cmp.Compare(req.End[a], req.End[b]))
	})
	var a arrivals
	for _, row := range rows {
		a.starts, a.durations, a.ends = append(a.starts, req.Start[row]), append(a.durations, req.End[row]-req.Start[row]), append(a.ends, req.End[row])
	}
	slices.Sort(a.ends)
	return a
}

// in returns the places of those that start in [from, to).
func (a *arrivals) in(from, to int64) (first, end int) {
	first, _ = slices.BinarySearch(a.starts, from)
	end, _ = slices.BinarySearch(a.starts, to)
	return first, end
}

// inFlight returns how many had started before an instant and had not ended.
func (a *arrivals) inFlight(at int64) int64 {
	started, _ := slices.BinarySearch(a.starts, at)
	ended, _ := slices.BinarySearch(a.ends, at+1)
	// One that takes no time and starts at the instant has ended, and not started before.
	for i := started; i < len(a.starts) && a.starts[i] == at && a.durations[i] == 0; i++ {
		ended--
	}
	return int64(started - ended)
}

// curves returns throughput against the number in flight, in requests and in output tokens, over
// windows of a length, which fits what they need or not.
func (c *captured) curves(r *serving.Result, windowNS int64, fits bool) []Curve {
	a := c.arrivals()
	of := func(what string, reason string, throughput func(w *serving.Window) float64) Curve {
		switch {
		case len(r.Windows) == 0:
			reason = "there are no windows"
		case !fits:
			reason = fmt.Sprintf("a window must be as long as a request takes on average, and hold %d that end: %s, the longest, is too short", leastCompletions, inUnit(windowNS))
		}
		if reason != "" {
			return Curve{Of: what, Reason: reason}
		}
		out, used := a.curve(what, r.Windows, throughput)
		if out.Reason == "" {
			if why := c.unlike(r.Windows, used); why != "" {
				out.none(why)
			}
		}
		if out.Knee.Reached {
			if law := curve.FitUSL(out.fitted()); law.Fitted {
				out.USL = &law
			}
		}
		return out
	}
	t := c.told()
	requests := of(ofRequests, "", func(w *serving.Window) float64 { return w.CompletionRate() })
	tokens := of(ofOutputTokens, t.reason(), func(w *serving.Window) float64 { return w.OutputRate(r.Output) })
	requests.Told, requests.Answered = t.answered, t.answered
	tokens.Told, tokens.Answered, tokens.AtLeast = t.told, t.answered, t.missing > 0
	return []Curve{requests, tokens}
}

// fitted returns the points as rules take them.
func (c *Curve) fitted() []curve.Point {
	points := make([]curve.Point, len(c.Points))
	for i := range c.Points {
		p := &c.Points[i]
		points[i] = curve.Point{InFlight: p.InFlight, Throughput: p.Throughput, Windows: p.Windows}
	}
	return points
}

// counted says of how many requests the output tokens are known.
type counted struct {
	answered, told int64
	missing        int64 // requests that may have given tokens which nobody counted
}

// told counts requests whose output tokens are known. Those that failed before a first token
// gave none.
func (c *captured) told() (t counted) {
	req := &c.set.Requests
	for _, row := range c.rows {
		known := req.OutputTokens[row] >= 0
		if answered := !req.Error[row] && !req.Aborted[row]; answered {
			t.answered++
			if known {
				t.told++
			}
		} else if req.FirstToken[row] == table.Missing && !req.Aborted[row] {
			continue
		}
		if !known {
			t.missing++
		}
	}
	return t
}

// reason says why output tokens make no curve, "" when they do.
func (t counted) reason() string {
	switch {
	case t.told == 0:
		return "no output tokens are recorded"
	case float64(t.told) < leastCounted*float64(t.answered):
		return fmt.Sprintf("output tokens are recorded of %d of %d answered requests", t.told, t.answered)
	}
	return ""
}

// curve makes a curve of windows, and returns the places of those that are in its points.
func (a *arrivals) curve(what string, windows []serving.Window, throughput func(w *serving.Window) float64) (Curve, []int) {
	list := make([]curve.Window, len(windows))
	for i := range windows {
		w := &windows[i]
		first, end := a.in(w.FromNS, w.ToNS)
		list[i] = curve.Window{
			FromNS: w.FromNS, ToNS: w.ToNS, InFlight: w.InFlight.Mean(), InFlightAtStart: a.inFlight(w.FromNS),
			Arrivals: w.ArrivalRate(), Completions: w.CompletionRate(), Throughput: throughput(w), N: int64(end - first), Edge: w.Edge, Partial: w.Partial,
		}
		if end > first {
			list[i].MeanNS = stat.SumOf(a.durations[first:end]...).MeanRounded(int64(end - first))
		}
	}
	binned := curve.Windowed(list)
	points := binned.Points()
	out := Curve{Of: what, Knee: curve.BrokenStick(points), Power: curve.PowerMax(points)}
	for _, reason := range curve.Reasons() {
		if n := binned.LeftOut(reason); n > 0 {
			out.LeftOut = append(out.LeftOut, Count{string(reason), n})
		}
	}
	var used []int
	for i := range binned.Bins {
		b := &binned.Bins[i]
		out.Unsteady, out.Overloaded = out.Unsteady+b.Unsteady, out.Overloaded+b.Overloaded
		out.Points = append(out.Points, a.point(b, windows))
		used = append(used, b.Windows...)
	}
	if len(out.Points) == 0 {
		out.Reason = fmt.Sprintf("no number in flight was seen in enough windows, of %d: a point takes several", len(windows))
	}
	return out, used
}

// point returns a bin with the durations of the requests that arrived in its windows.
func (a *arrivals) point(b *curve.Bin, windows []serving.Window) CurvePoint {
	p := CurvePoint{From: b.From, To: b.To, Windows: int64(len(b.Windows)), InFlight: b.InFlight, Arrivals: b.Arrivals, Throughput: b.Throughput}
	var durations []int64
	for _, i := range b.Windows {
		first, end := a.in(windows[i].FromNS, windows[i].ToNS)
		durations = append(durations, a.durations[first:end]...)
	}
	slices.Sort(durations)
	if p.N = int64(len(durations)); p.N > 0 {
		p.MeanNS = stat.SumOf(durations...).MeanRounded(p.N)
	}
	p.P50, p.P99 = stat.QuantileOf(durations, stat.P50), stat.QuantileOf(durations, stat.P99)
	return p
}
