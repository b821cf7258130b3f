package line

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// The time package is the oracle of what parses and to which time.
func TestParseStamp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		year := rapid.IntRange(1679, 2260).Draw(t, "year")
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.Int64Range(0, 366*86400e9).Draw(t, "ns")))
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone"))
		layout := rapid.SampledFrom([]string{time.RFC3339, time.RFC3339Nano, "2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05,000000000Z0700"}).Draw(t, "layout")
		text := at.In(zone).Format(layout)
		want, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		if s := parseStamp([]byte(text + " x")); s.ns != want.UnixNano() || s.size != len(text) {
			t.Fatalf("%s: %d of %d bytes, want %d of %d", text, s.ns, s.size, want.UnixNano(), len(text))
		}
	})
}

// What the time package takes for a time is one here, and nothing else is, but for the
// edges below.
func TestParseStampRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d%s", 2023+n("year", 9), n("month", 14), n("day", 33), n("hour", 26), n("minute", 62), n("second", 59),
			rapid.SampledFrom([]string{"Z", "+01:00", ".Z", "", " ", "z", "+1:00", "+01:6x", "-00:30", ".5Z"}).Draw(t, "tail"))
		_, err := time.Parse(time.RFC3339, text)
		if s := parseStamp([]byte(text)); (s.size == len(text)) != (err == nil) {
			t.Fatalf("%s: %d bytes, and the time package says %v", text, s.size, err)
		}
	})
}

func TestStampEdges(t *testing.T) {
	for _, c := range []struct {
		text string
		ns   int64
		size int
	}{
		{"2016-12-31T23:59:60Z", time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(), 20},
		{"2026-08-20T12:00:00.1234567891Z", time.Date(2026, 8, 20, 12, 0, 0, 123456789, time.UTC).UnixNano(), 31},
		{"9999-01-01T00:00:00Z", table.Missing, 20}, {"0000-01-01T00:00:00Z", table.Missing, 20},
		{"2026-08-20T12:00:00+24:00", 0, 0}, {"2026-08-20T12:00:00+01:60", 0, 0}, {"2026-08-20T12:00:00", 0, 0},
		{"1969-12-31T23:59:59.5Z", -5e8, 22},
	} {
		if s := parseStamp([]byte(c.text)); s.ns != c.ns || s.size != c.size {
			t.Errorf("%s: %+v", c.text, s)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		per  int64
		want int64
	}{
		{"1787227200", 1, 1787227200e9}, {"1787227200.25", 1, 1787227200.25e9}, {"1787227200.1234567899", 1, 1787227200123456789},
		{"1787227200123", 1000, 1787227200123e6}, {"1787227200123456", 1e6, 1787227200123456e3}, {"1787227200123456.7", 1e6, 1787227200123456700},
		{"", 1, table.Missing}, {"x", 1, table.Missing}, {"99999999999999999999", 1, table.Missing}, {"9999999999999", 1, table.Missing},
	} {
		if got := parseDecimal([]byte(c.text), c.per); got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.text, c.per, got, c.want)
		}
	}
}

// Strings of encoding/json are decoded as there, in place.
func TestUnquote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(?:[ -!#-\[\]-~é😀]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\ud83d\\ude0[0-9])*`).Draw(t, "text")
		value := []byte(`"` + text + `"`)
		var want string
		if err := json.Unmarshal(value, &want); err != nil {
			t.Skip(err)
		}
		if end := skipString(value, 0); end != len(value) {
			t.Fatalf("%s ends at %d", value, end)
		}
		if got := string(unquote(value)); got != want {
			t.Fatalf("%s: %q, want %q", text, got, want)
		}
	})
	for in, want := range map[string]string{`"\x\u12"`: `\x\u12`, `"\u"`: `\u`, `"\ud83dx"`: "\ufffdx", `"a\"`: `a\`} {
		if got := string(unquote([]byte(in))); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// Members are those of encoding/json, with their raw values.
func TestMembers(t *testing.T) {
	value := rapid.SampledFrom([]string{`1`, `-1.5e3`, `"a\"}\\"`, `null`, `true`, `[]`, `{}`, `[1,{"a":"]"}]`, `{"x":[{"y":"}"}]}`, `""`})
	space := rapid.SampledFrom([]string{"", "", " ", "\t ", "\r\n"})
	rapid.Check(t, func(t *rapid.T) {
		object, want := "{"+space.Draw(t, "s"), map[string]json.RawMessage{}
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			if i > 0 {
				object += ","
			}
			object += space.Draw(t, "s") + fmt.Sprintf(`"k%d"`, i) + space.Draw(t, "s") + ":" + space.Draw(t, "s") + value.Draw(t, "v") + space.Draw(t, "s")
		}
		object += "}"
		if err := json.Unmarshal([]byte(object), &want); err != nil {
			t.Fatal(err)
		}
		n := 0
		end := members([]byte(object+"rest"), func(name, value []byte) bool {
			if n++; string(want[string(name)]) != string(value) {
				t.Fatalf("%s: %s is %s", object, name, value)
			}
			return true
		})
		if n != len(want) || end != len(object) || skipValue([]byte(object+"rest"), 0) != end {
			t.Fatalf("%s: %d members, end %d", object, n, end)
		}
		cut := rapid.IntRange(0, len(object)-1).Draw(t, "cut")
		if members([]byte(object[:cut]), func(_, _ []byte) bool { return true }) >= 0 {
			t.Fatalf("%s has an end", object[:cut])
		}
	})
}

func TestUnquoteBytes(t *testing.T) {
	for in, want := range map[string]string{`[]`: "", `[104, 105]`: "hi", `[255]`: "\xff"} {
		if got, ok := unquoteBytes([]byte(in)); !ok || string(got) != want {
			t.Errorf("%s: %q %v", in, got, ok)
		}
	}
	for _, in := range []string{`[256]`, `[1,]`, `["a"]`, `{}`, `[`, `[-1]`, `[1`, `[[1]]`, `7`} {
		value := []byte(in)
		if _, ok := unquoteBytes(value); ok || string(value) != in {
			t.Errorf("%s is %s", in, value)
		}
	}
}
