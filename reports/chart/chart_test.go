package chart

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden holds every kind of drawing, and the rules of their classes, to a picture that
// somebody has looked at.
func TestGolden(t *testing.T) {
	files := map[string]string{"chart.css": CSS()}
	for name, d := range examples() {
		files[name+".svg"] = d.SVG("fig-"+name, "What "+name+" shows & says")
	}
	for name, got := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryMarkHasATitle looks at all marks with a colour that stands for a number. Only those of
// legends have none, and those under a mark of the same place that has one.
func TestEveryMarkHasATitle(t *testing.T) {
	for name, d := range examples() {
		told := map[string]bool{}
		all := elements(t, d.SVG("a", "title"))
		where := func(e element) string {
			a := e.attributes
			return a["x"] + " " + a["y"] + " " + a["width"] + " " + a["height"]
		}
		n := 0
		for _, e := range all {
			if e.title != "" {
				told[where(e)] = true
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s has no titles", name)
		}
		for _, e := range all {
			swatch := e.name == "rect" && (e.attributes["height"] == "12" && e.attributes["width"] == "12" || e.attributes["height"] == "11")
			key := (e.name == "circle" || e.is("hollow") || e.is("accent")) && e.name != "rect" || e.attributes["width"] == "7"
			if (e.name == "rect" || e.name == "circle") && e.title == "" && !swatch && !key && !told[where(e)] {
				t.Errorf("%s: a %s of class %q at %s has no title", name, e.name, e.class, where(e))
			}
			if e.name == "circle" && e.title == "" && e.number(t, "cy") > 40 && name != "knee" {
				t.Errorf("%s: a dot at %s has no title", name, e.attributes["cy"])
			}
		}
	}
}
