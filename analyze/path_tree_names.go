package analyze

import (
	"strings"
	"unicode"
)

// mostAlike is how many names of a service may differ in ids alone before they are one.
const mostAlike = 8

// alikeNames returns the frames with names in which ids are stars: where more names of a service
// than mostAlike are the same but for words with digits in them, the words in which they differ
// are ids. Such names are many requests for one thing, and as steps of their own would be as many
// as the requests. No two of the frames are the same.
func alikeNames(frames []pathFrame) []pathFrame {
	type group struct {
		common []string // of the words with digits: that of all the names, or empty
		names  int
	}
	groups := map[pathFrame]*group{}
	of := make([]pathFrame, len(frames))
	for i, f := range frames {
		shape, words := shapeOf(f.name)
		of[i] = pathFrame{f.service, shape}
		g, ok := groups[of[i]]
		if !ok {
			groups[of[i]] = &group{common: words, names: 1}
			continue
		}
		g.names++
		for k, w := range words {
			if g.common[k] != w {
				g.common[k] = ""
			}
		}
	}
	out := make([]pathFrame, len(frames))
	for i, f := range frames {
		out[i] = f
		if g := groups[of[i]]; g.names > mostAlike {
			out[i].name = filled(of[i].name, g.common)
		}
	}
	return out
}

// wordPlace stands in a shape for a word with digits. It is no character.
const wordPlace = '\uffff'

// shapeOf returns a name without the words in which there is a digit, and these words.
func shapeOf(name string) (shape string, words []string) {
	var b strings.Builder
	name = strings.ReplaceAll(name, string(wordPlace), string(unicode.ReplacementChar))
	for len(name) > 0 {
		end := strings.IndexFunc(name, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(name)
		}
		switch word := name[:end]; {
		case strings.IndexFunc(word, unicode.IsDigit) >= 0:
			b.WriteRune(wordPlace)
			words = append(words, word)
		default:
			b.WriteString(word)
		}
		next := strings.IndexFunc(name[end:], isWord)
		if next < 0 {
			next = len(name) - end
		}
		b.WriteString(name[end : end+next])
		name = name[end+next:]
	}
	return b.String(), words
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// filled returns a shape with its words; what has none is a star, and so are the groups of digits
// between hyphens.
func filled(shape string, words []string) string {
	var b strings.Builder
	k := 0
	for _, r := range shape {
		switch {
		case r != wordPlace || k == len(words):
			b.WriteRune(r)
			continue
		case words[k] == "":
			b.WriteByte('*')
		default:
			b.WriteString(words[k])
		}
		k++
	}
	out := b.String()
	for was := ""; was != out; {
		was, out = out, strings.ReplaceAll(out, "*-*", "*")
	}
	return out
}
