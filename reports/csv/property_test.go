package csv

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// nasty are names that attack a spreadsheet, a terminal or the rows.
var nasty = []string{
	"=1+1", "+SUM(A1)", "-2+3", "@SUM(1)", "  =cmd|' /C calc'!A0", "＝1", "\t=1", "\r=1", "\n=1", "=HYPERLINK(\"http://x\",\"y\")", "'", "",
	"a,b", "a\"b", "a\nb\r\nc", "\x1b[31mred", "\u202eevil", "\x00", "\xff", "a;b", " lead", "日本語", "-", "\ufeff=1", "\u200b=1", "\u3164=1", "q\ufe0fueue", "\ue000",
}

func TestCellsAreSafeAndRowsAreLines(t *testing.T) {
	base := fixed(t)["summary_by"]
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.StringMatching(`[=+\-@ ]{1,3}[0-9a-z]*`))
		d := base
		d.Headline, d.Next = name.Draw(t, "headline"), name.Draw(t, "next")
		d.Command = rapid.SliceOf(name).Draw(t, "command")
		d.Inputs = nil
		for range rapid.IntRange(0, 4).Draw(t, "inputs") {
			d.Inputs = append(d.Inputs, reports.Input{Name: name.Draw(t, "name"), Bytes: rapid.Int64().Draw(t, "bytes"), Lines: &reports.Lines{Unused: []reports.Count{{Name: name.Draw(t, "why"), N: -1}}}})
		}
		for _, table := range []string{"document", "inputs", "inputs.lines.unused"} {
			var b strings.Builder
			if err := Write(&b, d, table); err != nil {
				t.Fatal(err)
			}
			got := b.String()
			if bad := strings.IndexFunc(got, func(r rune) bool {
				return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
			}); bad >= 0 {
				t.Fatalf("%s: %q has a character that is not seen", table, got[bad:])
			}
			rows, err := csv.NewReader(strings.NewReader(got)).ReadAll() // fails when rows differ in length
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(got, "\n"); lines != len(rows) {
				t.Fatalf("%s: %d rows in %d lines", table, len(rows), lines)
			}
			if table != "document" && len(rows) != len(d.Inputs)+1 {
				t.Fatalf("%s: %d rows for %d inputs", table, len(rows), len(d.Inputs))
			}
			for _, row := range rows[1:] {
				for c, value := range row {
					text := strings.TrimLeft(value, " ")
					if text != "" && strings.ContainsAny(text[:firstLength(text)], "=+-@＝＋－＠") && !number(rows[0][c]) {
						t.Fatalf("%s: %s is %q, which is a formula", table, rows[0][c], value)
					}
				}
			}
		}
		again := ""
		for range 2 {
			var b strings.Builder
			if err := Write(&b, d, "inputs"); err != nil {
				t.Fatal(err)
			}
			if again != "" && again != b.String() {
				t.Fatal("the same document gives other bytes")
			}
			again = b.String()
		}
	})
}

// number says whether a column of the tables above has numbers.
func number(column string) bool {
	switch column {
	case "bytes", "n", "schema_version":
		return true
	}
	return false
}

func TestCells(t *testing.T) {
	yes, none := true, (*string)(nil)
	a, odd := "a", "b c"
	for _, c := range []struct {
		value any
		want  string
	}{
		{int64(-5), "-5"}, {int64(1) << 62, "4611686018427387904"}, {-0.25, "-0.25"}, {1e21, "1e+21"}, {1.5e-9, "1.5e-9"}, {float64(3), "3"},
		{yes, "true"}, {"-5", "'-5"}, {"plain", "plain"}, {" =1", "' =1"}, {"'=1", "'=1"}, {"a\x1b[0m\nb", `a\u{1b}[0m\u{a}b`}, {"\xff", "\ufffd"},
		{[]int64{1, -2}, "1 -2"}, {[]int64{-1, 2}, "-1 2"}, {[]string{"=a", "b"}, "'=a b"}, {[]string{"a b", ""}, "'a b' ''"}, {[]*string{&a, none, &odd}, "a null 'b c'"},
		{[][]int64{{1, 2}, {}, {3}}, "1 2;;3"}, {[]float64(nil), ""},
	} {
		if got := cell(reflect.ValueOf(c.value)); got != c.want {
			t.Errorf("%#v is %q, want %q", c.value, got, c.want)
		}
	}
}
