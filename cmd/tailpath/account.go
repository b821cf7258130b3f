package main

import (
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// assemblyIssues are the issues that assembling requests counts. A directory of tables
// brings those of the run that wrote it, but its requests are assembled anew, with
// whatever is read beside it, and counted anew.
var assemblyIssues = []string{
	"retransmission", "duplicate-span-id", "shared-span-id", "parent-cycle", "missing-parent", "remote-parent",
	"several-roots", "negative-duration", "unfinished-span", "placed-by-duration", "ended-before-stream",
	"after-request", "answer-outlives-call", "implausible-time", "engine-time-invalid", "engine-times-conflict", "startup-parent",
}

// withoutAssembly returns an account without the issues of assembly.
func withoutAssembly(account *table.Account) *table.Account {
	kept := &table.Account{}
	for _, e := range account.Entries() {
		if !slices.Contains(assemblyIssues, e.ID) {
			kept.Add(e.Issue, e.Count, e.First, e.Detail)
		}
	}
	return kept
}
