package template

import (
	"errors"
	"strings"
)

// haproxyPieces splits a log-format.
func haproxyPieces(text string) ([]piece, error) {
	body, base, err := haproxyBody(text)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	var lit strings.Builder
	at, quoteAll := 0, false
	flush := func() {
		if lit.Len() > 0 {
			pieces = append(pieces, piece{offset: base + at, literal: lit.String()})
			lit.Reset()
		}
	}
	for i := 0; i < len(body); {
		c := body[i]
		if c == '\\' && i+1 < len(body) {
			i++ // what a backslash stands before is a text, but for a blank, which is one of several
			if c = body[i]; c != ' ' {
				lit.WriteByte(c)
				i++
				continue
			}
		}
		// HAProxy writes one blank for any number of them.
		if c == ' ' && (strings.HasSuffix(lit.String(), " ") || lit.Len() == 0 && len(pieces) == 0) {
			i++
			continue
		}
		if c != '%' {
			lit.WriteByte(c)
			i++
			continue
		}
		if i+1 < len(body) && body[i+1] == '%' {
			lit.WriteByte('%')
			i += 2
			continue
		}
		start := i
		i++
		quoted := quoteAll
		if i < len(body) && body[i] == '{' {
			end := strings.IndexByte(body[i:], '}')
			if end < 0 {
				return nil, faultAt(text, base+i, "the flags have no closing brace")
			}
			flags := body[i+1 : i+end]
			quoted = (quoted || strings.Contains(flags, "+Q")) && !strings.Contains(flags, "-Q")
			i += end + 1
		}
		key := ""
		if i < len(body) && body[i] == '(' { // the key of the value, where a JSON object is written
			end := strings.IndexByte(body[i:], ')')
			if end < 0 {
				return nil, faultAt(text, base+i, "the name has no closing bracket")
			}
			key, _, _ = strings.Cut(body[i+1:i+end], ":")
			i += end + 1
		}
		if i < len(body) && body[i] == '[' {
			expression, end := bracketed(body, i)
			if end < 0 {
				return nil, faultAt(text, base+i, "the expression has no closing bracket")
			}
			flush()
			pieces = append(pieces, piece{offset: base + start, name: "%[" + expression + "]", field: haproxySample(expression), quoted: quoted, key: key})
			i, at = end, end
			continue
		}
		name := haproxyName(body[i:])
		switch name {
		case "":
			return nil, faultAt(text, base+start, "no variable of HAProxy begins here; expected one such as %%Ta, or %%%% for a percent sign")
		case "o":
			quoteAll = quoted
			i++
			continue
		}
		flush()
		f := haproxyVariables[name]
		pieces = append(pieces, piece{
			offset: base + start, name: "%" + name, field: f, quoted: quoted && haproxyQuotes(name, f),
			request: name == "r", headers: name == "hr" || name == "hs", early: name == "Ta" || name == "Tt", key: key,
		})
		i += len(name)
		at = i
	}
	flush()
	if len(pieces) == 0 {
		return nil, errors.New("the log format is empty")
	}
	return pieces, nil
}

// haproxyBody takes the format string out of a directive.
func haproxyBody(text string) (body string, base int, err error) {
	trimmed := strings.TrimSpace(text)
	base = strings.Index(text, trimmed)
	if haproxyStart.MatchString(text) {
		rest := strings.TrimLeft(trimmed[len("log-format"):], " \t")
		base += len(trimmed) - len(rest)
		trimmed = rest
		if trimmed == "" {
			return "", 0, faultAt(text, len(text), "log-format without a format string")
		}
		if q := trimmed[0]; q != '"' && q != '\'' {
			return trimmed, base, nil
		}
	}
	if len(trimmed) > 1 && (trimmed[0] == '"' || trimmed[0] == '\'') && trimmed[len(trimmed)-1] == trimmed[0] {
		return trimmed[1 : len(trimmed)-1], base + 1, nil
	}
	if len(trimmed) > 0 && trimmed[0] == '\'' {
		return "", 0, faultAt(text, base, "the string has no closing %c", trimmed[0])
	}
	return trimmed, base, nil
}

// bracketed reads an expression in square brackets that begins at i.
func bracketed(text string, i int) (expression string, end int) {
	depth := 0
	for j := i; j < len(text); j++ {
		switch text[j] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return text[i+1 : j], j + 1
			}
		}
	}
	return "", -1
}

// haproxyName is the longest variable name that text begins with; "o" is the one that
// only carries flags.
func haproxyName(text string) string {
	for n := min(4, len(text)); n > 0; n-- {
		if _, known := haproxyVariables[text[:n]]; known || text[:n] == "o" {
			return text[:n]
		}
	}
	return ""
}

// haproxyQuotes reports whether the flag +Q puts a variable in quotes. Numbers, times
// and termination states never are.
func haproxyQuotes(name string, f field) bool {
	switch name {
	case "B", "rc", "ts", "tsc":
		return false
	}
	return f.typ == "text" || f.typ == "token"
}
