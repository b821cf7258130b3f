package line

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// Every issue is in the list of doc.go with its severity, and the list has no others.
func TestIssuesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, is := range Issues() {
		line := fmt.Sprintf("//\t%-18s %-8s ", is.ID, table.SeverityNames[is.Severity])
		if !strings.Contains(string(doc), line) {
			t.Errorf("doc.go has no line %q", line)
		}
		if strings.HasSuffix(is.Advice, ".") || is.Advice == "" {
			t.Errorf("%s: advice %q", is.ID, is.Advice)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^//\tline-`).FindAll(doc, -1)); n != len(Issues()) {
		t.Errorf("doc.go lists %d issues, there are %d", n, len(Issues()))
	}
}
