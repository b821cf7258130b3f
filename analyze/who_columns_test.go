package analyze

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestColumnsAreOfTheFields reads lists with keys in them more than once, with values that say
// nothing, and of spans that are one or share a resource: every value is that of the field.
func TestColumnsAreOfTheFields(t *testing.T) {
	values := []any{"", "a", "b", "12", 3, 4, 0.5, math.NaN(), true, table.Value{}, table.Value{Type: table.ValueArray, Text: []byte(`[1]`)}}
	rapid.Check(t, func(t *rapid.T) {
		set := table.NewSet()
		list := func(name string) (out []pair) {
			for range rapid.IntRange(0, 5).Draw(t, name) {
				out = append(out, pair{fmt.Sprint("k", rapid.IntRange(0, 4).Draw(t, "key")), rapid.SampledFrom(values).Draw(t, "value")})
			}
			return out
		}
		n := rapid.IntRange(1, 6).Draw(t, "requests")
		var rows []int32
		for i := range n {
			add(set, given{id: uint64(i + 1), start: houseBegan, times: times(stage.Gateway, 1, stage.GPU, 5)})
			root := spanOf(set, list("resource"), list("root"))
			engine := root
			if rapid.Bool().Draw(t, "two spans") {
				engine = spanOf(set, list("other resource"), list("engine"))
				if rapid.Bool().Draw(t, "one resource") {
					set.Spans.ScopeRow[engine] = set.Spans.ScopeRow[root]
				}
			}
			set.Requests.RootRow[i] = root
			for k := set.Segments.Len() - 1; k >= 0 && int(set.Segments.RequestRow[k]) == i; k-- {
				set.Segments.SpanRow[k] = engine
			}
			rows = append(rows, int32(i))
		}
		w := newWho(NewFields(set), rows, rapid.IntRange(1, 4*n).Draw(t, "spots"))
		read := 0
		for k, name := range w.names {
			if w.spots[k] == nil {
				continue
			}
			read++
			w.spots[k].in.find()
			d := w.f.Field(name)
			c := columnOf{w: w, d: d, spots: w.spots[k]}
			for i, row := range rows {
				got, ok := c.attribute(i)
				want, wants := d.attribute(row)
				if ok != wants || ok && !cmp.Equal(got, want) {
					t.Fatalf("%s of request %d is %v, %v, and in the column %v, %v", name, i, want, wants, got, ok)
				}
			}
			w.column(k)
			if w.spots[k].at != nil {
				t.Fatalf("%s keeps its spots", name)
			}
		}
		if attributes := len(w.f.Names()) - len(NewFields(tables(many(n, 1, given{times: times(stage.Gateway, 1, stage.GPU, 5)}))).Names()); read < attributes {
			t.Fatalf("%d of %d attributes are read", read, attributes)
		}
	})
}

// TestSpotOfALongList reads what stands behind all places that have a number.
func TestSpotOfALongList(t *testing.T) {
	set := table.NewSet()
	add(set, given{id: 1, start: houseBegan, times: times(stage.GPU, 5)})
	list := make([]pair, 20_000)
	for i := range list {
		list[i] = pair{"filler", i}
	}
	list[0], list[16382], list[19_999] = pair{"first", 1}, pair{"numbered", 2}, pair{"last", 3}
	root := spanOf(set, nil, list)
	set.Requests.RootRow[0] = root
	w := newWho(NewFields(set), []int32{0}, mostSpots)
	got := map[string]int64{}
	for k, name := range w.names {
		if w.spots[k] == nil {
			continue
		}
		w.spots[k].in.find()
		if v, ok := (columnOf{w: w, d: w.f.Field(name), spots: w.spots[k]}).attribute(0); ok {
			got[name] = v.Int()
		}
	}
	if diff := cmp.Diff(map[string]int64{"first": 1, "numbered": 2, "last": 3, "filler": 19_998}, got); diff != "" {
		t.Error(diff)
	}
	if a, b := spotOf(3, 16382), spotOf(0, 16383); a == farSpot || b != farSpot {
		t.Errorf("spots %d and %d, the far one is %d", a, b, farSpot)
	}
}
