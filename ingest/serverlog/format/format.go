package format

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// Format is a compiled declaration. It is immutable and safe for concurrent use; each
// user has a Scratch of its own.
type Format struct {
	ID       string
	Title    string
	Doc      string
	Kind     string // gateway or engine
	Service  string
	Zone     *time.Location // nil: local time of the server, which the log does not tell
	Steady   bool
	Over     []string
	Unusable *Unusable
	Records  []*Record

	heads     []*match.PatternMatcher
	headNames []string
	headKinds map[string]match.Kind
	sources   []*source
	first     [256]bool      // bytes that a line of the format may begin with
	byFirst   [256][]*Record // records whose text, behind the head, may begin with the byte, in order
	needs     pairs          // what every line of the format has
	empty     []*Record      // records that may match an empty text
	bare      bool           // some records may stand without a head
}

// source is one way to read a text. Records that declare the same one share it, so
// that a line is read once for all of them.
type source struct {
	number   int
	matcher  match.Matcher
	pattern  *match.PatternMatcher // nil if it is no pattern
	slots    *match.Slots
	kinds    map[string]match.Kind // of every name that the source or a head captures
	first    [256]bool
	prefix   []byte
	rest     bool    // the rest of a text is ignored
	must     []byte  // a text without which it cannot match
	needs    pairs   // without which it cannot match
	instants []int   // slots of instants
	typed    []int   // slots of types that a text may fail to be
	others   []other // further places of fields, in order
	splits   []split
}

// alternative stands in the name of a further place of a field, behind the field's.
const alternative = "__or_"

// other is a further place of a field: it counts if the field is not set.
type other struct{ slot, from int }

// Use says what a record is.
type Use uint8

// The uses.
const (
	Ignored Use = iota // known and of no use
	Instant            // a row of the logs table
	Reading            // rows of the engine_samples table and nothing else
	Begin              // the first of several records of one request
	Update             // one in the middle
	Finish             // the last one
	Whole              // a request in one record
)

// Record is one kind of record of a format.
type Record struct {
	Format  *Format
	Index   int    // its place in Format.Records
	ID      string // within the format
	Name    string // "<format>.<id>"
	Doc     string
	Example string // without the line feed at its end
	Weak    bool
	Bare    bool // it may stand without a head
	Rest    bool // what stands behind the record on its line is ignored
	Use     Use

	Time     Slot // of the record's time
	Fields   Meanings
	Keep     []Kept // fields to store as attributes
	Engine   []Slot
	Rank     []Slot
	Key      []Slot
	TimeName string // name under which Begin and Update remember the time
	Samples  []Sample
	Span     *Span

	source    *source
	when      []condition
	must      [][]byte // texts without which when does not hold
	headSlots int
}

// Slot is the place of a field in the values of a record; -1 if the record has none.
type Slot int

// Value returns the value of the slot, nil if there is none.
func (s Slot) Value(values []match.Value) *match.Value {
	if s < 0 || values[s].Kind == match.None {
		return nil
	}
	return &values[s]
}

// Text returns the text of the slot, nil if there is none.
func (s Slot) Text(values []match.Value) []byte {
	if v := s.Value(values); v != nil {
		return v.Text
	}
	return nil
}

// Kept is a field that is stored as an attribute under its own name.
type Kept struct {
	Name string
	Slot Slot
}

// Meanings are the fields whose name has a meaning of its own.
type Meanings struct {
	Level, RequestID, TraceID, SpanID         Slot
	Model, Route, Method, Status              Slot
	PromptTokens, OutputTokens, CachedTokens  Slot
	Host, Instance, Service, Client, Upstream Slot
}

// Sample is one reading of a record.
type Sample struct {
	Metric string
	Unit   string
	Slot   Slot
	Scale  float64
	Parts  float64 // 1/Scale if that is a whole number, else 0
}

// Reading is a field's number in the unit of the metric. A scale such as 0.01 divides by
// 100, so that 44.2 % is the double nearest to 0.442.
func (s *Sample) Reading(v float64) float64 {
	if s.Parts != 0 {
		return v / s.Parts
	}
	return v * s.Scale
}

// Scratch holds the values of the line at hand. It belongs to one goroutine.
type Scratch struct {
	head    []match.Value
	sources [][]match.Value
	line    *Line // the line that was tried last, and its turn
	turn    int
	end     int     // where its message begins
	tried   []uint8 // by source, what came of it
}

// What came of trying a source.
const (
	untried uint8 = iota
	matched
	failed // although the line has all texts that it must have
	absent // the line has not all of them
)

// Line is a line that is tried against formats. What is found out about it for one of
// them serves the others.
type Line struct {
	Text  []byte
	marks marks
	known bool // marks are those of Text
	turn  int  // how often Set was called
}

// Set makes the Line another one, so that a Line serves all lines of a log.
func (l *Line) Set(text []byte) { l.Text, l.known, l.turn = text, false, l.turn+1 }

// has reports whether the line may have some pairs of bytes.
func (l *Line) has(all *pairs) bool {
	if !l.known {
		l.marks.set(l.Text)
		l.known = true
	}
	return l.marks.hold(all)
}

// NewScratch returns a Scratch for the format.
func (f *Format) NewScratch() *Scratch {
	s := &Scratch{
		head:    make([]match.Value, len(f.headNames)),
		sources: make([][]match.Value, len(f.sources)),
		tried:   make([]uint8, len(f.sources)),
	}
	for i, src := range f.sources {
		s.sources[i] = src.slots.NewValues()
	}
	return s
}

// MayBegin reports whether a line of the format may begin with a byte.
func (f *Format) MayBegin(b byte) bool { return f.first[b] }

// HasHead reports whether the lines of the format have a head.
func (f *Format) HasHead() bool { return len(f.heads) > 0 }

// Head matches what stands before a message and returns where the message begins. It
// matches any text if the format has no heads.
func (f *Format) Head(text []byte, s *Scratch) (end int, ok bool) {
	if len(f.heads) == 0 {
		return 0, true
	}
	for _, head := range f.heads {
		if len(text) > 0 && !head.First()[text[0]] {
			continue
		}
		match.Reset(s.head)
		if end, ok := head.MatchHead(text, s.head); ok {
			return end, true
		}
	}
	return 0, false
}

// Match returns the record that a line is, and its values, which are good until the
// next call with the same Scratch. It returns nil if the line is none of the format's;
// head says whether it has at least a head of the format.
func (f *Format) Match(line *Line, s *Scratch) (r *Record, values []match.Value, head bool) {
	s.line = nil
	if len(line.Text) == 0 || !f.first[line.Text[0]] {
		return nil, nil, false
	}
	end, ok := f.Head(line.Text, s)
	switch {
	case ok:
		s.line, s.turn, s.end = line, line.turn, end
	case f.bare:
		match.Reset(s.head)
	default:
		return nil, nil, false
	}
	head = ok && len(f.heads) > 0
	text := line.Text[end:]
	list := f.empty
	if len(text) > 0 {
		list = f.byFirst[text[0]]
	}
	clear(s.tried)
	for i, r := range list {
		if !ok && !r.Bare {
			continue
		}
		// Most lines are the first record; it is worth looking at all bytes of the others.
		if (i > 0 || line.known) && s.tried[r.source.number] == untried && !line.has(&r.source.needs) {
			s.tried[r.source.number] = absent
		}
		if values, ok := r.match(text, s); ok {
			return r, values, head
		}
	}
	return nil, nil, head
}

// Message returns where the message of a line begins behind its head, which is 0 for a
// line without one. It is quick for the line that was matched last.
func (f *Format) Message(line *Line, s *Scratch) int {
	if s.line == line && s.turn == line.turn {
		return s.end
	}
	end, _ := f.Head(line.Text, s)
	return end
}

// Cannot reports whether a line is none of the format's for want of some bytes. It is
// quick once it has been asked of one format.
func (f *Format) Cannot(line *Line) bool { return !line.has(&f.needs) }

// match tries one record.
func (r *Record) match(text []byte, s *Scratch) ([]match.Value, bool) {
	src := r.source
	values, tried := s.sources[src.number], &s.tried[src.number]
	if *tried == untried {
		for _, must := range r.must {
			if !bytes.Contains(text, must) {
				return nil, false
			}
		}
		*tried = src.match(text, values, s.head)
	}
	if *tried != matched {
		return nil, false
	}
	return values, hold(r.when, values)
}

func (src *source) match(text []byte, values, head []match.Value) uint8 {
	if !bytes.HasPrefix(text, src.prefix) {
		return absent
	}
	match.Reset(values[len(head):])
	copy(values, head)
	if !src.matcher.Match(text, values) {
		return failed
	}
	for _, o := range src.others {
		if values[o.slot].Kind == match.None && values[o.from].Kind != match.None {
			values[o.slot] = values[o.from]
		}
	}
	for i := range src.splits {
		src.splits[i].read(values)
	}
	return matched
}

// Near says which record a line would be if one of its fields were of the field's type,
// and which field and byte of the line that is. It must follow Match of the same line.
func (f *Format) Near(line *Line, s *Scratch) (r *Record, field string, at int) {
	if s.line != line || s.turn != line.turn {
		// Match has refused the line for its first byte or for its head.
		if len(f.heads) > 0 {
			return nil, "", 0
		}
		s.line, s.turn, s.end = line, line.turn, 0
		clear(s.tried)
	}
	text := line.Text[s.end:]
	for _, r := range f.Records {
		src := r.source
		tried := s.tried[src.number]
		if src.pattern == nil || tried != failed && tried != untried {
			continue
		}
		s.tried[src.number] = absent
		if tried == untried && (!bytes.HasPrefix(text, src.prefix) || !line.has(&src.needs) || !bytes.Contains(text, src.must)) {
			continue
		}
		if field, at, near := src.pattern.Near(text); near {
			return r, field, s.end + at
		}
	}
	return nil, "", 0
}

// Instants returns the slots of a record that hold instants.
func (r *Record) Instants() []int { return r.source.instants }

// Bad returns the name of a field whose text was no value of its type, "" if there is
// none.
func (r *Record) Bad(values []match.Value) string {
	for _, slot := range r.source.typed {
		if values[slot].Flags&match.Bad != 0 {
			return r.source.slots.Names()[slot]
		}
	}
	return ""
}

// Names returns the names of the fields by their slots.
func (r *Record) Names() []string { return r.source.slots.Names() }

// Alternative reports whether a name is that of a further place of a field, whose value
// the field has got.
func Alternative(name string) bool { return strings.Contains(name, alternative) }
