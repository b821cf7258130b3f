package serverlog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// attribute returns the text of an attribute of a span, "" if there is none.
func attribute(set *table.Set, span int, name string) string {
	key, ok := set.Symbols.Lookup(name)
	if !ok {
		return ""
	}
	v, _ := set.Spans.Attributes.Get(span, key)
	return string(v.Text)
}

// TestHAProxyCaptures makes lines with headers captured of the request and of the
// response, up to four of each in any order: a traceparent gives the trace id, a value
// that is an id and nothing else the request id, and no host or user agent gives any.
func TestHAProxyCaptures(t *testing.T) {
	const (
		trace  = "0af7651916cd43dd8448eb211c80319c"
		parent = "00-" + trace + "-b7ad6b7169203331-01"
		uuid   = "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90"
		digits = "7d1c0a5e9b7f4f0b8a6c2d3e4f506172"
	)
	others := []string{
		"", "-", "llm.example", "llm.example:8443", "curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64) a/b", "10.0.0.1, 10.0.0.2",
		uuid + ".llm.example", digits + ".example", digits + ":8000", "agent " + uuid, uuid + " (x)", digits + "00", digits[1:], "{" + uuid + "#7D",
		"00-" + trace + "-b7ad6b7169203331", "01-" + trace, "a #22quoted#22 text", "deadbeef", "2026-08-20", strings.Repeat("a", 300),
	}
	value := rapid.SampledFrom(append([]string{parent, uuid, digits}, others[:]...))
	rapid.Check(t, func(t *rapid.T) {
		blocks, wantID, wantTrace := "", "", ""
		for range rapid.IntRange(0, 2).Draw(t, "blocks") {
			values := rapid.SliceOfN(value, 1, 4).Draw(t, "values")
			for i, v := range values {
				v = strings.TrimPrefix(v, "{")
				values[i] = v
				switch {
				case v == parent && wantTrace == "":
					wantTrace = trace
				case (v == uuid || v == digits) && wantID == "":
					wantID = v
				}
			}
			blocks += "{" + strings.Join(values, "|") + "} "
		}
		flags := rapid.SampledFrom([]string{"----", "sQ--", "SC--", "sH--", "LR--", "CD--"}).Draw(t, "flags")
		line := fmt.Sprintf(`192.0.2.10:40001 [20/Aug/2026:09:30:00.101] fe be/s 0/1/1/1/9 503 1 - - %s 1/1/1/1/0 0/0 %s"GET /v1 HTTP/1.1"`, flags, blocks)
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "log", Options{Zone: func(string, string) *time.Location { return time.UTC }})
		if err := d.Read(strings.NewReader(line+"\n"), Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		if set.Spans.Len() != 1 || set.Symbols.Text(set.Spans.Route[0]) != "/v1" {
			t.Fatalf("%d spans of %q", set.Spans.Len(), line)
		}
		if got := set.Spans.RequestID[0]; got != wantID {
			t.Fatalf("the request id is %q, want %q\n%s", got, wantID, line)
		}
		if got := attribute(set, 0, "trace_id"); got != wantTrace {
			t.Fatalf("the trace id is %q, want %q\n%s", got, wantTrace, line)
		}
		if got := attribute(set, 0, "parent_id"); (got == "b7ad6b7169203331") != (wantTrace != "") {
			t.Fatalf("the parent is %q\n%s", got, line)
		}
		for i := range set.Symbols.Len() {
			if text := set.Symbols.Text(table.Sym(i)); strings.Contains(text, "example") || strings.Contains(text, "Mozilla") {
				t.Fatalf("%q is stored of %q", text, line)
			}
		}
	})
}

// TestHAProxyCapturesByHand spells the blocks that people have.
func TestHAProxyCapturesByHand(t *testing.T) {
	const parent, id = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90"
	for _, c := range []struct {
		blocks, id string
		traced     bool
	}{
		{"", "", false}, {"{} ", "", false}, {"{|} {} ", "", false},
		{"{" + parent + "|" + id + "} ", id, true}, {"{" + id + "|" + parent + "} ", id, true}, {"{" + parent + "} ", "", true},
		{"{" + id + "} ", id, false}, {"{llm.example|" + id + "|curl/8|" + parent + "} ", id, true},
		{"{llm.example} {" + id + "} ", id, false}, {"{" + id + "} {11111111-1111-1111-1111-111111111111} ", id, false},
		{"{llm.example|curl/8.5.0} {} ", "", false}, {"{a|b|c|d|e|f|" + id + "} ", id, false},
	} {
		line := `10.0.3.16:52000 [20/Aug/2026:12:00:09.500] f b/s 0/0/1/411/+412 200 +210 - - ---- 3/3/2/1/+1 0/0 ` + c.blocks + `"POST /v1 HTTP/1.1"`
		set, _ := readAll(t, []byte(line+"\n"))
		if set.Spans.Len() != 1 || set.Spans.RequestID[0] != c.id || (attribute(set, 0, "trace_id") != "") != c.traced {
			t.Errorf("%q: %d spans, id %q, trace %q", c.blocks, set.Spans.Len(), set.Spans.RequestID[0], attribute(set, 0, "trace_id"))
		}
	}
}

// TestEnvoyPool makes lines of any wait for a connection, which may have begun before the
// upload was over: the built-in format and a given one place it without contradiction,
// and what it is longer than the time behind the upload is no part.
func TestEnvoyPool(t *testing.T) {
	given := parsed(t, `%START_TIME% %REQUEST_DURATION% %UPSTREAM_CONNECTION_POOL_READY_DURATION% %REQUEST_TX_DURATION% %RESPONSE_DURATION% %DURATION%`)
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 100_000)
		upload, behind, wait, body := ms.Draw(t, "upload"), ms.Draw(t, "behind"), ms.Draw(t, "wait"), ms.Draw(t, "body")
		sent := upload + behind
		pool := rapid.Int64Range(0, sent).Draw(t, "pool")
		all := sent + wait + body
		queue := min(pool, behind)
		want := map[string]int64{"network/upload": upload, "gateway/envoy": behind - queue, "queue/admission": queue, "unattributed/upstream": wait, "unattributed/upstream response": body}
		for name, ms := range want {
			if ms == 0 {
				delete(want, name)
			}
		}
		object := fmt.Sprintf(`{"start_time":"2026-08-20T07:30:00.101Z","response_code":200,"bytes_sent":1,"upstream_host":"192.0.2.50:80","duration":%d,"request_duration":%d,"upstream_connection_pool_ready_duration":%d,"request_tx_duration":%d,"response_duration":%d}`, all, upload, pool, sent, sent+wait)
		text := fmt.Sprintf("2026-08-20T07:30:00.101Z %d %d %d %d %d", upload, pool, sent, sent+wait, all)
		for _, c := range []struct {
			line string
			opt  Options
		}{{object, Options{}}, {text, Options{Format: given}}} {
			set, account := table.NewSet(), &table.Account{}
			d := NewDecoder(set, account, "log", c.opt)
			if err := d.Read(strings.NewReader(c.line+"\n"), Start{Line: 1}); err != nil || set.Spans.Len() != 1 {
				t.Fatalf("%q: %v, %d spans", c.line, err, set.Spans.Len())
			}
			if e := account.Entries(); len(e) > 0 {
				t.Fatalf("%q: %+v", c.line, e)
			}
			got := map[string]int64{}
			for i := range set.Parts.Len() {
				name := table.StageNames[set.Parts.Stage[i]] + "/" + set.Symbols.Text(set.Parts.Detail[i])
				got[name] += (set.Parts.End[i] - set.Parts.Start[i]) / 1e6
				if off := (sent - pool) * 1e6; name == "queue/admission" && set.Parts.Error[i] != max(off, 1e6) {
					t.Fatalf("%q: the wait is said to be off by %d ns, want %d", c.line, set.Parts.Error[i], off)
				}
			}
			if diff := near(want, got, 0); diff != "" {
				t.Fatalf("%q\n%s", c.line, diff)
			}
			want = map[string]int64{"network/upload": upload, "gateway/envoy": behind - queue, "queue/admission": queue, "unattributed/upstream": wait, "unattributed/upstream response": body}
		}
	})
}
