package join

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// What the ids of drawn rows are made of. Upper-case and dashed ids are spellings of the
// first.
var (
	drawnCores = []string{
		"3d5e0c1a7b524c1e9a550f2f6b1c8d90", "3D5E0C1A-7B52-4C1E-9A55-0F2F6B1C8D90",
		"00112233445566778899aabbccddeeff", "k3J2m8Qp4Lw7Zx9B", "42", "7", "job",
	}
	drawnHeads = []string{"", "", "chatcmpl-", "cmpl-", "0_chatcmpl-", "3_cmpl-", "2_"}
	drawnTails = []string{"", "", "", "-0", "-1", "-abcd1234", "_2", "-0-9f3a41c2", "-9f3a41c2-1"}
)

func drawID(t *rapid.T) string {
	pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "part") }
	return pick(drawnHeads) + pick(drawnCores) + pick(drawnTails)
}

// someRows draws rows of traces and records that share ids of every kind.
func someRows(most int) *rapid.Generator[[]row] {
	return rapid.Custom(func(t *rapid.T) []row {
		rows := make([]row, rapid.IntRange(1, most).Draw(t, "n"))
		word := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "word") }
		ids := []string{drawID(t), drawID(t), drawID(t)}
		anID := func() string { return rapid.SampledFrom(ids).Draw(t, "id") }
		for i := range rows {
			high := rapid.SampledFrom([]uint64{0, 0, 1, 2}).Draw(t, "high")
			low := rapid.Uint64Range(1, 4).Draw(t, "low")
			r := row{
				name: fmt.Sprintf("r%02d", i), service: word("a", "b", "c", "d"), host: word("x", "y"),
				start: rapid.Int64Range(0, 50).Draw(t, "start"), err: rapid.Int64Range(0, 3).Draw(t, "error"),
				kind: 2, record: rapid.Bool().Draw(t, "record"),
			}
			r.end = r.start + rapid.Int64Range(-3, 25).Draw(t, "length")
			if rapid.IntRange(0, 9).Draw(t, "steady") == 0 {
				r.clock = table.ClockSteady
			}
			if !r.record {
				r.trace = traceID(high, low)
			} else if rapid.IntRange(0, 3).Draw(t, "told") == 0 {
				r.attrs = append(r.attrs, attr{"trace_id", fmt.Sprintf("%016x%016x", high, low)})
			}
			if rapid.Bool().Draw(t, "has an id") {
				r.requestID = anID()
			}
			for _, key := range []string{"x_request_id", "gen_ai.response.id", "order"} {
				if rapid.IntRange(0, 5).Draw(t, key) == 0 {
					r.attrs = append(r.attrs, attr{key, anID()})
				}
			}
			if r.record && rapid.IntRange(0, 2).Draw(t, "address") == 0 {
				r.attrs = append(r.attrs, attr{"client", word("192.0.2.10:40001", "192.0.2.10:40002")})
			}
			rows[i] = r
		}
		return rows
	})
}

var drawnOptions = Options{Keys: [][]string{{"order"}}}

// TestFindIsTheOracle compares with the oracle, and with itself where all texts have one
// of two hashes.
func TestFindIsTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := setOf(someRows(16).Draw(t, "rows"))
		got, _ := findIn(t, set, drawnOptions, hashText)
		want := oracleFind(set, drawnOptions.Keys)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-oracle +Find):\n%s", d)
		}
		poor, _ := findIn(t, set, drawnOptions, func(text []byte) uint64 { return uint64(len(text)%2) << 63 })
		if d := cmp.Diff(got, poor); d != "" {
			t.Fatalf("with a poor hash (-good +poor):\n%s", d)
		}
	})
}

// TestOrderOfRowsIsNothing shuffles the rows before they are made canonical, and the
// made-up ids of records with them, which changes the order of the units.
func TestOrderOfRowsIsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := someRows(14).Draw(t, "rows")
		want, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		shuffled := slices.Clone(rows)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Shuffle(len(rows), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		got, _ := findIn(t, setOf(shuffled), drawnOptions, hashText)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-before +shuffled):\n%s", d)
		}
	})
}

// TestAnUnrelatedUnitChangesNothing adds a trace and a record with ids of their own.
func TestAnUnrelatedUnitChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := someRows(12).Draw(t, "rows")
		want, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		rows = append(rows,
			row{name: "zz1", trace: traceID(9, 9), service: "a", start: 0, end: 100, requestID: "chatcmpl-ffffeeeeddddccccbbbbaaaa99998888"},
			row{name: "zz2", record: true, service: "b", start: 0, end: 100, requestID: "43", attrs: []attr{{"client", "192.0.2.99:1"}}})
		got, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		want.Groups = append(want.Groups, "zz1: alone", "zz2: alone")
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-before +after):\n%s", d)
		}
	})
}

// TestRenamedIDsJoinTheSame replaces the ids that forms are made of by others.
func TestRenamedIDsJoinTheSame(t *testing.T) {
	rename := strings.NewReplacer(
		"3d5e0c1a7b524c1e9a550f2f6b1c8d90", "fedcba98765432100123456789abcdef",
		"3D5E0C1A-7B52-4C1E-9A55-0F2F6B1C8D90", "FEDCBA98-7654-3210-0123-456789ABCDEF",
		"00112233445566778899aabbccddeeff", "a7d11c04e5b94f31b3c2915d06f788aa",
		"k3J2m8Qp4Lw7Zx9B", "Zt5R1vN7uC6yD2sH", "job", "run", "192.0.2.10", "198.51.100.7")
	rapid.Check(t, func(t *rapid.T) {
		rows := someRows(14).Draw(t, "rows")
		want, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		for i := range rows {
			rows[i].requestID = rename.Replace(rows[i].requestID)
			rows[i].attrs = slices.Clone(rows[i].attrs)
			for k := range rows[i].attrs {
				if key := rows[i].attrs[k].key; key != "trace_id" {
					rows[i].attrs[k].value = rename.Replace(rows[i].attrs[k].value.(string))
				}
			}
		}
		got, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-before +renamed):\n%s", d)
		}
	})
}

// TestShiftOfAllTimesChangesNothing moves all clocks together.
func TestShiftOfAllTimesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := someRows(14).Draw(t, "rows")
		want, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		for i := range rows {
			rows[i].start += 1_787_227_200_000_000_000
			rows[i].end += 1_787_227_200_000_000_000
		}
		got, _ := findIn(t, setOf(rows), drawnOptions, hashText)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-before +shifted):\n%s", d)
		}
	})
}

// TestSameRequestIsSymmetric checks that it is an equivalence among the rows it is true of.
func TestSameRequestIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := setOf(someRows(12).Draw(t, "rows"))
		_, p := findIn(t, set, drawnOptions, hashText)
		unit := make([]int32, set.Spans.Len())
		units := unitsOf(set)
		for u := range len(units) - 1 {
			for row := units[u]; row < units[u+1]; row++ {
				unit[row] = int32(u)
			}
		}
		for a := range int32(set.Spans.Len()) {
			for b := range int32(set.Spans.Len()) {
				if p.SameRequest(a, b) != p.SameRequest(b, a) {
					t.Fatalf("rows %d and %d", a, b)
				}
				if p.SameRequest(a, b) && p.GroupOf(unit[a]) != p.GroupOf(unit[b]) {
					t.Fatalf("rows %d and %d are of one request and of two groups", a, b)
				}
			}
		}
	})
}

// TestBasisNames has a name for every basis, in their order.
func TestBasisNames(t *testing.T) {
	for basis, want := range map[Basis]string{Alone: "alone", TraceID: "trace id", RequestID: "request id", Declared: "declared key", Address: "address"} {
		if basis.String() != want {
			t.Errorf("basis %d is %s, not %s", basis, basis, want)
		}
	}
	if len(table.JoinBasisNames) != int(Address)+1 {
		t.Errorf("%d names", len(table.JoinBasisNames))
	}
}
