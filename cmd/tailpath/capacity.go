package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
)

// capacityCommand declares capacity.
func capacityCommand() command {
	return command{
		name: "capacity", operands: "FILE...", files: true,
		about: "how much is carried within an objective, and what holds it up",
		examples: []example{
			{"tailpath capacity day/ --slo 'p99(e2e) < 2s'", "the rate within it"},
			{"tailpath capacity day/ --slo 'p95(ttft)<1s' --gpus 8", "and for each GPU"},
			{"tailpath capacity day/", "what holds it up"},
		},
		flags: slices.Concat([]string{"slo", "window", "gpus", "define", "seed", "save"}, choosingFlags, gateFlags, documentFlags), run: runCapacity,
	}
}

func runCapacity(p *program, ctx context.Context, operands []string) error {
	ask, err := p.asked()
	if err != nil {
		return err
	}
	conditions, err := p.failOn(capacityCommand(), ask.Objectives)
	if err != nil {
		return err
	}
	define, err := p.defined("a capacity", analyze.ScopeRequest, analyze.ScopeGaps, analyze.ScopePercentile, analyze.ScopeSystem)
	if err != nil {
		return err
	}
	l, err := p.load(ctx, capacityCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	if err := p.save(l); err != nil {
		return err
	}
	choice := p.choice().WithPercentiles(conditions)
	choice.Engines, choice.Define = l.builder.Engines(), define
	c := analyze.CapacityOf(l.set, choice, ask)
	doc := p.sameRequests(p.document(l).Capacity(c))
	doc.Requirements = p.met(l, "")
	if len(conditions) > 0 {
		doc.Conditions = reports.Conditions(judgeCarried(&c, l, conditions, choice))
	}
	doc = p.unjudged(doc, l, "", c.Population.N)
	if err := p.emit(doc); err != nil {
		return err
	}
	return gated(doc, p.enough(l, c.Population.N))
}

// The least and the longest window that rates are judged in. In a shorter one there are no
// requests to judge, and in a longer one no day has five of about the same rate.
const (
	leastWindow   = time.Second
	longestWindow = 6 * time.Hour
)

// asked returns what --slo, --window and --gpus ask for.
func (p *program) asked() (analyze.CapacityOptions, error) {
	var ask analyze.CapacityOptions
	var err error
	if ask.GPUs, err = p.gpuCount(); err != nil {
		return ask, err
	}
	if ask.Objectives, err = p.objectives(); err != nil {
		return ask, err
	}
	if text := p.flags.window; text != "" {
		window, err := time.ParseDuration(text)
		if err != nil || window < leastWindow || window > longestWindow {
			return ask, usage("--window "+text, "is no time from 1s to 6h", "such as --window 60s; a window must hold enough requests to judge a rate")
		}
		ask.WindowNS = window.Nanoseconds()
	}
	return ask, nil
}

// objectives reads each --slo.
func (p *program) objectives() ([]filter.Objective, error) {
	var out []filter.Objective
	for _, text := range p.flags.slo {
		o, err := filter.ParseObjective(text, analyze.ObjectiveMetrics())
		if err != nil {
			return nil, filterFault("--slo", err)
		}
		out = append(out, o)
	}
	return out, nil
}

// completeObjective offers the beginnings of objectives to a shell.
func completeObjective() ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, m := range analyze.ObjectiveMetrics() {
		words = append(words, "p99("+m+")\tpercentile")
	}
	words = append(words, "95%(ttft\tshare that keeps limits at once")
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
