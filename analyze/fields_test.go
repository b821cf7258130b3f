package analyze

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// pair is an attribute of a made-up span or resource.
type pair struct {
	key   string
	value any
}

func attributes(set *table.Set, list []pair) (out []table.Attr) {
	for _, p := range list {
		var v table.Value
		switch x := p.value.(type) {
		case string:
			v = table.StringValue(x)
		case int:
			v = table.IntValue(int64(x))
		case float64:
			v = table.DoubleValue(x)
		case bool:
			v = table.BoolValue(x)
		case table.Value:
			v = x
		}
		out = append(out, table.Attr{Key: set.Symbols.Intern(p.key), Value: v})
	}
	return out
}

// spanOf adds a span of a scope of its own.
func spanOf(set *table.Set, resource, span []pair) int32 {
	scope := set.Scopes.Grow()
	list := attributes(set, resource)
	set.PlaceScope(scope, list)
	for _, a := range list {
		set.Scopes.ResourceAttributes.Add(a.Key, a.Value)
	}
	i := set.Spans.Grow()
	set.Spans.ScopeRow[i] = int32(scope)
	for _, a := range attributes(set, span) {
		set.Spans.Attributes.Add(a.Key, a.Value)
	}
	return int32(i)
}

// gatewayAndEngine is one request: a gateway's span, and an engine's that queues and runs it.
func gatewayAndEngine() *table.Set {
	set := table.NewSet()
	add(set, given{id: 0xab, start: houseBegan, times: times(stage.Gateway, 3, stage.Queue, 40, stage.GPU, 57), decode: 50, ttft: true, tokens: 11, basis: "event"})
	root := spanOf(set, []pair{{"host.name", "edge"}, {"service.instance.id", "gw-1"}, {"region", "eu"}, {"team", "infra"}},
		[]pair{{"tenant", "acme"}, {"retries", "2"}, {"blank", ""}, {"model", "not this one"}, {"list", table.Value{Type: table.ValueArray, Text: []byte(`[1]`)}}})
	other := spanOf(set, []pair{{"host.name", "gpu-7"}, {"service.instance.id", "vllm-3"}, {"host.id", "0f9e"}, {"team", "serving"}},
		[]pair{{"tenant", "someone"}, {"batch", 8}, {"ratio", 0.25}, {"chunked", true}, {"blank", "filled"}, {"none", table.Value{}}})
	req, text := &set.Requests, set.Symbols
	req.RootRow[0] = root
	req.Model[0], req.Route[0], req.Name[0], req.Service[0] = text.Intern("llama3"), text.Intern("/v1/chat"), text.Intern("POST"), text.Intern("nginx")
	req.RequestID[0], req.Streaming[0], req.PromptTokens[0], req.Attempts[0] = "r-1", 2, 900, 1
	for i := range set.Segments.Len() {
		set.Segments.SpanRow[i] = root
		switch stage.Stage(set.Segments.Stage[i]) {
		case stage.Queue:
			set.Segments.Cause[i] = text.Intern("capacity")
		case stage.GPU:
			set.Segments.SpanRow[i] = other
		}
	}
	return set
}

func TestFields(t *testing.T) {
	f := NewFields(gatewayAndEngine())
	id := [16]byte{15: 0xab}
	want := map[string]string{
		"model": "llama3", "route": "/v1/chat", "service": "nginx", "name": "POST", "host": "gpu-7", "engine": "vllm-3",
		"streaming": "yes", "status": "ok", "class": "complete", "attempts": "1", "cause": "capacity", "prompt_tokens": "900",
		"output_tokens": "11", "e2e": "100", "ttft": "50", "tpot": "5", "start": "2026-03-02T14:00:00Z",
		"trace_id": hex.EncodeToString(id[:]), "request_id": "r-1",
		"network": "0", "gateway": "3", "queue": "40", "scheduling": "0", "gpu": "57", "transfer": "0", "application": "0", "unattributed": "0",
		// The root's attribute counts before the engine's, a span's before a resource's, and
		// an empty text is none.
		"tenant": "acme", "retries": "2", "batch": "8", "ratio": "0.25", "chunked": "true", "blank": "filled", "region": "eu",
		"team": "infra", "list": "[1]", "host.name": "edge", "host.id": "0f9e", "service.instance.id": "gw-1",
	}
	got := map[string]string{}
	for _, name := range f.Names() {
		text, ok := f.Text(0, name)
		if !ok {
			t.Errorf("%s is listed and has no value", name)
		}
		got[name] = text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	numbers := map[string]float64{
		"attempts": 1, "prompt_tokens": 900, "output_tokens": 11, "e2e": 100, "ttft": 50, "tpot": 5, "start": float64(houseBegan),
		"network": 0, "gateway": 3, "queue": 40, "scheduling": 0, "gpu": 57, "transfer": 0, "application": 0, "unattributed": 0,
		"retries": 2, "batch": 8, "ratio": 0.25,
	}
	gotNumbers := map[string]float64{}
	for _, name := range f.Names() {
		if n, ok := f.Number(0, name); ok {
			gotNumbers[name] = n
		}
	}
	if diff := cmp.Diff(numbers, gotNumbers); diff != "" {
		t.Fatal(diff)
	}
	for _, name := range []string{"none", "nothing", ""} {
		if text, ok := f.Text(0, name); ok {
			t.Errorf("%q has the value %q", name, text)
		}
	}
}

// TestFieldNames: built-in names come first in their order, keys after them, sorted.
func TestFieldNames(t *testing.T) {
	names := NewFields(gatewayAndEngine()).Names()
	var order []string
	for _, b := range built {
		if !b.measure { // which are not taken unless asked for
			order = append(order, b.name)
		}
	}
	at := slices.Index(names, "unattributed")
	if diff := cmp.Diff(order, names[:at+1]); diff != "" {
		t.Fatalf("every built-in field has a value there:\n%s", diff)
	}
	if keys := names[at+1:]; !slices.IsSorted(keys) || len(keys) == 0 {
		t.Fatalf("keys %v", keys)
	}
	if names := NewFields(table.NewSet()).Names(); len(names) != 0 {
		t.Fatalf("an empty set has fields: %v", names)
	}
}

// TestFieldsOfFragments: what was not recorded has no value, whatever the tables lack.
func TestFieldsOfFragments(t *testing.T) {
	set := tables([]given{{id: 1, times: times(stage.Queue, 5)}, {id: 2, class: critical.Unfinished, times: times(stage.GPU, 5)}})
	set.Requests.Clock[0] = table.ClockNone
	set.Requests.RootRow[1] = -1
	f := NewFields(set)
	for name, want := range map[string]string{"queue": "5", "e2e": "5", "host": "", "engine": "", "start": "", "model": "", "streaming": "", "attempts": "", "cause": ""} {
		if got, _ := f.Text(0, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"e2e", "gpu", "tpot", "ttft"} {
		if n, ok := f.Number(1, name); ok {
			t.Errorf("a request without an end has %s = %v", name, n)
		}
	}
}

// TestWhatLooksLikeANumber: only decimal numbers are numbers.
func TestWhatLooksLikeANumber(t *testing.T) {
	for text, want := range map[string]bool{"12": true, "-1.5e3": true, "+7": true, "0x10": false, "inf": false, "NaN": false, "1_000": false, "": false, "e": false, "1e999": false} {
		if _, ok := attributeNumber(table.StringValue(text)); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
	if _, ok := attributeNumber(table.BoolValue(true)); ok {
		t.Error("true is a number")
	}
}

// TestNearestByHand finds the engine's span and the cause by looking at every segment of
// every request instead of at all segments once.
func TestNearestByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := table.NewSet()
		for range rapid.IntRange(1, 4).Draw(t, "spans") {
			spanOf(set, nil, nil)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "requests") {
			set.Requests.Grow()
			set.Requests.RootRow[i] = rapid.Int32Range(-1, int32(set.Spans.Len())).Draw(t, "root")
		}
		seg := &set.Segments
		for i := range rapid.IntRange(0, 12).Draw(t, "segments") {
			seg.Grow()
			seg.RequestRow[i] = rapid.Int32Range(0, int32(set.Requests.Len())-1).Draw(t, "request")
			seg.Target[i] = uint8(rapid.SampledFrom([]critical.Target{critical.End, critical.FirstToken}).Draw(t, "target"))
			seg.Stage[i] = uint8(rapid.SampledFrom([]stage.Stage{stage.Gateway, stage.Queue, stage.GPU, stage.Transfer}).Draw(t, "stage"))
			seg.Start[i], seg.Duration[i] = int64(i), rapid.Int64Range(1, 4).Draw(t, "ns")
			seg.SpanRow[i] = rapid.Int32Range(0, int32(set.Spans.Len())-1).Draw(t, "span")
			seg.Cause[i] = set.Symbols.Intern(rapid.SampledFrom([]string{"", "capacity", "retry"}).Draw(t, "cause"))
		}
		got := findNearest(set)
		for row := range set.Requests.Len() {
			want := set.Requests.RootRow[row]
			if int(want) >= set.Spans.Len() {
				want = -1
			}
			for _, s := range []stage.Stage{stage.Queue, stage.GPU} {
				var longest int64
				for i := range seg.Len() {
					if int(seg.RequestRow[i]) == row && seg.Target[i] == uint8(critical.End) && seg.Stage[i] == uint8(s) && seg.Duration[i] > longest {
						longest, want = seg.Duration[i], seg.SpanRow[i]
					}
				}
			}
			if got.span[row] != want {
				t.Fatalf("request %d: span %d, want %d", row, got.span[row], want)
			}
			waited := map[string]int64{}
			for i := range seg.Len() {
				if int(seg.RequestRow[i]) == row && seg.Target[i] == uint8(critical.End) && seg.Stage[i] == uint8(stage.Queue) && seg.Cause[i] != 0 {
					waited[set.Symbols.Text(seg.Cause[i])] += seg.Duration[i]
				}
			}
			cause := ""
			for _, name := range []string{"capacity", "retry"} {
				if waited[name] > waited[cause] {
					cause = name
				}
			}
			if text := set.Symbols.Text(got.cause[row]); text != cause {
				t.Fatalf("request %d waited for %q, want %q of %v", row, text, cause, waited)
			}
		}
	})
}

// TestPlaces: a host goes by its name, and an instance that is none by the host too.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		resource []pair
		want     place
	}{
		{nil, place{}},
		{[]pair{{"host.id", "0f9e"}}, place{"0f9e", ""}},
		{[]pair{{"host.id", "0f9e"}, {"k8s.pod.name", "pod-1"}, {"process.pid", 1}}, place{"pod-1", "pod-1/1"}},
		{[]pair{{"k8s.pod.name", "pod-1"}, {"host.name", "node"}}, place{"node", ""}},
		{[]pair{{"service.instance.id", "a"}}, place{"a", "a"}},
		{[]pair{{"service.instance.id", 7}, {"host.name", "node"}}, place{"node", "7"}},
		{[]pair{{"process.pid", 4}}, place{"", "4"}},
	} {
		set := table.NewSet()
		spanOf(set, c.resource, nil)
		if got := findPlaces(set)[0]; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.resource, got, c.want)
		}
	}
}

func BenchmarkFields(b *testing.B) {
	set := gatewayAndEngine()
	f := NewFields(set)
	for _, name := range []string{"model", "e2e", "host", "batch", "team", "nothing"} {
		d := f.Field(name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Text(0)
				d.Number(0)
			}
		})
	}
}

// TestFieldsAgree: a field that is a number spells the number, and a name looked up once
// gives what it gives when it is looked up every time.
func TestFieldsAgree(t *testing.T) {
	set := tables(many(3, 5, given{times: times(stage.Queue, 7, stage.GPU, 9), decode: 4, ttft: true, tokens: 3}))
	f := NewFields(set)
	for _, b := range Built() {
		d := f.Field(b.Name)
		if d.Numeric() != b.Number {
			t.Errorf("%s: numeric is %v", b.Name, d.Numeric())
		}
		for row := range int32(set.Requests.Len()) {
			text, is := d.Text(row)
			again, isAgain := f.Text(row, b.Name)
			number, isNumber := d.Number(row)
			if text != again || is != isAgain || b.Number && is != isNumber || !b.Number && isNumber {
				t.Fatalf("%s of %d: %q %v, %q %v, %v %v", b.Name, row, text, is, again, isAgain, number, isNumber)
			}
			if b.Number && b.Name != "start" && is && text != strconv.FormatFloat(number, 'f', -1, 64) {
				t.Fatalf("%s of %d is %q and %v", b.Name, row, text, number)
			}
		}
	}
	for _, name := range f.Names() {
		if _, known := builtFields[name]; !known {
			t.Errorf("nobody recorded %s", name)
		}
	}
}

// TestNoNumberIsNoValue: a measurement that is no number, or infinite, says nothing, so what
// --where calls none is what counts as missing.
func TestNoNumberIsNoValue(t *testing.T) {
	for _, c := range []struct {
		value table.Value
		is    bool
	}{
		{table.DoubleValue(math.NaN()), false}, {table.DoubleValue(math.Inf(1)), false}, {table.DoubleValue(math.Inf(-1)), false},
		{table.DoubleValue(0), true}, {table.DoubleValue(math.MaxFloat64), true}, {table.IntValue(0), true}, {table.StringValue(""), false}, {table.StringValue("NaN"), true},
	} {
		if got := hasValue(c.value); got != c.is {
			t.Errorf("%v: %t", c.value, got)
		}
		if _, number := attributeNumber(c.value); number && !c.is {
			t.Errorf("%v is a number and no value", c.value)
		}
	}
}
