package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestWithoutAssemblyKeepsWhatReadingCounted(t *testing.T) {
	var a table.Account
	own := table.Issue{ID: "input-empty", Severity: table.Info, Advice: "nothing"}
	a.Add(own, 3, table.Place{Source: "a", Offset: 7}, "it")
	a.Add(table.Issue{ID: "missing-parent", Severity: table.Warning}, 2, table.Place{}, "")
	kept := withoutAssembly(&a)
	want := []table.Entry{{Issue: own, Count: 3, First: table.Place{Source: "a", Offset: 7}, Detail: "it"}}
	if diff := cmp.Diff(want, kept.Entries()); diff != "" {
		t.Error(diff)
	}
}
