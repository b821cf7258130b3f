package critical

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// tell adds what a span tells of its end.
type tell func(set *table.Set, row int)

func http(code int64) tell { return func(s *table.Set, i int) { s.Spans.HTTPStatus[i] = code } }
func text(message string) tell {
	return func(s *table.Set, i int) { s.Spans.StatusMessage[i] = message }
}
func erred(s *table.Set, i int) { s.Spans.Status[i] = statusError }
func isRecord(s *table.Set, i int) {
	s.Spans.Origin[i], s.Spans.Kind[i] = table.OriginRecord, kindServer
}
func attr(key string, v table.Value) tell {
	return func(s *table.Set, _ int) { s.Spans.Attributes.Add(s.Symbols.Intern(key), v) }
}
func str(key, value string) tell { return attr(key, table.StringValue(value)) }

// toldSpan is a span and what it tells of its end.
type toldSpan struct {
	testSpan
	tells []tell
}

func buildTold(t interface{ Fatal(...any) }, spans ...toldSpan) *table.Requests {
	set := table.NewSet()
	for i, s := range spans {
		addTrace(set, 1, []testSpan{s.testSpan})
		for _, f := range s.tells {
			f(set, i)
		}
	}
	set.Canonicalize()
	if err := NewBuilder(set, nil, Options{}).Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &set.Requests
}

// TestAborted: who ended a request, by what its spans say of themselves: that who asked
// went away, that a limit was reached, or that it failed.
func TestAborted(t *testing.T) {
	const second = 1_000_000_000
	type tells = []tell
	none := tells{}
	for _, c := range []struct {
		name                    string
		client, gateway, engine tells // nil for no such span
		want                    bool
	}{
		{"answered", tells{http(200)}, tells{http(200)}, tells{str("finish_reason", "length")}, false},

		// What the one who serves the root says.
		{"HTTP 499", nil, tells{http(499)}, none, true},
		{"HTTP 500", nil, tells{http(500), erred}, none, false},
		{"HTTP 408", nil, tells{http(408)}, none, false},
		{"HTTP 504 and an engine that was told to stop", nil, tells{http(504), erred}, tells{str("finish_reason", "abort")}, false},
		{"client cancelled", nil, tells{text("request Cancelled by client"), erred}, none, true},
		{"client disconnected", nil, tells{text("client disconnected"), erred}, none, true},
		{"error.type", nil, tells{str("error.type", "context.Canceled"), erred}, none, true},
		{"server's deadline", nil, tells{text("context deadline exceeded"), erred}, none, false},
		{"cancelled by a time-out", nil, tells{text("canceling statement due to statement timeout"), erred}, none, false},
		{"HTTP 500 that says cancelled", nil, tells{http(500), text("upstream request cancelled: overloaded"), erred}, none, false},
		{"HTTP 503 that says disconnected", nil, tells{http(503), text("client disconnected"), erred}, none, false},
		{"HTTP 429 that says cancelled", nil, tells{http(429), text("request cancelled: too many"), erred}, none, false},
		{"HTTP 500 and an error.type that says so", nil, tells{http(500), str("error.type", "CancelledError"), erred}, none, false},
		{"HTTP 499 beside a time-out", nil, tells{http(499), text("timed out"), erred}, none, true},
		{"HTTP 200, stream cancelled", nil, tells{http(200), text("stream cancelled"), erred}, none, true},
		{"record of a load balancer's 460", nil, tells{isRecord, http(460), text("cancelled by who asked"), erred}, none, true},
		{"a span that borrows a record's words", nil, tells{http(500), text("cancelled by who asked"), erred}, none, false},
		{"a client that is closed", nil, tells{text("redis: client is closed"), erred}, none, false},
		{"gRPC CANCELLED", nil, tells{attr(grpcStatus, table.IntValue(1))}, none, true},
		{"gRPC CANCELLED by name", nil, tells{str("rpc.response.status_code", "CANCELLED")}, none, true},
		{"gRPC UNKNOWN", nil, tells{attr(grpcStatus, table.IntValue(2))}, none, false},
		{"gRPC DEADLINE_EXCEEDED", nil, tells{attr(grpcStatus, table.IntValue(4)), erred}, none, false},
		{"gRPC Canceled as Go spells it", nil, tells{str("grpc.status_code", "Canceled")}, none, true},
		{"gRPC code as a text", nil, tells{str("rpc.status_code", "1")}, none, true},
		{"flags DC", nil, tells{http(200), str("response_flags", "DC")}, none, true},
		{"flags DR", nil, tells{str("response_flags", "DR")}, none, true},
		{"flags UT", nil, tells{str("response_flags", "UT")}, tells{str("finish_reason", "abort")}, false},
		{"flags DC beside a limit", nil, tells{str("response_flags", "UT,DC")}, none, false},
		{"no flags", nil, tells{http(200), str("response_flags", "-")}, none, false},

		// What an engine says, at the end of a root that says nothing against it.
		{"finish reason", nil, tells{http(200)}, tells{str("finish_reason", "abort")}, true},
		{"finish reason of gen_ai", nil, none, tells{str("gen_ai.response.finish_reasons", `["abort"]`)}, true},
		{"abort with a code", nil, none, tells{str("finish_reason", "abort"), str("abort_status", "503")}, false},
		{"ordinary reason", nil, none, tells{str("finish_reason", "length")}, false},
		{"Dynamo cancelled", nil, none, tells{attr("cancelled", table.BoolValue(true))}, true},
		{"Dynamo not cancelled", nil, none, tells{attr("cancelled", table.BoolValue(false))}, false},
		{"engine's record", nil, none, tells{isRecord, erred, text("cancelled by who asked")}, true},
		{"engine's failure", nil, none, tells{isRecord, erred}, false},

		// What the caller says, and the far end where it leaves that open.
		{"caller cancelled", tells{text("context canceled"), erred}, none, none, true},
		{"caller's own limit", tells{text("context deadline exceeded"), erred}, tells{http(200)}, none, true},
		{"a status came back", tells{text("timeout"), http(504), erred}, none, none, false},
		{"a status came back, cancelled", tells{text("request cancelled: overloaded"), http(503), erred}, none, none, false},
		{"caller cancelled by a limit of a far end that answered", tells{text("request cancelled: timeout"), erred}, tells{http(504), erred}, none, true},
		{"no word, far end 499", tells{erred}, tells{http(499)}, none, true},
		{"no word, far end DC", tells{text("EOF"), erred}, tells{str("response_flags", "DC")}, none, true},
		{"no word, far end 504", tells{erred}, tells{http(504), erred}, none, false},
		{"gRPC deadline, far end 499", tells{attr(grpcStatus, table.IntValue(4)), text("context deadline exceeded"), erred}, tells{http(499)}, none, true},
		{"gRPC deadline, far end silent", tells{attr(grpcStatus, table.IntValue(4)), text("context deadline exceeded"), erred}, none, none, false},
		{"stream cut, headers 200", tells{http(200)}, tells{http(200), str("response_flags", "DC")}, none, true},
	} {
		var spans []toldSpan
		add := func(kind uint8, tells []tell) {
			if tells == nil {
				return
			}
			n := int64(len(spans))
			s := testSpan{id: uint64(n + 1), parent: uint64(n), name: "POST", service: string(rune('a' + n)), kind: kind, start: second + n*1000, end: 2*second - n*1000}
			if kind == 0 {
				s.name, s.scope = "llm_request", "vllm.tracing.otel"
			}
			spans = append(spans, toldSpan{s, tells})
		}
		add(kindClient, c.client)
		add(kindServer, c.gateway)
		add(0, c.engine)
		if q := buildTold(t, spans...); q.Len() != 1 || q.Aborted[0] != c.want {
			t.Errorf("%s: %d requests, aborted %v, want %v", c.name, q.Len(), q.Aborted, c.want)
		}
	}
}

// TestEndingOfCancelledByALimit: a call that was cancelled because its time was over ran out
// of time, and was not let go.
func TestEndingOfCancelledByALimit(t *testing.T) {
	for _, c := range []struct {
		kind  uint8
		tells []tell
		want  ending
	}{
		{kindClient, []tell{text("request cancelled: timeout"), erred}, ranOut},
		{kindClient, []tell{text("request cancelled: timeout"), http(504), erred}, failed},
		{kindClient, []tell{text("request cancelled"), erred}, letGo},
		{kindServer, []tell{text("request cancelled: timeout"), erred}, failed},
	} {
		if got := endingOf(c.kind, c.tells...); got != c.want {
			t.Errorf("%d: %d, want %d", c.kind, got, c.want)
		}
	}
}

// endingOf is how one span ends, by what it tells.
func endingOf(kind uint8, tells ...tell) ending {
	set := table.NewSet()
	addTrace(set, 1, []testSpan{{id: 1, name: "POST", service: "a", kind: kind, start: 1000, end: 2000}})
	for _, f := range tells {
		f(set, 0)
	}
	set.Canonicalize()
	s := newSignals(set)
	return s.of(0)
}

// TestGRPCCodeIsOfGRPC: only gRPC's own codes are read, since the attributes hold those of
// other protocols too; a span with any other value ends as it would without it.
func TestGRPCCodeIsOfGRPC(t *testing.T) {
	for code, name := range []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
		"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"} {
		for _, text := range []string{name, strings.ToLower(name), strings.ReplaceAll(name, "_", ""), strconv.Itoa(code)} {
			if got := grpcCodeOf(text); got != code {
				t.Errorf("%s: %d, want %d", text, got, code)
			}
		}
	}
	for _, value := range []table.Value{
		table.StringValue("200"), table.StringValue("SUCCESS"), table.StringValue(""), table.StringValue("-1"), table.StringValue("17"), table.StringValue("04"),
		table.IntValue(200), table.IntValue(-1), table.IntValue(17), table.DoubleValue(1), table.StringValue("-32601"),
	} {
		for _, key := range grpcKeys {
			for _, with := range [][]tell{nil, {http(200)}, {http(499)}, {http(503), erred}, {erred}} {
				for _, kind := range []uint8{kindServer, kindClient} {
					if got, want := endingOf(kind, append(with, attr(key, value))...), endingOf(kind, with...); got != want {
						t.Errorf("%s of %v beside %d others: %d, want %d", key, value, len(with), got, want)
					}
				}
			}
		}
	}
	if got := endingOf(kindServer, attr(grpcStatus, table.IntValue(200)), str("rpc.response.status_code", "CANCELLED")); got != left {
		t.Errorf("a code of another protocol hides that of gRPC: %d", got)
	}
}

// TestAbortedByTheLastCall: of several calls the last tells, and a call that a server let go
// may have been let go for any reason.
func TestAbortedByTheLastCall(t *testing.T) {
	const ms = 1_000_000
	root := func(kind uint8, tells ...tell) toldSpan {
		return toldSpan{testSpan{id: 1, name: "complete", service: "app", kind: kind, start: 0, end: 1000 * ms}, tells}
	}
	call := func(id uint64, start, end int64, tells ...tell) toldSpan {
		return toldSpan{testSpan{id: id, parent: 1, name: "POST", service: "app", kind: kindClient, start: start * ms, end: end * ms}, tells}
	}
	far := func(id uint64, start, end int64, tells ...tell) toldSpan {
		return toldSpan{testSpan{id: id + 10, parent: id, name: "ingress", service: "gw", kind: kindServer, start: start*ms + 1000, end: end*ms - 1000}, tells}
	}
	const internal = 1
	gone := []tell{http(499)}
	for _, c := range []struct {
		name  string
		spans []toldSpan
		want  bool
	}{
		{"the last attempt was given up", []toldSpan{root(internal, erred), call(2, 0, 400, http(503)), far(2, 0, 400, http(503)), call(3, 500, 1000, erred), far(3, 500, 1000, gone...)}, true},
		{"a later attempt was answered", []toldSpan{root(internal), call(2, 0, 400, erred), far(2, 0, 400, gone...), call(3, 500, 1000, http(200)), far(3, 500, 1000, http(200))}, false},
		{"a later attempt failed", []toldSpan{root(internal, erred), call(2, 0, 400, erred), far(2, 0, 400, gone...), call(3, 500, 1000, http(503)), far(3, 500, 1000, http(503))}, false},
		{"a hedge that lost", []toldSpan{root(internal), call(2, 0, 900, text("context canceled"), erred), far(2, 0, 900, gone...), call(3, 500, 1000, http(200)), far(3, 500, 1000, http(200))}, false},
		{"who asked cancelled", []toldSpan{root(internal, erred), call(2, 0, 1000, text("context canceled"), erred)}, true},
		{"a server's own limit", []toldSpan{root(kindServer, http(504), erred), call(2, 0, 990, text("context deadline exceeded"), erred), far(2, 0, 990, gone...)}, false},
		{"a server that failed", []toldSpan{root(kindServer, erred), call(2, 0, 990, erred), far(2, 0, 990, gone...)}, false},
		{"a server that answered and let a call go", []toldSpan{root(kindServer, http(200)), call(2, 0, 990, text("context canceled"), erred)}, false},
		{"a server whose stream was cut", []toldSpan{root(kindServer, http(200)), call(2, 0, 1000, text("context canceled"), erred), far(2, 0, 1000, gone...)}, true},
		{"a server that says nothing", []toldSpan{root(kindServer), call(2, 0, 1000), far(2, 0, 1000, gone...)}, true},
		{"an inner limit alone", []toldSpan{root(internal, erred), call(2, 0, 1000, text("context deadline exceeded"), erred)}, false},
	} {
		if q := buildTold(t, c.spans...); q.Len() != 1 || q.Aborted[0] != c.want {
			t.Errorf("%s: %d requests, aborted %v, want %v", c.name, q.Len(), q.Aborted, c.want)
		}
	}
}

// TestAbortedOffThePath: a detached span after the request does not make it aborted.
func TestAbortedOffThePath(t *testing.T) {
	const second = 1_000_000_000
	q := buildTold(t,
		toldSpan{testSpan{id: 1, name: "GET", service: "gw", start: second, end: 2 * second}, nil},
		toldSpan{testSpan{id: 2, parent: 1, name: "llm_request", scope: "vllm.tracing.otel", service: "gw", start: 3 * second, end: 4 * second}, []tell{str("finish_reason", "abort")}})
	if q.Len() != 1 || q.Aborted[0] {
		t.Errorf("%d requests, aborted %v", q.Len(), q.Aborted)
	}
}

// TestAbortedIsToldBySomeone: a request of any shape is aborted only if some span of it
// says that it was given up, and never if its root says that it failed.
func TestAbortedIsToldBySomeone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []toldSpan
		told, rootFailed := false, false
		for i := range rapid.IntRange(1, 6).Draw(t, "spans") {
			start := rapid.Int64Range(0, 900).Draw(t, "start") * 1000
			s := testSpan{id: uint64(i + 1), name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), service: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "service"),
				kind: uint8(rapid.IntRange(0, 5).Draw(t, "kind")), start: start, end: start + rapid.Int64Range(1, 1000).Draw(t, "length")*1000}
			if i == 0 {
				s.start, s.end = 0, 1_000_000
			} else {
				s.parent = uint64(rapid.IntRange(1, i).Draw(t, "parent"))
			}
			one := toldSpan{testSpan: s}
			switch kind := rapid.IntRange(0, 4).Draw(t, "tells"); kind {
			case 0:
				one.tells, told = []tell{http(499)}, true
			case 1:
				one.tells, told = []tell{text("context canceled"), erred}, true
			case 2:
				one.tells = []tell{http(503), erred}
				rootFailed = rootFailed || i == 0
			case 3:
				one.tells = []tell{http(200)}
			}
			spans = append(spans, one)
		}
		q := buildTold(t, spans...)
		for i := range q.Len() {
			if q.Aborted[i] && (!told || rootFailed) {
				t.Fatalf("aborted, and told %v, root failed %v", told, rootFailed)
			}
		}
	})
}
