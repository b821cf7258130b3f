package reports_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// TestMixedInRequestsAreSaid: the number in use and the sentences of summary, queue and
// compare say how many requests are in that are usually left out, and only then.
func TestMixedInRequestsAreSaid(t *testing.T) {
	set := incident(2000, never) // 12 fail and 5 lack a part
	for i := range set.Requests.Len() {
		set.Requests.Aborted[i] = i%500 == 11
	}
	for _, c := range []struct {
		opt             analyze.Options
		words, sentence string
	}{
		{analyze.Options{}, "", ""},
		{analyze.Options{Errors: analyze.Include}, "12 of them failed, 4 given up", "; 12 of the 1,995 requests failed, 4 were given up"},
		{analyze.Options{Incomplete: analyze.Include}, "5 of them incomplete", "; 5 of the 1,984 requests are incomplete"},
		{analyze.Options{Errors: analyze.Include, Incomplete: analyze.Include}, "12 of them failed, 4 given up, 5 incomplete", "; 12 of the 2,000 requests failed, 4 were given up, 5 are incomplete"},
	} {
		summary := run("summary").Summary(analyze.Summarize(set, c.opt))
		if got := summary.Summary.Population.Words; got != c.words {
			t.Errorf("%+v: %q, want %q", c.opt, got, c.words)
		}
		queue := run("queue").Queue(analyze.QueueOf(set, c.opt, nil))
		for name, headline := range map[string]string{"summary": summary.Headline, "queue": queue.Headline, "first token": queue.Queue.TTFTWords} {
			if !strings.HasSuffix(headline, c.sentence) || c.sentence == "" && strings.Contains(headline, "requests failed") {
				t.Errorf("%s, %+v: %q", name, c.opt, headline)
			}
		}
		d := run("compare").Compare(analyze.Compare(set, served(400, 7200, 60, 80), c.opt, change.Rule{}), reports.Compared{}, reports.Compared{})
		if want := strings.Replace(c.sentence, "requests ", "requests of base ", 1); !strings.Contains(d.Headline, want) || c.sentence == "" && strings.Contains(d.Headline, "requests of base") {
			t.Errorf("compare, %+v: %q", c.opt, d.Headline)
		}
	}
	all := run("summary").Summary(analyze.Summarize(incident(2000, never), analyze.Options{Errors: analyze.Only}))
	if !strings.HasSuffix(all.Headline, "; all 12 requests failed") || all.Summary.Population.Words != "all of them failed" {
		t.Errorf("%q", all.Headline)
	}
}

// TestSentencesOfKeptTracesSaySo: whatever samples of either side are like, every verdict of
// requests that were not all kept alike says that it is among kept traces, and no other.
func TestSentencesOfKeptTracesSaySo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.SampledFrom([]func(i int) float64{never, func(int) float64 { return 4 }, func(i int) float64 { return float64(1 + i%2) }, func(i int) float64 { return float64(i % 2) }})
		var sets [2]*table.Set
		var kept [2]bool
		for s := range sets {
			w := weight.Draw(t, "weight")
			sets[s], kept[s] = incident(300, w), w(0) != w(1)
		}
		s := analyze.Summarize(sets[0], analyze.Options{Replicates: 20})
		q := run("queue").Queue(analyze.QueueOf(sets[0], analyze.Options{Replicates: 20}, nil))
		for _, text := range []string{run("summary").Summary(s).Headline, q.Headline, q.Queue.TTFTWords} {
			if strings.Contains(text, "among kept traces") != kept[0] {
				t.Fatalf("kept unlike %v: %q", kept[0], text)
			}
		}
		d := run("compare").Compare(analyze.Compare(sets[0], sets[1], analyze.Options{Replicates: 20}, change.Rule{}), reports.Compared{}, reports.Compared{})
		if strings.Contains(d.Headline, "among kept traces") != (kept[0] || kept[1]) {
			t.Fatalf("kept unlike %v: %q", kept, d.Headline)
		}
		if strings.Contains(d.Headline, "kept traces alone") != (kept[0] != kept[1]) {
			t.Fatalf("kept unlike %v: %q", kept, d.Headline)
		}
	})
}

// whole rounds the times of requests to seconds, and takes their first tokens away.
func whole(set *table.Set) *table.Set {
	r := &set.Requests
	for i := range r.Len() {
		for k := range r.Stage {
			r.Stage[k][i], r.TTFTStage[k][i] = (r.Stage[k][i]+500*ms)/(1000*ms)*(1000*ms), 0
		}
		r.Duration[i] = 0
		for k := range r.Stage {
			r.Duration[i] += r.Stage[k][i]
		}
		r.Start[i] = r.Start[i] / (1000 * ms) * (1000 * ms)
		r.End[i] = r.Start[i] + r.Duration[i]
		r.FirstToken[i], r.TTFT[i] = table.Missing, table.Missing
	}
	return set
}

// unlike compares requests of which some failed, were given up or lack a part with others
// whose times are whole seconds.
func unlike() reports.Document {
	base, new := served(150, 0, 60, 80), whole(served(140, 7200, 3000, 80))
	for i := range base.Requests.Len() {
		base.Requests.Aborted[i] = i%70 == 11
		if i%50 == 7 {
			base.Requests.Class[i] = uint8(critical.Incomplete)
		}
	}
	r := run("compare", "before/", "after/", "--errors", "include", "--incomplete", "include")
	r.Operands = []string{"after/"}
	c := analyze.Compare(base, new, analyze.Options{Replicates: 200, Errors: analyze.Include, Incomplete: analyze.Include, Force: true}, change.Rule{})
	return r.Compare(c, reports.Compared{Label: "before", Files: []string{"before/spans.jsonl"}}, reports.Compared{Label: "after", Files: []string{"after/spans.jsonl"}})
}

// TestArtefactsAreInTheVerdictLine: what one side alone has that may make a difference is in
// the sentence and in the verdict, with its side; and where nothing has changed, that it may
// hide a change.
func TestArtefactsAreInTheVerdictLine(t *testing.T) {
	calm := func() *table.Set { return served(1200, 0, 60, 80) }
	for _, c := range []struct {
		base, new *table.Set
		want      string
		artefacts []reports.SideArtefact
	}{
		{calm(), whole(served(1200, 7200, 3000, 80)), "; the difference may be an artefact: new has times in whole steps of 1 s", []reports.SideArtefact{{ID: analyze.WholeSeconds, Side: "new", Is: "times in whole steps of 1 s"}}},
		{whole(served(1200, 7200, 3000, 80)), calm(), "; the difference may be an artefact: base has times in whole steps of 1 s", []reports.SideArtefact{{ID: analyze.WholeSeconds, Side: "base", Is: "times in whole steps of 1 s"}}},
		{calm(), slowLeftOut(served(1200, 7200, 60, 81)), "; a change may be hidden, or made up for: new has slow requests that were left out", []reports.SideArtefact{{ID: analyze.Survivorship, Side: "new", Is: "slow requests that were left out"}}},
		{calm(), served(1200, 7200, 900, 80), "", nil},
	} {
		d := compared(c.base, c.new)
		if !strings.HasSuffix(d.Headline, c.want) || c.want == "" && strings.Contains(d.Headline, "artefact") {
			t.Errorf("%q, want %q", d.Headline, c.want)
		}
		if got := d.Compare.Verdict.Artefacts; len(got) != len(c.artefacts) || len(got) > 0 && got[0] != c.artefacts[0] {
			t.Errorf("%v, want %v", got, c.artefacts)
		}
		if err := validate(t, compiled(t), encoded(t, d)); err != nil {
			t.Error(err)
		}
	}
}

// slowLeftOut adds requests that never ended, which began early.
func slowLeftOut(set *table.Set) *table.Set {
	r := &set.Requests
	first := r.Start[0]
	for range 20 {
		row := r.Grow()
		r.TraceID[row][0], r.TraceID[row][1] = 0xfe, byte(row)
		r.Class[row], r.Start[row] = uint8(critical.Unfinished), first
	}
	return set
}
