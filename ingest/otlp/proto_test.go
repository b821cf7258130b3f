package otlp

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

func protoOf(t tb, td ptrace.Traces) []byte {
	t.Helper()
	msg, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

// badSpan breaks the message of one span so that pdata refuses all of it: the trace id
// of the span gets a wrong length.
func badSpan(t tb, n, k int) []byte {
	t.Helper()
	td := batch(n, 1)
	msg := protoOf(t, td)
	id := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(k).TraceID()
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(k).SpanID()
	whole := append([]byte{2<<3 | wireBytes, 8}, span[:]...)
	whole = append(whole, 1<<3|wireBytes, 16)
	whole = append(whole, id[:]...)
	at := bytes.Index(msg, whole)
	if at < 0 {
		t.Fatal("the span is not in the message")
	}
	// A length of 15 makes the last byte of the id a field of its own: 0x00 is no tag.
	msg[at+11] = 15
	msg[at+27] = 0
	return msg
}

// One bad span costs itself only, wherever it stands.
func TestSalvage(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "spans")
		k := rapid.IntRange(0, n-1).Draw(rt, "bad")
		msg := badSpan(rt, n, k)
		if _, err := traceReader.UnmarshalTraces(msg); err == nil {
			rt.Fatal("pdata takes the message, which makes this test void")
		}
		td := batch(n, 1)
		spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		i := -1
		spans.RemoveIf(func(ptrace.Span) bool { i++; return i == k })
		want := oracleTraces(td).rows()
		for _, form := range []Form{Protobuf, FramedProtobuf} {
			data := msg
			if form == FramedProtobuf {
				data = frameOf(msg)
			}
			got := readAs(rt, data, form)
			diff(rt, "rows", want, got.rows())
			diff(rt, "issues", []string{"otlp-bad-span=1"}, got.issues())
			if e := got.account.Entries()[0]; !strings.Contains(e.Detail, "record ") || e.First.Line != 0 {
				rt.Fatalf("%+v", e)
			}
		}
	})
}

func TestTimesBeyondInt64InProtobuf(t *testing.T) {
	td := batch(3, 1)
	s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	s.At(1).SetEndTimestamp(math.MaxUint64)
	s.At(2).Events().AppendEmpty().SetTimestamp(1 << 63)
	got := read(t, protoOf(t, td))
	diff(t, "issues", []string{"otlp-bad-part=1", "otlp-bad-span=1"}, got.issues())
	if got.stats.Spans != 2 || got.set.SpanEvents.Len() != 0 {
		t.Errorf("%+v, %d events", got.stats, got.set.SpanEvents.Len())
	}
}

// A message that is cut anywhere keeps the records in front of the cut, and says so.
func TestTornMessages(t *testing.T) {
	first, second := protoOf(t, batch(2, 1)), protoOf(t, batch(4, 2))
	for cut := 1; cut < len(second); cut += 7 {
		for _, form := range []Form{Protobuf, FramedProtobuf, ZstdFramedProtobuf} {
			data, rest := append([]byte{}, first...), second[:cut]
			switch form {
			case FramedProtobuf:
				data, rest = frameOf(first), frameOf(second)[:4+cut]
			case ZstdFramedProtobuf:
				data, rest = frameOf(zstdOf(first)), frameOf(zstdOf(second))
				rest = rest[:len(rest)*cut/len(second)]
			}
			got := readAs(t, append(data, rest...), form)
			if got.stats.Spans < 2 || got.stats.BadSpans > 0 || got.account.Count(CutLast.ID) != 1 && len(rest) > 0 {
				t.Fatalf("%v cut at %d: %+v, issues %v", form, cut, got.stats, got.issues())
			}
		}
	}
	got := readAs(t, append(frameOf(first), frameOf(second)[:len(second)-10]...), FramedProtobuf)
	if got.stats.Spans <= 2 {
		t.Errorf("nothing was kept of the torn frame: %+v", got.stats)
	}
}

// A collector that is killed inside a frame and appends after its restart costs one frame.
func TestFramesAfterATornOne(t *testing.T) {
	for _, compress := range []func([]byte) []byte{zstdOf, bytes.Clone} {
		var data []byte
		for i := range 6 {
			frame := frameOf(compress(protoOf(t, batch(3, i))))
			if i == 2 {
				frame = frame[:len(frame)/2]
			}
			data = append(data, frame...)
		}
		got := read(t, data)
		// The length of the torn frame may swallow the start of the one behind it, but
		// reading finds that one inside.
		if got.stats.Spans < 15 || got.account.Count(BadDocument.ID) != 1 {
			t.Errorf("%+v, issues %v", got.stats, got.issues())
		}
	}
	got := read(t, append(frameOf(protoOf(t, batch(1, 1))), append([]byte{0xff, 0xff, 0xff, 0xff, 9, 9, 9}, frameOf(zstdOf(protoOf(t, batch(2, 2))))...)...))
	if got.stats.Spans != 3 || got.account.Count(BadDocument.ID) != 1 {
		t.Errorf("absurd length: %+v, issues %v", got.stats, got.issues())
	}
}

func TestSignalsAreToldApart(t *testing.T) {
	ld := plog.NewLogs()
	r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.SetTimestamp(1787227200000000000)
	r.Body().SetStr("started")
	r.SetSeverityNumber(9)
	logMsg, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	if err != nil {
		t.Fatal(err)
	}
	md := pmetric.NewMetrics()
	ms := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for i, name := range []string{"vllm:num_requests_waiting", "requests", "latency", "sizes", "old"} {
		m := ms.AppendEmpty()
		m.SetName(name)
		at := pcommon.Timestamp(1787227200000000000)
		switch i {
		case 0:
			m.SetEmptyGauge().DataPoints().AppendEmpty().SetTimestamp(at)
		case 1:
			m.SetEmptySum().DataPoints().AppendEmpty().SetTimestamp(at)
		case 2:
			m.SetEmptyHistogram().DataPoints().AppendEmpty().SetTimestamp(at)
		case 3:
			m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty().SetTimestamp(at)
		case 4:
			m.SetEmptySummary().DataPoints().AppendEmpty().SetTimestamp(at)
		}
	}
	metricMsg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ms.Len() {
		one := pmetric.NewMetrics()
		ms.At(i).CopyTo(one.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty())
		msg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(one)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _ := survey(msg); kind != metrics {
			t.Errorf("metric %s was taken for %d", ms.At(i).Name(), kind)
		}
	}
	traceMsg := protoOf(t, batch(2, 1))
	data := append(append(frameOf(traceMsg), frameOf(metricMsg)...), frameOf(logMsg)...)
	got := read(t, append(data, frameOf([]byte("\x7a\x03abc"))...))
	if got.stats.Spans != 2 || got.stats.Logs != 1 || got.stats.Other != 1 || got.stats.Unknown != 1 {
		t.Errorf("mixed frames: %+v", got.stats)
	}
	diff(t, "issues", []string{"otlp-empty-point=1", "otlp-other-signal=1", "otlp-unknown-document=1", "otlp-unknown-metric=4"}, got.issues())
	for _, msg := range [][]byte{traceMsg, logMsg, metricMsg} {
		if got := Sniff(msg, true); got != Protobuf {
			t.Errorf("a message was taken for %v", got)
		}
	}
	for _, text := range []string{"hello world, this is a log line\n", "\nGET / HTTP/1.1 200\n", "\x00\x01\x02\x03\x04\x05\x06\x07", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", strings.Repeat("\x00", 100)} {
		if got := Sniff([]byte(text), true); got != Unknown {
			t.Errorf("%.20q was taken for %v", text, got)
		}
	}
}

// Spans under the name that scopes had before are read, although pdata passes them over.
func TestDeprecatedScopeField(t *testing.T) {
	span := appendField(nil, 1, bytes.Repeat([]byte{7}, 16))
	span = appendField(span, 2, bytes.Repeat([]byte{9}, 8))
	msg := appendField(nil, 1, appendField(appendField(nil, 1, nil), deprecatedScopes, appendField(nil, 2, span)))
	got := read(t, msg)
	if got.stats.Spans != 1 || got.set.Spans.SpanID[0] != (table.SpanID{9, 9, 9, 9, 9, 9, 9, 9}) {
		t.Errorf("%+v", got.stats)
	}
}
