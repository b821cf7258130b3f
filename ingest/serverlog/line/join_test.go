package line

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func dockerLine(log, stream string, second int) string {
	return fmt.Sprintf(`{"log":"%s","stream":"%s","time":"2026-08-20T12:00:%02dZ"}`+"\n", log, stream, second)
}

// Parts of a record are put together by stream and container, and nothing is lost.
func TestJoin(t *testing.T) {
	long := strings.Repeat("x", dockerPart)
	cases := []struct {
		name, in string
		want     []string
		issues   string
	}{
		{"CRI",
			"2026-08-20T12:00:00Z stdout P one \n2026-08-20T12:00:01Z stderr F other\n2026-08-20T12:00:02Z stdout P two \n2026-08-20T12:00:03Z stdout F three\n2026-08-20T12:00:04Z stdout F next\n",
			[]string{"2+35.0 2026-08-20T12:00:01 err: other", "1+0.0 2026-08-20T12:00:00 out: one two three", "5+142.0 2026-08-20T12:00:04 out: next"}, ""},
		{"CRI, a sequence across parts",
			"2026-08-20T12:00:00Z stdout P a\x1b[3\n2026-08-20T12:00:00Z stdout F 2mb\n",
			[]string{"1+0.0 2026-08-20T12:00:00 out: ab"}, ""},
		{"CRI, the pods of one stream",
			"a-1 | 2026-08-20T12:00:00Z stdout P a\nb-1 | 2026-08-20T12:00:00Z stdout P b\na-1 | 2026-08-20T12:00:00Z stdout F A\nb-1 | 2026-08-20T12:00:00Z stdout F B\n",
			[]string{"1+0.0 2026-08-20T12:00:00 out /a-1/: aA", "2+38.0 2026-08-20T12:00:00 out /b-1/: bB"}, ""},
		{"CRI, empty parts",
			"2026-08-20T12:00:00Z stdout P \n2026-08-20T12:00:00Z stdout F \n",
			[]string{"1+0.0 2026-08-20T12:00:00 out: "}, ""},
		{"CRI, no last part",
			"2026-08-20T12:00:00Z stdout P one\n2026-08-20T12:00:00Z stderr P two\n",
			[]string{"1+0.0 2026-08-20T12:00:00 out cut: one", "2+34.0 2026-08-20T12:00:00 err cut: two"}, "line-partial-lost 2 at 1"},
		{"wrappers around and in parts",
			"x-1 | 2026-08-20T12:00:00Z stdout P {\"log\":\"he\nx-1 | 2026-08-20T12:00:00Z stdout F llo\\n\",\"stream\":\"stderr\",\"time\":\"2026-08-20T12:00:01Z\"}\n",
			[]string{"1+0.0 2026-08-20T12:00:01 err /x-1/: hello"}, ""},
		{"Docker",
			dockerLine("first\\n", "stdout", 0) + dockerLine("ab", "stdout", 1) + dockerLine("other\\n", "stderr", 2) + dockerLine("cd\\n", "stdout", 3),
			[]string{"1+0.0 2026-08-20T12:00:00 out: first", "3+127.0 2026-08-20T12:00:02 err: other", "2+66.0 2026-08-20T12:00:01 out: abcd"}, ""},
		{"Docker, 16 KiB",
			dockerLine(long, "stdout", 0) + dockerLine("end\\n", "stdout", 1),
			[]string{"1+0.0 2026-08-20T12:00:00 out: " + long + "end"}, ""},
		{"Docker, cut",
			dockerLine(long, "stdout", 0),
			[]string{"1+0.0 2026-08-20T12:00:00 out cut: " + long}, "line-partial-lost 1 at 1"},
		{"Docker, a container that ended and began",
			dockerLine("bye", "stdout", 0) + dockerLine("INFO:     start\\n", "stdout", 1),
			[]string{"1+0.0 2026-08-20T12:00:00 out: bye", "2+62.0 2026-08-20T12:00:01 out: INFO:     start"}, ""},
		{"Docker, last line of a container",
			dockerLine("a\\n", "stdout", 0) + dockerLine("bye", "stdout", 1),
			[]string{"1+0.0 2026-08-20T12:00:00 out: a", "2+62.0 2026-08-20T12:00:01 out: bye"}, ""},
		{"Docker, newlines taken away, few",
			dockerLine("a", "stdout", 0) + dockerLine("b", "stdout", 1),
			[]string{"1+0.0 2026-08-20T12:00:00 out: a", "2+60.0 2026-08-20T12:00:01 out: b"}, "line-unended 1 at 1"},
		{"CRI and Docker mixed",
			"2026-08-20T12:00:00Z stdout P a\n" + dockerLine("x\\n", "stdout", 1) + "2026-08-20T12:00:00Z stdout F b\n",
			[]string{"2+32.0 2026-08-20T12:00:01 out: x", "1+0.0 2026-08-20T12:00:00 out: ab"}, ""},
		{"parts among the lines of a wrapper, which are not joined",
			`{"MESSAGE":"2026-08-20T12:00:01Z stdout P a\n2026-08-20T12:00:02Z stderr P b","__REALTIME_TIMESTAMP":"1"}` + "\n",
			[]string{"1+0.0 2026-08-20T12:00:01 out: a", "1+0.1 2026-08-20T12:00:02 err: b"}, ""},
		{"Fluent Bit, parts",
			`{"stream":"stdout","logtag":"P","message":"a"}` + "\n" + `{"stream":"stdout","logtag":"F","message":"b"}` + "\n",
			[]string{"1+0.0 out: ab"}, ""},
		{"journal of Docker, parts",
			`{"MESSAGE":"a","__REALTIME_TIMESTAMP":"1787227200000000","CONTAINER_PARTIAL_MESSAGE":"true","CONTAINER_NAME":"c"}` + "\n" +
				`{"MESSAGE":"b","__REALTIME_TIMESTAMP":"1787227201000000","CONTAINER_NAME":"c"}` + "\n",
			[]string{"1+0.0 2026-08-20T12:00:00 /c/: ab"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res := read(c.in, Options{})
			if diff := cmp.Diff(c.want, res.spelled()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			conserved(t, []byte(c.in), res)
			if got := res.issues(); got != c.issues {
				t.Errorf("issues %q, want %q", got, c.issues)
			}
		})
	}
}

// Docker records of a tool that takes the newlines away are whole, however many.
func TestDockerWithoutNewlines(t *testing.T) {
	var in strings.Builder
	var want []string
	for i := range 3 * maxBareParts {
		stream := []string{"stdout", "stderr"}[i%5/4]
		in.WriteString(dockerLine(fmt.Sprint("text ", i), stream, i))
		want = append(want, fmt.Sprint("text ", i))
	}
	res := read(in.String(), Options{})
	conserved(t, []byte(in.String()), res)
	got := map[string]bool{}
	for _, b := range res.bodies() {
		got[b] = true
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("no record %q in %q", w, res.bodies())
		}
	}
	if res.stats.Joined != 0 || res.account.Count(Unended.ID) == 0 {
		t.Errorf("joined %d, issues %s", res.stats.Joined, res.issues())
	}
}

// However many containers leave records open, memory is bounded and all come out.
func TestManyUnended(t *testing.T) {
	var in strings.Builder
	for i := range 3 * maxUnended {
		fmt.Fprintf(&in, "c%d | 2026-08-20T12:00:00Z stdout P part %d\n", i, i)
	}
	res := read(in.String(), Options{})
	conserved(t, []byte(in.String()), res)
	if len(res.lines) != 3*maxUnended || res.account.Count(PartialLost.ID) != 3*maxUnended {
		t.Errorf("%d records, issues %s", len(res.lines), res.issues())
	}
}

// A record that Docker cut is joined, though the newlines were taken away.
func TestDockerPartWithoutNewlines(t *testing.T) {
	long := strings.Repeat("x", dockerPart)
	in := dockerLine(long, "stdout", 0) + strings.Repeat(dockerLine("short", "stderr", 1), maxBareParts+1) + dockerLine("end", "stdout", 2)
	res := read(in, Options{})
	conserved(t, []byte(in), res)
	if n := len(res.lines); n != maxBareParts+2 || string(res.lines[n-1].Text) != long+"end" || res.lines[n-1].Cut {
		t.Errorf("%d records: %.300q", n, res.bodies())
	}
}

// Records that wait for their last part hold no more memory together than one may.
func TestHeldMemory(t *testing.T) {
	var in strings.Builder
	for i := range 400 {
		fmt.Fprintf(&in, "c%d | 2026-08-20T12:00:00Z stdout P {\"%s\n", i%40, strings.Repeat("y", 500))
	}
	r := NewReader(strings.NewReader(in.String()), nil, "in", Options{MaxLine: 1000, MaxWhole: 8000})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		if r.held > 8000+1000 {
			t.Fatalf("%d bytes are held", r.held)
		}
	}
	if r.held != 0 || len(r.joint) != 0 {
		t.Errorf("%d bytes are held at the end", r.held)
	}
}

// Short Docker records whose text was compacted are not taken apart at stale places.
func TestDockerCompacted(t *testing.T) {
	in := dockerLine(`10%\r20%\r30%\r40%`, "stdout", 0) + dockerLine(`50%\r60%\r`, "stdout", 1) + dockerLine("x", "stdout", 2)
	res := read(in, Options{MaxLine: 20})
	conserved(t, []byte(in), res)
	if diff := cmp.Diff([]string{"x"}, res.bodies()[len(res.lines)-1:]); diff != "" {
		t.Errorf("%q", res.bodies())
	}
}
