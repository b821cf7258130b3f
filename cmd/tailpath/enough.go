package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
)

// enough says whether there are requests to judge: found of them in all, of which
// usable can be judged.
func (p *program) enough(l *loaded, usable int64) error {
	switch logs, samples := l.set.Logs.Len(), l.set.EngineSamples.Len(); {
	case l.set.Spans.Len() > 0:
	case logs+samples == 0:
		return nothing(l.where(), "no request was found", "tailpath help formats lists what is read")
	default:
		var only []string
		if logs > 0 {
			only = append(only, count(logs, "log record"))
		}
		if samples > 0 {
			only = append(only, count(samples, "reading")+" of engines")
		}
		return nothing(l.where(), "no request was found, only "+strings.Join(only, " and ")+", and none says how long a request took",
			"add the traces or access logs of the same time; tailpath help formats says what each log tells, and what to switch on")
	}
	where := p.where()
	keeps, leftOut := p.choiceOf(l).Keeps(l.set), p.choiceOf(l).LeftOut(l.set)
	inTime := func(row int) bool { why := leftOut(row); return why == "" || why == analyze.ExcludedFilter }
	switch {
	case usable == 0 && l.during != nil && !slices.ContainsFunc(l.rows(), inTime):
		when := l.during.Words()
		if l.week != nil { // --week last does not say which one that is
			when = "in week " + l.week.Name + ", " + when
		}
		return nothing(l.where(), "no request starts "+when, l.starts())
	case usable == 0 && where != nil && !slices.ContainsFunc(l.rows(), keeps):
		return nothing(l.where(), "no request matches --where "+shortened(where.Text(), longestQuoted), occurring(l, where))
	case usable == 0:
		what := fmt.Sprintf("none of %s can be judged", count(l.set.Requests.Len(), "request"))
		if by := p.leftOutBy(l); by != "" {
			what += "; left out: " + by
		}
		return nothing(l.where(), what, p.moreRequests(l))
	case usable < int64(p.flags.minRequests):
		return nothing(l.where(), fmt.Sprintf("%s can be judged, --min-requests asks for %s", count(int(usable), "request"), reports.Integer(int64(p.flags.minRequests))), p.moreRequests(l))
	}
	return nil
}

// unjudged puts before the headline of a document what keeps its requests from being judged, which
// leaves every condition of --fail-on open: --min-requests, what of --require is not met, and more
// reasons; or behind it the flags that left all of them out. side names the set in a comparison; it
// is empty where there is one.
func (p *program) unjudged(doc reports.Document, l *loaded, side string, usable int64, more ...string) reports.Document {
	reasons := slices.Concat(p.fewer(side, usable), more, doc.Missed())
	if usable > 0 {
		return doc.Withheld(reasons...)
	}
	if by := p.leftOutBy(l); by != "" && l.set.Requests.Len() > 0 {
		doc.Headline += ": " + by
	}
	answer := doc.Headline // that there is none to judge comes before all reasons
	doc = doc.Withheld(reasons...)
	doc.Headline = answer
	return doc
}

// fewer says in the words of a headline that --min-requests asks for more than the usable ones; nil
// when it does not, and where that is not given.
func (p *program) fewer(side string, usable int64) []string {
	least := int64(p.flags.minRequests)
	if usable >= least || least <= 1 {
		return nil
	}
	has := "there are " + reports.Integer(usable)
	if side != "" {
		has = side + " has " + reports.Integer(usable)
	}
	return []string{fmt.Sprintf("--min-requests asks for %s requests, and %s", reports.Integer(least), has)}
}

// leftOutBy says which flags leave out how many requests, and what is left out whatever the
// flags are; empty when nothing is.
func (p *program) leftOutBy(l *loaded) string {
	const undated, outside, filter, incomplete, whole, unfinished, failed, succeeded = 0, 1, 2, 3, 4, 5, 6, 7
	var counts [8]int
	r, leftOut := &l.set.Requests, p.choiceOf(l).LeftOut(l.set)
	for _, row := range l.rows() {
		bad := r.Error[row] || r.Aborted[row]
		switch class, why := critical.Class(r.Class[row]), leftOut(row); {
		case why == analyze.ExcludedUndated:
			counts[undated]++
		case why == analyze.ExcludedOutside:
			counts[outside]++
		case why == analyze.ExcludedFilter:
			counts[filter]++
		case class == critical.Unfinished || class == critical.Broken:
			counts[unfinished]++
		case class == critical.Incomplete && p.flags.incomplete == "exclude":
			counts[incomplete]++
		case class == critical.Complete && p.flags.incomplete == "only":
			counts[whole]++
		case bad && p.flags.errors == "exclude":
			counts[failed]++
		case !bad && p.flags.errors == "only":
			counts[succeeded]++
		}
	}
	by := [...]string{
		undated: "having no date", outside: "", filter: "", incomplete: "--incomplete exclude, the default (a part is missing)", whole: "--incomplete only (no part is missing)",
		unfinished: "rule: unfinished or broken", failed: "--errors exclude, the default (failed or given up)", succeeded: "--errors only (not failed)",
	}
	if l.during != nil {
		by[outside] = "starting at another time"
	}
	if where := p.where(); where != nil {
		by[filter] = "--where " + shortened(where.Text(), longestQuoted)
	}
	var parts []string
	for k, n := range counts {
		if n > 0 {
			parts = append(parts, reports.Integer(int64(n))+" by "+by[k])
		}
	}
	return strings.Join(parts, ", ")
}

// moreRequests says how more requests may come to be judged.
func (p *program) moreRequests(l *loaded) string {
	var ways []string
	r, keeps := &l.set.Requests, p.choiceOf(l).Keeps(l.set)
	some := func(is func(row int) bool) bool {
		return slices.ContainsFunc(l.rows(), func(row int) bool { return is(row) && keeps(row) })
	}
	class := func(want critical.Class) func(row int) bool {
		return func(row int) bool { return r.Class[row] == uint8(want) }
	}
	// Unfinished and broken requests are left out whatever the flags are.
	bad := func(row int) bool {
		class := critical.Class(r.Class[row])
		return (r.Error[row] || r.Aborted[row]) && class != critical.Unfinished && class != critical.Broken
	}
	for _, way := range []struct {
		flag, value, told string
		is                func(row int) bool
	}{
		{p.flags.incomplete, "exclude", "--incomplete include takes fragments in", class(critical.Incomplete)},
		{p.flags.incomplete, "only", "--incomplete include takes requests in that miss no part", class(critical.Complete)},
		{p.flags.errors, "exclude", "--errors include takes failed requests in", bad},
		{p.flags.errors, "only", "--errors include takes requests in that did not fail", func(row int) bool { return !bad(row) }},
	} {
		if way.flag == way.value && some(way.is) {
			ways = append(ways, way.told)
		}
	}
	if l.during != nil && !(len(ways) > 0) {
		ways = append(ways, "a longer time takes others in")
	}
	if p.where() != nil && !(len(ways) > 0) {
		ways = append(ways, "a wider --where, or none, takes others in")
	}
	return strings.Join(append(ways, "tailpath inspect says what was read"), "; ")
}
