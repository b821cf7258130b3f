package otlp

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tb is what the helpers need of a test, be it of testing or of rapid.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// result is what one input came to.
type result struct {
	set     *table.Set
	account *table.Account
	stats   Stats
}

// read reads data in the form that Sniff finds.
func read(t tb, data []byte) result {
	t.Helper()
	form := Sniff(data[:min(len(data), HeadSize)], len(data) <= HeadSize)
	if form == Unknown {
		t.Fatalf("the form of %.60q is unknown", data)
	}
	return readAs(t, data, form)
}

func readAs(t tb, data []byte, form Form) result {
	t.Helper()
	r := result{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoderWith(r.set, r.account, "input", Options{KeepText: true})
	defer d.Close()
	if err := d.Read(bytes.NewReader(data), form, Start{Line: 1}); err != nil {
		t.Fatalf("read: %v", err)
	}
	r.stats = d.Stats()
	if got := int64(r.set.Spans.Len()); got != r.stats.Spans {
		t.Fatalf("%d span rows, but %d were counted", got, r.stats.Spans)
	}
	if got := int64(r.set.Logs.Len()); got != r.stats.Logs {
		t.Fatalf("%d log rows, but %d were counted", got, r.stats.Logs)
	}
	if got := int64(r.set.EngineSamples.Len()); got != r.stats.Samples {
		t.Fatalf("%d rows of samples, but %d were counted", got, r.stats.Samples)
	}
	unused := int64(0)
	for _, is := range []table.Issue{UnknownMetric, UnusedPoint, RepeatedPoint, EmptyPoint, DeltaPoint} {
		unused += r.account.Count(is.ID)
	}
	if unused != r.stats.UnusedPoints || r.account.Count(BadPoint.ID) != r.stats.BadPoints || r.account.Count(BadMetric.ID) != r.stats.BadMetrics {
		t.Fatalf("%+v, but issues %v", r.stats, r.issues())
	}
	return r
}

// issues lists the account as id=count.
func (r result) issues() []string {
	var out []string
	for _, e := range r.account.Entries() {
		out = append(out, fmt.Sprintf("%s=%d", e.ID, e.Count))
	}
	slices.Sort(out)
	return out
}

// rows prints every raw table row by row, without the places of the rows. Scopes are
// printed with the rows that belong to them.
func (r result) rows() []string {
	s := r.set
	var out []string
	for i := range s.Spans.Len() {
		line := "span " + printRow(s, &s.Spans, i) + " scope " + printRow(s, &s.Scopes, int(s.Spans.ScopeRow[i]))
		for j := range s.SpanEvents.Len() {
			if s.SpanEvents.SpanRow[j] == int32(i) {
				line += "\n  event " + printRow(s, &s.SpanEvents, j)
			}
		}
		for j := range s.SpanLinks.Len() {
			if s.SpanLinks.SpanRow[j] == int32(i) {
				line += "\n  link " + printRow(s, &s.SpanLinks, j)
			}
		}
		out = append(out, line)
	}
	for i := range s.Logs.Len() {
		out = append(out, "log "+printRow(s, &s.Logs, i)+" scope "+printRow(s, &s.Scopes, int(s.Logs.ScopeRow[i])))
	}
	for i := range s.EngineSamples.Len() {
		out = append(out, "sample "+printRow(s, &s.EngineSamples, i))
	}
	return out
}

// printRow prints row i of a table by the col tags of its struct.
func printRow(s *table.Set, rows any, i int) string {
	var b strings.Builder
	v := reflect.ValueOf(rows).Elem()
	for f := range v.NumField() {
		name, ok := v.Type().Field(f).Tag.Lookup("col")
		switch name {
		case "source", "line", "offset", "scope_row", "span_row":
			continue
		}
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "%s=%s ", name, printCell(s, v.Field(f).Addr().Interface(), i))
	}
	return b.String()
}

func printCell(s *table.Set, column any, i int) string {
	switch c := column.(type) {
	case *[]table.Sym:
		return fmt.Sprintf("%q", s.Symbols.Text((*c)[i]))
	case *[]table.TraceID:
		return hex.EncodeToString((*c)[i][:])
	case *[]table.SpanID:
		return hex.EncodeToString((*c)[i][:])
	case *table.Attrs:
		return printAttrs(s, c, i)
	}
	return fmt.Sprintf("%q", fmt.Sprint(reflect.ValueOf(column).Elem().Index(i).Interface()))
}

func printAttrs(s *table.Set, a *table.Attrs, i int) string {
	var b strings.Builder
	b.WriteByte('{')
	for j := range a.Count(i) {
		at := a.At(i, j)
		fmt.Fprintf(&b, "%q:%s(%x %q) ", s.Symbols.Text(at.Key), table.ValueTypeNames[at.Value.Type], at.Value.Bits, at.Value.Text)
	}
	return b.String() + "}"
}

func diff(t tb, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// get returns one attribute of a row as text.
func get(s *table.Set, a *table.Attrs, row int, key string) string {
	sym, ok := s.Symbols.Lookup(key)
	if !ok {
		return "absent"
	}
	v, ok := a.Get(row, sym)
	if !ok {
		return "absent"
	}
	if text, ok := v.Scalar(); ok {
		return table.ValueTypeNames[v.Type] + " " + string(text)
	}
	return table.ValueTypeNames[v.Type] + " " + string(v.Text)
}

func multiReader(data []byte, rest io.Reader) io.Reader {
	return io.MultiReader(bytes.NewReader(data), rest)
}
