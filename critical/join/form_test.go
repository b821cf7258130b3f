package join

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

const (
	someUUID  = "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90"
	somePlain = "3d5e0c1a7b524c1e9a550f2f6b1c8d90"
)

// TestFormsOfEngines has, for every engine and gateway, an id as one source writes it
// and as the other does.
func TestFormsOfEngines(t *testing.T) {
	for _, c := range []struct {
		what, a, b string
		joined     bool
	}{
		{"nginx and Kong: 32 digits, vLLM chat", "00112233445566778899aabbccddeeff", "chatcmpl-00112233445566778899aabbccddeeff", true},
		{"Envoy: a UUID, vLLM chat", someUUID, "chatcmpl-" + someUUID, true},
		{"a UUID in capitals without dashes", strings.ToUpper(somePlain), "chatcmpl-" + someUUID, true},
		{"vLLM: received and added", "chatcmpl-" + somePlain, "chatcmpl-" + somePlain + "-9f3a41c2", true},
		{"vLLM: gateway and added", someUUID, "chatcmpl-" + someUUID + "-9f3a41c2", true},
		{"vLLM: completions", someUUID, "cmpl-" + someUUID + "-0", true},
		{"vLLM: completions, added", someUUID, "cmpl-" + someUUID + "-0-9f3a41c2", true},
		{"vLLM: completions, random tail before the number", someUUID, "cmpl-" + someUUID + "-9f3a41c2-0", true},
		{"vLLM: two prompts", "cmpl-" + someUUID + "-0", "cmpl-" + someUUID + "-1", true},
		{"vLLM: two prompts, added", "cmpl-" + someUUID + "-0-9f3a41c2", "cmpl-" + someUUID + "-1-0a1b2c3d", true},
		{"vLLM: two samples", "0_chatcmpl-" + somePlain, "1_chatcmpl-" + somePlain, true},
		{"vLLM: a sample and its request", "2_chatcmpl-" + somePlain + "-9f3a41c2", "chatcmpl-" + somePlain, true},
		{"vLLM: embeddings", someUUID, "embd-" + someUUID + "-3", true},
		{"vLLM: pooling", someUUID, "pool-" + someUUID + "-0", true},
		{"vLLM: score", someUUID, "score-" + someUUID, true},
		{"vLLM: rerank", someUUID, "rerank-" + someUUID + "-1", true},
		{"vLLM: classify", someUUID, "classify-" + someUUID + "-0", true},
		{"vLLM: tokenize", someUUID, "tokn-" + someUUID, true},
		{"vLLM: transcription", someUUID, "transcribe-" + someUUID, true},
		{"vLLM: translation", someUUID, "translate-" + someUUID, true},
		{"vLLM: tokens in and out", someUUID, "generate-tokens-" + someUUID, true},
		{"responses", someUUID, "resp_" + somePlain, true},
		{"responses, step", "resp_" + somePlain, "resp_" + somePlain + "_1", true},
		{"messages", someUUID, "msg_" + somePlain, true},
		{"vLLM as a library: the caller's id and a random tail", somePlain, somePlain + "-abcd1234", true},
		{"SGLang: rid", somePlain, someUUID, true},
		{"SGLang: a batch", somePlain, somePlain + "_3", true},
		{"TensorRT-LLM", somePlain, "cmpl-" + somePlain, true},
		{"Dynamo: chat", someUUID, "chatcmpl-" + someUUID, true},
		{"Ray Serve and KServe", someUUID, strings.ToUpper(someUUID), true},
		{"ALB in X-Request-Id", "1-6a8f1c00-0123456789abcdef00000001", "1-6a8f1c00-0123456789abcdef00000001", true},
		{"a ULID", "01J5ZK3M9Q8W7E6R5T4Y3U2I1O", "chatcmpl-01J5ZK3M9Q8W7E6R5T4Y3U2I1O", true},
		{"an id in an engine's form from the client", "chatcmpl-" + somePlain, "chatcmpl-chatcmpl-" + someUUID, true},
		{"other ids", somePlain, "chatcmpl-4d5e0c1a7b524c1e9a550f2f6b1c8d90", false},
		{"chat has no number of a prompt", "chatcmpl-" + somePlain, "chatcmpl-" + somePlain + "-3", false},
		{"two turns of one session, in chat", "chatcmpl-" + someUUID + "-3", "chatcmpl-" + someUUID + "-4", false},
		{"two turns of one session", someUUID + "_3", someUUID + "_4", false},
		{"two requests counted by a host", "0123456789abcdef-00000001", "0123456789abcdef-00000002", false},
		{"two such, in completions", "cmpl-0123456789abcdef-00000001-0", "cmpl-0123456789abcdef-00000002-0", false},
		{"two random tails alone", "chatcmpl-" + somePlain + "-9f3a41c2", "chatcmpl-" + somePlain + "-0a1b2c3d", false},
		{"a capital in the random tail", somePlain, somePlain + "-ABCD1234", false},
		{"capitals in a short word are another word", "Job-17", "job-17", false},
		{"a tail off a word", "order", "order-12345678", false},
	} {
		got, _ := findIn(t, setOf([]row{
			{name: "a", record: true, service: "nginx", start: 0, end: 10, requestID: c.a},
			{name: "b", trace: traceID(1, 1), service: "vllm", start: 10_000, end: 10_010, requestID: c.b},
		}), Options{}, hashText)
		want := outcome{Groups: []string{"a: alone", "b: alone"}, Issues: map[string]int{}}
		if c.joined {
			want = outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s and %s (-want +got):\n%s", c.what, c.a, c.b, d)
		}
	}
}

// TestTheClosestFormCounts has all forms of one id carried by somebody: each is joined
// to the next, and they are one request in the end; without the ones between, to the far.
func TestTheClosestFormCounts(t *testing.T) {
	ids := []string{"cmpl-" + somePlain + "-0-9f3a41c2", "cmpl-" + somePlain + "-0", "cmpl-" + somePlain, somePlain}
	for from := 1; from < len(ids); from++ {
		rows := []row{{name: "engine", record: true, service: "vllm", requestID: ids[0]}}
		for _, id := range ids[from:] {
			rows = append(rows, row{name: id, record: true, service: "other", start: 99, end: 100, requestID: id})
		}
		got, p := findIn(t, setOf(rows), Options{}, hashText)
		if len(p.Groups) != 1 || len(got.Classes) != 1 {
			t.Errorf("from %s: %v", ids[from], got)
		}
	}
	var forms []string
	id := []byte("3_cmpl-job-0-9f3a41c2")
	s := shapeOf(id)
	s.each(id, func(form []byte) bool { forms = append(forms, string(form)); return false })
	want := []string{
		"cmpl-job-0-9f3a41c2", "3_cmpl-job-0",
		"job-0-9f3a41c2", "cmpl-job-0", "3_cmpl-job",
		"job-0", "cmpl-job", "job",
	}
	if d := cmp.Diff(want, forms); d != "" {
		t.Errorf("forms (-want +got):\n%s", d)
	}
}

func TestStrength(t *testing.T) {
	for id, want := range map[string]bool{
		somePlain: true, "7d1c0a5e9b7f4f0b": true, "1787227200123456789": true, "0123456789abcdef-foo": true,
		"01J5ZK3M9Q8W7E6R5T4Y3U2I1O": true, "k3J2m8Qp4Lw7Zx9B": true, "req_011CSHoEeqs5C35K2UUgBn9X": true,
		"cjld2cjxh0000qzrmn831i7rn": true, "V1StGXR8_Z5jdHi6B-myT": true,
		"": false, "1": false, "42": false, "req-001": false, "pd-req-0001": false, "7d1c0a5e9b7f4f0": false,
		"0000000000000000": false, "00000000000000000000000000000000": false, "deadbeefdeadbeef": false,
		"1700000000000000": false, "tenant-acme-production-0001": false, "req-2024-08-20-000123": false,
		"the-quick-brown-fox-jumps": false, "AbAbAbAbAbAbAbAb": false,
	} {
		if got := strong([]byte(id)); got != want {
			t.Errorf("%q is strong: %v, want %v", id, got, want)
		}
	}
}

// TestCanonicalTextIsStable checks that the canonical text of a canonical text is itself,
// and so is every form of it, which lookups take for granted.
func TestCanonicalTextIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.Custom(drawID), rapid.StringMatching(`([0-9]{1,3}_)?(cmpl-|chatcmpl-|resp_)?[0-9a-fA-FxyzXYZ-]{0,40}(-[0-9]{1,8})?(-[0-9a-z]{8})?`)).Draw(t, "id")
		id := appendCanonical(nil, []byte(text))
		if again := appendCanonical(nil, id); string(again) != string(id) {
			t.Fatalf("%q becomes %q, and that %q", text, id, again)
		}
		s := shapeOf(id)
		if s.tails+s.heads > 4 || s.plain() != (s.heads+s.tails == 0) {
			t.Fatalf("%q has the shape %+v", id, s)
		}
		n := 0
		s.each(id, func(form []byte) bool {
			n++
			if len(form) == 0 || len(form) >= len(id) || !strings.Contains(string(id), string(form)) {
				t.Fatalf("%q has the form %q", id, form)
			}
			if again := appendCanonical(nil, form); string(again) != string(form) {
				t.Fatalf("%q has the form %q, which becomes %q", id, form, again)
			}
			return false
		})
		if want := (s.heads+1)*(s.tails+1) - 1; n != want {
			t.Fatalf("%q has %d forms, want %d", id, n, want)
		}
	})
}

// FuzzShape feeds anything to what takes ids apart.
func FuzzShape(f *testing.F) {
	for _, id := range []string{"", "-", "3_", "3_cmpl-x-0-9f3a41c2", someUUID, "chatcmpl-" + someUUID + "-0", "\xff-12345678", "_1", "-00000000"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id := appendCanonical(nil, []byte(text))
		s := shapeOf(id)
		s.each(id, func(form []byte) bool {
			if len(form) == 0 || len(form) >= len(id) {
				t.Fatalf("%q has the form %q", id, form)
			}
			return false
		})
		if s.stem[1] > len(id) || s.stem[0] > s.stem[1] {
			t.Fatalf("%q has the stem %v", id, s.stem)
		}
		if trace, ok := parseTraceID([]byte(text)); ok == (trace == table.TraceID{}) {
			t.Fatalf("%q is the trace id %x, %v", text, trace, ok)
		}
	})
}

// TestPrefixesAreNotPrefixesOfEachOther holds what prefix relies on.
func TestPrefixesAreNotPrefixesOfEachOther(t *testing.T) {
	for _, a := range enginePrefixes {
		for _, b := range enginePrefixes {
			if a != b && strings.HasPrefix(a.text, b.text) {
				t.Errorf("%q begins with %q", a.text, b.text)
			}
		}
	}
}
