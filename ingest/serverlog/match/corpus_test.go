package match_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// TestCorpus reads sample lines of servers. How many lines of a file match is known.
func TestCorpus(t *testing.T) {
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	compile := func(m match.Matcher, err error) match.Matcher {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	slots := match.NewSlots()
	pattern := func(spec string) match.Matcher {
		m, _, err := match.Pattern(spec, slots, []string{"-", "-1"})
		return compile(m, err)
	}
	walk := func(c compileFields, prefix string, names ...string) match.Matcher {
		return compile(c(prefix, fields(t, names...), slots, []string{"-"}))
	}
	const vllmHead = `{?({proc:token}{? pid={pid:int}?}) ?}{level:word} {time:vllm} {src} `
	for _, c := range []struct {
		file    string
		m       match.Matcher
		matches int
	}{
		{"servers/haproxy.log", pattern(`{_} haproxy[{_:int}]: ` + haproxySpec), 3},
		{"servers/nginx-access.log", pattern(nginxSpec), 4},
		{"servers/envoy-access.log", pattern(`[{time:rfc3339}] "{method:word} {route:token} {proto:token}" {status:int} {flags:token} {rx:int} {tx:int} {took:ms} {up:ms} "{_}" "{_}" "{request_id}" "{_}" "{upstream}"`), 2},
		{"servers/aws-alb.log", pattern(`{type:word} {time:rfc3339} {elb:token} {client:token} {target:token} {rp:s} {tp:s} {sp:s} {status:int} {target_status:int} {rx:int} {tx:int} "{_}" "{_}" {_:token} {_:token} {_:token} "{trace}" "{_}" "{_}" {_:int} {created:rfc3339} {...}`), 2},
		{"servers/vllm-v1-server.log", pattern(vllmHead + `{rest}`), 9},
		{"servers/vllm-v1-server.log", pattern(statsSpec), 2},
		{"servers/vllm-v0-server.log", pattern(vllmHead + `Finished request {id}.`), 1},
		{"servers/vllm-v0-server.log", pattern(vllmHead + `Received request {id}: prompt: {_:python}, params: {...}`), 1},
		{"servers/sglang-server.log", pattern(`[{time:datetime}{? {rank:token}?}] ReqTimeStats(rid={rid}, {?bootstrap_room={_}, ?}input_len={in:int}, {_}, type={kind:word}): {?bootstrap_duration={b:ms}ms, ?}{?alloc_wait_duration={w:ms}ms, ?}{?transfer_duration={t:ms}ms, ?}queue_duration={queue:ms}ms, forward_duration={f:ms}ms, entry_time={entry:epoch_s}{?, transfer_speed={_}?}`), 3},
		{"servers/sglang-server.log", walk(pythonFields, `[{_:datetime}] Finish: `, finishFields...), 1},
		{"servers/sglang-request-log.jsonl", walk(jsonFields, `[{_:datetime}] `, "event event", "queue out.meta_info.queue_time s", "rid rid"), 2},
		{"servers/tgi-text.log", pattern(`{time:rfc3339}{~}{level:word} {route:word}{...}`), 2},
		{"servers/tgi-text.log", walk(logfmtFields, "", "total total_time rust", "queue queue_time rust"), 2},
		{"servers/tgi-json.log", walk(jsonFields, "", "total span.total_time rust", "time timestamp rfc3339"), 1},
		{"servers/dynamo.jsonl", walk(jsonFields, "", "busy time.busy_us us", "took elapsed_ms ms"), 2},
		{"servers/kong-log-serializer.jsonl", walk(jsonFields, "", "kong latencies.kong ms", "start tries.0.balancer_start epoch_ms"), 1},
		{"servers/traefik-access.jsonl", walk(jsonFields, "", "took Duration ns", "start StartUTC rfc3339"), 1},
		{"servers/llamacpp-server.log", pattern(`{time:uptime} I slot print_timing: id {~}{slot:int} | task {task:int} |{~}{what:(prompt eval time|eval time|total time)} ={~}{took:ms} ms /{~}{n:int} tokens{...}`), 3},
		{"servers/ollama-server.log", pattern(`[GIN] {time:gin} |{~}{status:int} |{~}{took:go} |{~}{client} | {method:word}{~}{path:quoted}`), 1},
		{"servers/kserve.log", pattern(`{time:datetime} {_:int} kserve.trace requestId: {id}, preprocess_ms: {a:ms}, explain_ms: {b:ms}, predict_ms: {c:ms}, postprocess_ms: {d:ms}`), 1},
		{"servers/rayserve.log", pattern(`{level:word} {time:datetime} {part:token} {id:token} {rid:token} -- {method:word} {route:token} {status:int} {took:ms}ms`), 2},
	} {
		data, err := os.ReadFile(filepath.Join(root, "cases", c.file))
		if err != nil {
			t.Fatal(err)
		}
		values, matches := slots.NewValues(), 0
		for _, line := range bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n")) {
			match.Reset(values)
			if !c.m.Match(line, values) {
				continue
			}
			matches++
			for i := range values {
				if values[i].Flags&match.Bad != 0 {
					t.Errorf("%s: %s is bad: %q", c.file, slots.Names()[i], values[i].Text)
				}
			}
		}
		if matches != c.matches {
			t.Errorf("%s: %d lines match, want %d", c.file, matches, c.matches)
		}
	}
}
