package main

import (
	"context"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
)

// summaryCommand declares summary, the command that runs when none is named.
func summaryCommand() command {
	return command{
		name: "summary", operands: "FILE...", files: true,
		about: "where the time goes, and what makes slow requests slow",
		examples: []example{
			{"tailpath summary traces.jsonl", "one screen"},
			{"zstdcat t.zst | tailpath summary", "from a pipe"},
			{"tailpath summary logs/ -o report.json", "all of it, as JSON"},
		},
		flags: slices.Concat(choosingFlags, documentFlags), run: runSummary,
	}
}

func runSummary(p *program, ctx context.Context, operands []string) error {
	l, err := p.load(ctx, summaryCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	s := analyze.Summarize(l.set, p.choice())
	if err := p.emit(p.sameRequests(p.document(l).Summary(s))); err != nil {
		return err
	}
	return p.enough(l, s.Population.N)
}
