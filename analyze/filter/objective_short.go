package filter

import (
	"slices"
	"unicode"
)

// shortShare is the share of the requests that must keep limits which are written alone, such as
// ttft=500ms,e2e=5s.
var shortShare = Percent{99, 100}

// short reads an objective that is limits alone, each a metric, = and a time, with commas between
// them. Is is false where the text is written otherwise, which is then not read.
func (p *objectiveParser) short() (t ObjectiveTerm, is bool, err error) {
	start := p.pos
	name, _ := p.word()
	p.space()
	_, known := percentile(name)
	if is = name != "" && !known && p.at("=") && !p.at("==") && !p.at("=<"); !is {
		p.pos = start
		return t, false, nil
	}
	whole := *p
	p.pos, whole.pos = start, start
	t = ObjectiveTerm{Joint: true, P: shortShare}
	for {
		l, at, err := p.shortLimit(whole)
		if err != nil {
			return t, true, err
		}
		if slices.ContainsFunc(t.Limits, func(o MetricLimit) bool { return o.Metric == l.Metric }) {
			return t, true, p.fault(at, l.Metric+" has a limit already", "give each metric one")
		}
		t.Limits = append(t.Limits, l)
		switch p.space(); {
		case p.end():
			return t, true, nil
		case !p.take(","):
			return t, true, p.fault(p.here(), "nothing is expected after the limit", "write , before the next one, such as ttft=500ms,e2e=5s")
		}
	}
}

// shortLimit reads one limit of an objective that is limits alone, of which whole is at the start.
func (p *objectiveParser) shortLimit(whole objectiveParser) (l MetricLimit, at place, err error) {
	name, at := p.word()
	if name == "" {
		return l, at, p.fault(p.here(), "a limit is missing", "write a metric, = and a time, such as e2e=5s")
	}
	if err := p.known(name, at); err != nil {
		return l, at, err
	}
	l.Metric = name
	p.space()
	switch {
	case name == gapMetric:
		return l, at, p.fault(at, "a request has many gaps between its tokens, and nothing says how many must keep the limit", whole.shareOf(shortShare))
	case !p.at("="):
		return l, at, p.fault(p.here(), "an operator is missing", "write "+name+"=5s")
	}
	p.pos++
	return l, at, p.time(&l, name, name+"=")
}

// mostShown is how many limits of another notation a hint shows.
const mostShown = 8

// shareOf returns how limits that stand alone are written, in whatever notation they are:
// e2e < 5s, or ttft:500 e2el:5000, in ms, as the benchmarks of servers take them. Of several, share is
// the share of the requests that is written.
func (p *objectiveParser) shareOf(share Percent) string {
	var limits []MetricLimit
	for {
		p.run(func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
		if p.and() {
			continue
		}
		if p.end() {
			break
		}
		l, ok := p.alone()
		if !ok || len(limits) == mostShown {
			return "write " + objectiveForms
		}
		limits = append(limits, l)
	}
	if len(limits) == 1 {
		limits[0].P = Percent{99, 100}
		return "write " + limits[0].String() + ", or another percentile"
	}
	t := ObjectiveTerm{Joint: true, P: share, Limits: limits}
	return "write " + t.String() + ", or another share of the requests"
}

// alone reads one limit of [objectiveParser.shareOf].
func (p *objectiveParser) alone() (l MetricLimit, ok bool) {
	name, _ := p.word()
	if l.Metric = name; !slices.Contains(p.metrics, name) {
		l.Metric = Nearest(name, p.metrics)
	}
	if l.Metric == gapMetric {
		l.P = Percent{95, 100}
	}
	p.space()
	colon := p.at(":")
	switch {
	case p.take("<="), p.take("="):
	case p.take("<"), p.take(":"):
		l.Below = true
	default:
		return l, false
	}
	word, at := p.word()
	if _, bare := decimal(word); bare && colon {
		word += "ms"
	}
	ns, written, isTime := limitTime(word)
	l.NS, l.text = ns, written
	return l, l.Metric != "" && isTime && ns >= 1 && ns <= longestLimit && at.end-at.start <= longestNamed
}
