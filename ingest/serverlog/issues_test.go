package serverlog

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestIssues says that every issue is in the list of doc.go with its severity, that the
// list has no others, and that all are in order of their ids.
func TestIssues(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	list := Issues()
	for _, issue := range list {
		line := fmt.Sprintf("//\t%-20s %-8s ", issue.ID, table.SeverityNames[issue.Severity])
		if !strings.Contains(string(doc), line) {
			t.Errorf("doc.go has no line %q", line)
		}
		if strings.HasSuffix(issue.Advice, ".") || issue.Advice == "" {
			t.Errorf("%s: advice %q", issue.ID, issue.Advice)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^//\tlog-`).FindAll(doc, -1)); n != len(list) {
		t.Errorf("doc.go lists %d issues, there are %d", n, len(list))
	}
	if !slices.IsSortedFunc(list, func(a, b table.Issue) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("issues are not in order of their ids")
	}
}
