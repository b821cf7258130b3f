package serving

import (
	"fmt"
	"slices"
	"strings"
)

// Speaks is what a figure, or a row, says of its signature.
type Speaks string

// What they can say.
const (
	For     Speaks = "for"
	Against Speaks = "against"
	Silent  Speaks = "unknown"
)

// Counted is what the n of a figure counts.
type Counted string

// What is counted.
const (
	OfRequests Counted = "requests"
	OfReplicas Counted = "replicas"
	OfBuckets  Counted = "buckets of 100 ms"
)

// Figure is one number of a row against its gate.
type Figure struct {
	Name string
	// Low and High are what the number may be, the same when all of it is known. Undefined is
	// true when it is over nothing: both then are 0.
	Low, High float64
	Undefined bool
	Gate      float64
	// Below says that a number below the gate speaks for the signature; otherwise one that
	// reaches it does.
	Below   bool
	N       int64
	Of      Counted
	Says    Speaks
	Missing []string // what it takes for the figure to say something; none when it does
	// Sign numbers the signs of a row from 0. Any of them is enough, and takes all of its figures.
	Sign int
}

// String returns the figure in words.
func (f Figure) String() string {
	relation := "at least"
	if f.Below {
		relation = "below"
	}
	value := fmt.Sprintf("%.3g", f.Low)
	switch {
	case f.Undefined:
		value = "undefined"
	case f.Low != f.High:
		value = fmt.Sprintf("%.3g to %.3g", f.Low, f.High)
	}
	return fmt.Sprintf("%s %s (%s %.3g; n %d %s): %s", f.Name, value, relation, f.Gate, f.N, f.Of, f.Says)
}

// Row is what was found of one signature.
type Row struct {
	Signature Signature
	// Speaks is For when every figure of a sign does, Against when one of every sign does, and
	// otherwise Silent.
	Speaks  Speaks
	Figures []Figure
	Missing []string // for a silent row: what it takes
	Means   string   // what it means if it is the answer
}

func newRow(s Signature) Row { return Row{Signature: s, Means: means[s]} }

func (r *Row) below(name string, b bounds, gate float64, n int64, of Counted, missing ...string) {
	r.figure(Figure{Name: name, Gate: gate, Below: true, N: n, Of: of}, b, b.high < gate, b.low >= gate, missing)
}

func (r *Row) atLeast(name string, b bounds, gate float64, n int64, of Counted, missing ...string) {
	r.figure(Figure{Name: name, Gate: gate, N: n, Of: of}, b, b.low >= gate, b.high < gate, missing)
}

func (r *Row) figure(f Figure, b bounds, speaksFor, against bool, missing []string) {
	f.Low, f.High, f.Says = b.low, b.high, Silent
	switch {
	case b.undefined:
		f.Low, f.High, f.Undefined = 0, 0, true
	case speaksFor:
		f.Says = For
	case against:
		f.Says = Against
	}
	if f.Says == Silent {
		f.Missing = missing
	}
	r.Figures = append(r.Figures, f)
}

// or adds the figures of another sign.
func (r *Row) or(sign Row) {
	next := 0
	if n := len(r.Figures); n > 0 {
		next = r.Figures[n-1].Sign + 1
	}
	for _, f := range sign.Figures {
		f.Sign = next
		r.Figures = append(r.Figures, f)
	}
}

// done draws the row's conclusion: that of the sign that says most.
func (r Row) done() Row {
	r.Speaks, r.Missing = Against, nil
	if len(r.Figures) == 0 {
		r.Speaks = For
	}
	for from := 0; from < len(r.Figures); {
		to := from + 1
		for to < len(r.Figures) && r.Figures[to].Sign == r.Figures[from].Sign {
			to++
		}
		switch speaks, missing := conclusion(r.Figures[from:to]); speaks {
		case For:
			r.Speaks, r.Missing = For, nil
			return r
		case Silent:
			r.Speaks, r.Missing = Silent, appendNew(r.Missing, missing...)
		}
		from = to
	}
	return r
}

// conclusion is that of the figures of one sign.
func conclusion(figures []Figure) (speaks Speaks, missing []string) {
	speaks = For
	for _, f := range figures {
		switch f.Says {
		case Against:
			return Against, nil
		case Silent:
			speaks, missing = Silent, appendNew(missing, f.Missing...)
		}
	}
	return speaks, missing
}

func appendNew(list []string, texts ...string) []string {
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Kind is the kind of a verdict.
type Kind string

// The kinds.
const (
	Answered   Kind = "answered"
	DeviceBusy Kind = "device-busy" // of [Device], the last row
	NoneFits   Kind = "none-fits"   // no signature, whether the GPU is busy or not
	CannotSay  Kind = "cannot-say"
)

// Verdict is the answer of a table.
type Verdict struct {
	Kind      Kind
	Signature Signature // of Answered
	// Otherwise is, for CannotSay, the first signature that speaks for itself: the answer if
	// the silent rows before it were known to speak against theirs; it may be [Device]. "" when
	// there is none.
	Otherwise Signature
	Missing   []string // for CannotSay: what the silent rows before that lack
	Text      string
}

// Table is what was found of every signature, in order.
type Table struct {
	Rows    []Row
	Verdict Verdict
}

// undecided is the table of rows whose figures are of a part of the system: each may be
// anything for the whole.
func undecided(rows []Row, partial []string) Table {
	for i := range rows {
		r := &rows[i]
		r.Speaks, r.Missing = Silent, partial
		for k := range r.Figures {
			r.Figures[k].Says, r.Figures[k].Missing = Silent, partial
		}
	}
	return Table{Rows: rows, Verdict: Verdict{
		Kind: CannotSay, Missing: partial, Text: "cannot say: the capture is not all of the system; it lacks " + strings.Join(partial, "; "),
	}}
}

// tableOf takes the first row that speaks for its signature, unless one before is silent.
// device is how busy the GPU is, and queued says how it was while requests queued.
func tableOf(rows []Row, device bounds, queued string) Table {
	t := Table{Rows: rows}
	v := &t.Verdict
	var silent []string
	meaning := ""
	for _, row := range rows {
		if row.Speaks == Silent {
			silent = append(silent, row.Signature.name())
			v.Missing = appendNew(v.Missing, row.Missing...)
		}
		if row.Speaks != For {
			continue
		}
		v.Signature, meaning = row.Signature, row.Means
		break
	}
	switch {
	case len(silent) > 0:
		v.Kind, v.Otherwise, v.Signature = CannotSay, v.Signature, ""
		v.Text = fmt.Sprintf("cannot say: %s cannot be decided without %s", strings.Join(silent, ", "), strings.Join(v.Missing, "; "))
		if v.Otherwise != "" {
			v.Text += fmt.Sprintf("; if none of them holds it is %s", v.Otherwise.name())
		}
	case v.Signature == Device:
		v.Kind, v.Signature, v.Text = DeviceBusy, "", "the device: "+queued
	case v.Signature != "":
		v.Kind, v.Text = Answered, meaning
	default:
		v.Kind, v.Text = NoneFits, "no signature fits"
		if device.undefined {
			break
		}
		if device.low >= busy {
			v.Text += fmt.Sprintf(": no limit was seen; the engines execute something for %s of the time, and how full the device is meanwhile is not recorded", device.percent())
		} else {
			v.Text += fmt.Sprintf(": the GPU is busy for %s of the time", device.percent())
		}
	}
	return t
}

// name is what a text calls the signature.
func (s Signature) name() string {
	if s == Device {
		return "the device"
	}
	return string(s)
}

// percent writes a share, or between what it is.
func (b bounds) percent() string {
	low, high := fmt.Sprintf("%.0f", 100*b.low), fmt.Sprintf("%.0f", 100*b.high)
	if low != high {
		return low + " to " + high + " %"
	}
	return low + " %"
}
