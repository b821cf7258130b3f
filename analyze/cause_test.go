package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestCausesAddUpToTheQueue checks random tables against the queue time of their requests.
func TestCausesAddUpToTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		names := CauseNames()
		for i, s := range set.Segments.Stage {
			if stage.Stage(s) == stage.Queue {
				set.Segments.Cause[i] = set.Symbols.Intern(rapid.SampledFrom(names).Draw(t, "cause"))
			}
		}
		s := Summarize(set, Options{})
		q := s.Queueing
		for what, c := range map[string]struct {
			mix  CauseMix
			want Group
		}{"all": {q.All, s.Duration.All}, "slow": {q.Slow, s.Duration.Tail.Tail}} {
			var sum stat.Sum
			share := 0.0
			for _, cause := range c.mix.Causes {
				sum = sum.Plus(cause.Total)
				share += c.mix.Share(cause)
				if cause.N < 1 || cause.N > c.mix.Waited {
					t.Fatalf("%s: %d of %d waited for %s", what, cause.N, c.mix.Waited, cause.Cause)
				}
			}
			if sum != c.want.Times[stage.Queue] || c.mix.Total != sum || c.mix.N != c.want.N || c.mix.Waited > c.mix.N {
				t.Fatalf("%s: causes of %v of %v, n %d of %d", what, sum, c.want.Times[stage.Queue], c.mix.N, c.want.N)
			}
			if sum.Sign() > 0 && (share < 1-1e-9 || share > 1+1e-9) {
				t.Fatalf("%s: shares add to %v", what, share)
			}
		}
	})
}

func TestNoCausesWithoutAnnotation(t *testing.T) {
	s := Summarize(tables(many(30, 0, given{times: times(stage.Queue, 10, stage.GPU, 5)})), Options{})
	if len(s.Queueing.All.Causes) != 0 || s.Queueing.All.N != 30 {
		t.Errorf("%+v", s.Queueing)
	}
}

func TestCausesOfAHouse(t *testing.T) {
	set, _ := busy(60).build(t, critical.Options{})
	q := Summarize(set, Options{}).Queueing
	if len(q.Slow.Causes) != 1 || q.Slow.Causes[0].Cause != "slots" || q.Slow.Share(q.Slow.Causes[0]) != 1 || q.All.N != 60 {
		t.Errorf("%+v", q)
	}
	if diff := cmp.Diff([]string{"slots", "kv_memory", "prefill", "batch_delay", "stuck", "upstream", "retry", "unknown"}, CauseNames()); diff != "" {
		t.Error(diff)
	}
}
