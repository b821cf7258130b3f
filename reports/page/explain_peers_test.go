package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

// comparedWith is a request of 9 s, 8 of them in the queue, among others: medians of usual
// requests and of those that are alike, of the queue and of gpu, in ms; nil for too few.
func comparedWith(usual, alike []int64, a *reports.Alike) reports.Request {
	const ms = 1_000_000
	r := reports.Request{DurationNS: 9000 * ms, Standing: reports.Standing{Body: 3, Alike: a}}
	for k, x := range []struct {
		stage string
		ns    int64
	}{{"queue", 8000 * ms}, {"gpu", 1000 * ms}} {
		d := reports.StageDifference{Stage: x.stage, NS: x.ns}
		if usual != nil {
			d.MedianNS = to(usual[k] * ms)
		}
		if alike != nil {
			d.AlikeNS = to(alike[k] * ms)
		}
		r.Standing.Stages = append(r.Standing.Stages, d)
	}
	return r
}

// TestPeersAreThoseThatThereAre: a comparison with too few requests has no columns.
func TestPeersAreThoseThatThereAre(t *testing.T) {
	known := &reports.Alike{Model: "llama", Least: 750, Most: 1250, N: 23, Faster: 23, MedianNS: to(int64(950_000_000))}
	few := &reports.Alike{Model: "llama", Least: 750, Most: 1250, N: 1}
	for _, c := range []struct {
		name         string
		r            reports.Request
		title, peers string
		rows         [][]string
	}{
		{
			"both", comparedWith([]int64{0, 900}, []int64{10, 940}, known), "against the stage medians of 3 usual requests (ranks 40 to 60 %) and of 23 alike, ms", "",
			[][]string{{"queue", "8000", "0", "+8000", "10", "+7990"}, {"gpu", "1000", "900", "+100", "940", "+60"}},
		},
		{
			"usual alone", comparedWith([]int64{0, 900}, nil, few), "against the stage medians of 3 usual requests (ranks 40 to 60 %), ms", "",
			[][]string{{"queue", "8000", "0", "+8000"}, {"gpu", "1000", "900", "+100"}},
		},
		{
			"alike alone", comparedWith(nil, []int64{10, 940}, known), "against the stage medians of 23 requests that are alike, ms", "3 usual requests are too few to compare with",
			[][]string{{"queue", "8000", "10", "+7990"}, {"gpu", "1000", "940", "+60"}},
		},
		{"neither", comparedWith(nil, nil, few), "", "3 usual requests are too few to compare with", nil},
	} {
		b := newBuilder(Options{})
		b.peers(c.r, "")
		var title, peers string
		var rows [][]string
		for _, s := range b.page.Sections {
			title = s.Title
			for _, x := range s.Blocks {
				switch x := x.(type) {
				case Labelled:
					if x.Tone == Plain {
						peers = x.Text
					}
				case Table:
					rows = x.Rows
				}
			}
		}
		if diff := cmp.Diff(c.rows, rows); diff != "" || title != c.title || peers != c.peers {
			t.Errorf("%s: title %q, peers %q\n%s", c.name, title, peers, diff)
		}
	}
}

// TestAlikeSaysWhatItAskedFor: what the others asked for, how many are faster, and where most of
// the difference is.
func TestAlikeSaysWhatItAskedFor(t *testing.T) {
	median := to(int64(950_000_000))
	for _, c := range []struct {
		alike *reports.Alike
		want  string
	}{
		{nil, ""},
		{
			&reports.Alike{Model: "llama", Least: 750, Most: 1250, N: 23, Faster: 20, Ties: 1, MedianNS: median},
			"slower than 20 of 23 other requests of the same model with 750 to 1,250 prompt tokens, as slow as 1; their median is 950 ms, and most of the difference in queue: 8.00 s, median 10.0 ms",
		},
		{&reports.Alike{Least: 750, Most: 1250, N: 1}, "1 other request with 750 to 1,250 prompt tokens: too few to compare with"},
		{&reports.Alike{Model: "llama", Least: 1, Most: 1, N: 2}, "2 other requests of the same model with 1 prompt token: too few to compare with"},
		{ // slow only by what is in no stage's median
			&reports.Alike{Model: "llama", Least: 0, Most: 0, N: 7, Faster: 0, Ties: 7, MedianNS: to(int64(9_000_000_000))},
			"slower than 0 of 7 other requests of the same model with 0 prompt tokens, as slow as 7; their median is 9.00 s",
		},
	} {
		var medians []int64
		if c.alike != nil && c.alike.MedianNS != nil {
			medians = []int64{10, 940}
		}
		b := newBuilder(Options{})
		b.alike(comparedWith(nil, medians, c.alike))
		got := ""
		if s := b.page.Sections; len(s) > 0 {
			for _, x := range s[0].Blocks {
				if x, is := x.(Labelled); is {
					got += x.Text
				}
			}
		}
		if got != c.want {
			t.Errorf("%+v:\n%q, want\n%q", c.alike, got, c.want)
		}
	}
}
