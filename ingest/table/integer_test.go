package table

import (
	"math"
	"testing"
)

// TestReadInteger holds the reader of decimal text to forms that exporters write.
func TestReadInteger(t *testing.T) {
	for text, want := range map[string]Integer{
		"0": {}, "-0": {Neg: true}, "+5": {Mag: 5}, "007": {Mag: 7}, "18446744073709551615": {Mag: math.MaxUint64},
		"-9223372036854775808": {Mag: 1 << 63, Neg: true}, "1.7e18": {Mag: 1_700_000_000_000_000_000},
		"1.711138246978e18": {Mag: 1711138246978000000}, "3.0": {Mag: 3}, "15e-1": {Mag: 1, Frac: true},
		"1787227200100000000.00000000000": {Mag: 1787227200100000000}, "0.9": {Frac: true}, "12E+2": {Mag: 1200},
	} {
		got, ok := ReadInteger([]byte(text))
		if !ok || got != want {
			t.Errorf("%s: %+v, ok %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "abc", "1x", "18446744073709551616", "1e20", "NaN", "--1", "1e", "0x10", "1e999999999999"} {
		if got, ok := ReadInteger([]byte(text)); ok {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}
