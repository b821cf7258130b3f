package join

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// check joins rows and compares.
func check(t *testing.T, rows []row, want outcome, keys ...[]string) {
	t.Helper()
	if want.Issues == nil {
		want.Issues = map[string]int{}
	}
	got, _ := findIn(t, setOf(rows), Options{Keys: keys}, hashText)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// seen returns a record of a service with a request id.
func seen(name, service, id string, start, end int64) row {
	return row{name: name, record: true, service: service, start: start, end: end, requestID: id}
}

func TestWeakIDJoinsWhatRunsAtOnceAtTwoServices(t *testing.T) {
	check(t, []row{seen("a", "nginx", "42", 0, 10), seen("b", "vllm", "42", 5, 9)},
		outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
}

func TestWeakIDJoinsThreeServices(t *testing.T) {
	check(t, []row{seen("a", "envoy", "42", 0, 10), seen("b", "nginx", "42", 1, 9), seen("c", "vllm", "cmpl-42-0", 2, 8)},
		outcome{Groups: []string{"a b c: request id"}, Classes: []string{"a b c"}, Issues: map[string]int{"joined": 1}})
}

func TestWeakIDAtAnotherTimeIsAnotherRequest(t *testing.T) {
	check(t, []row{seen("a", "nginx", "42", 0, 10), seen("b", "vllm", "42", 11, 19)},
		outcome{Groups: []string{"a: alone", "b: alone"}})
}

func TestErrorOfARecordWidensItsTime(t *testing.T) {
	late := seen("b", "vllm", "42", 11, 19)
	late.err = 1
	check(t, []row{seen("a", "nginx", "42", 0, 10), late},
		outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
}

func TestWeakIDOfOneServiceIsTwoRequests(t *testing.T) {
	check(t, []row{seen("a", "vllm", "42", 0, 10), seen("b", "vllm", "42", 5, 9)},
		outcome{Groups: []string{"a: alone", "b: alone"}})
}

func TestAmbiguousWeakIDWithTwoCandidates(t *testing.T) {
	check(t, []row{seen("a", "nginx", "42", 0, 10), seen("b", "vllm", "42", 1, 4), seen("c", "vllm", "42", 5, 9)},
		outcome{Groups: []string{"a: alone", "b: alone", "c: alone"}, Issues: map[string]int{"join-ambiguous": 1}})
}

// The third service fits one of the others alone, which stays certain.
func TestAmbiguousAtOneServiceIsNotAmbiguousAtAnother(t *testing.T) {
	check(t, []row{
		seen("a", "nginx", "42", 0, 10), seen("b", "vllm", "42", 1, 4), seen("c", "vllm", "42", 5, 9), seen("d", "envoy", "42", 10, 12),
	}, outcome{Groups: []string{"a d: request id", "b: alone", "c: alone"}, Classes: []string{"a d"}, Issues: map[string]int{"join-ambiguous": 1, "joined": 1}})
}

func TestAmbiguousWeakIDWithoutADate(t *testing.T) {
	for _, clock := range []uint8{table.ClockSteady, table.ClockNone} {
		steady := seen("b", "triton", "42", 5, 9)
		steady.clock = clock
		check(t, []row{seen("a", "nginx", "42", 0, 10), steady},
			outcome{Groups: []string{"a: alone", "b: alone"}, Issues: map[string]int{"join-ambiguous": 1}})
	}
}

func TestStrongIDJoinsAcrossClocks(t *testing.T) {
	steady := seen("b", "triton", "chatcmpl-"+somePlain, 5, 9)
	steady.clock = table.ClockSteady
	check(t, []row{seen("a", "nginx", someUUID, 1e18, 1e18+10), steady},
		outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
}

func TestStrongIDOfTwoAttemptsAtOneService(t *testing.T) {
	check(t, []row{seen("a", "vllm", someUUID, 0, 10), seen("b", "vllm", someUUID, 1000, 1010)},
		outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
}

func TestAmbiguousCrowd(t *testing.T) {
	var rows []row
	for i := range mostAtOnce {
		rows = append(rows, seen(fmt.Sprintf("a%d", i), fmt.Sprintf("s%d", i), "job", 0, 10))
	}
	want := outcome{Groups: []string{"a0 a1 a2 a3 a4 a5 a6 a7: request id"}, Classes: []string{"a0 a1 a2 a3 a4 a5 a6 a7"}, Issues: map[string]int{"joined": 1}}
	check(t, rows, want)
	rows = append(rows, seen("a8", "s8", "job", 10, 11))
	want = outcome{Issues: map[string]int{"join-ambiguous": 1}}
	for i := range rows {
		want.Groups = append(want.Groups, fmt.Sprintf("a%d: alone", i))
	}
	check(t, rows, want)
}

// many returns n records of a service with one id, and what is found if it joins nothing.
func many(n int, id string) (rows []row, want outcome) {
	for i := range n {
		name := fmt.Sprintf("m%03d", i)
		rows = append(rows, seen(name, "vllm", id, int64(i)*100, int64(i)*100+50))
		want.Groups = append(want.Groups, name+": alone")
	}
	want.Issues = map[string]int{"join-ambiguous": 1}
	return rows, want
}

func TestAmbiguousConstant(t *testing.T) {
	rows, want := many(mostOfService+1, someUUID)
	check(t, rows, want)
	got, p := findIn(t, setOf(rows[1:]), Options{}, hashText)
	if len(p.Groups) != 1 || got.Issues["join-ambiguous"] != 0 {
		t.Errorf("%d of one service are %v", mostOfService, got)
	}
	rows, want = many(mostOfService+1, "job")
	check(t, rows, want)
}

// The id that all have is a constant; what engines made of it is joined all the same
// where it is carried twice.
func TestAmbiguousConstantThatIDsAreMadeOf(t *testing.T) {
	rows, want := many(mostOfService+1, "")
	for i := range rows {
		rows[i].requestID = fmt.Sprintf("chatcmpl-%s-%08x", somePlain, 0xabc00000+i*7)
	}
	rows = append(rows, seen("gateway", "nginx", someUUID, 0, 1e6), seen("twin", "proxy", rows[0].requestID, 0, 10))
	want.Groups = append(want.Groups[1:], "gateway: alone", "m000 twin: request id")
	slices.Sort(want.Groups)
	want.Classes, want.Issues["joined"] = []string{"m000 twin"}, 1
	check(t, rows, want)
}

func TestAmbiguousIDOfAllServices(t *testing.T) {
	var rows []row
	want := outcome{Issues: map[string]int{"join-ambiguous": 1}}
	for i := range mostUnits + 1 {
		name := fmt.Sprintf("m%03d", i)
		rows = append(rows, seen(name, fmt.Sprintf("s%d", i), someUUID, 0, 50))
		want.Groups = append(want.Groups, name+": alone")
	}
	check(t, rows, want)
}

// A trace of many calls with one id of its own is one unit, and so are records that tell
// its trace id: nothing in it is a constant, or ambiguous.
func TestOneUnitIsNeverAmbiguous(t *testing.T) {
	var rows []row
	names := ""
	for i := range 100 {
		r := row{name: fmt.Sprintf("c%02d", i), trace: traceID(7, 7), service: "vllm", start: int64(i) * 10, end: int64(i)*10 + 15, requestID: someUUID}
		if i%2 == 1 {
			r.trace, r.record, r.attrs = table.TraceID{}, true, []attr{{"trace_id", fmt.Sprintf("%016x%016x", 7, 7)}}
		}
		rows = append(rows, r)
		names += r.name + " "
	}
	check(t, rows, outcome{Groups: []string{names[:len(names)-1] + ": trace id"}, Classes: []string{names[:len(names)-1]}, Issues: map[string]int{"joined": 1}})
	for i := range rows {
		rows[i].trace, rows[i].record, rows[i].attrs, rows[i].requestID = traceID(7, 7), false, nil, "42"
	}
	check(t, rows, outcome{Groups: []string{names[:len(names)-1] + ": alone"}, Classes: []string{names[:len(names)-1]}})
}

// Twenty calls of one agent are one group by their trace id, and their request ids tell
// them apart in it.
func TestRequestsOfOneAgent(t *testing.T) {
	var rows []row
	want := outcome{Issues: map[string]int{"joined": 1}}
	names := ""
	for i := range 20 {
		id := fmt.Sprintf("%032x", uint64(0xfedcba9876543210)-uint64(i)*0x1234567)
		call := row{name: fmt.Sprintf("call%02d", i), trace: traceID(7, 7), service: "agent", start: int64(i) * 10, end: int64(i)*10 + 9, requestID: id}
		engine := seen(fmt.Sprintf("engine%02d", i), "vllm", "chatcmpl-"+id, int64(i)*10, int64(i)*10+9)
		engine.attrs = []attr{{"trace_id", "00-" + fmt.Sprintf("%016x%016x", 7, 7) + "-00f067aa0ba902b7-01"}}
		rows = append(rows, call, engine)
		want.Classes = append(want.Classes, call.name+" "+engine.name)
	}
	for _, who := range []string{"call", "engine"} {
		for i := range 20 {
			names += fmt.Sprintf("%s%02d ", who, i)
		}
	}
	want.Groups = []string{names[:len(names)-1] + ": trace id"}
	check(t, rows, want)
}

func TestAmbiguousAnswersFromACache(t *testing.T) {
	client := func(name string, at int64) row {
		return row{name: name, trace: traceID(1, uint64(at)+1), service: "app", start: at, end: at + 10, attrs: []attr{{"gen_ai.response.id", "chatcmpl-" + somePlain}}}
	}
	engine := seen("engine", "vllm", "chatcmpl-"+somePlain, 0, 10)
	check(t, []row{client("a", 0), engine},
		outcome{Groups: []string{"a engine: request id"}, Classes: []string{"a engine"}, Issues: map[string]int{"joined": 1}})
	check(t, []row{client("a", 0), client("b", 500), engine},
		outcome{Groups: []string{"a: alone", "b: alone", "engine: alone"}, Issues: map[string]int{"join-ambiguous": 1}})
}

func TestAmbiguousHalfOfATraceID(t *testing.T) {
	short := row{name: "short", trace: traceID(0, 77), service: "sglang"}
	long := row{name: "long", trace: traceID(5, 77), service: "app"}
	check(t, []row{short, long}, outcome{Groups: []string{"long short: trace id"}, Issues: map[string]int{"joined": 1}})
	other := row{name: "other", record: true, service: "nginx", attrs: []attr{{"trace_id", fmt.Sprintf("%016x%016x", 6, 77)}}}
	check(t, []row{short, long, other}, outcome{Groups: []string{"long: alone", "other: alone", "short: alone"}, Issues: map[string]int{"join-ambiguous": 1}})
}

// A group is as certain as its weakest joint.
func TestBasisIsTheWeakestThatWasNeeded(t *testing.T) {
	tell := []attr{{"trace_id", fmt.Sprintf("%016x%016x", 1, 1)}}
	rows := []row{
		{name: "trace", trace: traceID(1, 1), service: "vllm", requestID: somePlain},
		{name: "log", record: true, service: "nginx", requestID: someUUID, attrs: tell},
	}
	want := outcome{Groups: []string{"log trace: trace id"}, Classes: []string{"log trace"}, Issues: map[string]int{"joined": 1}}
	check(t, rows, want)
	rows = append(rows, row{name: "more", record: true, service: "envoy", attrs: []attr{{"order", int64(1787227200123456789)}}})
	rows[1].attrs = append(slices.Clone(tell), attr{"corr", "1787227200123456789"})
	want.Groups, want.Classes = []string{"log more trace: declared key"}, []string{"log more trace"}
	check(t, rows, want, []string{"corr", "order"})
}

func TestDeclaredKeyMayBeTheColumn(t *testing.T) {
	rows := []row{
		seen("a", "nginx", somePlain, 0, 1),
		{name: "b", record: true, service: "app", attrs: []attr{{"session", someUUID}}},
	}
	check(t, rows, outcome{Groups: []string{"a: alone", "b: alone"}}, []string{"session"}, []string{"no such"})
	check(t, rows, outcome{Groups: []string{"a b: declared key"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}}, []string{"session", "request_id"})
}

// Every attribute that may hold a request id does, be it text, number or a header's list.
func TestAttributesThatHoldARequestID(t *testing.T) {
	for _, key := range append(slices.Clone(requestKeys), answerKey) {
		for _, value := range []any{someUUID, " " + someUUID + " ", []string{someUUID}} {
			check(t, []row{
				seen("a", "nginx", somePlain, 0, 1),
				{name: "b", trace: traceID(1, 1), service: "app", requestID: "another-id", attrs: []attr{{key, value}}},
			}, outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
		}
	}
	check(t, []row{
		seen("a", "nginx", "1787227200123456789", 0, 1),
		{name: "b", trace: traceID(1, 1), service: "app", start: 50, attrs: []attr{{"rid", int64(1787227200123456789)}}},
	}, outcome{Groups: []string{"a b: request id"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
	for _, value := range []any{true, []string{}, []string{someUUID, someUUID}, "-", "NULL", ""} {
		text, _ := value.(string)
		check(t, []row{
			seen("a", "nginx", text, 0, 1), seen("c", "nginx", "true", 0, 1),
			{name: "b", trace: traceID(1, 1), service: "app", end: 1, attrs: []attr{{"rid", value}}},
		}, outcome{Groups: []string{"a: alone", "b: alone", "c: alone"}})
	}
}

func TestIssuesAreDeclared(t *testing.T) {
	var ids []string
	for _, i := range Issues() {
		ids = append(ids, i.ID)
		if i.Advice == "" {
			t.Errorf("%s has no advice", i.ID)
		}
	}
	if d := cmp.Diff([]string{"joined", "join-ambiguous", "joined-by-address"}, ids); d != "" {
		t.Error(d)
	}
}
