package export

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// profiled writes paths as a profile and reads it again.
func profiled(t testing.TB, p *Paths, comments ...string) *profile.Profile {
	t.Helper()
	read, err := profile.Parse(bytes.NewReader(written(t, func(out *bytes.Buffer) error { return p.WritePprof(out, comments...) })))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// stacksOf lists the samples of a profile as root;...;leaf requests ns.
func stacksOf(p *profile.Profile) (out []string) {
	for _, s := range p.Sample {
		var frames []string
		for _, l := range slices.Backward(s.Location) {
			frames = append(frames, l.Line[0].Function.Name)
		}
		out = append(out, fmt.Sprintf("%s %d %d", strings.Join(frames, ";"), s.Value[0], s.Value[1]))
	}
	return out
}

func TestStacksLeadFromTheRootToTheStage(t *testing.T) {
	b := build(t, traces(shop, shop))
	p, err := Aggregate(b.set, &b.callers, b.rows())
	if err != nil {
		t.Fatal(err)
	}
	read := profiled(t, p, "of two requests", "a\x1b[1m comment")
	want := []string{
		"edge: POST /v1/chat;application/edge 2 40000000",
		`edge: POST /v1/chat;shop: answer; please;\u{1b}[31mred: ignored\x{ff};application/\u{1b}[31mred 2 10000000`,
		"edge: POST /v1/chat;shop: answer; please;application/shop 2 50000000",
		"edge: POST /v1/chat;shop: answer; please;shop: rank;application/shop 2 100000000",
	}
	if diff := cmp.Diff(want, stacksOf(read)); diff != "" {
		t.Errorf("stacks (-want +got):\n%s", diff)
	}
	if read.DefaultSampleType != "critical_path" || read.TimeNanos != epoch || read.DurationNanos != 100*ms {
		t.Errorf("default %s, time %d, duration %d", read.DefaultSampleType, read.TimeNanos, read.DurationNanos)
	}
	if diff := cmp.Diff([]string{"of two requests", `a\u{1b}[1m comment`}, read.Comments); diff != "" {
		t.Error(diff)
	}
	var types []string
	for _, v := range read.SampleType {
		types = append(types, v.Type+"/"+v.Unit)
	}
	if diff := cmp.Diff([]string{"requests/count", "critical_path/nanoseconds"}, types); diff != "" {
		t.Error(diff)
	}
	golden(t, "shop.folded", written(t, func(out *bytes.Buffer) error { return p.WriteFolded(out) }))
}

// TestOnlyChosenRequestsAreAddedUp chooses one of two requests.
func TestOnlyChosenRequestsAreAddedUp(t *testing.T) {
	late := slices.Clone(shop)
	for i := range late {
		late[i].start += 1000
		late[i].end += 1000
	}
	b := build(t, traces(shop, late))
	p, err := Aggregate(b.set, &b.callers, []int32{1})
	if err != nil {
		t.Fatal(err)
	}
	if p.Requests != 1 || p.TotalNS != 100*ms || p.start != epoch+1000*ms {
		t.Errorf("%d requests of %d ns from %d", p.Requests, p.TotalNS, p.start-epoch)
	}
	if p, err = Aggregate(b.set, &b.callers, nil); err != nil || p.TotalNS != 0 || len(p.stacks) != 0 || p.dated {
		t.Errorf("no request gives %+v, %v", p, err)
	}
	if read := profiled(t, p); read.TimeNanos != 0 || read.DurationNanos != 0 {
		t.Error("a profile without requests has a time")
	}
}

// trees draws traces of up to a few spans that nest, overlap and outlive each other at will,
// with names that no format likes.
func trees() *rapid.Generator[[][]made] {
	names := []string{"a", "b;c d", "x\ty", "\x1b]0;t\a", "\xff\xfe", "", "日本\u202e語", "a\nb 7"}
	return rapid.Custom(func(t *rapid.T) [][]made {
		var out [][]made
		for range rapid.IntRange(1, 4).Draw(t, "traces") {
			var spans []made
			for i := range rapid.IntRange(1, 12).Draw(t, "spans") {
				m := made{id: byte(i + 1), kind: uint8(rapid.IntRange(0, 5).Draw(t, "kind"))}
				m.service, m.name = rapid.SampledFrom(names).Draw(t, "service"), rapid.SampledFrom(names).Draw(t, "name")
				m.start = int64(rapid.IntRange(0, 60).Draw(t, "start"))
				m.end = m.start + int64(rapid.IntRange(-1, 60).Draw(t, "length"))
				if i > 0 {
					m.parent = byte(rapid.IntRange(1, i).Draw(t, "parent"))
				} else {
					m.start, m.end = 0, 100
				}
				spans = append(spans, m)
			}
			out = append(out, spans)
		}
		return out
	})
}

// TestSumsAreThoseOfTheRequests compares every format with the durations.
func TestSumsAreThoseOfTheRequests(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := build(t, traces(trees().Draw(r, "traces")...))
		checkSums(t, b)
	})
}

func TestSumsOfAnIncidentAreThoseOfItsRequests(t *testing.T) {
	checkSums(t, scenario(t, "queue-buildup"))
}

func checkSums(t *testing.T, b *built) {
	t.Helper()
	p, err := Aggregate(b.set, &b.callers, b.rows())
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	for i, path := range b.requests(t) {
		if len(path.EndPath) > 0 {
			want += b.set.Requests.Duration[i]
		} else if b.set.Requests.Duration[i] != 0 {
			t.Fatalf("request %d has no path and lasts %d ns", i, b.set.Requests.Duration[i])
		}
	}
	read := profiled(t, p)
	var sum int64
	for _, s := range read.Sample {
		sum += s.Value[1]
		if s.Value[0] < 1 || s.Value[0] > p.Requests {
			t.Fatalf("a stack of %d requests of %d", s.Value[0], p.Requests)
		}
	}
	if sum != want || p.TotalNS != want {
		t.Fatalf("samples add up to %d ns, the total is %d ns, the requests last %d ns", sum, p.TotalNS, want)
	}
	if sum = foldedSum(t, p); sum != want {
		t.Fatalf("folded stacks add up to %d ns, the requests last %d ns", sum, want)
	}
}

// foldedSum reads folded stacks as a flame graph script does, and adds them up.
func foldedSum(t *testing.T, p *Paths) (sum int64) {
	t.Helper()
	text := string(written(t, func(out *bytes.Buffer) error { return p.WriteFolded(out) }))
	before := ""
	for line := range strings.Lines(text) {
		stack, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		ns, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || slices.Contains(strings.Split(stack, ";"), "") {
			t.Fatalf("%q is no folded stack", line)
		}
		if stack <= before {
			t.Fatalf("%q comes behind %q", stack, before)
		}
		if strings.ContainsAny(stack, "\x00\x07\x1b\t\u202e") {
			t.Fatalf("%q has control characters", stack)
		}
		before = stack
		sum += ns
	}
	return sum
}

func TestProfilesAreTheSameWhateverTheOrder(t *testing.T) {
	turned := slices.Clone(shop)
	slices.Reverse(turned)
	a, b := build(t, traces(shop, shop[:3])), build(t, traces(turned, shop[:3]))
	x, err := Aggregate(a.set, &a.callers, a.rows())
	if err != nil {
		t.Fatal(err)
	}
	y, err := Aggregate(b.set, &b.callers, b.rows())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, func(o *bytes.Buffer) error { return x.WritePprof(o) }), written(t, func(o *bytes.Buffer) error { return y.WritePprof(o) })) {
		t.Error("the same requests give two profiles")
	}
}

// TestDeepTracesAreCutInTheMiddle nests more spans than a stack has.
func TestDeepTracesAreCutInTheMiddle(t *testing.T) {
	set := table.NewSet()
	set.Scopes.Grow()
	const depth = 3 * maxSpans
	for i := range depth {
		k := set.Spans.Grow()
		s := &set.Spans
		s.TraceID[k], s.SpanID[k] = traceID(0), table.SpanID{6: byte((i + 1) >> 8), 7: byte(i + 1)}
		if i > 0 {
			s.ParentID[k] = table.SpanID{6: byte(i >> 8), 7: byte(i)}
		}
		s.Name[k] = set.Symbols.Intern("s" + strconv.Itoa(i))
		s.Start[k], s.End[k] = epoch, epoch+int64(2*depth-i)*ms
	}
	b := build(t, set)
	p, err := Aggregate(b.set, &b.callers, b.rows())
	if err != nil {
		t.Fatal(err)
	}
	if p.TotalNS != 2*depth*ms {
		t.Errorf("the total is %d ms", p.TotalNS/ms)
	}
	deepest := 0
	for _, s := range p.stacks {
		deepest = max(deepest, len(s.frames))
		if s.frames[0] != "s0" {
			t.Fatalf("a stack begins with %s", s.frames[0])
		}
	}
	if deepest != maxSpans+1 {
		t.Errorf("the deepest stack has %d frames", deepest)
	}
	if !slices.ContainsFunc(p.stacks, func(s stack) bool { return s.frames[len(s.frames)-2] == "s"+strconv.Itoa(depth-1) }) {
		t.Error("the innermost span is no owner any more")
	}
}

func TestASumThatDoesNotFitIsRefused(t *testing.T) {
	b := build(t, traces(shop, shop))
	b.set.Requests.Duration[0] = math.MaxInt64
	if _, err := Aggregate(b.set, &b.callers, b.rows()); err == nil || !strings.Contains(err.Error(), "292 years") {
		t.Errorf("got %v", err)
	}
	b.set.Requests.Duration[0] = 1
	if _, err := Aggregate(b.set, &b.callers, b.rows()); err == nil || !strings.Contains(err.Error(), "do not belong together") {
		t.Errorf("got %v", err)
	}
}

func TestNamesAreVisible(t *testing.T) {
	for _, c := range []struct{ service, name, want string }{
		{"a", "b", "a: b"}, {"", "b", "b"}, {"a", "", "a: (no name)"}, {"", "", "(no name)"}, {"a\x1b", "\xff", `a\u{1b}: \x{ff}`},
		{"日本", "\u202e\u200b", `日本: \u{202e}\u{200b}`}, {"a\u2028b", "\ufffd", "a\\u{2028}b: \ufffd"},
	} {
		if got := spanLabel(c.service, c.name); got != c.want {
			t.Errorf("%q and %q give %q, want %q", c.service, c.name, got, c.want)
		}
	}
}

func TestFoldedFramesAreOneWord(t *testing.T) {
	for frame, want := range map[string]string{"a: b": "a:_b", "a;b": "a,b", "a\u00a0b\u3000c": "a_b_c", "gpu/decode": "gpu/decode"} {
		if got := foldedFrame(frame); got != want {
			t.Errorf("%q gives %q, want %q", frame, got, want)
		}
	}
}
