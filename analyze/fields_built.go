package analyze

import (
	"encoding/hex"
	"slices"

	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// builtField is a field that tailpath itself knows. One of text and number is there, or
// both where a number has a better spelling than its digits; number says false for none.
type builtField struct {
	name, doc string
	unit      string
	text      func(f *Fields, row int32) string
	number    func(f *Fields, row int32) (int64, bool)
	// exact is the number where it is no whole one: number rounds it. nil where number is all.
	exact func(f *Fields, row int32) (float64, bool)
	// measure is true of a measure by a definition other than those of every report, which
	// takes the events of spans.
	measure bool
}

// BuiltField describes a field that tailpath itself knows.
type BuiltField struct {
	Name, Doc string
	Unit      string // of a number; "ns" for times; empty for text and counts
	Number    bool
}

// Built lists the built-in fields in the order in which they are documented: the measures by
// other definitions come before the stages, which are last and in path order.
func Built() []BuiltField {
	out := make([]BuiltField, len(built))
	for i, b := range built {
		out[i] = BuiltField{b.name, b.doc, b.unit, b.number != nil}
	}
	return out
}

var built = slices.Concat([]builtField{
	{name: "model", doc: "model that served the request", text: symbol(func(r *table.Requests) []table.Sym { return r.Model })},
	{name: "route", doc: "route of the request", text: symbol(func(r *table.Requests) []table.Sym { return r.Route })},
	{name: "service", doc: "service of the root span", text: symbol(func(r *table.Requests) []table.Sym { return r.Service })},
	{name: "name", doc: "name of the root span", text: symbol(func(r *table.Requests) []table.Sym { return r.Name })},
	{name: "host", doc: "host of the span nearest the engine", text: func(f *Fields, row int32) string { return f.placeOf(row).host }},
	{name: "engine", doc: "instance of the span nearest the engine", text: func(f *Fields, row int32) string { return f.placeOf(row).instance }},
	{name: "streaming", doc: "yes or no: whether the response was streamed", text: func(f *Fields, row int32) string {
		return [...]string{"", "no", "yes"}[f.set.Requests.Streaming[row]]
	}},
	{name: "status", doc: "ok, error, or aborted when who asked for it gave it up", text: func(f *Fields, row int32) string {
		if f.set.Requests.Aborted[row] {
			return "aborted"
		}
		if f.set.Requests.Error[row] {
			return "error"
		}
		return "ok"
	}},
	{name: "class", doc: "complete, incomplete, unfinished or broken", text: func(f *Fields, row int32) string {
		return critical.Class(f.set.Requests.Class[row]).String()
	}},
	{name: "attempts", doc: "attempts at it that were recorded", number: func(f *Fields, row int32) (int64, bool) {
		n := f.set.Requests.Attempts[row]
		return int64(n), n > 0
	}},
	{name: "cause", doc: "what it waited for longest in the queue", text: func(f *Fields, row int32) string {
		return f.set.Symbols.Text(f.nearest().cause[row])
	}},
	{name: "prompt_tokens", unit: "tokens", doc: "prompt tokens", number: present(func(r *table.Requests) []int64 { return r.PromptTokens })},
	{name: "output_tokens", unit: "tokens", doc: "output tokens", number: present(func(r *table.Requests) []int64 { return r.OutputTokens })},
	{name: "e2e", unit: "ns", doc: "time from start to end", number: func(f *Fields, row int32) (int64, bool) {
		return f.set.Requests.Duration[row], timedClass(f.set, row)
	}},
	{name: "ttft", unit: "ns", doc: "time to the first token", number: func(f *Fields, row int32) (int64, bool) {
		ns := f.set.Requests.TTFT[row]
		return ns, ns != table.Missing && ns >= 0
	}},
	{name: "tpot", unit: "ns", doc: "time per output token after the first", number: func(f *Fields, row int32) (int64, bool) {
		ns := f.tpot()[row]
		return ns, ns != table.Missing
	}},
	{name: "start", unit: "ns", doc: "when it started", number: func(f *Fields, row int32) (int64, bool) { return clockDate(f.set, row) },
		text: func(f *Fields, row int32) string {
			if ns, ok := clockDate(f.set, row); ok {
				return dateText(ns)
			}
			return ""
		}},
	{name: "trace_id", doc: "trace id, in hexadecimal digits", text: func(f *Fields, row int32) string { return hex.EncodeToString(f.set.Requests.TraceID[row][:]) }},
	{name: "request_id", doc: "request id, as a gateway or an engine has it", text: func(f *Fields, row int32) string { return f.set.Requests.RequestID[row] }},
}, builtMeasures(), builtStages())

// builtMeasures makes a field of each measure of a request that has no other.
func builtMeasures() (out []builtField) {
	for _, d := range tokens.Definitions() {
		if d.Unit == unitTime && d.Own {
			continue // e2e, ttft and tpot, as every report has them
		}
		b := builtField{name: d.ID, unit: d.Unit, measure: true, doc: d.Metric + " by another definition"}
		b.number = func(f *Fields, row int32) (int64, bool) {
			ns, _, why := f.measures().whole(d, row, 1)
			return ns, why == ""
		}
		if d.Unit != unitTime {
			if b.doc = "tokens a second"; !d.Own {
				b.doc += " by another definition"
			}
			b.exact = func(f *Fields, row int32) (float64, bool) {
				v := f.measures().value(d, row)
				return v.V, v.Defined()
			}
		}
		out = append(out, b)
	}
	return out
}

// builtStages makes a field of the time in each stage on the path to the end.
func builtStages() (out []builtField) {
	for k, name := range StageNames() {
		out = append(out, builtField{name: name, unit: "ns", doc: "time in stage " + name, number: func(f *Fields, row int32) (int64, bool) {
			return f.set.Requests.Stage[k][row], timedClass(f.set, row)
		}})
	}
	return out
}

var builtFields = func() map[string]*builtField {
	m := make(map[string]*builtField, len(built))
	for i := range built {
		m[built[i].name] = &built[i]
	}
	return m
}()

// symbol reads a column of names.
func symbol(column func(*table.Requests) []table.Sym) func(*Fields, int32) string {
	return func(f *Fields, row int32) string { return f.set.Symbols.Text(column(&f.set.Requests)[row]) }
}

// present reads a column of counts. Negative ones were recorded by mistake.
func present(column func(*table.Requests) []int64) func(*Fields, int32) (int64, bool) {
	return func(f *Fields, row int32) (int64, bool) {
		n := column(&f.set.Requests)[row]
		return n, n != table.Missing && n >= 0
	}
}
