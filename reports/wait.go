package reports

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// basisReadings is the name of the basis of what an engine's own readings say.
const basisReadings = "readings"

// waitWords says why a request waited, and the numbers that say so, in one line. What
// the number is of follows from the rule that held.
func waitWords(w analyze.Wait) string {
	f := w.Finding
	of := func(ns int64) string { return Duration(ns) + " of " + Duration(f.WaitNS) }
	read := f.Basis.String() == basisReadings
	var text string
	switch f.Rule {
	case "back-off":
		text = "it waited to be tried again"
	case "after-preemption":
		text = "it was preempted and waited for memory to run again"
	case "recorded-delay":
		text = "its record says that the batch was filling"
	case "no-engine":
		text = "no engine is known to have served it"
	case "not-placed":
		text = "when it waited is not known well enough to see what ran"
		if f.ErrorNS > 0 {
			text += ": ±" + Duration(f.ErrorNS)
		}
	case "engine-has-room":
		text = "a gateway held it back for " + of(f.WaitNS-f.KeptNS) + " from an engine with room"
		if read {
			text = "a gateway held it back, and by readings the engine behind kept nobody waiting"
		}
	case "instance-free":
		text = "an instance was free for " + of(f.FreeNS) + ", so the batch was filling"
	case "idle":
		text = "nothing ran for " + of(f.IdleNS)
		if read {
			text = "by readings nothing ran"
		}
	case "at-limit":
		text = slotsTaken(w) + " for " + of(f.FullNS)
	case "at-limit-placed":
		text = slotsTaken(w) + " for " + of(f.PlacedNS) + ", where its run afterwards places it"
	case "at-limit-read":
		text = slotsTaken(w)
	case "memory-full":
		text = "by readings requests were preempted"
		if !math.IsNaN(f.KVUsage) {
			text = fmt.Sprintf("by readings the KV cache was up to %s %% full", Percent(f.KVUsage))
		}
	case "memory-short":
		text = "slots were free and few prompts were prefilled"
		if !math.IsNaN(f.KVUsage) {
			text = fmt.Sprintf("by readings the KV cache was up to %s %% full, while ", Percent(f.KVUsage)) + text
		}
	case "behind-preempted":
		text = "preempted requests waited ahead of it for " + of(f.PreemptedNS)
	case "long-prompt":
		text = "prompts of four times its size and more were prefilled for " + of(f.LongPrefillNS)
	case "prefill-budget":
		switch {
		case read:
			text = "by readings slots were free and other prompts were prefilled"
		case f.FreeNS >= f.WaitNS-f.FreeNS:
			text = fmt.Sprintf("slots were free for %s while other prompts were prefilled for %s of it", of(f.FreeNS), Duration(f.PrefillNS))
		default: // a request runs while its prompt is prefilled, and one prompt is at a time
			text = "other prompts were prefilled for " + of(f.PrefillNS)
		}
	case "nothing-shown":
		text = "nothing that is recorded says why"
	default:
		text = w.Doc
	}
	if also := beside(w); also != "" {
		text += "; " + also
	}
	return f.Cause.String() + ": " + text
}

// slotsTaken says that as many ran as can: requests in slots, or batches on instances.
func slotsTaken(w analyze.Wait) string {
	unit := "slot"
	if w.Batches {
		unit = "instance"
	}
	if n := w.Finding.Limit.Value; n != 1 {
		return fmt.Sprintf("all %s %ss were taken", Integer(n), unit)
	}
	return "the only " + unit + " was taken"
}

// beside gives the numbers that stand beside a cause: how much ran, by what the cause rests
// on, and how full memory was.
func beside(w analyze.Wait) string {
	f := w.Finding
	read := f.Basis.String() == basisReadings
	var parts []string
	unit := "request"
	if w.Batches {
		unit = "batch"
	}
	switch {
	case f.Rule == "back-off", f.Rule == "no-engine", f.Rule == "recorded-delay", f.Rule == "idle":
	case !math.IsNaN(f.RunningRead) && (read || math.IsNaN(f.Running)):
		parts = append(parts, fmt.Sprintf("%s ran on average, by readings", manyOf(f.RunningRead, unit)))
	case !math.IsNaN(f.Running) && f.Rule != "not-placed":
		least := ""
		if f.Partial {
			least = "at least "
		}
		parts = append(parts, least+manyOf(f.Running, unit)+" ran on average")
	}
	if !math.IsNaN(f.KVUsage) && Percent(f.KVUsage) != "0.0" && f.Rule != "memory-full" && f.Rule != "memory-short" && f.Rule != "no-engine" && f.Rule != "back-off" && f.Rule != "recorded-delay" {
		parts = append(parts, fmt.Sprintf("KV cache up to %s %% full", Percent(f.KVUsage)))
	}
	return strings.Join(parts, ", ")
}

// manyOf writes a number that need not be whole, of things.
func manyOf(n float64, word string) string {
	text := Number(n)
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		text = Integer(int64(n))
	}
	switch {
	case n == 1:
		return text + " " + word
	case word == "batch":
		return text + " batches"
	}
	return text + " " + word + "s"
}

// ShortTrace returns the first 16 digits of a trace id; of one of 64 bits, whose first are
// all 0, the last.
func ShortTrace(id string) string {
	const half = 16
	if len(id) != 2*half {
		return id
	}
	if strings.Trim(id[:half], "0") == "" {
		return id[half:]
	}
	return id[:half]
}
