package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

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
			{"tailpath explain incident/ 4bf92f3577b34da6", "one trace"},
		},
		more: []string{
			"TRACE is a trace id in hex, or its first 8 digits or more if only one begins so.",
			"Without it and without --slowest the slowest request is explained.",
		},
		flags: slices.Concat([]string{"slowest", "path"}, choosingFlags, documentFlags), run: runExplain,
	}
}

func runExplain(p *program, ctx context.Context, operands []string) error {
	operands, trace := splitTrace(operands)
	if trace != "" && p.flags.slowest > 0 {
		return usage("explain", "both a trace and --slowest are given", "leave out one of them")
	}
	l, err := p.load(ctx, explainCommand(), operands, critical.Options{Jaeger: p.flags.path == "jaeger"})
	if err != nil {
		return err
	}
	peers := analyze.NewPeers(l.set, p.choice())
	if trace == "" {
		return p.explainSlowest(l, peers)
	}
	id, err := findTrace(l, trace)
	if err != nil {
		return err
	}
	return p.explain(l, peers, trace, l.builder.Find(id))
}

// splitTrace takes the trace off the end of the operands, if one is there.
func splitTrace(operands []string) (files []string, trace string) {
	if len(operands) == 0 {
		return operands, ""
	}
	files, last := operands[:len(operands)-1], strings.ToLower(operands[len(operands)-1])
	if len(last) < leastPrefix || len(last) > 2*len(table.TraceID{}) || strings.Trim(last, "0123456789abcdef") != "" {
		return operands, ""
	}
	if _, err := os.Stat(operands[len(operands)-1]); err == nil {
		return operands, ""
	}
	return files, last
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
	var explained []analyze.Explanation
	for _, r := range requests {
		explained = append(explained, analyze.Explain(l.set, r, peers, l.builder.Engines(), 0))
	}
	run := p.document(l)
	run.Trace = trace
	if err := p.emit(p.sameRequests(run.Explain(explained))); err != nil {
		return err
	}
	judged := int64(len(explained))
	if judged > 0 && p.flags.minRequests > 1 { // they are asked for to compare with
		judged = explained[0].Standing.Peers
	}
	return p.enough(l, judged)
}
