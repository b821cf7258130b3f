package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// served is a chat service for as many seconds as it has requests, which wait up to so
// many ms for the engine and get up to so many tokens more than 40, every other one of
// them the least given at least.
func served(n int, from, waitMS, tokens int64, least ...int64) *table.Set {
	set := table.NewSet()
	d := dice(from + waitMS + tokens)
	for i := range n {
		var t [analyze.StageCount]int64
		t[stage.Network], t[stage.Gateway] = d.roll(400*us, 3*ms), d.roll(2*ms, 12*ms)
		t[stage.Queue] = d.roll(1*ms, waitMS*ms)
		t[stage.Scheduling], t[stage.Transfer], t[stage.Unattributed] = d.roll(1*ms, 6*ms), d.roll(100*us, 900*us), d.roll(0, 5*ms)
		produced := 40 + d.roll(0, tokens)
		if least != nil && i%2 == 0 {
			produced = 40 + d.roll(least[0], tokens)
		}
		decode := produced * d.roll(19*ms, 27*ms)
		t[stage.GPU] = d.roll(80*ms, 400*ms) + decode
		row := request(set, i, began+from*1_000*ms+int64(i)*1_000*ms+d.roll(0, 900*ms), t, decode, produced)
		if d.roll(1, 100*60) <= waitMS {
			set.Requests.Error[row] = true
		}
	}
	return set
}

// compared makes the document of a comparison.
func compared(base, new *table.Set) reports.Document {
	r := run("compare", "before/", "after/")
	r.Operands = []string{"after/"}
	r.Quality = analyze.Issues(new)
	c := analyze.Compare(base, new, analyze.Options{Replicates: 200, Force: true}, change.Rule{})
	return r.Compare(c, reports.Compared{Label: "before", Files: []string{"before/spans.jsonl"}}, reports.Compared{Label: "after", Files: []string{"after/spans.jsonl"}})
}

// twoTimes makes the document of a comparison of two times of one capture: quiet for 400 s, then
// busy for 300, from when on requests ask for more.
func twoTimes() reports.Document {
	set := served(700, 0, 60, 80)
	d, at := dice(7), began+400*1_000*ms
	for i := range set.Requests.Len() {
		if r := &set.Requests; r.Start[i] >= at {
			by := d.roll(0, 900*ms)
			r.Stage[stage.Queue][i] += by
			r.TTFTStage[stage.Queue][i] += by
			r.FirstToken[i], r.TTFT[i] = r.FirstToken[i]+by, r.TTFT[i]+by
			r.End[i], r.Duration[i] = r.End[i]+by, r.Duration[i]+by
			r.OutputTokens[i] += 60
		}
	}
	opt := analyze.Options{
		Replicates: 200, During: &analyze.Interval{Start: at, End: began + 700*1_000*ms},
		Base: analyze.Platform{During: &analyze.Interval{Start: analyze.OpenStart, End: at}},
	}
	night := reports.Compared{Label: "night", Files: []string{"incident/spans.jsonl"}}
	return run("compare", "incident/").Compare(analyze.Compare(set, set, opt, change.Rule{}), night, night)
}

// TestTwoTimesOfOneCapture: a document says that both sides are of one capture, and of which time
// each; that requests ask for something else is told, and refuses nothing.
func TestTwoTimesOfOneCapture(t *testing.T) {
	d := twoTimes()
	c := d.Compare
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Error(err)
	}
	base, new := c.Base.Population, c.New.Population
	if !c.OneCapture || len(c.Refused) > 0 || len(c.Untold) > 0 || base.Used == 0 || new.Used == 0 {
		t.Errorf("one capture: %v, refused %q, untold %q, %d and %d requests", c.OneCapture, c.Refused, c.Untold, base.Used, new.Used)
	}
	if base.SinceNS != nil || base.UntilNS == nil || new.SinceNS == nil || *base.UntilNS != *new.SinceNS || new.UntilNS == nil {
		t.Errorf("times %v to %v, and %v to %v", base.SinceNS, base.UntilNS, new.SinceNS, new.UntilNS)
	}
	page := drawn(t, d)
	for _, want := range []string{
		"base         night: ", " requests, starting before 2026-", "new          night: ", " requests, starting from 2026-",
		"caveat: the median of output tokens is ", " (unlike-context)\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	c.Verdict.Kind = string(analyze.ChangeDescribes)
	if here := c.Sentence(); !strings.Contains(here, " in this capture, not proven to last: ") {
		t.Errorf("%q", here)
	}
}

// comparisons adds the documents of comparisons.
func comparisons(out map[string]reports.Document) {
	out["compare"] = compared(served(1200, 0, 60, 80), served(1400, 7200, 900, 110))
	out["compare_empty"] = compared(table.NewSet(), served(300, 0, 60, 80))
	out["compare_few"] = compared(served(15, 0, 60, 80), served(30, 7200, 60, 110))
	blind := served(400, 0, 60, 80)
	for i := range blind.Requests.Len() {
		r := &blind.Requests
		r.Stage[stage.Unattributed][i] += r.Stage[stage.Queue][i]
		r.TTFTStage[stage.Unattributed][i] += r.TTFTStage[stage.Queue][i]
		r.Stage[stage.Queue][i], r.TTFTStage[stage.Queue][i] = 0, 0
		r.Clock[i] = table.ClockNone
	}
	out["compare_unlike"] = unlike()
	out["compare_times"] = twoTimes()
	out["compare_by"] = byModel()
	out["compare_blind"] = compared(blind, served(400, 7200, 60, 80))
}

func TestCompareHeadlines(t *testing.T) {
	calm := served(1200, 0, 60, 80)
	for _, c := range []struct {
		name      string
		base, new *table.Set
		begins    string
		holds     string
		next      string
	}{
		{"slower", calm, served(1200, 7200, 900, 80), "slower: p99 of duration went from ", "in queue; requests ask for the same as before", "tailpath queue after/"},
		{"faster", served(1200, 7200, 900, 80), calm, "faster: p99 of duration went from ", "in queue; requests ask for the same as before", "tailpath queue after/"},
		{"same", calm, served(1200, 7200, 60, 81), "no change that counts: p99 of duration is ", "n = 1,1", "tailpath explain after/ --slowest 5"},
		{"workload", calm, served(1200, 7200, 60, 80, 65), "slower: p50 of duration went from ", "because requests ask for something else (prompt_tokens p50 ", "tailpath explain after/ --slowest 5"},
		{"longer", calm, served(1200, 7200, 60, 160), "slower: p99 of duration went from ", "): alike requests take x1.0", "tailpath explain after/ --slowest 5"},
		{"too far", calm, served(1200, 7200, 60, 400, 150), "slower: p99 of duration went from ", "and too few are alike to tell how much of it that is", "tailpath explain after/ --slowest 5"},
		{"few", served(12, 0, 60, 80), calm, "too few requests to compare: p50 takes 20 requests on either side", "", "tailpath explain after/ --slowest 5"},
		{"none", table.NewSet(), calm, "nothing to compare: no request was found in base", "", "tailpath inspect after/"},
	} {
		d := compared(c.base, c.new)
		if !strings.HasPrefix(d.Headline, c.begins) || !strings.Contains(d.Headline, c.holds) || d.Next != c.next {
			t.Errorf("%s: %q, next %q", c.name, d.Headline, d.Next)
		}
	}
}

// TestComparedNumbersAddUp checks the integers of a comparison: parts add up to the
// total on both sides and in the difference, workload and server to the change.
func TestComparedNumbersAddUp(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 150)
		d := compared(served(size.Draw(t, "base"), 0, rapid.Int64Range(1, 900).Draw(t, "wait"), 80), served(size.Draw(t, "new"), 7200, 60, rapid.Int64Range(1, 200).Draw(t, "tokens")))
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatalf("%v", err)
		}
		for _, m := range d.Compare.Metrics {
			var splits []reports.ChangeSplit
			if m.Mean != nil {
				splits = append(splits, *m.Mean)
			}
			for _, a := range m.At {
				splits = append(splits, a.ChangeSplit)
			}
			for _, b := range m.Bands {
				splits = append(splits, b.ChangeSplit)
			}
			for _, s := range splits {
				if len(s.Parts) == 0 {
					continue
				}
				left := s.Total
				for _, p := range s.Parts {
					left.BaseNS, left.NewNS, left.DifferenceNS = left.BaseNS-p.BaseNS, left.NewNS-p.NewNS, left.DifferenceNS-p.DifferenceNS
				}
				if left.BaseNS != 0 || left.NewNS != 0 || left.DifferenceNS != 0 {
					t.Fatalf("%s: parts leave %s", m.Metric, fmt.Sprint(left))
				}
			}
			for _, p := range m.Percentiles {
				if e := p.Equal; e != nil && e.WorkloadNS+e.ServerNS+e.UnmatchedNS != *p.NewNS-*p.BaseNS {
					t.Fatalf("%s of %s: %+v", p.P, m.Metric, *e)
				}
			}
		}
	})
}
