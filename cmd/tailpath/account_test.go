package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestAssemblyIssuesAreThoseOfPackageCritical reads them off the sources.
func TestAssemblyIssuesAreThoseOfPackageCritical(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "critical", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no source of package critical was found: ", err)
	}
	var declared []string
	for _, name := range files {
		if ok, _ := filepath.Match("*_test.go", filepath.Base(name)); ok {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if sel, ok := lit.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Issue" {
				return true
			}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "ID" {
					id, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					declared = append(declared, id)
				}
			}
			return true
		})
	}
	slices.Sort(declared)
	if diff := cmp.Diff(slices.Sorted(slices.Values(assemblyIssues)), declared); diff != "" {
		t.Errorf("assemblyIssues is not what package critical declares (-here +there):\n%s", diff)
	}
}

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
