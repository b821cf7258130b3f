package logs

import (
	"math"
	"strconv"
	"strings"
)

// member is one member of a Python dict: the value is a text, an int, a float64, nil or
// another dict.
type member struct {
	key   string
	value any
}

// pyDict writes members as Python's repr of a dict, and jsonDict as its json.dumps.
func pyDict(members []member) string   { return dict(members, `'`, "None") }
func jsonDict(members []member) string { return dict(members, `"`, "null") }

func dict(members []member, quote, none string) string {
	var t strings.Builder
	t.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			t.WriteString(", ")
		}
		t.WriteString(quote + m.key + quote + ": ")
		switch x := m.value.(type) {
		case string:
			t.WriteString(quote + x + quote)
		case int:
			t.WriteString(decimal(x))
		case float64:
			t.WriteString(pyFloat(x))
		case []member:
			t.WriteString(dict(x, quote, none))
		default:
			t.WriteString(none)
		}
	}
	t.WriteByte('}')
	return t.String()
}

// pyFloat is Python's repr of a float: the shortest text that gives it back, with an
// exponent below 1e-4 and from 1e16 on, and with a decimal point otherwise.
func pyFloat(x float64) string {
	if a := math.Abs(x); x != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
