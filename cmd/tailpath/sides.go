package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
)

// The flags that give a base a time of its own.
const (
	splitFlag     = "--split"
	baseSinceFlag = "--base-since"
	baseUntilFlag = "--base-until"
)

// ownBase reports whether the base was given a time of its own.
func (t chosenTimes) ownBase() bool {
	return t.split != nil || t.baseSince != nil || t.baseUntil != nil
}

// ofBase returns the times of a base that is another set than the new side: its own if it was
// given some, else those of both.
func (t chosenTimes) ofBase() chosenTimes {
	if t.ownBase() {
		return chosenTimes{zone: t.zone, since: t.baseSince, until: t.baseUntil, split: t.split}
	}
	return t.ofNew()
}

// ofNew returns the times of the new side alone.
func (t chosenTimes) ofNew() chosenTimes {
	t.split, t.baseSince, t.baseUntil, t.one = nil, nil, nil, false
	return t
}

// halves returns the times of base and of new in one set, by the last record of it. --split divides
// what is within --since and --until. Without it they are those of new, and an end of either time
// that is left open reaches to the other time.
func (t chosenTimes) halves(last int64) (times [2]chosenTimes, in [2]analyze.Interval, err error) {
	base, new := &times[change.Base], &times[change.New]
	*base, *new = chosenTimes{zone: t.zone, since: t.baseSince, until: t.baseUntil}, chosenTimes{zone: t.zone, since: t.since, until: t.until}
	if t.split != nil {
		base.since, base.until, new.since = t.since, t.split, t.split
	}
	for s := range times {
		if in[s], err = times[s].interval(last); err != nil {
			return times, in, err
		}
	}
	for early := range times {
		late := 1 - early
		switch a, b := &times[early], &times[late]; {
		case a.until != nil && b.since == nil && in[early].End < in[late].End:
			b.since, in[late].Start = a.until, in[early].End
		case a.until == nil && b.since != nil && in[early].Start < in[late].Start:
			a.until, in[early].End = b.since, in[late].Start
		}
	}
	if a, b := in[change.Base], in[change.New]; a.Start < b.End && b.Start < a.End {
		return times, in, usage(base.flags(), "overlaps the time of new, "+b.Words(), "no request can be of both sides: bound new with --since and --until, or divide one time with "+splitFlag)
	}
	return times, in, nil
}

// reads returns the time that has to be read: of two times all from the beginning of the one to
// the end of the other.
func (t chosenTimes) reads(last int64, known bool) (analyze.Interval, error) {
	in, _, err := t.resolve(last, known)
	if err != nil {
		return analyze.Interval{}, err
	}
	if !t.one {
		return *in, nil
	}
	_, both, err := t.halves(last)
	return analyze.Interval{Start: min(both[0].Start, both[1].Start), End: max(both[0].End, both[1].End)}, err
}

// chosen returns the flags of the time that resolve returns, and the time of the base where it is
// of the same set.
func (t chosenTimes) chosen(last int64) (chosenTimes, *analyze.Interval, error) {
	if !t.one {
		return t, nil, nil
	}
	times, in, err := t.halves(last)
	return times[change.New], &in[change.Base], err
}

// base returns the other time of what was loaded for two; nil for one time.
func (l *loaded) base() *loaded {
	if l.before == nil {
		return nil
	}
	base := *l
	base.during, base.before = l.before, nil
	return &base
}

// loadSides reads both sides of a comparison, and says what they are called. Two operands are BASE
// and NEW. One alone is both of them, and so are any number with --split: they are read once, and
// the sides are two times of them.
func (p *program) loadSides(ctx context.Context, c command, operands []string) (sides [2]*loaded, named [2]reports.Compared, err error) {
	times, err := p.times()
	if err != nil {
		return sides, named, err
	}
	switch {
	case times.split != nil, len(operands) <= 1 && times.ownBase():
		times.one = true
		err = p.loadTimes(ctx, c, operands, times, &sides, &named)
	case len(operands) == 2:
		err = p.loadEach(ctx, c, operands, [2]chosenTimes{change.Base: times.ofBase(), change.New: times.ofNew()}, &sides, &named)
	default:
		err = wantsSides(len(operands))
	}
	if err != nil {
		return sides, named, err
	}
	for s, l := range sides {
		named[s].Files = []string{}
		for _, in := range l.inputs {
			named[s].Files = append(named[s].Files, in.Name)
		}
	}
	return sides, named, p.checkWhere(sides[:]...)
}

// loadTimes reads one set for two times of it.
func (p *program) loadTimes(ctx context.Context, c command, operands []string, times chosenTimes, sides *[2]*loaded, named *[2]reports.Compared) error {
	if err := times.inOrder(); err != nil {
		return err
	}
	label := ""
	if len(operands) == 1 {
		var path string
		label, path = labelled(operands[0])
		operands = []string{path}
	}
	operands, err := p.operandsOf(c, operands)
	if err != nil {
		return err
	}
	l, err := p.loadAt(ctx, c, operands, critical.Options{}, times)
	if err != nil {
		return err
	}
	if label == "" {
		label = (&loaded{operands: slices.Sorted(slices.Values(operands))}).where() // their order changes nothing
	}
	for s, side := range []*loaded{change.Base: l.base(), change.New: l} {
		sides[s], named[s].Label = side, label
	}
	return nil
}

// loadEach reads BASE and NEW.
func (p *program) loadEach(ctx context.Context, c command, operands []string, times [2]chosenTimes, sides *[2]*loaded, named *[2]reports.Compared) error {
	if p.flags.stages == stdioName {
		return usage("--stages -", "is needed twice, once for each side", "put the rules in a file")
	}
	var paths [2]string
	for s, operand := range operands {
		named[s].Label, paths[s] = labelled(operand)
	}
	if paths[change.Base] == stdioName && paths[change.New] == stdioName {
		return usage("standard input", "is named twice, by BASE and by NEW", "it can be read once: put one of them in a file")
	}
	if err := times[change.Base].inOrder(); err != nil {
		return err
	}
	for s, path := range paths {
		from, err := p.operandsOf(c, []string{path})
		if err != nil {
			return err
		}
		if sides[s], err = p.loadAt(ctx, c, from, critical.Options{}, times[s]); err != nil {
			return err
		}
	}
	return nil
}

// wantsSides is the fault of a comparison of so many operands.
func wantsSides(n int) error {
	hint := "put the files of each into a directory, or name them by a pattern in quotes"
	if n == 1 {
		hint = "name NEW as well, or a time of the base in the same one: " + splitFlag + " TIME, or " + baseSinceFlag + " and " + baseUntilFlag + ": tailpath help filters"
	} else if n > 2 {
		hint += "; with " + splitFlag + " TIME they are all one set, of two times"
	}
	return usage("compare", "wants two operands, BASE and NEW, and has "+strconv.Itoa(n), hint)
}
