package reports

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze"
)

// afterQueue names the command that follows a queue document: a look at the slow requests of
// the incident in which most was waited, else at the slow ones of all; with objectives, what is
// carried within them; at the input when that
// hides the answer, or when there is nothing to look at.
func (r Run) afterQueue(q *Queue) string {
	if q.Summary.Population.Used == 0 || analyze.Kind(q.Summary.Verdict.Kind) == analyze.KindUnattributed {
		return r.command("inspect")
	}
	if len(q.Summary.Objectives) > 0 {
		return r.carriedWithin(q.Summary.Objectives)
	}
	words := []string{"--slowest", "5"}
	if worst := q.When.worst(); worst != nil && worst.Onset != "" {
		// Times are cut to the ms, outwards.
		const ms = 1_000_000
		to := worst.RecoveryNS + ms - 1
		words = append(words, "--where", Quote(fmt.Sprintf("start>=%s start<%s", TimeMilli(worst.OnsetNS), TimeMilli(to))))
	}
	return r.command("explain", words...)
}
