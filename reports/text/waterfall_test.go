package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestOnlyATerminalCutsRows: 500 spans have 500 lines in a pipe; a terminal shows 200
// of them, among them the path with what is above it.
func TestOnlyATerminalCutsRows(t *testing.T) {
	d := fixed(t)["explain"]
	r := d.Requests[0]
	root := reports.Row{Label: "root", StartNS: r.StartNS, EndNS: r.EndNS, OnPathNS: 5}
	r.Rows = []reports.Row{root, {Depth: 1, Label: "stage of root", OfStage: true, StartNS: r.StartNS, EndNS: r.EndNS, OnPathNS: 5}}
	for i := range 497 {
		r.Rows = append(r.Rows, reports.Row{Depth: 1, Label: fmt.Sprintf("call %03d", i), StartNS: r.StartNS, EndNS: r.StartNS + int64(i)})
	}
	r.Rows = append(r.Rows, reports.Row{Depth: 1, Label: "short parent", StartNS: r.StartNS, EndNS: r.StartNS},
		reports.Row{Depth: 2, Label: "leaf on path", StartNS: r.StartNS, EndNS: r.StartNS + 1, OnPathNS: 1})
	d.Requests = []reports.Request{r}
	pipe, terminal := render(t, d, Options{}), render(t, d, Options{Width: 120})
	if n := strings.Count(pipe, "\n  call "); n != 497 || strings.Contains(pipe, "not drawn") {
		t.Errorf("a pipe got %d of 497 calls", n)
	}
	if n := strings.Count(terminal, "\n  call "); n != 197 || !strings.Contains(terminal, "300 spans off the path not drawn") {
		t.Errorf("a terminal got %d calls, want 197 beside the 3 of the path:\n%s", n, terminal[len(terminal)-1500:])
	}
	for _, label := range []string{"\nroot ", "\n  stage of root ", "\n  short parent ", "\n    leaf on path ", "\n  call 496 "} {
		if !strings.Contains(terminal, label) {
			t.Errorf("%q is not on the terminal", label)
		}
	}
	if strings.Contains(terminal, "call 299 ") || !strings.Contains(terminal, "call 300 ") {
		t.Error("not the longest of the others were drawn")
	}
}
