package template

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// All makes declarations of every format string in a text, which is one format, as
// Parse takes it, or a configuration file: that of nginx with its log_format
// directives, of HAProxy with its log-format directives, or one in YAML with access
// logs of Envoy in it. In a configuration the formats that hold no duration or no time
// are passed over, as are those that cannot be read, unless there is no other one; the
// error is then that of the first, with its name and line.
func All(text string) ([]*format.Declaration, error) {
	found := configured(text)
	if len(found) == 0 {
		d, err := Parse(text)
		if err != nil {
			return nil, err
		}
		return []*format.Declaration{d}, nil
	}
	var declarations []*format.Declaration
	var first error
	for _, c := range found {
		d, err := c.parse(c.text)
		switch {
		case err == nil:
			d.Title += ", " + c.name
			declarations = append(declarations, d)
		case first == nil && c.line > 0:
			first = fmt.Errorf("%s at line %d: %w", c.name, c.line, err)
		case first == nil:
			first = fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if len(declarations) == 0 {
		if n := len(found) - 1; n > 0 {
			first = fmt.Errorf("%w (nor can any of the %d formats behind it be used)", first, n)
		}
		return nil, first
	}
	return declarations, nil
}

// candidate is a format string in a configuration.
type candidate struct {
	name  string
	line  int // 0 if it is not known
	text  string
	parse func(string) (*format.Declaration, error)
}

var (
	nginxDirectives   = regexp.MustCompile(`(?m)(?:^|[{};])[ \t]*(log_format)[ \t]+(\S+)`)
	haproxyDirectives = regexp.MustCompile(`(?m)^[ \t]*log-format[ \t]+\S.*$`)
)

// configured finds the format strings of a configuration; none if the text is one
// format by itself.
func configured(text string) []candidate {
	var found []candidate
	lineAt := func(i int) int { return strings.Count(text[:i], "\n") + 1 }
	places := nginxDirectives.FindAllStringSubmatchIndex(text, -1)
	if len(places) > 1 || len(places) == 1 && !nginxStart.MatchString(text) || len(places) == 1 && strings.TrimSpace(text[directiveEnd(text, places[0][2]):]) != "" {
		for _, p := range places {
			found = append(found, candidate{"log_format " + text[p[4]:p[5]], lineAt(p[2]), text[p[2]:directiveEnd(text, p[2])], Nginx})
		}
		return found
	}
	lines := haproxyDirectives.FindAllStringIndex(text, -1)
	if len(lines) > 0 && strings.Contains(strings.TrimSpace(text), "\n") {
		for _, p := range lines {
			found = append(found, candidate{"log-format", lineAt(p[0]), strings.TrimSpace(text[p[0]:p[1]]), HAProxy})
		}
		return found
	}
	if envoyOperator.MatchString(text) {
		return envoyConfigured(text)
	}
	return nil
}

// directiveEnd is where the directive of nginx that begins at i ends, behind its
// semicolon.
func directiveEnd(text string, i int) int {
	quote := byte(0)
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n", text[i-1]) >= 0):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == ';':
			return i + 1
		}
	}
	return len(text)
}

// envoyConfigured finds the access log formats in a configuration in YAML or JSON; none
// if the text is a format or an object by itself.
func envoyConfigured(text string) []candidate {
	var documents []any
	dec := yaml.NewDecoder(strings.NewReader(text), yaml.UseOrderedMap())
	for {
		var document any
		if err := decodeNext(dec, &document); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			break
		}
		documents = append(documents, document)
	}
	var found []candidate
	for _, document := range documents {
		top, ok := document.(yaml.MapSlice)
		if !ok || envoyShape(top) {
			return nil
		}
		found = append(found, envoyWithin("", top)...)
	}
	return found
}

// decodeNext shields from the YAML module, which panics on some malformed texts.
func decodeNext(dec *yaml.Decoder, into any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not valid YAML")
		}
	}()
	return dec.Decode(into)
}

// envoyShape reports whether an object is a format: one of its values is an operator,
// and nothing else.
func envoyShape(object yaml.MapSlice) bool {
	for _, item := range object {
		if text, ok := item.Value.(string); ok {
			if m := envoyOperator.FindStringIndex(text); m != nil && m[0] == 0 && m[1] == len(text) {
				return true
			}
		}
	}
	return false
}

// envoyWithin finds formats in a value of a configuration, which stands at path.
func envoyWithin(path string, value any) []candidate {
	var found []candidate
	switch value := value.(type) {
	case yaml.MapSlice:
		if envoyShape(value) {
			data, err := yaml.MarshalWithOptions(value, yaml.JSON())
			if err != nil {
				return nil
			}
			return []candidate{{path, 0, string(data), Envoy}}
		}
		for _, item := range value {
			found = append(found, envoyWithin(strings.TrimPrefix(path+"."+fmt.Sprint(item.Key), "."), item.Value)...)
		}
	case []any:
		for i, item := range value {
			found = append(found, envoyWithin(fmt.Sprintf("%s.%d", path, i), item)...)
		}
	case string:
		if len(envoyOperator.FindAllStringIndex(value, 2)) == 2 {
			found = append(found, candidate{path, 0, strings.TrimRight(value, "\n"), Envoy})
		}
	}
	return found
}
