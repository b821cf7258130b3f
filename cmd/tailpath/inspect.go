package main

import (
	"context"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
)

// inspectCommand declares inspect.
func inspectCommand() command {
	return command{
		name: "inspect", operands: "FILE...", files: true,
		about: "what is in the files, and can it be trusted",
		examples: []example{
			{"tailpath inspect incident/", "a directory"},
			{"tailpath inspect 'logs/*.zst' -f json", "as JSON"},
		},
		flags: append([]string{"require", "save"}, documentFlags...), run: runInspect,
	}
}

func runInspect(p *program, ctx context.Context, operands []string) error {
	l, err := p.load(ctx, inspectCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	if err := p.save(l); err != nil {
		return err
	}
	in := analyze.Inspect(l.set, analyze.Beside{
		Excluded: &l.excluded, Clocks: l.builder.Clocks(), Clock: l.options.Clock, Engines: l.builder.Engines(),
	})
	usable := in.Requests
	if p.flags.minRequests > 1 { // they are asked for to judge by
		usable = 0
		for _, class := range l.set.Requests.Class {
			if critical.Class(class) == critical.Complete {
				usable++
			}
		}
	}
	doc := p.document(l).Inspect(in)
	doc.Requirements = p.met(l, "")
	if in.Requests > 0 { // that there is none is said first in any case
		doc = doc.Withheld(slices.Concat(p.fewer("", usable), doc.Missed())...)
	}
	if err := p.emit(doc); err != nil {
		return err
	}
	if l.set.EngineSamples.Len() > 0 && p.flags.minRequests <= 1 {
		return gated(doc, nil) // what engines said of their state is worth a look by itself
	}
	return gated(doc, p.enough(l, usable))
}
