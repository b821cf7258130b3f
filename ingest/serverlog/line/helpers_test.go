package line

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// result is all that reading an input comes to.
type result struct {
	lines   []Line
	stats   Stats
	account *table.Account
	err     error
}

// readFrom reads all of src.
func readFrom(src io.Reader, opt Options) result {
	res := result{account: &table.Account{}}
	r := NewReader(src, res.account, "in", opt)
	for l, ok := r.Next(); ok; l, ok = r.Next() {
		l.Text, l.Host = bytes.Clone(l.Text), bytes.Clone(l.Host)
		l.Service, l.Unit = bytes.Clone(l.Service), bytes.Clone(l.Unit)
		res.lines = append(res.lines, l)
	}
	res.stats, res.err = r.Stats(), r.Err()
	return res
}

func read(input string, opt Options) result { return readFrom(strings.NewReader(input), opt) }

// spell writes a line as "line+offset.nth time stream host/service/unit cut: text",
// without what it does not have.
func spell(l Line) string {
	s := fmt.Sprintf("%d+%d.%d", l.Line, l.Offset, l.Nth)
	if l.Time != table.Missing {
		s += " " + time.Unix(0, l.Time).UTC().Format("2006-01-02T15:04:05.999999999")
	}
	s += []string{"", " out", " err"}[l.Stream]
	if names := fmt.Sprintf("%s/%s/%s", l.Host, l.Service, l.Unit); names != "//" {
		s += " " + names
	}
	if l.Cut {
		s += " cut"
	}
	return s + ": " + string(l.Text)
}

func (r result) spelled() []string {
	out := []string{}
	for _, l := range r.lines {
		out = append(out, spell(l))
	}
	return out
}

// bodies are the texts without their places.
func (r result) bodies() []string {
	out := []string{}
	for _, l := range r.lines {
		out = append(out, string(l.Text))
	}
	return out
}

// heads are the beginnings of records that the tests know.
var heads = regexp.MustCompile(`(?:\([A-Za-z]+ pid=\d+\) )?(?:INFO|WARNING|ERROR)(?: \d\d-\d\d \d\d:\d\d:\d\d \[|: +\d)`)

// begins is a Begins that knows the records of vLLM.
func begins(text []byte, from int) (at, end int) {
	if m := heads.FindIndex(text[from:]); m != nil {
		return from + m[0], from + m[1]
	}
	return -1, -1
}

// slowly gives its bytes in pieces of the lengths in cuts, over and over.
type slowly struct {
	data []byte
	cuts []int
	n    int
}

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	cut := s.cuts[s.n%len(s.cuts)]
	s.n++
	n := copy(p[:min(len(p), cut)], s.data)
	s.data = s.data[n:]
	return n, nil
}

// issues are the ids and counts of the account.
func (r result) issues() string {
	var out []string
	for _, e := range r.account.Entries() {
		out = append(out, fmt.Sprintf("%s %d at %d", e.ID, e.Count, e.First.Line))
	}
	return strings.Join(out, ", ")
}

// failer is a test of the testing package or of rapid.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// conserved fails the test unless every byte and every physical line is accounted for.
func conserved(t failer, input []byte, res result) {
	t.Helper()
	s := res.stats
	lines := int64(bytes.Count(input, []byte("\n")))
	if len(input) > 0 && input[len(input)-1] != '\n' {
		lines++
	}
	if sniffEncoding(input[:min(len(input), headSize)]) == utf8Text && s.Physical != lines {
		t.Fatalf("%d physical lines, want %d", s.Physical, lines)
	}
	if s.Bytes != int64(len(input)) {
		t.Fatalf("%d bytes in physical lines, want %d", s.Bytes, len(input))
	}
	if s.Records != int64(len(res.lines)) {
		t.Fatalf("%d records counted, %d returned", s.Records, len(res.lines))
	}
	type place struct {
		offset int64
		nth    int
	}
	seen, firsts := map[place]bool{}, int64(0)
	var last Line
	for _, l := range res.lines {
		if l.Line < 1 || l.Line > s.Physical || l.Offset < 0 || l.Offset >= int64(len(input)) {
			t.Fatalf("a record at line %d, offset %d", l.Line, l.Offset)
		}
		if seen[place{l.Offset, l.Nth}] {
			t.Fatalf("two records at offset %d, number %d", l.Offset, l.Nth)
		}
		seen[place{l.Offset, l.Nth}] = true
		if l.Nth == 0 {
			firsts++
		}
		if s.Joined == 0 && len(res.lines) > 0 && s.Wrapped == 0 && (l.Offset < last.Offset || l.Line < last.Line) {
			t.Fatalf("line %d, offset %d comes after line %d, offset %d", l.Line, l.Offset, last.Line, last.Offset)
		}
		if bytes.IndexByte(l.Text, escape) >= 0 || bytes.IndexByte(l.Text, 0) >= 0 {
			t.Fatalf("text %q holds an escape or NUL", l.Text)
		}
		last = l
	}
	if firsts+s.Joined != s.Physical {
		t.Fatalf("%d physical lines, of which %d begin a record and %d go on with one", s.Physical, firsts, s.Joined)
	}
}
