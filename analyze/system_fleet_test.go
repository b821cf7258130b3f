package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// crowds makes requests that hold numbers in flight for two minutes each at engines that do 5
// a second each and no more: one alone takes a second. engineOf says who serves which.
func crowds(numbers []int64, engines func(n int64) int64, engineOf func(k, n int64) int) (visitors []visitor) {
	at := int64(0)
	for _, n := range numbers {
		each := max(1000*ms, n*1000*ms/(5*engines(n)))
		for from, k := at, int64(0); at < from+120_000*ms; k++ {
			visitors = append(visitors, visitor{start: at, output: 10, legs: []leg{{engineOf(k, n), stage.GPU, "decode", each}}})
			at += each / n
		}
	}
	return visitors
}

// TestKneeNeedsTheSameEngines: with two more engines from 15 in flight on, throughput grows
// again beyond where one was full: no number in flight is the knee of both. The points stay. A
// curve of the same three engines, or of three models, shows the difference.
func TestKneeNeedsTheSameEngines(t *testing.T) {
	numbers := []int64{1, 2, 3, 5, 8, 12, 15, 18, 22, 27}
	one := func(int64) int64 { return 1 }
	turns := func(k, _ int64) int { return int(k % 3) }
	for _, c := range []struct {
		name     string
		visitors []visitor
		models   []string
		reached  bool
		why      string
	}{
		{"the same three", crowds(numbers, one, turns), nil, true, ""},
		{"two come later", crowds(numbers, one, func(k, n int64) int {
			if n < 15 {
				return 0
			}
			return int(k % 3)
		}), nil, false, "to 2 of the engines"},
		{"a model each", crowds(numbers, one, turns), []string{"a", "b", "c"}, false, "different models"},
		{"a model", crowds(numbers, one, turns), []string{"a"}, true, ""},
	} {
		set, engines := plant{engines: 3, visitors: c.visitors}.build()
		for i := range set.Requests.Model {
			if c.models != nil {
				e, _ := engines.EngineOf(int32(i)) // each request has one segment
				set.Requests.Model[i] = set.Symbols.Intern(c.models[int(e)%len(c.models)])
			}
		}
		for _, got := range systemOf(set, Options{Engines: engines}.filled(), CapacityOptions{}).Curves {
			if got.Reason != "" || len(got.Points) < 6 || got.Knee.Reached != c.reached || got.Power.Reached != c.reached || (got.USL != nil) != c.reached {
				t.Errorf("%s, %s: %+v", c.name, got.Of, got)
			}
			for _, w := range [][]stat.Warning{got.Knee.Warnings, got.Power.Warnings} {
				if c.why != "" && (len(w) != 1 || w[0].ID != MixedEngines || !strings.Contains(w[0].Text, c.why)) {
					t.Errorf("%s, %s: %v", c.name, got.Of, w)
				}
			}
		}
	}
}

// TestAwayFor: an engine is away in the stretches in which five of its requests are due and
// none comes; one that has few is not asked, and what is left over at the end neither.
func TestAwayFor(t *testing.T) {
	until := func(each ...int64) []int64 {
		sum := []int64{0}
		for _, n := range each {
			sum = append(sum, sum[len(sum)-1]+n)
		}
		return sum
	}
	repeat := func(n int, windows ...int32) (out []int32) {
		for _, w := range windows {
			out = append(out, slices.Repeat([]int32{w}, n)...)
		}
		return out
	}
	ten := until(20, 20, 20, 20, 20, 20, 20, 20, 20, 20)
	for _, c := range []struct {
		name  string
		came  []int32
		until []int64
		want  int
	}{
		{"alone", repeat(20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), ten, 0},
		{"half of all", repeat(10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), ten, 0},
		{"half of the time", repeat(10, 5, 6, 7, 8, 9), ten, 5},
		{"never in two", repeat(10, 0, 1, 2, 3, 6, 7, 8, 9), ten, 2},
		{"too few to ask", repeat(1, 0, 1, 2, 3), ten, 0},
		{"few, and one stretch", repeat(1, 0, 1, 2, 3, 4), ten, 0},
		{"nobody came", nil, ten, 0},
		{"few in each window", repeat(1, 5, 6, 7, 8, 9), until(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 0},
	} {
		if got := awayFor(c.came, c.until); got != c.want {
			t.Errorf("%s: away in %d windows, want %d", c.name, got, c.want)
		}
	}
}

// regular makes 600 requests, one every 200 ms, of half a second and ten tokens each.
func regular() *table.Set {
	requests := many(600, 0, given{times: times(stage.GPU, 500*int(ms)), tokens: 10})
	for i := range requests {
		requests[i].start /= 5
	}
	return tables(requests)
}

// TestTokensThatAreNotTold: a curve of tokens says of how many requests it knows them, and that
// it is a lower bound when some may have given others. Who was turned away gave none.
func TestTokensThatAreNotTold(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(set *table.Set, i int)
		told    int64
		of      int64
		atLeast bool
		reason  string
	}{
		{"all told", func(*table.Set, int) {}, 600, 600, false, ""},
		{"one in twenty not", func(set *table.Set, i int) {
			if i%20 == 0 {
				set.Requests.OutputTokens[i] = table.Missing
			}
		}, 570, 600, true, ""},
		{"one in eight not", func(set *table.Set, i int) {
			if i%8 == 0 {
				set.Requests.OutputTokens[i] = table.Missing
			}
		}, 525, 600, true, "525 of 600"},
		{"turned away", func(set *table.Set, i int) {
			if i%8 == 0 {
				set.Requests.OutputTokens[i], set.Requests.Error[i] = table.Missing, true
			}
		}, 525, 525, false, ""},
		{"failed after a token", func(set *table.Set, i int) {
			if i%8 == 0 {
				set.Requests.OutputTokens[i], set.Requests.Error[i], set.Requests.FirstToken[i] = table.Missing, true, set.Requests.Start[i]+1
			}
		}, 525, 525, true, ""},
		{"given up", func(set *table.Set, i int) {
			if i%8 == 0 {
				set.Requests.OutputTokens[i], set.Requests.Aborted[i] = table.Missing, true
			}
		}, 525, 525, true, ""},
	} {
		set := regular()
		for i := range set.Requests.Len() {
			c.change(set, i)
		}
		curves := systemOf(set, Options{}.filled(), CapacityOptions{}).Curves
		got := curves[1]
		if got.Told != c.told || got.Answered != c.of || got.AtLeast != c.atLeast || !strings.Contains(got.Reason, c.reason) || c.reason == "" && got.Reason != "" {
			t.Errorf("%s: %d of %d, at least %t, %q", c.name, got.Told, got.Answered, got.AtLeast, got.Reason)
		}
		if curves[0].AtLeast || curves[0].Told != c.of {
			t.Errorf("%s: requests: %+v", c.name, curves[0])
		}
	}
}

// TestPointsCountWhatEnded: requests that had not ended arrive in a point's windows, and have
// no duration to be counted with.
func TestPointsCountWhatEnded(t *testing.T) {
	set := regular()
	whole := systemOf(set, Options{}.filled(), CapacityOptions{}).Curves[0].Points
	for i := 0; i < set.Requests.Len(); i += 10 {
		set.Requests.Class[i], set.Requests.End[i], set.Requests.Duration[i] = uint8(critical.Unfinished), table.Missing, table.Missing
	}
	got := systemOf(set, Options{}.filled(), CapacityOptions{}).Curves[0].Points
	if len(whole) != 1 || len(got) != 1 || whole[0].N != 50*whole[0].Windows || got[0].N != 45*got[0].Windows || whole[0].Arrivals != 5 || got[0].Arrivals != 5 {
		t.Errorf("%+v, and with unfinished ones %+v", whole, got)
	}
}
