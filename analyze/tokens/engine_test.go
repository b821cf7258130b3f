package tokens

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestG15Preemption has a request queue at 10, run from 60, give tokens from 260 to 585,
// and lose its place from 300 to 500.
func TestG15Preemption(t *testing.T) {
	v := Visit{QueuedNS: 10, ScheduledNS: []int64{60, 500}, PreemptedNS: []int64{300}, FirstTokenNS: 260, LastTokenNS: 585}
	want := Intervals{Queue: 50, QueueRecent: 490, Prefill: 200, Decode: 325, Inference: 525, PreemptWait: 200}
	if d := cmp.Diff(want, v.Intervals()); d != "" {
		t.Error(d)
	}
}

// TestG15PreemptedTokens has the tokens of the same request: the time without a place is in
// one gap, and in the mean.
func TestG15PreemptedTokens(t *testing.T) {
	s := ones(260, 285, 560, 585)
	if d := cmp.Diff([]int64{25, 275, 25}, gapsMS(s)); d != "" {
		t.Error(d)
	}
	near(t, "TPOT", s.Times().TPOT().V/1e6, 108.333, 5e-4)
}

// TestVisitsThatAreNotWhole have the parts that both ends are known of.
func TestVisitsThatAreNotWhole(t *testing.T) {
	for _, c := range []struct {
		name string
		v    Visit
		want Intervals
	}{
		{"nothing", Visit{QueuedNS: Absent, FirstTokenNS: Absent, LastTokenNS: Absent}, Intervals{Absent, Absent, Absent, Absent, Absent, 0}},
		{"still waits", Visit{QueuedNS: 5, ScheduledNS: []int64{Absent}, FirstTokenNS: Absent, LastTokenNS: Absent}, Intervals{Absent, Absent, Absent, Absent, Absent, 0}},
		{"lost its place for good", Visit{QueuedNS: 5, ScheduledNS: []int64{9}, PreemptedNS: []int64{30, Absent}, FirstTokenNS: 20, LastTokenNS: Absent}, Intervals{4, 4, 11, Absent, Absent, 0}},
		{"told twice", Visit{QueuedNS: 5, ScheduledNS: []int64{50, 9}, PreemptedNS: []int64{32, 30}, FirstTokenNS: 20, LastTokenNS: 60}, Intervals{4, 45, 11, 40, 51, 20}},
		{"backwards", Visit{QueuedNS: 50, ScheduledNS: []int64{9}, FirstTokenNS: 5, LastTokenNS: 60}, Intervals{Absent, Absent, Absent, 55, 51, 0}},
	} {
		if d := cmp.Diff(c.want, c.v.Intervals()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// TestVisitAddsUp holds that inference is prefill and decode, that waits after preemptions
// lie inside it, and that one that was never preempted has one queue.
func TestVisitAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(-1e15, 1e15).Draw(t, "queued")
		next := func(name string) int64 {
			at += rapid.Int64Range(0, 1e9).Draw(t, name)
			return at
		}
		v := Visit{QueuedNS: at, ScheduledNS: []int64{next("scheduled")}, FirstTokenNS: next("first")}
		for range rapid.IntRange(0, 3).Draw(t, "preemptions") {
			v.PreemptedNS = append(v.PreemptedNS, next("preempted")+1)
			at++
			v.ScheduledNS = append(v.ScheduledNS, next("again"))
		}
		v.LastTokenNS = next("last")
		i := v.Intervals()
		if i.Prefill+i.Decode != i.Inference || i.PreemptWait > i.Decode || i.PreemptWait < 0 {
			t.Fatalf("%+v: %+v", v, i)
		}
		if len(v.PreemptedNS) == 0 && (i.QueueRecent != i.Queue || i.PreemptWait != 0) {
			t.Fatalf("never preempted: %+v", i)
		}
		other := v
		other.ScheduledNS = rapid.Permutation(v.ScheduledNS).Draw(t, "order")
		if other.Intervals() != i {
			t.Fatal("the order of events changes the parts")
		}
	})
}
