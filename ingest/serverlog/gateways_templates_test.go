package serverlog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestTemplateLines reads lines by format strings as people have them.
func TestTemplateLines(t *testing.T) {
	for _, c := range []struct{ name, format, log, want string }{
		{"nginx, a decoded path with blanks", `$msec $request_method $uri $status $request_time`, `1787227203.512 GET /a b c 200 2.750`,
			"1 2026-08-20T12:00:00.762Z 2.75s; 2.75s unattributed/upstream residual\nlines 1 used 1\n"},
		{"nginx, tabs as the configuration spells them", `$msec\t$request_time\t$upstream_response_time`, "1787227203.512\t2.750\t0.250, 2.000",
			"1 2026-08-20T12:00:00.762Z 2.75s; 500ms gateway/nginx residual; 250ms unattributed/upstream anchored ±500ms; 2s unattributed/upstream anchored ±500ms\nlines 1 used 1\n"},
		{"nginx, variables without a text between them", `$msec $scheme://$host$request_uri $http_a$http_b $request_time`, `1787227203.512 https://llm.example/v1/x?q=secret a b 2.750`,
			"1 2026-08-20T12:00:00.762Z 2.75s; 2.75s unattributed/upstream residual\nlines 1 used 1\n"},
		{"nginx, a client that was too slow", `$msec "$request" $status $request_time $upstream_response_time`, "1787227203.512 \"-\" 408 60.000 -",
			"1 2026-08-20T11:59:03.512Z 1m0s; 1m0s network/upload residual\nlines 1 used 1\n"},
		{"Envoy, a wait for a connection or none", `%START_TIME% %REQUEST_DURATION% %UPSTREAM_CONNECTION_POOL_READY_DURATION% %REQUEST_TX_DURATION% %RESPONSE_DURATION% %DURATION%`,
			"2026-08-20T12:00:00.101Z 5 400 410 1000 2750\n2026-08-20T12:00:00.101Z 5 - 10 1000 2750",
			"1 2026-08-20T12:00:00.101Z 2.75s; 5ms network/upload exact; 5ms gateway/envoy anchored ±10ms; 400ms queue/admission anchored ±10ms; 590ms unattributed/upstream exact; 1.75s unattributed/upstream response exact\n" +
				"2 2026-08-20T12:00:00.101Z 2.75s; 5ms network/upload exact; 5ms gateway/envoy exact; 990ms unattributed/upstream exact; 1.75s unattributed/upstream response exact\nlines 2 used 2\n"},
		{"Envoy, attempts before the last are not the gateway's", `{"t":"%START_TIME%","d":"%DURATION%","rx":"%REQUEST_DURATION%","tx":"%REQUEST_TX_DURATION%","rd":"%RESPONSE_DURATION%","n":"%UPSTREAM_REQUEST_ATTEMPT_COUNT%"}`,
			`{"t":"2026-08-20T12:00:00.101Z","d":2750,"rx":5,"tx":1005,"rd":1600,"n":3}` + "\n" + `{"t":"2026-08-20T12:00:00.101Z","d":2750,"rx":5,"tx":1005,"rd":1600,"n":1}`,
			"1 2026-08-20T12:00:00.101Z 2.75s; 5ms network/upload exact; 1s unattributed/upstream exact; 595ms unattributed/upstream exact; 1.15s unattributed/upstream response exact\n" +
				"2 2026-08-20T12:00:00.101Z 2.75s; 5ms network/upload exact; 1s gateway/envoy exact; 595ms unattributed/upstream exact; 1.15s unattributed/upstream response exact\nlines 2 used 2\n"},
		{"Envoy, an upload that is not told is not the server's", `%START_TIME% %REQUEST_TX_DURATION% %RESPONSE_DURATION% %DURATION%`, "2026-08-20T12:00:00.101Z 700 1000 2750",
			"1 2026-08-20T12:00:00.101Z 2.75s; 700ms unattributed/not recorded exact; 300ms unattributed/upstream exact; 1.75s unattributed/upstream response exact\nlines 1 used 1\n"},
		{"Envoy, a format in the quotes of YAML", `"{\"t\":\"%START_TIME%\",\"d\":\"%DURATION%\"}\n"`, `{"t":"2026-08-20T12:00:00.101Z","d":5}`,
			"1 2026-08-20T12:00:00.101Z 5ms; 5ms unattributed/upstream residual\nlines 1 used 1\n"},
		{"HAProxy, a JSON object", `log-format "%{+json}o %(time)tr %(ta)Ta %(tr)TR %(tw)Tw %(tc)Tc %(resp)Tr %(st)ST %(flags)tsc %(req)r"`,
			`{"time":"20/Aug/2026:12:00:00.101","ta":2750,"tr":1,"tw":12,"tc":1,"resp":602,"st":200,"flags":"----","req":"POST / HTTP/1.1"}` + "\n" +
				`{"time":"20/Aug/2026:12:00:00.101","ta":5000,"tr":1,"tw":4999,"tc":-1,"resp":-1,"st":503,"flags":"sQ--","req":"POST / HTTP/1.1"}`,
			"1 2026-08-20T12:00:00.101Z 2.75s; 1ms network/upload exact; 12ms queue/admission exact; 1ms network/connect exact; 602ms unattributed/upstream exact; 2.134s unattributed/upstream response exact\n" +
				"2 2026-08-20T12:00:00.101Z 5s; 1ms network/upload exact; 4.999s queue/admission exact\nlines 2 used 2\n"},
		{"HAProxy, timers as sample fetches", `log-format "%[request_date(ms)] %[req.timer.hdr]/%[req.timer.queue]/%[bc.timer.connect]/%[res.timer.hdr]/%[txn.timer.total] %[capture.req.method] %[capture.req.uri] %[capture.req.hdr(0)]"`,
			"1787227200101 1/12/1/602/2750 POST /v1/x a b",
			"1 2026-08-20T12:00:00.101Z 2.75s; 1ms network/upload exact; 12ms queue/admission exact; 1ms network/connect exact; 602ms unattributed/upstream exact; 2.134s unattributed/upstream response exact\nlines 1 used 1\n"},
		{"HAProxy, TCP mode", `%ci:%cp [%t] %ft %b/%s %Tw/%Tc/%Tt %B %ts`, "10.0.0.1:4000 [20/Aug/2026:12:00:00.101] fe be/s1 12/1/2750 9426 --",
			"1 2026-08-20T12:00:00.101Z 2.75s; 12ms queue/admission anchored ±2.737s; 1ms network/connect anchored ±2.737s; 2.737s unattributed/upstream residual\nlines 1 used 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, spelled(t, []byte(c.log+"\n"), Options{Format: parsed(t, c.format)})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestCutLinesAreNotOthers says that a line of a gateway that is cut off counts for the
// gateway, and not for a program whose lines begin like it.
func TestCutLinesAreNotOthers(t *testing.T) {
	whole := `[2026-08-20T12:00:00.101Z] "POST /v1/c HTTP/2" 200 - 812 24 100 50 "-" "c" "r1" "llm.example" "192.0.2.50:8000"`
	got := spelled(t, []byte(whole+"\n"+whole[:60]+"\n"+whole+"\n"), Options{})
	if want := "lines 3 used 2, no known record (envoy) 1\n"; len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("got %s", got)
	}
}

// TestALBStampsYearsApart says that a request of years is none: it is as long as the
// processing times tell, and counted.
func TestALBStampsYearsApart(t *testing.T) {
	line := `https 2026-08-20T12:00:02.851000Z app/llm/1 192.0.2.10:40001 192.0.2.50:8000 0.086 0.048 0.037 200 200 1010 9426 "POST https://llm.example:443/v1/x HTTP/1.1" "c" - - arn:aws:x "Root=1-6a8f1c00-0123456789abcdef00000001" "llm.example" "-" 0 2018-07-02T22:22:48.364000Z "forward" "-" "-" "192.0.2.50:8000" "200" "-" "-"`
	want := "1 2026-08-20T12:00:02.68Z 171ms; 86ms gateway/aws-alb anchored ±1ms; 48ms unattributed/upstream anchored ±2ms; 37ms gateway/aws-alb anchored ±2ms\nlines 1 used 1\n"
	if diff := cmp.Diff(want, spelled(t, []byte(line+"\n"), Options{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", Options{})
	if err := d.Read(strings.NewReader(line+"\n"), Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	if e := account.Entries(); len(e) != 1 || e[0].ID != "log-impossible-time" || e[0].Count != 1 {
		t.Errorf("it is not counted once: %+v", e)
	}
}
