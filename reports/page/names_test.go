package page

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var cutCount = regexp.MustCompile(`… \[([0-9,]+) characters? cut\] …`)

// TestCutMiddleSaysWhatIsMissing: whatever counts the size, the ends stay, the length holds, and
// the characters that are left and those that are said to be cut add up.
func TestCutMiddleSaysWhatIsMissing(t *testing.T) {
	sizes := map[string]func(string) int{
		"characters": utf8.RuneCountInString,
		"wide":       func(s string) int { return 2 * utf8.RuneCountInString(s) },
		"bytes":      func(s string) int { return len(s) },
	}
	rapid.Check(t, func(t *rapid.T) {
		size := sizes[rapid.SampledFrom([]string{"characters", "wide", "bytes"}).Draw(t, "size")]
		s := strings.Repeat(rapid.StringMatching(`[a-z日é \xff]{1,12}`).Draw(t, "unit"), rapid.IntRange(0, 60).Draw(t, "times"))
		limit := rapid.IntRange(16, 400).Draw(t, "limit")
		got := CutMiddle(s, limit, size)
		said := cutCount.FindStringSubmatch(got)
		if size(s) <= limit {
			if got != s {
				t.Fatalf("%q became %q", s, got)
			}
			return
		}
		if said == nil {
			t.Fatalf("%q says nothing", got)
		}
		begins, ends, _ := strings.Cut(got, said[0])
		n, _ := strconv.Atoi(strings.ReplaceAll(said[1], ",", ""))
		if !strings.HasPrefix(s, begins) || !strings.HasSuffix(s, ends) || utf8.RuneCountInString(begins)+n+utf8.RuneCountInString(ends) != utf8.RuneCountInString(s) {
			t.Fatalf("%q became %q", s, got)
		}
		if size(begins)+size(ends) > limit {
			t.Fatalf("%d and %d of %d", size(begins), size(ends), limit)
		}
	})
}

// TestNamesAreCutOnABriefPage, and on no other.
func TestNamesAreCutOnABriefPage(t *testing.T) {
	long := strings.Repeat("n", 400)
	if got := newBuilder(Options{}).name(long); got != long {
		t.Errorf("cut to %d", len(got))
	}
	if got := newBuilder(Options{Brief: true}).name(long); utf8.RuneCountInString(got) > nameLongest+len(" [400 characters cut] ") || !cutCount.MatchString(got) {
		t.Errorf("%q", got)
	}
}

// TestSlugsHaveNoFigures: an id that is made of a title is the same with other figures in it.
func TestSlugsHaveNoFigures(t *testing.T) {
	for title, want := range map[string]string{
		"left out": "left-out", "how much: % of the time": "how-much", "over time, in stretches of 10 s": "over-time-in-stretches-of-s",
		"p99(e2e) < 2s": "part", "été": "t", "": "part", "--": "part", "Little's law": "little-s-law",
	} {
		if got := slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	b := newBuilder(Options{})
	var ids []string
	for _, wanted := range []string{"a", "a-2", "a", "a", "a-2", "answer"} {
		ids = append(ids, b.id(wanted))
	}
	if got := fmt.Sprint(ids); got != "[a a-2 a-3 a-4 a-2-2 answer-2]" {
		t.Error(got)
	}
}
