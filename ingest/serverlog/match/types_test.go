package match_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"pgregory.net/rapid"
)

// one matches text with a hole of a type and returns its value.
func one(t interface {
	Helper()
	Fatalf(string, ...any)
}, typ, text string) match.Value {
	t.Helper()
	slots := match.NewSlots()
	m, _, err := match.Pattern("<{x:"+typ+"}>", slots, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	values := slots.NewValues()
	if !m.Match([]byte("<"+text+">"), values) {
		t.Fatalf("%s does not match %q", typ, text)
	}
	return values[0]
}

// digits draws a number with a sign, up to 30 digits and a point.
func digits(t *rapid.T) string {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,30})?`).Draw(t, "number")
}

// exact is text * 10^power, rounded half away from zero.
func exact(text string, power int64) *big.Int {
	r, _ := new(big.Rat).SetString(text)
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(power), nil)))
	neg := r.Sign() < 0
	r.Abs(r)
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if neg {
		n.Neg(n)
	}
	return n
}

func TestDurationsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(0, 3).Draw(t, "unit")
		text := digits(t)
		v := one(t, []string{"ns", "us", "ms", "s"}[unit], text)
		want := exact(text, int64(3*unit))
		if !want.IsInt64() {
			if v.Kind != match.None || v.Flags != match.Bad {
				t.Fatalf("%s beyond the range gives %v", text, v)
			}
			return
		}
		if v.Kind != match.Duration || v.Int != want.Int64() {
			t.Fatalf("%s: got %d, want %d", text, v.Int, want)
		}
		res := int64(1)
		_, fraction, _ := strings.Cut(text, ".")
		for i := len(fraction); i < 3*unit; i++ {
			res *= 10
		}
		if v.Res != res {
			t.Fatalf("%s: worth %d, want %d", text, v.Res, res)
		}
	})
}

func TestFloatsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		text := strconv.FormatFloat(f, "gfe"[rapid.IntRange(0, 2).Draw(t, "format")], -1, 64)
		if len(text) > 100 {
			t.Skip()
		}
		if v := one(t, "float", text); v.Kind != match.Float || v.Float != f {
			t.Fatalf("%s: got %v", text, v.Float)
		}
		text = digits(t)
		want, _ := strconv.ParseFloat(text, 64)
		if v := one(t, "float", text); v.Float != want {
			t.Fatalf("%s: got %v, want %v", text, v.Float, want)
		}
	})
}

func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		if v := one(t, "int", fmt.Sprint(n)); v.Kind != match.Int && n != -1<<63 || v.Int != n && n != -1<<63 {
			t.Fatalf("%d: got %d", n, v.Int)
		}
	})
}

func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Min(-1<<63+1).Draw(t, "d"))
		if v := one(t, "go", d.String()); v.Kind != match.Duration || v.Int != int64(d) {
			t.Fatalf("%s: got %d, want %d", d, v.Int, d)
		}
		// Rust's Debug: the largest unit that is not above the value, up to seconds.
		d = d.Abs()
		unit, name := time.Nanosecond, "ns"
		for _, u := range []struct {
			unit time.Duration
			name string
		}{{time.Microsecond, "µs"}, {time.Millisecond, "ms"}, {time.Second, "s"}} {
			if d >= u.unit {
				unit, name = u.unit, u.name
			}
		}
		text := fmt.Sprint(int64(d / unit))
		if rest := d % unit; rest > 0 {
			width := len(fmt.Sprint(int64(unit))) - 1
			text += strings.TrimRight(fmt.Sprintf(".%0*d", width, rest), "0")
		}
		if v := one(t, "rust", text+name); v.Int != int64(d) {
			t.Fatalf("%s%s: got %d, want %d", text, name, v.Int, d)
		}
	})
}

func TestInstants(t *testing.T) {
	layouts := []struct {
		typ, layout string
		res         time.Duration
		flags       match.Flags
		noYear      bool
	}{
		{"rfc3339", "2006-01-02T15:04:05Z07:00", time.Second, 0, false},
		{"rfc3339", "2006-01-02T15:04:05.000000Z07:00", time.Microsecond, 0, false},
		{"rfc3339", "2006-01-02T15:04:05.000000000-0700", 1, 0, false},
		{"datetime", "2006-01-02 15:04:05", time.Second, match.NoZone, false},
		{"datetime", "2006-01-02 15:04:05,000", time.Millisecond, match.NoZone, false},
		{"datetime", "2006/01/02 15:04:05.000000", time.Microsecond, match.NoZone, false},
		{"datetime", "2006-01-02 15:04:05.000 -0700", time.Millisecond, 0, false},
		{"datetime", "2006-01-02T15:04:05.000-07:00", time.Millisecond, 0, false},
		{"clf", "02/Jan/2006:15:04:05 -0700", time.Second, 0, false},
		{"haproxy", "02/Jan/2006:15:04:05.000", time.Millisecond, match.NoZone, false},
		{"gin", "2006/01/02 - 15:04:05", time.Second, match.NoZone, false},
		{"vllm", "01-02 15:04:05", time.Second, match.NoZone | match.NoYear, true},
		{"glog", "0102 15:04:05.000000", time.Microsecond, match.NoZone | match.NoYear, true},
		{"syslog", "Jan _2 15:04:05", time.Second, match.NoZone | match.NoYear, true},
	}
	first, last := time.Date(1678, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2261, 12, 30, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		l := layouts[rapid.IntRange(0, len(layouts)-1).Draw(t, "layout")]
		at := time.Unix(0, rapid.Int64Range(first.UnixNano(), last.UnixNano()).Draw(t, "ns")).UTC()
		if l.flags&match.NoZone == 0 {
			at = at.In(time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "offset")))
		}
		text := at.Format(l.layout)
		want := at.Truncate(l.res)
		if l.res == time.Second {
			want = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, at.Location())
		}
		if l.noYear {
			want = time.Date(2000, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), want.Nanosecond(), time.UTC)
		}
		v := one(t, l.typ, text)
		if v.Kind != match.Instant || v.Int != want.UnixNano() || v.Res != int64(l.res) || v.Flags != l.flags {
			t.Fatalf("%s %q: got %s, want %s", l.typ, text, showValue(&v), want.UTC())
		}
	})
}

// TestDateCache matches lines of changing days into one slot.
func TestDateCache(t *testing.T) {
	m, _, values := pattern(t, "{t:rfc3339} {u:clf}")
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-1e9, 2e9).Draw(t, "s"), 0).UTC()
		for _, day := range rapid.SliceOfN(rapid.IntRange(-400, 400), 1, 9).Draw(t, "days") {
			then := at.AddDate(0, 0, day)
			match.Reset(values)
			if !m.Match([]byte(then.Format("2006-01-02T15:04:05Z 02/Jan/2006:15:04:05 +0000")), values) ||
				values[0].Int != then.UnixNano() || values[1].Int != then.UnixNano() {
				t.Fatalf("%s: got %d and %d", then, values[0].Int, values[1].Int)
			}
		}
	})
}

func TestEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, 1<<62).Draw(t, "ns")
		text := fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9)
		if v := one(t, "epoch_s", text); v.Int != ns || v.Kind != match.Instant || v.Res != 1 {
			t.Fatalf("%s: %v", text, v)
		}
		minutes := ns / 60e9 % 1e9
		text = fmt.Sprintf("%d.%02d.%03d.%03d", minutes, ns/1e9%60, ns/1e6%1000, ns/1e3%1000)
		if v := one(t, "uptime", text); v.Int != minutes*60e9+ns/1e9%60*1e9+ns/1e3%1e6*1e3 && minutes < 1e8 || v.Flags&match.Steady == 0 && minutes < 1e8 {
			t.Fatalf("%s: %v", text, v)
		}
	})
}

func TestStringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		var quoted bytes.Buffer
		for _, c := range raw {
			switch {
			case c == '"' || c == '\\' || c < ' ' || c > '~':
				fmt.Fprintf(&quoted, `\x%02X`, c)
			default:
				quoted.WriteByte(c)
			}
		}
		if v := one(t, "quoted", `"`+quoted.String()+`"`); !bytes.Equal(v.Text, raw) || v.Kind != match.Text {
			t.Fatalf("%s: got %q", &quoted, v.Text)
		}
		if v := one(t, "python", repr(raw)); !bytes.Equal(v.Text, raw) {
			t.Fatalf("%s: got %q", repr(raw), v.Text)
		}
		text := rapid.String().Draw(t, "text")
		if v := one(t, "python", reprText(text)); string(v.Text) != text {
			t.Fatalf("%s: got %q", reprText(text), v.Text)
		}
		encoded, _ := json.Marshal(map[string]string{"k": text})
		slots := match.NewSlots()
		m, err := match.JSON("", []match.Field{{Name: "k", Path: "k"}}, slots, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := slots.NewValues()
		if !m.Match(encoded, values) || string(values[0].Text) != text {
			t.Fatalf("%s: got %q", encoded, values[0].Text)
		}
	})
}

// repr is Python's repr of bytes.
func repr(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		switch {
		case c == '\\' || c == '\'':
			s.WriteByte('\\')
			s.WriteByte(c)
		case c == '\n':
			s.WriteString(`\n`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&s, `\x%02x`, c)
		default:
			s.WriteByte(c)
		}
	}
	return "b'" + s.String() + "'"
}

// reprText is Python's repr of a str.
func reprText(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = `"`
	}
	var s strings.Builder
	for _, r := range text {
		switch {
		case r == '\\' || string(r) == quote:
			s.WriteString(`\` + string(r))
		case r == '\n':
			s.WriteString(`\n`)
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			fmt.Fprintf(&s, `\x%02x`, r)
		case r > 0xffff && r%2 == 0:
			fmt.Fprintf(&s, `\U%08x`, r)
		case r > 0xff && r <= 0xffff && r%2 == 0:
			fmt.Fprintf(&s, `\u%04x`, r)
		default:
			s.WriteRune(r)
		}
	}
	return quote + s.String() + quote
}

// TestUUIDs compares the type with a regular expression of what one is.
func TestUUIDs(t *testing.T) {
	whole := regexp.MustCompile(`^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})($|[^0-9A-Za-z-])`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9a-f]{30,33}|[0-9A-F]{8}-[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-[0-9a-f]{11,13}|([0-9a-f]{4,8}-){4}[0-9a-g]{12}`).Draw(t, "text") +
			rapid.SampledFrom([]string{"", "", "g", "0", "-", "-a", " x", ".x", "|", "}"}).Draw(t, "behind")
		slots := match.NewSlots()
		m, _, err := match.Pattern("{x:uuid}{...}", slots, nil)
		if err != nil {
			t.Fatal(err)
		}
		values, want := slots.NewValues(), whole.FindStringSubmatch(text)
		if ok := m.Match([]byte(text), values); ok != (want != nil) || ok && (string(values[0].Text) != want[1] || values[0].Kind != match.Text) {
			t.Fatalf("%q: %v, %q; want %v", text, ok, values[0].Text, want)
		}
		if ok := m.Match([]byte(text), values); ok && !m.First()[text[0]] {
			t.Fatalf("%q: the first byte is said to be none", text)
		}
	})
}
