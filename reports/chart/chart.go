package chart

// Drawing is a chart that can be drawn.
type Drawing interface {
	// SVG returns the chart as one svg element. All its ids begin with id, which no other
	// drawing of the page has; title says in words what it shows, and is its accessible name.
	SVG(id, title string) string
}

// Unit says what a number of an axis is, and so how it is written.
type Unit uint8

// The units.
const (
	Plain    Unit = iota // a count or a plain number
	Nanos                // a time in ns, written in ns, µs, ms, s, min or h
	Share                // 0 to 1, written in %
	PerS                 // per second
	UnixTime             // ns since the Unix epoch, written as the date and time in UTC
)

// Part is a stage's part of a bar. Stage is the name of a stage, which has a colour of its own.
type Part struct {
	Stage string
	Value float64 // in the unit of the chart; negative parts are drawn left of zero
	Share float64 // of the bar, 0 to 1
}

// Bar is one bar of parts that add up to it.
type Bar struct {
	Label string // "p0-50"
	Note  string // "n = 549"
	Parts []Part // in path order
}

// Stack shows of what the bars are made: one bar a band, once as shares and once as amounts.
type Stack struct {
	Unit Unit
	Bars []Bar
}

// Mark is a place on an axis with a name, such as a percentile, a mean or an objective.
type Mark struct {
	Label     string
	Value     float64
	Low, High float64 // its interval; equal to Value, or NaN, for none
	Limit     bool    // an objective, drawn as a line over the whole chart
}

// Curve is a line of a Tail.
type Curve struct {
	Label  string
	Values []float64 // ascending; the exact quantiles at Above
	Above  []float64 // the share of requests above the value, descending, over 0
}

// Tail shows a distribution and its tail: the share of requests above a value, both axes
// logarithmic, with marks; and a histogram over the same axis beneath it.
type Tail struct {
	Unit   Unit
	Curves []Curve
	Marks  []Mark
	Edges  []float64 // of the histogram's cells, one more than Counts
	Counts []int64
}

// Bracket marks a time, such as an incident.
type Bracket struct {
	Label    string
	From, To float64
}

// Line is a number over time. NaN is a time without a number, and parts the line.
type Line struct {
	Label  string
	Values []float64
	Stage  string // whose colour it has; empty for the ink's
}

// Heat shows how many requests took how long, and when: cells over time and a logarithmic
// axis, as light as they are rare.
type Heat struct {
	XUnit, YUnit Unit
	X            []float64 // edges of the columns, ascending
	Y            []float64 // edges of the rows, ascending
	Counts       [][]int64 // by column, then row
	Lines        []Line    // one value a column, such as the p50
	Brackets     []Bracket
}

// Panel is one of several charts over a common axis.
type Panel struct {
	Label string // what it is, with its unit: "requests/s"
	Unit  Unit
	Lines []Line
}

// Panels shows numbers over time, one above the other and each on an axis of its own.
type Panels struct {
	XUnit    Unit
	X        []float64 // edges of the times; lines have one value less
	Panels   []Panel
	Brackets []Bracket
}

// Dot is what was seen at one place of the x axis.
type Dot struct {
	X, Y      float64
	Low, High float64 // NaN for none
	N         int64
}

// Dots are those of one thing.
type Dots struct {
	Label string
	Dots  []Dot
}

// Against is one panel of a Knee.
type Against struct {
	Label string
	Unit  Unit
	Log   bool
	Of    []Dots // each with a shape of its own
}

// Knee shows numbers against how many requests were in flight, one panel above the other.
type Knee struct {
	XLabel string
	Panels []Against
	At     []Mark // places on the x axis, such as the knee; none where it was not reached
	Note   string // "knee not reached"
}

// Span is a row of a Waterfall.
type Span struct {
	Label    string
	Depth    int
	From, To float64 // ns from the start of the request
	OnPath   []Piece // the parts of it on the critical path
	Derived  bool    // worked out of an attribute or a log, not recorded as a span
}

// Piece is a time on the critical path, and its stage.
type Piece struct {
	From, To float64
	Stage    string
}

// Waterfall shows the spans of one request, the critical path solid and the rest in outline.
type Waterfall struct {
	Spans []Span
	Ticks []Mark // instants, such as the first token or a line of a log
	To    float64
}

// Tokens shows how one response was streamed: when each chunk came, and the gap before it.
type Tokens struct {
	First float64   // ns from the start to the first token
	At    []float64 // ns from the start, of each chunk that came, ascending
	N     []int64   // tokens in each; nil where nothing tells
	End   float64
	Held  []Bracket // times in which something else held the engine
	Marks []Mark    // gaps to compare with, such as the p50 and the p99 of all
}

// Pair is what a thing was and is.
type Pair struct {
	Label    string
	Stage    string
	Old, New float64
	Word     string // "slower", "faster" or "~": the change in a word
}

// Change shows what things were and are, one row each.
type Change struct {
	Unit     Unit
	Old, New string // what the sides are called
	Pairs    []Pair
}

// Rank is a bar with an interval.
type Rank struct {
	Label     string
	Stage     string // whose colour it has; empty for that of secondary text
	Value     float64
	Low, High float64 // NaN for none
	Note      string
}

// Ranked shows numbers by size.
type Ranked struct {
	Unit  Unit
	Ranks []Rank
}

// Point is a week, or another time, of a Series.
type Point struct {
	Label     string
	Value     float64
	Low, High float64 // NaN for none
	Partial   bool    // of an incomplete time; drawn hollow
}

// Series is one of several small charts.
type Series struct {
	Label  string
	Unit   Unit
	Stage  string
	Points []Point
}

// Multiples shows numbers over weeks, each in a small chart of its own.
type Multiples struct{ Of []Series }
