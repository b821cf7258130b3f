package serving

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// paced returns some engines that are always busy, with 40 requests each, and what each needs
// for a token.
func paced(each ...int64) Capture {
	c := Capture{StintsOf: "token"}
	for e, ns := range each {
		for i := range int64(40) {
			c.Requests = append(c.Requests, plain(i/4*second, (i/4+1)*second, e))
			c.Intervals = append(c.Intervals, Interval{i / 4 * second, (i/4 + 1) * second, e, GPU})
			c.Stints = append(c.Stints, Stint{Engine: e, FromNS: i / 4 * second, ToNS: (i/4 + 1) * second, NS: (ns + i) * 50, Per: 50, Prompt: 400, Output: 100})
		}
	}
	return c
}

// TestSlowerReplica: all replicas are busy all the time, and what tells is that one needs longer
// for the same work.
func TestSlowerReplica(t *testing.T) {
	for _, c := range []struct {
		name   string
		each   []int64
		change func(*Capture)
		same   Maybe[bool]
		want   Speaks
		lacks  []string
	}{
		{"twice as slow", []int64{1000, 2000}, nil, Is(true), For, nil},
		{"one of four", []int64{1000, 1100, 2000, 900}, nil, Is(true), For, nil},
		{"a little slower", []int64{1000, 1400}, nil, Is(true), Against, nil},
		{"faster", []int64{1000, 1000, 100}, nil, Is(true), Against, nil},
		{"not known to be replicas", []int64{1000, 2000}, nil, Maybe[bool]{}, Silent, []string{missSame}},
		{"longer requests", []int64{1000, 2000}, func(c *Capture) {
			for i := range c.Stints[40:] {
				c.Stints[40+i].Prompt = 1000
			}
		}, Is(true), Silent, []string{missAlike}},
		{"longer answers", []int64{1000, 2000}, func(c *Capture) {
			for i := range c.Stints[40:] {
				c.Stints[40+i].Output = 125
			}
		}, Is(true), Silent, []string{missAlike}},
		{"how long is not told", []int64{1000, 2000}, func(c *Capture) { c.Stints[7].Prompt = Unknown }, Is(true), Silent, []string{missTokens}},
		{"too few", []int64{1000, 2000}, func(c *Capture) { c.Stints = c.Stints[38:42] }, Is(true), Silent, []string{missStints, missLike}},
		{"one may be slow, and another is not", []int64{1000, 1400, 1000, 1000}, func(c *Capture) { c.Stints = c.Stints[:123] }, Is(true), Silent, []string{missStints, missLike}},
		{"mostly elsewhere", []int64{1000, 2000}, func(c *Capture) {
			for i := range c.Intervals {
				c.Intervals[i].ToNS = c.Intervals[i].FromNS + 100*ms
			}
		}, Is(true), Against, nil},
		{"of one alone", []int64{1000, 2000}, func(c *Capture) { c.Stints = c.Stints[40:] }, Is(true), Against, nil},
	} {
		x := paced(c.each...)
		if c.change != nil {
			c.change(&x)
		}
		r := Of(x, Options{Recorded: Everything, Replicas: c.same})
		row := skewOf(r.Table)
		if row.Speaks != c.want || !slices.Equal(row.Missing, c.lacks) {
			t.Errorf("%s: %+v", c.name, row)
		}
		if v := r.Table.Verdict; c.want == For && (v.Signature != ReplicaSkew || v.Text != meansSlower) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	// Each engine is asked for itself, and only the slow one is slow.
	r := Of(paced(1000, 2000), Options{Recorded: Everything, Replicas: Is(true)})
	if a, b := skewOf(r.Engines[0].Table).Speaks, skewOf(r.Engines[1].Table).Speaks; a != Against || b != For {
		t.Errorf("%s and %s", a, b)
	}
	if s := r.Engines[1].Service; s.Of != "token" || s.N != 40 || s.P50.Value != 2019 || !s.P50.HasHigh || s.P99.Known || r.Engines[1].E2E.P50.Value != second {
		t.Errorf("%+v, %+v", s, r.Engines[1].E2E)
	}
	// Ranks 14 and 27 of 40 bound a median: 1013 to 1026, and 2013 to 2026.
	if f := skewOf(r.Table).Figures[4]; f.Name != "service_time_over_others" || f.Low != 2013./1026 || f.High != 2026./1013 || f.N != 80 {
		t.Errorf("%+v", f)
	}
}

// TestAlikeReplicasAreNotSlower draws the times of replicas from one distribution: none is
// said to be slower.
func TestAlikeReplicasAreNotSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := paced(slices.Repeat([]int64{1000}, rapid.IntRange(2, 4).Draw(t, "replicas"))...)
		for i := range x.Stints {
			x.Stints[i].NS = rapid.Int64Range(900*50, 1300*50).Draw(t, "ns")
		}
		if row := skewOf(Of(x, Options{Recorded: Everything, Replicas: Is(true)}).Table); row.Speaks != Against {
			t.Fatalf("%+v", row)
		}
	})
}
