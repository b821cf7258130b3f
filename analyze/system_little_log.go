package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Gates of a log that counts requests as the traces do.
const (
	fewestLines  = 30
	mostRepeated = 0.05 // of the traced requests, what their lines may be more, or fewer
	mostUnknown  = 0.02 // of the lines, those that may be of a traced request or not
	leastTimed   = 0.99 // of the lines, those that tell how long
)

// againstLogs compares the traced requests with every log whose lines tell of requests.
func (c *captured) againstLogs() (out []LittleAgainst) {
	traced, logs := c.tracedAndLogs()
	if len(logs) == 0 || len(traced) == 0 {
		return nil
	}
	text := c.set.Symbols.Text
	for _, g := range logs {
		l := LittleAgainst{Source: SourceLog, Of: []string{cmp.Or(text(g.key.format), "log")}}
		if service := text(g.key.service); service != "" {
			l.Of[0] += " log of " + service
		}
		c.againstLog(&l, g, traced)
		out = append(out, l)
	}
	return out
}

// againstLog compares with one log, over the time in which both tell of requests.
//
// A log's times begin and end where the log is written, and those of spans where the first
// span is: at a client they hold the way to the log as well. Where the lines of the traced
// requests are known, their times are set against those of all lines, so that what differs is
// which requests were kept and nothing else. Spans that tell of less time than the lines of
// the same requests leave something out.
func (c *captured) againstLog(l *LittleAgainst, g *accessLog, traced []stayAt) {
	stays := make([]stayAt, len(g.lines))
	for i, s := range g.lines {
		stays[i] = s.stayAt
	}
	k := newCovers(c.together(bothCover(trimmed(traced), trimmed(stays))))
	if k.total == 0 {
		l.Why = "the log and the traces are of different times"
		return
	}
	var spans, lines twoLoads
	var unknown int64
	for i, s := range stays {
		k.spread(&spans.outsideNS, s.from, s.to, 1)
		whose := g.lines[i].whose
		if whose == ofTraced {
			k.spread(&lines.tracedNS, s.from, s.to, 1)
		}
		b, ok := k.at(s.from)
		if !ok {
			continue
		}
		spans.outside[b]++
		l.Outside++
		switch whose {
		case ofTraced:
			lines.traced[b]++
			l.Joined++
		case ofUnknown:
			unknown++
		}
	}
	for _, s := range traced {
		k.spread(&spans.tracedNS, s.from, s.to, 1)
		if b, ok := k.at(s.from); ok {
			spans.traced[b]++
			l.N++
		}
	}
	if l.Outside < fewestLines {
		l.Why = "the log has too few lines in the time of the traces"
		return
	}
	if float64(l.Joined) > (1+mostRepeated)*float64(l.N) {
		l.Why = fmt.Sprintf("there are %s of %s: they tell of calls or tries, not of requests", plural(l.Joined, "line"), plural(l.N, "traced request"))
		return
	}
	l.HasRates = true
	if l.HasInFlight = float64(g.untimed) <= (1-leastTimed)*float64(len(g.lines)); !l.HasInFlight {
		l.NoInFlight = "not every line says how long the request took"
	}
	lines.outside, lines.outsideNS = spans.outside, spans.outsideNS
	l.ByLines = float64(l.Joined) >= (1-mostRepeated)*float64(l.N) && float64(unknown) <= mostUnknown*float64(l.Outside)
	if !l.ByLines {
		l.settle(&spans, k, c.opt.Seed)
		l.apart()
		return
	}
	shorter := *l
	l.settle(&lines, k, c.opt.Seed)
	l.ofLines()
	if l.HasInFlight {
		l.keptSlow(g, k)
	}
	if l.Reading.Kind != little.Complete {
		return
	}
	if lack := l.Outside - l.Joined; lack > 0 {
		l.Reading.Text += fmt.Sprintf("; %d of %d lines are of no traced request", lack, l.Outside)
	}
	// All were kept, so that spans and lines are of the same requests.
	shorter.ByLines = false
	if shorter.settle(&spans, k, c.opt.Seed); shorter.Reading.Kind == little.Uncovered {
		*l = shorter
	}
}

// ofLines corrects what times of lines cannot say against times of lines: where nearly all
// have a trace and those take less time, it is the long ones that lack, and no stage.
func (l *LittleAgainst) ofLines() {
	r := &l.Reading
	switch r.Kind {
	case little.Uncovered:
		r.Kind, r.MissingNS, r.Text = little.LongLess, 0, "most requests have a trace, and the few that have none took long: percentiles are too low"
	case little.Wider:
		r.Kind, r.Text = little.SlowMore, "most requests have a trace, and the few that have none were fast: percentiles are too high"
	}
}

// keptSlow compares the share of the slowest tenth of the lines that have a trace with that of
// the others, where some have none: it finds what the mean times are too uneven to tell.
func (l *LittleAgainst) keptSlow(g *accessLog, k *covers) {
	var times []int64
	for _, s := range g.lines {
		if _, ok := k.at(s.from); ok {
			times = append(times, s.to-s.from)
		}
	}
	slices.Sort(times)
	limit := stat.NearestRank(times, stat.P90)
	var n [2][2]int64 // of others and slow ones: without and with a trace
	for _, s := range g.lines {
		if _, ok := k.at(s.from); ok {
			n[oneIf(s.to-s.from > limit)][oneIf(s.whose == ofTraced)]++
		}
	}
	if n[0][0]+n[1][0] == 0 || n[1][0]+n[1][1] == 0 {
		return
	}
	share := func(c [2]int64) float64 { return float64(c[1]) / float64(c[0]+c[1]) }
	others, slow := share(n[0]), share(n[1])
	// A share that differs by less than a tenth moves no percentile by much.
	if stat.FisherTwoSided(n[1][1], n[1][0], n[0][1], n[0][0]).P >= 1-littleConfidence || max(others, slow) < 1.1*min(others, slow) {
		return
	}
	l.Reading.Kind = little.SlowMore
	which := "more often than others: percentiles are too high"
	if slow < others {
		l.Reading.Kind, which = little.LongLess, "less often than others: percentiles are too low"
	}
	l.Reading.Text = fmt.Sprintf("slow requests were kept %s; of the slowest tenth of the lines %.3g %% have a trace, and %.3g %% of the others", which, 100*slow, 100*others)
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// apart takes back what times of spans cannot say against those of a log whose lines are of
// requests unknown: spans that begin at a client are longer than lines, whichever were kept.
func (l *LittleAgainst) apart() {
	r := &l.Reading
	switch r.Kind {
	case little.SlowMore, little.LongLess:
		longer := "longer"
		if r.Kind == little.LongLess {
			longer = "shorter"
		}
		r.Kind = little.SomeKept
		r.Text = fmt.Sprintf("%.3g of the requests were kept; whether slow and fast alike is unknown: spans are %s than lines, which are not joined with them, so that either may hold time that the other does not", r.RateRatio, longer)
	case little.Wider:
		r.Text = "the traces tell of every request, and of more time than the log: of the way to where it is written, unless clocks differ or spans never ended"
	}
}
