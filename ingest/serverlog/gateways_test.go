package serverlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/template"
	"github.com/tailpath/tailpath/ingest/table"
)

// spelled spells the spans that come of a log, one a line: the line of the log, start,
// duration, and the parts in their order, each with its duration, what it is, how sure
// that is and the bound of its error. The last line counts the lines.
func spelled(t *testing.T, data []byte, opt Options) string {
	t.Helper()
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", opt)
	if err := d.Read(bytes.NewReader(data), Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	part := 0
	for i := range set.Spans.Len() {
		s := &set.Spans
		fmt.Fprintf(&b, "%d %s %s", s.Line[i], instant(s.Start[i], s.Clock[i]), time.Duration(s.End[i]-s.Start[i]))
		at := s.Start[i]
		for p := &set.Parts; part < p.Len() && int(p.SpanRow[part]) == i; part++ {
			if p.Start[part] != at {
				t.Errorf("line %d: a part begins at %d and the one before it ended at %d", s.Line[i], p.Start[part], at)
			}
			at = p.End[part]
			fmt.Fprintf(&b, "; %s %s/%s %s", time.Duration(p.End[part]-p.Start[part]),
				table.StageNames[p.Stage[part]], set.Symbols.Text(p.Detail[part]), table.ConfidenceNames[p.Confidence[part]])
			if p.Error[part] != 0 {
				fmt.Fprintf(&b, " ±%s", time.Duration(p.Error[part]))
			}
		}
		b.WriteByte('\n')
	}
	stats := d.Stats()
	fmt.Fprintf(&b, "lines %d used %d", stats.Lines, stats.Used)
	for _, u := range stats.Unused {
		fmt.Fprintf(&b, ", %s %d", u.Why, u.Count)
	}
	b.WriteByte('\n')
	return b.String()
}

// TestGatewayCorpus asserts every interval that the gateways' sample logs tell.
func TestGatewayCorpus(t *testing.T) {
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	const golden = "testdata/gateways.intervals"
	var b strings.Builder
	for _, name := range []string{
		"servers/nginx-access.log", "servers/envoy-access.log", "servers/envoy-access.jsonl", "servers/istio-access.log",
		"servers/haproxy.log", "servers/traefik-access.jsonl", "servers/traefik-access-clf.log",
		"servers/kong-log-serializer.jsonl", "servers/kong-access.log", "servers/aws-alb.log",
		"real/aws_alb.log", "real/envoy_gateway_cri.log", "real/haproxy_httplog.log",
	} {
		data := read(t, filepath.Join(root, "cases", name))
		fmt.Fprintf(&b, "=== %s\n%s", name, spelled(t, []byte(data), Options{}))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, golden), b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestGatewayFormatFile reads a log by the log_format that came with it.
func TestGatewayFormatFile(t *testing.T) {
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	log := []byte(read(t, filepath.Join(root, "cases/servers/nginx-access.log")))
	given := read(t, filepath.Join(root, "cases/servers/nginx-access.format"))
	if diff := cmp.Diff(spelled(t, log, Options{}), spelled(t, log, Options{Format: parsed(t, given)})); diff != "" {
		t.Errorf("-built-in +template\n%s", diff)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parsed(t *testing.T, text string) *format.Format {
	t.Helper()
	d, err := template.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTemplatesAgree reads logs once by the built-in format and once by the format
// string of the program, which must tell the same.
func TestTemplatesAgree(t *testing.T) {
	for _, c := range []struct{ log, text string }{
		{"haproxy/httplog", `log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r"`},
		{"envoy/default", `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`},
		{"nginx-apm/request", `"$time_local" client=$remote_addr method=$request_method request="$request" request_length=$request_length status=$status bytes_sent=$bytes_sent body_bytes_sent=$body_bytes_sent referer=$http_referer user_agent="$http_user_agent" upstream_addr=$upstream_addr upstream_status=$upstream_status request_time=$request_time upstream_response_time=$upstream_response_time upstream_connect_time=$upstream_connect_time upstream_header_time=$upstream_header_time`},
	} {
		t.Run(c.log, func(t *testing.T) {
			data := []byte(read(t, "testdata/"+c.log+".log"))
			own, given := spelled(t, data, Options{}), spelled(t, data, Options{Format: parsed(t, c.text)})
			// Lines that are in no such format, and what a program writes besides, count under
			// other names.
			cut := func(s string) string { return s[:strings.LastIndex(s, "lines ")] }
			var kept []string
			for _, l := range strings.SplitAfter(cut(own), "\n") {
				if c.log != "envoy/default" || !strings.HasPrefix(l, "5 ") {
					kept = append(kept, l)
				}
			}
			if diff := cmp.Diff(strings.Join(kept, ""), cut(given)); diff != "" {
				t.Errorf("-built-in +template\n%s", diff)
			}
		})
	}
}

// TestUnusable says what is told of logs that are known and hold no latency.
func TestUnusable(t *testing.T) {
	for _, c := range []struct{ log, what, instead string }{
		{"access-untimed/combined", "an nginx or Apache access log in a format without any duration", "$request_time"},
		{"kong-access/access", "Kong's access log, which holds no duration", "file-log"},
	} {
		d := Detect([]byte(read(t, "testdata/"+c.log+".log")), Builtin())
		if d.Unusable == nil || d.Unusable.What != c.what || !strings.Contains(d.Unusable.Instead, c.instead) {
			t.Errorf("%s: %+v", c.log, d)
		}
	}
}

// partsOf reads one line and returns its span and the durations of its parts in ms, by
// stage and detail.
func partsOf(t *rapid.T, line string) (total int64, parts map[string]int64, issues []string) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", Options{Zone: func(string, string) *time.Location { return time.UTC }})
	if err := d.Read(strings.NewReader(line+"\n"), Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	if set.Spans.Len() != 1 {
		t.Fatalf("%d spans of %q", set.Spans.Len(), line)
	}
	at := set.Spans.Start[0]
	parts = map[string]int64{}
	p := &set.Parts
	for i := range p.Len() {
		if p.Start[i] != at || p.End[i] <= at {
			t.Fatalf("%q: part %d is [%d, %d) and the one before it ended at %d", line, i, p.Start[i], p.End[i], at)
		}
		parts[table.StageNames[p.Stage[i]]+"/"+set.Symbols.Text(p.Detail[i])] += (p.End[i] - at) / 1e6
		at = p.End[i]
	}
	if p.Len() > 0 && at != set.Spans.End[0] {
		t.Fatalf("%q: the parts end at %d and the span at %d", line, at, set.Spans.End[0])
	}
	for _, e := range account.Entries() {
		issues = append(issues, e.ID)
	}
	return (set.Spans.End[0] - set.Spans.Start[0]) / 1e6, parts, issues
}

// TestHAProxyTimers makes lines of any timers that go together: every timer comes out
// as it went in.
func TestHAProxyTimers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timer := rapid.Int64Range(0, 100_000)
		tr, tw, tc, resp, td := timer.Draw(t, "TR"), timer.Draw(t, "Tw"), timer.Draw(t, "Tc"), timer.Draw(t, "Tr"), timer.Draw(t, "Td")
		ta := tr + tw + tc + resp + td
		line := fmt.Sprintf(`192.0.2.10:40001 [20/Aug/2026:09:30:00.101] fe be/s %d/%d/%d/%d/%d 200 1 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`, tr, tw, tc, resp, ta)
		want := map[string]int64{"network/upload": tr, "queue/admission": tw, "network/connect": tc, "unattributed/upstream": resp, "unattributed/upstream response": td}
		for name, ms := range want {
			if ms == 0 {
				delete(want, name)
			}
		}
		total, got, issues := partsOf(t, line)
		if diff := cmp.Diff(want, got); total != ta || diff != "" || len(issues) > 0 {
			t.Fatalf("%q: %d ms, issues %v\n%s", line, total, issues, diff)
		}
	})
}

// TestNginxAttempts makes lines of any number of attempts, some of which reached no
// server: the attempts and what nginx took besides add up to the whole.
func TestNginxAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var uct, uht, urt strings.Builder
		want := map[string]int64{}
		var sum int64
		seconds := func(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }
		for i := range rapid.IntRange(1, 5).Draw(t, "attempts") {
			if i > 0 {
				between := rapid.SampledFrom([]string{", ", " : "}).Draw(t, "between")
				uct.WriteString(between)
				uht.WriteString(between)
				urt.WriteString(between)
			}
			ms := rapid.Int64Range(0, 9000)
			connect, head, body := ms.Draw(t, "connect"), ms.Draw(t, "head"), ms.Draw(t, "body")
			reached := rapid.IntRange(0, 3).Draw(t, "reached")
			texts := [3]string{seconds(connect), seconds(connect + head), seconds(connect + head + body)}
			for j := range texts {
				if j >= reached && j < 2 || reached == 0 {
					texts[j] = "-"
				}
			}
			uct.WriteString(texts[0])
			uht.WriteString(texts[1])
			urt.WriteString(texts[2])
			if reached == 0 {
				continue
			}
			sum += connect + head + body
			want["network/connect"] += connect
			want["unattributed/upstream"] += head
			if reached > 1 {
				want["unattributed/upstream response"] += body
			} else {
				want["unattributed/upstream"] += body
			}
		}
		own := rapid.Int64Range(0, 500).Draw(t, "own")
		want["gateway/nginx"] = own
		for name, ms := range want {
			if ms == 0 {
				delete(want, name)
			}
		}
		line := fmt.Sprintf(`192.0.2.10 - - [20/Aug/2026:09:30:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-" rt=%s uct=%s uht=%s urt=%s ua=- us=- msec=1787218200.512`, seconds(sum+own), &uct, &uht, &urt)
		total, got, issues := partsOf(t, line)
		if diff := cmp.Diff(want, got); total != sum+own || diff != "" || len(issues) > 0 {
			t.Fatalf("%q: %d ms, issues %v\n%s", line, total, issues, diff)
		}
	})
}

// TestEnvoyMilestones makes lines of any milestones in their order, and of the same ones
// as a format with COMMON_DURATION tells them.
func TestEnvoyMilestones(t *testing.T) {
	common := parsed(t, `%START_TIME% %COMMON_DURATION(DS_RX_BEG:DS_RX_END:us)% %COMMON_DURATION(DS_RX_END:US_TX_END:ns)% %COMMON_DURATION(US_RX_BEG:DS_TX_END:ms)% %DURATION%`)
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 100_000)
		upload, own, wait, body := ms.Draw(t, "upload"), ms.Draw(t, "own"), ms.Draw(t, "wait"), ms.Draw(t, "body")
		all := upload + own + wait + body
		want := map[string]int64{"network/upload": upload, "gateway/envoy": own, "unattributed/upstream": wait, "unattributed/upstream response": body}
		for name, ms := range want {
			if ms == 0 {
				delete(want, name)
			}
		}
		line := fmt.Sprintf(`{"start_time":"2026-08-20T07:30:00.101Z","response_code":200,"bytes_sent":1,"upstream_host":"192.0.2.50:80","duration":%d,"request_duration":%d,"request_tx_duration":%d,"response_duration":%d}`, all, upload, upload+own, upload+own+wait)
		total, got, issues := partsOf(t, line)
		if diff := cmp.Diff(want, got); total != all || diff != "" || len(issues) > 0 {
			t.Fatalf("%q: %d ms, issues %v\n%s", line, total, issues, diff)
		}
		text := fmt.Sprintf("2026-08-20T07:30:00.101Z %d %d %d %d", upload*1000, own*1_000_000, body, all)
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "log", Options{Format: common})
		if err := d.Read(strings.NewReader(text), Start{Line: 1}); err != nil || set.Spans.Len() != 1 || set.Spans.End[0]-set.Spans.Start[0] != all*1_000_000 {
			t.Fatalf("%q: %v, %d spans", text, err, set.Spans.Len())
		}
		sums := map[string]int64{}
		for i := range set.Parts.Len() {
			sums[table.StageNames[set.Parts.Stage[i]]+"/"+set.Symbols.Text(set.Parts.Detail[i])] += (set.Parts.End[i] - set.Parts.Start[i]) / 1e6
		}
		if diff := cmp.Diff(want, sums); diff != "" {
			t.Fatalf("%q\n%s", text, diff)
		}
	})
}
