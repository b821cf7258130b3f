package reports_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

func TestBannerWarnsOfEachLimitThatIsCrossed(t *testing.T) {
	plain := func() *table.Set { return served(260, 0, 60, 80) }
	warned := func(set *table.Set, o analyze.ReportOptions) map[string]bool {
		o.Replicates = 50
		ids := map[string]bool{}
		for _, w := range reportRun("x/").Report(reports.Weekly, partsOf(set, o)).Report.Banner {
			if ids[w.ID] = true; w.Text == "" {
				t.Errorf("%s says nothing", w.ID)
			}
		}
		return ids
	}
	if ids := warned(plain(), analyze.ReportOptions{}); len(ids) != 0 {
		t.Errorf("a capture without faults has %v", ids)
	}
	blind := plain()
	for i := range blind.Requests.Len() {
		r := &blind.Requests
		r.Stage[stage.Unattributed][i] += r.Stage[stage.GPU][i]
		r.Stage[stage.GPU][i] = 0
	}
	cut := plain()
	for i := range 20 {
		cut.Requests.Class[i] = uint8(critical.Incomplete)
	}
	few := plain()
	for i := range 13 {
		few.Requests.Class[i] = uint8(critical.Incomplete)
	}
	kept := plain()
	for i := range kept.Requests.Len() {
		kept.Requests.Weight[i] = float64(1 + 9*(i%2))
	}
	off := func(ns, err int64) *table.Set {
		set := served(260, 0, 900, 80)
		i := set.Clocks.Grow()
		set.Clocks.Clock[i], set.Clocks.Reference[i] = set.Symbols.Intern("gpu-1"), set.Symbols.Intern("edge-1")
		set.Clocks.From[i], set.Clocks.To[i], set.Clocks.Known[i] = began, began+3_600_000*ms, true
		set.Clocks.Offset[i], set.Clocks.Error[i] = ns, err
		return set
	}
	week := analyze.WeekAt(began, nil)
	for _, c := range []struct {
		name string
		set  *table.Set
		o    analyze.ReportOptions
		id   string
		want bool
	}{
		{"unattributed time", blind, analyze.ReportOptions{}, reports.MuchUnattributed, true},
		{"more than a twentieth incomplete", cut, analyze.ReportOptions{}, reports.ManyIncomplete, true},
		{"a twentieth incomplete", few, analyze.ReportOptions{}, reports.ManyIncomplete, false},
		{"traces kept unlike", kept, analyze.ReportOptions{}, reports.SampledTraces, true},
		{"a clock a minute off", off(-60_000*ms, ms), analyze.ReportOptions{}, reports.ClockRanking, true},
		{"a clock a microsecond off", off(us, 0), analyze.ReportOptions{}, reports.ClockRanking, false},
		{"a clock that may be right", off(60_000*ms, 61_000*ms), analyze.ReportOptions{}, reports.ClockRanking, false},
		{"a week of five minutes", plain(), analyze.ReportOptions{Week: &week}, reports.WeekIncomplete, true},
	} {
		if got := warned(c.set, c.o)[c.id]; got != c.want {
			t.Errorf("%s: %s is %v", c.name, c.id, got)
		}
	}
}

func TestUnattributedIsABottleneckOfItsOwn(t *testing.T) {
	set := incident(2000, never)
	for i := range set.Requests.Len() {
		r := &set.Requests
		r.Stage[stage.Unattributed][i], r.Stage[stage.Queue][i] = r.Stage[stage.Queue][i], r.Stage[stage.Unattributed][i]
	}
	for i, k := range set.Segments.Stage {
		switch stage.Stage(k) {
		case stage.Queue:
			set.Segments.Stage[i] = uint8(stage.Unattributed)
		case stage.Unattributed:
			set.Segments.Stage[i] = uint8(stage.Queue)
		}
	}
	d := reportRun("x/").Report(reports.Weekly, partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 50}}))
	b := d.Report.Bottlenecks[0]
	if b.Stage != "unattributed" || b.Detail != "" || b.Confidence != "describes" || !strings.HasPrefix(b.Words, "not recorded") || !strings.HasPrefix(b.Check, "tailpath inspect ") {
		t.Errorf("%+v", b)
	}
	if !strings.HasPrefix(d.Next, "tailpath inspect ") {
		t.Errorf("next is %q", d.Next)
	}
}

// TestMoverCombinesIntervals holds it to what it is for: alike and symmetric intervals give that
// of a difference of two means, and no interval is narrower than one of the two.
func TestMoverCombinesIntervals(t *testing.T) {
	if low, high := reports.Mover(10, 7, 13, 4, 0, 8); low != 1 || high != 11 {
		t.Errorf("10 ± 3 less 4 ± 4 is from %v to %v, want 6 ± 5", low, high)
	}
	// By hand: 0.6 (0.5, 0.8) less 0.3 (0.2, 0.5): 0.3 - sqrt(0.01 + 0.04), 0.3 + sqrt(0.04 + 0.01).
	low, high := reports.Mover(0.6, 0.5, 0.8, 0.3, 0.2, 0.5)
	if math.Abs(low-0.0763932) > 1e-6 || math.Abs(high-0.5236068) > 1e-6 {
		t.Errorf("it is from %v to %v", low, high)
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (v, low, high float64) {
			v = rapid.Float64Range(-1e12, 1e12).Draw(t, name)
			return v, v - rapid.Float64Range(0, 1e12).Draw(t, name+" low"), v + rapid.Float64Range(0, 1e12).Draw(t, name+" high")
		}
		a, la, ha := draw("a")
		b, lb, hb := draw("b")
		low, high := reports.Mover(a, la, ha, b, lb, hb)
		const slack = 1e-3 // of 1e12
		if low > a-b-max(a-la, hb-b)+slack || high < a-b+max(ha-a, b-lb)-slack || low < a-b-(a-la)-(hb-b)-slack || high > a-b+(ha-a)+(b-lb)+slack {
			t.Fatalf("from %v to %v", low, high)
		}
		back, forth := reports.Mover(b, lb, hb, a, la, ha)
		if back != -high || forth != -low {
			t.Fatalf("the other way round it is from %v to %v", back, forth)
		}
	})
}

// TestSubLabelsMayBeAnyText makes ids of what a server called a part of itself.
func TestSubLabelsMayBeAnyText(t *testing.T) {
	pattern := regexp.MustCompile(`^[a-z]+(-[a-z0-9_-]+)?-[0-9a-f]{6}$`)
	rapid.Check(t, func(t *rapid.T) {
		detail := rapid.OneOf(rapid.String(), rapid.Just("<script>"), rapid.Just("a|b")).Draw(t, "detail")
		set := served(25, 0, 60, 80)
		name := set.Symbols.Intern(detail)
		for i, k := range set.Segments.Stage {
			if stage.Stage(k) == stage.Queue {
				set.Segments.Detail[i] = name
			}
		}
		r := analyze.ReportOf(set, analyze.ReportOptions{})
		b := reports.BeforeNow("x", true, analyze.Summary{}, r)
		ids := map[string]bool{}
		for _, one := range b.Bottlenecks {
			if !pattern.MatchString(one.ID) || ids[one.ID] {
				t.Fatalf("id %q of %q", one.ID, one.Detail)
			}
			ids[one.ID] = true
		}
	})
}

// TestEveryStageHasACheck makes sure that no bottleneck is told of without what to do next, and
// that what to do is a command of tailpath.
func TestEveryStageHasACheck(t *testing.T) {
	for _, s := range stage.All() {
		set := table.NewSet()
		for i := range 30 {
			var times [analyze.StageCount]int64
			times[s] = int64(i+1) * ms
			request(set, i, began+int64(i)*1000*ms, times, 0, 4)
		}
		d := reportRun("x/").Report(reports.Weekly, partsOf(set, analyze.ReportOptions{}))
		if len(d.Report.Bottlenecks) == 0 || d.Report.Bottlenecks[0].Stage != s.String() || !regexp.MustCompile(`^tailpath (inspect|summary|queue|capacity) incident/.*; (look|see) `).MatchString(d.Report.Bottlenecks[0].Check) {
			t.Errorf("%s: %+v", s, d.Report.Bottlenecks)
		}
	}
}
