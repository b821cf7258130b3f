package serving

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Definition is the id of a way to say when tokens were worked on.
type Definition string

// The ways. Both count tokens of the system, not of a request.
const (
	// TokensEmitted counts an output token when it came, and a prompt's tokens when the first
	// output token came, by which time all of them had been read.
	TokensEmitted Definition = "tokens_emitted"
	// TokensOfCompleted counts all tokens of a request when it completed.
	TokensOfCompleted Definition = "tokens_of_completed"
)

// Tokens are those of a window.
type Tokens struct {
	// Emitted are those that came in the window, of requests that tell when theirs came.
	Emitted stat.Sum
	// OfCompleted are those of requests that completed in the window; Counted is how many of
	// them told a number. Fewer than the completions make it a lower bound.
	OfCompleted stat.Sum
	Counted     int64
}

// by returns the tokens by a definition.
func (t Tokens) by(d Definition) stat.Sum {
	if d == TokensEmitted {
		return t.Emitted
	}
	return t.OfCompleted
}

// Generation is how fast requests got their tokens, as one user sees it: the
// generation_rate of each, (n - 1) / (last token - first token).
type Generation struct {
	N   int64   // completed requests that have one
	P50 float64 // tokens a second by nearest rank; 0 without any
}

// Window is what happened in [FromNS, ToNS).
type Window struct {
	FromNS, ToNS int64
	// Partial is true for a window that the end of the capture cuts: its rates stand on less
	// time.
	Partial bool
	// Edge is true for the first window and the last: what began before the capture, or ended
	// after it, is missing there.
	Edge        bool
	Arrivals    int64 // requests that start in the window
	Completions int64 // requests whose last ns is in it; one that ends at ToNS is here
	Output      Tokens
	Input       Tokens
	Generation  Generation
	InFlight    Level
	Waiting     Level // for a place: at the gateway and in engines' queues
	Running     Level // in flight, and neither waiting for a place nor backing off
}

// rate returns n a second of the window, 0 for no time.
func (w Window) rate(n stat.Sum) float64 {
	if w.ToNS <= w.FromNS {
		return 0
	}
	return n.Over(stat.SumOf(w.ToNS-w.FromNS)) * 1e9
}

// ArrivalRate returns arrivals a second.
func (w Window) ArrivalRate() float64 { return w.rate(stat.SumOf(w.Arrivals)) }

// CompletionRate returns completions a second.
func (w Window) CompletionRate() float64 { return w.rate(stat.SumOf(w.Completions)) }

// OutputRate returns output tokens of the system a second, by a definition.
func (w Window) OutputRate(d Definition) float64 { return w.rate(w.Output.by(d)) }

// InputRate returns prompt tokens of the system a second, by a definition.
func (w Window) InputRate(d Definition) float64 { return w.rate(w.Input.by(d)) }

// mostWindows is more than two weeks of windows of 10 s.
const mostWindows = 1 << 17

// grid is windows of one length from the start of a capture.
type grid struct {
	from, to, length int64
	windows          []Window
	rates            [][]float64
}

// newGrid lays windows; at most one when whole is true. It returns no window when there is
// no time, or when they would be too many.
func newGrid(from, to, length int64, whole bool) *grid {
	if whole {
		length = to - from
	}
	g := &grid{from: from, to: to, length: length}
	n := windowsIn(from, to, length)
	if n == 0 {
		return g
	}
	g.windows, g.rates = make([]Window, n), make([][]float64, n)
	for i := range g.windows {
		w := &g.windows[i]
		w.FromNS, w.ToNS = windowOf(i, from, to, length)
		w.Partial, w.Edge = w.ToNS-w.FromNS < length, i == 0 || i == n-1
	}
	return g
}

// windowsIn returns how many windows of a length there are in a time: none when there is no
// time, or when they would be too many.
func windowsIn(from, to, length int64) int {
	if length <= 0 || to <= from || (to-from-1)/length >= mostWindows {
		return 0
	}
	return int((to-from-1)/length) + 1
}

// windowOf returns where the i-th window of a length in a time begins and ends.
func windowOf(i int, from, to, length int64) (start, end int64) {
	start, end = from+int64(i)*length, to
	if to-start > length {
		end = start + length
	}
	return start, end
}

// at returns the index of the window that holds an instant, false when none does.
func (g *grid) at(ns int64) (int, bool) {
	if len(g.windows) == 0 || ns < g.from || ns >= g.to {
		return 0, false
	}
	return int((ns - g.from) / g.length), true
}

// book counts what a request did at instants. last is the time of its last token.
func (g *grid) book(r *Request, emitted []Emission, told bool, last int64) {
	if i, in := g.at(r.StartNS); in {
		g.windows[i].Arrivals++
	}
	if told {
		for _, e := range emitted {
			if i, in := g.at(r.within(e.AtNS)); in {
				g.windows[i].Output.Emitted.Add(e.Tokens)
			}
		}
	}
	if r.FirstTokenNS != Unknown && r.InputTokens != Unknown {
		if i, in := g.at(r.within(r.FirstTokenNS)); in {
			g.windows[i].Input.Emitted.Add(r.InputTokens)
		}
	}
	if r.EndNS == Unknown {
		return
	}
	i, in := g.at(r.lastNS())
	if !in {
		return
	}
	w := &g.windows[i]
	w.Completions++
	count := func(t *Tokens, n int64) {
		if n != Unknown {
			t.OfCompleted.Add(n)
			t.Counted++
		}
	}
	count(&w.Output, r.OutputTokens)
	count(&w.Input, r.InputTokens)
	if rate, ok := r.generationRate(last); ok && g.rates != nil {
		g.rates[i] = append(g.rates[i], rate)
	}
}

// generationRate returns the tokens after the first a second, false when it is undefined.
func (r *Request) generationRate(last int64) (float64, bool) {
	if r.OutputTokens < 2 || r.FirstTokenNS == Unknown || last <= r.FirstTokenNS {
		return 0, false
	}
	return float64(r.OutputTokens-1) * 1e9 / float64(last-r.FirstTokenNS), true
}

// close takes the medians of the requests' rates.
func (g *grid) close() {
	for i, rates := range g.rates {
		if n := int64(len(rates)); n > 0 {
			slices.Sort(rates)
			g.windows[i].Generation = Generation{n, rates[stat.P50.Rank(n)-1]}
		}
	}
}

// levels fills the levels of a grid from pieces of time in order.
type levels struct {
	*grid
	current                    int
	inFlight, waiting, running holder
}

func (l *levels) piece(from, to int64, n *counts) {
	for from < to && l.current < len(l.windows) {
		w := &l.windows[l.current]
		until := min(to, w.ToNS)
		l.inFlight.hold(n[present], until-from)
		l.waiting.hold(n.forPlace(), until-from)
		l.running.hold(n.running(), until-from)
		if until == w.ToNS {
			w.InFlight, w.Waiting, w.Running = l.inFlight.done(), l.waiting.done(), l.running.done()
			l.current++
		}
		from = until
	}
}
