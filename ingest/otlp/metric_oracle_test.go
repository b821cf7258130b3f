package otlp

import (
	"bytes"
	"encoding/json"
	"io"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// metricQuirks are texts that make pdata and this package read on purpose different
// things: other signals, null and wrong types in the place of lists, and numbers that
// only one of the two takes.
var metricQuirks = append([]string{"null", "Spans", "spans", "Logs", "logs", "rofiles", "exemplars", "quantile", "[[", `:""`}, quirks...)

// oracleMetricsJSON decodes one document of strict JSON with pdata. ok is false when
// pdata refuses it, or when it is known to read something else than this package.
func oracleMetricsJSON(data []byte) (md pmetric.Metrics, ok bool) {
	for _, quirk := range metricQuirks {
		if bytes.Contains(data, []byte(quirk)) {
			return md, false
		}
	}
	var first json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&first); err != nil {
		return md, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return md, false
	}
	if otherCase(first) || duplicated(first) || bytes.Count(data, []byte("resourceMetrics")) != 1 {
		return md, false
	}
	md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(data)
	return md, err == nil
}

// duplicated reports whether an object has a member twice, or two members of which one
// replaces the other.
func duplicated(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	var seen []map[string]bool // of the objects around; nil for an array
	key := false
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		inObject := len(seen) > 0 && seen[len(seen)-1] != nil
		if delim, ok := token.(json.Delim); ok {
			switch delim {
			case '{':
				seen, key = append(seen, map[string]bool{}), true
			case '[':
				seen, key = append(seen, nil), false
			default:
				seen = seen[:len(seen)-1]
				key = len(seen) > 0 && seen[len(seen)-1] != nil
			}
			continue
		}
		if !inObject {
			continue
		}
		if !key {
			key = true
			continue
		}
		key = false
		name, group := token.(string), ""
		switch name {
		case "gauge", "sum", "histogram", "exponentialHistogram", "exponential_histogram", "summary":
			group = "data"
		case "asInt", "as_int", "asDouble", "as_double":
			group = "number"
		}
		own := seen[len(seen)-1]
		if own[name] || group != "" && own[group] {
			return true
		}
		own[name] = true
		if group != "" {
			own[group] = true
		}
	}
}
