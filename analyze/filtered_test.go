package analyze

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// where parses a filter that must be right.
func where(t interface{ Fatalf(string, ...any) }, text string) *filter.Expr {
	e, err := filter.Parse(text)
	if err == nil {
		err = e.Check(BuiltFilterFields(), true)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func drawFilter(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"e2e>10ns", "e2e<=10us", "status=error", "class=complete", "class=(incomplete unfinished)", "queue>5ns", "ttft=none", "output_tokens>=2",
		"output_tokens=none OR queue>0", "gpu>=20ns -status=error", "model=none", "tpot>0", "start>=1970-01-01",
	}).Draw(t, "filter")
}

// keptRows returns the rows that a filter keeps.
func keptRows(set *table.Set, e *filter.Expr) (rows []int) {
	o := Options{Where: e}.on(set)
	for row := range set.Requests.Len() {
		if o.kept.holds(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestFiltersPart: a filter and its negation part the requests, De Morgan's laws hold, and
// whatever is left out for other reasons is counted among what the filter keeps.
func TestFiltersPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		a, b := drawFilter(t), drawFilter(t)
		rows := func(text string) []int { return keptRows(set, where(t, text)) }
		isA, notA := rows(a), rows("-("+a+")")
		both := slices.Sorted(slices.Values(slices.Concat(isA, notA)))
		for i, row := range both {
			if row != i {
				t.Fatalf("%s keeps %v and its negation %v", a, isA, notA)
			}
		}
		if len(both) != set.Requests.Len() {
			t.Fatalf("%s and its negation keep %d of %d", a, len(both), set.Requests.Len())
		}
		if !slices.Equal(rows("-(("+a+") ("+b+"))"), rows("-("+a+") OR -("+b+")")) || !slices.Equal(rows("-(("+a+") OR ("+b+"))"), rows("-("+a+") -("+b+")")) {
			t.Fatalf("De Morgan does not hold of %s and %s", a, b)
		}
		opt := Options{Where: where(t, a)}
		_, p := population(set, opt)
		left, filtered := p.N, int64(0)
		for _, x := range p.Excluded {
			if left += x.N; x.Kind == ExcludedFilter {
				filtered += x.N
			}
		}
		if left != p.Requests || filtered != int64(len(notA)) {
			t.Fatalf("%d of %d requests are accounted for, %d by the filter, which leaves out %d", left, p.Requests, filtered, len(notA))
		}
		_, q := population(set, Options{Where: where(t, "-("+a+")")})
		_, all := population(set, Options{})
		if p.N+q.N != all.N || p.Errors.N+q.Errors.N != all.Errors.N || p.Errors.Of+q.Errors.Of != all.Errors.Of {
			t.Fatalf("%s: %+v and %+v do not add up to %+v", a, p, q, all)
		}
	})
}

// TestFilteringIsLikeNotHavingTheRest: a summary of what a filter keeps is that of a table
// with nothing else in it.
func TestFilteringIsLikeNotHavingTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		text := drawFilter(t)
		set := tables(requests)
		var alone []given
		for _, row := range keptRows(set, where(t, text)) {
			alone = append(alone, requests[row])
		}
		opt := Options{Replicates: 50}
		want := Summarize(tables(alone), opt)
		opt.Where = where(t, text)
		got := Summarize(set, opt)
		got.Conservation, want.Conservation = Conservation{}, Conservation{} // it is over the whole table
		got.Population.Requests = want.Population.Requests
		// Those that are left out may have waited too.
		if len(alone) < len(requests) {
			if got.Context.Waiting.Mean.Known {
				t.Fatalf("%s: %v waited of those that it keeps and those that it leaves out", text, got.Context.Waiting.Mean)
			}
			want.Context.Waiting = got.Context.Waiting
		}
		got.Population.Excluded = slices.DeleteFunc(got.Population.Excluded, func(x Exclusion) bool { return x.Kind == ExcludedFilter })
		if len(got.Population.Excluded) == 0 {
			got.Population.Excluded = nil
		}
		if diff := unequal(want, got, cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("%s (-alone +filtered):\n%s", text, diff)
		}
	})
}

// TestWhatHoldsForAllChangesNothing: such a filter changes no figure.
func TestWhatHoldsForAllChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, text := tables(drawRequests(t)), drawFilter(t)
		opt := Options{Replicates: 50}
		want := Summarize(set, opt)
		for _, all := range []string{"(" + text + ") OR -(" + text + ")", "model=none OR model!=none", "-(status=ok status=error)"} {
			opt.Where = where(t, all)
			if diff := unequal(want, Summarize(set, opt), cmp.AllowUnexported(stat.Sum{})); diff != "" {
				t.Fatalf("%s (-without +with):\n%s", all, diff)
			}
		}
		opt.Where = where(t, "model=none -model=none")
		none := Summarize(set, opt)
		if none.Population.N != 0 || none.Load.Requests != 0 || none.Load.Unfinished != 0 || none.Population.Errors.Of != 0 {
			t.Fatalf("what never holds keeps %+v", none.Population)
		}
	})
}

// TestPeersAreFiltered: requests are compared with what the filter keeps.
func TestPeersAreFiltered(t *testing.T) {
	set := tables(slices.Concat(many(30, 1, given{times: times(stage.GPU, 100)}), many(5, 100, given{times: times(stage.Queue, 900)})))
	for text, want := range map[string]int64{"queue>0": 5, "queue=0": 30, "e2e>0": 35} {
		peers := NewPeers(set, Options{Where: where(t, text)})
		if got := int64(len(peers.ranked)); got != want {
			t.Errorf("%s has %d peers, want %d", text, got, want)
		}
	}
}

func TestFieldValues(t *testing.T) {
	set := gatewayAndEngine()
	for range 3 {
		add(set, given{id: 9, start: houseBegan, times: times(stage.Queue, 7)})
	}
	for _, name := range []string{"a", "b", "b"} {
		set.Requests.Model[slices.Index(set.Requests.Model, 0)] = set.Symbols.Intern(name)
	}
	f := NewFields(set)
	for name, want := range map[string]FieldValues{
		"model":         {N: 4, Texts: []Count{{"b", 2}, {"a", 1}}, Distinct: 3, Others: 1},
		"prompt_tokens": {N: 1, Missing: 3, Numbers: true, Low: 900, High: 900, Texts: []Count{{"900", 1}}, Distinct: 1},
		"queue":         {N: 4, Numbers: true, Low: 7, High: 40, Texts: []Count{{"7", 3}, {"40", 1}}, Distinct: 2},
		"nothing":       {Missing: 4},
	} {
		got := f.Values(name, 2)
		if !got.Numbers {
			got.Low, got.High = 0, 0
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestFilterFields: built-in fields are known without a value, attributes only with one,
// and each kind is that of its values.
func TestFilterFields(t *testing.T) {
	f := NewFields(gatewayAndEngine())
	kinds := map[string]filter.Kind{}
	for _, x := range f.FilterFields() {
		kinds[x.Name] = x.Kind
	}
	for name, want := range map[string]filter.Kind{"model": filter.Text, "e2e": filter.Time, "queue": filter.Time, "attempts": filter.Count,
		"prompt_tokens": filter.Count, "start": filter.Date, "tenant": filter.Any, "batch": filter.Any} {
		if got, known := kinds[name]; !known || got != want {
			t.Errorf("%s is of kind %d, %v", name, got, known)
		}
	}
	if len(NewFields(table.NewSet()).FilterFields()) != len(Built()) {
		t.Error("an empty set has other fields than the built-in ones")
	}
	if got := f.FilterFields()[slices.IndexFunc(built, func(b builtField) bool { return b.name == "class" })].Words; !slices.Equal(got, table.ClassNames) {
		t.Errorf("classes %v", got)
	}
}
