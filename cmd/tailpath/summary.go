package main

import (
	"context"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
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
			{"tailpath summary logs/ --fail-on 'p99(e2e) > 5s'", "as a gate: exit 1 if so"},
		},
		flags: slices.Concat([]string{"slo", "gpus", "define", "min-share", "seed", "save", "by", "bands"}, choosingFlags, gateFlags, documentFlags), run: runSummary,
	}
}

func runSummary(p *program, ctx context.Context, operands []string) error {
	keys, err := p.keys()
	if err != nil {
		return err
	}
	objectives, err := p.objectives()
	if err != nil {
		return err
	}
	conditions, err := p.failOn(summaryCommand(), objectives)
	if err != nil {
		return err
	}
	gpus, err := p.gpuCount()
	if err != nil {
		return err
	}
	define, err := p.defined("requests", analyze.ScopeRequest, analyze.ScopeGaps, analyze.ScopePercentile)
	if err != nil {
		return err
	}
	var callers critical.Callers
	p.see = callers.Add
	l, err := p.load(ctx, summaryCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	p.see = nil // what else is read is of other tables
	if err := checkKeys(keys, l.set); err != nil {
		return err
	}
	if err := p.save(l); err != nil {
		return err
	}
	choice := p.choice().WithPercentiles(conditions)
	choice.Engines, choice.By, choice.Objectives = l.builder.Engines(), keys.List, objectives
	choice.GPUs, choice.Define, choice.Callers = gpus, define, &callers
	s := analyze.Summarize(l.set, choice)
	doc := p.sameRequests(p.document(l).Summary(s))
	doc.Requirements = p.met(l, "")
	doc.Conditions = reports.Conditions(analyze.Judge(l.set, &s, conditions, choice))
	doc = p.unjudged(doc, l, "", s.Population.N)
	if err := p.emit(doc); err != nil {
		return err
	}
	return gated(doc, p.enough(l, s.Population.N))
}
