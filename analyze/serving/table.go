package serving

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
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
	Missing string // what it takes for the figure to say something; "" when it does
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
	// Speaks is For when every figure does, Against when one does, and otherwise Silent.
	Speaks  Speaks
	Figures []Figure
	Missing []string // for a silent row: what it takes
	Means   string   // what it means if it is the answer
}

func newRow(s Signature) Row { return Row{Signature: s, Means: means[s]} }

func (r *Row) below(name string, b bounds, gate float64, n int64, of Counted, missing string) {
	r.figure(Figure{Name: name, Gate: gate, Below: true, N: n, Of: of}, b, b.high < gate, b.low >= gate, missing)
}

func (r *Row) atLeast(name string, b bounds, gate float64, n int64, of Counted, missing string) {
	r.figure(Figure{Name: name, Gate: gate, N: n, Of: of}, b, b.low >= gate, b.high < gate, missing)
}

func (r *Row) figure(f Figure, b bounds, speaksFor, against bool, missing string) {
	f.Low, f.High, f.Says = b.low, b.high, Silent
	switch {
	case b.undefined:
		f.Low, f.High, f.Undefined, f.Missing = 0, 0, true, missing
	case speaksFor:
		f.Says = For
	case against:
		f.Says = Against
	default:
		f.Missing = missing
	}
	r.Figures = append(r.Figures, f)
}

// done draws the row's conclusion.
func (r Row) done() Row {
	r.Speaks = For
	for _, f := range r.Figures {
		switch {
		case f.Says == Against:
			r.Speaks, r.Missing = Against, nil
			return r
		case f.Says == Silent:
			r.Speaks = Silent
			r.Missing = appendNew(r.Missing, f.Missing)
		}
	}
	return r
}

func appendNew(list []string, text string) []string {
	for _, have := range list {
		if have == text {
			return list
		}
	}
	return append(list, text)
}

// Kind is the kind of a verdict.
type Kind string

// The kinds.
const (
	Answered   Kind = "answered"
	DeviceBusy Kind = "device-busy" // no signature, and the GPU is busy: it is the device
	NoneFits   Kind = "none-fits"   // no signature, and the GPU is not busy
	CannotSay  Kind = "cannot-say"
)

// Verdict is the answer of a table.
type Verdict struct {
	Kind      Kind
	Signature Signature // of Answered
	// Otherwise is, for CannotSay, the first signature that speaks for itself: the answer if
	// the silent rows before it were known to speak against theirs. "" when there is none.
	Otherwise Signature
	Missing   []string // for CannotSay: what the silent rows before that lack
	Text      string
}

// Table is what was found of every signature, in order.
type Table struct {
	Rows    []Row
	Verdict Verdict
}

// tableOf takes the first row that speaks for its signature, unless one before is silent.
func tableOf(rows []Row, device bounds, window stat.Sum) Table {
	t := Table{Rows: rows}
	v := &t.Verdict
	var silent []string
	for _, row := range rows {
		if row.Speaks == Silent {
			silent = append(silent, string(row.Signature))
			for _, m := range row.Missing {
				v.Missing = appendNew(v.Missing, m)
			}
		}
		if row.Speaks != For {
			continue
		}
		v.Signature = row.Signature
		break
	}
	switch {
	case len(silent) > 0:
		v.Kind, v.Otherwise, v.Signature = CannotSay, v.Signature, ""
		v.Text = fmt.Sprintf("cannot say: %s cannot be decided without %s", strings.Join(silent, ", "), strings.Join(v.Missing, "; "))
		if v.Otherwise != "" {
			v.Text += fmt.Sprintf("; if none of them holds it is %s", v.Otherwise)
		}
	case v.Signature != "":
		v.Kind, v.Text = Answered, means[v.Signature]
	case !device.undefined && device.low >= busy:
		v.Kind, v.Text = DeviceBusy, fmt.Sprintf("the device: the GPU is busy for %.0f %% of the time", 100*device.low)
	default:
		v.Kind, v.Text = NoneFits, "no signature fits"
		if !device.undefined && window.Sign() > 0 {
			v.Text += fmt.Sprintf(": the GPU is busy for %.0f %% of the time", 100*device.low)
		}
	}
	return t
}
