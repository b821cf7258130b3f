package serverlog

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// Detection says which format the beginning of an input has.
type Detection struct {
	Format    *format.Format // nil if no format claims it
	Lines     int            // records of the beginning that are not empty
	Claimed   int            // of them, those that the format claims
	NeedsYear bool           // claimed records have dates without a year
	NeedsZone bool           // claimed records have times without a zone, and the format does not fix it
	Unusable  *format.Unusable
}

// Detect tells the format of an input by its beginning. A line is claimed by the first
// format that has a record for it which is not weak; the format with most lines wins, and
// of two the one that lines are tried against first.
func Detect(head []byte, f *Formats) Detection {
	m := newMatcher(f)
	counts := make([]Detection, len(f.list))
	lines := 0
	for _, l := range line.Sample(head) {
		if lines%enough == 0 && settled(counts) {
			break
		}
		if len(bytes.TrimSpace(l.Text)) == 0 {
			continue
		}
		lines++
		i, r, values := m.strong(l.Text)
		if r == nil {
			continue
		}
		c := &counts[i]
		c.Claimed++
		if t := r.Time.Value(values); t != nil && t.Kind == match.Instant && r.Use != format.Ignored {
			c.NeedsYear = c.NeedsYear || t.Flags&match.NoYear != 0 && l.Time == table.Missing
			c.NeedsZone = c.NeedsZone || t.Flags&match.NoZone != 0 && f.list[i].Zone == nil
		}
	}
	best := Detection{}
	for i, c := range counts {
		if c.Claimed > best.Claimed {
			best = c
			best.Format, best.Unusable = f.list[i], f.list[i].Unusable
		}
	}
	best.Lines = lines
	return best
}

// enough is after how many lines it is asked whether the format is clear.
const enough = 500

// settled reports whether one format claims half of the first lines and no other any.
func settled(counts []Detection) bool {
	some, most := 0, 0
	for _, c := range counts {
		if c.Claimed > 0 {
			some++
		}
		most = max(most, c.Claimed)
	}
	return some == 1 && most >= enough/2
}

// matcher tries lines against formats. It belongs to one goroutine.
type matcher struct {
	formats *Formats
	scratch []*format.Scratch // by place of the format; made when it is first needed
	line    format.Line       // at hand in strong
	first   int               // place of the format that is tried first; -1 for none
}

func newMatcher(f *Formats) *matcher {
	return &matcher{formats: f, scratch: make([]*format.Scratch, len(f.list)), first: -1}
}

func (m *matcher) scratchOf(i int) *format.Scratch {
	if m.scratch[i] == nil {
		m.scratch[i] = m.formats.list[i].NewScratch()
	}
	return m.scratch[i]
}

// strong returns the first format, by its place, that claims a line.
func (m *matcher) strong(text []byte) (i int, r *format.Record, values []match.Value) {
	m.line.Set(text)
	for _, i := range m.formats.byFirst[text[0]] {
		f := m.formats.list[i]
		if f.Cannot(&m.line) {
			continue
		}
		if r, values, _ := f.Match(&m.line, m.scratchOf(i)); r != nil && !r.Weak {
			return i, r, values
		}
	}
	return -1, nil, nil
}

// match returns the record that a line is, and the place of its format. If it is none,
// i is the place of the first format whose head the line has, -1 for none.
func (m *matcher) match(line *format.Line) (i int, r *format.Record, values []match.Value) {
	headed := -1
	if m.first >= 0 {
		r, values, head := m.formats.list[m.first].Match(line, m.scratchOf(m.first))
		if r != nil {
			return m.first, r, values
		}
		if head {
			headed = m.first
		}
	}
	for _, i := range m.formats.byFirst[line.Text[0]] {
		if i == m.first || m.formats.list[i].Cannot(line) {
			continue
		}
		r, values, head := m.formats.list[i].Match(line, m.scratchOf(i))
		if r != nil {
			return i, r, values
		}
		if head && headed < 0 {
			headed = i
		}
	}
	return headed, nil, nil
}
