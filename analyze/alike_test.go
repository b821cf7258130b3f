package analyze

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func TestAlikeIsTheModelAndTheLengthOfThePrompt(t *testing.T) {
	requests := many(40, 0, given{times: times(stage.Queue, 10, stage.GPU, 90)})
	requests[0].times[stage.Queue] = 5000
	set := tables(requests)
	llama, other := set.Symbols.Intern("llama"), set.Symbols.Intern("other")
	for i := range requests {
		set.Requests.Model[i], set.Requests.PromptTokens[i] = llama, int64(1000+10*i) // up to 1,390
	}
	set.Requests.Model[5] = other
	set.Requests.PromptTokens[6] = table.Missing
	a := NewPeers(set, Options{}).alike(set, 0, 5090)
	want := Alike{Known: true, Model: "llama", Least: 750, Most: 1250, N: 23, Faster: 23, HasMedians: true, MedianNS: 100, MediansNS: times(stage.Queue, 10, stage.GPU, 90)}
	if a != want { // 26 have 1,000 to 1,250: the request itself, one of another model, one that does not say
		t.Errorf("alike are\n%+v, want\n%+v", a, want)
	}
	if a := NewPeers(set, Options{}).alike(set, 6, 100); a.Known {
		t.Errorf("a prompt of unknown length is like %+v", a)
	}
	set.Requests.PromptTokens[0] = math.MaxInt64
	if a := NewPeers(set, Options{}).alike(set, 0, 5090); a.N != 0 || a.Most != math.MaxInt64 || a.HasMedians {
		t.Errorf("nothing is as long as %+v", a)
	}
}

// TestAlikeIsCounted checks every request of random tables against counting.
func TestAlikeIsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		set := tables(requests)
		tokens := rapid.SampledFrom([]int64{table.Missing, 0, 1, 3, 4, 5, 90, 100, 120, 125, 126})
		for i := range requests {
			set.Requests.PromptTokens[i] = tokens.Draw(t, "prompt")
			set.Requests.Model[i] = set.Symbols.Intern(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "model"))
		}
		peers := NewPeers(set, Options{})
		for i := range requests {
			d, prompt := set.Requests.Duration[i], set.Requests.PromptTokens[i]
			got := peers.alike(set, i, d)
			var n, faster, ties int64
			for j := range requests {
				if _, out := exclusion(set, j, Options{}); out || i == j || set.Requests.Model[i] != set.Requests.Model[j] {
					continue
				}
				if q := set.Requests.PromptTokens[j]; prompt == table.Missing || q == table.Missing || 4*max(q-prompt, prompt-q) > prompt {
					continue
				}
				n++
				switch other := set.Requests.Duration[j]; {
				case other < d:
					faster++
				case other == d:
					ties++
				}
			}
			if got.N != n || got.Faster != faster || got.Ties != ties || got.Known != (prompt != table.Missing) || got.HasMedians != (got.N >= stat.Minimum(stat.P50).OneSided) {
				t.Fatalf("%+v, counted %d, %d faster and %d as slow", got, n, faster, ties)
			}
		}
	})
}
