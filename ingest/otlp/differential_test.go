package otlp

import (
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

func sortStrings(s []string) { slices.Sort(s) }

// oracleTraces turns traces that pdata decoded into rows, span by span.
func oracleTraces(td ptrace.Traces) result {
	r := result{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoderWith(r.set, r.account, "input", Options{KeepText: true})
	d.addTraces(td, table.Place{Source: "input"})
	r.stats = d.Stats()
	return r
}

func oracleLogs(ld plog.Logs) result {
	r := result{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoderWith(r.set, r.account, "input", Options{KeepText: true})
	d.addLogs(ld, table.Place{Source: "input"})
	r.stats = d.Stats()
	return r
}

// Whatever pdata can write comes back as the same rows from JSON in any order of
// members and any layout, and from protobuf in every framing.
func TestTracesAgreeWithPdata(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		td := drawTraces(rt)
		doc, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			rt.Fatal(err)
		}
		msg, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			rt.Fatal(err)
		}
		want := oracleTraces(td)
		if want.stats.BadSpans > 0 {
			rt.Fatalf("the oracle refuses %d spans", want.stats.BadSpans)
		}
		agree(rt, want, doc, msg, rapid.Int64().Draw(rt, "seed"))
	})
}

func TestLogsAgreeWithPdata(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ld := drawLogs(rt)
		doc, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
		if err != nil {
			rt.Fatal(err)
		}
		msg, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
		if err != nil {
			rt.Fatal(err)
		}
		agree(rt, oracleLogs(ld), doc, msg, rapid.Int64().Draw(rt, "seed"))
	})
}

func agree(t tb, want result, doc, msg []byte, seed int64) {
	t.Helper()
	rows := want.rows()
	if len(doc) > 2 { // {} shows no signal
		diff(t, "JSON", rows, readAs(t, doc, JSON).rows())
		diff(t, "JSON line", rows, read(t, append(doc, '\n')).rows())
		diff(t, "shuffled", rows, readAs(t, shuffle(t, doc, seed, false), JSON).rows())
		diff(t, "shuffled and indented", rows, readAs(t, shuffle(t, doc, seed+1, true), JSON).rows())
		diff(t, "framed JSON", rows, readAs(t, frameOf(doc), FramedJSON).rows())
		diff(t, "framed zstd JSON", rows, readAs(t, frameOf(zstdOf(doc)), ZstdFramedJSON).rows())
	}
	if len(msg) > 0 {
		diff(t, "protobuf", rows, readAs(t, msg, Protobuf).rows())
		diff(t, "framed", rows, readAs(t, frameOf(msg), FramedProtobuf).rows())
		diff(t, "framed zstd", rows, readAs(t, frameOf(zstdOf(msg)), ZstdFramedProtobuf).rows())
	}
	if len(rows) > 0 {
		if got := Sniff(msg, true); got != Protobuf {
			t.Fatalf("protobuf was taken for %v", got)
		}
		if got := Sniff(frameOf(msg), true); got != FramedProtobuf {
			t.Fatalf("a frame was taken for %v", got)
		}
		salvaged := result{set: table.NewSet(), account: &table.Account{}}
		d := NewDecoderWith(salvaged.set, salvaged.account, "input", Options{KeepText: true})
		kind, _ := survey(msg)
		if !d.salvage(msg, kind, table.Place{Source: "input"}, false) {
			t.Fatal("the salvager could not follow a good message")
		}
		diff(t, "salvaged", rows, salvaged.rows())
	}
}
