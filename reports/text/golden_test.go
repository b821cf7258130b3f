package text

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

var update = flag.Bool("update", false, "write the golden files")

// fixed returns the documents that package reports keeps as golden files.
func fixed(t interface {
	Helper()
	Fatal(...any)
}) map[string]reports.Document {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents: ", err)
	}
	docs := map[string]reports.Document{}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := reports.ReadJSON(file)
		_ = file.Close()
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		docs[strings.TrimSuffix(filepath.Base(path), ".json")] = d
	}
	return docs
}

func render(t interface{ Fatal(...any) }, d reports.Document, o Options) string {
	var b bytes.Buffer
	if err := Write(&b, d, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenText(t *testing.T) {
	docs := fixed(t)
	type variant struct {
		name string
		o    Options
	}
	for name, d := range docs {
		variants := []variant{{"", Options{}}}
		switch name {
		case "summary", "explain", "inspect", "queue", "queue_routed", "explain_joined", "inspect_joined", "compare", "summary_by", "summary_path", "capacity":
			variants = append(variants, variant{".80", Options{Width: 80}}, variant{".48.ascii", Options{Width: 48, ASCII: true}}, variant{".80.color", Options{Width: 80, Color: true}}, variant{".verbose", Options{Verbose: true}})
		}
		for _, v := range variants {
			t.Run(name+v.name, func(t *testing.T) {
				path := filepath.Join("testdata", name+v.name+".txt")
				got := render(t, d, v.o)
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
}
