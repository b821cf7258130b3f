package filter

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseBands(t *testing.T) {
	for text, want := range map[string]string{
		"p0-50,50-90,90-99,99-100": "0-50 50-90 90-99 99-100",
		"p99-p99.9, p99.9-100":     "99-99.9 99.9-100",
		"0-95":                     "0-95",
		"p10-20,50-100":            "10-20 50-100",
	} {
		list, err := ParseBands(text)
		var got []string
		for _, b := range list {
			got = append(got, b.From.String()+"-"+b.To.String())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestBandsThatAreNone(t *testing.T) {
	for _, c := range []struct{ text, at, what string }{
		{"", "", "no such band"},
		{"p0-50,", "", "no such band"},
		{"p0-50, p90", "p90", "no such band"},
		{"p50-50", "p50-50", "no such band"},
		{"p90-50", "p90-50", "no such band"},
		{"p0-101", "p0-101", "no such band"},
		{"p0-50,x-y", "x-y", "no such band"},
		{"p0-60,50-100", "50-100", "below the end"},
		{"p50-100,0-50", "0-50", "below the end"},
		{strings.Repeat("p0-1,", 2), "p0-1", "below the end"},
		{"p0-1,1-2,2-3,3-4,4-5,5-6,6-7,7-8,8-9,9-10,10-11,11-12,12-13,13-14,14-15,15-16,16-17,17-18,18-19,19-20,20-21", "20-21", "more than 20"},
	} {
		_, err := ParseBands(c.text)
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.Contains(wrong.What, c.what) || wrong.Text[wrong.Start:wrong.End] != c.at || wrong.Hint == "" {
			t.Errorf("%q: %#v, want %q at %q", c.text, err, c.what, c.at)
		}
	}
}

// TestBandsShareNoRequest: what is read is in ascending order, and whatever is written no text
// stops the reader.
func TestBandsShareNoRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, err := ParseBands(rapid.StringMatching(`(p?[0-9]{1,3}(\.[0-9])?-[0-9]{1,3},? ?){1,5}|[p0-9,. -]{0,20}`).Draw(t, "text"))
		if err != nil {
			return
		}
		for i, b := range list {
			if !b.From.below(b.To) || i > 0 && b.From.below(list[i-1].To) {
				t.Errorf("band %d of %v", i, list)
			}
		}
	})
}
