package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible parts two characters that together would be a link, a mention or an emoji. GitHub
// looks for these in the finished text, where a backslash before them is gone already.
const invisible = "&#8203;"

// inline writes text so that Markdown shows it as it is, within a line.
func inline(s string) string {
	s = flat(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		before, after := s[:i], s[i+size:]
		switch {
		case r == '\\' || r == '`' || r == '*', r == '[' && strings.HasPrefix(after, "["), r == ']' && leads(after), r == '_' && !between(before, after), r == '~' && !alone(before, after):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '|': // a backslash would do in a cell, and would show elsewhere
			b.WriteString("&#124;")
		case r == '$':
			b.WriteString("&#36;")
		case r == '&' && opens(after, "#"):
			b.WriteString("&amp;")
		case r == '<' && opens(after, "/!?"): // "< 2s" is no tag
			b.WriteString("&lt;")
		default:
			b.WriteRune(r)
		}
		if parted(before, r, after) {
			b.WriteString(invisible)
		}
		i += size
	}
	return b.String()
}

// opening writes text that begins a line or an item of a list, where some characters would
// begin a heading, a list, a quotation, or a line under a heading.
func opening(s string) string {
	s = flat(s)
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	rest := s[digits:]
	switch {
	case rest == "":
	case digits > 0:
		if (rest[0] == '.' || rest[0] == ')') && (len(rest) == 1 || rest[1] == ' ') {
			return s[:digits] + "\\" + inline(rest)
		}
	case strings.ContainsRune("#>=", rune(s[0])),
		strings.ContainsRune("-+", rune(s[0])) && (len(s) == 1 || s[1] == ' ' || s[1] == '-'),
		len(s) > 2 && s[0] == '[' && strings.ContainsRune(" xX", rune(s[1])) && s[2] == ']': // a box to tick
		return "\\" + strings.TrimPrefix(inline(s), "\\")
	}
	return inline(s)
}

// heading writes text behind the signs of a heading, which the same signs would end.
func heading(s string) string {
	text := inline(s)
	if before, ok := strings.CutSuffix(text, "#"); ok {
		return before + "\\#"
	}
	return text
}

// markup writes text between tags of HTML, which Markdown does not read again.
func markup(s string) string {
	s = flat(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(html.EscapeString(string(r)))
		if parted(s[:i], r, s[i+size:]) {
			b.WriteString(invisible)
		}
		i += size
	}
	return b.String()
}

// code writes a command as a block of its own, which is shown and copied as it is.
func code(s string) string {
	s = flat(s)
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "sh\n" + s + "\n" + fence
}

// flat makes one line of a text, without control characters and without space around it.
func flat(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.TrimSpace(s)
}

// opens says whether a letter or one of some signs comes next.
func opens(after, signs string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || strings.ContainsRune(signs, r))
}

// leads says whether what is behind a closing bracket would make a link of what it closes, or
// the target of one. Without that brackets are brackets, such as the mark [1] of a footnote.
func leads(after string) bool {
	return after != "" && strings.ContainsRune("([:", rune(after[0]))
}

// alone says whether there is space on both sides.
func alone(before, after string) bool {
	return (before == "" || strings.HasSuffix(before, " ")) && (after == "" || strings.HasPrefix(after, " "))
}

// between says whether letters or digits are on both sides: there an underscore is a part of
// a name and no emphasis.
func between(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	plain := func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return plain(last) && plain(first)
}

// parted says whether what is before a character and the character itself must be parted from
// what is after it: it would be a mention or an address, a reference to an issue, a link, or
// an emoji by its name.
func parted(before string, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '@':
		return next == '_' || next == '-' || unicode.IsLetter(next) || unicode.IsDigit(next)
	case '#':
		return unicode.IsDigit(next)
	case '-':
		return unicode.IsDigit(next) && ends(before, "gh")
	case 'w', 'W':
		return next == '.' && ends(before, "ww")
	case ':':
		return strings.HasPrefix(after, "//") || emoji(after)
	}
	return false
}

// ends says whether a text ends with these small letters, written small or large.
func ends(s, letters string) bool {
	return len(s) >= len(letters) && strings.EqualFold(s[len(s)-len(letters):], letters)
}

// emoji says whether the name of an emoji and the colon after it come next. A time of day has
// none: few names begin with a digit.
func emoji(after string) bool {
	name, _, closed := strings.Cut(after, ":")
	if !closed || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_+-") != "" {
		return false
	}
	switch name {
	case "100", "1234", "+1", "-1", "8ball", "1st_place_medal", "2nd_place_medal", "3rd_place_medal":
		return true
	}
	return opens(name, "_")
}
