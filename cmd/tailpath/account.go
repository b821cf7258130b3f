package main

import (
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// withoutAssembly returns an account without the issues of joining and assembling
// requests. A directory of tables brings those of the run that wrote it, but its requests are
// assembled anew, with whatever is read beside it, and counted anew.
func withoutAssembly(account *table.Account) *table.Account {
	kept := &table.Account{}
	assembly := slices.Concat(critical.Issues(), join.Issues())
	for _, e := range account.Entries() {
		if !slices.ContainsFunc(assembly, func(i table.Issue) bool { return i.ID == e.ID }) {
			kept.Add(e.Issue, e.Count, e.First, e.Detail)
		}
	}
	return kept
}
