package critical

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// recorded is a part of a record's span, relative to its start.
type recorded struct {
	start, end int64
	stage      stage.Stage
	detail     string
	confidence Confidence
	err        int64
}

// addRecord adds the span of one record and its parts.
func addRecord(set *table.Set, start, end, ttft int64, parts ...recorded) {
	if set.Scopes.Len() == 0 {
		row := set.Scopes.Grow()
		set.Scopes.Scope[row], set.Scopes.Service[row] = set.Symbols.Intern("haproxy"), set.Symbols.Intern("haproxy")
	}
	i := set.Spans.Grow()
	set.Spans.TraceID[i], set.Spans.SpanID[i] = table.RecordIDs("a.log", int64(i), 0)
	set.Spans.Kind[i], set.Spans.Origin[i] = kindServer, table.OriginRecord
	set.Spans.Name[i], set.Spans.Source[i] = set.Symbols.Intern("haproxy.request"), set.Symbols.Intern("a.log")
	set.Spans.Start[i], set.Spans.End[i], set.Spans.Line[i] = start, end, int64(i+1)
	if ttft != 0 {
		set.Spans.TTFT[i] = ttft
	}
	for _, p := range parts {
		k := set.Parts.Grow()
		set.Parts.SpanRow[k], set.Parts.Start[k], set.Parts.End[k] = int32(i), start+p.start, start+p.end
		set.Parts.Stage[k], set.Parts.Detail[k] = uint8(p.stage), set.Symbols.Intern(p.detail)
		set.Parts.Confidence[k], set.Parts.Error[k] = uint8(p.confidence), p.err
		set.Parts.Basis[k] = set.Symbols.Intern("field of " + p.detail)
	}
}

func buildRecords(t testing.TB, set *table.Set) (*Request, *table.Account) {
	t.Helper()
	set.Canonicalize()
	account := &table.Account{}
	var got *Request
	if err := NewBuilder(set, account, Options{}).BuildAnd(context.Background(), func(r *Request) { got = r }); err != nil {
		t.Fatal(err)
	}
	return got, account
}

func drawParts(set *table.Set, r *Request, path Path) string {
	var b strings.Builder
	for _, s := range path {
		fmt.Fprintf(&b, "%d-%d %s/%s %s ±%d %s\n", s.Start-r.Start, s.End-r.Start, s.Stage, s.Detail, s.Confidence, s.Error, s.Rule)
	}
	return b.String()
}

func TestPartsOfARecordBecomeSegments(t *testing.T) {
	set := table.NewSet()
	addRecord(set, 1000, 2000, 600,
		recorded{0, 10, stage.Network, "upload", Exact, 0},
		recorded{10, 400, stage.Queue, "admission", Exact, 0},
		recorded{450, 900, stage.GPU, "decode", Anchored, 7})
	r, _ := buildRecords(t, set)
	want := "0-10 network/upload exact ±0 recorded\n" +
		"10-400 queue/admission exact ±0 recorded\n" +
		"400-450 unattributed/not recorded residual ±0 record\n" +
		"450-900 gpu/decode anchored ±7 recorded\n" +
		"900-1000 unattributed/not recorded residual ±0 record\n"
	if got := drawParts(set, r, r.EndPath); got != want {
		t.Errorf("path is\n%swant\n%s", got, want)
	}
	if r.FirstToken != 1600 || r.Basis == "" {
		t.Errorf("first token at %d, by %q", r.FirstToken, r.Basis)
	}
}

// TestRecordWithoutPartsIsNotExplained: what stands in a log line for a whole request
// says nothing of where the time went, and is not taken for the server's own work.
func TestRecordWithoutPartsIsNotExplained(t *testing.T) {
	set := table.NewSet()
	addRecord(set, 1000, 2000, 0)
	r, _ := buildRecords(t, set)
	if got, want := drawParts(set, r, r.EndPath), "0-1000 unattributed/not recorded residual ±0 record\n"; got != want {
		t.Errorf("path is\n%swant\n%s", got, want)
	}
}

// TestPartsTile draws spans whose parts reach beyond them, or whose first token does:
// the path tiles the request all the same (Build checks it), and a first token that
// cannot be is counted.
func TestPartsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := table.NewSet()
		end := rapid.Int64Range(1, 1000).Draw(t, "end")
		var parts []recorded
		for at := rapid.Int64Range(-50, 50).Draw(t, "from"); len(parts) < 8 && at < 1100; {
			p := recorded{start: at, stage: stage.Stage(rapid.IntRange(0, stage.Count-1).Draw(t, "stage")), detail: "d"}
			p.end = at + rapid.Int64Range(0, 300).Draw(t, "length")
			at = p.end + rapid.Int64Range(0, 100).Draw(t, "gap")
			parts = append(parts, p)
		}
		ttft := rapid.Int64Range(-100, engineSlack+3000).Draw(t, "ttft")
		addRecord(set, 5000, 5000+end, ttft, parts...)
		set.Canonicalize()
		account := &table.Account{}
		if err := NewBuilder(set, account, Options{}).Build(context.Background()); err != nil {
			t.Fatal(err)
		}
		impossible := ttft < 0 || ttft > end+engineSlack
		if got := account.Count(issueEngineTime.ID); got != 0 != impossible {
			t.Fatalf("time to first token %d of %d: counted %d times", ttft, end, got)
		}
	})
}

func TestClockOfTheRootIsThatOfTheRequest(t *testing.T) {
	set := table.NewSet()
	addRecord(set, 1000, 2000, 0)
	set.Spans.Clock[0], set.Spans.Error[0], set.Spans.LengthError[0] = table.ClockSteady, 17, 3
	buildRecords(t, set)
	if q := &set.Requests; q.Clock[0] != table.ClockSteady || q.Resolution[0] != 17 || q.DurationError[0] != 3 {
		t.Errorf("clock %d, resolution %d, of the duration %d", q.Clock[0], q.Resolution[0], q.DurationError[0])
	}
}
