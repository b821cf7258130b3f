package page

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// nasty are texts that a span name may hold to attack a terminal or a layout.
var nasty = []string{
	"", "plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07after", "\x1b]8;;http://x\x1b\\link", "\x1b[2J\x1b[1;1H", "\x1bPq#0\x1b\\", "\x1b", "\x1b[", "\x1b[3",
	"\u009b31mC1", "\u009d0;t\u009cC1 string", "a\nb\r\nc\td", "\x00\x07\x08\x7f", "\u202egnp.exe", "\u2066x\u2069", "\ufeffbom\u200b\u00ad",
	"\xff\xfe broken", "日本語のスパン名", "é café", "e\u0301 combining", "🇩🇪🏳️‍🌈👩‍👩‍👧", "line\u2028sep\u2029", strings.Repeat("long ", 60), strings.Repeat("x", 300),
	"a | b [c]", "%d %s %!", "'quoted' \"x\" $(rm) `y`",
}

func drawName(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, label+" nasty") {
		return rapid.SampledFrom(nasty).Draw(t, label)
	}
	return rapid.String().Draw(t, label)
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mred\x1b[0m":                 "red",
		"\x1b]0;title\x07after":              "after",
		"\x1b]8;;http://x\x1b\\link":         "link",
		"\x1bPq#0\x1b\\done":                 "done",
		"\x1b(Bx":                            "x",
		"\x1b7saved":                         "saved",
		"\x1b\x1b[1mtwice":                   "twice",
		"\u009b31mC1":                        "C1",
		"\u009d0;t\u009cC1":                  "C1",
		"\x1b[31":                            "",
		"\x1b[3\x01m":                        `\u{1}m`,
		"a\nb\r\nc\td":                       "a b  c d",
		"\u202egnp.exe":                      `\u{202e}gnp.exe`,
		"x\xffy":                             "x\ufffdy",
		"日本":                                 "日本",
		"line\u2028sep":                      "line sep",
		"\x1b[38;2;1;2;3mtrue colour\x7f":    `true colour\u{7f}`,
		"gpu-a\u200b":                        `gpu-a\u{200b}`,
		"\u3164\u115f\u2800\ue000\U000e0041": `\u{3164}\u{115f}\u{2800}\u{e000}\u{e0041}`,
		"🏳\ufe0f\u200d🌈":                     "🏳🌈",
		" \ufe0f":                            ` \u{fe0f}`,
		"می\u200cخواهم":                      `می\u{200c}خواهم`,
		"e" + strings.Repeat("\u0301", 8):    "e" + strings.Repeat("\u0301", 8),
		"e" + strings.Repeat("\u0301", 5000): "e" + strings.Repeat("\u0301", 8) + "…",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		for _, r := range got {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || hides(r) {
				t.Fatalf("%q became %q with %U", s, got, r)
			}
		}
		if len(got) > 11*len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(got))
		}
		if again := clean(got); again != got {
			t.Fatalf("%q is cleaned to %q and then to %q", s, got, again)
		}
	})
}
