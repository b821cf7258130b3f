package html

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// lead is what stands between the headline of a report and its first section.
type lead struct {
	facts  []fact
	blanks []page.Blank
	id     string // of the section that the blanks are all of; empty where it stays
}

// leadFacts are the labels of the fields that say what a report is of.
var leadFacts = []string{"week", "scope", "window", "against"}

// leadOf takes from the first titled section of a report what says which requests it is of: it
// belongs under the headline, and would be said twice otherwise. Where nothing but blanks is left
// of the section, they go there with its id. The page that was given stays as it is.
func leadOf(d reports.Document, p page.Page) (lead, page.Page) {
	at := slices.IndexFunc(p.Sections, func(s page.Section) bool { return s.Title != "" })
	if d.Report == nil || at < 0 || p.Sections[at].Folded {
		return lead{}, p
	}
	var l lead
	var rest []page.Block
	others := 0
	for _, b := range p.Sections[at].Blocks {
		switch b := b.(type) {
		case page.Labelled:
			if label := strings.TrimSpace(b.Label); slices.Contains(leadFacts, label) {
				l.facts = append(l.facts, fact{label, strings.TrimSpace(b.Text)})
				continue
			}
			others++
		case page.Blank:
			l.blanks = append(l.blanks, b)
		case page.Gap:
		default:
			others++
		}
		rest = append(rest, b)
	}
	if len(l.facts) == 0 {
		return lead{}, p
	}
	p.Sections = slices.Clone(p.Sections)
	if others > 0 {
		l.blanks = nil
		p.Sections[at].Blocks = rest
		return l, p
	}
	l.id = p.Sections[at].ID
	p.Sections = slices.Delete(p.Sections, at, at+1)
	return l, p
}

// A sentence is parted from longSentence characters on. What is apart then has shortClause bytes
// at least, and where it would have more than longClause the place of a colon is looked for.
const (
	longSentence = 72
	shortClause  = 24
	longClause   = 110
)

// clauses parts a long sentence after its first clause, which has the answer: all of it in one
// weight is hard to read. The two make up the text.
func clauses(text string) (first, rest string) {
	if utf8.RuneCountInString(text) <= longSentence {
		return text, ""
	}
	semicolon, colon := len(text), len(text)
	depth := 0 // of parentheses, which stay in one piece
	for i := 0; i+1 < len(text) && semicolon == len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth > 0 || i < shortClause || text[i+1] != ' ':
		case c == ';':
			semicolon = i + 1
		case c == ':' && colon == len(text):
			colon = i + 1
		}
	}
	end := semicolon
	if end > longClause && colon < end {
		end = colon
	}
	return text[:end], text[end:]
}

// sentence writes an element that holds a sentence, its first clause apart.
func (m *markup) sentence(tag, text string) {
	m.open(tag, class(nameFirst(text))...)
	first, rest := clauses(text)
	if n := len(first) - 1; n >= 0 && rest != "" && tag == "h1" {
		m.text(first[:n]) // what follows is on a line of its own, so the mark is for those who copy or listen
		m.element("span", first[n:], "class", "hidden")
	} else {
		m.text(first)
	}
	if rest != "" {
		m.element("span", rest, "class", "more")
	}
	m.close(tag)
}

// nameFirst is the class of texts that begin with a name such as p99, which keeps its letters.
// Others begin with a capital.
func nameFirst(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsDigit(r) || r == '/' || r == '_' }) {
		return "named"
	}
	return ""
}
