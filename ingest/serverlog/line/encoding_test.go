package line

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// toUTF16 is the oracle: text in UTF-16.
func toUTF16(text string, big bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// UTF-16 reads as the same text in UTF-8 does, at its own offsets, however it is cut.
func TestUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{vllmLine, "", "é😀 ü", "a\tb", "\x1b[31mred\x1b[0m", "10%\r20%"}), 1, 40).Draw(t, "lines")
		lines = slices.Repeat(lines, rapid.SampledFrom([]int{1, 1, 40, 400}).Draw(t, "times"))
		text := "log of a server\n" + strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
		big := rapid.Bool().Draw(t, "big")
		mark := ""
		if strings.Count(text, "é😀 ü") > 2 || rapid.Bool().Draw(t, "mark") {
			mark = "\ufeff"
		}
		in := toUTF16(mark+text, big)
		want := read(text, Options{})
		got := readFrom(&slowly{data: in, cuts: rapid.SampledFrom([][]int{{1, 3, 2}, {4096}, {97, 8191}, {100003}}).Draw(t, "cuts")}, Options{})
		if diff := cmp.Diff(want.bodies(), got.bodies()); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		conserved(t, in, got)
		at, n := int64(0), 0
		for i, l := range strings.SplitAfter(mark+text, "\n") {
			if l == "" {
				continue
			}
			if got.lines[n].Offset != at || got.lines[n].Line != int64(i+1) {
				t.Fatalf("record %d is at line %d, offset %d; want %d, %d", n, got.lines[n].Line, got.lines[n].Offset, i+1, at)
			}
			at, n = at+int64(len(toUTF16(l, big))), n+1
		}
	})
}

// What is no character in UTF-16 comes out as U+FFFD, and offsets stay true.
func TestDamagedUTF16(t *testing.T) {
	in := append([]byte{0xff, 0xfe}, toUTF16("a\n", false)...)
	in = append(in, 0x00, 0xd8, 'x', 0, '\n', 0, 0x00, 0xdc, '\n', 0, 0x00, 0xd8)
	in = append(in, 'y')
	for size := 1; size < 5; size++ {
		res := readFrom(&slowly{data: in, cuts: []int{size}}, Options{})
		want := []string{"1+0.0: a", "2+6.0: \ufffdx", "3+12.0: \ufffd", "4+16.0: \ufffd\ufffd"}
		if diff := cmp.Diff(want, res.spelled()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		conserved(t, in, res)
	}
}

func TestSniffEncoding(t *testing.T) {
	for _, c := range []struct {
		head string
		want encoding
	}{
		{"", utf8Text}, {"a", utf8Text}, {"\xef\xbb\xbfa", utf8Text}, {"plain text\n", utf8Text},
		{strings.Repeat("\x00", 100), utf8Text}, {strings.Repeat("\x00", 101) + vllmLine, utf8Text},
		{"a\x00", utf8Text}, {"a\x00b\x00", utf16Little}, {"\x00a\x00b", utf16Big}, {"\xff\xfe", utf16Little}, {"\xfe\xff", utf16Big},
		{vllmLine + "\x00\x00\x00", utf8Text},
	} {
		if got := sniffEncoding([]byte(c.head)); got != c.want {
			t.Errorf("%q: %d, want %d", c.head, got, c.want)
		}
	}
}

// A text and its cut forms count the units that were read.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if got, want := units([]byte(text[:cut]))+units([]byte(text[cut:])), int64(len(utf16.Encode([]rune(text)))); got != want {
			t.Fatalf("%d units, want %d", got, want)
		}
	})
}

// Sample leaves out a last line that may be cut, and owns its texts.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", []string{}}, {"a", []string{"a"}}, {"a\nb", []string{"a"}}, {"a\nb\n", []string{"a", "b"}},
		{string(toUTF16("\ufeffa\nb\nc", true)), []string{"a", "b"}}, {string(toUTF16("one\ntwo\nc", false)) + "x", []string{"one", "two"}},
		{"2026-08-20T12:00:00Z stdout F a\n2026-08-20T12:00:00Z stdout P b\n2026", []string{"a", "b"}},
	} {
		head := []byte(c.in)
		lines := Sample(head)
		for i := range head {
			head[i] = '!'
		}
		got := []string{}
		for _, l := range lines {
			got = append(got, string(l.Text))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.in, diff)
		}
	}
}

// Escapes and NUL bytes go, all else stays in its order.
func TestClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in, want []byte
		for range rapid.IntRange(0, 20).Draw(t, "pieces") {
			text := rapid.StringMatching(`[ A-Z0-9é\[\];]{0,6}`).Draw(t, "text")
			in, want = append(in, text...), append(want, text...)
			in = append(in, rapid.SampledFrom([]string{"\x00", "\x1b[0m", "\x1b[1;38;5;99m", "\x1b[?25l", "\x1b[2K", "\x1b]0;a b\x07",
				"\x1b]8;;http://x\x1b\\", "\x1b(B", "\x1b7", "\x1b=", "\x1bP1$r\x1b\\", "\x00\x00\x00"}).Draw(t, "sequence")...)
		}
		if got := clean(bytes.Clone(in)); !bytes.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", in, got, want)
		}
	})
}

// A cut text ends with a whole character, and loses no more than the torn one.
func TestTrimTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		got := trimTorn([]byte(text[:cut]))
		if !utf8.Valid(got) || cut-len(got) >= utf8.UTFMax || utf8.ValidString(text[:cut]) && len(got) != cut {
			t.Fatalf("%q cut at %d: %q", text, cut, got)
		}
	})
}
