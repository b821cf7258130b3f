package clock

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var compareLogs = cmp.AllowUnexported(Log{}, pair{}, pairLog{}, slot{}, bound{})

// state returns a log without what it remembers of the last exchange.
func state(l *Log) *Log {
	out := &Log{}
	out.Merge(l)
	out.recent, out.recentPair = nil, pair{}
	for _, p := range out.pairs {
		p.recent, p.recentAt = nil, 0
	}
	return out
}

// drawExchanges draws exchanges among four clocks, many in the same ten seconds, some equal,
// some that bound nothing, some absurd.
func drawExchanges(t *rapid.T) []Exchange {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	at := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(-2*slotNS, 2*slotNS), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, farthestInstant, noon}))
	low := rapid.OneOf(rapid.Int64Range(-9, 9), rapid.Int64Range(-hour, hour), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, farthestOffset - 1}))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Exchange {
		from := low.Draw(t, "low")
		return Exchange{name.Draw(t, "caller"), name.Draw(t, "server"), at.Draw(t, "at"),
			from, add(from, rapid.OneOf(rapid.Int64Range(-1, 30), rapid.Int64Range(0, hour)).Draw(t, "width")),
			at.Draw(t, "until")}
	}), 0, 120).Draw(t, "exchanges")
}

func logOf(exchanges []Exchange) *Log {
	l := &Log{}
	for _, x := range exchanges {
		l.Add(x)
	}
	return l
}

// TestLogOrder checks that neither the order of exchanges nor the way that logs are merged
// shows, in the log or in the answer, and that nothing grows beyond its bound.
func TestLogOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exchanges := drawExchanges(t)
		want := logOf(exchanges)
		shuffled := append([]Exchange(nil), exchanges...)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		i := rapid.IntRange(0, len(shuffled)).Draw(t, "i")
		j := rapid.IntRange(i, len(shuffled)).Draw(t, "j")
		parts := func() (a, b, c *Log) {
			return logOf(shuffled[:i]), logOf(shuffled[i:j]), logOf(shuffled[j:])
		}
		left, b, c := parts()
		left.Merge(b)
		left.Merge(c)
		a, right, c2 := parts()
		right.Merge(c2)
		before := state(right)
		a.Merge(right)
		if d := cmp.Diff(before, state(right), compareLogs); d != "" {
			t.Fatalf("merging changed what was merged: %s", d)
		}
		for name, got := range map[string]*Log{"shuffled": logOf(shuffled), "(a b) c": left, "a (b c)": a} {
			if d := cmp.Diff(state(want), state(got), compareLogs); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
			if d := cmp.Diff(Solve(want).Clocks(), Solve(got).Clocks()); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
		calls, broken := int64(0), int64(0)
		for _, p := range want.pairs {
			calls, broken = calls+p.calls, broken+p.broken
			sum := int64(0)
			for _, s := range p.slots {
				if len(s.kept) > keptPerSlot || s.calls < int64(len(s.kept)) || s.first > s.last {
					t.Fatalf("slot %+v", s)
				}
				sum += s.calls
			}
			if sum != p.calls {
				t.Fatalf("%d calls in slots, %d in all", sum, p.calls)
			}
		}
		said := int64(0)
		for _, x := range exchanges {
			if x.Caller != x.Server && x.Caller != "" && x.Server != "" {
				said++
			}
		}
		if calls+broken != said {
			t.Fatalf("%d and %d broken of %d", calls, broken, said)
		}
	})
}

// TestKeepsNarrowest checks that exactly the narrowest exchanges of ten seconds are kept.
func TestKeepsNarrowest(t *testing.T) {
	var l Log
	for i := range int64(1000) {
		width := i * 7919 % 1000 // a permutation
		l.Add(Exchange{"a", "b", i, -width, 0, i})
	}
	kept := l.pairs[pair{"a", "b"}].slots[0].kept
	if len(kept) != keptPerSlot {
		t.Fatalf("%d kept", len(kept))
	}
	for i, b := range kept {
		if b.high-b.low != int64(i) {
			t.Errorf("number %d is %d wide", i, b.high-b.low)
		}
	}
}

// TestMergeNothing checks logs that hold nothing.
func TestMergeNothing(t *testing.T) {
	var l Log
	l.Merge(nil)
	l.Merge(&Log{})
	l.Merge(&l)
	if got := Solve(&l).Clocks(); len(got) != 0 {
		t.Errorf("clocks %v", got)
	}
	if got := Solve(nil).Clocks(); len(got) != 0 {
		t.Errorf("clocks %v", got)
	}
}

// TestObserve checks the bounds of a call, and which calls bound nothing.
func TestObserve(t *testing.T) {
	far := int64(math.MaxInt64)
	for _, c := range []struct {
		name                                               string
		callerStart, callerEnd, serverStart, serverEnd, by int64
		ok                                                 bool
		low, high                                          int64
	}{
		{"inside", 0, 100, 40, 120, 0, true, 20, 40},
		{"with an error", 0, 100, 40, 120, 3, true, 17, 43},
		{"as long", 0, 100, 500, 600, 0, true, 500, 500},
		{"too long", 0, 100, 0, 101, 0, false, 0, 0},
		{"too long within the error", 0, 100, 0, 101, 1, true, 0, 1},
		{"negative caller", 100, 0, 10, 20, 0, false, 0, 0},
		{"negative server", 0, 100, 20, 10, 0, false, 0, 0},
		{"negative error", 0, 100, 20, 30, -1, false, 0, 0},
		{"beyond any clock", 0, far, 20, 30, 0, false, 0, 0},
		{"beyond any offset", 0, 100, farthestOffset + 1, farthestOffset + 5, 0, false, 0, 0},
		{"a clock since boot", noon, noon + 100, 40, 60, 0, true, 60 - noon - 100, 40 - noon},
	} {
		x, ok := Observe("a", "b", c.callerStart, c.callerEnd, c.serverStart, c.serverEnd, c.by)
		want := Exchange{}
		if c.ok {
			want = Exchange{"a", "b", c.callerStart, c.low, c.high, c.callerEnd}
		}
		if ok != c.ok || x != want {
			t.Errorf("%s: %+v %v, want %+v", c.name, x, ok, want)
		}
	}
}
