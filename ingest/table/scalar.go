package table

import (
	"bytes"
	"math"
	"strconv"
)

// Scalar returns a string, number or bool as text; ok is false for any other value.
func (v Value) Scalar() (text []byte, ok bool) {
	switch v.Type {
	case ValueString:
		return v.Text, true
	case ValueInt:
		return strconv.AppendInt(nil, v.Int(), 10), true
	case ValueDouble:
		return strconv.AppendFloat(nil, v.Double(), 'g', -1, 64), true
	case ValueBool:
		return strconv.AppendBool(nil, v.Bool()), true
	}
	return nil, false
}

// valueInt returns a whole number that was recorded as number or text.
func valueInt(v Value) (int64, bool) {
	switch v.Type {
	case ValueInt:
		return v.Int(), v.Int() != Missing
	case ValueDouble:
		f := v.Double()
		return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<63
	case ValueString:
		n, ok := ReadInteger(bytes.TrimSpace(v.Text))
		if !ok || n.Frac {
			return 0, false
		}
		i, ok := n.Int64()
		return i, ok && i != Missing
	}
	return 0, false
}

// valueSeconds returns seconds, recorded as number or text, as ns rounded to the
// nearest. It fails on NaN and on what int64 cannot hold.
func valueSeconds(v Value) (ns int64, ok bool) {
	var s float64
	switch v.Type {
	case ValueInt:
		s = float64(v.Int())
	case ValueDouble:
		s = v.Double()
	case ValueString:
		var err error
		if s, err = strconv.ParseFloat(string(bytes.TrimSpace(v.Text)), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	f := math.Round(s * 1e9)
	if !(math.Abs(f) < 1<<63) {
		return 0, false
	}
	return int64(f), true
}
