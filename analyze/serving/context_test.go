package serving

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContextOfRequests has 20 requests of 1 to 20 s, of which all is known that a request
// tells.
func TestContextOfRequests(t *testing.T) {
	var c Capture
	for i := range int64(20) {
		c.Requests = append(c.Requests, Request{StartNS: 0, EndNS: (i + 1) * second, FirstTokenNS: (i + 1) * 100 * ms, InputTokens: 10 * (i + 1), OutputTokens: i + 1, Engine: int(i % 2)})
	}
	got := Of(c, Options{Recorded: Everything}).Context
	var want Context
	want.WindowNS, want.N, want.Replicas, want.ArrivalRate = Is(20*second), Is[int64](20), Is[int64](2), Maybe[float64]{}
	want.Concurrency.Mean, want.Concurrency.P95, want.Concurrency.Peak = Is(10.5), Is[int64](19), Is[int64](20)
	want.Waiting.Mean, want.Waiting.P95 = Is(0.), Is[int64](0)
	// The interval of the median of 20 values is from the 6th to the 15th.
	want.InputTokens = Lengths{P50: Is[int64](100), Low: Is[int64](60), High: Is[int64](150), N: Is[int64](20)}
	want.OutputTokens = Lengths{P50: Is[int64](10), Low: Is[int64](6), High: Is[int64](15), N: Is[int64](20)}
	want.TTFT.P50, want.E2E.P50 = Is(second), Is(10*second)
	want.Definitions = []string{"tokens_emitted", "tokens_of_completed"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// Without gateway and queue told of, nobody knows who waited; and P95 of 20 is not known.
	got = Of(c, Options{Recorded: KindsOf(Queue)}).Context
	for name, known := range map[string]bool{"waiting": got.Waiting.Mean.Known, "P95": got.InputTokens.P95.Known, "model": got.Model.Known} {
		if known {
			t.Errorf("%s is known", name)
		}
	}
	if text := got.Model.String() + got.Waiting.P95.String() + got.N.String(); text != "unknownunknown20" {
		t.Error(text)
	}
}

// TestArrivalRateTakesTenDurations: in a window shorter than ten requests on average one
// arrival more or less changes the rate.
func TestArrivalRateTakesTenDurations(t *testing.T) {
	c := Capture{Requests: []Request{plain(0, second, 0), plain(second, 4*second, 0)}}
	for to, want := range map[int64]Maybe[float64]{20*second - 1: {}, 20 * second: Is(.1), 40 * second: Is(.05)} {
		c.ToNS = to
		if got := Of(c, Options{}).Context.ArrivalRate; got != want {
			t.Errorf("over %d ns: %v, want %v", to, got, want)
		}
	}
	c.Requests[0].EndNS, c.Requests[1].EndNS = Unknown, Unknown
	if got := Of(c, Options{}).Context.ArrivalRate; got.Known {
		t.Errorf("of requests that had not ended: %v", got)
	}
}

// TestEveryFieldMayBeUnknown holds that the zero context knows nothing.
func TestEveryFieldMayBeUnknown(t *testing.T) {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch {
			case strings.HasPrefix(f.Type().Name(), "Maybe["):
				if f.FieldByName("Known").Bool() || f.Interface().(interface{ String() string }).String() != "unknown" {
					t.Errorf("%s is known", name)
				}
			case f.Kind() == reflect.Struct:
				walk(f)
			case f.Kind() != reflect.Slice:
				t.Errorf("%s cannot be unknown", name)
			}
		}
	}
	walk(reflect.ValueOf(Context{}))
}
