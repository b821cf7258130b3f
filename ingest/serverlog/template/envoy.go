package template

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// Envoy makes a declaration of an Envoy access log format: a string with operators, or
// a JSON or YAML object whose values are operators.
func Envoy(text string) (*format.Declaration, error) {
	text = unquoted(text)
	c := chain{}
	record := format.RecordDeclaration{ID: "request"}
	var fields map[string]bool
	object, err := envoyObject(text)
	if err != nil {
		return nil, err
	}
	if object != nil {
		if fields, err = envoyFields(text, object, &c, &record); err != nil {
			return nil, err
		}
	} else {
		pieces, err := envoyPieces(text, &c)
		if err != nil {
			return nil, err
		}
		l, err := build(text, pieces)
		if err != nil {
			return nil, err
		}
		record.Pattern, record.Example, fields = l.pattern.String(), l.example.String(), l.fields
	}
	const start = "time"
	if !fields[start] {
		return nil, errors.New("the format holds no time: add %START_TIME% to it")
	}
	paths := c.paths()
	end, ok := paths[dsTxEnd]
	if !ok {
		return nil, errors.New("the format holds no duration of the whole request: add %DURATION%, %REQUEST_DURATION%, %REQUEST_TX_DURATION% and %RESPONSE_DURATION% to it")
	}
	record.Span = &format.SpanDeclaration{
		Name:  spanName(fields),
		Start: format.Names{start},
		End:   format.Names{end},
	}
	if fields["ttft"] {
		record.Span.FirstToken = format.Names{"start + ttft"}
	}
	if fields["status"] {
		record.Span.Failed = map[string]format.Names{"status": {"0"}}
	}
	if fields["flags"] {
		record.Span.Aborted = map[string]format.Names{"flags": envoyLeft}
	}
	record.Keep = keep(fields, "flags", "response_code_details", "upstream_cluster", "route_name", "authority", "attempt_count")
	records := envoyRecords(record, fields, &c, paths)
	return checked(&format.Declaration{
		ID:      "envoy-log-format",
		Title:   "Envoy, the given access log format",
		Doc:     "Written when a response has ended; the stamp is when the request began.",
		Kind:    "gateway",
		Service: ProgramEnvoy,
		Zone:    "UTC",
		Absent:  []string{"-"},
		Records: records,
	})
}

// envoyLeft are the response flags that say that the client closed the connection or reset
// the stream, and nothing else: beside a flag of the server or of a time limit, that may
// have been the reason.
var envoyLeft = format.Names{"DC", "DR", "DC,DR", "DI,DC", "DownstreamConnectionTermination", "DownstreamRemoteReset"}

// envoyRecords makes the records of a format of the one that tells all of it. A field
// that tells the requests apart makes a record of its own for them: several attempts,
// no wait for a connection told, no server reached.
func envoyRecords(whole format.RecordDeclaration, fields map[string]bool, c *chain, paths map[milestone]string) []format.RecordDeclaration {
	var records []format.RecordDeclaration
	add := func(id string, parts []format.PartDeclaration, rest format.RestDeclaration, when map[string]format.Names, samples ...string) {
		r, span := whole, *whole.Span
		span.Parts, span.Rest = parts, &rest
		r.ID, r.Span, r.When = id, &span, when
		if whole.JSON != nil {
			when["time"] = format.Names{"*"}
		}
		r.Example = strings.NewReplacer(append(samples, attemptSample, "1", poolSample, "1")...).Replace(r.Example)
		records = append(records, r)
	}
	when := func(more ...string) map[string]format.Names {
		w := map[string]format.Names{}
		if fields["upstream"] {
			w["upstream"] = format.Names{"*"}
		}
		for i := 0; i < len(more); i += 2 {
			w[more[i]] = append(w[more[i]], more[i+1])
		}
		return w
	}
	hidden := format.RestDeclaration{Stage: "unattributed", Detail: "upstream"}
	if fields["attempt_count"] {
		add("retried", retried(c.parts(paths)), hidden, when("attempt_count", "*", "attempt_count", "!0", "attempt_count", "!1"), attemptSample, "2")
	}
	if c.pool {
		add("request", c.parts(paths), hidden, when("pool", "*"))
		plain := *c
		plain.pool = false
		add("unpooled", plain.parts(paths), hidden, when(), poolSample, "-")
	} else {
		add("request", c.parts(paths), hidden, when())
	}
	if fields["upstream"] {
		add("local", nil, format.RestDeclaration{Stage: "gateway", Detail: "envoy"}, map[string]format.Names{}, envoySamples["upstream"].sample, "-")
	}
	return records
}

// retried are the parts of a request that was sent to several servers. What is told of
// servers is of the last; the attempts before it lie in what is else the gateway's own
// time and the wait for a connection.
func retried(parts []format.PartDeclaration) []format.PartDeclaration {
	var out []format.PartDeclaration
	for _, p := range parts {
		switch {
		case p.Stage == "queue":
			out[len(out)-1].Until = p.Until
			continue
		case p.Stage == "gateway":
			p.Stage, p.Detail, p.Confidence, p.Error, p.Cut = "unattributed", "upstream", "", "", false
		}
		out = append(out, p)
	}
	return out
}

// unquoted takes a format out of the double quotes in which YAML and JSON hold it.
func unquoted(text string) string {
	var s string
	if t := strings.TrimSpace(text); strings.HasPrefix(t, `"`) && json.Unmarshal([]byte(t), &s) == nil {
		return s
	}
	return text
}

// operator is one %OPERATOR(argument):length%.
type operator struct {
	name, argument string
	offset         int
}

// envoyOperators splits a text into literals and operators.
func envoyOperators(whole, text string, at int) (literals []string, operators []operator, err error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '%' {
			b.WriteByte(text[i])
			i++
			continue
		}
		if i+1 < len(text) && text[i+1] == '%' {
			b.WriteByte('%')
			i += 2
			continue
		}
		op := operator{offset: at + i}
		j := i + 1
		for j < len(text) && (text[j] == '_' || text[j] >= 'A' && text[j] <= 'Z' || text[j] >= '0' && text[j] <= '9') {
			j++
		}
		op.name = text[i+1 : j]
		if op.name == "" {
			return nil, nil, faultAt(whole, op.offset, "expected the name of an operator, such as %%DURATION%%, or %%%% for a percent sign")
		}
		if j < len(text) && text[j] == '(' {
			// An argument may hold percent signs, as that of START_TIME does.
			depth, k := 0, j
			for ; k < len(text); k++ {
				if text[k] == '(' {
					depth++
				}
				if text[k] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if k >= len(text) {
				return nil, nil, faultAt(whole, at+j, "the argument of %s has no closing bracket", op.name)
			}
			op.argument, j = text[j+1:k], k+1
		}
		if j < len(text) && text[j] == ':' {
			for j++; j < len(text) && text[j] >= '0' && text[j] <= '9'; j++ {
			}
		}
		if j >= len(text) || text[j] != '%' {
			return nil, nil, faultAt(whole, at+min(j, len(text)), "expected %% at the end of the operator %s", op.name)
		}
		literals, operators = append(literals, b.String()), append(operators, op)
		b.Reset()
		i = j + 1
	}
	return append(literals, b.String()), operators, nil
}

func envoyPieces(text string, c *chain) ([]piece, error) {
	body := strings.TrimRight(text, "\r\n")
	body = strings.TrimSuffix(body, `\n`)
	literals, operators, err := envoyOperators(text, body, 0)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for i, lit := range literals {
		if lit != "" {
			pieces = append(pieces, piece{literal: lit})
		}
		if i == len(operators) {
			break
		}
		f, err := c.field(text, operators[i])
		if err != nil {
			return nil, err
		}
		if f.typ == "" {
			f = field{typ: "text", sample: "x"}
		}
		pieces = append(pieces, piece{offset: operators[i].offset, name: "%" + operators[i].name + "%", field: f})
	}
	return pieces, nil
}

// envoyObject reads a format that is an object; nil for one that is a string.
func envoyObject(text string) (yaml.MapSlice, error) {
	trimmed := strings.TrimSpace(text)
	braces := strings.HasPrefix(trimmed, "{")
	if !braces && (strings.HasPrefix(trimmed, "[") || !strings.Contains(trimmed, ": ")) {
		return nil, nil
	}
	var object yaml.MapSlice
	if err := decodeYAML(trimmed, &object); err != nil || len(object) == 0 {
		if braces && strings.HasSuffix(trimmed, "}") {
			return nil, errors.New("the format begins as a JSON object and is none: every operator in it stands in quotes")
		}
		return nil, nil
	}
	return object, nil
}

// decodeYAML shields from the YAML module, which panics on some malformed texts.
func decodeYAML(text string, into any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not valid YAML")
		}
	}()
	return yaml.UnmarshalWithOptions([]byte(text), into, yaml.UseOrderedMap())
}

// envoyFields makes fields of the values of an object that are one whole operator.
func envoyFields(text string, object yaml.MapSlice, c *chain, record *format.RecordDeclaration) (map[string]bool, error) {
	fields := map[string]bool{}
	record.JSON = format.Fields{}
	var example strings.Builder
	var walk func(path string, value any) error
	walk = func(path string, value any) error {
		switch value := value.(type) {
		case yaml.MapSlice:
			example.WriteByte('{')
			for i, item := range value {
				key, ok := item.Key.(string)
				if !ok {
					continue
				}
				if i > 0 {
					example.WriteString(", ")
				}
				example.WriteString(strconv.Quote(key) + ": ")
				if path != "" {
					key = path + "." + key
				}
				if err := walk(key, item.Value); err != nil {
					return err
				}
			}
			example.WriteByte('}')
			return nil
		case string:
			at := max(strings.Index(text, value), 0)
			literals, operators, err := envoyOperators(text, value, at)
			if err != nil {
				return err
			}
			if len(operators) != 1 || literals[0] != "" || literals[1] != "" {
				example.WriteString(`"x"`)
				return nil
			}
			f, err := c.field(text, operators[0])
			if err != nil {
				return err
			}
			if f.typ == "" {
				f.sample = "x"
			}
			example.WriteString(strconv.Quote(f.sample))
			if f.name != "" && !fields[f.name] {
				fields[f.name] = true
				record.JSON[f.name] = format.FieldDeclaration{Path: format.Names{path}, Type: jsonType(f.typ)}
			}
			return nil
		}
		example.WriteString("0")
		return nil
	}
	err := walk("", object)
	record.Example = example.String()
	return fields, err
}
