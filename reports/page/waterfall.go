package page

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// Waterfall is the spans of a request over its time, one a row. All times are in ns from the
// start of the request; those of a span may lie outside of it.
type Waterfall struct {
	ID       string // as a section's; given by the page
	LengthNS int64  // how long the request took
	Unit     string // of Took and OnPath of all rows
	Rows     []WaterfallRow
	// Omitted says how many spans have no row; 0 when all have one. A Labelled behind the
	// waterfall says so in words.
	Omitted int64
}

// WaterfallRow is a span, or the time of it that was in one stage.
type WaterfallRow struct {
	Label  string // what it is, and what is unusual about it
	Depth  int    // spans above it; never below 0
	From   int64  // ns
	To     int64  // ns
	Took   string // written; empty of the row of a stage
	OnPath string // how long it was on the critical path, written
	Marks  []WaterfallMark
	// OfStage marks the row of a stage, under the row of its span. Only its marks are drawn.
	OfStage bool
}

// WaterfallMark is a part of a span that was on the critical path.
type WaterfallMark struct {
	From, To int64 // ns
	Sign     Sign
}

// Sign says how a part of the critical path is known.
type Sign uint8

// The signs.
const (
	OnPath    Sign = iota // recorded
	Derived               // worked out of a duration
	Ambiguous             // while another span ran
)

// depthMost is how deep rows of a table are indented; deeper ones say how deep they are.
const depthMost = 8

// signWords say of a part of the critical path how it is known.
var signWords = [...]string{OnPath: "recorded", Derived: "derived", Ambiguous: "ambiguous"}

// Table returns the waterfall as a table of when each span began, how long it took, how long it
// was on the critical path and how that is known, for formats that draw no bars. Its rows are
// those of the waterfall.
func (w Waterfall) Table() Table {
	starts := make([]int64, len(w.Rows))
	for i, row := range w.Rows {
		starts[i] = row.From
	}
	u := reports.CommonUnit(starts...)
	t := Table{ID: w.ID, Caption: "spans of the request, which took " + reports.Duration(w.LengthNS), Columns: []Column{
		{Head: "span", Text: true, Flex: true}, {Head: "from " + u.Name}, {Head: "took " + w.Unit}, {Head: "on the path " + w.Unit}, {Head: "which is", Text: true},
	}}
	for i, row := range w.Rows {
		indent := strings.Repeat("· ", min(row.Depth, depthMost))
		if row.Depth > depthMost {
			indent += "[" + strconv.Itoa(row.Depth) + "] "
		}
		t.Rows = append(t.Rows, []string{indent + row.Label, u.Format(starts[i]), row.Took, row.OnPath, row.known()})
	}
	return t
}

// known says how the marks of a row are known, each way once.
func (r WaterfallRow) known() string {
	var words []string
	for sign, word := range signWords {
		if slices.ContainsFunc(r.Marks, func(m WaterfallMark) bool { return m.Sign == Sign(sign) }) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// signsByName are the signs by their names in a document.
var signsByName = map[string]Sign{"path": OnPath, "derived": Derived, "ambiguous": Ambiguous}

// spansMost is how many spans a brief page usually has a row for.
const spansMost = 200

// waterfall writes where each span ran, and where it was on the path.
func (b *builder) waterfall(r reports.Request, of string) {
	b.blank()
	rows, omitted := r.Rows, r.RowsOmitted
	if b.o.Brief || b.limit != nil {
		var cut int64
		rows, cut = rowsShown(r.Rows, b.most(spansMost))
		omitted += cut
	}
	var lengths []int64
	for _, row := range rows {
		lengths = append(lengths, row.EndNS-row.StartNS, row.OnPathNS)
	}
	u := reports.CommonUnit(lengths...)
	w := Waterfall{ID: b.id(of + "waterfall"), LengthNS: r.DurationNS, Unit: u.Name, Omitted: omitted}
	for _, row := range rows {
		x := WaterfallRow{
			Label: rowLabel(row, r.Units > 1), Depth: max(0, row.Depth), From: row.StartNS - r.StartNS, To: row.EndNS - r.StartNS,
			Took: u.Format(row.EndNS - row.StartNS), OnPath: absent, OfStage: row.OfStage,
		}
		if row.OnPathNS > 0 {
			x.OnPath = u.Format(row.OnPathNS)
		}
		if row.OfStage {
			x.Took = ""
		}
		for _, m := range row.Marks {
			if sign, known := signsByName[m.Sign]; known {
				x.Marks = append(x.Marks, WaterfallMark{m.StartNS - r.StartNS, m.EndNS - r.StartNS, sign})
			}
		}
		w.Rows = append(w.Rows, x)
	}
	b.add(w)
	if omitted > 0 {
		text := plural(omitted, "span") + " off the path not drawn"
		if b.limit != nil {
			text += "; --limit 0 draws all"
		}
		b.hanging(Plain, "  ", text)
	}
	b.blank()
}

// rowLabel names a row and what is unusual about it. With places a row that was made of a
// record says where that is.
func rowLabel(row reports.Row, places bool) string {
	label := row.Label
	if row.Error {
		label += " !"
	}
	if !slices.Contains([]string{"", "root", "blocking", "clipped"}, row.Role) {
		label += " (" + row.Role + ")"
	}
	if places && row.Source != "" {
		label += " [" + placeOfLine(path.Base(row.Source), row.Line) + "]"
	}
	return label
}
