package analyze

import (
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// prompts makes requests whose prefill takes a ms a token that is in no cache. Slow ones have
// longer prompts, of which nothing is in the cache; of usual ones nine tenths are. untold says
// of which nothing is known of the cache.
func prompts(untold func(i int) bool) *table.Set {
	var requests []given
	for i := range 1000 {
		computed := int64(20 + i%3)
		if i%19 == 3 {
			computed = 400
		}
		requests = append(requests, given{id: uint64(i + 1), start: int64(i) * 1000 * ms, times: times(stage.GPU, int(computed*ms))})
	}
	set := tables(requests)
	r, spans := &set.Requests, &set.Spans
	for i := range requests {
		root, engine := spans.Grow(), spans.Grow()
		r.RootRow[i] = int32(root)
		computed := r.Duration[i] / ms
		r.PromptTokens[i] = computed
		cached := int64(0)
		if i%19 != 3 {
			r.PromptTokens[i], cached = 10*computed, 9*computed
		}
		for k, row := range set.Segments.RequestRow {
			if int(row) == i {
				set.Segments.SpanRow[k] = int32(engine)
			}
		}
		if !untold(i) {
			spans.CachedTokens[engine] = cached
		}
		if i%2 == 0 && cached > 0 {
			spans.CachedTokens[root] = cached + 5 // another that says more had been cached
		}
	}
	return set
}

// TestPrefillIsSplitByTokensThatWereInNoCache: a cached prompt is less work, and makes no
// token faster. All prompt tokens are used if the cache is not known of some request that is
// compared, and only then.
func TestPrefillIsSplitByTokensThatWereInNoCache(t *testing.T) {
	prefill := func(set *table.Set) Speed {
		t.Helper()
		rows, _ := population(set, Options{}.filled())
		list := newQueueTail(set, rows, tailSteps[1]).speeds()
		if len(list) != 1 || list[0].Detail != "prefill" {
			t.Fatalf("%+v", list)
		}
		return list[0]
	}
	none := func(int) bool { return false }
	s := prefill(prompts(none))
	if !s.Uncached || s.Slower != 0 || s.Work != s.Excess || s.SlowTokens != 400 || s.SlowRate != float64(ms) || s.BodyRate != float64(ms) {
		t.Errorf("a ms a token: %+v", s)
	}
	if s := prefill(prompts(func(i int) bool { return i == 953 })); s.Uncached || s.Slower == 0 || s.Work+s.Slower != s.Excess {
		t.Errorf("one slow request does not tell: %+v", s)
	}
	set := prompts(none)
	rows, _ := population(set, Options{}.filled())
	tail := newQueueTail(set, rows, tailSteps[1])
	if s := prefill(prompts(func(i int) bool { return i%2 == 1 && !tail.slow[i] && !tail.body[i] })); !s.Uncached {
		t.Errorf("requests that are not compared do not tell: %+v", s)
	}
	// What cannot be is not known: more in the cache than there is, or less than nothing.
	root := set.Requests.RootRow[953]
	set.Spans.CachedTokens[root], set.Spans.CachedTokens[root+1] = set.Requests.PromptTokens[953]+1, -1
	if s := prefill(set); s.Uncached {
		t.Errorf("more in the cache than there is: %+v", s)
	}
	// All in the cache, and time all the same: no rate, so all tokens count.
	for i, n := range set.Requests.PromptTokens {
		set.Spans.CachedTokens[set.Requests.RootRow[i]], set.Spans.CachedTokens[set.Requests.RootRow[i]+1] = n, table.Missing
	}
	if s := prefill(set); s.Uncached || s.SlowTokens != 400 {
		t.Errorf("time for no tokens: %+v", s)
	}
}
