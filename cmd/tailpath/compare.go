package main

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/reports"
)

// compareCommand declares compare.
func compareCommand() command {
	return command{
		name: "compare", operands: "BASE NEW | FILE... --split TIME", files: true,
		about: "what changed from one set to another, and what did it",
		examples: []example{
			{"tailpath compare w33=33.tailpath w34=34.tailpath", "two weeks, with names"},
			{"tailpath compare incident/ --split 14:08", "before it and from then on"},
		},
		more: []string{
			"Each may be LABEL=PATH; one alone is both, at two times: tailpath help filters.",
		},
		flags: slices.Concat([]string{"split", "base-since", "base-until", "min-change", "min-difference", "slo", "gpus", "by", "force", "seed", "bands"}, choosingFlags, gateFlags, documentFlags), run: runCompare,
	}
}

func runCompare(p *program, ctx context.Context, operands []string) error {
	rule, err := p.changeRule()
	if err != nil {
		return err
	}
	objectives, err := p.objectives()
	if err != nil {
		return err
	}
	conditions, err := p.failOn(compareCommand(), objectives)
	if err != nil {
		return err
	}
	keys, err := p.keys()
	if err != nil {
		return err
	}
	for _, key := range keys.List {
		if analyze.Compared(key.Name) {
			return usage("--by "+key.Name, "is what is compared, and no group to compare it in", "leave it out: the time of each stage is shown as it is, and --bands shows it among fast and slow requests")
		}
	}
	gpus, err := p.gpuCounts()
	if err != nil {
		return err
	}
	sides, named, err := p.loadSides(ctx, compareCommand(), operands)
	if err != nil {
		return err
	}
	base, new := sides[change.Base], sides[change.New]
	if base.rules != new.rules {
		return usage(new.where(), "was written with other rules of stages than "+base.where(), "name the rules that shall hold for both with --stages")
	}
	if err := checkKeys(keys, base.set, new.set); err != nil {
		return err
	}
	choice := p.choice().WithPercentiles(conditions)
	choice.Engines, choice.GPUs, choice.Force = new.builder.Engines(), gpus[change.New], p.flags.force
	choice.Objectives, choice.By = objectives, keys.List
	choice.Base = analyze.Platform{Engines: base.builder.Engines(), GPUs: gpus[change.Base], During: base.during}
	c := analyze.Compare(base.set, new.set, choice, rule)
	run := p.document(new)
	if base.set != new.set {
		run.Inputs = slices.Concat(base.inputs, new.inputs)
		run.Quality = slices.Concat(analyze.Issues(base.set), analyze.Issues(new.set))
	}
	doc := p.sameRequests(run.Compare(c, named[change.Base], named[change.New]))
	doc.Conditions = reports.Conditions(judgeBoth(&c, new, conditions, choice))
	doc.Requirements = slices.Concat(p.met(base, "base"), p.met(new, "new"))
	var few error
	for s, side := range []analyze.Side{c.Base, c.New} {
		if few == nil {
			if few = p.enough(sides[s], side.Population.N); few != nil {
				doc = p.unjudged(doc, sides[s], [...]string{"base", "new"}[s], side.Population.N)
			}
		}
	}
	if few == nil {
		doc = p.unjudged(doc, new, "", c.New.Population.N)
	}
	if err := p.emit(doc); err != nil {
		return err
	}
	if why := c.Refused(); few == nil && why != nil {
		few = nothing("", plainUnits(doc.Compare.Verdict.Sentence), "--force compares them all the same; --where takes requests that are alike")
	}
	return gated(doc, few)
}

// labelled splits LABEL=PATH. An operand without a label, or that names what is there as
// it stands, is its own label.
func labelled(operand string) (label, path string) {
	label, path, ok := strings.Cut(operand, "=")
	if _, err := os.Stat(operand); err == nil || !ok || label == "" || path == "" || strings.ContainsFunc(label, notInLabel) {
		return operand, operand
	}
	return label, path
}

// notInLabel reports whether a label cannot have a character: it would be part of a path.
func notInLabel(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-. +:", c)
}

// changeRule returns the rule of what counts as a change.
func (p *program) changeRule() (change.Rule, error) {
	rule := change.DefaultRule()
	if text := p.flags.minChange; text != "" {
		percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if err != nil || !(percent >= 0) || math.IsInf(percent, 0) {
			return rule, usage("--min-change "+text, "is no percentage of 0 or more", "such as --min-change 10%: above p50, and half of that up to it")
		}
		rule.Tail, rule.Body = percent/100, percent/200
	}
	if text := p.flags.minDifference; text != "" {
		least, err := time.ParseDuration(text)
		if err != nil || least < 0 {
			return rule, usage("--min-difference "+text, "is no duration of 0 or more", "such as --min-difference 20ms")
		}
		rule.FloorNS = least.Nanoseconds()
	}
	return rule, nil
}
