package analyze

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

// ofModel gives requests a model, by a function of their place.
func ofModel(requests []given, model func(i int) string) (s Summary) {
	set := tables(requests)
	for i := range requests {
		set.Requests.Model[i] = set.Symbols.Intern(model(i))
	}
	return Summarize(set, Options{Replicates: 100})
}

// TestSlowRequestsOfAnotherModel: the big model is slow at the gpu, and no slower than it
// always is; what is slow within either model waited.
func TestSlowRequestsOfAnotherModel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	requests := many(2000, 0, given{})
	model := make([]string, len(requests))
	for i := range requests {
		queue, gpu := between(r, 0, 20), between(r, 90, 110)
		model[i] = "small"
		if r.IntN(12) == 0 {
			model[i], gpu = "big", between(r, 800, 900)
		}
		if r.IntN(40) == 0 {
			queue += between(r, 700, 800)
		}
		requests[i].times = times(stage.Queue, queue, stage.GPU, gpu)
	}
	s := ofModel(requests, func(i int) string { return model[i] })
	if len(s.Duration.Strata) != 1 {
		t.Fatalf("strata %+v, want those of the model alone", s.Duration.Strata)
	}
	x := s.Duration.Strata[0]
	if x.Field != "model" || x.N != 2 || x.Most != "big" || x.Within+x.Between != x.Excess || x.Share < .3 || x.Stage != stage.Queue || x.TailN != s.Duration.Tail.Tail.N {
		t.Errorf("%+v", x)
	}
	said := ""
	for _, c := range s.Verdict.Caveats {
		if c.ID == OtherKinds {
			said = c.Text
		}
	}
	if s.Verdict.Stage != stage.GPU || !strings.Contains(said, "those with model big are 13 of 21 slow ones and 0 of 400") || !strings.Contains(said, "within one kind queue has most") {
		t.Errorf("verdict %s, caveat %q", s.Verdict.Stage, said)
	}
	// The same requests without their models: nothing tells the kinds apart.
	if s := ofModel(requests, func(int) string { return "one" }); s.Duration.Strata != nil {
		t.Errorf("one model has strata: %+v", s.Duration.Strata)
	}
}

// TestStrataAddUp: within and between add up to the excess of the tail, whatever the kinds,
// and kinds drawn by chance explain little of a clear excess.
func TestStrataAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(190, 600).Draw(t, "n")
		kinds := rapid.IntRange(2, 80).Draw(t, "kinds")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		requests := many(n, 0, given{})
		for i := range requests {
			requests[i].times = times(stage.Queue, r.IntN(1000), stage.GPU, 500+r.IntN(1000))
		}
		s := ofModel(requests, func(int) string { return strings.Repeat("m", 1+r.IntN(kinds)) })
		_, total := s.Duration.Tail.ExcessNS()
		for _, x := range s.Duration.Strata {
			if x.Within+x.Between != x.Excess || x.Excess != total || x.N > strataKept+1 {
				t.Fatalf("within %d and between %d of %d, the tail has %d; %d kinds", x.Within, x.Between, x.Excess, total, x.N)
			}
		}
	})
}
