package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// placesShown is how many places that tell of a request are named; the rest are counted.
const placesShown = 12

// toldBy says where a request was read: the line of its record, or all places, if there
// are several; told is how many there are.
func (b *builder) toldBy(r reports.Request, told int) {
	if r.Units > 1 {
		var places []string
		for _, t := range shownOf(b, r.ToldBy, placesShown) {
			places = append(places, placeOfLine(t.Source, t.Line))
		}
		if more := told - len(places); more > 0 {
			places = append(places, plural(int64(more), "more place"))
		}
		text := strings.Join(places, ", ")
		if r.JoinBasis != "" {
			text += "; joined by " + r.JoinBasis
		}
		b.field("told by", text)
	} else if r.Source != "" {
		b.field("read from", readFrom(r))
	}
	if r.Attempts > 1 {
		b.field("attempts", reports.Integer(r.Attempts))
	}
}

// placeOfLine writes a line of an input; line 0 is none.
func placeOfLine(source string, line int64) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", source, line)
	}
	return source
}

// Waits are told from this part of the request on, in one of so many, and at most so
// many of them; the rest are counted.
const (
	waitPart   = 100
	waitsShown = 5
)

// alike is the waits of a request of which the same is to be said.
type alike struct {
	words   string
	n, ns   int64
	longest reports.Wait
}

// beside says why the request waited, what the engine was doing, and who held it.
func (b *builder) beside(r reports.Request) {
	told := waitsAlike(r)
	label := "why queue"
	shown := shownOf(b, told, waitsShown)
	for i, w := range shown {
		text := w.words
		if w.n > 1 {
			text += fmt.Sprintf(" (%s, %s)", plural(w.n, "wait"), reports.Duration(w.ns))
		} else if len(told) > 1 {
			text += " (" + reports.Duration(w.ns) + ")"
		}
		b.field(label, text)
		label = ""
		b.state(r.State, w.longest)
		if i == 0 {
			b.held("held by", w.longest.Held, w.longest.WaitNS)
		}
	}
	if rest := told[len(shown):]; len(rest) > 0 {
		n, sum := int64(0), int64(0)
		for _, w := range rest {
			n, sum = n+w.n, sum+w.ns
		}
		b.field("", fmt.Sprintf("%s more, %s in all", plural(n, "wait"), reports.Duration(sum)))
	}
	b.stalls(r.Stalls)
}

// waitsAlike gathers the waits that matter by what is to be said of them, the longest
// first.
func waitsAlike(r reports.Request) []alike {
	var told []alike
	for _, w := range r.Waits {
		if w.WaitNS < r.DurationNS/waitPart || w.WaitNS <= 0 {
			continue
		}
		k := slices.IndexFunc(told, func(a alike) bool { return a.words == w.Words })
		if k < 0 {
			k = len(told)
			told = append(told, alike{words: w.Words})
		}
		a := &told[k]
		a.n, a.ns = a.n+1, a.ns+w.WaitNS
		if w.WaitNS > a.longest.WaitNS {
			a.longest = w
		}
	}
	slices.SortStableFunc(told, func(a, b alike) int { return cmp.Compare(b.ns, a.ns) })
	return told
}

// stateMetrics are the readings that are shown of an engine, if they are in force.
var stateMetrics = []string{"running", "waiting", "deferred", "pending_requests", "kv_usage", "batch_size", "prompt_throughput", "generation_throughput"}

// state writes the engine as it was when a wait began.
func (b *builder) state(s *reports.EngineState, w reports.Wait) {
	if s == nil || s.Segment != w.Segment {
		return
	}
	least := ""
	if s.Partial {
		least = "at least "
	}
	ran := least + plural(s.Running, "other")
	if s.Batches != nil {
		ran += " in " + batches(*s.Batches)
	}
	parts := []string{ran + " ran"}
	if s.Limit != nil {
		unit := "at once"
		if s.Batches != nil {
			unit = "instances"
		}
		parts[0] += fmt.Sprintf(" (at most %s %s)", reports.Integer(*s.Limit), unit)
	}
	parts = append(parts, reports.Integer(s.Waiting)+" waited")
	if s.Preempted > 0 {
		verb := "were"
		if s.Preempted == 1 {
			verb = "was"
		}
		parts = append(parts, reports.Integer(s.Preempted)+" "+verb+" preempted")
	}
	text := fmt.Sprintf("%s when the wait began: %s", s.Engine, strings.Join(parts, ", "))
	if readings := inForce(s.Readings); readings != "" {
		text += "; " + readings
	}
	b.field("engine", text)
}

// inForce writes the readings that were in force, those of one age together.
func inForce(list []reports.StateReading) string {
	var shown []reports.StateReading
	for _, m := range stateMetrics {
		for _, r := range list {
			if r.Metric == m {
				shown = append(shown, r)
			}
		}
	}
	slices.SortStableFunc(shown, func(a, b reports.StateReading) int { return cmp.Compare(a.AgeNS, b.AgeNS) })
	var text strings.Builder
	for i, r := range shown {
		switch {
		case i == 0:
			fmt.Fprintf(&text, "readings %s old: ", reports.Duration(r.AgeNS))
		case r.AgeNS != shown[i-1].AgeNS:
			fmt.Fprintf(&text, "; %s old: ", reports.Duration(r.AgeNS))
		default:
			text.WriteString(", ")
		}
		text.WriteString(r.Metric + " " + readValue(&r.Value, r.Unit))
		if r.Unit == "tokens/s" {
			text.WriteString(" " + r.Unit)
		}
	}
	return text.String()
}

func batches(n int64) string {
	if n == 1 {
		return "1 batch"
	}
	return reports.Integer(n) + " batches"
}

// held names the requests that held an engine for part of a time.
func (b *builder) held(label string, h reports.Held, of int64) {
	if h.N == 0 {
		return
	}
	text := plural(h.N, "request")
	if len(h.Holders) > 0 {
		text += ", sharing the " + heldWords[h.Holders[0].Why]
	}
	text += fmt.Sprintf(" for %s of %s: ", reports.Duration(h.NS), reports.Duration(of))
	rest := h.NS
	var parts []string
	named := h.Holders[:min(len(h.Holders), holdersShown)]
	for _, x := range named {
		rest -= x.NS
		name := reports.ShortTrace(x.TraceID)
		if x.Record {
			name = x.TraceID // those of one log begin alike
		}
		if x.RequestID != "" {
			name += " (" + x.RequestID + ")"
		}
		parts = append(parts, fmt.Sprintf("%s %s", name, milli(x.NS)))
	}
	if more := h.N - int64(len(named)); more > 0 {
		parts = append(parts, fmt.Sprintf("%s more %s", reports.Integer(more), milli(rest)))
	}
	b.field(label, text+strings.Join(parts, ", "))
}

// holdersShown is how many holders are named; the rest are counted.
const holdersShown = 3

// heldWords name what holders share.
var heldWords = map[string]string{"slot": "slots", "memory": "memory", "prefill": "prefill", "running": "engine"}

// milli writes a time in ms, so that shares of one time can be compared at a glance.
func milli(ns int64) string {
	u := reports.Unit{Name: "ms", NS: 1e6}
	if ns < 10*u.NS {
		u.Decimals = 1
	}
	return u.Format(ns) + " ms"
}

// stalls writes the gaps between tokens that are long beside the others.
func (b *builder) stalls(s *reports.Stalls) {
	if s == nil {
		return
	}
	worst := s.List[0]
	for _, x := range s.List {
		if x.ExcessNS > worst.ExcessNS {
			worst = x
		}
	}
	text := fmt.Sprintf("%s between tokens, %s beyond the median gap of %s in all, the worst %s",
		plural(int64(len(s.List)), "long gap"), reports.Duration(s.ExcessNS), reports.Duration(worst.MedianNS), reports.Duration(worst.EndNS-worst.StartNS))
	if s.AttributedNS > 0 {
		text += fmt.Sprintf("; prefills of others account for %s", reports.Duration(s.AttributedNS))
	}
	b.field("stalls", text)
	b.held("stalled by", s.Held, s.AttributedNS)
}
