package text

import (
	"strings"
	"testing"
)

// section returns the lines of a text from a title to the next empty line.
func section(t *testing.T, text, title string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+title)
	if !ok {
		t.Fatalf("there is no %q in\n%s", title, text)
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Split(rest, "\n")[1:]
}

// TestCapacityFitsATerminal: no table of the usual document is split at 80 columns but that
// of objectives, of the time and of engines.
func TestCapacityFitsATerminal(t *testing.T) {
	d := fixed(t)["capacity"]
	wide, narrow := render(t, d, Options{}), render(t, d, Options{Width: 80})
	for _, title := range []string{"what holds it up", "requests in each stage"} {
		if w, n := section(t, wide, title), section(t, narrow, title); strings.Count(strings.Join(w, "\n"), w[1]) != strings.Count(strings.Join(n, "\n"), w[1]) {
			t.Errorf("%s is split:\n%s", title, strings.Join(n, "\n"))
		}
	}
	if head := "requests/s  tokens/s  windows       n   met %          95 %"; strings.Count(wide, head) != strings.Count(narrow, head) || strings.Contains(narrow, "\nrequests/s\n") {
		t.Errorf("bins are split:\n%s", narrow)
	}
}
