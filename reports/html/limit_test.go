package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
	"github.com/tailpath/tailpath/reports/page"
)

// exemplars returns a page with folded sections of about 10 kB each.
func exemplars(n int) page.Page {
	p := page.Page{Headline: "x", Sections: []page.Section{{ID: "answer"}, {ID: "kept", Title: "What is never left out"}}}
	for i := range n {
		p.Sections = append(p.Sections, page.Section{
			ID: fmt.Sprintf("exemplar-%d", i), Title: fmt.Sprintf("Exemplar %d", i), Folded: true,
			Blocks: []page.Block{page.Paragraph{Text: strings.Repeat("0123456789", 1000)}},
		})
	}
	return p
}

func TestShortFileLacksNothing(t *testing.T) {
	d, p := weekly(t)
	if file := write(t, Options{}, d, p); strings.Contains(file, "Left out") || len(file) > MaxBytes {
		t.Errorf("a file of %d bytes says that it lacks something", len(file))
	}
}

func TestLongFileLosesFoldedSectionsFromTheLastOn(t *testing.T) {
	d, p := stored(t, "summary_few"), exemplars(20)
	whole := len(write(t, Options{}, d, p))
	for _, lost := range []int{1, 2, 7, 20} {
		limit := int64(whole - lost*10_000 + 5_000)
		file := write(t, Options{MaxBytes: limit}, d, p)
		if int64(len(file)) > limit {
			t.Errorf("%d bytes of at most %d", len(file), limit)
		}
		root, err := parse(file)
		if err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprintf("the last %d of 20 folded sections.", lost)
		if !strings.Contains(root.all("header")[0].content(), said) {
			t.Errorf("the top does not say %q", said)
		}
		if got := strings.Count(file, omittedSection); got != lost {
			t.Errorf("%d sections say that they are left out, not %d", got, lost)
		}
		if got := len(root.all("main")[0].all("details")); got != 20-lost {
			t.Errorf("%d sections are there, not %d", got, 20-lost)
		}
		if !strings.Contains(file, `id="exemplar-19"`) {
			t.Error("a link to what was left out leads nowhere")
		}
		if strings.Contains(file, "JSON, which") {
			t.Error("the document was left out where folded sections were enough")
		}
	}
}

func TestLongFileLosesWaterfallsBeforeTheDocument(t *testing.T) {
	d := stored(t, "summary_few")
	p := page.Page{Headline: "x", Sections: []page.Section{{ID: "requests", Title: "Requests"}}}
	for i := range 10 {
		w := chart.Waterfall{To: 1e9}
		for j := range 40 {
			w.Spans = append(w.Spans, chart.Span{Label: fmt.Sprint("span ", j), To: 1e9, OnPath: []chart.Piece{{To: 1e9, Stage: "gpu"}}})
		}
		p.Sections[0].Blocks = append(p.Sections[0].Blocks, page.Figure{ID: fmt.Sprint("waterfall-", i), Answer: "what it waited for", Drawing: w})
	}
	whole := write(t, Options{}, d, p)
	one := len(section{pieces: sectionsOf(p)[0].pieces[:1]}.pieces[0].html)
	limit := int64(len(whole) - 3*one + one/2)
	file := write(t, Options{MaxBytes: limit}, d, p)
	if int64(len(file)) > limit {
		t.Errorf("%d bytes of at most %d", len(file), limit)
	}
	if got := strings.Count(file, omittedWaterfall); got != 3 || !strings.Contains(file, "the last 3 of 10 other waterfalls.") {
		t.Errorf("%d waterfalls are left out, not 3, or it is not said", got)
	}
	if strings.Contains(file, `id="waterfall-9"`) || !strings.Contains(file, `id="waterfall-6"`) {
		t.Error("others than the last are left out")
	}
	if _, err := Island(strings.NewReader(file)); err != nil {
		t.Error(err)
	}
}

func TestWhatMayNotBeLeftOutIsWritten(t *testing.T) {
	d, p := stored(t, "summary_few"), exemplars(3)
	p.Sections[1].Blocks = []page.Block{page.Paragraph{Text: strings.Repeat("y", 5000)}}
	file := write(t, Options{MaxBytes: 1000}, d, p)
	root, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	top := root.all("header")[0].content()
	for _, said := range []string{"the last 3 of 3 folded sections", "the document as JSON, which -f json writes", "more than 1,000 bytes all the same"} {
		if !strings.Contains(top, said) {
			t.Errorf("the top does not say %q", said)
		}
	}
	if !strings.Contains(file, strings.Repeat("y", 5000)) {
		t.Error("what is never left out is left out")
	}
	if _, err := Island(strings.NewReader(file)); err == nil {
		t.Error("there is a document where it was left out")
	}
}

// listed returns a page with a table of so many rows of 100 characters, one of two rows and a total.
func listed(n int) page.Page {
	t := page.Table{ID: "long", Columns: []page.Column{{Head: "host", Text: true}, {Head: "n"}}}
	for i := range n {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("host-%03d%s", i, strings.Repeat("x", 92)), "1"})
	}
	t.Rows = append(t.Rows, []string{"total", fmt.Sprint(n)})
	short := page.Table{ID: "short", Caption: "short", Columns: t.Columns, Rows: [][]string{{"a", "1"}, {"b", "2"}}}
	return page.Page{Headline: "x", Sections: []page.Section{{ID: "answer"}, {ID: "lists", Title: "lists", Blocks: []page.Block{t, page.Paragraph{Text: "between"}, short}}}}
}

func TestLongFileLosesTheLastRowsOfLongTables(t *testing.T) {
	d, p := stored(t, "summary_few"), listed(400)
	least := len(write(t, Options{}, d, listed(1))) - len(islandOf(t, d)) + 1000
	for _, room := range []int{3000, 20_000, 60_000} {
		limit := int64(least + room)
		file := write(t, Options{MaxBytes: limit, Strict: true}, d, p)
		if int64(len(file)) > limit || int64(len(file)) < limit-400 {
			t.Errorf("%d bytes, want little less than %d", len(file), limit)
		}
		rows := strings.Count(file, "host-")
		for _, said := range []string{
			fmt.Sprintf("%d of 400 rows shown, to keep this file short", rows),
			fmt.Sprintf("the last rows of 1 table, %d in all.", 400-rows), "A larger --max-size leaves out less.", "the document as JSON, which -f json writes",
		} {
			if !strings.Contains(file, said) {
				t.Errorf("the file does not say %q", said)
			}
		}
		if rows < 2 || !strings.Contains(file, "<tfoot>") || !strings.Contains(file, `id="short"`) || strings.Contains(file, "2 of 2 rows") {
			t.Errorf("%d rows; a total or a short table is not there", rows)
		}
		if !strings.Contains(file, "host-000") || strings.Contains(file, "host-399") {
			t.Error("others than the last rows are left out")
		}
		if _, err := parse(file); err != nil {
			t.Error(err)
		}
	}
}

func islandOf(t *testing.T, d reports.Document) string {
	t.Helper()
	text, err := island(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A strict file is as short as it must be, or there is none; and what is told to be the least is enough.
func TestStrictFilesAreNeverTooLong(t *testing.T) {
	d, p := stored(t, "summary_few"), listed(400)
	var out strings.Builder
	err := Options{MaxBytes: 1000, Strict: true}.Write(&out, d, p)
	long, is := err.(*reports.TooLongError)
	if !is || out.Len() > 0 || long.Most != 1000 || long.Least <= 1000 {
		t.Fatalf("%v, and %d bytes were written", err, out.Len())
	}
	// The least that it tells of names a limit of few digits.
	if file := write(t, Options{MaxBytes: long.Least + 100, Strict: true}, d, p); int64(len(file)) > long.Least+100 {
		t.Errorf("%d bytes of at most %d", len(file), long.Least+100)
	}
	if err := (Options{MaxBytes: long.Least - 100, Strict: true}).Write(&out, d, p); err == nil {
		t.Error("it was made shorter than the least")
	}
}

func TestInputsAtTheEndAreAsManyAsAsked(t *testing.T) {
	d, p := stored(t, "summary_few"), listed(1)
	d.Inputs = nil
	for i := range 30 {
		d.Inputs = append(d.Inputs, reports.Input{Name: fmt.Sprint("file-", i)})
	}
	named := func(d reports.Document) int {
		root, err := parse(write(t, Options{}, d, p))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(root.all("footer")[0].content(), "file-")
	}
	if got := named(d); got != 30 {
		t.Errorf("%d of 30 inputs are named", got)
	}
	if got := named(d.Limited(4)); got != 4 || !strings.Contains(write(t, Options{}, d.Limited(4), p), "4 of 30 shown; the document as JSON names all") {
		t.Errorf("%d inputs are named, or it is not said how many there are", got)
	}
	if got := named(d.Limited(0)); got != 30 {
		t.Errorf("%d of 30 inputs are named", got)
	}
}
