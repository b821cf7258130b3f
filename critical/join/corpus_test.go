package join

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
)

// servers reads some of the samples of servers, or skips.
func servers(t *testing.T, names ...string) *table.Set {
	t.Helper()
	corpus := os.Getenv("TAILPATH_CORPUS")
	if corpus == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(corpus, "cases", "servers", name))
	}
	set, _, _, err := ingest.Read(context.Background(), paths, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sources returns the groups of several units, as the files of their units and the basis.
func sources(t *testing.T, set *table.Set) (groups []string, issues map[string]int) {
	t.Helper()
	found, p := findIn(t, set, Options{}, hashText)
	units := unitsOf(set)
	for _, g := range p.Groups {
		if g.Basis == Alone {
			continue
		}
		var names []string
		for _, u := range g.Units {
			for row := units[u]; row < units[u+1]; row++ {
				names = append(names, filepath.Base(set.Symbols.Text(set.Spans.Source[row])))
			}
		}
		slices.Sort(names)
		groups = append(groups, strings.Join(slices.Compact(names), " ")+": "+g.Basis.String())
	}
	slices.Sort(groups)
	return groups, found.Issues
}

// TestSamplesOfServers reads what gateways and engines wrote of one request, and of
// others, and joins it.
func TestSamplesOfServers(t *testing.T) {
	for _, c := range []struct {
		files  []string
		groups []string
		issues map[string]int
	}{
		{[]string{"nginx-access.log", "vllm-v1-server.log"}, []string{"nginx-access.log vllm-v1-server.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"nginx-access.log", "envoy-access.jsonl", "vllm-v1-otlp.json", "traefik-access.jsonl", "kong-log-serializer.jsonl"},
			[]string{"envoy-access.jsonl kong-log-serializer.jsonl nginx-access.log traefik-access.jsonl vllm-v1-otlp.json: trace id"}, map[string]int{"joined": 1}},
		{[]string{"envoy-access.log", "istio-access.log", "envoy-otlp.json"}, []string{"envoy-access.log envoy-otlp.json istio-access.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"vllm-v0-server.log", "vllm-v0-otlp.json"}, []string{"vllm-v0-otlp.json vllm-v0-server.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"sglang-otlp.json", "sglang-server.log", "sglang-request-log.jsonl"},
			[]string{"sglang-otlp.json sglang-request-log.jsonl sglang-server.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"dynamo.jsonl", "dynamo-request-trace.jsonl"}, []string{"dynamo-request-trace.jsonl dynamo.jsonl: request id"}, map[string]int{"joined": 1}},
		{[]string{"rayserve.log", "kserve.log"}, []string{"kserve.log rayserve.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"triton-otlp.json", "triton-server.log"}, []string{"triton-otlp.json triton-server.log: request id"}, map[string]int{"joined": 1}},
		{[]string{"triton-server.log", "triton-trace.json"}, nil, map[string]int{"join-ambiguous": 1}},
		{[]string{"haproxy.log", "aws-alb.log"}, []string{"aws-alb.log haproxy.log: address", "aws-alb.log haproxy.log: address"},
			map[string]int{"joined": 2, "joined-by-address": 2}},
		{[]string{"llmd-vllm-pd-otlp.json", "tgi-text.log", "lmdeploy.log", "llamacpp-server.log", "ollama-server.log"}, nil, map[string]int{}},
	} {
		groups, issues := sources(t, servers(t, c.files...))
		if d := cmp.Diff(c.groups, groups) + cmp.Diff(c.issues, issues); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.files, d)
		}
	}
}

// TestAllSamplesOfServers is the same of all files at once: what is joined of a few of
// them stays joined, and all that is told of the one trace comes together.
func TestAllSamplesOfServers(t *testing.T) {
	groups, _ := sources(t, servers(t, ""))
	if i := slices.IndexFunc(groups, func(g string) bool {
		for _, name := range []string{"nginx-access.log", "envoy-access.log", "vllm-v1-otlp.json", "vllm-v1-server.log", "vllm-per-request-metrics.json", "kong-log-serializer.jsonl"} {
			if !strings.Contains(g, name) {
				return false
			}
		}
		return true
	}); i < 0 {
		t.Errorf("groups are:\n%s", strings.Join(groups, "\n"))
	}
}
