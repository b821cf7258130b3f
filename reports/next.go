package reports

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/tailpath/tailpath/analyze"
)

// afterSummary names the command that follows a summary: a look at slow requests,
// or, when there is nothing to look at, at the input.
func (r Run) afterSummary(s *Summary) string {
	if s.Population.Used == 0 || analyze.Kind(s.Verdict.Kind) == analyze.KindUnattributed {
		return r.command("inspect")
	}
	if len(s.Objectives) > 0 {
		return r.carriedWithin(s.Objectives)
	}
	return r.command("explain", "--slowest", "5")
}

// afterExplain names the command that follows an explanation. Where the queue makes most of what
// the first request takes longer than usual ones, that is the queue around its time; else the same of
// the median request, to see what is usual, unless that was just explained. When nothing was, the
// input tells why.
func (r Run) afterExplain(requests []analyze.Explanation) string {
	if len(requests) == 0 {
		return r.command("inspect")
	}
	first := requests[0]
	if first.Standing.Queued() {
		return r.command("queue", r.around(first)...)
	}
	middle := first.Standing.Middle
	if first.Standing.Peers == 0 || len(requests) == 1 && middle.TraceID == first.Facts.TraceID {
		return r.command("summary")
	}
	return r.command("explain", hex.EncodeToString(middle.TraceID[:]))
}

// aroundNS is how much time before a request and behind it shows how its queue came and went.
const aroundNS = 10 * 60 * 1_000_000_000

// around returns the flags of the time around a request, in whole minutes; none where that is as
// long as what its peers have, where it has no date, or where a time was chosen already.
func (r Run) around(e analyze.Explanation) []string {
	all, f := e.Standing.During, e.Facts
	from, to := f.Start-aroundNS, f.End+aroundNS
	if r.TimeChosen || instant(f.Clock, f.Start) == "" || from <= all.Start && to >= all.End {
		return nil
	}
	const minute = 60 * 1_000_000_000
	at := func(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04Z") }
	return []string{"--since", at(from - from%minute), "--until", at(to + minute - 1 - (to+minute-1)%minute)}
}

// afterInspect names the command that follows an inspection.
func (r Run) afterInspect(in *Inspect) string {
	if in.Requests == 0 {
		return "tailpath help formats"
	}
	return r.command("summary")
}

// command writes a command over the same operands, quoted for a POSIX shell.
func (r Run) command(name string, rest ...string) string {
	words := []string{"tailpath", name}
	for _, o := range r.Operands {
		words = append(words, Quote(o))
	}
	return strings.Join(append(words, rest...), " ")
}

// Quote protects a word from the shell, only if it needs it.
func Quote(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./:=,+@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
