package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// parsed is a trace file as a viewer reads it.
type parsed struct {
	DisplayTimeUnit string         `json:"displayTimeUnit"`
	OtherData       map[string]any `json:"otherData"`
	TraceEvents     []event        `json:"traceEvents"`
}

// parse reads a trace file, refusing fields that the format does not have.
func parse(t testing.TB, text []byte) parsed {
	t.Helper()
	var p parsed
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

// ns returns a time of an event in ns.
func ns(t testing.TB, n json.Number) int64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is no time", n)
	}
	r.Mul(r, big.NewRat(1000, 1))
	if !r.IsInt() || !r.Num().IsInt64() {
		t.Fatalf("%s µs is no whole number of ns", n)
	}
	return r.Num().Int64()
}

// thread is where events are.
type thread struct{ pid, tid int }

// check says what a viewer would make nothing of: slices of a thread that overlap without
// nesting, flows with one end or back in time, or with an end outside of all slices, instants and
// slices on threads without a name, and halves of asynchronous slices.
func check(t testing.TB, p parsed) {
	t.Helper()
	slicesOf, named, processes := map[thread][]event{}, map[thread]bool{}, map[int]bool{}
	begun, open, ids := map[string]event{}, map[string][]event{}, map[string]bool{}
	for _, e := range p.TraceEvents {
		at := thread{e.Process, e.Thread}
		switch e.Phase {
		case "M":
			if named[at] = named[at] || e.Name == "thread_name"; e.Name == "process_name" {
				processes[e.Process] = true
			}
		case "X":
			slicesOf[at] = append(slicesOf[at], e)
			fallthrough
		case "i":
			if !named[at] || !processes[e.Process] || e.Name == "" {
				t.Fatalf("event %+v is on no thread that has a name", e)
			}
			ns(t, e.Time)
		case "s":
			begun[e.Category+"/"+e.ID] = e
		case "f":
			from, ok := begun[e.Category+"/"+e.ID]
			if _, err := strconv.ParseUint(e.ID, 16, 64); err != nil {
				t.Fatalf("Perfetto drops a flow with an id of other than hexadecimal digits: %v", err)
			}
			if ids[e.ID] {
				t.Fatalf("two flows have the id %s", e.ID)
			}
			ids[e.ID] = true
			if !ok || from.Name != e.Name || e.Bind != "e" || ns(t, from.Time) > ns(t, e.Time) {
				t.Fatalf("flow %+v does not follow from %+v", e, from)
			}
			delete(begun, e.Category+"/"+e.ID)
		case "b":
			open[e.ID] = append(open[e.ID], e)
		case "e":
			n := len(open[e.ID])
			if n == 0 || open[e.ID][n-1].Name != e.Name || ns(t, open[e.ID][n-1].Time) > ns(t, e.Time) {
				t.Fatalf("%+v ends nothing", e)
			}
			open[e.ID] = open[e.ID][:n-1]
		case "C":
			if len(e.Args) != 1 {
				t.Fatalf("a counter of %v", e.Args)
			}
		default:
			t.Fatalf("phase %q", e.Phase)
		}
	}
	for id, left := range open {
		if len(left) > 0 {
			t.Fatalf("%s never ends", id)
		}
	}
	if len(begun) > 0 {
		t.Fatalf("flows without an end: %v", begun)
	}
	for at, list := range slicesOf {
		nest(t, at, list)
	}
	for _, e := range p.TraceEvents {
		if (e.Phase == "s" || e.Phase == "f") && !slices.ContainsFunc(slicesOf[thread{e.Process, e.Thread}], func(x event) bool {
			from := ns(t, x.Time)
			return from <= ns(t, e.Time) && ns(t, e.Time) < from+ns(t, x.Duration)
		}) {
			t.Fatalf("flow %+v ends in no slice", e)
		}
	}
}

// nest fails if two slices of a thread overlap and none holds the other.
func nest(t testing.TB, at thread, list []event) {
	t.Helper()
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b event) int {
		return cmp.Or(cmp.Compare(ns(t, a.Time), ns(t, b.Time)), cmp.Compare(ns(t, b.Duration), ns(t, a.Duration)))
	})
	var ends []int64
	for _, e := range list {
		from, to := ns(t, e.Time), ns(t, e.Time)+ns(t, e.Duration)
		for len(ends) > 0 && ends[len(ends)-1] <= from {
			ends = ends[:len(ends)-1]
		}
		if len(ends) > 0 && ends[len(ends)-1] < to {
			t.Fatalf("%s on %v reaches beyond the slice around it", e.Name, at)
		}
		ends = append(ends, to)
	}
}

// drawn returns a trace file of requests, checked.
func drawn(t testing.TB, b *built, requests []*critical.Request) ([]byte, parsed) {
	t.Helper()
	text := written(t, func(out *bytes.Buffer) error { return WriteRequests(out, b.set, requests) })
	p := parse(t, text)
	check(t, p)
	return text, p
}

// decorated is the shop request with an event, links and log records.
func decorated(t testing.TB) *built {
	set := traces(shop, shop[:1])
	s := set.Symbols
	event := set.SpanEvents.Grow()
	set.SpanEvents.SpanRow[event], set.SpanEvents.Time[event], set.SpanEvents.Name[event] = 3, epoch+30*ms+1, s.Intern("cache miss")
	set.Spans.Attributes.Add(s.Intern("n"), table.IntValue(1)) // of the last span
	for _, to := range []table.SpanID{spanID(0, 2), spanID(0, 3), spanID(0, 4), spanID(7, 7)} {
		link := set.SpanLinks.Grow()
		set.SpanLinks.SpanRow[link], set.SpanLinks.TraceID[link], set.SpanLinks.SpanID[link] = 3, traceID(0), to
	}
	for i, l := range []struct {
		trace table.TraceID
		span  table.SpanID
		at    int64
		body  string
	}{
		{traceID(0), spanID(0, 2), epoch + 11*ms, strings.Repeat("long ", 30)}, {traceID(0), table.SpanID{}, epoch + 12*ms, ""},
		{traceID(5), spanID(0, 2), epoch + 13*ms, "of another trace"}, {traceID(0), spanID(0, 2), table.Missing, "without a time"},
	} {
		row := set.Logs.Grow()
		set.Logs.TraceID[row], set.Logs.SpanID[row], set.Logs.Time[row], set.Logs.ScopeRow[row] = l.trace, l.span, l.at, int32(i%2)
		set.Logs.SeverityText[row] = s.Intern("WARN")
		if l.body != "" {
			set.Logs.Body.Add(0, table.StringValue(l.body))
		}
	}
	return build(t, set)
}

func TestARequestIsDrawnInWhole(t *testing.T) {
	b := decorated(t)
	requests := b.requests(t)
	text, p := drawn(t, b, requests[:1])
	golden(t, "shop.json", text)
	var names []string
	for _, e := range p.TraceEvents {
		if e.Phase == "X" && e.Process == 1 {
			names = append(names, e.Name)
		}
	}
	if want := len(requests[0].EndPath); len(names) != want {
		t.Errorf("%d slices for a path of %d segments", len(names), want)
	}
	if p.OtherData["origin"] != "2026-03-02T14:00:00Z" || p.OtherData["origin_ns"] != fmt.Sprint(epoch) {
		t.Errorf("other data %v", p.OtherData)
	}
}

func TestRequestsOfATraceHaveProcessesOfTheirOwn(t *testing.T) {
	b := decorated(t)
	_, p := drawn(t, b, b.requests(t))
	var names []string
	for _, e := range p.TraceEvents {
		if e.Name == "process_name" {
			names = append(names, fmt.Sprint(e.Process, " ", e.Args["name"]))
		}
	}
	want := []string{"1 1: critical path", "2 1: edge", "3 1: shop", `4 1: \u{1b}[31mred`, "5 2: critical path", "6 2: edge"}
	if !slices.Equal(names, want) {
		t.Errorf("processes %q, want %q", names, want)
	}
}

// TestAnyRequestCanBeDrawn draws requests of any shape: all that a path has is drawn once, to the
// nanosecond, and a viewer finds nothing wrong.
func TestAnyRequestCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := build(t, traces(trees().Draw(r, "traces")...))
		for _, req := range b.requests(t) {
			_, p := drawn(t, b, []*critical.Request{req})
			onPath, spans := int64(0), 0
			for _, e := range p.TraceEvents {
				switch {
				case e.Phase == "X" && e.Process == 1 && e.Thread == 1:
					onPath += ns(t, e.Duration)
				case e.Phase == "X" && e.Process > 1:
					spans++
				}
			}
			if len(req.EndPath) > 0 && onPath != req.End-req.Start || spans != len(req.Spans) {
				t.Fatalf("%d ns of %d on the path, %d slices for %d spans", onPath, req.End-req.Start, spans, len(req.Spans))
			}
		}
	})
}

func TestTimesKeepTheirNanoseconds(t *testing.T) {
	f := traceFile{origin: 1_772_460_000_123_456_789}
	for _, c := range []struct {
		at   int64
		want string
	}{
		{f.origin, "0.000"}, {f.origin + 1, "0.001"}, {f.origin + 12_345_678, "12345.678"}, {f.origin - 1, "-0.001"}, {f.origin - 1_000_000, "-1000.000"},
		{-9_000_000_000_000_000_000, "-10772460000123456.789"},
	} {
		if got := string(f.at(c.at)); got != c.want {
			t.Errorf("%d is at %s, want %s", c.at, got, c.want)
		}
	}
	if got := length(5, 4); got != "0.000" {
		t.Errorf("a span that ends before it starts has length %s", got)
	}
}

// TestASpanOfAWrongDateMovesNoOther has a child with a clock since boot.
func TestASpanOfAWrongDateMovesNoOther(t *testing.T) {
	set := traces(shop[:2])
	set.Spans.Start[1], set.Spans.End[1] = 5*ms, 6*ms
	b := build(t, set)
	_, p := drawn(t, b, b.requests(t)[:1])
	if p.OtherData["origin_ns"] != fmt.Sprint(epoch) {
		t.Errorf("times count from %v", p.OtherData["origin_ns"])
	}
}

// TestWhatIsShownIsNotBeforeTheOrigin has an event and a record a while before the request: what
// has a negative time Perfetto leaves out.
func TestWhatIsShownIsNotBeforeTheOrigin(t *testing.T) {
	set := traces(shop)
	event := set.SpanEvents.Grow()
	set.SpanEvents.SpanRow[event], set.SpanEvents.Time[event], set.SpanEvents.Name[event] = 0, epoch-2*ms, set.Symbols.Intern("accepted")
	row := set.Logs.Grow()
	set.Logs.TraceID[row], set.Logs.SpanID[row], set.Logs.Time[row] = traceID(0), spanID(0, 1), epoch-5*ms
	b := build(t, set)
	_, p := drawn(t, b, b.requests(t))
	if p.OtherData["origin_ns"] != fmt.Sprint(epoch-5*ms) {
		t.Errorf("times count from %v", p.OtherData["origin_ns"])
	}
	for _, e := range p.TraceEvents {
		if e.Phase != "M" && ns(t, e.Time) < 0 {
			t.Errorf("%+v is before the origin", e)
		}
	}
}

// engineOf returns the window of the first engine of an incident, of a minute.
func engineOf(t testing.TB, b *built) Window {
	t.Helper()
	e := b.builder.Engines()
	if len(e.Engines()) == 0 {
		t.Fatal("no engine")
	}
	from := e.Occupancy(0).From
	return Window{Engines: e, From: from, To: from + 10_000*ms}
}

func TestAnEngineIsDrawnWithItsRequestsAndCounters(t *testing.T) {
	b := scenario(t, "queue-buildup")
	at := engineOf(t, b)
	at.From += 61_000 * ms
	at.To += 61_000 * ms
	n := 0
	text := written(t, func(out *bytes.Buffer) (err error) {
		n, err = WriteEngine(out, b.set, at, func(int) bool { return true })
		return err
	})
	p := parse(t, text)
	check(t, p)
	from := at.From - origin(t, p)
	if from <= 0 || p.OtherData["from_ns"] != fmt.Sprint(at.From) {
		t.Errorf("the window begins %d ns after the first request that is in it, at %v", from, p.OtherData["from_ns"])
	}
	requests, most := map[string]bool{}, map[string]int64{}
	for _, e := range p.TraceEvents {
		switch e.Phase {
		case "b":
			requests[e.ID] = true
			if ns(t, e.Time) < 0 {
				t.Errorf("%+v is before the origin, where Perfetto draws nothing", e)
			}
		case "C":
			value, _ := e.Args["n"].(float64)
			most[e.Name] = max(most[e.Name], int64(value))
			if at := ns(t, e.Time) - from; at < 0 || at >= 10_000*ms {
				t.Errorf("counter %s at %d", e.Name, at)
			}
		}
	}
	if n == 0 || len(requests) != n {
		t.Errorf("%d requests are told, %d are drawn", n, len(requests))
	}
	// The peak within the window, by asking at every ms.
	var running, waiting int64
	for ns := at.From; ns < at.To; ns += ms / 4 {
		s := at.Engines.At(0, ns)
		running, waiting = max(running, int64(len(s.Running))), max(waiting, int64(len(s.Waiting)+len(s.Preempted)))
	}
	if r, w := most["running (requests' own times)"], most["waiting (requests' own times)"]; r < running || w < waiting || r > running+1 || w > waiting+1 {
		t.Errorf("at most %d run and %d wait, want about %d and %d", r, w, running, waiting)
	}

	n, err := WriteEngine(&bytes.Buffer{}, b.set, at, func(row int) bool { return row%2 == 0 })
	if err != nil || n == 0 || n >= len(requests) {
		t.Errorf("half of the requests are %d of %d, %v", n, len(requests), err)
	}
	at.Most = len(requests) - 1
	var out bytes.Buffer
	var many *TooManyError
	if _, err := WriteEngine(&out, b.set, at, func(int) bool { return false }); !errors.As(err, &many) || many.Requests != len(requests) || out.Len() > 0 {
		t.Errorf("%d requests may be there and %d are: %v, %d bytes", at.Most, len(requests), err, out.Len())
	}
}

// origin returns what times of a file count from.
func origin(t testing.TB, p parsed) int64 {
	t.Helper()
	text, _ := p.OtherData["origin_ns"].(string)
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestARequestThatIsLongBeforeTheWindowBeginsAtTheOrigin: an hour is shown before the window.
func TestARequestThatIsLongBeforeTheWindowBeginsAtTheOrigin(t *testing.T) {
	o := occupation{traceFile: &traceFile{origin: epoch}}
	o.async("b", "queue", "1", epoch-5*ms, nil)
	o.async("e", "queue", "1", epoch+5*ms, nil)
	if a, b := o.events[0].Time, o.events[1].Time; a != "0.000" || b != "5000.000" {
		t.Errorf("it is drawn from %s to %s", a, b)
	}
}

// TestManyOverlappingSpansTakeLittleTime lays out spans of one service that all overlap.
func TestManyOverlappingSpansTakeLittleTime(t *testing.T) {
	const n = 100_000
	req := &critical.Request{Spans: []critical.Span{{Parent: -1, Start: 0, End: 3 * n}}}
	for i := range n {
		req.Spans = append(req.Spans, critical.Span{Start: int64(i), End: int64(i + n), Depth: 1})
	}
	l := newLanes(req, make([]int32, n+1), 1)
	if l.count[0] != n {
		t.Errorf("%d lanes for %d spans at once", l.count[0], n)
	}
}
