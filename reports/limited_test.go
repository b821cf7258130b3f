package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

func TestLimitedListsAreCounted(t *testing.T) {
	docs := documents()
	for _, c := range []struct {
		document string
		rows     []int // one after the other
		want     []reports.CutList
	}{
		{"inspect_joined", []int{0}, nil},
		{"inspect_joined", []int{3}, nil},
		{"inspect_joined", []int{2}, []reports.CutList{{"inspect.services", 2, 3}, {"inspect.hosts", 2, 3}, {"inspect.scopes", 2, 3}}},
		{"inspect_joined", []int{1}, []reports.CutList{{"inspect.services", 1, 3}, {"inspect.hosts", 1, 3}, {"inspect.scopes", 1, 3}, {"inspect.readings", 1, 2}}},
		{"inspect_joined", []int{2, 1}, []reports.CutList{{"inspect.services", 1, 3}, {"inspect.hosts", 1, 3}, {"inspect.scopes", 1, 3}, {"inspect.readings", 1, 2}}},
		{"inspect_joined", []int{2, 0}, []reports.CutList{{"inspect.services", 2, 3}, {"inspect.hosts", 2, 3}, {"inspect.scopes", 2, 3}}},
		{"explain_joined", []int{1}, []reports.CutList{{"requests.1.told_by", 1, 3}, {"requests.2.told_by", 1, 3}}},
		{"summary_by", []int{1}, []reports.CutList{{"summary.by.groups", 1, 2}}},
		// Of the places 50 are listed whatever anybody asks for, unless they are while it is made.
		{"queue_routed", []int{0}, []reports.CutList{{"queue.where.2.places", 50, 78}}},
		{"queue_routed", []int{1}, []reports.CutList{{"queue.where.1.places", 1, 2}, {"queue.where.2.places", 1, 78}, {"queue.who.time_only", 1, 2}}},
		{"queue_routed", []int{1, 40}, []reports.CutList{{"queue.where.1.places", 1, 2}, {"queue.where.2.places", 1, 78}, {"queue.who.time_only", 1, 2}}},
		{"compare_by", []int{2}, []reports.CutList{{"compare.mix.3.values", 2, 6}, {"compare.by.groups", 2, 7}}},
		{"report_weekly", []int{1}, []reports.CutList{{"queue.summary.path.steps", 1, 9}, {"queue.where.2.places", 1, 2}}},
		{"summary_path", []int{7}, []reports.CutList{{"summary.path.steps", 7, 12}}},
		{"capacity", []int{1}, nil},
	} {
		d := docs[c.document]
		before := encoded(t, d)
		got := d
		for _, n := range c.rows {
			got = got.Limited(n)
		}
		if diff := cmp.Diff(append([]reports.CutList{}, c.want...), got.Limit.Cut); diff != "" || got.Limit.Rows != int64(c.rows[len(c.rows)-1]) {
			t.Errorf("%s, %v, of %d rows (-want +got):\n%s", c.document, c.rows, got.Limit.Rows, diff)
		}
		if !bytes.Equal(before, encoded(t, d)) {
			t.Errorf("%s: the document itself changed", c.document)
		}
		if again := got.Limited(c.rows[len(c.rows)-1]); !bytes.Equal(encoded(t, again), encoded(t, got)) {
			t.Errorf("%s, %v: cut twice it is another", c.document, c.rows)
		}
	}
}

// What is asked of a list when it is made is more than it has later.
func TestFewerNamesWhatADocumentDoesNotHold(t *testing.T) {
	docs := documents()
	for _, c := range []struct {
		document  string
		made, ask int
		want      []reports.CutList
	}{
		{"inspect_joined", -1, 0, nil},
		{"inspect_joined", 2, 2, nil},
		{"inspect_joined", 2, 3, []reports.CutList{{"inspect.services", 2, 3}, {"inspect.hosts", 2, 3}, {"inspect.scopes", 2, 3}}},
		{"queue_routed", -1, 50, nil},
		{"queue_routed", -1, 51, []reports.CutList{{"queue.where.2.places", 50, 78}}},
		{"queue_routed", -1, 0, []reports.CutList{{"queue.where.2.places", 50, 78}}},
	} {
		d := docs[c.document]
		if c.made >= 0 {
			d = d.Limited(c.made)
		}
		if diff := cmp.Diff(c.want, d.Fewer(c.ask)); diff != "" {
			t.Errorf("%s of %d, asked for %d (-want +got):\n%s", c.document, c.made, c.ask, diff)
		}
	}
	d := docs["explain"]
	d.Requests = slices.Clone(d.Requests)
	d.Requests[0].RowsOmitted = 7
	n := int64(len(d.Requests[0].Rows))
	if got := d.Fewer(0); !cmp.Equal(got, []reports.CutList{{"requests.1.rows", n, n + 7}}) {
		t.Errorf("spans without a row: %v", got)
	}
}

// Asked for more, an analysis lists more, and no other figure changes by it.
func TestMoreIsListedWhenAsked(t *testing.T) {
	made := func(listed int) reports.Document {
		q := analyze.QueueOf(routed(), analyze.Options{Replicates: 100, Listed: listed}, []filter.Key{{Name: "model"}})
		return run("queue").Queue(q)
	}
	usual, more, all := made(0), made(55), made(-1)
	for _, c := range []struct {
		d             reports.Document
		listed, other int
	}{{usual, 50, 28}, {made(5), 50, 28}, {more, 55, 23}, {all, 78, 0}} {
		w := c.d.Queue.Where[0]
		others := int64(0)
		if w.Others != nil {
			others = w.Others.N
		}
		n := others
		for _, p := range w.Places {
			n += p.N
		}
		if len(w.Places) != c.listed || n != w.N || (others > 0) != (c.other > 0) || w.Values != 78 {
			t.Errorf("%d places and others of %d requests, %d of %d in all", len(w.Places), others, n, w.N)
		}
	}
	for _, d := range []reports.Document{more, all} {
		if got, want := d.Queue.Where[0], usual.Queue.Where[0]; got.Kind != want.Kind || got.Words != want.Words || !cmp.Equal(got.Test, want.Test) {
			t.Errorf("%s: %s, not %s", got.Kind, got.Words, want.Words)
		}
	}
}

// TestCutDocumentsHold draws documents with lists of any length, and cuts them twice: they satisfy the
// schema, no list is too long, and what is shown and what is cut are all that there was.
func TestCutDocumentsHold(t *testing.T) {
	schema := compiled(t)
	docs := documents()
	names := []string{"inspect_joined", "queue_routed", "summary_by", "compare", "compare_by", "explain_joined", "report_streams"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "document")
		d := lengthened(t, docs[name])
		rows := []int{rapid.IntRange(0, 12).Draw(t, "rows"), rapid.IntRange(0, 12).Draw(t, "rows again")}
		cut := d.Limited(rows[0]).Limited(rows[1])
		if err := validate(t, schema, encoded(t, cut)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		had, has := decoded(t, d), decoded(t, cut)
		for _, x := range cut.Limit.Cut {
			if n := len(listAt(t, has, x.List)); int64(n) != x.Shown || x.Shown >= x.Of {
				t.Fatalf("%s has %d rows, and %d of %d are told", x.List, n, x.Shown, x.Of)
			}
			if n := int64(len(listAt(t, had, x.List))); n > x.Of || n < x.Of && !strings.HasSuffix(x.List, "places") && !strings.HasSuffix(x.List, "values") && !strings.HasSuffix(x.List, "groups") {
				t.Fatalf("%s had %d rows, and %d are told", x.List, n, x.Of)
			}
		}
		sumsHold(t, d, cut)
		if least := min(nonzero(rows[0]), nonzero(rows[1])); cut.Queue != nil {
			for _, w := range cut.Queue.Where {
				if len(w.Places) > least {
					t.Fatalf("%d places of at most %d", len(w.Places), least)
				}
			}
		}
	})
}

func nonzero(n int) int {
	if n == 0 {
		return 1 << 30
	}
	return n
}

// lengthened returns a document with more rows in some of its lists.
func lengthened(t *rapid.T, d reports.Document) reports.Document {
	if d.Queue != nil {
		q := *d.Queue
		q.Where = slices.Clone(q.Where)
		for i, w := range q.Where {
			if len(w.Places) == 0 {
				continue
			}
			w.Places = slices.Clone(w.Places)
			for range rapid.IntRange(0, 15).Draw(t, "places") {
				p := w.Places[rapid.IntRange(0, len(w.Places)-1).Draw(t, "place")]
				if p.Share != nil {
					p.Share = new(float64) // so that shares still add up
				}
				w.Places, w.Values, w.N = append(w.Places, p), w.Values+1, w.N+p.N
			}
			q.Where[i] = w
		}
		if n := rapid.IntRange(0, 15).Draw(t, "findings"); len(q.Who.Findings) > 0 {
			q.Who.Findings = slices.Repeat(q.Who.Findings, 1+n)
		}
		d.Queue = &q
	}
	if d.Summary != nil && d.Summary.By != nil {
		s, by := *d.Summary, *d.Summary.By
		by.Groups = slices.Repeat(by.Groups, 1+rapid.IntRange(0, 5).Draw(t, "groups"))
		s.By = &by
		d.Summary = &s
	}
	if d.Compare != nil {
		c := *d.Compare
		c.Mix = slices.Clone(c.Mix)
		for i := range c.Mix {
			c.Mix[i].Values = slices.Repeat(c.Mix[i].Values, 1+rapid.IntRange(0, 20).Draw(t, "values"))
			c.Mix[i].MoreValues = int64(rapid.IntRange(0, 3).Draw(t, "more values"))
		}
		d.Compare = &c
	}
	return d
}

// sumsHold checks that what sums up the rows that are cut takes up all of them.
func sumsHold(t *rapid.T, d, cut reports.Document) {
	if d.Queue != nil {
		for i, w := range d.Queue.Where {
			was, wasLong := placed(w)
			if n, long := placed(cut.Queue.Where[i]); n != was || long != wasLong {
				t.Fatalf("%s: %d requests and %d long waits, not %d and %d", w.Key, n, long, was, wasLong)
			}
			if sum := cut.Queue.Where[i].ShareTenths(); sum != nil && len(w.Places) > 0 {
				total := int64(0)
				for _, s := range sum {
					total += s
				}
				if total != 1000 {
					t.Fatalf("%s: shares add up to %d", w.Key, total)
				}
			}
		}
	}
	if d.Summary != nil && d.Summary.By != nil {
		if a, b := grouped(*d.Summary.By), grouped(*cut.Summary.By); a != b {
			t.Fatalf("groups, requests and slow ones: %v, not %v", b, a)
		}
	}
	if d.Compare != nil {
		for i, m := range d.Compare.Mix {
			if x := cut.Compare.Mix[i]; int64(len(m.Values))+m.MoreValues != int64(len(x.Values))+x.MoreValues {
				t.Fatalf("%s: %d values and %d more", m.Column, len(x.Values), x.MoreValues)
			}
		}
	}
}

func placed(w reports.Where) (n, long int64) {
	for _, p := range w.Places {
		n, long = n+p.N, long+p.Long
	}
	if w.Others != nil {
		n, long = n+w.Others.N, long+w.Others.Long
	}
	return n, long
}

func grouped(b reports.By) [3]int64 {
	out := [3]int64{int64(len(b.Groups)) + b.OtherGroups, b.OtherN, b.OtherSlow}
	for _, g := range b.Groups {
		out[1], out[2] = out[1]+g.N, out[2]+g.Slow
	}
	return out
}

func decoded(t failer, d reports.Document) any {
	var v any
	if err := json.Unmarshal(encoded(t, d), &v); err != nil {
		t.Fatalf("%v", err)
	}
	return v
}

// listAt returns the list at a path of the JSON, whose numbers are places that count from 1.
func listAt(t failer, v any, path string) []any {
	for word := range strings.SplitSeq(path, ".") {
		if n, err := strconv.Atoi(word); err == nil {
			v = v.([]any)[n-1]
			continue
		}
		v = v.(map[string]any)[word]
	}
	list, is := v.([]any)
	if !is {
		t.Fatalf("%s", fmt.Sprintf("%s is no list", path))
	}
	return list
}
