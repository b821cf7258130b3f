package format

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// listed is a format with a field of several values.
const listed = `id: listed
title: unit test
doc: A format of the tests.
kind: gateway
service: listed
absent: ["-"]
records:
  - id: request
    example: "{a|b} took 5"
    pattern: "{?{{{first}}} ?}{?{{{second}}} ?}took {total:ms}"
    split:
      - {field: first, at: "|", into: ['x-{n:int}-{m:int}', 'id {request_id:uuid}', '{request_id:uuid}']}
      - {field: second, at: "|", into: ['{request_id:uuid}', 'x-{n:int}-{m:int}']}
    span: {start: end - total, end: time}
`

// TestSplit says that every piece of a field is read whole or not at all, in any order,
// and that the first piece that gives a field a value is the one.
func TestSplit(t *testing.T) {
	f := compile(t, listed)
	scratch := f.NewScratch()
	const id, other = "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90", "0af7651916cd43dd8448eb211c80319c"
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom([]string{id, other, "id " + other, "x-1-2", "x-3-4", "x-1-2-3", "x-1-", "", "-", id + ".example", "a " + id, id + " (x)", id[1:], other + "0"}), 0, 6)
		first, second := drawn.Draw(t, "first"), drawn.Draw(t, "second")
		wantID, wantN := "", ""
		for _, v := range append(append([]string{}, first...), second...) {
			if bare := strings.TrimPrefix(v, "id "); wantID == "" && (bare == id || bare == other) {
				wantID = bare
			}
			if wantN == "" && (v == "x-1-2" || v == "x-3-4") {
				wantN = v[2:3]
			}
		}
		for _, v := range second { // which knows no "id " before one
			if strings.HasPrefix(v, "id ") {
				t.Skip()
			}
		}
		line := "{" + strings.Join(first, "|") + "} {" + strings.Join(second, "|") + "} took 5"
		r, values, _ := f.Match(&Line{Text: []byte(line)}, scratch)
		if r == nil {
			t.Fatalf("no record: %s", line)
		}
		got := map[string]string{}
		for slot, name := range r.Names() {
			if values[slot].Kind != match.None {
				got[name] = string(values[slot].Text)
			}
		}
		if got["request_id"] != wantID || got["n"] != wantN || (got["m"] == "") != (wantN == "") {
			t.Fatalf("%s: id %q and n %q, m %q; want %q and %q", line, got["request_id"], got["n"], got["m"], wantID, wantN)
		}
	})
	if n := testing.AllocsPerRun(100, func() {
		f.Match(&Line{Text: []byte("{x-1-2|" + id + "} took 5")}, scratch)
	}); n > 3 { // the Line and its text
		t.Errorf("%v allocations a line", n)
	}
	for _, c := range []struct{ old, new, want string }{
		{"{field: first, at", "{field: third, at", "records[0].split[0].field: no field"},
		{"{field: first, at", "{field: total, at", "records[0].split[0].field: no field"},
		{`first, at: "|"`, `first, at: ""`, "a split needs at and into"},
		{"'x-{n:int}-{m:int}', 'id", "'x-{n:int}-{n:int}', 'id", "records[0].split[0].into[0]: column 12"},
		{"'x-{n:int}-{m:int}', 'id", "'x-{total:int}', 'id", `field "total" is of kind`},
	} {
		d, err := Parse([]byte(strings.Replace(listed, c.old, c.new, 1)), "unit.yaml")
		if err == nil {
			_, err = d.Compile()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
}
