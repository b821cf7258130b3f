package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

func (b *builder) explain(d reports.Document) {
	for i, r := range d.Requests {
		of, first := "", len(b.page.Sections)+1
		if i > 0 {
			of = fmt.Sprintf("request-%d-", i+1)
		}
		if len(d.Requests) == 1 {
			b.blank()
		} else {
			b.section(fmt.Sprintf("request-%d", i+1), fmt.Sprintf("request %d of %d: %s", i+1, len(d.Requests), r.Headline))
		}
		b.request(r, i+1, of)
		for at := first; at < len(b.page.Sections) && len(d.Requests) > 1; at++ {
			b.page.Sections[at].Part = true
		}
	}
}

// request writes all that is known of a request, the at-th of the document. Ids begin with of,
// which tells it from others.
func (b *builder) request(r reports.Request, at int, of string) {
	b.field("trace", r.TraceID)
	b.field("request", describe(r))
	b.toldBy(r, b.limit.Of(fmt.Sprintf("requests.%d.told_by", at), len(r.ToldBy)))
	b.field("started", moment(r.Clock, r.StartNS)+took(r))
	if r.FirstTokenNS != nil {
		b.field("first token", fmt.Sprintf("after %s (%s)", reports.Duration(*r.FirstTokenNS-r.StartNS), r.Basis))
	}
	if r.FirstByteNS != nil {
		b.field("first byte", fmt.Sprintf("after %s (%s)", reports.Duration(*r.FirstByteNS-r.StartNS), r.ByteBasis))
	}
	b.requestMeasures(r)
	b.waterfallFigure(r)
	b.waterfall(r, of)
	if len(r.Path) > 0 {
		b.field("path", stageSums(r))
		b.longest(r)
		b.beside(r)
		b.alike(r)
		b.path(r, of)
		b.peers(r, of)
	}
	b.field("spans", requestSpans(r.Spans))
}

// readFrom says where the root of a request was read.
func readFrom(r reports.Request) string {
	text := r.Source
	if r.Line > 0 {
		text += fmt.Sprintf(":%d", r.Line)
	}
	if r.Record {
		text += " (a record: its trace id is made of this place)"
	}
	return text
}

// describe names a request by what is known of it.
func describe(r reports.Request) string {
	parts := []string{r.Name}
	add := func(text string, ok bool) {
		if ok {
			parts = append(parts, text)
		}
	}
	add(r.Service, r.Service != "")
	add("model "+r.Model, r.Model != "")
	add("route "+r.Route, r.Route != "" && !strings.Contains(r.Name, r.Route))
	add("id "+r.RequestID, r.RequestID != "")
	add("FAILED", r.Error)
	if r.Class != "complete" {
		text := r.Class
		if r.ClassReason != "" {
			text += ": " + r.ClassReason
		}
		add(text, true)
	}
	return strings.Join(parts, ", ")
}

// took says how long a request took, and where that places it among its peers.
func took(r reports.Request) string {
	if r.Class == "unfinished" {
		return "never ended"
	}
	text := "took " + reports.Duration(r.DurationNS)
	if place := placeOf(r.Standing); place != "" {
		text += " (" + place + ")"
	}
	return text
}

// placesNamed is how many of the slowest requests are placed by number.
const placesNamed = 3

// placeOf places a request among its peers: by number when it is one of the slowest,
// else by the percentage of the peers that took no longer, rounded down. Peers that
// took as long are said to.
func placeOf(s reports.Standing) string {
	if s.Peers == 0 || s.Peers == 1 && s.InPopulation {
		return ""
	}
	of := reports.Integer(s.Peers) + " requests"
	if s.Words != "" {
		of += " " + s.Words
	}
	others := s.Peers
	if s.InPopulation {
		others--
	}
	slower := others - s.Faster - s.Ties
	var place string
	switch {
	case !s.InPopulation:
		return s.Compared() + "; left out of them itself"
	case s.Ties == others:
		return s.Compared()
	case slower <= 0:
		place = "the slowest of " + of
	case s.Faster == 0:
		place = "the fastest of " + of
	case slower < placesNamed:
		place = []string{"", "2nd", "3rd"}[slower] + " slowest of " + of
	default: // some are slower, so this is below 100
		place = fmt.Sprintf("p%s of %s", reports.PercentText(1000*(s.Peers-slower)/s.Peers), of)
	}
	if s.Ties > 0 {
		place += ", as slow as " + plural(s.Ties, "other")
	}
	return place
}

// stageSums writes the stages that took time, in path order.
func stageSums(r reports.Request) string {
	percents := r.StagePercents()
	var parts []string
	for i, s := range r.Stages {
		if s.MeanNS != 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s %%)", s.Stage, reports.Duration(s.MeanNS), percents[i]))
		}
	}
	if len(parts) == 0 {
		return "empty: the request took no time"
	}
	return strings.Join(parts, ", ")
}

// longest says why the longest segment is on the path.
func (b *builder) longest(r reports.Request) {
	s := r.Path[*r.Longest]
	text := fmt.Sprintf("%s for %s in %s", stageName(s), reports.Duration(s.DurationNS), owner(s))
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if s.OverlappedBy != "" {
		text += "; " + s.OverlappedBy + " ran meanwhile, and nothing tells waiting from working"
	}
	b.field("longest", text)
}

func stageName(s reports.Segment) string {
	if s.Detail == "" {
		return s.Stage
	}
	return s.Stage + "/" + s.Detail
}

func owner(s reports.Segment) string {
	if s.Service == "" {
		return s.SpanName
	}
	return s.SpanName + " (" + s.Service + ")"
}

// path lists the segments with the reason for each.
func (b *builder) path(r reports.Request, of string) {
	starts, lengths := []int64{}, []int64{}
	for _, s := range r.Path {
		starts, lengths = append(starts, s.StartNS-r.StartNS), append(lengths, s.DurationNS)
	}
	at, length := reports.CommonUnit(starts...), reports.CommonUnit(lengths...)
	b.section(of+"critical-path", "critical path")
	g := Table{Columns: []Column{
		{Head: "at " + at.Name}, {Head: "took " + length.Name}, {Head: "stage", Text: true}, {Head: "known", Text: true},
		{Head: "span", Text: true, Flex: true}, {Head: "why on the path [rule]", Text: true, Below: true},
	}}
	steps := length.Split(lengths, length.Steps(r.DurationNS))
	for i, s := range r.Path {
		known := s.Confidence
		if s.ErrorNS > 0 {
			known += " ±" + reports.Duration(s.ErrorNS)
		}
		reason := s.Reason
		if s.OverlappedBy != "" {
			reason += " (? " + s.OverlappedBy + " ran meanwhile)"
		}
		if s.Rule != "" {
			reason += " [" + s.Rule + "]"
		}
		g.Rows = append(g.Rows, []string{at.Format(starts[i]), length.Text(steps[i], lengths[i]), stageName(s), known, owner(s), reason})
	}
	b.table(g)
}

func requestSpans(s reports.SpanAccount) string {
	text := fmt.Sprintf("%s = %s on the path + %s off it + %s excluded", reports.Integer(s.In), reports.Integer(s.OnPath),
		reports.Integer(s.OffPath), reports.Integer(s.Excluded))
	var reasons []string
	for _, c := range s.Reasons {
		reasons = append(reasons, fmt.Sprintf("%s %s", reports.Integer(c.N), c.Name))
	}
	if len(reasons) > 0 {
		text += " (" + strings.Join(reasons, ", ") + ")"
	}
	return text
}
