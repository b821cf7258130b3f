package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// attained writes objectives without the rates that were carried within them, which nothing
// asked for; nil for none.
func attained(list []analyze.Objective) []Objective {
	var out []Objective
	for _, o := range list {
		one := objective(o)
		one.Carried = Carried{}
		for i := range one.Terms {
			one.Terms[i].Carried = Carried{}
		}
		out = append(out, one)
	}
	return out
}

// Missed says which terms of an objective were missed, and by how much; empty when none was.
func (o Objective) Missed() string {
	var words []string
	for _, t := range o.Terms {
		if t.Outcome == string(tokens.Fail) && t.Attainment != nil {
			n := Integer(t.Attainment.N)
			if t.Of != "" && t.Of != "requests" {
				n += " " + t.Of
			}
			words = append(words, fmt.Sprintf("%s: %s %% of %s met it%s", t.Term, Met(t.Attainment.Value, t.MetDecimals()), n, byWeights(t.Attainment)))
		}
	}
	if words == nil {
		return ""
	}
	return "misses " + strings.Join(words, "; ")
}

// Weighted says that a figure is of all requests, kept or not, by their sampling weights.
func (f *Figure) Weighted() bool { return f != nil && strings.HasPrefix(f.Method, "weighted-") }

// byWeights says of a share that it is one of the weights, of which n counts those that were
// kept; empty for others.
func byWeights(f *Figure) string {
	if f.Weighted() {
		return ", by sampling weights"
	}
	return ""
}

// carriedWithin names the command that tells the rates that are carried within objectives.
func (r Run) carriedWithin(list []Objective) string {
	var flags []string
	for _, o := range list {
		flags = append(flags, "--slo", Quote(o.Objective))
	}
	return r.command("capacity", flags...)
}

// WithoutQueue says how many of the answered requests that missed an objective would have met
// it without their time in the queue, if nothing else had changed: arithmetic, no forecast.
type WithoutQueue struct {
	Objective string  `json:"objective"`
	Share     *Figure `json:"share"`   // each bound holds with 95 %; null when it cannot be told
	Bounded   bool    `json:"bounded"` // a request gets shorter by no more than the drag of its queue
	Words     string  `json:"words"`   // it, or why it cannot be told
}

// withoutQueue writes what would have met each objective without the queue; nil for none.
func withoutQueue(list []analyze.WithoutQueue, objectives []Objective) []WithoutQueue {
	var out []WithoutQueue
	for i, w := range list {
		if i >= len(objectives) {
			break
		}
		one := WithoutQueue{Objective: objectives[i].Objective, Bounded: w.Bounded, Words: w.Why}
		if w.Why == "" {
			one.Share = asked(w.Met)
			one.Words = one.words(w.Met.Warnings)
		}
		out = append(out, one)
	}
	return out
}

// words says what would have met an objective, and how far that goes.
func (w WithoutQueue) words(limits []stat.Warning) string {
	if w.Share == nil || w.Share.Low == nil || w.Share.High == nil {
		return "nothing is known"
	}
	const decimals = 1
	missed := "1 answered request"
	if w.Share.N != 1 {
		missed = Integer(w.Share.N) + " answered requests"
	}
	text := fmt.Sprintf("of %s that missed a limit, %s %%%s (95 %% each: %s) would have kept all of them without their time in the queue, if nothing else had changed",
		missed, Met(w.Share.Value, decimals), byWeights(w.Share), MetRange(*w.Share.Low, *w.Share.High, decimals))
	if w.Bounded {
		text += "; what ran beside the queue is counted against it"
	} else {
		text += "; what ran beside the queue is not known, so it may be fewer"
	}
	for _, l := range limits {
		text += "; " + l.Text
	}
	return text + ": arithmetic, no forecast"
}
