package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/store"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// around is how far beside a chosen time the parts of a store are read: what belongs to a
// request that starts in it may be recorded a little before and after.
const around = time.Hour

// mostNamed is how many inputs a message names.
const mostNamed = 3

// reading is what the operands of a command come to.
type reading struct {
	paths []string // with the parts of stores in place of those
	parts []string // of them, those of stores
	// last is the last instant that a record with a date tells of; known is false where that has
	// to be seen from what is read.
	last  int64
	known bool
}

// sourceOf finds what to read. Of a store it is the parts of the chosen time.
func (p *program) sourceOf(operands []string, t chosenTimes) (reading, error) {
	out := reading{paths: operands}
	stores := make([]*store.Store, len(operands))
	all, some := true, false
	for i, o := range operands {
		if o == stdioName || !store.Is(o) {
			all = false
			continue
		}
		s, err := store.Open(o)
		if err != nil {
			return out, storeFault(o, err)
		}
		if len(s.Parts()) == 0 {
			return out, nothing(o, "the store has no part", "tailpath ingest FILE... --store "+o+" adds one")
		}
		stores[i], some = s, true
		if _, last, ok := s.Extent(); ok {
			if !out.known {
				out.last, out.known = last, true
			}
			out.last = max(out.last, last)
		}
	}
	if !some {
		return reading{paths: operands}, nil
	}
	out.known = out.known && all
	during := analyze.Interval{Start: analyze.OpenStart, End: analyze.OpenEnd}
	if t.given() && (all || !t.needsLast()) {
		var err error
		if during, err = t.reads(out.last, out.known); err != nil {
			return out, err
		}
	}
	out.paths = nil
	for i, o := range operands {
		if stores[i] == nil {
			out.paths = append(out.paths, o)
			continue
		}
		for _, part := range stores[i].Between(widened(during)) {
			if err := stores[i].Verify(part); err != nil {
				return out, partFault(stores[i].Path(part), err.Error())
			}
			out.parts = append(out.parts, stores[i].Path(part))
		}
	}
	if out.paths = append(out.paths, out.parts...); len(out.paths) == 0 {
		return out, nothing(strings.Join(operands, " "), "no record is of "+t.flags(), holds(stores, t.zone))
	}
	return out, nil
}

// widened returns the bounds of a time with what lies around it, both included.
func widened(in analyze.Interval) (from, to int64) {
	from, to = in.Start, in.End
	if from > math.MinInt64+int64(around) {
		from -= int64(around)
	}
	if to < math.MaxInt64-int64(around) {
		to += int64(around) - 1
	}
	return from, to
}

// holds says of which time and weeks the records of stores are.
func holds(stores []*store.Store, zone *time.Location) string {
	var parts []string
	for _, s := range stores {
		if s == nil {
			continue
		}
		if first, last, ok := s.Extent(); ok {
			parts = append(parts, fmt.Sprintf("there are records %s to %s, of %s to %s", reports.TimeMilli(first), reports.TimeMilli(last),
				analyze.WeekAt(first, zone).Name, analyze.WeekAt(last, zone).Name))
		}
	}
	return strings.Join(parts, "; ")
}

// storeFault is the fault of a store that cannot be read or written.
func storeFault(dir string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, store.ErrLocked):
		hint = "wait for it; if none runs, one was killed: remove " + filepath.Join(dir, "store.lock")
	case errors.Is(err, store.ErrKnown):
		hint = "another run added it meanwhile: run the same again"
	case errors.Is(err, store.ErrDamaged):
		hint = "put it back from a copy, or make the store anew of the inputs of its parts"
	case errors.Is(err, fs.ErrPermission):
		hint = "to add to a store one must be allowed to write in it"
	case spaceHint(err) != "":
		hint = "free some space: what was there is as it was"
	}
	return &fault{code: exitFailed, where: dir, what: strings.TrimPrefix(reason(err), dir+" "), hint: hint, cause: err}
}

// partFault is the fault of a part of a store that is not what was added.
func partFault(dir, what string) error {
	return &fault{code: exitFailed, where: dir, what: what, hint: "put it back from a copy, or make the store anew of its inputs, which store.json names; --since and --until ask for other parts"}
}

// damaged says which part of a store could not be read: without it the answer would be about less
// than was asked for.
func (s reading) damaged(report *ingest.Report) error {
	for _, in := range report.Inputs {
		if in.Problem != nil && slices.Contains(s.parts, in.Name) {
			return partFault(in.Name, strings.TrimPrefix(in.Problem.What, "read directory: "))
		}
	}
	return nil
}

// withStore adds the store that --store names to the operands.
func (p *program) withStore(operands []string) ([]string, error) {
	dir := p.flags.store
	if dir == "" {
		return operands, nil
	}
	if !store.Is(dir) {
		if _, err := store.Open(dir); err != nil {
			return nil, &fault{code: exitFailed, where: "--store " + dir, what: "is no store", hint: "tailpath ingest FILE... --store " + dir + " makes one", cause: err}
		}
	}
	return append(slices.Clone(operands), dir), nil
}

// ingestInto adds the operands to a store as a part of it, but for those that are there.
func (p *program) ingestInto(ctx context.Context, dir string, operands []string) error {
	for _, o := range operands {
		if o != stdioName && store.Is(o) {
			return usage(o, "is a store, whose inputs are known by their own bytes alone", "ingest the files that it was made of")
		}
	}
	if dir == stdioName {
		return usage("--store -", "a store is a directory, and cannot be standard output", "name a directory, such as --store runs")
	}
	if store.Within(filepath.Dir(filepath.Clean(dir))) {
		return usage("--store "+dir, "lies in a store", "name the store itself, or a directory that is in none")
	}
	if err := checkParent(dir); err != nil {
		return err
	}
	s, err := store.OpenOrNew(dir)
	if err != nil {
		return storeFault(dir, err)
	}
	p.known = s.Knows
	l, err := p.load(ctx, ingestCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	p.tellKnown(dir, l.passedOver)
	inputs, err := l.inputsOf(dir)
	if err != nil {
		return err
	}
	if len(inputs) == 0 && len(l.passedOver) > 0 {
		p.tell("nothing new for %s", oneLine(dir))
		return nil
	}
	if l.set.Spans.Len()+l.set.Logs.Len()+l.set.EngineSamples.Len() == 0 {
		return nothing(l.where(), "no span and no log record was found", "tailpath help formats lists what is read")
	}
	if err := p.stage.write(); err != nil {
		return err
	}
	part, err := s.Add(l.set, inputs, table.WithTool(version()), table.WithRules(l.rules))
	if err != nil {
		return storeFault(dir, err)
	}
	when := "without dates"
	if part.FromNS != nil {
		when = reports.TimeMilli(*part.FromNS) + " to " + reports.TimeMilli(*part.ToNS)
	}
	p.tell("added part %s to %s: %s, %s, %s; %s", part.ID, oneLine(dir), count(l.set.Spans.Len(), "span"),
		count(l.set.Logs.Len(), "log record"), count(l.set.Requests.Len(), "request"), when)
	return nil
}

// inputsOf returns the inputs that rows were read from, as a store keeps them. One that lies in
// the store, or of which not all could be read, is an error.
func (l *loaded) inputsOf(dir string) ([]store.Input, error) {
	var out []store.Input
	for _, in := range l.inputs {
		if in.Format == "" { // it was not read
			continue
		}
		if in.Name != stdioName && lies(in.Name, dir) {
			return nil, usage(in.Name, "lies in the store that is written", "name the files that are new")
		}
		if in.SHA256 == "" {
			return nil, usage(in.Name, "could not be read to its end", "a store knows an input by all of its bytes: copy the file again")
		}
		out = append(out, store.Input{Name: in.Name, Bytes: in.Bytes, SHA256: in.SHA256})
	}
	return out, nil
}

// lies reports whether a path is below a directory, or the directory itself.
func lies(path, dir string) bool {
	at, err := resolved(path)
	if err != nil {
		return false
	}
	root, err := resolved(dir)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(root, at)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}

// resolved returns a path from the root, without the links in it. Of one that is not there yet, the
// part that is there is freed of them.
func resolved(path string) (string, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest), nil
		}
		above := filepath.Dir(at)
		if above == at {
			return filepath.Join(at, rest), nil
		}
		at, rest = above, filepath.Join(filepath.Base(at), rest)
	}
}

// tellKnown says which inputs are passed over because the store has them.
func (p *program) tellKnown(dir string, known []ingest.Input) {
	if len(known) == 0 {
		return
	}
	var names []string
	for _, in := range known[:min(mostNamed, len(known))] {
		names = append(names, shortened(in.Name, longestQuoted))
	}
	if more := len(known) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	p.tell("%s passed over, known by their bytes to %s or read already: %s", count(len(known), "input"), oneLine(dir), oneLine(strings.Join(names, ", ")))
}

// tell says something on standard error, unless --quiet.
func (p *program) tell(format string, args ...any) {
	if !p.flags.quiet {
		fmt.Fprintf(p.stderr, "tailpath: "+format+"\n", args...)
	}
}
