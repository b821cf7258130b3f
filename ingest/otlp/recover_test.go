package otlp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// drawDocs makes lines of JSON, each a document with at least one span.
func drawDocs(t *rapid.T, least int) [][]byte {
	var docs [][]byte
	for i := range rapid.IntRange(least, 5).Draw(t, "documents") {
		doc, err := (&ptrace.JSONMarshaler{}).MarshalTraces(batch(rapid.IntRange(1, 3).Draw(t, "spans"), i))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	return docs
}

// damage changes bytes of a line, but adds no line feed.
func damage(t *rapid.T, line []byte) []byte {
	line = slices.Clone(line)
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		if len(line) == 0 {
			break
		}
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			line[at] = rapid.SampledFrom([]byte("{}[]\",:\\x0n\x00 ")).Draw(t, "byte")
		case 1:
			line = append(line[:at], line[min(len(line), at+rapid.IntRange(1, 200).Draw(t, "drop")):]...)
		case 2:
			line = slices.Insert(line, at, rapid.SampledFrom([]byte("{}[]\",:\\x0n\x00 ")).Draw(t, "byte"))
		case 3:
			line = line[:at]
		}
	}
	return line
}

// A line that is damaged in any way costs itself only, and is counted unless it reads
// well all the same.
func TestDamagedLineCostsItselfOnly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		docs := drawDocs(rt, 2)
		k := rapid.IntRange(0, len(docs)-1).Draw(rt, "line")
		want := readAs(rt, bytes.Join(slices.Delete(slices.Clone(docs), k, k+1), newline), JSON).rows()
		whole := len(readAs(rt, bytes.Join(docs, newline), JSON).rows())
		docs[k] = damage(rt, docs[k])
		data := bytes.Join(docs, newline)
		got := readAs(rt, data, JSON)
		rows := got.rows()
		if len(rows) < whole && len(got.issues()) == 0 && len(bytes.Trim(docs[k], " \x00")) > 0 {
			rt.Fatalf("%d rows of %d, and nothing is counted; damaged line: %q", len(rows), whole, docs[k])
		}
		for _, row := range want {
			if !slices.Contains(rows, row) {
				rt.Fatalf("a row of another line is lost; issues %v; damaged line: %q", got.issues(), docs[k])
			}
		}
		sum := got.stats.Documents + got.stats.Unknown + got.stats.Other + got.stats.BadDocuments
		if sum < int64(len(docs))-1 {
			rt.Fatalf("%d documents of %d were accounted for", sum, len(docs))
		}
	})
}

// A damaged document that pdata still takes comes to the same rows here, and to the same
// ones again when it is read through a window that has to be refilled all the time.
func TestDamagedDocumentAgreesWithPdata(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		td := drawTraces(rt)
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			rt.Fatal(err)
		}
		data := damage(rt, text)
		got := readAs(rt, data, JSON)
		oracleJSON(rt, data, got)
		slow := readSlowly(rt, data)
		diff(rt, "rows of a slow stream", got.rows(), slow.rows())
		diff(rt, "account of a slow stream", got.account.Entries(), slow.account.Entries())
	})
}

// Chunks that are read by themselves come to the same rows and issues as the whole,
// however the stream is cut and whatever is wrong in it.
func TestChunksEqualTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		docs := drawDocs(rt, 1)
		form := JSONLines
		var data []byte
		if rapid.Bool().Draw(rt, "binary") {
			form = FramedProtobuf
		}
		for i := range docs {
			if rapid.IntRange(0, 3).Draw(rt, "damage") == 0 {
				docs[i] = damage(rt, docs[i])
			}
			if form == JSONLines {
				data = append(append(data, docs[i]...), '\n')
				continue
			}
			data = append(data, frameOf(docs[i])...)
		}
		if form != JSONLines && rapid.Bool().Draw(rt, "damage") {
			data = damage(rt, data)
		}
		want := readAs(rt, data, form)
		got := readChunks(rt, data, form, rapid.IntRange(1, 2000).Draw(rt, "size"))
		diff(rt, "rows", want.rows(), got.rows())
		diff(rt, "account", want.account.Entries(), got.account.Entries())
		diff(rt, "stats", want.stats, got.stats)
	})
}

// readChunks reads data as a caller with several workers would, one chunk after another.
func readChunks(t tb, data []byte, form Form, size int) result {
	t.Helper()
	r := result{set: table.NewSet(), account: &table.Account{}}
	add := func(read func(d *Decoder) bool) bool {
		set, account := table.NewSet(), &table.Account{}
		d := NewDecoder(set, account, "input")
		defer d.Close()
		if !read(d) {
			return false
		}
		r.set.Append(set)
		for _, e := range account.Entries() {
			r.account.Add(e.Issue, e.Count, e.First, e.Detail)
		}
		r.stats.Add(d.Stats())
		return true
	}
	s := NewSplitter(bytes.NewReader(data), form)
	s.size = size
	for {
		c, ok := s.Next()
		rest, at := s.Rest()
		if ok && add(func(d *Decoder) bool { return d.ReadChunk(c, form) }) {
			continue
		}
		if ok {
			rest, at = multiReader(c.Data, rest), c.At
		}
		add(func(d *Decoder) bool {
			if err := d.Read(rest, form, at); err != nil {
				t.Fatal(err)
			}
			return true
		})
		return r
	}
}

func doc(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]},"scopeSpans":[{"spans":[` +
		strings.Join(spans, ",") + `]}]}]}`
}

func spanText(id int, more string) string {
	return fmt.Sprintf(`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"%016x","name":"n%d","startTimeUnixNano":"1","endTimeUnixNano":"2"%s}`, id, id, more)
}

func indent(t tb, text string) string { t.Helper(); return string(shuffle(t, []byte(text), 1, true)) }

// Each case is an input with something wrong, the spans that must be there, and what
// must be counted.
func TestFaultsAreCountedAndCostThemselvesOnly(t *testing.T) {
	a, b, c := spanText(1, ""), spanText(2, ""), spanText(3, "")
	cases := []struct {
		name, input string
		spans       string
		issues      []string
	}{
		{"bad id", doc(a, `{"traceId":"xyz","spanId":"01"}`, b), "n1 n2", []string{"otlp-bad-span=1"}},
		{"time beyond int64", doc(a, spanText(9, `,"endTimeUnixNano":"9223372036854775808"`), b), "n1 n2", []string{"otlp-bad-span=1"}},
		{"negative time", doc(a, spanText(9, `,"startTimeUnixNano":-5`), b), "n1 n2", []string{"otlp-bad-span=1"}},
		{"syntax inside a span", doc(a, spanText(9, `,"x":`), b), "n1 n2", []string{"otlp-bad-span=1"}},
		{"syntax inside a span, indented", strings.Replace(indent(t, doc(a, spanText(9, ""), b)), `"n9"`, `n9 oops`, 1), "n1 n2", []string{"otlp-bad-span=1"}},
		{"numbers where spans are due", doc(a, "17", b, `"text"`), "n1 n2", []string{"otlp-bad-span=2"}},
		{"null span", doc(a, "null", b), "n1 n2", nil},
		{"cut last line", doc(a) + "\n" + doc(b, c)[:200], "n1", []string{"otlp-cut-last=1"}},
		{"cut inside the second span", doc(a) + "\n" + strings.TrimSuffix(doc(b, c), `"endTimeUnixNano":"2"}]}]}]}`), "n1 n2", []string{"otlp-cut-last=1"}},
		{"cut before the resource", `{"resourceSpans":[{"scopeSpans":[{"spans":[` + a + `,`, "n1", []string{"otlp-cut-last=1", "otlp-missing-resource=1"}},
		{"cut first line", doc(a)[100:] + "\n" + doc(b), "n2", []string{"otlp-cut-first=1"}},
		{"cut first lines of an indented document", indent(t, doc(a))[90:] + "\n" + indent(t, doc(b)), "n2", []string{"otlp-cut-first=1"}},
		{"killed and started again on one line", doc(a)[:len(doc(a))-20] + doc(b) + "\n" + doc(c), "n2 n3", []string{"otlp-bad-document=1"}},
		{"killed inside a name", doc(a)[:strings.Index(doc(a), `eId":"5b`)] + doc(b) + "\n" + doc(c), "n2 n3", []string{"otlp-bad-document=1"}},
		{"killed behind a colon", doc(a)[:strings.Index(doc(a), `"n1"`)] + doc(b) + "\n" + doc(c), "n2 n3", []string{"otlp-bad-document=1"}},
		{"a line of text", doc(a) + "\nINFO started\n" + doc(b), "n1 n2", []string{"otlp-bad-document=1"}},
		{"text behind a document", doc(a) + " trailing\n" + doc(b), "n1 n2", []string{"otlp-bad-document=1"}},
		{"broken indented document", strings.Replace(indent(t, doc(a, b)), `"scopeSpans":`, `"scopeSpans" `, 1) + "\n" + indent(t, doc(c)), "n3", []string{"otlp-bad-document=1"}},
		{"broken element of an indented array", "[\n " + strings.Replace(indent(t, doc(a)), `"scopeSpans":`, `"scopeSpans" `, 1) + ",\n " + indent(t, doc(b)) + "\n]", "n2", []string{"otlp-bad-document=1"}},
		{"array without its end", "[" + doc(a) + "," + doc(b), "n1 n2", []string{"otlp-cut-last=1"}},
		{"no array of resources", `{"resourceSpans":{"a":1}}` + "\n" + doc(a), "n1", []string{"otlp-left-out=1"}},
		{"bad event", doc(spanText(1, `,"events":[{"timeUnixNano":"soon"},{"timeUnixNano":"1"}]`)), "n1", []string{"otlp-bad-part=1"}},
		{"bad resource", strings.Replace(doc(a), `{"stringValue":"svc"}`, `{"stringValue":\}`, 1), "n1", []string{"otlp-bad-resource=1"}},
		{"metrics and unknown documents", `{"resourceMetrics":[]}` + "\n" + doc(a) + "\n{\"x\":1}\n{}", "n1", []string{"otlp-other-signal=1", "otlp-unknown-document=2"}},
		{"NUL hole", doc(a) + "\n" + strings.Repeat("\x00", 100) + doc(b), "n1 n2", nil},
		{"NUL inside a document", doc(a)[:200] + strings.Repeat("\x00", 100) + doc(b), "n2", []string{"otlp-bad-document=1"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := readAs(t, []byte(tc.input), JSON)
			var names []string
			for _, name := range got.set.Spans.Name {
				names = append(names, got.set.Symbols.Text(name))
			}
			diff(t, "spans", tc.spans, strings.Join(names, " "))
			diff(t, "issues", tc.issues, got.issues())
			for _, e := range got.account.Entries() {
				if strings.Contains(e.Detail, "oops") || strings.Contains(e.Detail, "svc") {
					t.Errorf("the detail of %s shows a value: %s", e.ID, e.Detail)
				}
			}
		})
	}
}

func TestPlacesOfFaults(t *testing.T) {
	input := "\n" + doc(spanText(1, "")) + "\n{broken\n" + doc(spanText(2, "")) + "\nINFO\n" +
		doc(spanText(3, ""), spanText(9, `,"kind":{}`), spanText(9, `,"flags":-1`))
	got := readAs(t, []byte(input), JSON)
	want := []Fault{
		{BadDocument.ID, table.Place{Source: "input", Line: 3, Offset: int64(strings.Index(input, "{broken"))}, "the name of a member is missing; records of the document that were kept: 0"},
		{BadDocument.ID, table.Place{Source: "input", Line: 5, Offset: int64(strings.Index(input, "INFO"))}, "text stands where a document is due"},
		{BadSpan.ID, table.Place{Source: "input", Line: 6, Offset: int64(strings.LastIndex(input, `{"traceId"`))}, needCount},
	}
	diff(t, "faults", want, got.stats.Faults)
	diff(t, "lines", []int64{2, 4, 6, 6}, got.set.Spans.Line)
	diff(t, "offset of a row is that of its document", int64(1), got.set.Spans.Offset[0])
}
