package reports_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/reports"
)

// burst is an incident that begins k minutes into the window, in which so many request-seconds were
// waited.
func burst(k, waited int64) analyze.Incident {
	at := began + k*60_000*ms
	return analyze.Incident{
		Onset: at, Peak: at + 5_000*ms, Recovery: at + 20_000*ms, Recovered: true, Depth: 9, Hit: 10 + k%7, Slow: k % 3,
		Waited: stat.SumOf(waited * 1_000 * ms), LongestNS: 900 * ms, Beyond: 1.5,
	}
}

// TestIncidentsAreBounded draws captures with any number of incidents: a document lists those in
// which most was waited, as many as are asked for, in order of time under their own numbers; the
// others are summed up, and what is said of all does not change by what is listed.
func TestIncidentsAreBounded(t *testing.T) {
	q := analyze.QueueOf(served(260, 0, 60, 80), analyze.Options{Replicates: 50}, nil)
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		waited := rapid.SliceOfN(rapid.Int64Range(1, 40), 0, 250).Draw(t, "waited")
		listed := rapid.IntRange(-1, 260).Draw(t, "listed")
		q := q
		q.When.Known, q.When.Incidents = true, nil
		for k, s := range waited {
			q.When.Incidents = append(q.When.Incidents, burst(int64(k), s))
		}
		r := run("queue")
		usual := r.Queue(q).Queue.When
		r.Listed = listed
		d := r.Queue(q)
		w := d.Queue.When
		want := min(len(waited), max(listed, reports.MostIncidents))
		if listed < 0 {
			want = len(waited)
		}
		if len(w.Incidents) != want || w.All() != int64(len(waited)) || w.Words != usual.Words {
			t.Fatalf("%d of %d incidents are listed, want %d of %d: %q, %q", len(w.Incidents), w.All(), want, len(waited), w.Words, usual.Words)
		}
		hit, slow, sum, least, at := w.More.Hit, w.More.Slow, w.More.Waited, math.Inf(1), int64(0)
		has := map[int64]bool{}
		for _, i := range w.Incidents {
			if i.No <= at || i.Waited != float64(waited[i.No-1]) {
				t.Fatalf("incident %d after %d, with %v waited", i.No, at, i.Waited)
			}
			at, has[i.No] = i.No, true
			hit, slow, sum, least = hit+i.Hit, slow+i.Slow, sum+i.Waited, min(least, i.Waited)
		}
		for k, s := range waited {
			if in := burst(int64(k), s); !has[int64(k)+1] && float64(s) > least {
				t.Fatalf("incident %d has %d request-s and is not listed, one with %v is", k+1, s, least)
			} else {
				hit, slow, sum = hit-in.Hit, slow-in.Slow, sum-float64(s)
			}
		}
		if hit != 0 || slow != 0 || sum != 0 {
			t.Fatalf("what is listed and what is summed up are off by %d hit, %d slow, %v request-s", hit, slow, sum)
		}
		if fewer := d.Fewer(0); (len(fewer) > 0) != (w.More.N > 0) || len(fewer) > 0 && !cmp.Equal(fewer, []reports.CutList{{"queue.when.incidents", int64(want), int64(len(waited))}}) {
			t.Fatalf("%d incidents are left out, and told is %v", w.More.N, fewer)
		}
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEarlierDocumentsAreFilled: a document of this version that was written before incidents had
// numbers lists all of them, and its timeline told of five.
func TestEarlierDocumentsAreFilled(t *testing.T) {
	parts := partsOf(served(260, 0, 60, 80), analyze.ReportOptions{Options: analyze.Options{Replicates: 50}})
	parts.Queue.When.Known, parts.Queue.When.Incidents = true, nil
	for k := range int64(9) {
		parts.Queue.When.Incidents = append(parts.Queue.When.Incidents, burst(k, 1+k*7%30))
	}
	want := reportRun("x/").Report(reports.PostMortem, parts)
	dec := json.NewDecoder(bytes.NewReader(encoded(t, want)))
	dec.UseNumber()
	all := map[string]any{}
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	queue, report := all["queue"].(map[string]any), all["report"].(map[string]any)
	when := queue["when"].(map[string]any)
	delete(queue, "over_time")
	delete(report, "timeline_incidents")
	delete(when, "more_incidents")
	for _, in := range when["incidents"].([]any) {
		delete(in.(map[string]any), "no")
	}
	earlier, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reports.ReadJSON(bytes.NewReader(earlier))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := reports.ReadJSON(bytes.NewReader(encoded(t, want)))
	if diff := cmp.Diff(whole, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("the earlier document is read otherwise (-now +earlier): %v\n%s", err, diff)
	}
}

// TestTimelineFollowsTheLimit: a timeline tells of five incidents, or of as many more as are asked
// for, and says of how many.
func TestTimelineFollowsTheLimit(t *testing.T) {
	set := served(260, 0, 60, 80)
	parts := partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 50}})
	parts.Queue.When.Known, parts.Queue.When.Incidents = true, nil
	for k := range int64(30) {
		parts.Queue.When.Incidents = append(parts.Queue.When.Incidents, burst(k, 1+k*7%30))
	}
	for _, c := range []struct{ listed, want int }{{0, 5}, {3, 5}, {12, 12}, {100, 30}, {-1, 30}} {
		r := reportRun("x/")
		r.Listed = c.listed
		d := r.Report(reports.PostMortem, parts)
		onsets := 0
		for _, m := range d.Report.Timeline {
			if m.What == "onset: more requests wait in the queue than in quiet" {
				onsets++
			}
		}
		if onsets != c.want || d.Report.TimelineIncidents != int64(c.want) {
			t.Errorf("listed %d: the timeline has %d onsets and says %d, want %d", c.listed, onsets, d.Report.TimelineIncidents, c.want)
		}
	}
}

// TestStretchesCoverTheQueue: stretches of time follow each other without gaps, hold each request that
// is used once, and what waited in them adds up. A report has them elsewhere.
func TestStretchesCoverTheQueue(t *testing.T) {
	set := routed()
	q := analyze.QueueOf(set, analyze.Options{Replicates: 50, OverTime: true}, nil)
	d := run("queue").Queue(q).Queue
	n, waited := int64(0), 0.0
	for i, s := range d.OverTime {
		if s.ToNS <= s.FromNS || i > 0 && s.FromNS != d.OverTime[i-1].ToNS {
			t.Errorf("stretch %d is from %d to %d", i, s.FromNS, s.ToNS)
		}
		n += s.N
		if s.Depth != nil {
			waited += *s.Depth * float64(min(s.ToNS, d.When.EndNS)-max(s.FromNS, d.When.StartNS)) / 1e9
		}
	}
	if len(d.OverTime) < 10 || n != d.Summary.Population.Used || math.Abs(waited-d.When.Waited) > 1e-6 {
		t.Errorf("%d stretches hold %d of %d requests, in which %v of %v request-s were waited", len(d.OverTime), n, d.Summary.Population.Used, waited, d.When.Waited)
	}
	if of := reportRun("x/").Report(reports.Weekly, partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 50}})); len(of.Queue.OverTime) != 0 {
		t.Errorf("a report has %d stretches twice", len(of.Queue.OverTime))
	}
}
