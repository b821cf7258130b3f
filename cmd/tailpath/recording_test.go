package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/template"
)

// What help recommends is read back, with an id to join by and a time of each part.
func TestRecommendedAccessLogsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		holds []string
	}{
		"nginx":   {nginxFormat, []string{"request_id", "trace_id", "rt", "uct", "uht", "urt"}},
		"envoy":   {envoyFormat, []string{"request_id", "trace_id", "pool", "response_duration"}},
		"haproxy": {haproxyFormat, []string{"request_id", "TR", "Tw", "Tc", "Tr", "Ta"}},
	} {
		d, err := template.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Service != name {
			t.Errorf("the format of %s is taken for one of %s", name, d.Service)
		}
		if len(d.Records) == 0 {
			t.Fatalf("%s: no record", name)
		}
		r := d.Records[0]
		for _, field := range c.holds {
			if declared := fmt.Sprintf("%+v", r); !strings.Contains(declared, "{"+field) && !strings.Contains(declared, field+":{Path:") {
				t.Errorf("%s: %s is not read by %s", name, field, declared)
			}
		}
		file, log := filepath.Join(t.TempDir(), "format"), filepath.Join(t.TempDir(), "access.log")
		for path, content := range map[string]string{file: c.text, log: r.Example + "\n"} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out := mustRun(t, "inspect", log, "--log-format", "@"+file)
		if !strings.HasPrefix(out, "1 of 1 requests are complete; segments tile each of the 1 with a path exactly") {
			t.Errorf("%s: its line is read as\n%s", name, out)
		}
		if !strings.Contains(recordingPage, c.text) {
			t.Errorf("%s: help shows another format", name)
		}
	}
}
