package main

import (
	"context"

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
		flags: documentFlags, run: runInspect,
	}
}

func runInspect(p *program, ctx context.Context, operands []string) error {
	l, err := p.load(ctx, inspectCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	// The tables say how many spans are excluded; why is known to the requests alone.
	// They are built again without an account, which has counted them already.
	var excluded analyze.ExclusionTally
	again := critical.NewBuilder(l.set, nil, l.options)
	if err := again.Each(ctx, func(r *critical.Request) error {
		excluded.Add(r)
		return nil
	}); err != nil {
		return err
	}
	in := analyze.Inspect(l.set, &excluded)
	if err := p.emit(p.document(l).Inspect(in)); err != nil {
		return err
	}
	return p.enough(l, in.Requests)
}
