package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

var cutCount = regexp.MustCompile(`\[([0-9,]+) characters? cut\]`)

// TestShortenSaysWhatIsMissing: the ends stay, the length holds, and the characters that are
// left and those that are said to be cut add up.
func TestShortenSaysWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &paper{o: Options{Width: rapid.SampledFrom([]int{48, 80, 200}).Draw(t, "width"), ASCII: rapid.Bool().Draw(t, "ascii")}}
		unit := p.spell(rapid.StringMatching(`[a-z日é ,]{1,12}`).Draw(t, "unit"))
		s := "begins " + strings.Repeat(unit, rapid.IntRange(0, 900).Draw(t, "times")) + " ends"
		got := p.shorten(s)
		if again := p.shorten(got); again != got {
			t.Fatalf("shortened twice: %q, %q", got, again)
		}
		if !strings.HasPrefix(got, "begins") || !strings.HasSuffix(got, "ends") {
			t.Fatalf("the ends of %q are not in %q", s, got)
		}
		if width(got) > paragraphLongest {
			t.Fatalf("%d columns", width(got))
		}
		if p.o.ASCII && !isASCII(got) {
			t.Fatalf("not ASCII: %q", got)
		}
		for word := range strings.FieldsSeq(got) {
			if width(word) > wordLongest {
				t.Fatalf("a word of %d columns", width(word))
			}
		}
		said := cutCount.FindAllStringSubmatch(got, -1)
		if (len(said) > 0) != (got != s) {
			t.Fatalf("%q became %q", s, got)
		}
		if len(said) == 1 {
			n, _ := strconv.Atoi(strings.ReplaceAll(said[0][1], ",", ""))
			marks := utf8.RuneCountInString(fmt.Sprintf("%s %s %s", p.spell("…"), said[0][0], p.spell("…")))
			if kept := utf8.RuneCountInString(got) - marks; kept+n != utf8.RuneCountInString(s) {
				t.Fatalf("%d characters kept and %d cut of %d", kept, n, utf8.RuneCountInString(s))
			}
		}
	})
}

// TestNothingIsShortenedInAPipe: without a width every text is whole.
func TestNothingIsShortenedInAPipe(t *testing.T) {
	long := strings.Repeat("x", 10_000) + strings.Repeat(" w", 5_000)
	p := &paper{}
	if p.shorten(long) != long {
		t.Error("a text is cut")
	}
}

// TestLongHeadlineIsShortened: a name of 10 kB, with spaces and without, leaves room for the
// figures of the headline, and the page says that it is cut.
func TestLongHeadlineIsShortened(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 10_000), strings.Repeat("w ", 5_000)} {
		d := reports.Document{Headline: "application/" + name + " dominates: 90.1 % of +5.75 s (n = 56)"}
		text := render(t, d, Options{Width: 80})
		if lines := strings.Count(text, "\n"); lines > 17 {
			t.Errorf("%d lines", lines)
		}
		if flat := strings.Join(strings.Fields(text), " "); !cutCount.MatchString(flat) || !strings.HasSuffix(flat, " dominates: 90.1 % of +5.75 s (n = 56)") {
			t.Errorf("headline:\n%s", text)
		}
	}
}

// TestShortenTakesLinearTime: a text of a megabyte is cut at once.
func TestShortenTakesLinearTime(t *testing.T) {
	p := &paper{o: Options{Width: 80}}
	for _, s := range []string{strings.Repeat("é", 1<<20), strings.Repeat("é ", 1<<19), strings.Repeat("e\u0301\u0301", 1<<18)} {
		if got := p.shorten(p.spell(s)); len(got) > 8*paragraphLongest {
			t.Errorf("%d bytes are left", len(got))
		}
	}
}
