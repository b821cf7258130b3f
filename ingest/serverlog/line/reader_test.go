package line

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func cuts(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 97), 1, 6).Draw(t, "cuts")
}

// pieces are what generated inputs are made of: what wrappers, records and line ends
// consist of, in any order.
var pieces = []string{
	"\n", "\n", "\n", "\r", "\r\n", " ", "\x00", "\x1b[31m", "\x1b]0;t\x07", "\x1b", "\xff", "é", "text ", "10%|##|", "}", "{", `"`, `\`,
	first, second, third, vllmLine, `{"level":"info","msg":"x"}`, "\xef\xbb\xbf",
	"2026-08-20T12:00:00.123456789Z ", "2026-08-20T12:00:00Z stdout F ", "2026-08-20T12:00:00Z stdout P ", "2026-08-20T12:00:00Z stderr P ",
	`{"log":"`, `\n","stream":"stdout","time":"2026-08-20T12:00:00Z"}`, `","stream":"stdout","time":"2026-08-20T12:00:00Z"}`, `\u001b[0m`, `\ud83d\ude00`,
	"{\"log\":\"bare\",\"stream\":\"stdout\",\"time\":\"2026-08-20T12:00:00Z\"}\n",
	`{"MESSAGE":"`, `","__REALTIME_TIMESTAMP":"1787227200123456","CONTAINER_NAME":"c","CONTAINER_PARTIAL_MESSAGE":"true"}`,
	`10%\r20%\r`, `{"log":"`, `","stream":"stdout","time":"2026-08-20T12:00:00Z"}` + "\n",
	"web-1  | ", "[pod/a/b] ", "Aug 20 12:00:03 lb1 haproxy[14389]: ", "<134>1 2026-08-20T12:00:03Z h a - - - ", "<134>", "vllm-7d9f8c6b5d-x2x4z server ",
	strings.Repeat("y", 90), "1787227200.123456 gpu7 vllm[12]: ",
}

func input(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
}

func options(t *rapid.T) Options {
	var opt Options
	if rapid.Bool().Draw(t, "begins") {
		opt.Begins = begins
	}
	if rapid.Bool().Draw(t, "limits") {
		opt.MaxLine = rapid.IntRange(1, 200).Draw(t, "max line")
		opt.MaxWhole = rapid.IntRange(1, 400).Draw(t, "max whole")
	}
	return opt
}

// Any input is conserved, and how it is cut into reads does not show.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, opt := input(t), options(t)
		whole := read(in, opt)
		conserved(t, []byte(in), whole)
		cut := readFrom(&slowly{data: []byte(in), cuts: cuts(t)}, opt)
		if diff := cmp.Diff(whole.spelled(), cut.spelled()); diff != "" {
			t.Fatalf("in pieces (-whole +pieces)\n%s", diff)
		}
		if whole.stats != cut.stats || whole.issues() != cut.issues() {
			t.Fatalf("in pieces: %+v, %s; whole: %+v, %s", cut.stats, cut.issues(), whole.stats, whole.issues())
		}
	})
}

// Records within the limits come out whole and in order, whatever wrapper they are in.
func TestRecordsSurviveWrappers(t *testing.T) {
	wraps := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "2026-08-20T12:00:00.5+02:00 stdout F " + s },
		func(s string) string { return "web-1  | " + s },
		func(s string) string { return "[pod/a-0/b] " + s },
		func(s string) string { return "Aug 20 12:00:03 lb1 vllm[14389]: " + s },
		func(s string) string { return "<134>1 2026-08-20T12:00:03Z h a 1 - - " + s },
		func(s string) string {
			return fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"2026-08-20T12:00:00Z"}`, strings.ReplaceAll(quote(s+"\n"), "\x00", `\u0000`))
		},
		func(s string) string {
			return fmt.Sprintf(`{"__REALTIME_TIMESTAMP":"1787227200123456","MESSAGE":%s}`, quote(s))
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		var in strings.Builder
		var want []string
		for range rapid.IntRange(1, 12).Draw(t, "records") {
			record := first + rapid.StringMatching(`[ -~é😀]{0,40}`).Draw(t, "text")
			want = append(want, record)
			for range rapid.IntRange(0, maxDepth).Draw(t, "depth") {
				record = rapid.SampledFrom(wraps).Draw(t, "wrapper")(record)
			}
			in.WriteString(record + "\n")
		}
		res := read(in.String(), Options{})
		if diff := cmp.Diff(want, res.bodies()); diff != "" {
			t.Fatalf("%s(-want +got)\n%s", in.String(), diff)
		}
	})
}

// quote spells a JSON string.
func quote(s string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "é", `\u00e9`, "😀", `\uD83D\uDE00`)
	return `"` + r.Replace(s) + `"`
}

// A record that is too long keeps its first part, one that must be whole all of it, and
// the next record is not touched.
func TestLongLines(t *testing.T) {
	const mb = 1 << 20
	x := strings.Repeat("x", 3*mb)
	object := `{"prompt":"` + x + `","n":1}`
	tail := "\n" + first + "\n"
	whole := Options{Whole: func(text []byte) bool { return bytes.HasPrefix(text, []byte("Finish: ")) }}
	cases := []struct {
		name, in string
		opt      Options
		want     []string
		issues   string
	}{
		{"text", "INFO " + x, Options{}, []string{"INFO " + x[:mb-5]}, "line-too-long 1 at 1"},
		{"text, a character cut", "a" + strings.Repeat("é", mb), Options{}, []string{"a" + strings.Repeat("é", mb/2-1)}, "line-too-long 1 at 1"},
		{"as long as may be", x[:mb], Options{}, []string{x[:mb]}, ""},
		{"JSON", object, Options{}, []string{object}, ""},
		{"JSON in CRI", "2026-08-20T12:00:00Z stdout F " + object, Options{}, []string{object}, ""},
		{"JSON in compose", "web-1  | " + object, Options{}, []string{object}, ""},
		{"JSON in parts", "2026-08-20T12:00:00Z stdout P " + object[:2*mb] + "\n2026-08-20T12:00:00Z stdout F " + object[2*mb:],
			Options{MaxLine: 4 * mb}, []string{object}, ""},
		{"JSON too long", object, Options{MaxWhole: 2 * mb}, []string{object[:2*mb]}, "line-too-long 1 at 1"},
		{"Docker", `{"log":"` + x + `\n","stream":"stdout","time":"2026-08-20T12:00:00Z"}`, Options{}, []string{x}, ""},
		{"Whole", "Finish: " + x, whole, []string{"Finish: " + x}, ""},
		{"progress bar", strings.Repeat("\r 33%|###       | 1/3", 3*mb/20) + "\r" + second, Options{}, []string{second}, ""},
		{"records in a progress bar", first + strings.Repeat("\r 33%|###       | 1/3", 3*mb/20) + second + strings.Repeat("\r 34%|", mb),
			Options{Begins: begins}, []string{first, second, " 34%|"}, ""},
		{"NUL bytes", strings.Repeat("\x00", 5*mb) + second, Options{}, []string{second}, "line-nul-bytes 1 at 1"},
		{"parts", strings.Repeat("2026-08-20T12:00:00Z stdout P "+x[:1000]+"\n", 2000) + "2026-08-20T12:00:00Z stdout F end", Options{},
			[]string{x[:mb]}, "line-too-long 1 at 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res := read(c.in+tail, c.opt)
			got := res.bodies()
			want := append(c.want, first)
			if len(got) != len(want) {
				t.Fatalf("%d records, want %d: %.200q", len(got), len(want), got)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("record %d has %d bytes, want %d: %.60q", i, len(got[i]), len(want[i]), got[i])
				}
			}
			conserved(t, []byte(c.in+tail), res)
			if got := res.issues(); got != c.issues {
				t.Errorf("issues %q, want %q", got, c.issues)
			}
			if cut := strings.Contains(c.issues, TooLong.ID); res.lines[0].Cut != cut || (res.stats.Cut == 1) != cut {
				t.Errorf("cut: %v, stats %+v", res.lines[0].Cut, res.stats)
			}
		})
	}
}

// Lines about as long as the window is are read as any other, whatever ends them.
func TestWindowEdges(t *testing.T) {
	for _, wrap := range []string{"%s", "2026-08-20T12:00:00Z stdout F %s", `{"MESSAGE":"%s","__REALTIME_TIMESTAMP":"1"}`} {
		for size := windowSize - len(wrap) - 4; size < windowSize+3; size++ {
			text := strings.Repeat("z", size)
			for _, end := range []string{"\n", "\r\n"} {
				in := fmt.Sprintf(wrap, text) + end + fmt.Sprintf(wrap, "next") + end
				res := read(in, Options{})
				if len(res.lines) != 2 || string(res.lines[0].Text) != text || string(res.lines[1].Text) != "next" {
					t.Fatalf("%d bytes of text: %d records, the first of %d", size, len(res.lines), len(res.lines[0].Text))
				}
				conserved(t, []byte(in), res)
			}
		}
	}
}

// A line of 100 MB does not come into memory.
func TestMemory(t *testing.T) {
	const size = 100 << 20
	src := io.MultiReader(strings.NewReader("INFO "), io.LimitReader(endless{}, size), strings.NewReader("\nnext"))
	r := NewReader(src, nil, "in", Options{})
	var total int
	for l, ok := r.Next(); ok; l, ok = r.Next() {
		total += len(l.Text)
	}
	if total != defaultMaxLine+len("next") || cap(r.long.text) > keptCapacity || r.Stats().Bytes != size+10 {
		t.Errorf("%d bytes of text, %d of memory, stats %+v", total, cap(r.long.text), r.Stats())
	}
}

// The memory of a record that must be whole is given back.
func TestMemoryGivenBack(t *testing.T) {
	object := `{"a":"` + strings.Repeat("x", 3*keptCapacity) + `"}`
	r := NewReader(strings.NewReader(object+"\nnext\n2026-08-20T12:00:00Z stdout P {\"\n2026-08-20T12:00:00Z stdout F "+object[2:]+"\nlast\nend"), nil, "in", Options{})
	for i, want := range []int{len(object), 4, len(object), 4, 3} {
		if l, _ := r.Next(); len(l.Text) != want {
			t.Errorf("record %d has %d bytes, want %d", i, len(l.Text), want)
		}
		if want == 4 && cap(r.long.text) > keptCapacity {
			t.Errorf("%d bytes are kept", cap(r.long.text))
		}
	}
	if len(r.idle) != 1 || cap(r.idle[0].text) > keptCapacity {
		t.Errorf("%d records are kept", len(r.idle))
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// An error of the input comes after what stood before it, with its place.
func TestError(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, src := range []io.Reader{
		io.MultiReader(strings.NewReader("one\ntwo\nthr"), iotest.ErrReader(broken)),
		iotest.OneByteReader(io.MultiReader(bytes.NewReader(toUTF16("one\ntwo\nthr", false)), iotest.ErrReader(broken))),
	} {
		res := readFrom(src, Options{})
		if diff := cmp.Diff([]string{"one", "two", "thr"}, res.bodies()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if !errors.Is(res.err, broken) || res.err.Error() != "read log in:3: broken pipe" {
			t.Errorf("error %v", res.err)
		}
		if res.lines[1].Cut || !res.lines[2].Cut {
			t.Errorf("%q", res.spelled())
		}
	}
	res := readFrom(io.MultiReader(strings.NewReader("one\n"), iotest.ErrReader(broken)), Options{})
	if res.err == nil || res.err.Error() != "read log in:2: broken pipe" || len(res.lines) != 1 || res.lines[0].Cut {
		t.Errorf("error %v, %q", res.err, res.spelled())
	}
	res = readFrom(stuck{}, Options{})
	if !errors.Is(res.err, io.ErrNoProgress) || len(res.lines) > 0 {
		t.Errorf("error %v", res.err)
	}
	if res = read("", Options{}); res.err != nil || len(res.lines) > 0 {
		t.Errorf("empty input: %v, %d records", res.err, len(res.lines))
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// A plain line costs no memory, nor does one of a container runtime.
func TestAllocations(t *testing.T) {
	for name, l := range map[string]string{"plain": vllmLine + "\n", "CRI": "2026-08-20T12:00:00.123456789Z stdout F " + vllmLine + "\n",
		"Docker": dockerLine(`\u001b[32mhello\u001b[0m\n`, "stdout", 0)} {
		r := NewReader(strings.NewReader(strings.Repeat(l, 20000)), nil, "in", Options{})
		for range 100 {
			r.Next()
		}
		if n := testing.AllocsPerRun(1000, func() { r.Next() }); n > 0 {
			t.Errorf("%s: %v allocations a line", name, n)
		}
	}
}

// TestShortInputsTakeLittleMemory reads short texts whose size is told, the same as when
// it is not.
func TestShortInputsTakeLittleMemory(t *testing.T) {
	texts := []string{"", "a", "a\nb", "2026-08-20T12:00:00.123456789Z stdout F a\n\x1b[1mb\x1b[0m", "\xff\xfea\x00\n\x00b\x00", strings.Repeat("x", 300) + "\r\ny"}
	for _, text := range texts {
		read := func(size int) (out []string) {
			r := NewReader(strings.NewReader(text), nil, "", Options{Size: size})
			for l, ok := r.Next(); ok; l, ok = r.Next() {
				out = append(out, string(l.Text))
			}
			return out
		}
		if got, want := read(len(text)), read(0); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var before, after runtime.MemStats
	const runs = 100
	runtime.ReadMemStats(&before)
	for range runs {
		r := NewReader(strings.NewReader(texts[3]), nil, "", Options{Size: len(texts[3])})
		for _, ok := r.Next(); ok; _, ok = r.Next() {
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / runs; bytes > 8<<10 {
		t.Errorf("a text of %d bytes takes %d", len(texts[3]), bytes)
	}
}
