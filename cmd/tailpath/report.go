package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
)

// reportCommand declares report.
func reportCommand() command {
	return command{
		name: "report", operands: "FILE...", files: true,
		about: "the weekly bottleneck report, or a post-mortem",
		examples: []example{
			{"tailpath report week/ --slo 'p99(e2e) < 2s' -o report.json", "of a week, to keep"},
			{"tailpath report incident/ --kind postmortem -o pm.md", "of a bad night"},
		},
		flags: slices.Concat([]string{"kind", "week", "baseline", "split", "base-since", "base-until", "store", "slo", "window", "gpus", "force", "min-share", "seed", "save", "bands"}, choosingFlags, gateFlags, documentFlags), run: runReport,
	}
}

func runReport(p *program, ctx context.Context, operands []string) error {
	ask, err := p.asked()
	if err != nil {
		return err
	}
	conditions, err := p.failOn(reportCommand(), ask.Objectives)
	if err != nil {
		return err
	}
	zone, err := p.zone()
	if err != nil {
		return err
	}
	if operands, err = p.withStore(operands); err != nil {
		return err
	}
	var callers critical.Callers
	p.see = callers.Add
	l, err := p.load(ctx, reportCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	p.see = nil // what else is read is of other tables
	choice := p.choiceOf(l).WithPercentiles(conditions)
	choice.Engines, choice.GPUs, choice.Objectives = l.builder.Engines(), ask.GPUs, ask.Objectives
	called := choice
	called.Callers = &callers
	parts := l.reportParts(called, ask, p.reportTime(l), zone, p.waterfallRows())
	base, err := p.baselineOf(ctx, reportCommand(), l, choice)
	if err != nil {
		return err
	}
	if err := p.save(l); err != nil {
		return err
	}
	parts.Before, parts.BaselineFrom, parts.Compare = base.before, base.from, base.compare
	run := p.document(l)
	run.Choice = p.chosen()
	run.Inputs = withMore(run.Inputs, base.inputs)
	doc := p.sameRequests(run.Report(p.flags.kind, parts))
	q := &parts.Queue.Summary
	doc.Requirements = p.met(l, "")
	if base.required != nil {
		doc.Requirements = slices.Concat(base.required, p.met(l, "new"))
	}
	doc.Conditions = reports.Conditions(base.judge(l, q, conditions, choice))
	doc = p.unjudged(doc, l, "", q.Population.N, base.short...)
	if err := p.emit(doc); err != nil {
		return err
	}
	if p.flags.force && base.compare == nil {
		p.tell("--force: no tables of an earlier time are at hand, and nothing is compared")
	}
	return gated(doc, cmp.Or(p.enough(l, q.Population.N), base.few))
}

// chosen returns the flags that chose the requests of a command, as they stand behind one that
// takes them all.
func (p *program) chosen() string {
	const bare = "tailpath summary"
	return strings.TrimPrefix(p.sameRequests(reports.Document{Next: bare}).Next, bare)
}

// reportParts makes every analysis of a report, two at a time: none changes the tables. week is
// that of the report; nil for none.
func (l *loaded) reportParts(choice analyze.Options, ask analyze.CapacityOptions, week *analyze.Week, zone *time.Location, spans int) reports.ReportParts {
	var out reports.ReportParts
	choice.Shared = &analyze.Shared{}
	var both sync.WaitGroup
	both.Go(func() { out.Queue = analyze.QueueOf(l.set, choice, nil) })
	both.Go(func() {
		first := ask
		first.Objectives = slices.Clip(ask.Objectives[:min(1, len(ask.Objectives))])
		out.Capacity = analyze.CapacityOf(l.set, choice, first)
		out.Inspect = analyze.Inspect(l.set, analyze.Beside{
			Excluded: &l.excluded, Clocks: l.builder.Clocks(), Clock: l.options.Clock, Engines: l.builder.Engines(),
		})
		out.Report = analyze.ReportOf(l.set, analyze.ReportOptions{Options: choice, Week: week, Zone: zone})
	})
	both.Wait()
	peers := analyze.NewPeers(l.set, choice)
	for _, e := range reports.Exemplars(out.Report) {
		for _, r := range l.builder.Find(e.TraceID) {
			if r.Spans[0].ID == e.RootSpanID {
				out.Requests = append(out.Requests, analyze.Explain(l.set, r, peers, l.builder.Engines(), spans))
			}
		}
	}
	return out
}

// mostReportRows is how many rows of a waterfall a report usually has for each of its requests.
const mostReportRows = 60

// earlier analyses the tables of an earlier time as far as a report is set against it. The
// objectives are those of the report.
func (l *loaded) earlier(choice analyze.Options, objectives []filter.Objective, week analyze.Week) reports.Before {
	choice.Engines, choice.Objectives = l.builder.Engines(), objectives
	r := analyze.ReportOf(l.set, analyze.ReportOptions{Options: choice, Week: &week, Zone: week.Zone})
	return reports.BeforeNow(week.Name, r.Complete(), analyze.Summarize(l.set, choice), r)
}
