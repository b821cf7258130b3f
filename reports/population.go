package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// keptWords say that figures are about the traces that a sampler kept.
const keptWords = "among kept traces"

func population(p analyze.Population) Population {
	out := Population{
		Requests: p.Requests, Used: p.N, Incomplete: p.IncompleteChoice.String(), Errors: p.ErrorsChoice.String(), Excluded: []Exclusion{},
		ErrorRate: ErrorRate{N: p.Errors.N, Of: p.Errors.Of, Low: p.Errors.Bounds.Low, High: p.Errors.Bounds.High, Aborted: p.Errors.Aborted},
		Sampling:  sampling(p.Sampling), Failed: p.Failed, GivenUp: p.Aborted, Partial: p.Partial,
	}
	if p.Errors.Of > 0 {
		out.ErrorRate.Share = float64(p.Errors.N) / float64(p.Errors.Of)
	}
	if in := p.During; in != nil {
		if in.Start != analyze.OpenStart {
			out.SinceNS = &in.Start
		}
		if in.End != analyze.OpenEnd {
			out.UntilNS = &in.End
		}
	}
	out.Words = out.words()
	for _, x := range p.Excluded {
		out.Excluded = append(out.Excluded, Exclusion(x))
	}
	return out
}

// mixedKind is a kind of request that is usually left out.
type mixedKind struct {
	n         int64
	name      string // behind "of them"
	one, many string // behind "of the requests"
}

// mixed returns the kinds of request in use that are usually left out.
func (p Population) mixed() (kinds []mixedKind) {
	for _, k := range []mixedKind{
		{p.Failed, "failed", "failed", "failed"}, {p.GivenUp, "given up", "was given up", "were given up"}, {p.Partial, "incomplete", "is incomplete", "are incomplete"},
	} {
		if k.n > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// words limit what the figures are about, behind the number of requests in use.
func (p Population) words() string {
	words := p.wordsInTime()
	during := p.during()
	switch {
	case during == "":
		return words
	case words != "":
		words += ", "
	}
	return words + "starting " + during
}

// wordsInTime are the words without those of the time that was chosen.
func (p Population) wordsInTime() string {
	var words []string
	for _, k := range p.mixed() {
		switch {
		case k.n == p.Used && k.n > 1:
			words = append(words, "all of them "+k.name)
		case words != nil:
			words = append(words, Integer(k.n)+" "+k.name)
		default:
			words = append(words, fmt.Sprintf("%s of them %s", Integer(k.n), k.name))
		}
	}
	if p.kept() {
		words = append(words, keptWords)
	}
	return strings.Join(words, ", ")
}

// during says in which time the requests start; empty when none was chosen.
func (p Population) during() string {
	in := analyze.Interval{Start: analyze.OpenStart, End: analyze.OpenEnd}
	if p.SinceNS != nil {
		in.Start = *p.SinceNS
	}
	if p.UntilNS != nil {
		in.End = *p.UntilNS
	}
	return in.Words()
}

// kept reports whether the figures are about kept traces alone.
func (p Population) kept() bool {
	return analyze.Sampling{Kind: analyze.SamplingKind(p.Sampling.Kind)}.Biased()
}

// Limited adds to a sentence what limits the requests that it is about.
func (p Population) Limited(sentence string) string { return p.limited(sentence, "") }

// limitedPart is Limited for a sentence about some of the requests alone: what is counted in
// all of them is said to be.
func (p Population) limitedPart(sentence string) string { return p.limited(sentence, " of all groups") }

func (p Population) limited(sentence, side string) string {
	if p.kept() {
		sentence += ", " + keptWords
	}
	if text := p.mixedIn(side); text != "" {
		sentence += "; " + text
	}
	return sentence
}

// mixedIn says how many requests, of such a side, are in use that are usually left out;
// empty for none.
func (p Population) mixedIn(side string) string {
	var parts []string
	for _, k := range p.mixed() {
		n := Integer(k.n)
		switch {
		case parts != nil:
		case p.Used == 1:
			n = "the only request" + side
		case k.n == p.Used:
			n = fmt.Sprintf("all %s%s", plural(p.Used, "request"), side)
		default:
			n += fmt.Sprintf(" of the %s%s", plural(p.Used, "request"), side)
		}
		verb := k.many
		if k.n == 1 {
			verb = k.one
		}
		parts = append(parts, n+" "+verb)
	}
	return strings.Join(parts, ", ")
}
