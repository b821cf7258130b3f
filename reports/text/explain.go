package text

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

func (p *page) explain(d reports.Document) {
	for i, r := range d.Requests {
		p.blank()
		if len(d.Requests) > 1 {
			p.styled(bold, fmt.Sprintf("request %d of %d: %s", i+1, len(d.Requests), r.Headline))
		}
		p.request(r)
	}
}

func (p *page) request(r reports.Request) {
	p.field("trace", r.TraceID)
	p.field("request", describe(r))
	p.field("started", fmt.Sprintf("%s, took %s%s", reports.TimeMilli(r.StartNS), reports.Duration(r.DurationNS), rankOf(r.Standing)))
	if r.FirstTokenNS != nil {
		p.field("first token", fmt.Sprintf("after %s (%s)", reports.Duration(*r.FirstTokenNS-r.StartNS), r.Basis))
	}
	p.waterfall(r)
	if len(r.Path) > 0 {
		p.field("path", stageSums(r.Stages))
		p.longest(r)
		p.path(r)
	}
	p.peers(r)
	p.field("spans", requestSpans(r.Spans))
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
	if r.PromptTokens != nil {
		add(reports.Integer(*r.PromptTokens)+" prompt tokens", true)
	}
	if r.OutputTokens != nil {
		add(reports.Integer(*r.OutputTokens)+" output tokens", true)
	}
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

func rankOf(s reports.Standing) string {
	if s.Peers == 0 || s.Peers == 1 && s.InPopulation {
		return ""
	}
	words := ""
	if s.Words != "" {
		words = " " + s.Words
	}
	if !s.InPopulation {
		return fmt.Sprintf(" (slower than %s of %s requests%s; left out of them itself)", reports.Integer(s.Rank-1), reports.Integer(s.Peers), words)
	}
	if s.Rank == s.Peers {
		return fmt.Sprintf(" (the slowest of %s requests%s)", reports.Integer(s.Peers), words)
	}
	return fmt.Sprintf(" (p%s of %s requests%s)", reports.Percent(float64(s.Rank)/float64(s.Peers)), reports.Integer(s.Peers), words)
}

// stageSums writes the stages that took time, in path order.
func stageSums(stages []reports.StageShare) string {
	shares := make([]float64, len(stages))
	for i, s := range stages {
		shares[i] = s.Share
	}
	percents := reports.Percents(shares)
	var parts []string
	for i, s := range stages {
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
func (p *page) longest(r reports.Request) {
	s := r.Path[*r.Longest]
	text := fmt.Sprintf("%s for %s in %s", stageName(s), reports.Duration(s.DurationNS), owner(s))
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if s.OverlappedBy != "" {
		text += "; " + s.OverlappedBy + " ran meanwhile, and nothing tells waiting from working"
	}
	p.field("longest", text)
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
func (p *page) path(r reports.Request) {
	starts, lengths := []int64{}, []int64{}
	for _, s := range r.Path {
		starts, lengths = append(starts, s.StartNS-r.StartNS), append(lengths, s.DurationNS)
	}
	at, took := reports.CommonUnit(starts...), reports.CommonUnit(lengths...)
	p.title("critical path")
	g := grid{columns: []column{
		{head: "at " + at.Name}, {head: "took " + took.Name}, {head: "stage", text: true}, {head: "known", text: true},
		{head: "span", text: true, flex: true}, {head: "why on the path [rule]", text: true, below: true},
	}}
	steps := took.Split(lengths, took.Steps(r.DurationNS))
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
		g.rows = append(g.rows, []string{at.Format(starts[i]), took.Text(steps[i], lengths[i]), stageName(s), known, owner(s), reason})
	}
	p.table(g)
}

// peers compares the stages with those of usual requests.
func (p *page) peers(r reports.Request) {
	s := r.Standing
	var all []int64
	for _, d := range s.Stages {
		if d.MedianNS == nil {
			p.blank()
			p.field("peers", fmt.Sprintf("%s usual requests are too few to compare with", reports.Integer(s.Body)))
			return
		}
		all = append(all, d.NS, *d.MedianNS)
	}
	u := reports.CommonUnit(all...)
	p.title(fmt.Sprintf("against the stage medians of %s usual requests (ranks 40 to 60 %%), %s", reports.Integer(s.Body), u.Name))
	g := grid{columns: []column{{text: true}, {head: "this"}, {head: "median"}, {head: "difference"}}}
	for _, d := range s.Stages {
		if d.NS == 0 && *d.MedianNS == 0 {
			continue
		}
		difference := u.Format(d.NS - *d.MedianNS)
		if d.NS > *d.MedianNS {
			difference = "+" + difference
		}
		g.rows = append(g.rows, []string{d.Stage, u.Format(d.NS), u.Format(*d.MedianNS), difference})
	}
	p.table(g)
	p.hanging(dim, "  ", "medians of stages do not add up to the median request")
	p.blank()
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
