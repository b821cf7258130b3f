package join

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestSpellingsOfATraceID(t *testing.T) {
	const id = "6a8f1c000123456789abcdef00000001"
	for text, want := range map[string]string{
		id:                                       id,
		strings.ToUpper(id):                      id,
		" " + id + " ":                           id,
		"00-" + id + "-00f067aa0ba902b7-01":      id,
		"cc-" + id + "-00f067aa0ba902b7-01-more": id,
		"Root=1-6a8f1c00-0123456789abcdef00000001":                     id,
		"Self=1-1-2;Root=1-6a8f1c00-0123456789abcdef00000001;Parent=3": id,
		"1-6a8f1c00-0123456789abcdef00000001":                          id,
		"6a8f1c00-0123-4567-89ab-cdef00000001":                         id,
		id + "-00f067aa0ba902b7-1":                                     id,
		id + "-00f067aa0ba902b7-1-05e3ac9a4f6e3b90":                    id,
		"80f198ee56343ba8":                                             "000000000000000080f198ee56343ba8",
		"80f198ee56343ba8-00f067aa0ba902b7":                            "000000000000000080f198ee56343ba8",
		id + ":00f067aa0ba902b7:0:1":                                   id,
		"a1b2:00f067aa0ba902b7:0:1":                                    "0000000000000000000000000000a1b2",
		"":                                                             "",
		"-":                                                            "",
		"0":                                                            "",
		strings.Repeat("0", 32):                                        "",
		strings.Repeat("0", 16):                                        "",
		id[:31]:                                                        "",
		id + "0":                                                       "",
		"00-" + id:                                                     "",
		"Root=1-6a8f1c00":                                              "",
		strings.Repeat("z", 32):                                        "",
		id + id + ":1:0:1":                                             "",
		"1-2-3-4-5-6-7":                                                "",
	} {
		got, ok := parseTraceID([]byte(text))
		if ok != (want != "") || ok && hex.EncodeToString(got[:]) != want {
			t.Errorf("%q is %x, %v; want %q", text, got, ok, want)
		}
	}
}

// TestTraceIDIsReadBack writes any id in every form.
func TestTraceIDIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := traceID(rapid.Uint64().Draw(t, "high"), rapid.Uint64Range(1, 1<<64-1).Draw(t, "low"))
		s := hex.EncodeToString(id[:])
		for _, text := range []string{
			s, "00-" + s + "-00f067aa0ba902b7-01", "Root=1-" + s[:8] + "-" + s[8:], s + "-00f067aa0ba902b7-d",
			fmt.Sprintf("%s-%s-%s-%s-%s", s[:8], s[8:12], s[12:16], s[16:20], s[20:]), strings.TrimLeft(s, "0") + ":1:0:1",
		} {
			if got, ok := parseTraceID([]byte(text)); !ok || got != id {
				t.Fatalf("%q is %x, %v", text, got, ok)
			}
		}
	})
}

// The attribute of a span is what its server was told, and not what it is.
func TestSpanKeepsItsOwnTraceID(t *testing.T) {
	check(t, []row{
		{name: "a", trace: traceID(1, 1), service: "x", attrs: []attr{{"trace_id", fmt.Sprintf("%016x%016x", 2, 2)}}},
		{name: "b", trace: traceID(2, 2), service: "y"},
	}, outcome{Groups: []string{"a: alone", "b: alone"}})
}

func TestRecordsOfOneTraceThatIsNotThere(t *testing.T) {
	tell := func(name, id string) row {
		return row{name: name, record: true, service: name, start: 1, end: 2, attrs: []attr{{"trace_id", id}}}
	}
	check(t, []row{tell("a", "6a8f1c000123456789abcdef00000001"), tell("b", "Root=1-6a8f1c00-0123456789abcdef00000001"), tell("c", "89abcdef00000001")},
		outcome{Groups: []string{"a b c: trace id"}, Issues: map[string]int{"joined": 1}})
}

// A record is never taken for the trace that its made-up id would be.
func TestMadeUpTraceIDsMatchNothing(t *testing.T) {
	made := row{name: "a", record: true, trace: traceID(3, 3), service: "x"}
	check(t, []row{made, {name: "b", record: true, service: "y", attrs: []attr{{"trace_id", fmt.Sprintf("%016x%016x", 3, 3)}}}},
		outcome{Groups: []string{"a: alone", "b: alone"}})
}

func TestNothingIsJoinedOfNothing(t *testing.T) {
	if p := Find(table.NewSet(), nil, Options{Keys: [][]string{{"order", "request_id"}}}, nil); len(p.Groups) != 0 {
		t.Errorf("no units are %d groups", len(p.Groups))
	}
	if p := Find(table.NewSet(), []int32{0}, Options{}, nil); len(p.Groups) != 0 {
		t.Errorf("no units are %d groups", len(p.Groups))
	}
}

// The group of a trace stands where the trace does, whatever records it has.
func TestGroupsAreNamedByTheirTrace(t *testing.T) {
	set := setOf([]row{
		{name: "log", record: true, trace: traceID(1, 0), service: "nginx", requestID: somePlain},
		{name: "early", trace: traceID(2, 0), service: "vllm"},
		{name: "trace", trace: traceID(3, 0), service: "vllm", requestID: somePlain},
	})
	p := Find(set, unitsOf(set), Options{}, nil)
	if len(p.Groups) != 2 || p.Groups[0].Units[0] != 1 || fmt.Sprint(p.Groups[1].Units) != "[0 2]" || p.GroupOf(0) != 1 {
		t.Errorf("groups are %v", p.Groups)
	}
	if p.Groups[0].Basis.String() != "alone" || p.Groups[1].Basis.String() != "request id" {
		t.Errorf("groups are %v", p.Groups)
	}
}
