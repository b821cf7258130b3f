package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// csvOf returns a table as CSV, and read again.
func csvOf(t interface{ Fatal(...any) }, s *Set, table *Rows) (string, [][]string) {
	var out bytes.Buffer
	if err := WriteCSV(&out, s, table); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(out.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), records
}

func TestCSVOfATableIsWhatItHolds(t *testing.T) {
	s := NewSet()
	scope := s.Scopes.Grow()
	s.Scopes.Service[scope] = s.Symbols.Intern("a, \"b\"")
	i := s.Spans.Grow()
	s.Spans.TraceID[i], s.Spans.SpanID[i] = TraceID{15: 1}, SpanID{7: 2}
	s.Spans.Name[i] = s.Symbols.Intern("=1+1")
	s.Spans.Kind[i] = 2
	s.Spans.Start[i], s.Spans.End[i] = 1764428645_000000001, 1764428645_250000000
	s.Spans.ScopeRow[i] = int32(scope)
	s.Spans.Model[i] = s.Symbols.Intern("@cf/llama")
	s.Spans.Attributes.Add(s.Symbols.Intern("n"), IntValue(-3))
	s.Spans.Attributes.Add(s.Symbols.Intern("n"), DoubleValue(math.NaN()))
	s.Spans.Attributes.Add(s.Symbols.Intern("k\n\"é\xff"), StringValue("=x\u0001"))
	s.Spans.Attributes.Add(s.Symbols.Intern("list"), Value{Type: ValueArray, Text: []byte(`{"values":[{"intValue":"1"}]}`)})
	s.Spans.Attributes.Add(s.Symbols.Intern("bytes"), Value{Type: ValueBytes, Text: []byte{0, 255}})
	text, records := csvOf(t, s, &s.Spans.Rows)
	if n := strings.Count(text, "\n"); n != 2 {
		t.Errorf("%d lines for a header and a row", n)
	}
	got := map[string]string{}
	for k, name := range records[0] {
		got[name] = records[1][k]
	}
	for name, want := range map[string]string{
		"trace_id": "00000000000000000000000000000001", "span_id": "0000000000000002", "parent_id": "", "name": "'=1+1", "kind": "SERVER",
		"start_ns": "1764428645000000001", "end_ns": "1764428645250000000", "clock": "wall", "status_message": "", "model": "'@cf/llama",
		"ttft_ns": "", "scope_row": "0", "dropped": "0",
		"attributes": `{"n":-3,"n":"NaN","k\u000a\"é` + "\uFFFDxFF" + `":"=x\u0001","list":{"values":[{"intValue":"1"}]},"bytes":"AP8="}`,
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	_, records = csvOf(t, s, &s.Scopes.Rows)
	if records[1][0] != `a, "b"` {
		t.Errorf("service is %q", records[1][0])
	}
}

func TestTextOfCSVIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a=1": "a=1", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": `\u{9}a`, "a\r\n": `a\u{d}\u{a}`, "\x1b[1m\u202e": `\u{1b}[1m\u{202e}`, "日本": "日本", "＝1": "'＝1", "  =1": "'  =1", " a ": " a ", "'a' b": "'a' b", "'=": "'=",
	} {
		if got := csvText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestFieldsThatReadersMistakeAreQuoted: readers drop spaces at the ends, and those that guess the
// format take an apostrophe at the start of a field for the quotation mark of the file.
func TestFieldsThatReadersMistakeAreQuoted(t *testing.T) {
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	csvLine(out, []string{"'=1", " a", "b ", "it's", "", `{"a":1}`, "-1"})
	if err := out.Flush(); err != nil || text.String() != `"'=1"," a","b ",it's,,"{""a"":1}",-1`+"\n" {
		t.Errorf("%s, %v", text.String(), err)
	}
}

// TestCSVHoldsEveryValue reads the cells of any tables again, by the types of their columns.
func TestCSVHoldsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(6).Draw(t, "set")
		for _, table := range s.Tables() {
			text, records := csvOf(t, s, table)
			if !utf8.ValidString(text) {
				t.Fatalf("%s is no UTF-8", table.schema.Name)
			}
			if n := strings.Count(text, "\n"); n != table.Len()+1 || strings.IndexFunc(text, func(r rune) bool { return r != '\n' && unseen(r) }) >= 0 {
				t.Fatalf("%s has %d lines for %d rows, or characters that are not seen: %q", table.schema.Name, n, table.Len(), text)
			}
			if len(records) != table.Len()+1 {
				t.Fatalf("%s has %d records for %d rows", table.schema.Name, len(records), table.Len())
			}
			for i, f := range table.schema.Fields {
				if records[0][i] != f.Name {
					t.Fatalf("column %d is %s, want %s", i, records[0][i], f.Name)
				}
				for row, record := range records[1:] {
					if want, ok := spelledCell(s, f, table.cols[i], row); ok && record[i] != want {
						t.Fatalf("%s.%s of row %d is %q, want %q", table.schema.Name, f.Name, row, record[i], want)
					}
					if f.Type == Map && record[i] != "" && !json.Valid([]byte(record[i])) {
						t.Fatalf("%s.%s is no JSON: %s", table.schema.Name, f.Name, record[i])
					}
				}
			}
		}
	})
}

// spelledCell says what the cell of a number, a symbol or a text must be.
func spelledCell(s *Set, f Field, c column, row int) (string, bool) {
	text := func(text string) (string, bool) { return csvText(escapeText(text)), true }
	switch vals := c.slice().(type) {
	case *[]int64:
		if v := (*vals)[row]; v != Missing || !f.Nullable {
			return strconv.FormatInt(v, 10), true
		}
		return "", true
	case *[]int32:
		return strconv.Itoa(int((*vals)[row])), true
	case *[]string:
		return text((*vals)[row])
	case *[]Sym:
		return text(s.Symbols.Text((*vals)[row]))
	}
	return "", false
}

func TestKeepRequestsKeepsTheirSegments(t *testing.T) {
	s := NewSet()
	s.Scopes.Grow()
	s.Spans.Grow()
	for request := range 4 {
		i := s.Requests.Grow()
		s.Requests.Duration[i] = int64(request)
		for range request {
			k := s.Segments.Grow()
			s.Segments.RequestRow[k], s.Segments.Duration[k] = int32(request), int64(request)
		}
	}
	s.KeepRequests([]int32{1, 3})
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{1, 3}, s.Requests.Duration); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{0, 1, 1, 1}, s.Segments.RequestRow); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{1, 3, 3, 3}, s.Segments.Duration); diff != "" {
		t.Error(diff)
	}
	s.KeepRequests(nil)
	if s.Requests.Len()+s.Segments.Len() != 0 || s.Spans.Len() != 1 {
		t.Errorf("%d requests, %d segments and %d spans are left", s.Requests.Len(), s.Segments.Len(), s.Spans.Len())
	}
}
