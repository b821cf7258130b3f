package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// keysOf parses keys that must be right.
func keysOf(t interface{ Fatalf(string, ...any) }, text string) []filter.Key {
	keys, err := filter.ParseKeys(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return keys.List
}

// TestByIsWhere: what is said of a group is what is said of the requests that --where keeps
// of it, the groups part the requests, and so do their slow ones.
func TestByIsWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		keys := rapid.SampledFrom([]string{"status", "output_tokens", "class,status", "output_tokens@num,status"}).Draw(t, "keys")
		opt := Options{By: keysOf(t, keys), Errors: Include, Replicates: 20}
		s := Summarize(set, opt)
		n, slow := s.By.Others.N, s.By.Others.Slow
		for _, g := range s.By.Groups {
			n, slow = n+g.N, slow+g.Slow
			var terms []string
			for k, v := range g.Values {
				if v == "" {
					v = "none"
				}
				terms = append(terms, fmt.Sprintf("%s=%s", s.By.Keys[k], v))
			}
			alone := Summarize(set, Options{Where: where(t, strings.Join(terms, " ")), Errors: Include, Replicates: 20})
			exported := cmpopts.IgnoreUnexported(attribution.Result{})
			for _, c := range []struct{ got, want any }{
				{g.N, alone.Duration.N}, {g.Duration.Quantiles, alone.Duration.Quantiles}, {g.TTFT.Quantiles, alone.TTFT.Quantiles}, {g.TTFT.N, alone.TTFT.N},
				{g.Verdict.Kind, alone.Verdict.Kind}, {g.Verdict.Share, alone.Verdict.Share}, {g.Verdict.Interval, alone.Verdict.Interval},
			} {
				if diff := cmp.Diff(c.want, c.got, exported); diff != "" {
					t.Fatalf("%s (-alone +in its group):\n%s", terms, diff)
				}
			}
		}
		if n != s.Duration.N {
			t.Fatalf("groups have %d of %d requests", n, s.Duration.N)
		}
		if want := s.Duration.Tail.Tail.N; slow != want || s.By.Slow != want {
			t.Fatalf("groups have %d slow requests, By says %d, the tail has %d", slow, s.By.Slow, want)
		}
	})
}

// TestByOrder: groups with most slow requests come first unless a key has an order, and those
// beyond the first fifty are summed up.
func TestByOrder(t *testing.T) {
	list := many(600, 0, given{})
	for i := range list {
		list[i].tokens = int64(2 + i%60)
		list[i].times[0] = int64(1000 * (i % 60))
	}
	set := tables(list)
	s := Summarize(set, Options{By: keysOf(t, "output_tokens"), Replicates: 20})
	if got := s.By.Groups[0]; got.Values[0] != "59" || got.N != 10 || got.Slow == 0 {
		t.Errorf("first is %v of %d with %d slow ones", got.Values, got.N, got.Slow)
	}
	if s.By.OtherGroups != 10 || s.By.Others.N != 100 || len(s.By.Groups) != 50 {
		t.Errorf("%d groups, and %d others with %d requests", len(s.By.Groups), s.By.OtherGroups, s.By.Others.N)
	}
	s = Summarize(set, Options{By: keysOf(t, "output_tokens@num"), Replicates: 20})
	for i, g := range s.By.Groups {
		if want := fmt.Sprint(2 + i); g.Values[0] != want {
			t.Fatalf("group %d is %v, want %s", i, g.Values, want)
		}
	}
	if Summarize(set, Options{Replicates: 20}).By != nil {
		t.Error("groups without keys")
	}
}

// TestJoinedValues: different values never become one group.
func TestJoinedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "1:a", "0:", "\x00", "a1:", ":"}), 2, 3)
		a, b := values.Draw(t, "a"), values.Draw(t, "b")
		if len(a) == len(b) && (joinedValues(a) == joinedValues(b)) != cmp.Equal(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

// TestByIgnoresOrder: the rows' order changes nothing.
func TestByIgnoresOrder(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	rapid.Check(t, func(t *rapid.T) {
		list := drawRequests(t)
		shuffled := rapid.Permutation(list).Draw(t, "order")
		of := func(list []given) *table.Set { return tables(list) }
		opt := Options{By: keysOf(t, "output_tokens,status"), Errors: Include, Replicates: 20}
		if diff := unequal(Summarize(of(list), opt).By, Summarize(of(shuffled), opt).By, cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("(-one order +another):\n%s", diff)
		}
	})
}
