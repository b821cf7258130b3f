package tracefile

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// trueSpan is a span that is written in several formats. Times are µs.
type trueSpan struct {
	trace, id, parent, name string
	kind, status            uint8
	message, service        string
	scope, version          string
	start, duration         int64
	attributes, resource    []trueTag
	events                  []trueEvent
	links                   []trueLink
}

type trueTag struct {
	key   string
	value any // string, int64, float64, bool or []byte
}

type trueEvent struct {
	time int64
	name string
	tags []trueTag
}

type trueLink struct {
	trace, id string
	follows   bool
}

func drawTag(t *rapid.T, texts bool) trueTag {
	key := rapid.OneOf(rapid.SampledFrom(table.PromotedKeys()), rapid.SampledFrom([]string{"a", "b.c", "ünï\"code", "retry"})).Draw(t, "key")
	if texts {
		return trueTag{key, rapid.SampledFrom([]string{"", "200", "0.25", " 7 ", "http://h/p#q", "text with \"quotes\" \\ and\n lines", "true", "模型"}).Draw(t, "text")}
	}
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		return trueTag{key, rapid.Int64().Draw(t, "int")}
	case 1:
		return trueTag{key, rapid.Float64().Draw(t, "double")}
	case 2:
		return trueTag{key, rapid.Bool().Draw(t, "bool")}
	case 3:
		return trueTag{key, rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes")}
	}
	return drawTag(t, true)
}

func drawTags(t *rapid.T, texts bool, most int) (tags []trueTag) {
	for range rapid.IntRange(0, most).Draw(t, "tags") {
		tag := drawTag(t, texts)
		if !slices.ContainsFunc(tags, func(other trueTag) bool { return other.key == tag.key }) { // an object has a name once
			tags = append(tags, tag)
		}
	}
	return tags
}

// drawTrace draws the spans of one trace. Texts says that there is nothing but what
// Zipkin can say.
func drawTrace(t *rapid.T, texts bool) (spans []trueSpan) {
	trace := fmt.Sprintf("%016x%016x", rapid.Uint64Range(1, 1<<63).Draw(t, "high"), rapid.Uint64().Draw(t, "low"))
	processes := map[string][]trueTag{}
	for i := range rapid.IntRange(1, 5).Draw(t, "spans") {
		s := trueSpan{
			trace: trace, id: fmt.Sprintf("%016x", i+1), name: rapid.SampledFrom([]string{"GET", "llm_request", "öß", ""}).Draw(t, "name"),
			kind: uint8(rapid.IntRange(0, 5).Draw(t, "kind")), status: uint8(rapid.IntRange(0, 2).Draw(t, "status")),
			service: rapid.SampledFrom([]string{"gateway", "vllm"}).Draw(t, "service"),
			scope:   rapid.SampledFrom([]string{"", "lib"}).Draw(t, "scope"),
			start:   rapid.Int64Range(1, 1<<52).Draw(t, "start"), duration: rapid.Int64Range(0, 1<<40).Draw(t, "duration"),
			attributes: drawTags(t, texts, 5),
		}
		if i > 0 && rapid.Bool().Draw(t, "child") {
			s.parent = fmt.Sprintf("%016x", rapid.IntRange(1, i).Draw(t, "parent"))
		}
		if s.status != 0 {
			s.message = rapid.SampledFrom([]string{"", "refused"}).Draw(t, "message")
		}
		if s.scope != "" {
			s.version = rapid.SampledFrom([]string{"", "1.0"}).Draw(t, "version")
		}
		for range rapid.IntRange(0, 2).Draw(t, "events") {
			e := trueEvent{time: rapid.Int64Range(1, 1<<52).Draw(t, "time"), name: rapid.SampledFrom([]string{"first token", "x"}).Draw(t, "event")}
			if !texts {
				e.tags = drawTags(t, false, 2)
			}
			s.events = append(s.events, e)
		}
		if !texts {
			if _, ok := processes[s.service]; !ok {
				processes[s.service] = append(drawTags(t, false, 2), trueTag{"host.name", s.service + "-0"})
			}
			s.resource = processes[s.service]
			if rapid.Bool().Draw(t, "link") {
				s.links = []trueLink{{trace, fmt.Sprintf("%016x", 77), rapid.Bool().Draw(t, "follows") && s.parent != ""}}
				s.links[0].trace = strings.Repeat("ab", 16)
			}
		}
		spans = append(spans, s)
	}
	return spans
}

// members writes the members of an object in any order.
func shuffled(t *rapid.T, members ...string) string {
	members = slices.DeleteFunc(members, func(m string) bool { return m == "" })
	return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func joined[T any](list []T, write func(T) string) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, write(e))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func member(name, value string) string { return quoted(name) + ":" + value }

// fieldTags are the tags that stand for fields in formats without them.
func (s trueSpan) fieldTags() []trueTag {
	var tags []trueTag
	if s.status != 0 {
		tags = append(tags, trueTag{"otel.status_code", table.StatusNames[s.status]})
	}
	for _, m := range [][2]string{{"otel.status_description", s.message}, {"otel.scope.name", s.scope}, {"otel.scope.version", s.version}} {
		if m[1] != "" {
			tags = append(tags, trueTag{m[0], m[1]})
		}
	}
	return tags
}

func (s trueSpan) kindTag() []trueTag {
	if s.kind == 0 {
		return nil
	}
	return []trueTag{{"span.kind", strings.ToLower(table.KindNames[s.kind])}}
}

func jaegerTag(t *rapid.T) func(trueTag) string {
	return func(tag trueTag) string {
		typ, value := "string", ""
		switch v := tag.value.(type) {
		case string:
			value = quoted(v)
		case int64:
			typ, value = "int64", fmt.Sprint(v)
		case float64:
			b, _ := json.Marshal(v)
			typ, value = "float64", string(b)
		case bool:
			typ, value = "bool", fmt.Sprint(v)
		case []byte:
			typ, value = "binary", quoted(base64.StdEncoding.EncodeToString(v))
		}
		if (typ == "int64" || typ == "float64") && rapid.Bool().Draw(t, "in quotes") {
			value = quoted(value)
		}
		return shuffled(t, member("key", quoted(tag.key)), member("type", quoted(typ)), member("value", value))
	}
}

func writeJaeger(t *rapid.T, spans []trueSpan) string {
	processes := map[string]string{}
	var ids []string
	body := joined(spans, func(s trueSpan) string {
		if _, ok := processes[s.service]; !ok {
			ids = append(ids, s.service)
			processes[s.service] = shuffled(t, member("serviceName", quoted(s.service)), member("tags", joined(s.resource, jaegerTag(t))))
		}
		ref := func(l trueLink) string {
			kind := `"CHILD_OF"`
			if l.follows {
				kind = `"FOLLOWS_FROM"`
			}
			return shuffled(t, member("refType", kind), member("traceID", quoted(l.trace)), member("spanID", quoted(l.id)))
		}
		refs := slices.Clone(s.links)
		if s.parent != "" {
			refs = append([]trueLink{{s.trace, s.parent, false}}, refs...)
		}
		tags := slices.Concat(s.attributes, s.kindTag(), s.fieldTags())
		logs := joined(s.events, func(e trueEvent) string {
			return shuffled(t, member("timestamp", fmt.Sprint(e.time)), member("fields", joined(append([]trueTag{{"event", e.name}}, e.tags...), jaegerTag(t))))
		})
		return shuffled(t, member("traceID", quoted(s.trace)), member("spanID", quoted(s.id)), member("operationName", quoted(s.name)),
			member("references", joined(refs, ref)), member("startTime", fmt.Sprint(s.start)), member("duration", fmt.Sprint(s.duration)),
			member("tags", joined(tags, jaegerTag(t))), member("logs", logs), member("processID", quoted(s.service)), member("warnings", "null"))
	})
	var all []string
	for _, id := range ids {
		all = append(all, member(id, processes[id]))
	}
	trace := shuffled(t, member("traceID", quoted(spans[0].trace)), member("spans", body), member("processes", "{"+strings.Join(all, ",")+"}"))
	return shuffled(t, member("data", "["+trace+"]"), member("total", "0"), member("errors", "null"))
}

func writeZipkin(t *rapid.T, spans []trueSpan) string {
	return joined(spans, func(s trueSpan) string {
		var tags []string
		for _, tag := range slices.Concat(s.attributes, s.fieldTags()) {
			tags = append(tags, member(tag.key, quoted(tag.value.(string))))
		}
		parent, kind := "", ""
		if s.parent != "" {
			parent = member("parentId", quoted(s.parent))
		}
		switch {
		case s.kind == 1:
			tags = append(tags, `"span.kind":"internal"`)
		case s.kind > 1:
			kind = member("kind", quoted(table.KindNames[s.kind]))
		}
		annotations := joined(s.events, func(e trueEvent) string {
			return shuffled(t, member("timestamp", fmt.Sprint(e.time)), member("value", quoted(e.name)))
		})
		return shuffled(t, member("traceId", quoted(s.trace)), member("id", quoted(s.id)), parent, kind, member("name", quoted(s.name)),
			member("timestamp", fmt.Sprint(s.start)), member("duration", fmt.Sprint(s.duration)), member("localEndpoint", `{"serviceName":`+quoted(s.service)+`}`),
			member("annotations", annotations), member("tags", "{"+strings.Join(tags, ",")+"}"))
	})
}

func otlpTag(tag trueTag) string {
	typ, value := "stringValue", ""
	switch v := tag.value.(type) {
	case string:
		value = quoted(v)
	case int64:
		typ, value = "intValue", quoted(fmt.Sprint(v))
	case float64:
		b, _ := json.Marshal(v)
		typ, value = "doubleValue", string(b)
	case bool:
		typ, value = "boolValue", fmt.Sprint(v)
	case []byte:
		typ, value = "bytesValue", quoted(base64.StdEncoding.EncodeToString(v))
	}
	return `{"key":` + quoted(tag.key) + `,"value":{` + member(typ, value) + `}}`
}

func writeOTLP(spans []trueSpan) string {
	return `{"resourceSpans":` + joined(spans, func(s trueSpan) string {
		links := joined(s.links, func(l trueLink) string {
			kind := "child_of"
			if l.follows {
				kind = "follows_from"
			}
			return `{"traceId":` + quoted(l.trace) + `,"spanId":` + quoted(l.id) + `,"attributes":[` + otlpTag(trueTag{"opentracing.ref_type", kind}) + `]}`
		})
		events := joined(s.events, func(e trueEvent) string {
			return fmt.Sprintf(`{"timeUnixNano":"%d000","name":%s,"attributes":%s}`, e.time, quoted(e.name), joined(e.tags, otlpTag))
		})
		resource := joined(append([]trueTag{{"service.name", s.service}}, s.resource...), otlpTag)
		return fmt.Sprintf(`{"resource":{"attributes":%s},"scopeSpans":[{"scope":{"name":%s,"version":%s},"spans":[{"traceId":%s,"spanId":%s,"parentSpanId":%s,"name":%s,"kind":%d,"startTimeUnixNano":"%d000","endTimeUnixNano":"%d000","status":{"code":%d,"message":%s},"attributes":%s,"events":%s,"links":%s}]}]}`,
			resource, quoted(s.scope), quoted(s.version), quoted(s.trace), quoted(s.id), quoted(s.parent), quoted(s.name), s.kind, s.start, s.start+s.duration, s.status, quoted(s.message), joined(s.attributes, otlpTag), events, links)
	}) + `}`
}

// rows renders a set in canonical order, with the promoted columns.
func rows(s *table.Set) []string {
	s.Canonicalize()
	out := render(s)
	t := &s.Spans
	for i := range out {
		out[i] += fmt.Sprint(" ", t.RequestID[i], "/", s.Symbols.Text(t.Model[i]), "/", s.Symbols.Text(t.Operation[i]), "/", s.Symbols.Text(t.Route[i]), "/", t.HTTPStatus[i],
			t.PromptTokens[i], t.OutputTokens[i], t.CachedTokens[i], t.TTFT[i], t.E2E[i], t.Queue[i], t.Prefill[i], t.Decode[i], t.Inference[i])
	}
	return out
}

// The same spans give the same rows, whichever format they are written in, and whatever
// the order of members, blanks and reads.
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.Bool().Draw(t, "texts")
		spans := drawTrace(t, texts)
		set := table.NewSet()
		d := otlp.NewDecoder(set, &table.Account{}, "input")
		defer d.Close()
		if err := d.Read(strings.NewReader(writeOTLP(spans)), otlp.JSON, otlp.Start{Line: 1}); err != nil || d.Stats().Spans != int64(len(spans)) {
			t.Fatalf("OTLP: %v, %+v", err, d.Stats())
		}
		want := rows(set)
		formats := map[Format]string{JaegerJSON: writeJaeger(t, spans)}
		if texts {
			formats[ZipkinJSON] = writeZipkin(t, spans)
		}
		for _, f := range []Format{JaegerJSON, ZipkinJSON} {
			text, ok := formats[f]
			if !ok {
				continue
			}
			if got := Sniff([]byte(text), true); got != f {
				t.Fatalf("%s is taken for %s: %s", f, got, text)
			}
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(text), "indented": strings.NewReader(string(indented(t, []byte(text)))), "by bytes": iotest.OneByteReader(strings.NewReader(text)),
			} {
				o := readFrom(t, r, f)
				same(t, fmt.Sprintf("%s, %s: issues", f, name), map[string]int64{}, o.issues())
				same(t, fmt.Sprintf("%s, %s: %s", f, name, text), want, rows(o.set))
			}
		}
	})
}

// Cut anywhere, no span before the cut is lost, and nothing else comes of it.
func TestSpansCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := drawTrace(t, true)
		for f, text := range map[Format]string{JaegerJSON: writeJaeger(t, spans), ZipkinJSON: writeZipkin(t, spans)} {
			whole := readText(t, text, f)
			last := int64(0)
			for cut := 0; cut <= len(text); cut += rapid.IntRange(1, 40).Draw(t, "step") {
				o := readText(t, text[:cut], f)
				if o.stats.Spans < last || o.stats.BadSpans+o.stats.BadDocuments > 0 {
					t.Fatalf("%s cut at %d of %s: %+v", f, cut, text, o.stats)
				}
				last = o.stats.Spans
				for i := range o.set.Spans.Len() {
					if o.set.Spans.SpanID[i] != whole.set.Spans.SpanID[i] || o.set.Spans.End[i] != whole.set.Spans.End[i] {
						t.Fatalf("%s cut at %d of %s: row %d differs", f, cut, text, i)
					}
				}
				next := len(text)
				if n := o.set.Spans.Len(); n < whole.set.Spans.Len() {
					next = int(whole.set.Spans.Offset[n])
				}
				var end int
				if next < len(text) {
					end = next + valueLength(text[next:])
				}
				if end > 0 && end <= cut {
					t.Fatalf("%s cut at %d of %s: the span that ends at %d is lost", f, cut, text, end)
				}
			}
		}
	})
}

// valueLength is how long the JSON value is that a text begins with.
func valueLength(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		panic(err)
	}
	return int(d.InputOffset())
}
