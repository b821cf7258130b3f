package format

import (
	"bytes"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// Details that this package gives of its own accord.
const (
	NotRecorded = "not recorded"            // nothing says what happened
	Conflict    = "recorded times conflict" // what is recorded cannot be
	Upstream    = "upstream"                // waiting for another server
	Response    = "upstream response"       // likewise, after its first byte
)

// restBasis is the basis of what is left over.
const restBasis = "what is left over"

// longest is how long a request may be, in ns. What is longer is a stamp or a duration
// that was never set.
const longest = 7 * 24 * int64(time.Hour)

// unattributed is the stage of what nobody claims, by its place in table.StageNames.
const unattributed = table.StageCount - 1

// Span is a compiled span declaration.
type Span struct {
	Labels []string // texts of the parts, by number; number 0 is empty

	name     []piece
	start    []*expression
	end      []*expression
	first    []*expression
	startEnd bool // start is given by end
	error    int64
	hasError bool
	failed   []condition
	aborted  []condition
	parts    []part
	attempts *attempts
	rest     rest
	hasRest  bool
	time     Slot
	untold   []untold
}

// piece is one stretch of a name: text, or a field if slot is not negative.
type piece struct {
	text string
	slot Slot
}

// untold is a field that says that some of the time is not told.
type untold struct {
	field string
	condition
}

// part is one compiled part.
type part struct {
	from, until *expression // from may be nil
	label       Part        // stage, labels, confidence
	error       int64
	hasError    bool
	cut         bool        // it begins no earlier than the part before it ends
	bound       *expression // a duration in place of error; nil if error is a literal
	when        []condition
}

type rest struct {
	stage  uint8
	detail int
	basis  int
}

// Outcome says what a span is made of.
type Outcome uint8

// The outcomes.
const (
	Timed      Outcome = iota // start and end are known
	Unfinished                // the start is known and the end is not
	Untimed                   // the start is not known
)

// Result is what a record says of a request. Its slices are used again by the next one.
type Result struct {
	Start, End int64 // ns
	Clock      uint8 // table.ClockWall, ClockSteady, or ClockNone if durations alone are recorded
	Civil      bool  // Start, End and all other instants are civil times of an unknown year
	Error      int64 // ns; how far Start or End may be off by the resolution of the fields
	Length     int64 // ns; how far End - Start may be off likewise
	TTFT       int64 // ns after Start; table.Missing
	Failed     bool
	Aborted    bool // who asked went away before the answer was complete; Failed is true as well
	Parts      []Part
	Impossible []string // fields whose values cannot be
	Untold     string   // the field that says that some of the time is not told; "" if none does
}

// Part is one part of a span.
type Part struct {
	Start, End int64
	Error      int64 // ns
	Stage      uint8
	Confidence uint8
	Detail     int // number of a label of the Span
	Basis      int
}

// Confidences, by their place in table.ConfidenceNames.
const (
	exact    = 0
	anchored = 1
	residual = 2
)

// Evaluate computes the span that a record and its values tell. Instants in values are
// settled: their year and zone are applied, or they are civil times flagged NoYear.
func (s *Span) Evaluate(values []match.Value, out *Result) Outcome {
	out.Parts, out.Impossible = out.Parts[:0], out.Impossible[:0]
	out.TTFT, out.End, out.Error, out.Length, out.Untold = table.Missing, 0, 0, 0, ""
	x := instants{values: values}
	s.ends(&x, out)
	timeless := !x.hasStart && !x.hasEnd && s.time >= 0 && values[s.time].Kind == match.None && s.durationsOnly(&x, out)
	out.Clock, out.Civil = table.ClockWall, x.clock == civilClock
	switch {
	case timeless:
		out.Clock = table.ClockNone
	case x.clock == steadyClock:
		out.Clock = table.ClockSteady
	}
	if s.hasError {
		out.Error = s.error
	}
	out.Aborted = len(s.aborted) > 0 && hold(s.aborted, values)
	out.Failed = out.Aborted || s.hasFailed(values)
	for i := range s.untold {
		if u := &s.untold[i]; values[u.slot].Kind != match.None && u.holds(values) {
			out.Untold = u.field
			break
		}
	}
	if !x.hasStart {
		return Untimed
	}
	out.Start = x.start
	if !x.hasEnd {
		s.firstToken(&x, out)
		return Unfinished
	}
	if x.end < x.start && x.start-x.end <= out.Error {
		x.end = x.start
	}
	out.End = x.end
	s.firstToken(&x, out)
	if x.end < x.start {
		out.Impossible = append(out.Impossible, "end")
		return Timed
	}
	s.divide(&x, out)
	return Timed
}

func (s *Span) firstToken(x *instants, out *Result) {
	r, ok := s.choose(s.first, x, out)
	if !ok {
		return
	}
	ttft := r.ns - x.start
	if ttft < 0 || x.hasEnd && x.end >= x.start && r.ns > x.end+out.Error {
		out.conflict("first_token")
		return
	}
	out.TTFT = ttft
}

func (s *Span) hasFailed(values []match.Value) bool {
	for i := range s.failed {
		if values[s.failed[i].slot].Kind != match.None && s.failed[i].holds(values) {
			return true
		}
	}
	return false
}

// divide computes the parts of a span whose ends are known.
func (s *Span) divide(x *instants, out *Result) {
	if len(s.parts) == 0 && s.attempts == nil && !s.hasRest {
		return
	}
	reach := x.start // how far the span is divided; last follows it, if it is known
	x.last, x.hasLast = x.start, true
	for i := range s.parts {
		s.place(&s.parts[i], x, &reach, out)
	}
	if s.attempts != nil {
		s.attempts.place(x, &reach, out)
	}
	own := s.rest
	if len(out.Impossible) > 0 {
		own = rest{stage: unattributed, detail: s.label(Conflict), basis: s.label(restBasis)}
	}
	s.fill(x, own, out)
}

// place adds one part, or notes why there is none. A part that begins where the one
// before it ended is nowhere if that one cannot be.
func (s *Span) place(p *part, x *instants, reach *int64, out *Result) {
	if len(p.when) > 0 && !hold(p.when, x.values) {
		return
	}
	from, k := result{ns: x.last}, valued
	if !x.hasLast {
		k = missing
	}
	if p.from != nil {
		from, k = p.from.eval(x)
	}
	until, u := p.until.eval(x)
	switch {
	case u == impossible || k == impossible:
		field := until.field
		if k == impossible {
			field = from.field
		}
		out.conflict(field)
		x.hasLast = false
		return
	case u == missing:
		return
	}
	slack := out.Error + p.error
	if p.bound != nil {
		if r, k := p.bound.eval(x); k == valued && r.ns > 0 {
			slack += r.ns
		}
	}
	if until.ns > x.end && until.ns-x.end <= slack {
		until.ns = x.end
	}
	if k == missing {
		// The part has no beginning, but what follows it has.
		if until.ns >= *reach && until.ns <= x.end {
			x.last, x.hasLast, *reach = until.ns, true, until.ns
		}
		return
	}
	if from.ns < *reach && *reach-from.ns <= slack {
		from.ns = *reach
	}
	if p.cut && min(from.ns, until.ns) >= x.start-out.Error {
		from.ns = max(from.ns, *reach)
		until.ns = max(until.ns, from.ns)
	}
	if until.ns < from.ns && from.ns-until.ns <= slack {
		until.ns = from.ns
	}
	if from.ns < *reach || until.ns < from.ns || until.ns > x.end {
		field := p.until
		if len(field.fields) == 0 && p.from != nil {
			field = p.from
		}
		out.conflict(field.last())
		x.hasLast = false
		return
	}
	x.last, x.hasLast, *reach = until.ns, true, until.ns
	if until.ns == from.ns {
		return
	}
	add := p.label
	add.Start, add.End, add.Error = from.ns, until.ns, p.error
	if add.Confidence == anchored && !p.hasError {
		add.Error = out.Error
	}
	if p.bound != nil {
		add.Error = out.Error
		if r, k := p.bound.eval(x); k == valued {
			add.Error = max(r.ns, out.Error)
		}
	}
	out.Parts = append(out.Parts, add)
}

// fill puts the rest between the parts, so that they tile the span.
func (s *Span) fill(x *instants, own rest, out *Result) {
	gaps, at := 0, x.start
	for i := range out.Parts {
		if out.Parts[i].Start > at {
			gaps++
		}
		at = out.Parts[i].End
	}
	if x.end > at {
		gaps++
	}
	n := len(out.Parts)
	for range gaps {
		out.Parts = append(out.Parts, Part{})
	}
	gap := Part{Stage: own.stage, Confidence: residual, Detail: own.detail, Basis: own.basis}
	to, at := len(out.Parts), x.end
	for i := n - 1; i >= -1; i-- {
		begin := x.start
		if i >= 0 {
			begin = out.Parts[i].End
		}
		if at > begin {
			to--
			gap.Start, gap.End = begin, at
			out.Parts[to] = gap
		}
		if i >= 0 {
			to--
			out.Parts[to] = out.Parts[i]
			at = out.Parts[to].Start
		}
	}
}

// AppendName appends the name of the span to dst.
func (s *Span) AppendName(dst []byte, values []match.Value) []byte {
	for _, p := range s.name {
		if p.slot < 0 {
			dst = append(dst, p.text...)
			continue
		}
		text := p.slot.Text(values)
		if p.text == "route" {
			text = Path(text)
		}
		dst = append(dst, text...)
	}
	return bytes.TrimSpace(dst)
}

// Path returns the path of a URL, a request target or a request line without its query.
func Path(url []byte) []byte {
	if isPath(url) {
		return url
	}
	if i := bytes.IndexByte(url, ' '); i > 0 && i+1 < len(url) && isMethod(url[:i]) {
		url = url[i+1:]
		if i := bytes.LastIndexByte(url, ' '); i > 0 {
			url = url[:i]
		}
	}
	if i := bytes.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if i := bytes.Index(url, []byte("://")); i >= 0 {
		url = url[i+3:]
		i := bytes.IndexByte(url, '/')
		if i < 0 {
			return []byte("/")
		}
		return url[i:]
	}
	return url
}

// isPath reports whether a URL is a path and nothing else, as most are.
func isPath(url []byte) bool {
	for _, c := range url {
		if c == '?' || c == '#' || c == ':' {
			return false
		}
	}
	return len(url) > 0 && url[0] == '/'
}

// isMethod reports whether text is written as the methods of HTTP are.
func isMethod(text []byte) bool {
	for _, c := range text {
		if (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return true
}

// label returns the number of a text, which compile has seen to.
func (s *Span) label(text string) int {
	for i, l := range s.Labels {
		if l == text {
			return i
		}
	}
	return 0
}
