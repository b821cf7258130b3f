package tracefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// outcome is what came of reading a text.
type outcome struct {
	set     *table.Set
	account *table.Account
	stats   Stats
}

// readFrom reads a stream as one format.
func readFrom(t tester, r io.Reader, f Format) outcome {
	t.Helper()
	o := outcome{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoder(o.set, o.account, "input")
	if err := d.Read(r, f); err != nil {
		t.Fatal(err)
	}
	o.stats = d.Stats()
	if err := o.set.Validate(); err != nil {
		t.Fatal(err)
	}
	return o
}

func readText(t tester, text string, f Format) outcome {
	t.Helper()
	return readFrom(t, strings.NewReader(text), f)
}

// issues is the account in brief.
func (o outcome) issues() map[string]int64 {
	all := map[string]int64{}
	for _, e := range o.account.Entries() {
		all[e.ID] = e.Count
	}
	return all
}

// render is the spans of a set in recorded order, in a form that is easy to read. Places
// are left out.
func render(s *table.Set) []string {
	var out []string
	text := s.Symbols.Text
	for i := range s.Spans.Len() {
		t := &s.Spans
		var b bytes.Buffer
		fmt.Fprintf(&b, "%x/%x", t.TraceID[i], t.SpanID[i])
		if t.ParentID[i] != (table.SpanID{}) {
			fmt.Fprintf(&b, "<%x", t.ParentID[i])
		}
		fmt.Fprintf(&b, " %q %s %d-%d", text(t.Name[i]), strings.ToLower(table.KindNames[t.Kind[i]]), t.Start[i], t.End[i])
		if t.Clock[i] != 0 {
			b.WriteString(" steady")
		}
		if t.Status[i] != 0 {
			fmt.Fprintf(&b, " %s %q", table.StatusNames[t.Status[i]], t.StatusMessage[i])
		}
		if t.TraceState[i] != 0 {
			fmt.Fprintf(&b, " state=%s", text(t.TraceState[i]))
		}
		if t.Flags[i] != 0 {
			fmt.Fprintf(&b, " flags=%d", t.Flags[i])
		}
		sc, r := &s.Scopes, int(t.ScopeRow[i])
		fmt.Fprintf(&b, " %s@%s#%s", text(sc.Service[r]), text(sc.Host[r]), text(sc.Instance[r]))
		if sc.Scope[r] != 0 || sc.ScopeVersion[r] != 0 {
			fmt.Fprintf(&b, " scope=%s:%s", text(sc.Scope[r]), text(sc.ScopeVersion[r]))
		}
		fmt.Fprintf(&b, " res%s", list(s, &sc.ResourceAttributes, r))
		fmt.Fprintf(&b, " %s", list(s, &t.Attributes, i))
		for e := range s.SpanEvents.Len() {
			if int(s.SpanEvents.SpanRow[e]) == i {
				fmt.Fprintf(&b, " !%d:%s%s", s.SpanEvents.Time[e], text(s.SpanEvents.Name[e]), list(s, &s.SpanEvents.Attributes, e))
			}
		}
		for l := range s.SpanLinks.Len() {
			if int(s.SpanLinks.SpanRow[l]) == i {
				fmt.Fprintf(&b, " ->%x/%x%s", s.SpanLinks.TraceID[l], s.SpanLinks.SpanID[l], list(s, &s.SpanLinks.Attributes, l))
			}
		}
		out = append(out, b.String())
	}
	return out
}

// list renders a list of attributes.
func list(s *table.Set, a *table.Attrs, row int) string {
	var b strings.Builder
	b.WriteByte('{')
	for j := range a.Count(row) {
		e := a.At(row, j)
		if j > 0 {
			b.WriteByte(' ')
		}
		v, ok := e.Value.Scalar()
		if !ok {
			v = e.Value.Text
		}
		fmt.Fprintf(&b, "%s=%s:%s", s.Symbols.Text(e.Key), table.ValueTypeNames[e.Value.Type][:1], v)
	}
	b.WriteByte('}')
	return b.String()
}

func same(t tester, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// indented is a JSON text with a member a line.
func indented(t tester, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tester is what tests, fuzz tests and properties have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// requestsOf makes requests of what was read. Rows are in another order then.
func requestsOf(o outcome) []*critical.Request {
	o.set.Canonicalize()
	b := critical.NewBuilder(o.set, o.account, critical.Options{})
	var all []*critical.Request
	for i := range b.Groups() {
		all = append(all, b.Group(i)...)
	}
	return all
}

// owned is the ns on the path of a request that each service owns.
func owned(s *table.Set, r *critical.Request) map[string]int64 {
	sum := map[string]int64{}
	for _, seg := range r.EndPath {
		row := r.Spans[seg.Span].Row
		sum[s.Symbols.Text(s.Scopes.Service[s.Spans.ScopeRow[row]])] += seg.Duration()
	}
	return sum
}
