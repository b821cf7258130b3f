package ingest

import (
	"context"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// passOver takes out the files whose bytes are known, or are those of another target, before
// anything is read of them. Tables below a directory of which a file is known were most likely
// made from it, and go as well. Standard input, pipes and tables are known only when they were
// read.
//
// All of a file is read for that; hashed is how many bytes were, which Progress is told of.
func passOver(ctx context.Context, targets []target, opt Options, account *table.Account) (rest []target, known []Input, hashed int64, err error) {
	seen := map[string]bool{}
	below := map[string]bool{}
	for _, t := range targets {
		if !t.regular() {
			rest = append(rest, t)
			continue
		}
		sum, size, err := hashFile(ctx, t, opt)
		if err != nil {
			return nil, nil, hashed, err
		}
		hashed += size
		// A file that cannot be read is left for the reading to tell of.
		if sum == "" || size == 0 || !seen[sum] && !opt.Known(sum) {
			seen[sum] = true
			rest = append(rest, t)
			continue
		}
		known = append(known, Input{Name: t.name, Bytes: size, SHA256: sum})
		for _, dir := range t.below {
			below[dir] = true
		}
	}
	rest = slices.DeleteFunc(rest, func(t target) bool {
		made := t.spare && slices.ContainsFunc(t.below, func(dir string) bool { return below[dir] })
		if made {
			account.Add(TablesPassedOver, 1, table.Place{Source: t.name}, "it lies below a directory of which the telemetry itself is known")
		}
		return made
	})
	return rest, known, hashed, nil
}

// hashFile returns the SHA-256 of a file in hex and its size; the hash is empty when it cannot be
// read. Only the end of ctx is an error.
func hashFile(ctx context.Context, t target, opt Options) (sum string, size int64, err error) {
	src, problem := open(ctx, t, Options{Progress: opt.Progress})
	if problem != nil {
		return "", 0, nil
	}
	defer src.close()
	sum = src.sum()
	return sum, src.n, ctx.Err()
}

// isKnown reports whether what was read of a job is known, or was read from another one before,
// whose hashes are seen.
func (j *job) isKnown(seen map[string]string) bool {
	if j.opt.Known == nil || j.in.SHA256 == "" || j.in.Problem != nil {
		return false
	}
	_, again := seen[j.in.SHA256]
	return again || j.opt.Known(j.in.SHA256)
}
