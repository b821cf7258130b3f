package html

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// TestWhatHasAnIDCanBeLinkedTo: a text behind a label that has an id is where it leads, and has a
// link to copy; the others have neither.
func TestWhatHasAnIDCanBeLinkedTo(t *testing.T) {
	p := page.Page{Sections: []page.Section{{ID: "bottlenecks", Title: "bottlenecks", Blocks: []page.Block{
		page.Labelled{ID: "bottleneck-queue-1a2b", Tone: page.Strong, Label: "queue-1a2b: ", Text: "queue: 71 request-seconds above the median"},
		page.Labelled{Label: "  scope      ", Text: "all requests"},
	}}}}
	text := write(t, Options{}, reports.Document{}, p)
	for want, n := range map[string]int{
		` id="bottleneck-queue-1a2b">` + "\n<dt>queue-1a2b <a class=\"here\" href=\"#bottleneck-queue-1a2b\" aria-label=\"Link to queue-1a2b\">#</a></dt>": 1,
		`class="here"`:   2, // that of the section too
		"<dt>scope</dt>": 1,
	} {
		if got := strings.Count(strings.ReplaceAll(text, "><dt>", ">\n<dt>"), want); got != n {
			t.Errorf("%q is there %d times, not %d:\n%s", want, got, n, text[strings.Index(text, "<main"):strings.Index(text, "</main")])
		}
	}
}
