package tracefile

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// readMicros reads µs, with a fraction or exponent if need be, as ns. Fractions of a ns
// are rounded.
func readMicros(text []byte) (ns int64, ok bool) {
	if len(text) == 0 || len(text) > 15 {
		ns, _, ok = decimal(text, 3)
		return ns, ok
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			ns, _, ok = decimal(text, 3)
			return ns, ok
		}
		ns = ns*10 + int64(c-'0')
	}
	return ns * 1000, true
}

// readTime reads a time as µs since the epoch, or as RFC 3339.
func readTime(text []byte, quoted bool) (ns int64, ok bool) {
	if ns, ok = readMicros(text); ok || !quoted {
		return ns, ok
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || t.Year() < 1678 || t.Year() > 2261 {
		return 0, false
	}
	return t.UnixNano(), true
}

// readDuration reads a duration as µs, or as a text such as 1.5s.
func readDuration(text []byte, quoted bool) (ns int64, ok bool) {
	if ns, ok = readMicros(text); ok || !quoted {
		return ns, ok
	}
	if n := len(text); n > 1 && text[n-1] == 's' && isDigit(text[n-2]) {
		if ns, _, ok = decimal(text[:n-1], 9); ok {
			return ns, ok
		}
	}
	d, err := time.ParseDuration(string(text))
	return int64(d), err == nil
}

// endOf returns start + duration in ns if int64 can hold it.
func endOf(start, duration int64) (int64, bool) {
	end := start + duration
	return end, (end >= start) == (duration >= 0)
}

// plainValue returns a JSON scalar as what it is.
func plainValue(text []byte, quoted bool) table.Value {
	switch {
	case quoted:
		return table.Value{Type: table.ValueString, Text: text}
	case text == nil:
		return table.Value{}
	case string(text) == "true":
		return table.BoolValue(true)
	case string(text) == "false":
		return table.BoolValue(false)
	}
	if n, ok := readInt(text); ok {
		return table.IntValue(n)
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil || math.IsInf(f, 0) {
		return table.DoubleValue(f)
	}
	return table.Value{Type: table.ValueString, Text: text}
}

// typedValue returns a JSON scalar as the type that stands beside it. bent says that it
// is none of that type, or is written in another one, and was kept as what it is.
func typedValue(typ, text []byte, quoted bool) (v table.Value, bent bool) {
	if text == nil && !quoted {
		return table.Value{}, len(typ) > 0
	}
	switch string(typ) {
	case "":
		return plainValue(text, quoted), false
	case "string", "STRING":
		return table.Value{Type: table.ValueString, Text: text}, !quoted
	case "int64", "INT64", "long", "int", "LONG":
		if n, ok := readInt(text); ok {
			return table.IntValue(n), false
		}
	case "float64", "FLOAT64", "double", "DOUBLE", "float":
		if f, err := strconv.ParseFloat(string(text), 64); err == nil || math.IsInf(f, 0) {
			return table.DoubleValue(f), false
		}
	case "bool", "BOOL":
		switch string(text) {
		case "true":
			return table.BoolValue(true), false
		case "false":
			return table.BoolValue(false), false
		}
	case "binary", "BINARY", "bytes", "BYTES":
		if raw, err := base64.StdEncoding.AppendDecode(nil, text); err == nil && quoted {
			return table.Value{Type: table.ValueBytes, Text: raw}, false
		}
	}
	return plainValue(text, quoted), true
}

// readInt reads an integer without a fraction.
func readInt(text []byte) (int64, bool) {
	n, ok := table.ReadInteger(text)
	if !ok || n.Frac {
		return 0, false
	}
	i, ok := n.Int64()
	return i, ok
}
