package openmetrics

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// ContentType is the media type of what Write writes, for whoever serves it.
const ContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

// errNoFigures is returned for a document without a summary.
var errNoFigures = errors.New("the document has no summary, which the figures are of: make one with tailpath summary or report")

// Write writes the figures of a document that has a summary. It fails for one without.
func Write(w io.Writer, d reports.Document) error {
	if summaryOf(d) == nil {
		return errNoFigures
	}
	out := &exposition{w: bufio.NewWriter(w), stamp: stampOf(d)}
	for _, f := range families(d) {
		out.family(f)
	}
	out.w.WriteString("# EOF\n")
	return out.w.Flush()
}

// stampOf returns the timestamp of all samples, with a space before it; empty for none.
func stampOf(d reports.Document) string {
	if d.Report == nil || d.Report.Week == nil {
		return ""
	}
	end := d.Report.Week.EndNS
	if l := summaryOf(d).Load; l.Clock == wall && l.Requests > 0 {
		end = l.EndNS
	}
	return " " + seconds(end)
}

// wall is the clock whose times are dates.
const wall = "wall"

// family is one metric family. A unit must end its name.
type family struct {
	name, kind, unit, help string
	samples                []sample
}

// sample is a value with its labels.
type sample struct {
	suffix string // of the name of the family, such as _info
	labels []label
	value  string
}

type label struct{ name, value string }

// exposition is the text while it is written. Errors stay with the writer until it is flushed.
type exposition struct {
	w     *bufio.Writer
	stamp string
}

// family writes a family, nothing for one without samples.
func (e *exposition) family(f family) {
	if len(f.samples) == 0 {
		return
	}
	fmt.Fprintf(e.w, "# TYPE %s %s\n", f.name, f.kind)
	if f.unit != "" {
		fmt.Fprintf(e.w, "# UNIT %s %s\n", f.name, f.unit)
	}
	fmt.Fprintf(e.w, "# HELP %s %s\n", f.name, escaped(f.help))
	for _, s := range f.samples {
		e.w.WriteString(f.name + s.suffix)
		for i, l := range s.labels {
			e.w.WriteByte("{,"[min(i, 1)])
			e.w.WriteString(l.name + "=\"" + escaped(l.value) + "\"")
		}
		if len(s.labels) > 0 {
			e.w.WriteByte('}')
		}
		e.w.WriteString(" " + s.value + e.stamp + "\n")
	}
}

// escaped spells what the format keeps for itself, and bytes that are no UTF-8 as the
// replacement character.
func escaped(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	return escapes.Replace(text)
}

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\"", `\"`)

// seconds writes ns as seconds, with no digit lost.
func seconds(ns int64) string {
	text := new(big.Rat).SetFrac64(ns, 1e9).FloatString(9)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// integer writes a count.
func integer(n int64) string { return strconv.FormatInt(n, 10) }

// float writes a number; ok is false for one that is none, which has no sample.
func float(v float64) (text string, ok bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "", false
	}
	return strconv.FormatFloat(v, 'g', -1, 64), true
}

// quantile returns the share that a percentile such as p99.9 names, as 0.999.
func quantile(p string) (text string, ok bool) {
	percent, found := strings.CutPrefix(p, "p")
	r, valid := new(big.Rat).SetString(percent)
	if !found || !valid {
		return "", false
	}
	text = r.Quo(r, big.NewRat(100, 1)).FloatString(12)
	return strings.TrimRight(strings.TrimRight(text, "0"), "."), true
}
