package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/cmd/lab/plant"
)

// TestCapacity keeps the score of simulated days as a golden table, and asserts what it may
// never fall below: of days whose peak is at most 95 % of the capacity no more than 2 % say
// that the limit was reached; at a peak of 110 % every whole day does, with a rate between
// 3 % below and 1 % above the capacity. That is of the days in the table: of 20 more of
// long-tailed-32 with that peak one has a rate 1.1 % above.
//
// All of it takes minutes of processor time, so it is done where TAILPATH_WHOLE is set, as
// the checks of the repository do; otherwise short captures of one system are scored, and
// their rows must be those of the table.
func TestCapacity(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("simulates hundreds of millions of requests")
	}
	if os.Getenv("TAILPATH_WHOLE") == "" && !*update {
		quickCapacity(t)
		return
	}
	rows := scoreCapacity(capacityCases(""), capacityDays)
	compareGolden(t, "testdata/capacity.txt", capacityText(rows))
	systems := map[string]bool{}
	for _, r := range rows {
		systems[r.System] = true
		if r.Days != capacityDays || r.Reached+r.NotReached+r.CannotSay != r.Days {
			t.Errorf("%+v: answers do not add up to the days", r)
		}
		if len(r.Misses) < r.False+r.Over {
			t.Errorf("%+v: fewer misses are named than there are", r)
		}
	}
	if len(systems) != len(plant.Systems()) {
		t.Errorf("%d systems are scored", len(systems))
	}
	whole, short := totalCapacity(rows, true), totalCapacity(rows, false)
	if claimed, of := whole.claimed+short.claimed, whole.unreached+short.unreached; 100*claimed > 2*of || of < 150 {
		t.Errorf("of %d days without a limit %d claim one", of, claimed)
	}
	if whole.seen != whole.sure || whole.under > 0 || whole.over > 0 {
		t.Errorf("of %d whole days with a peak of %d %% the limit is seen in %d, %d of them more than 3 %% low and %d more than 1 %% high",
			whole.sure, sureReached, whole.seen, whole.under, whole.over)
	}
}

// quickCases are short captures of one system, which are soon done.
func quickCases() []capacityCase {
	return slices.DeleteFunc(capacityCases("even-4"), func(c capacityCase) bool { return c.hours > 1 })
}

// quickCapacity scores what is soon done, and finds its rows in the table.
func quickCapacity(t *testing.T) {
	rows := scoreCapacity(quickCases(), capacityDays)
	golden, err := os.ReadFile("testdata/capacity.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(golden), "\n")
	for _, line := range strings.Split(capacityText(rows), "\n")[:1+len(rows)] {
		if !slices.Contains(want, line) {
			t.Errorf("not in the table:\n%s", line)
		}
	}
	for _, r := range rows {
		if r.False > 0 || r.Peak == sureReached && r.Reached != r.Days || r.Over > 0 {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestCapacityThroughTables holds that the score is of what tailpath says: given the tables of
// a capture and the objective in words, it answers as the score is told from plain values. The
// first capture of every row of short ones is asked where TAILPATH_WHOLE is set, and otherwise
// half an hour of every system.
func TestCapacityThroughTables(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and workers are under the race detector in other tests")
	}
	cases := slices.DeleteFunc(capacityCases(""), func(c capacityCase) bool { return c.hours > 2 })
	if os.Getenv("TAILPATH_WHOLE") == "" {
		cases = nil
		for _, s := range plant.Systems() {
			cases = append(cases, capacityCase{s, plant.OnePeak, .5, 110})
		}
	}
	kinds := map[capacity.Kind]bool{}
	for _, c := range cases {
		s, d := c.system, plant.Day{Seed: 1, Peak: float64(c.peak) / 100, Hours: c.hours, Load: c.load}
		text := fmt.Sprintf("p%s(e2e) < %dms", s.Target.Percent(), s.LimitNS/1e6)
		objective, err := filter.ParseObjective(text, analyze.ObjectiveMetrics())
		if err != nil {
			t.Fatal(err)
		}
		said := analyze.CapacityOf(s.Draw(d), analyze.Options{}, analyze.CapacityOptions{Objectives: []filter.Objective{objective}})
		if len(said.Objectives) != 1 {
			t.Fatalf("%d objectives", len(said.Objectives))
		}
		got, want := said.Objectives[0].Capacity, capacityOf(s, d)
		if d := cmp.Diff(want, got.Answer); d != "" || got.Refused != "" {
			t.Errorf("%s, %g h with a peak of %d %%, %s: refused %q, -want +got\n%s", s.Name, c.hours, c.peak, text, got.Refused, d)
		}
		kinds[want.Kind] = true
	}
	if len(kinds) < 2 {
		t.Errorf("all answers are of the kinds %v", kinds)
	}
}

// TestCapacityByHand holds answers that are made up against a capacity of a thousand.
func TestCapacityByHand(t *testing.T) {
	c := capacityCase{plant.System{Name: "made-up", Capacity: 1000}, plant.OnePeak, 24, 110}
	said := func(kind capacity.Kind, rate float64) capacity.Answer { return capacity.Answer{Kind: kind, Rate: rate} }
	answers := []capacity.Answer{
		said(capacity.Reached, 970), said(capacity.Reached, 969), said(capacity.Reached, 1010), said(capacity.Reached, 1011),
		said(capacity.NotReached, 900), said(capacity.NotReached, 1020), said(capacity.CannotSay, 0),
	}
	row := holdCapacity(c, answers)
	mean := row.Mean
	row.Mean = 0
	want := capacityScore{System: "made-up", Load: "one peak", Hours: 24, Peak: 110, Days: 7,
		Reached: 4, NotReached: 2, CannotSay: 1, Low: .9, High: 1.02, Under: 1, Over: 2,
		Misses: []string{"seed 2 0.9690, below", "seed 4 1.0110, above", "seed 5 not-reached", "seed 6 not-reached", "seed 6 1.0200, above", "seed 7 cannot-say"}}
	if d := cmp.Diff(want, row); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if math.Abs(mean-.98) > 1e-9 {
		t.Errorf("the mean is %g of the capacity, want .98", mean)
	}

	c.peak = 95
	if row := holdCapacity(c, answers); row.False != 4 || len(row.Misses) != 7 {
		t.Errorf("a limit that was not reached is claimed on 4 days: %+v", row)
	}
	c.hours = 1
	if row := holdCapacity(c, answers[:2]); row.Under != 1 || row.whole() || len(row.Misses) != 2 {
		t.Errorf("a short capture: %+v", row)
	}
	none := holdCapacity(c, answers[6:])
	if none.Low != 0 || none.Mean != 0 || none.share(none.Low) != "-" {
		t.Errorf("nothing can be said: %+v", none)
	}
	if total := totalCapacity([]capacityScore{row, none}, true); total.days != 7 || total.sure != 7 || total.seen != 4 || total.under != 1 || total.overAny != 2 {
		t.Errorf("%+v", total)
	}
}

// TestCapacityFlags selects one system and its days, and reads both forms.
func TestCapacityFlags(t *testing.T) {
	cases := capacityCases("exponential-8")
	if len(cases) != 10 || len(capacityCases("nosuch")) != 0 {
		t.Fatalf("%d cases of one system", len(cases))
	}
	for i := range cases {
		cases[i].hours /= 24
	}
	rows := scoreCapacity(cases, 2)
	if d := cmp.Diff(rows, scoreCapacity(cases, 2)); d != "" {
		t.Errorf("another score of the same days\n%s", d)
	}
	for i, r := range rows {
		if r.System != "exponential-8" || r.Days != 2 || r.Peak != cases[i].peak || r.Hours != cases[i].hours {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	var made scores
	text, err := json.Marshal(scores{Capacity: rows})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows, made.Capacity); d != "" {
		t.Errorf("JSON says something else\n%s", d)
	}
	for _, args := range [][]string{
		{"--only", "capacity", "--requests", "100"}, {"--only", "capacity", "--server", "vllm"}, {"--only", "capacity", "--scenario", "queue-80"},
		{"--only", "tails", "--scenario", "even-4"}, {"--scenario", "even-4", "--requests", "100"},
	} {
		if code, stdout, stderr := lab(append([]string{"score"}, args...)...); code != exitUsage || stdout != "" || stderr == "" {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
