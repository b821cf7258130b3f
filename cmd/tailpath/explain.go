package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// leastPrefix is the length in digits from which a word can be the beginning of a
// trace id.
const leastPrefix = 8

// explainCommand declares explain.
func explainCommand() command {
	return command{
		name: "explain", operands: "FILE... [TRACE]", files: true,
		about: "one request: waterfall, critical path, the reason for each segment",
		examples: []example{
			{"tailpath explain incident/ --slowest 5", "the five slowest"},
			{"tailpath explain incident/ 4bf92f3577b34da6", "one trace, or a request by its id"},
		},
		more: []string{
			"TRACE is a trace id in hex, or 8 or more of its first digits, or a request id.",
			"Without it and without --slowest the slowest request is explained.",
		},
		flags: slices.Concat([]string{"slowest", "path", "define", "save"}, choosingFlags, documentFlags), run: runExplain,
	}
}

func runExplain(p *program, ctx context.Context, operands []string) error {
	operands, trace := splitTrace(operands)
	if trace != "" && p.flags.slowest > 0 {
		return usage("explain", "both a trace and --slowest are given", "leave out one of them")
	}
	define, err := p.defined("one request", analyze.ScopeRequest, analyze.ScopeGaps)
	if err != nil {
		return err
	}
	l, err := p.load(ctx, explainCommand(), operands, critical.Options{Jaeger: p.flags.path == "jaeger"})
	if err != nil {
		return err
	}
	choice := p.choice()
	choice.Define = define
	peers := analyze.NewPeers(l.set, choice)
	if trace == "" {
		return p.explainSlowest(l, peers)
	}
	found, err := findRequests(l, trace)
	if err != nil {
		return err
	}
	return p.explain(l, peers, trace, found)
}

// splitTrace takes the trace or request off the end of the operands, if one is there: what
// is no file and looks like an id.
func splitTrace(operands []string) (files []string, trace string) {
	if len(operands) == 0 {
		return operands, ""
	}
	last := operands[len(operands)-1]
	if !looksLikeID(last) || len(operands) == 1 && !isHex(last) {
		return operands, ""
	}
	if _, err := os.Stat(last); err == nil {
		return operands, ""
	}
	return operands[:len(operands)-1], strings.ToLower(last)
}

// looksLikeID reports whether a word may be the beginning of a trace id, or a request id:
// letters, digits, dashes and underscores, with a digit, and no name of a file.
func looksLikeID(word string) bool {
	digits := strings.IndexFunc(word, unicode.IsDigit) >= 0
	return len(word) >= leastPrefix && (digits || isHex(word)) && strings.IndexFunc(word, func(r rune) bool {
		return r > unicode.MaxASCII || r != '-' && r != '_' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

func isHex(word string) bool { return strings.Trim(strings.ToLower(word), "0123456789abcdef") == "" }

// findRequests returns the requests of the trace that an id begins, or else those that
// carry it as their request id.
func findRequests(l *loaded, id string) ([]*critical.Request, error) {
	if len(id) <= 2*len(table.TraceID{}) && isHex(id) {
		trace, err := findTrace(l, id)
		if err == nil {
			return l.builder.Find(trace), nil
		}
		if found, many := requestsByID(l, id); many != nil || len(found) > 0 {
			return found, many
		}
		return nil, err
	}
	found, err := requestsByID(l, id)
	if err == nil && len(found) == 0 {
		err = nothing(l.where(), "there is no trace, request or file "+id, "tailpath explain --slowest 5 shows some requests that are there")
	}
	return found, err
}

// mostFound is how many traces with one request id are explained; more are of an id that
// says nothing.
const mostFound = 100

// leastInside is the length from which an id is also found inside a longer one: what
// engines put around the id that they were given.
const leastInside = 16

// requestsByID returns the requests that carry a request id: as it is, or within the
// engine's name of the request, or the other way round.
func requestsByID(l *loaded, id string) ([]*critical.Request, error) {
	var found []*critical.Request
	seen := map[table.TraceID]bool{}
	rows := map[int32]bool{}
	for row, given := range l.set.Spans.RequestID {
		given = strings.ToLower(given)
		same := given == id || len(id) >= leastInside && strings.Contains(given, id) || len(given) >= leastInside && strings.Contains(id, given)
		if given == "" || !same {
			continue
		}
		rows[int32(row)] = true
		if trace := l.set.Spans.TraceID[row]; !seen[trace] {
			if seen[trace] = true; len(seen) > mostFound {
				return nil, usage(id, fmt.Sprintf("more than %d traces or records carry this request id", mostFound), "give a trace id, or more of the request id")
			}
			found = append(found, l.builder.Find(trace)...)
		}
	}
	carries := func(r *critical.Request) bool {
		return slices.ContainsFunc(r.Spans, func(s critical.Span) bool { return rows[s.Row] })
	}
	var out []*critical.Request
	for _, r := range found {
		again := slices.ContainsFunc(out, func(o *critical.Request) bool { return o.Spans[0].Row == r.Spans[0].Row })
		if carries(r) && !again {
			out = append(out, r)
		}
	}
	return out, nil
}

// findTrace returns the trace whose id begins with the digits. An id of 64 bits may
// be given without its leading zeros.
func findTrace(l *loaded, digits string) (table.TraceID, error) {
	var found []table.TraceID
	for i, id := range l.set.Spans.TraceID {
		if i > 0 && id == l.set.Spans.TraceID[i-1] {
			continue
		}
		if text := hex.EncodeToString(id[:]); text == digits {
			return id, nil
		} else if strings.HasPrefix(text, digits) {
			found = append(found, id)
		} else if half := len(id) / 2; bytes.Equal(id[:half], make([]byte, half)) && strings.HasPrefix(text[2*half:], digits) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return table.TraceID{}, nothing(l.where(), "there is no trace "+digits, "tailpath explain --slowest 5 shows some that are there")
	case 1:
		return found[0], nil
	}
	return table.TraceID{}, usage(digits, fmt.Sprintf("%d traces begin so, the first two %x and %x", len(found), found[0], found[1]), "give more digits")
}

// explainSlowest explains the slowest requests of the population.
func (p *program) explainSlowest(l *loaded, peers *analyze.Peers) error {
	var requests []*critical.Request
	for _, e := range peers.Slowest(max(1, p.flags.slowest)) {
		for _, r := range l.builder.Find(e.TraceID) {
			if r.Spans[0].ID == e.RootSpanID {
				requests = append(requests, r)
			}
		}
	}
	return p.explain(l, peers, "", requests)
}

// explain writes the document of some requests: those of the trace that was asked for,
// or the slowest.
func (p *program) explain(l *loaded, peers *analyze.Peers, trace string, requests []*critical.Request) error {
	if err := p.save(l); err != nil {
		return err
	}
	var explained []analyze.Explanation
	for _, r := range requests {
		explained = append(explained, analyze.Explain(l.set, r, peers, l.builder.Engines(), 0))
	}
	run := p.document(l)
	run.Trace, run.TimeChosen = trace, len(p.sameTimes()) > 0
	doc := p.sameRequests(run.Explain(explained))
	judged := int64(len(explained))
	if judged > 0 && p.flags.minRequests > 1 { // they are asked for to compare with
		judged = explained[0].Standing.Peers
		doc = doc.Withheld(p.fewer("", judged)...)
	}
	if err := p.emit(doc); err != nil {
		return err
	}
	return p.enough(l, judged)
}
