package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

var (
	drawText = rapid.OneOf(
		rapid.StringN(0, 12, -1),
		rapid.SampledFrom([]string{"", "\n", `"\`, "a\tb\x00\x1f", "\u2028\U0001F600", `{"resourceSpans":[`, "NaN", "null", "<&>"}),
	)
	drawKey = rapid.OneOf(
		rapid.SampledFrom(append(table.PromotedKeys(), "service.name", "host.name", "process.pid")),
		rapid.StringN(0, 8, -1),
	)
	drawTime = rapid.OneOf(rapid.Uint64Range(0, math.MaxInt64), rapid.Uint64Range(17e17, 18e17), rapid.Just(uint64(0)))
)

// drawTraces makes any traces that pdata can hold and the tables can keep.
func drawTraces(t *rapid.T) ptrace.Traces {
	td := ptrace.NewTraces()
	for range rapid.IntRange(0, 3).Draw(t, "resources") {
		rs := td.ResourceSpans().AppendEmpty()
		drawMap(t, rs.Resource().Attributes(), 3)
		rs.SetSchemaUrl(drawText.Draw(t, "schema"))
		for range rapid.IntRange(0, 2).Draw(t, "scopes") {
			ss := rs.ScopeSpans().AppendEmpty()
			drawScope(t, ss.Scope())
			ss.SetSchemaUrl(drawText.Draw(t, "schema"))
			for range rapid.IntRange(0, 3).Draw(t, "spans") {
				drawSpan(t, ss.Spans().AppendEmpty())
			}
		}
	}
	return td
}

func drawScope(t *rapid.T, s pcommon.InstrumentationScope) {
	s.SetName(drawText.Draw(t, "scope"))
	s.SetVersion(drawText.Draw(t, "version"))
	drawMap(t, s.Attributes(), 1)
}

func drawSpan(t *rapid.T, s ptrace.Span) {
	s.SetTraceID(pcommon.TraceID(drawID(t, 16)))
	s.SetSpanID(drawSpanID(t))
	s.SetParentSpanID(drawSpanID(t))
	s.SetName(drawText.Draw(t, "name"))
	s.TraceState().FromRaw(drawText.Draw(t, "state"))
	s.SetKind(ptrace.SpanKind(rapid.Int32Range(-1, 7).Draw(t, "kind")))
	s.SetStartTimestamp(pcommon.Timestamp(drawTime.Draw(t, "start")))
	s.SetEndTimestamp(pcommon.Timestamp(drawTime.Draw(t, "end")))
	s.SetFlags(rapid.Uint32().Draw(t, "flags"))
	s.Status().SetCode(ptrace.StatusCode(rapid.Int32Range(0, 3).Draw(t, "code")))
	s.Status().SetMessage(drawText.Draw(t, "message"))
	s.SetDroppedAttributesCount(rapid.Uint32().Draw(t, "dropped"))
	s.SetDroppedEventsCount(rapid.Uint32().Draw(t, "dropped"))
	s.SetDroppedLinksCount(rapid.Uint32().Draw(t, "dropped"))
	drawMap(t, s.Attributes(), 4)
	for range rapid.IntRange(0, 2).Draw(t, "events") {
		e := s.Events().AppendEmpty()
		e.SetTimestamp(pcommon.Timestamp(drawTime.Draw(t, "time")))
		e.SetName(drawText.Draw(t, "name"))
		e.SetDroppedAttributesCount(rapid.Uint32().Draw(t, "dropped"))
		drawMap(t, e.Attributes(), 2)
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID(drawID(t, 16)))
		l.SetSpanID(drawSpanID(t))
		l.TraceState().FromRaw(drawText.Draw(t, "state"))
		l.SetFlags(rapid.Uint32().Draw(t, "flags"))
		l.SetDroppedAttributesCount(rapid.Uint32().Draw(t, "dropped"))
		drawMap(t, l.Attributes(), 2)
	}
}

func drawID(t *rapid.T, n int) (id [16]byte) {
	if rapid.IntRange(0, 5).Draw(t, "empty") > 0 {
		copy(id[:n], rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "id"))
	}
	return id
}

func drawMap(t *rapid.T, m pcommon.Map, most int) {
	for range rapid.IntRange(0, most).Draw(t, "attributes") {
		drawValue(t, m.PutEmpty(drawKey.Draw(t, "key")), 3)
	}
}

func drawValue(t *rapid.T, v pcommon.Value, depth int) {
	most := 6
	if depth == 0 {
		most = 4
	}
	switch rapid.IntRange(-1, most).Draw(t, "type") {
	case 0:
		v.SetStr(drawText.Draw(t, "text"))
	case 1:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case 2:
		v.SetDouble(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0.912, math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -0.5})).Draw(t, "double"))
	case 3:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case 4:
		v.SetEmptyBytes().FromRaw(rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes"))
	case 5:
		s := v.SetEmptySlice()
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			drawValue(t, s.AppendEmpty(), depth-1)
		}
	case 6:
		m := v.SetEmptyMap()
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			drawValue(t, m.PutEmpty(drawKey.Draw(t, "key")), depth-1)
		}
	}
}

// drawLogs makes any logs that pdata can hold and the tables can keep.
func drawLogs(t *rapid.T) plog.Logs {
	ld := plog.NewLogs()
	for range rapid.IntRange(0, 2).Draw(t, "resources") {
		rl := ld.ResourceLogs().AppendEmpty()
		drawMap(t, rl.Resource().Attributes(), 3)
		rl.SetSchemaUrl(drawText.Draw(t, "schema"))
		for range rapid.IntRange(0, 2).Draw(t, "scopes") {
			sl := rl.ScopeLogs().AppendEmpty()
			drawScope(t, sl.Scope())
			for range rapid.IntRange(0, 3).Draw(t, "records") {
				r := sl.LogRecords().AppendEmpty()
				r.SetTimestamp(pcommon.Timestamp(drawTime.Draw(t, "time")))
				r.SetObservedTimestamp(pcommon.Timestamp(1 + drawTime.Draw(t, "observed")/2))
				r.SetTraceID(pcommon.TraceID(drawID(t, 16)))
				r.SetSpanID(drawSpanID(t))
				r.SetFlags(plog.LogRecordFlags(rapid.Uint32().Draw(t, "flags")))
				r.SetSeverityNumber(plog.SeverityNumber(rapid.Int32Range(0, 24).Draw(t, "severity")))
				r.SetSeverityText(drawText.Draw(t, "severity text"))
				r.SetEventName(drawText.Draw(t, "event"))
				drawValue(t, r.Body(), 3)
				drawMap(t, r.Attributes(), 3)
			}
		}
	}
	return ld
}

// shuffle writes a JSON document again with the members of every object in random
// order, and indented if pretty.
func shuffle(t tb, doc []byte, seed int64, pretty bool) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode %.80q: %v", doc, err)
	}
	var out bytes.Buffer
	writeShuffled(&out, v, rand.New(rand.NewSource(seed)), pretty, 0)
	return out.Bytes()
}

func writeShuffled(out *bytes.Buffer, v any, rnd *rand.Rand, pretty bool, depth int) {
	br := ""
	if pretty {
		br = "\n" + strings.Repeat("  ", depth+1)
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sortStrings(keys)
		rnd.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		out.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(br)
			writeShuffled(out, key, rnd, pretty, depth)
			out.WriteString(":")
			writeShuffled(out, v[key], rnd, pretty, depth+1)
		}
		out.WriteString(br[:max(0, len(br)-2)] + "}")
	case []any:
		out.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(br)
			writeShuffled(out, e, rnd, pretty, depth+1)
		}
		out.WriteString(br[:max(0, len(br)-2)] + "]")
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		out.Write(text)
	}
}

var zstdWriter = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<17))
	if err != nil {
		panic(err)
	}
	return w
}()

func zstdOf(data []byte) []byte { return zstdWriter.EncodeAll(data, nil) }

func drawSpanID(t *rapid.T) pcommon.SpanID {
	id := drawID(t, 8)
	return pcommon.SpanID(id[:8])
}

// idSpellings writes an id in every form that is read.
func idSpellings(id []byte) []string {
	text := hex.EncodeToString(id)
	raw, err := base64.StdEncoding.DecodeString(text) // what a base64 decoder makes of hex
	if err != nil {
		panic(err)
	}
	spellings := []string{
		text, strings.ToUpper(text), "0x" + text, base64.StdEncoding.EncodeToString(id), base64.URLEncoding.EncodeToString(id),
		base64.StdEncoding.EncodeToString([]byte(text)), hex.EncodeToString(raw),
	}
	// Without padding, base64 of hex digits of one case alone, or of 0x and hex digits,
	// is hex to any reader.
	bare := base64.RawStdEncoding.EncodeToString(id)
	digits := strings.TrimPrefix(strings.TrimPrefix(bare, "0x"), "0X")
	if !isHex([]byte(digits)) || len(digits) == len(bare) && mixedCase([]byte(bare)) {
		spellings = append(spellings, bare)
	}
	return spellings
}
