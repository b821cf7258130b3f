package text

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports/page"
)

// TestPathsAreCutAtTheirFront: paths of one directory stay apart in a narrow table, and
// other texts keep their beginning.
func TestPathsAreCutAtTheirFront(t *testing.T) {
	p := &paper{o: Options{Width: 36}}
	p.table(page.Table{Columns: []page.Column{{Head: "input", Text: true, Flex: true, Path: true}, {Head: "name", Text: true, Flex: true}}, Rows: [][]string{
		{"incident/of/august/gpu-a-01.log", "a name that is far too long"}, {"incident/of/august/gpu-a-02.log", "short"},
	}})
	for _, want := range []string{"…ust/gpu-a-01.log", "…ust/gpu-a-02.log", "a name that is "} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("%q is not in\n%s", want, p.out.String())
		}
	}
	for limit, want := range map[int]string{20: "gpu-a-01.log", 12: "gpu-a-01.log", 5: "….log", 1: "…"} {
		if got := p.cutFront("gpu-a-01.log", limit); got != want {
			t.Errorf("%d columns: %q, want %q", limit, got, want)
		}
	}
}
