package main

import (
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

// parseRequire reads each --require, as far as that can be done before the input is read.
func (p *program) parseRequire() error {
	for _, text := range p.flags.require[len(p.required):] {
		c, err := filter.ParseRequirement(text, analyze.ConditionWords())
		if err != nil {
			return filterFault("--require", err)
		}
		p.required = append(p.required, c)
	}
	return nil
}

// met returns what became of each --require in a set; side is base or new where there are two.
func (p *program) met(l *loaded, side string) []reports.Condition {
	beside := analyze.Beside{Clocks: l.builder.Clocks(), Clock: l.options.Clock}
	return reports.Requirements(analyze.Require(l.set, beside, p.required, p.choiceOf(l)), side)
}

// unlikeRequired returns how a run ends whose data are not as --require asks; nil when they are.
func unlikeRequired(doc reports.Document) error {
	missed := doc.Missed()
	if missed == nil {
		return nil
	}
	return nothing("", "cannot judge: "+plainUnits(strings.Join(missed, "; ")), "tailpath inspect says what was read, and how far it can be trusted; tailpath help filters says what --require takes")
}
