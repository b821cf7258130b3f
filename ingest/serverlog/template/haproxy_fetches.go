package template

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// haproxyFetches are the sample fetches that give what variables give too, as HAProxy
// has them since 2.9, by their names; and those that tell what a request was.
var haproxyFetches = map[string]field{
	"request_date(ms)": {"request_ms", "epoch_ms", "1787227200101"},
	"request_date(us)": {"request_us", "epoch_us", "1787227200101000"},
	"request_date":     {"accept_second", "epoch_s", "1787227200"},
	"request_date(s)":  {"accept_second", "epoch_s", "1787227200"},
	"accept_date(ms)":  {"accepted_ms", "epoch_ms", "1787227200101"},
	"accept_date(us)":  {"accepted_us", "epoch_us", "1787227200101000"},
	"accept_date":      {"accept_second", "epoch_s", "1787227200"},
	"accept_date(s)":   {"accept_second", "epoch_s", "1787227200"},

	"req.timer.hdr": haproxyVariables["TR"], "req.timer.queue": haproxyVariables["Tw"],
	"bc.timer.connect": haproxyVariables["Tc"], "res.timer.hdr": haproxyVariables["Tr"],
	"res.timer.data": haproxyVariables["Td"], "txn.timer.total": haproxyVariables["Ta"],
	"req.timer.idle": haproxyVariables["Ti"], "req.timer.tq": haproxyVariables["Tq"],
	"fc.timer.handshake": haproxyVariables["Th"], "fc.timer.total": haproxyVariables["Tt"],
	"txn.timer.user": haproxyVariables["Tu"],

	"method": haproxyVariables["HM"], "capture.req.method": haproxyVariables["HM"],
	"path": haproxyVariables["HP"], "pathq": haproxyVariables["HP"], "url": haproxyVariables["HU"],
	"base": haproxyVariables["HU"], "capture.req.uri": haproxyVariables["HU"],
	"src": haproxyVariables["ci"], "txn.status": haproxyVariables["ST"], "status": haproxyVariables["ST"],
	"be_name": haproxyVariables["b"], "fe_name": haproxyVariables["f"], "srv_name": haproxyVariables["s"],
	"uuid": {"", "token", "x"}, "uuid()": {"", "token", "x"},
}

// haproxySample is what a sample expression gives, as its words tell. Converters behind
// a fetch that shape its text for JSON change nothing.
func haproxySample(expression string) field {
	fetch, converters, _ := strings.Cut(expression, ",")
	f, known := haproxyFetches[strings.TrimSpace(fetch)]
	plain := converters == "" || strings.HasPrefix(converters, "json") || converters == "lower" || converters == "upper"
	if known && plain {
		return f
	}
	e := strings.ToLower(strings.ReplaceAll(expression, "_", "-"))
	switch {
	case strings.Contains(e, "traceparent"), strings.Contains(e, "trace-id"):
		return field{"trace_id", "text", "0af7651916cd43dd8448eb211c80319c"}
	case strings.Contains(e, "request-id"), strings.HasPrefix(e, "unique-id"):
		return field{"request_id", "text", "req-77"}
	}
	return field{typ: "text", sample: "x"}
}

// haproxyJSON is the flag by which a whole line is one JSON object.
var haproxyJSON = regexp.MustCompile(`%\{[^}]*\+json[^}]*\}o`)

// haproxyObject makes fields of a JSON object of the pieces that have a key; HAProxy
// writes no other ones.
func haproxyObject(pieces []piece, record *format.RecordDeclaration) map[string]bool {
	fields := map[string]bool{}
	record.JSON = format.Fields{}
	var example strings.Builder
	for _, p := range pieces {
		if p.key == "" {
			continue
		}
		f := p.field
		if p.request {
			f = field{"route", "text", "POST /v1/chat/completions HTTP/1.1"}
		}
		if example.Len() > 0 {
			example.WriteString(", ")
		}
		key, _ := json.Marshal(p.key)
		sample, _ := json.Marshal(f.sample)
		if strings.Contains("ms us ns int epoch_s epoch_ms epoch_us", f.typ) && f.typ != "" {
			sample = []byte(f.sample)
		}
		example.WriteString(string(key) + ": " + string(sample))
		if f.name == "" || fields[f.name] {
			continue
		}
		fields[f.name] = true
		record.JSON[f.name] = format.FieldDeclaration{Path: format.Names{p.key}, Type: jsonType(f.typ)}
	}
	record.Example = "{" + example.String() + "}"
	return fields
}
