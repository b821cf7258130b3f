package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// silenced returns why no row of the decision tables of a system decides anything, of the whole
// and of each engine; nil when some row does.
func silenced(s System) []string {
	tables := []serving.Table{s.Serving.Table}
	for _, e := range s.Serving.Engines {
		tables = append(tables, e.Table)
	}
	for _, t := range tables {
		for _, row := range t.Rows {
			if row.Speaks != serving.Silent {
				return nil
			}
		}
		if t.Verdict.Kind != serving.CannotSay {
			return nil
		}
	}
	return s.Serving.Table.Verdict.Missing
}

// TestPartialSystems: what holds up a system of which not all is known is not told, and the
// verdict says what is missing.
func TestPartialSystems(t *testing.T) {
	slots := func() []visitor {
		queue := leg{0, stage.Queue, "engine", 0}
		return inTurn(0, 2, 200, 0, 45*ms, queue, nil, runLegs(0, 20, 60, 20), nil)
	}
	nowhere := legs(atClient, stage.Application, "", 1000)
	for _, c := range []struct {
		name    string
		change  func(v []visitor)
		tables  func(set *table.Set)
		opt     Options
		missing string // "" for nothing
	}{
		{name: "all of it"},
		{name: "a filter that keeps all", opt: Options{Where: where(t, "e2e>0ms")}},
		{name: "a filter", opt: Options{Where: where(t, "e2e>130ms")}, missing: "the requests that the filter leaves out"},
		{name: "every fourth trace", change: func(v []visitor) { each(v, 1, func(v *visitor) { v.weight = 4 }) }, missing: "the requests whose traces were not kept"},
		{name: "all traces", change: func(v []visitor) { each(v, 1, func(v *visitor) { v.weight = 1 }) }},
		{name: "parts are missing", change: func(v []visitor) { each(v, 2, func(v *visitor) { v.incomplete = true }) }},
		{name: "parts do not add up", tables: func(set *table.Set) {
			for i := range 4 {
				set.Requests.Stage[stage.GPU][i] += ms
			}
		}, missing: "4 requests of which the parts do not add up"},
		{name: "one of 200 does not", tables: func(set *table.Set) { set.Requests.Stage[stage.GPU][0] += ms }},
		{name: "no known engine", change: func(v []visitor) { each(v, 20, func(v *visitor) { v.legs = nowhere }) }, missing: "10 requests at no known engine"},
		{name: "a long one at none", change: func(v []visitor) { v[5].legs = legs(atClient, stage.Application, "", 20_000) }, missing: "1 request at no known engine"},
		{name: "turned away", change: func(v []visitor) {
			each(v, 20, func(v *visitor) { v.legs, v.err = legs(atClient, stage.Application, "", 1), true })
		}},
		{name: "failed who knows where", change: func(v []visitor) {
			each(v, 20, func(v *visitor) { v.legs, v.err = legs(atGateway, stage.Unattributed, "upstream", 100), true })
		}, missing: "10 requests at no known engine"},
		{name: "other clocks", tables: func(set *table.Set) {
			for i := range 5 {
				set.Requests.Clock[i] = table.ClockSteady
			}
		}, missing: "5 requests on other clocks"},
		{name: "no length", tables: func(set *table.Set) {
			for i := range 5 {
				set.Requests.Class[i], set.Requests.End[i] = uint8(critical.Broken), set.Requests.Start[i]
			}
		}, missing: "5 requests shorter than the resolution of their record"},
	} {
		visitors := slots()
		if c.change != nil {
			c.change(visitors)
		}
		set, engines := plant{engines: 1, visitors: visitors}.build()
		if c.tables != nil {
			c.tables(set)
		}
		c.opt.Engines = engines
		s := systemOf(set, c.opt.filled().on(set), CapacityOptions{})
		sum := 0.0
		for _, k := range s.Stages {
			sum += k.InFlight
		}
		near(t, c.name+": in all stages", sum, s.Serving.Whole.InFlight.Mean(), 1e-9)
		if got := silenced(s); (got != nil) != (c.missing != "") || c.missing != "" && !slices.ContainsFunc(got, func(x string) bool { return strings.Contains(x, c.missing) }) {
			t.Errorf("%s: nothing is decided without %q, want %q: %+v", c.name, got, c.missing, s.Serving.Table.Verdict)
		}
	}
}

// each changes every so many of some visitors.
func each(visitors []visitor, nth int, change func(v *visitor)) {
	for i := range visitors {
		if i%nth == 0 {
			change(&visitors[i])
		}
	}
}
