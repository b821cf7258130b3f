package template

import "strings"

// nginxDirective reads log_format name [escape=...] strings; or only the strings. It
// returns their text joined, as nginx joins them, and for every byte of it the offset
// in the directive.
func nginxDirective(text string) (body string, offsets []int, escape string, err error) {
	escape = "default"
	var b strings.Builder
	i, word := 0, 0
	named := nginxStart.MatchString(text)
	for {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i >= len(text) {
			break
		}
		switch c := text[i]; {
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case c == ';':
			if rest := strings.TrimSpace(text[i+1:]); rest != "" && rest[0] != '#' {
				return "", nil, "", faultAt(text, i+1, "more text behind the end of log_format: give one directive")
			}
			i = len(text)
			continue
		case c == '\'' || c == '"':
			start := i
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
					if decoded, ok := nginxEscapes[text[i]]; ok {
						b.WriteByte(decoded)
						offsets = append(offsets, i-1)
						continue
					}
					b.WriteByte('\\')
					offsets = append(offsets, i-1)
				}
				b.WriteByte(text[i])
				offsets = append(offsets, i)
			}
			if i >= len(text) {
				return "", nil, "", faultAt(text, start, "the string has no closing %c", c)
			}
			i++
		default:
			start := i
			for i < len(text) && strings.IndexByte(" \t\r\n;", text[i]) < 0 {
				i++
			}
			token := text[start:i]
			switch {
			case named && word == 0, named && word == 1: // the directive and its name
			case strings.HasPrefix(token, "escape="):
				escape = token[len("escape="):]
				if escape != "default" && escape != "json" && escape != "none" {
					return "", nil, "", faultAt(text, start, "escape is default, json or none, and not %q", escape)
				}
			default:
				for j := range token {
					b.WriteByte(token[j])
					offsets = append(offsets, start+j)
				}
			}
		}
		word++
	}
	if b.Len() == 0 {
		return "", nil, "", faultAt(text, 0, "log_format without a format string")
	}
	return b.String(), offsets, escape, nil
}

// nginxBare reads a format string without the quotes around it, and returns for every
// byte of it the offset in the text.
func nginxBare(text string) (body string, offsets []int) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		offsets = append(offsets, i)
		if text[i] == '\\' && i+1 < len(text) {
			if decoded, ok := nginxEscapes[text[i+1]]; ok {
				b.WriteByte(decoded)
				i++
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String(), offsets
}

// nginxEscapes are the escapes of a string in nginx's configuration. A backslash
// before anything else stands for itself.
var nginxEscapes = map[byte]byte{'\'': '\'', '"': '"', '\\': '\\', 't': '\t', 'r': '\r', 'n': '\n'}
