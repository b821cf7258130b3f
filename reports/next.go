package reports

import (
	"strings"

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

// afterExplain names the command that follows an explanation: the same of the
// median request, to see what is usual, unless that was just explained. When nothing
// was, the input tells why.
func (r Run) afterExplain(requests []Request) string {
	if len(requests) == 0 {
		return r.command("inspect")
	}
	middle := requests[0].Standing.Middle
	if middle == nil || len(requests) == 1 && middle.TraceID == requests[0].TraceID {
		return r.command("summary")
	}
	return r.command("explain", middle.TraceID)
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
