package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// TestFirstTokenHasItsCaveats: the verdict about the first token is limited as the one at the
// top is, in summary and in queue, and each of its caveats is there: by its id if the top has
// it in the same words, else in full.
func TestFirstTokenHasItsCaveats(t *testing.T) {
	docs := fixed(t)
	rapid.Check(t, func(t *rapid.T) {
		of := func(label string) (out []reports.Warning) {
			for _, id := range []string{"kept-traces", "few-incidents", "two-kinds-of-slow", "other-kinds", "other-for-all-requests"} {
				if n := rapid.IntRange(0, 2).Draw(t, label+id); n > 0 {
					out = append(out, reports.Warning{ID: id, Text: []string{"so", "otherwise"}[n-1]})
				}
			}
			return out
		}
		mine, top := of("first token: "), of("top: ")
		s := *docs["summary"].Summary
		s.Verdict.Caveats, s.TTFTVerdict.Caveats, s.Population.Sampling.Kind = top, mine, "partial"
		q := *docs["queue"].Queue
		q.Summary = s
		q.TTFTWords = s.Population.Limited("words")
		for name, write := range map[string]func(p *builder){"summary": func(p *builder) { p.firstToken(&s) }, "queue": func(p *builder) { p.lesserVerdicts(&q) }} {
			p := newBuilder(Options{})
			write(p)
			lines := strings.Split(textOf(p), "\n")
			if !strings.HasSuffix(lines[0], ", among kept traces") {
				t.Fatalf("%s: %q", name, lines[0])
			}
			short := ""
			for _, line := range lines {
				if _, ids, is := strings.Cut(line, "caveat, as at the top: "); is {
					short = ids
				}
			}
			for _, c := range mine {
				full := strings.Contains(textOf(p), "caveat: "+c.Text+" ("+c.ID+")\n")
				known := false
				for _, other := range top {
					known = known || other == c
				}
				if full == known || strings.Contains(short, c.ID) != known {
					t.Fatalf("%s: %v, at the top %v:\n%s", name, c, top, textOf(p))
				}
			}
		}
	})
}

// TestQueueSaysWhatMakesTokenGapsLong: the verdict about token gaps and its caveats are in
// the text of queue where instants of tokens are, and not where they are not.
func TestQueueSaysWhatMakesTokenGapsLong(t *testing.T) {
	d := fixed(t)["queue"]
	q := *d.Queue
	d.Queue = &q
	q.Summary.Stalling = reports.Stalling{Requests: 40, Verdict: reports.StallVerdict{Sentence: "a sentence", Caveats: []reports.Warning{{ID: "chunks", Text: "in chunks"}}}}
	want := "\n  token gaps      a sentence\n                  caveat: in chunks (chunks)\n"
	if got := render(t, d, Options{}); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
	q.Summary.Stalling.Requests = 0
	if got := render(t, d, Options{}); strings.Contains(got, "token gaps") {
		t.Errorf("nothing is known of token gaps:\n%s", got)
	}
}
