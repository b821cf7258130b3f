package stage

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestBuiltin(t *testing.T) {
	rules := Builtin().List()
	last := rules[len(rules)-1]
	if last.ID != "application" || last.Stage != Application {
		t.Errorf("the last rule is %q; it must match everything", last.ID)
	}
	used := map[string]bool{}
	for _, r := range rules {
		if r.Doc == "" || r.When == "" && r.ID != "application" {
			t.Errorf("rule %s: doc %q, conditions %q", r.ID, r.Doc, r.When)
		}
		used[r.Sections] = true
	}
	for _, recipe := range Recipes {
		if !used[recipe] {
			t.Errorf("no rule uses the recipe %s", recipe)
		}
	}
}

func TestParse(t *testing.T) {
	for _, s := range All() {
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Errorf("Parse(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := Parse("execute"); err == nil {
		t.Error("Parse accepts a stage that is none")
	}
}

func TestRuleErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"no version":      {"rules: []", "version is 0"},
		"newer version":   {"version: 9\nrules: [{id: a, stage: queue}]", "version is 9"},
		"no rules":        {"version: 1", "no rules"},
		"unknown key":     {"version: 1\nrules:\n  - id: a\n    stag: queue", "[4:"},
		"not YAML":        {"version: [", "["},
		"unknown stage":   {"version: 1\nrules: [{id: a, stage: execute}]", `rule 1 (a): unknown stage "execute"`},
		"no id":           {"version: 1\nrules: [{stage: queue}]", "rule 1: id is missing"},
		"id twice":        {"version: 1\nrules: [{id: a, stage: queue}, {id: a, stage: gpu}]", "rule 2 (a): id is declared twice"},
		"bad pattern":     {"version: 1\nrules: [{id: a, stage: queue, match: {name: '/(/'}}]", "pattern /(/"},
		"bad kind":        {"version: 1\nrules: [{id: a, stage: queue, match: {kind: server}}]", `unknown kind "server"`},
		"bad origin":      {"version: 1\nrules: [{id: a, stage: queue, match: {origin: far}}]", `unknown origin "far"`},
		"bad peer":        {"version: 1\nrules: [{id: a, stage: queue, match: {peer: far}}]", `unknown peer "far"`},
		"bad detail":      {"version: 1\nrules: [{id: a, stage: queue, detail: $host}]", `unknown detail "$host"`},
		"bad role":        {"version: 1\nrules: [{id: a, stage: queue, role: root}]", `unknown role "root"`},
		"bad recipe":      {"version: 1\nrules: [{id: a, stage: queue, sections: none}]", `unknown sections "none"`},
		"bad confidence":  {"version: 1\nrules: [{id: a, stage: queue, confidence: sure}]", `unknown confidence "sure"`},
		"a list of lists": {"version: 1\nrules: [{id: a, stage: queue, match: {name: [[x]]}}]", "["},
	} {
		_, err := ParseRules([]byte(c.file), "my.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "my.yaml: ") {
			t.Errorf("%s: error %v, want my.yaml and %q", name, err, c.want)
		}
	}
}

func TestBefore(t *testing.T) {
	mine, err := ParseRules([]byte("version: 1\nrules: [{id: mine, stage: queue, match: {name: x}}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	all, err := mine.Before(Builtin())
	if err != nil || all.List()[0].ID != "mine" || len(all.List()) != len(Builtin().List())+1 {
		t.Errorf("Before: %v", err)
	}
	clash, _ := ParseRules([]byte("version: 1\nrules: [{id: application, stage: queue}]"), "clash")
	if _, err := clash.Before(Builtin()); err == nil {
		t.Error("two rules of one id are accepted")
	}
}

// spanSet returns a set of one span.
func spanSet(service, scope, name string, kind uint8, attributes map[string]table.Value, events ...string) *table.Set {
	set := table.NewSet()
	i := set.Spans.Grow()
	set.Spans.ScopeRow[i] = int32(set.Scopes.Grow())
	set.Scopes.Service[0], set.Scopes.Scope[0] = set.Symbols.Intern(service), set.Symbols.Intern(scope)
	set.Spans.Name[i], set.Spans.Kind[i] = set.Symbols.Intern(name), kind
	keys := make([]string, 0, len(attributes))
	for key := range attributes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		set.Spans.Attributes.Add(set.Symbols.Intern(key), attributes[key])
	}
	for _, name := range events {
		e := set.SpanEvents.Grow()
		set.SpanEvents.Name[e] = set.Symbols.Intern(name)
	}
	set.Canonicalize()
	return set
}

func TestMatch(t *testing.T) {
	const server, client = 2, 3
	for _, c := range []struct {
		what   string
		set    *table.Set
		peer   Peer
		rule   string
		stage  Stage
		detail string
	}{
		{"vLLM V1", spanSet("x", "vllm.tracing.otel", "llm_request", server, map[string]table.Value{"gen_ai.latency.time_in_model_prefill": table.DoubleValue(0.1)}), PeerNone, "vllm.v1", Scheduling, "frontend"},
		{"vLLM V0", spanSet("x", "vllm.llm_engine", "llm_request", server, map[string]table.Value{"gen_ai.latency.time_in_queue": table.DoubleValue(0.1)}), PeerNone, "vllm.v0", Scheduling, "frontend"},
		{"Triton's compute", spanSet("x", "triton-server", "compute", server, nil), PeerNone, "triton.compute", GPU, "compute"},
		{"a model called compute2", spanSet("x", "triton-server", "compute2", server, map[string]table.Value{"triton.model_name": table.StringValue("compute2")}), PeerNone, "triton.model", Scheduling, "handler"},
		{"SGLang's queue", spanSet("x", "sglang server", "prefill_waiting", 1, nil), PeerNone, "sglang.queue", Queue, "engine"},
		{"Envoy", spanSet("edge", "envoy", "ingress", server, nil), PeerNone, "gateway.envoy", Gateway, "edge"},
		{"Envoy's upstream", spanSet("edge", "envoy", "router x egress", client, nil), PeerRemote, "gateway.client", Network, "hop"},
		{"Envoy's upstream alone", spanSet("edge", "envoy", "router x egress", client, nil), PeerMissing, "gateway.client-alone", Unattributed, "upstream not recorded"},
		{"a database", spanSet("api", "", "SELECT", client, map[string]table.Value{"db.system": table.StringValue("postgresql")}), PeerMissing, "client.database", Application, "postgresql"},
		{"a call", spanSet("api", "", "GET", client, nil), PeerRemote, "client.hop", Network, "hop"},
		{"a call to itself", spanSet("api", "", "GET", client, nil), PeerLocal, "client.local", Application, "api"},
		{"a call to the dark", spanSet("api", "", "GET", client, nil), PeerMissing, "client.alone", Unattributed, "server not recorded"},
		{"an engine's queue", spanSet("x", "my.engine", "queue", 1, nil), PeerNone, "engine.queue", Queue, "engine"},
		{"vLLM's own decode span", spanSet("x", "vllm.llm_engine", "vllm_decode", 1, nil), PeerNone, "engine.decode", GPU, "decode"},
		{"a fork's request", spanSet("x", "my.fork", "llm_request", server, map[string]table.Value{"gen_ai.latency.time_in_queue": table.DoubleValue(0.1)}), PeerNone, "vllm.v0", Scheduling, "frontend"},
		{"LiteLLM's call", spanSet("litellm", "", "litellm_request", 1, nil), PeerNone, "litellm.call", Unattributed, "engine not recorded"},
		{"Dynamo's engine", spanSet("dynamo", "", "engine.generate", 1, nil), PeerNone, "dynamo.engine", Unattributed, "engine not recorded"},
		{"TGI's queue", spanSet("text-generation-inference.router", "", "queued", 1, nil), PeerNone, "tgi.queued", Queue, "engine"},
		{"the AI gateway", spanSet("ai-gateway", "", "ChatCompletion", 1, nil, "First Token Stream Event"), PeerNone, "aigateway.alone", Unattributed, "upstream not recorded"},
		{"a proxy by name", spanSet("litellm", "", "x", server, nil), PeerNone, "gateway.service", Gateway, "litellm"},
		{"anything", spanSet("api", "", "x", server, nil), PeerNone, "application", Application, "api"},
	} {
		m := NewMatcher(Builtin(), c.set, EventIndex(c.set))
		rule := m.Rule(0, c.peer)
		if rule.ID != c.rule || rule.Stage != c.stage || m.Detail(rule, 0) != c.detail {
			t.Errorf("%s: rule %s, %s/%s; want %s, %s/%s", c.what, rule.ID, rule.Stage, m.Detail(rule, 0), c.rule, c.stage, c.detail)
		}
	}
}

// TestConditions tries every kind of condition by itself, on a span for which it
// holds and on one for which it does not.
func TestConditions(t *testing.T) {
	yes := spanSet("svc-a", "lib/x", "do work", 2, map[string]table.Value{"n": table.IntValue(7), "b": table.BoolValue(true), "d": table.DoubleValue(0.5)}, "boom")
	no := spanSet("other", "lib/y", "rest", 1, map[string]table.Value{"n": table.IntValue(8)}, "calm")
	for _, match := range []string{
		"service: svc-a", `service: "svc-*"`, "service: [q, svc-a]", "service: /^svc-.$/", "scope: lib/x", `scope: "*x"`,
		"name: do work", `name: "do*"`, "kind: SERVER", "kind: [CLIENT, SERVER]", "event: boom", `event: "b*m"`,
		"attribute: {n: 7}", "attribute: {b: true}", "attribute: {d: 0.5}", "attribute: {b: '*'}", "attribute: {n: [6, 7]}",
		"service: svc-a\n      attribute: {n: 7}\n      event: boom",
	} {
		rules, err := ParseRules([]byte("version: 1\nrules:\n  - id: r\n    stage: queue\n    match:\n      "+match), "m")
		if err != nil {
			t.Errorf("%s: %v", match, err)
			continue
		}
		if got := NewMatcher(rules, yes, EventIndex(yes)).Rule(0, PeerNone).ID; got != "r" {
			t.Errorf("%s: does not match", match)
		}
		if got := NewMatcher(rules, no, EventIndex(no)).Rule(0, PeerNone); got.ID != "none" || got.Stage != Unattributed {
			t.Errorf("%s: matches what it must not", match)
		}
	}
}
