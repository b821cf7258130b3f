package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGenerateSources writes an incident as its traces, its logs, or all of both: each has
// the files it says, with the truth, and what it printed names them.
func TestGenerateSources(t *testing.T) {
	traces := []string{"chat-frontend.jsonl.zst", "edge-proxy.jsonl.zst", "vllm-server.jsonl.zst"}
	for _, c := range []struct {
		flags []string
		want  []string
	}{
		{[]string{"-sources", "traces"}, traces},
		{[]string{"-sources", "all", "-gateway", "haproxy"}, append([]string{"edge-1.haproxy.log.zst", "gpu-a-01.vllm.log.zst"}, traces...)},
		{[]string{"-sources", "logs", "-gateway", "envoy"}, []string{"edge-1.envoy.log.zst", "gpu-a-01.vllm.log.zst"}},
		{[]string{"-sources", "engine"}, []string{"gpu-a-01.vllm.log.zst"}},
	} {
		dir := t.TempDir()
		code, stdout, stderr := generate(append([]string{"-scenario", "healthy", "-requests", "20", "-o", dir}, c.flags...)...)
		if code != exitDone {
			t.Fatalf("%v: exit %d: %s", c.flags, code, stderr)
		}
		want := append([]string{"_truth.jsonl.zst"}, c.want...)
		slices.Sort(want)
		var got []string
		for name, data := range unpack(t, dir) {
			if data == "" || !strings.Contains(stdout, name) {
				t.Errorf("%v: %s is empty or not named by %q", c.flags, name, stdout)
			}
			got = append(got, name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%v: wrote %v, want %v", c.flags, got, want)
		}
	}
	// Logs of another run would be read together with these.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "edge-1.nginx.log.zst"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"-gateway", "haproxy", "-o", dir}, "edge-1.nginx.log.zst: telemetry of another capture"},
		{[]string{"-sources", "rumours", "-o", t.TempDir()}, "--sources: unknown sources"},
		{[]string{"-gateway", "apache", "-o", t.TempDir()}, "--gateway: unknown kind"},
	} {
		code, _, stderr := generate(append([]string{"-scenario", "healthy", "-requests", "20"}, c.flags...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %q, want %q", c.flags, code, stderr, c.want)
		}
	}
}

// TestScoreKeeps keeps what a score read, in a directory of its own a run.
func TestScoreKeeps(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := runScore([]string{"-scenario", "healthy", "-server", "tgi", "-sources", "logs", "-requests", "20", "-keep", dir}, &out, &errs)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var names []string
	for _, e := range entries(t, filepath.Join(dir, "healthy-tgi-logs-1")) {
		names = append(names, e.Name())
	}
	if want := []string{"edge-1.nginx.log", "gpu-a-01.tgi.log"}; !slices.Equal(names, want) {
		t.Errorf("kept %v, want %v", names, want)
	}
}
