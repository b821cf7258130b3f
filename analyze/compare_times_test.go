package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestTwoTimesOfOneSetAreLikeTwoSets: what is compared of two times of a set is that of two sets
// that hold no more than the requests of each.
func TestTwoTimesOfOneSetAreLikeTwoSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		in := drawDuring(t, requests)
		set := tables(requests)
		var sides [2][]given
		for row, g := range requests {
			switch at := set.Requests; {
			case at.Clock[row] != table.ClockWall:
			case g.start < in.Start:
				sides[change.Base] = append(sides[change.Base], g)
			case g.start < in.End:
				sides[change.New] = append(sides[change.New], g)
			}
		}
		opt := Options{Replicates: 50, Force: true}
		want := Compare(tables(sides[change.Base]), tables(sides[change.New]), opt, change.Rule{})
		opt.During, opt.Base.During = &in, &Interval{OpenStart, in.Start}
		got := Compare(set, set, opt, change.Rule{})
		if !got.OneCapture || want.OneCapture {
			t.Fatalf("one capture: %v and %v", got.OneCapture, want.OneCapture)
		}
		for name, pair := range map[string][2]any{
			"metrics": {want.Metrics, got.Metrics}, "rates": {want.Rates, got.Rates}, "mix": {want.Mix, got.Mix},
			"blocks": {want.Blocks, got.Blocks}, "verdict": {want.Verdict, got.Verdict}, "load": {[2]Load{want.Base.Load, want.New.Load}, [2]Load{got.Base.Load, got.New.Load}},
			"counts": {[2]int64{want.Base.Population.N, want.New.Population.N}, [2]int64{got.Base.Population.N, got.New.Population.N}},
		} {
			if diff := unequal(pair[0], pair[1], cmp.AllowUnexported(stat.Sum{}, change.Blocks{}, MetricChange{})); diff != "" {
				t.Fatalf("%s of %v (-sets +times):\n%s", name, in, diff)
			}
		}
	})
}

// TestTimesOfOneSetAreOfOneSystem: requests that ask for something else refuse no comparison of
// two times, and are told; what nobody recorded leaves nothing open.
func TestTimesOfOneSetAreOfOneSystem(t *testing.T) {
	short, long := many(60, 1, given{times: times(stage.GPU, int(100*ms)), tokens: 50}), many(60, 1000, given{times: times(stage.GPU, int(100*ms)), tokens: 200})
	from := short[len(short)-1].start + 1000*ms
	for i := range long {
		long[i].start += from
	}
	set := tables(slices.Concat(short, long))
	at := long[0].start
	opt := Options{During: &Interval{at, OpenEnd}, Base: Platform{During: &Interval{OpenStart, at}}, Replicates: 50}
	c := Compare(set, set, opt, change.Rule{})
	if c.Base.Population.N != 60 || c.New.Population.N != 60 {
		t.Fatalf("%d and %d requests", c.Base.Population.N, c.New.Population.N)
	}
	if why := c.Refused(); why != nil || c.Likeness.Untold != nil {
		t.Errorf("refused for %q, untold %q", why, c.Likeness.Untold)
	}
	told := func(c Comparison) bool {
		return slices.ContainsFunc(c.Warnings, func(w stat.Warning) bool {
			return w.ID == UnlikeContext && strings.HasPrefix(w.Text, "the median of output tokens is 50 in base and 200 in new")
		})
	}
	if !told(c) {
		t.Errorf("not told that outputs are longer: %v", c.Warnings)
	}
	opt.During, opt.Base.During = nil, nil
	apart := Compare(tables(short), tables(long), opt, change.Rule{})
	if apart.Refused() == nil || apart.Likeness.Untold == nil || told(apart) {
		t.Errorf("two captures: refused for %q, untold %q", apart.Refused(), apart.Likeness.Untold)
	}
}

// TestWhatIsOfTheWholeCaptureIsToldOnce: a doubt about all that was read is one, and that of one
// time alone is of that time.
func TestWhatIsOfTheWholeCaptureIsToldOnce(t *testing.T) {
	set := tables(many(80, 1, given{times: times(stage.GPU, int(100*ms)), ttft: true, basis: "event"}))
	set.Requests.SpansIn[0]++
	at := set.Requests.Start[40]
	set.Requests.FirstTokenBasis[50] = set.Symbols.Intern("attribute")
	c := Compare(set, set, Options{During: &Interval{at, OpenEnd}, Base: Platform{During: &Interval{OpenStart, at}}, Replicates: 50}, change.Rule{})
	var got []string
	for _, w := range c.Warnings {
		if of, _, is := strings.Cut(w.Text, ": "); is && (w.ID == SpanAccount || w.ID == MixedBasis) {
			got = append(got, w.ID+" of "+of)
		}
	}
	slices.Sort(got)
	want := []string{MixedBasis + " of new", SpanAccount + " of base and new"}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%v", diff, c.Warnings)
	}
}
