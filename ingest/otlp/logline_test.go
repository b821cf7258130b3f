package otlp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// linesOf reads data and returns the lines that are shown, with all that is said of them.
func linesOf(t tb, data []byte, form Form) (lines []string, r result) {
	t.Helper()
	r = result{set: table.NewSet(), account: &table.Account{}}
	text := r.set.Symbols.Text
	d := NewDecoderWith(r.set, r.account, "input", Options{Line: func(body []byte, at LogLine) bool {
		if at.Row >= r.set.Logs.Len() || at.Source != "input" {
			t.Fatalf("a line is of row %d, and there are %d", at.Row, r.set.Logs.Len())
		}
		if got := r.set.Logs.Time[at.Row]; got != at.Time || r.set.Logs.Line[at.Row] != at.Line || r.set.Logs.Offset[at.Row] != at.Offset {
			t.Fatalf("row %d is of another time or place than its line", at.Row)
		}
		lines = append(lines, fmt.Sprintf("%d %s|%s|%s %q %d", at.Nth, text(at.Service), text(at.Host), text(at.Instance), body, at.Time))
		return bytes.HasPrefix(body, []byte("INFO"))
	}})
	defer d.Close()
	if err := d.Read(bytes.NewReader(data), form, Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	r.stats = d.Stats()
	if int64(len(lines)) != r.stats.Lines {
		t.Fatalf("%d lines were shown, but %d counted", len(lines), r.stats.Lines)
	}
	return lines, r
}

func TestLinesOfLogs(t *testing.T) {
	record := func(body string) string { return `{"timeUnixNano":"5","body":` + body + `}` }
	entry := func(key, value string) string {
		return `{"key":"` + key + `","value":{"stringValue":"` + value + `"}}`
	}
	bodies := []string{
		`{"stringValue":"INFO \u00e9\n"}`,
		`{"kvlistValue":{"values":[` + entry("body", "b") + `,` + entry("message", `INFO \"m\"`) + `,` + entry("level", "l") + `]}}`,
		`{"kvlistValue":{"values":[` + entry("level", "l") + `]}}`,
		`{"kvlistValue":{"values":[{"key":"log","value":{"kvlistValue":{"values":[` + entry("message", "inner") + `]}}},` + entry("msg", "m2") + `]}}`,
		`{"arrayValue":{"values":[{"stringValue":"a"}]}}`, `{"intValue":"7"}`, `{"stringValue":""}`, `{}`,
		`{"stringValue":"last"}`,
	}
	var records []string
	for _, b := range bodies {
		records = append(records, record(b))
	}
	scopes := `"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]`
	resource := `"resource":{"attributes":[` + str("service.name", "s") + `,` + str("host.name", "h") + `,` + num("process.pid", "7") + `]}`
	want := []string{`0 s|h|7 "INFO é\n" 5`, `1 s|h|7 "INFO \"m\"" 5`, `3 s|h|7 "m2" 5`, `8 s|h|7 "last" 5`}
	for what, text := range map[string]string{"before": resource + "," + scopes, "behind": scopes + "," + resource} {
		doc := `{"resourceLogs":[{` + text + `}]}`
		got, r := linesOf(t, []byte(doc), JSON)
		diff(t, "the resource stands "+what, want, got)
		diff(t, "used", int64(2), r.stats.UsedLines)
		if strings.Contains(r.everything(), "last") {
			t.Errorf("the line was kept")
		}
		twice, _ := linesOf(t, []byte(doc+"\n"+doc), JSONLines)
		diff(t, "a second document", append(want, want...), twice)
	}
}

// Lines are the same, in the same order, from JSON in any order of members and from
// protobuf, and showing them changes no row.
func TestLinesDoNotDependOnTheForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ld := drawLogs(rt)
		doc, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
		if err != nil {
			rt.Fatal(err)
		}
		msg, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
		if err != nil {
			rt.Fatal(err)
		}
		want, r := linesOf(rt, frameOf(msg), FramedProtobuf)
		got, fromJSON := linesOf(rt, doc, JSON)
		diff(rt, "JSON", want, got)
		diff(rt, "rows", r.rows(), fromJSON.rows())
		got, _ = linesOf(rt, shuffle(rt, doc, rapid.Int64().Draw(rt, "seed"), true), JSON)
		diff(rt, "shuffled", want, got)
	})
}

// Lines that stand in front of a resource that is too far behind are shown without it.
func TestHeldLinesAreBounded(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`)
	line := strings.Repeat("x", 8<<20)
	doc.Grow(10*len(line) + 1<<10)
	for i := range 10 {
		if i > 0 {
			doc.WriteByte(',')
		}
		doc.WriteString(`{"body":{"stringValue":"` + line + `"}}`)
	}
	doc.WriteString(`]}],"resource":{"attributes":[` + str("service.name", "s") + `]}}]}`)
	with, without := 0, 0
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoderWith(set, account, "input", Options{Line: func(body []byte, at LogLine) bool {
		if len(body) != len(line) {
			t.Errorf("a line of %d bytes", len(body))
		}
		if at.Service == 0 {
			without++
		} else {
			with++
		}
		return true
	}})
	defer d.Close()
	if err := d.Read(&doc, JSON, Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	diff(t, "lines", []int{1, 9}, []int{with, without})
	diff(t, "issues", int64(1), account.Count(MissingResource.ID))
}
