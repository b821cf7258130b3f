package main

import (
	"context"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// queueCommand declares queue.
func queueCommand() command {
	return command{
		name: "queue", operands: "FILE...", files: true,
		about: "does queueing dominate, when, where, since when, and why",
		examples: []example{
			{"tailpath queue incident/", "the answer, with the evidence"},
			{"tailpath queue incident/ --by host,model", "where, by fields of your choice"},
			{"tailpath queue incident/ -o queue.json", "all of it, as JSON"},
		},
		flags: slices.Concat([]string{"slo", "min-share", "seed", "save", "by", "bands"}, choosingFlags, gateFlags, documentFlags), run: runQueue,
	}
}

func runQueue(p *program, ctx context.Context, operands []string) error {
	keys, err := p.keys()
	if err != nil {
		return err
	}
	objectives, err := p.objectives()
	if err != nil {
		return err
	}
	conditions, err := p.failOn(queueCommand(), objectives)
	if err != nil {
		return err
	}
	l, err := p.load(ctx, queueCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	if err := checkKeys(keys, l.set); err != nil {
		return err
	}
	if err := p.save(l); err != nil {
		return err
	}
	choice := p.choice().WithPercentiles(conditions)
	choice.Engines, choice.Objectives, choice.OverTime = l.builder.Engines(), objectives, true
	q := analyze.QueueOf(l.set, choice, keys.List)
	doc := p.sameRequests(p.document(l).Queue(q))
	doc.Requirements = p.met(l, "")
	doc.Conditions = reports.Conditions(analyze.Judge(l.set, &q.Summary, conditions, choice))
	doc = p.unjudged(doc, l, "", q.Summary.Population.N)
	if err := p.emit(doc); err != nil {
		return err
	}
	return gated(doc, p.enough(l, q.Summary.Population.N))
}

// keys returns the fields of --by; none without the flag.
func (p *program) keys() (filter.Keys, error) {
	if p.flags.by == "" {
		return filter.Keys{}, nil
	}
	keys, err := filter.ParseKeys(p.flags.by)
	if err != nil {
		return filter.Keys{}, filterFault("--by", err)
	}
	return keys, nil
}

// checkKeys says which field of --by no request of any of the sets has. Sets without requests have
// no fields to choose from.
func checkKeys(keys filter.Keys, sets ...*table.Set) error {
	var fields []filter.Field
	seen := map[string]bool{}
	for _, set := range sets {
		if set.Requests.Len() > 0 {
			for _, f := range analyze.NewFields(set).FilterFields() {
				if !seen[f.Name] {
					seen[f.Name], fields = true, append(fields, f)
				}
			}
		}
	}
	if fields == nil {
		return nil
	}
	if err := keys.Check(fields); err != nil {
		return filterFault("--by", err)
	}
	return nil
}
