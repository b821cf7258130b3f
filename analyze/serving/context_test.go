package serving

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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
	want.InputTokens.P50, want.OutputTokens.P50, want.TTFT.P50, want.E2E.P50 = Is[int64](100), Is[int64](10), Is(second), Is(10*second)
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

// TestComparable has the reasons of section 10, in words, and what is not one.
func TestComparable(t *testing.T) {
	base := Context{Model: Is("a"), GPUCount: Is[int64](2)}
	base.InputTokens.P50, base.OutputTokens.P50 = Is[int64](1000), Is[int64](100)
	for _, c := range []struct {
		name           string
		change         func(*Context)
		unlike, untold string
	}{
		{"nothing", func(c *Context) {}, "", ""},
		{"model", func(c *Context) { c.Model = Is("b") }, "the model is a in the first and b in the second", ""},
		{"GPUs", func(c *Context) { c.GPUCount = Is[int64](4) }, "the GPU count is 2 in the first and 4 in the second", ""},
		{"10 % more", func(c *Context) { c.InputTokens.P50 = Is[int64](1100) }, "", ""},
		{"above 10 % more", func(c *Context) { c.InputTokens.P50 = Is[int64](1101) }, "the median of input tokens is 1000 in the first and 1101 in the second", ""},
		{"10 % less", func(c *Context) { c.OutputTokens.P50 = Is[int64](91) }, "", ""},
		{"above 10 % less", func(c *Context) { c.OutputTokens.P50 = Is[int64](90) }, "the median of output tokens is 100 in the first and 90 in the second", ""},
		{"none", func(c *Context) { c.OutputTokens.P50 = Is[int64](0) }, "the median of output tokens is 100 in the first and 0 in the second", ""},
		{"far beyond", func(c *Context) { c.OutputTokens.P50 = Is[int64](math.MaxInt64) }, "the median of output tokens is 100 in the first and 9223372036854775807 in the second", ""},
		{"unknown", func(c *Context) { c.Model = Maybe[string]{} }, "", "the model of the second is unknown, that of the first is a"},
		{"another load", func(c *Context) { c.Replicas, c.ArrivalRate, c.LoadMode = Is[int64](9), Is(3.), Is(Closed) }, "", ""},
	} {
		other := base
		c.change(&other)
		l := Comparable(base, other)
		if got := strings.Join(l.Unlike, "; "); got != c.unlike || l.Alike() != (c.unlike == "") {
			t.Errorf("%s: unlike %q", c.name, got)
		}
		if got := strings.Join(l.Untold, "; "); got != c.untold {
			t.Errorf("%s: untold %q", c.name, got)
		}
	}
	if l := Comparable(Context{}, Context{}); len(l.Untold) != 4 || !l.Alike() {
		t.Errorf("%+v", l)
	}
}

// TestComparableIsSymmetric exchanges the contexts.
func TestComparableIsSymmetric(t *testing.T) {
	tokens := rapid.Custom(func(t *rapid.T) Maybe[int64] {
		return Maybe[int64]{rapid.Bool().Draw(t, "known"), rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Min(0)).Draw(t, "tokens")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var a, b Context
		a.InputTokens.P50, b.InputTokens.P50 = tokens.Draw(t, "a"), tokens.Draw(t, "b")
		there, back := Comparable(a, b), Comparable(b, a)
		if there.Alike() != back.Alike() || len(there.Untold) != len(back.Untold) || !Comparable(a, a).Alike() {
			t.Fatalf("%+v, %+v", there, back)
		}
	})
}
