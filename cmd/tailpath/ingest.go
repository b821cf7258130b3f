package main

import (
	"context"

	"github.com/tailpath/tailpath/critical"
)

// ingestCommand declares ingest.
func ingestCommand() command {
	return command{
		name: "ingest", operands: "FILE... -o DIR|--store DIR", files: true,
		about: "write the tables as Parquet, which any command reads again",
		examples: []example{
			{"tailpath ingest incident/ -o run", "read once"},
			{"tailpath summary run", "ask often"},
			{"tailpath ingest today/ --store runs", "keep what comes day by day"},
		},
		more: []string{"DIR gets one Parquet file a table: what was recorded, and requests, segments and", "quality, which were worked out. tailpath help files says what is in them.", "Commands that read DIR work them out anew: give them --join and --clock again.",
			"A store keeps what is added to it, each file once, and is itself a FILE of any", "command, which reads the parts of the time of --since and --until."},
		flags: append([]string{"output", "store"}, readingFlags...), run: runIngest,
	}
}

func runIngest(p *program, ctx context.Context, operands []string) error {
	dir := p.flags.output
	switch {
	case dir != "" && p.flags.store != "":
		return usage("ingest", "both -o and --store are given", "-o writes a directory of tables anew, --store adds to a store: leave out one")
	case p.flags.store != "":
		return p.ingestInto(ctx, p.flags.store, operands)
	case dir == "" || dir == stdioName:
		return usage("ingest", "no directory to write is named", "tailpath ingest FILE... -o DIR, or --store DIR to add to a store")
	}
	l, err := p.load(ctx, ingestCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	if !l.holdsRows() {
		return nothing(l.where(), "no span and no log record was found", "tailpath help formats lists what is read")
	}
	return p.writeTables(dir, l)
}
