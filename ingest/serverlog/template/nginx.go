package template

import (
	"errors"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// statusSample stands in an example for the status; nothing else in it looks so.
const statusSample = "0200"

// nginxVariables are the variables that say something. All others are read over.
var nginxVariables = map[string]field{
	"time_local":   {"time", "clf", "20/Aug/2026:12:00:03 +0000"},
	"time_iso8601": {"time_iso8601", "rfc3339", "2026-08-20T12:00:03+00:00"},
	"msec":         {"msec", "epoch_s", "1787227203.512"},

	"request_time":           {"rt", "s", "2.750"},
	"upstream_connect_time":  {"uct", "list(s)", "0.001"},
	"upstream_header_time":   {"uht", "list(s)", "0.615"},
	"upstream_response_time": {"urt", "list(s)", "2.748"},
	"upstream_addr":          {"upstream", "list(token)", "192.0.2.50:8000"},
	"upstream_status":        {"upstream_status", "list(token)", "200"},

	"status":                 {"status", "int", statusSample},
	"request_method":         {"method", "token", "POST"},
	"request_uri":            {"route", "text", "/v1/chat/completions"},
	"uri":                    {"route", "text", "/v1/chat/completions"},
	"document_uri":           {"route", "text", "/v1/chat/completions"},
	"remote_addr":            {"client", "token", "192.0.2.10"},
	"realip_remote_addr":     {"", "token", "192.0.2.10"},
	"request_id":             {"request_id", "token", "00112233445566778899aabbccddeeff"},
	"req_id":                 {"request_id", "token", "00112233445566778899aabbccddeeff"},
	"http_x_request_id":      {"request_id", "text", "00112233445566778899aabbccddeeff"},
	"http_traceparent":       {"trace_id", "text", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	"otel_trace_id":          {"trace_id", "token", "0af7651916cd43dd8448eb211c80319c"},
	"opentelemetry_trace_id": {"trace_id", "token", "0af7651916cd43dd8448eb211c80319c"},
	"proxy_upstream_name":    {"upstream_name", "token", "llm-vllm-8000"},
	"upstream_cache_status":  {"upstream_cache_status", "token", "MISS"},
}

// Nginx makes a declaration of an nginx log_format: the format string, or the whole
// directive.
func Nginx(text string) (*format.Declaration, error) {
	pieces, escape, err := nginxPieces(text)
	if err != nil {
		return nil, err
	}
	pieces = merge(join(pieces, "$remote_addr", "$remote_port", field{"client", "token", "192.0.2.10:40001"}))
	for i := range pieces {
		pieces[i].blank = escape != "default"
	}
	record := format.RecordDeclaration{ID: "request"}
	fields, ok := nginxJSON(pieces, &record)
	if !ok {
		l, err := build(text, pieces)
		if err != nil {
			return nil, err
		}
		record.Pattern, record.Example, fields = l.pattern.String(), l.example.String(), l.fields
	}
	if !fields["rt"] {
		if fields["urt"] {
			return nil, errors.New("the format has the time of the upstream but not that of the whole request: add $request_time to it")
		}
		return nil, errors.New("the format holds no duration: add $request_time, $upstream_connect_time, $upstream_header_time, $upstream_response_time and $msec to it")
	}
	var ends format.Names
	for _, end := range []string{"msec", "time_iso8601", "time"} {
		if fields[end] {
			ends = append(ends, end)
		}
	}
	if len(ends) == 0 {
		return nil, errors.New("the format holds no time: add $msec to it")
	}
	if record.JSON != nil {
		record.When = map[string]format.Names{"rt": {"*"}}
	}
	record.Span = &format.SpanDeclaration{
		Name:  spanName(fields),
		Start: format.Names{"end - rt"},
		End:   ends,
		Rest:  &format.RestDeclaration{Stage: "gateway", Detail: "nginx"},
	}
	if fields["urt"] {
		a := &format.AttemptsDeclaration{Response: "urt"}
		if fields["uht"] {
			a.Header = "uht"
		}
		if fields["uct"] {
			a.Connect = "uct"
		}
		record.Span.Attempts = a
	} else {
		// Without the times of the upstream nothing tells nginx's share from the server's.
		record.Span.Rest = &format.RestDeclaration{Stage: "unattributed", Detail: "upstream"}
	}
	record.Keep = keep(fields, "upstream_name", "upstream_status", "upstream_cache_status")
	records := []format.RecordDeclaration{record}
	if fields["status"] {
		records[0].Example = strings.Replace(record.Example, statusSample, "200", 1)
		records = append([]format.RecordDeclaration{nginxUpload(record)}, records...)
	}
	return checked(&format.Declaration{
		ID:      "nginx-log-format",
		Title:   "nginx, the given log_format",
		Doc:     "Written when a request has ended; every stamp in it is that end.",
		Kind:    "gateway",
		Service: ProgramNginx,
		Absent:  []string{"-"},
		Records: records,
	})
}

// nginxUpload is the record of a client that did not send its request in time: what no
// server took is the client's.
func nginxUpload(whole format.RecordDeclaration) format.RecordDeclaration {
	const late = "408"
	r, span := whole, *whole.Span
	span.Rest = &format.RestDeclaration{Stage: "network", Detail: "upload"}
	r.ID, r.Span = "upload", &span
	r.When = map[string]format.Names{"status": {late}}
	if r.JSON != nil {
		r.When["rt"] = format.Names{"*"}
	}
	r.Example = strings.Replace(r.Example, statusSample, late, 1)
	return r
}

// spanName is the name of a span that has a method, a route, or neither.
func spanName(fields map[string]bool) string {
	switch {
	case fields["method"] && fields["route"]:
		return "{method} {route}"
	case fields["route"]:
		return "{route}"
	}
	return ""
}

// nginxPieces splits a log_format. Escape is "default", "json" or "none".
func nginxPieces(text string) (pieces []piece, escape string, err error) {
	escape = "default"
	body, offsets := nginxBare(text)
	if nginxStart.MatchString(text) || strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "'") {
		if body, offsets, escape, err = nginxDirective(text); err != nil {
			return nil, "", err
		}
	}
	at := func(i int) int {
		if i < len(offsets) {
			return offsets[i]
		}
		return len(text)
	}
	body = strings.TrimRight(body, "\r\n")
	for i := 0; i < len(body); {
		if body[i] != '$' {
			j := strings.IndexByte(body[i:], '$')
			if j < 0 {
				j = len(body) - i
			}
			pieces = append(pieces, piece{offset: at(i), literal: body[i : i+j]})
			i += j
			continue
		}
		name, end := nginxName(body, i+1)
		if name == "" {
			return nil, "", faultAt(text, at(i), "expected a variable name, such as $request_time or ${request_time}")
		}
		p := piece{offset: at(i), name: "$" + name, field: nginxVariables[name]}
		if p.field.typ == "" {
			p.field = field{typ: "text", sample: "x"}
		}
		p.request = name == "request"
		pieces = append(pieces, p)
		i = end
	}
	if len(pieces) == 0 {
		return nil, "", errors.New("the log format is empty")
	}
	return pieces, escape, nil
}

// nginxName reads the name of a variable that begins at i, and returns where it ends.
func nginxName(text string, i int) (name string, end int) {
	braces := i < len(text) && text[i] == '{'
	if braces {
		i++
	}
	j := i
	for j < len(text) && (text[j] == '_' || text[j] >= '0' && text[j] <= '9' || text[j]|0x20 >= 'a' && text[j]|0x20 <= 'z') {
		j++
	}
	if !braces {
		return text[i:j], j
	}
	if j >= len(text) || text[j] != '}' {
		return "", j
	}
	return text[i:j], j + 1
}
