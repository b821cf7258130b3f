package match_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// show renders the values that are set, one word each, in the order of their slots.
func show(slots *match.Slots, values []match.Value) string {
	var words []string
	for i, name := range slots.Names() {
		if w := showValue(&values[i]); w != "" {
			words = append(words, name+"="+w)
		}
	}
	return strings.Join(words, " ")
}

func showValue(v *match.Value) string {
	text := ""
	switch v.Kind {
	case match.None:
		if v.Flags&match.Bad != 0 {
			return fmt.Sprintf("BAD(%s)", v.Text)
		}
		if v.Text == nil {
			return ""
		}
		return fmt.Sprintf("none(%s)", v.Text)
	case match.Text:
		return fmt.Sprintf("%q", v.Text)
	case match.Int:
		text = fmt.Sprint(v.Int)
	case match.Float:
		text = fmt.Sprint(v.Float)
	case match.Duration:
		text = fmt.Sprintf("%dns/%d", v.Int, v.Res)
	case match.Instant:
		text = time.Unix(0, v.Int).UTC().Format("2006-01-02T15:04:05.999999999") + fmt.Sprintf("/%d", v.Res)
	case match.List:
		var items []string
		for _, it := range v.List {
			one := match.Value{Kind: it.Kind, Text: it.Text, Int: it.Int, Float: it.Float, Res: it.Res}
			items = append(items, fmt.Sprintf("%d:%s", it.Group, showValue(&one)))
		}
		text = "[" + strings.Join(items, " ") + "]"
	}
	for _, f := range []struct {
		flag match.Flags
		name string
	}{{match.NoYear, "~year"}, {match.NoZone, "~zone"}, {match.Steady, "~steady"}} {
		if v.Flags&f.flag != 0 {
			text += f.name
		}
	}
	return text
}

// pattern compiles a pattern that must be good.
func pattern(t testing.TB, spec string, absent ...string) (*match.PatternMatcher, *match.Slots, []match.Value) {
	t.Helper()
	slots := match.NewSlots()
	m, _, err := match.Pattern(spec, slots, absent)
	if err != nil {
		t.Fatalf("pattern %q: %v", spec, err)
	}
	return m, slots, slots.NewValues()
}

// fields reads "name path type" triples.
func fields(t testing.TB, lines ...string) []match.Field {
	t.Helper()
	var all []match.Field
	for _, l := range lines {
		part := strings.Fields(l)
		f := match.Field{Name: part[0], Path: part[1]}
		if len(part) > 2 {
			var err error
			if f.Type, err = match.ParseType(part[2]); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, f)
	}
	return all
}
