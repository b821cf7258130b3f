package ingest

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/tracefile"
)

// content is what an input holds, as far as its head shows.
type content struct {
	otlp  otlp.Form        // of OTLP, or of JSON that nobody else claims
	trace tracefile.Format // of another trace file
	log   bool             // lines of text
	as    *format.Format   // the format of the lines, if a rule gives it
	dated bool             // its times have a year, or one is given
	found serverlog.Detection
}

// known reports whether the input is read at all.
func (c content) known() bool { return c.log || c.trace != tracefile.Unknown || c.otlp != otlp.Unknown }

// tell looks at the head of an input, of which whole says that it is all there is. A
// rule for its name comes first; then each reader says whether the content is its own,
// and no two of them claim the same.
func (j *job) tell(head []byte, whole bool) content {
	logs := &j.opt.Logs
	if as := logs.ruleFor(j.name); as != nil {
		var found serverlog.Detection
		if only, err := serverlog.NewFormats(as); err == nil { // one format differs from all others
			found = serverlog.Detect(head, only)
		}
		return content{log: true, as: as, found: found, dated: !found.NeedsYear || logs.Year != 0}
	}
	form := otlp.Sniff(head, whole)
	if form != otlp.Unknown && beginsOTLP(head) {
		return content{otlp: form} // nothing else begins so, and need not be looked for
	}
	if f := tracefile.Sniff(head, whole); f != tracefile.Unknown {
		return content{trace: f}
	}
	if form != otlp.Unknown && !form.HasLines() {
		return content{otlp: form}
	}
	found := serverlog.Detect(head, logs.formats())
	if found.Format != nil || found.Unusable != nil {
		return content{log: true, found: found, dated: !found.NeedsYear || logs.Year != 0}
	}
	start := head[:min(len(head), lookSize)]
	if isText(start) && !beginsJSON(start) && len(bytes.TrimSpace(start)) > 0 && find(textLooks[:sureLooks], start) == nil {
		return content{log: true, found: found, dated: true} // what is known may come further on
	}
	return content{otlp: form}
}

// beginsOTLP reports whether the first member of the first document is that of OTLP.
func beginsOTLP(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n{[\xef\xbb\xbf")
	for _, name := range []string{`"resourceSpans"`, `"resourceLogs"`, `"resourceMetrics"`, `"resource_spans"`, `"resource_logs"`, `"resource_metrics"`, `"batches"`} {
		if bytes.HasPrefix(text, []byte(name)) {
			return true
		}
	}
	return false
}

// beginsJSON reports whether text begins as an object or array of JSON does, or is one
// value alone. A line of a log may begin with a bracket as well.
func beginsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\x00\x1e\xef\xbb\xbf")
	if isValue(bytes.TrimSpace(text)) {
		return true
	}
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	if len(rest) == 0 {
		return true
	}
	if text[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return bytes.IndexByte([]byte(`{["]`), rest[0]) >= 0 || len(bytes.TrimLeft(rest, "0123456789.+-eE")) < len(rest) && !isStamp(rest) && !isTag(rest)
}

// isTag knows numbers in brackets with words behind them, such as the seconds or ranks
// that stand before a message, by what is behind their bracket.
var isTag = matches(`^[-+0-9.eE, ]*\][ \t]*[^\s,\]}\[{]`)

// isStamp knows a date or time, which a number of JSON is not.
var isStamp = matches(`^\d+[-/:.]\d+[-/:.]\d`)
