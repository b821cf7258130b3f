package line

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// Of shared captures no line of a server is taken for a wrapper, and those of a
// container runtime and of syslog are.
func TestCorpus(t *testing.T) {
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "cases", "*", "*.log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no logs under %s: %v", root, err)
	}
	jsonl, err := filepath.Glob(filepath.Join(root, "cases", "servers", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, jsonl...) {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			res := readFrom(bytes.NewReader(data), Options{})
			conserved(t, data, res)
			if got := res.issues(); got != "" {
				t.Errorf("issues %s", got)
			}
			text := strings.TrimSuffix(string(data), "\n")
			switch name {
			case "envoy_gateway_cri.log":
				for _, l := range res.lines {
					if l.Time == table.Missing || l.Stream != Stdout || l.Text[0] != '{' && l.Text[0] != '[' {
						t.Errorf("%s", spell(l))
					}
				}
			case "haproxy.log":
				for _, l := range res.lines {
					if string(l.Host) != "lb1" || string(l.Unit) != "haproxy" || l.Time != table.Missing || !bytes.HasPrefix(l.Text, []byte("10.")) {
						t.Errorf("%s", spell(l))
					}
				}
			default:
				if res.stats.Wrapped > 0 {
					t.Errorf("%d wrappers", res.stats.Wrapped)
				}
				if strings.Contains(text, "\r") {
					return
				}
				if diff := cmp.Diff(strings.Split(text, "\n"), res.bodies()); diff != "" {
					t.Errorf("(-file +read)\n%s", diff)
				}
			}
		})
	}
}
