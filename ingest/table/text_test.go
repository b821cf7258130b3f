package table

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// awkwardText draws text of the kinds that break files: invalid UTF-8, the escape
// itself and its parts, NUL, and plain words.
func awkwardText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"", "a", "http.route", "\xff", "\xe9", "\xef\xbf", "\uFFFD", "\uFFFDx", "\uFFFDxE9", "\uFFFDxe9",
			"x", "E", "9", "\x00", "\n", "|", "\"", "日本", "😀", "\xed\xa0\x80", " ",
		}), 0, 6).Draw(t, "parts")
		text := ""
		for _, p := range parts {
			text += p
		}
		return text
	})
}

func TestEscapedTextIsValidAndComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(awkwardText(), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		spelled := escapeText(text)
		if !utf8.ValidString(spelled) {
			t.Fatalf("%q is spelled %q, which is not UTF-8", text, spelled)
		}
		if back := unescapeText(spelled); back != text {
			t.Fatalf("%q is spelled %q and read as %q", text, spelled, back)
		}
		if utf8.ValidString(text) && !needsEscape(text) && spelled != text {
			t.Fatalf("valid text %q is spelled %q", text, spelled)
		}
	})
}

func TestEscapedTextOfOneByte(t *testing.T) {
	for text, want := range map[string]string{
		"caf\xe9":          "caf\uFFFDxE9",
		"caf\u00e9":        "caf\u00e9",
		"\uFFFD":           "\uFFFD",
		"\uFFFDxZZ":        "\uFFFDxZZ",
		"\uFFFDxE9":        "\uFFFDxEF\uFFFDxBF\uFFFDxBDxE9",
		"\uFFFD\xE9":       "\uFFFD\uFFFDxE9",
		"cut off \xe6\xaa": "cut off \uFFFDxE6\uFFFDxAA",
	} {
		if got := escapeText(text); got != want {
			t.Errorf("%q is spelled %q, not %q", text, got, want)
		}
	}
}
