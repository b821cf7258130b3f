package otlp

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// Arrays and key-value lists are stored as the OTLP JSON of an ArrayValue or
// KeyValueList: {"values":[...]} without blanks, with members in the order of the
// protocol, 64-bit integers in quotes and bytes in base64. Equal values have equal
// texts, whichever encoding they came in.

// appendScalar appends the OTLP JSON of an AnyValue that is no array or list.
func appendScalar(to []byte, v table.Value) []byte {
	switch v.Type {
	case table.ValueString:
		to = append(to, `{"stringValue":`...)
		to = appendString(to, v.Text)
	case table.ValueBool:
		to = append(to, `{"boolValue":`...)
		to = strconv.AppendBool(to, v.Bool())
	case table.ValueInt:
		to = append(to, `{"intValue":"`...)
		to = strconv.AppendInt(to, v.Int(), 10)
		to = append(to, '"')
	case table.ValueDouble:
		to = append(to, `{"doubleValue":`...)
		to = appendDouble(to, v.Double())
	case table.ValueBytes:
		to = append(to, `{"bytesValue":"`...)
		to = base64.StdEncoding.AppendEncode(to, v.Text)
		to = append(to, '"')
	default:
		to = append(to, '{')
	}
	return append(to, '}')
}

func appendDouble(to []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(to, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(to, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(to, `"-Infinity"`...)
	}
	return strconv.AppendFloat(to, f, 'g', -1, 64)
}

// appendString appends a JSON string. Bytes that are no UTF-8 stay as they are, so
// that nothing is lost.
func appendString(to, text []byte) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, `\n`...)
		case '\r':
			to = append(to, `\r`...)
		case '\t':
			to = append(to, `\t`...)
		default:
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	to = append(to, text[from:]...)
	return append(to, '"')
}
