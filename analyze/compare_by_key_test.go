package analyze

import (
	"slices"
	"strconv"
	"testing"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestComparedFields: every time and rate of a request is what is compared; when it started, and what
// it asked for, is not.
func TestComparedFields(t *testing.T) {
	is := map[string]bool{"e2e": true, "ttft": true, "tpot": true}
	for _, name := range StageNames() {
		is[name] = true
	}
	for _, b := range Built() {
		if builtFields[b.Name].measure {
			is[b.Name] = true
		}
	}
	if len(is) < 12 {
		t.Fatalf("only %d", len(is))
	}
	for _, b := range Built() {
		if Compared(b.Name) != is[b.Name] {
			t.Errorf("%s: %v", b.Name, Compared(b.Name))
		}
	}
	if Compared("gpu.count") {
		t.Error("an attribute")
	}
}

// TestAttributesThatAreNumbersAreBanded: an attribute is put into bands if all values of both sides
// are numbers and more than 20 are different, however they were recorded; one that is a name in a
// single request of new is not, nor one that an order takes as text.
func TestAttributesThatAreNumbersAreBanded(t *testing.T) {
	sided := func(value func(i int) any) *table.Set {
		set := tables(traffic(1, 120, nil))
		for i := range set.Requests.Len() {
			set.Requests.RootRow[i] = spanOf(set, nil, []pair{{"num", value(i)}})
		}
		return set
	}
	whole := func(i int) any { return i%30 - 5 }
	for name, c := range map[string]struct {
		new    func(i int) any
		keys   string
		values int64 // of the bands; 0 for none
		want   []string
	}{
		"whole":     {whole, "num", 30, []string{"-9 to -5", "-4 to -2", "-1", "0", "1", "2-4", "5-9", "10-19", "20-49"}},
		"as text":   {func(i int) any { return strconv.Itoa(i%30 - 5) }, "num@num", 30, []string{"-9 to -5", "-4 to -2", "-1", "0", "1", "2-4", "5-9", "10-19", "20-49"}},
		"fractions": {func(i int) any { return float64(i%30-5) + .5 }, "num@num", 60, []string{"-10 to -5", "-5 to -2", "-2 to -1", "-1 to -0.5", "0", "0.5 to 1", "1 to 2", "2 to 5", "5 to 10", "10 to 20", "20 to 50"}},
		"a name": {func(i int) any {
			if i == 100 {
				return "none"
			}
			return whole(i)
		}, "num", 0, nil},
		"as names": {whole, "num@alpha", 0, nil},
		"a list":   {whole, "num@(3 4)", 0, nil},
	} {
		by := Compare(sided(whole), sided(c.new), Options{Replicates: 20, By: keysOf(t, c.keys)}, change.Rule{}).By
		if c.values == 0 {
			if by.Bands != nil || len(by.Groups)+int(by.OtherGroups) < 30 {
				t.Errorf("%s: %+v, %d groups", name, by.Bands, len(by.Groups))
			}
			continue
		}
		if len(by.Bands) != 1 || by.Bands[0] != (KeyBands{"num", c.values}) || len(by.Groups) != len(c.want) {
			t.Errorf("%s: %+v, %d groups", name, by.Bands, len(by.Groups))
		}
		for i, g := range by.Groups {
			if !slices.Contains(c.want, g.Values[0]) || by.Ordered && i < len(c.want) && g.Values[0] != c.want[i] {
				t.Errorf("%s: group %d is %s", name, i, g.Values[0])
			}
		}
	}
}
