package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestWithoutAssemblyKeepsWhatReadingCounted covers every issue that building requests
// may count: each would be counted twice when tables are read back.
func TestWithoutAssemblyKeepsWhatReadingCounted(t *testing.T) {
	var a table.Account
	own := table.Issue{ID: "input-empty", Severity: table.Info, Advice: "nothing"}
	a.Add(own, 3, table.Place{Source: "a", Offset: 7}, "it")
	for _, issue := range slices.Concat(critical.Issues(), join.Issues()) {
		a.Add(issue, 2, table.Place{}, "")
	}
	kept := withoutAssembly(&a)
	want := []table.Entry{{Issue: own, Count: 3, First: table.Place{Source: "a", Offset: 7}, Detail: "it"}}
	if diff := cmp.Diff(want, kept.Entries()); diff != "" {
		t.Error(diff)
	}
}
