package chart

import (
	"strings"
	"unicode"
)

// The sizes of texts in px. A drawing is never scaled down on a screen, so these are what a
// reader gets.
const (
	fontSize   = 13.0
	smallSize  = 12.0
	lineHeight = 17.0
)

// clean returns a text in which whatever cannot be seen, such as control characters, marks of
// direction and bytes that are no UTF-8, is shown as the replacement character; tabs and ends of
// lines are spaces. What is left is allowed in XML.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape returns a text as it is written between tags and in attributes.
func escape(s string) string { return escaper.Replace(clean(s)) }

// advance estimates how wide a character is, in parts of the font size. Nothing here knows the
// font of the reader, so the estimate is that of the widest of the usual ones: a label that is
// taken to fit does.
func advance(r rune) float64 {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && (r < 0x1200 || r >= 0x2e80):
		return 1.1 // ideographs, syllables and pictures
	case r >= 0x2000:
		return 0.86
	case strings.ContainsRune("ijl|'!.,:;", r):
		return 0.34
	case strings.ContainsRune(" ftrI()[]{}/\\-\"`", r):
		return 0.42
	case strings.ContainsRune("mwMW%@&", r):
		return 1
	case strings.ContainsRune("=+~<>^#$", r):
		return 0.85
	case r > unicode.MaxASCII:
		return 0.75
	case unicode.IsUpper(r):
		return 0.75
	}
	return 0.635
}

// textWidth estimates the width of a text in px.
func textWidth(s string, size float64) float64 {
	var w float64
	for _, r := range s {
		w += advance(r)
	}
	return w * size
}

// fit cuts a text to a width in px. What is cut ends in an ellipsis; where not even that has
// room, nothing is left.
func fit(s string, room, size float64) string {
	s = clean(s)
	var w float64
	end := 0 // of what fits with an ellipsis behind it
	tail := advance('…')
	for i, r := range s {
		if (w+tail)*size <= room {
			end = i
		}
		w += advance(r)
		if w*size > room {
			if tail*size > room {
				return ""
			}
			return strings.TrimRight(s[:end], " ") + "…"
		}
	}
	return s
}

// firstLines returns the lines of a remark that a drawing has room for.
func firstLines(lines []string) []string {
	const most = 4
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = strings.TrimSuffix(lines[most-1], "…") + "…"
	}
	return lines
}

// wrap parts a text into lines of a width in px at most. A word that is wider than that is cut.
func wrap(s string, room, size float64) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(clean(s)) {
		switch {
		case line == "":
			line = word
		case textWidth(line+" "+word, size) <= room:
			line += " " + word
		default:
			lines = append(lines, fit(line, room, size))
			line = word
		}
	}
	if line != "" {
		lines = append(lines, fit(line, room, size))
	}
	return lines
}
