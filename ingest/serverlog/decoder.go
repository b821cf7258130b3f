package serverlog

import (
	"bytes"
	"io"
	"slices"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// Options say how a log is read.
type Options struct {
	// Formats are the formats that lines are tried against; nil stands for Builtin.
	Formats *Formats
	// Format is the format of the log, if it is known. Lines are then tried against it and
	// the formats that never claim an input, and no others.
	Format *format.Format
	// Year is that of the first date without one; 0 if it is not known.
	Year int
	// Zone gives the zone of times without one, for a source and the id of a format. It
	// may be nil, or return nil for a zone that is not known.
	Zone func(source, formatID string) *time.Location
	// Reference is an instant in ns since the epoch that the log does not outlast by more
	// than a day, table.Missing or 0 if there is none: such as the date of the file.
	Reference int64
	// ReferenceBasis says in words what Reference is.
	ReferenceBasis string
	// Size is how many bytes the log has, 0 if that is not known. It need not be exact:
	// it saves memory and copies.
	Size int64
	// KeepText keeps the text of the lines that become rows of the logs table.
	KeepText bool
}

// Start is a place in a stream: a byte offset and the 1-based line there, 0 for a
// stream without lines.
type Start struct {
	Offset int64
	Line   int64
}

// headSize is how much of an input tells its format.
const headSize = 256 << 10

// Decoder turns the records of one log into rows of a set. It is not safe for concurrent
// use; the set is its own meanwhile.
type Decoder struct {
	set     *table.Set
	account *table.Account
	source  string
	opt     Options
	origin  table.Sym
	ids     table.RecordIDSource

	matcher  *matcher
	line     format.Line
	piece    format.Line // of a text that may hold several records
	cutter   *matcher    // of texts that may hold several records
	cuts     [256]bool   // bytes with which another record may begin in such a text
	states   []*state    // by place of the format
	lines    bool        // the input has lines
	from     int64       // offset of the first byte of the input
	calendar calendar
	pending  []pending // rows whose times wait for a year
	open     openRequests
	scopes   scopes
	ranks    ranks
	result   format.Result
	buffer   []byte

	at         table.Place // of the record at hand
	nth        int
	bodies     int         // calls of Record
	firstPlace table.Place // of the first date that waited for a year
	wrapped    int64       // time that a wrapper gives to the record at hand
	context    context

	tally   tally
	stats   Stats
	blank   int64
	unknown int64
}

// context is what the wrapper of a record, or an OTLP resource, says of where it is from.
type context struct {
	host, service, instance []byte
	own                     bool // service is that of the rows and not the name of a container
}

// state is what a Decoder knows of one format.
type state struct {
	f         *format.Format
	zone      zone
	assumed   bool  // the zone is not known, and UTC is assumed
	companion bool  // no record tells the format of an input
	headed    int64 // lines with a head of the format and no record
	bad       int64 // lines near a record
	records   []recordState
	service   []byte
	last      *request // the open one that the record before told of; nil for none
}

// NewDecoder returns a Decoder that adds rows to set. Issues go to account; source names
// the input in rows and places.
func NewDecoder(set *table.Set, account *table.Account, source string, opt Options) *Decoder {
	if opt.Formats == nil {
		opt.Formats = Builtin()
	}
	if opt.Format != nil {
		opt.Formats = opt.Formats.only(opt.Format)
	}
	d := &Decoder{
		set: set, account: account, source: source, opt: opt,
		origin: set.Symbols.Intern(source), ids: table.NewRecordIDs(source),
		matcher: newMatcher(opt.Formats), states: make([]*state, len(opt.Formats.list)),
	}
	d.open.limit = maxOpen
	if opt.Format != nil {
		d.prefer(opt.Format)
	}
	if opt.Year > 1970 && opt.Year < 2200 {
		d.calendar.base = opt.Year
	}
	return d
}

// prefer makes a format the one that lines are tried against first.
func (d *Decoder) prefer(f *format.Format) {
	d.matcher.first = slices.Index(d.matcher.formats.list, f)
}

// Read reads a log from r, whose first byte is at a place of the source, up to its end,
// and closes the Decoder. Nothing in the log makes it fail: an error is one of r.
func (d *Decoder) Read(r io.Reader, at Start) error {
	d.lines, d.from = at.Line > 0, at.Offset
	if d.matcher.first < 0 {
		head := make([]byte, headSize)
		n, err := io.ReadFull(r, head)
		head = head[:n]
		if found := Detect(head, d.opt.Formats); found.Format != nil {
			d.prefer(found.Format)
		}
		rest := r
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			rest = failing{err}
		}
		r = io.MultiReader(bytes.NewReader(head), rest)
	}
	lines := line.NewReader(r, d.account, d.source, line.Options{})
	for {
		l, ok := lines.Next()
		if !ok {
			break
		}
		d.take(&l, at)
	}
	d.Close()
	return lines.Err()
}

// failing is a reader that fails as another did.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// take reads one line.
func (d *Decoder) take(l *line.Line, at Start) {
	d.at = table.Place{Source: d.source, Offset: at.Offset + l.Offset}
	if d.lines {
		d.at.Line = at.Line + l.Line - 1
	}
	d.nth = l.Nth << 8 // leaves room for the records that a text is cut into
	d.wrapped = l.Time
	d.context = context{host: l.Host, instance: l.Unit}
	switch {
	case len(l.Host) > 0:
		d.context.instance = nil // the unit is the program, and a host runs it once
	case len(l.Unit) == 0:
		d.context.instance = l.Service
	}
	d.text(l.Text)
}

// Close ends the reading: requests that have not ended become rows, dates get their
// year, and the issues go to the account. The Decoder may read on behind it.
func (d *Decoder) Close() {
	d.endAll()
	d.endYear()
	d.tally.flush(d.account)
}

// text reads the record that a text is, or the records that it holds.
func (d *Decoder) text(text []byte) {
	d.stats.Lines++
	if len(text) == 0 || len(bytes.TrimSpace(text)) == 0 {
		d.blank++
		return
	}
	d.line.Set(text)
	i, r, values := d.matcher.match(&d.line)
	// A pattern that ignores the rest of a text may have ignored a record.
	if r != nil && (r.Use != format.Reading || !r.Rest) {
		d.record(d.state(i), r, values, text)
		return
	}
	p := d.cut(&d.line)
	switch {
	case p == 0 && r != nil:
		d.record(d.state(i), r, values, text)
	case p == 0:
		d.unread(i, &d.line)
	default:
		d.stats.Lines-- // the two texts count instead
		head, place := text[:p], d.at
		nth := d.nth
		d.text(head)
		d.at, d.nth = place, nth+1
		d.text(text[p:])
	}
}

// maxCut is how many records a text without line feeds is cut into at most, and at how
// many heads in it that is tried.
const maxCut = 200

// cut returns where another record begins in a text that is no record as a whole, 0 if
// none does. Processes that share a log may write without a line feed between them. What
// stands in front of the place or behind it must be a record, since a text may well hold
// what looks like a head.
func (d *Decoder) cut(line *format.Line) int {
	if d.matcher.first < 0 || d.nth&255 >= maxCut {
		return 0
	}
	f := d.matcher.formats.list[d.matcher.first]
	if !f.HasHead() {
		return 0
	}
	if d.cutter == nil { // the values of the record at hand are still needed
		d.cutter = newMatcher(d.matcher.formats)
		d.cutter.first = d.matcher.first
		for c := range d.cuts {
			d.cuts[c] = (c == '(' || c == '[' || c >= 'A' && c <= 'Z') && f.MayBegin(byte(c))
		}
	}
	s, text := d.cutter.scratchOf(d.cutter.first), line.Text
	from := max(1, f.Message(line, d.matcher.scratchOf(d.matcher.first)))
	tries := 0
	for p := from; p < len(text) && p < 64<<10 && tries < maxCut; p++ {
		if !d.cuts[text[p]] || text[p-1] == '\'' || text[p-1] == '"' {
			continue
		}
		if _, ok := f.Head(text[p:], s); !ok {
			continue
		}
		tries++
		d.piece.Set(text[p:])
		if r, _, _ := f.Match(&d.piece, s); r != nil {
			return p
		}
		d.piece.Set(text[:p])
		if _, r, _ := d.cutter.match(&d.piece); r != nil {
			return p
		}
	}
	return 0
}

// unread counts a text that is no known record. i is the place of the format whose head
// it has, -1 for none.
func (d *Decoder) unread(i int, line *format.Line) {
	for k, near := range [2]int{d.matcher.first, i} {
		if near < 0 || k == 1 && near == d.matcher.first {
			continue
		}
		st := d.state(near)
		if r, field, _ := st.f.Near(line, d.matcher.scratchOf(near)); r != nil {
			st.bad++
			d.tally.add(badRecord, d.at, "record ", r.Name, ": field ", field)
			return
		}
	}
	if i < 0 {
		d.unknown++
		return
	}
	d.state(i).headed++
}

// state returns what is known of the format at a place.
func (d *Decoder) state(i int) *state {
	if d.states[i] != nil {
		return d.states[i]
	}
	f := d.matcher.formats.list[i]
	st := &state{f: f, records: make([]recordState, len(f.Records)), companion: !claims(f)}
	st.zone.loc = f.Zone
	if st.zone.loc == nil && d.opt.Zone != nil {
		st.zone.loc = d.opt.Zone(d.source, f.ID)
	}
	if st.zone.loc == nil {
		st.zone.loc, st.assumed = time.UTC, true
	}
	d.states[i] = st
	return st
}

// record does what a record says.
func (d *Decoder) record(st *state, r *format.Record, values []match.Value, text []byte) {
	rs := &st.records[r.Index]
	if r.Use == format.Ignored {
		rs.ignored++
		return
	}
	d.time(st, r, values)
	if field := r.Bad(values); field != "" {
		d.tally.add(badValue, d.at, "record ", r.Name, ": field ", field)
	}
	if len(r.Rank) > 0 && d.ranks.duplicate(r, values, &d.buffer) {
		rs.copies++
		d.tally.add(rankDuplicate, d.at, "record ", r.Name)
		return
	}
	rs.used++
	d.stats.Used++
	switch r.Use {
	case format.Instant:
		d.log(st, r, values, text)
	case format.Whole:
		d.whole(st, r, values, text)
	case format.Begin:
		d.begin(st, r, values)
	case format.Update:
		d.update(st, r, values)
	case format.Finish:
		d.finish(st, r, values, text)
	}
	if len(r.Samples) > 0 {
		d.samples(st, r, values)
	}
}

// time settles the instants of a record. A record without a time takes that of what
// wraps it.
func (d *Decoder) time(st *state, r *format.Record, values []match.Value) {
	if d.wrapped != table.Missing {
		d.calendar.see(d.wrapped)
	}
	t := &values[r.Time]
	if t.Kind == match.None && d.wrapped != table.Missing {
		t.Kind, t.Flags, t.Int, t.Res = match.Instant, 0, d.wrapped, 1
	}
	for _, slot := range r.Instants() {
		v := &values[slot]
		switch {
		case v.Kind != match.Instant:
		case st.f.Steady && v != t:
			v.Flags = match.Steady
		case st.f.Steady && (d.wrapped == table.Missing || v.Int != d.wrapped):
			v.Flags = match.Steady
		default:
			if v == t && v.Flags&(match.NoYear|match.Steady) == 0 {
				d.calendar.see(v.Int)
			}
			d.settle(v, st)
		}
	}
}
