package template_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/template"
)

var update = flag.Bool("update", false, "rewrite testdata/declarations.golden")

// The formats that the built-in declarations of the same programs read.
const (
	nginxNamed = `log_format llm '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
	'"$http_referer" "$http_user_agent" rt=$request_time uct=$upstream_connect_time uht=$upstream_header_time '
	'urt=$upstream_response_time ua=$upstream_addr us=$upstream_status msec=$msec rid=$request_id tp=$http_traceparent';`
	nginxIngress  = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id`
	nginxAPM      = `"$time_local" client=$remote_addr method=$request_method request="$request" request_length=$request_length status=$status bytes_sent=$bytes_sent body_bytes_sent=$body_bytes_sent referer=$http_referer user_agent="$http_user_agent" upstream_addr=$upstream_addr upstream_status=$upstream_status request_time=$request_time upstream_response_time=$upstream_response_time upstream_connect_time=$upstream_connect_time upstream_header_time=$upstream_header_time`
	nginxObject   = `log_format j escape=json '{"msec":"$msec","client":"$remote_addr","line":"$request","st":"$status","rt":"$request_time","up":{"urt":"$upstream_response_time","uht":"$upstream_header_time","uct":"$upstream_connect_time","a":"$upstream_addr"}}';`
	nginxBare     = `log_format j escape=json '{"msec":$msec,"rt":$request_time,"urt":$upstream_response_time,"uri":"$request_uri"}';`
	envoyDefault  = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"\n`
	envoyObject   = `{"start_time": "%START_TIME%", "method": "%REQ(:METHOD)%", "path": "%REQ(:PATH)%", "response_code": "%RESPONSE_CODE%", "bytes_sent": "%BYTES_SENT%", "duration": "%DURATION%", "request_duration": "%REQUEST_DURATION%", "request_tx_duration": "%REQUEST_TX_DURATION%", "response_duration": "%RESPONSE_DURATION%", "upstream_host": "%UPSTREAM_HOST%"}`
	envoyYAML     = "start: \"%START_TIME%\"\nnested:\n  took: \"%DURATION%\"\n  both: \"%PROTOCOL% %RESPONSE_CODE%\"\n  n: 7\n"
	envoyCommon   = `%START_TIME(%s.%3f)% %COMMON_DURATION(DS_RX_BEG:DS_RX_END:us)% %COMMON_DURATION(DS_RX_END:US_TX_BEG:us)% %COMMON_DURATION(US_TX_BEG:US_RX_BEG:us)% %COMMON_DURATION(US_RX_BEG:US_RX_END:us)% %COMMON_DURATION(US_RX_END:DS_TX_END:us)% %COMMON_DURATION(US_CX_BEG:US_CX_END:ms)%`
	haproxyHTTP   = `log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r"`
	haproxyEscape = `log-format %{+Q}o\ %t\ %s\ %Th\ %Ti\ %TR\ %Tw\ %Tc\ %Tr\ %Tt\ %ST\ %[capture.req.hdr(0)]\ %[req.hdr(traceparent)]\ %HM\ %HP`
)

var accepted = []struct{ name, text, service string }{
	{"nginx-named", nginxNamed, "nginx"}, {"nginx-ingress", nginxIngress, "nginx"}, {"nginx-apm", nginxAPM, "nginx"},
	{"nginx-object", nginxObject, "nginx"}, {"nginx-bare", nginxBare, "nginx"},
	{"nginx-braces", `${remote_addr} ${time_iso8601} {${request_time}} ${request_uri}`, "nginx"},
	{"envoy-default", envoyDefault, "envoy"}, {"envoy-object", envoyObject, "envoy"}, {"envoy-yaml", envoyYAML, "envoy"}, {"envoy-common", envoyCommon, "envoy"},
	{"envoy-pool", `%START_TIME% %DURATION% %REQUEST_DURATION% %UPSTREAM_CONNECTION_POOL_READY_DURATION% %REQUEST_TX_DURATION% %RESPONSE_DURATION% %RESPONSE_TX_DURATION%`, "envoy"},
	{"envoy-service", `%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)% %REQUEST_DURATION% %REQUEST_TX_DURATION% %RESPONSE_HEADER(x-envoy-upstream-service-time):5% %DURATION% 100%%`, "envoy"},
	{"envoy-tokens", `{"t":"%START_TIME%","d":"%DURATION%","first":"%DYNAMIC_METADATA(io.envoy.ai_gateway:token_latency_ttft)%","in":"%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_input_token)%","c":"%CEL(request.headers['a'].size())%","e":"%ENVIRONMENT(X)%"}`, "envoy"},
	{"haproxy-http", haproxyHTTP, "haproxy"},
	{"haproxy-https", `%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed] %[ssl_fc_sni]/%sslv/%sslc`, "haproxy"}, {"haproxy-escape", haproxyEscape, "haproxy"},
	{"haproxy-untimed-phases", `%[src] %Tl %Ta %ST %U %{+Q}r rid=%ID`, "haproxy"},
	{"nginx-url", `$msec|$scheme://$host$request_uri|$uri$is_args$args|$http_a$http_b|$request_time`, "nginx"},
	{"nginx-tabs", `$msec\t$request_time\t$status`, "nginx"},
	{"envoy-quoted", `"{\"t\":\"%START_TIME%\",\"d\":\"%DURATION%\"}\n"`, "envoy"},
	{"envoy-attempts", `%START_TIME% %DURATION% %REQUEST_DURATION% %UPSTREAM_CONNECTION_POOL_READY_DURATION% %REQUEST_TX_DURATION% %RESPONSE_DURATION% %UPSTREAM_REQUEST_ATTEMPT_COUNT% %UPSTREAM_HOST%`, "envoy"},
	{"envoy-unknown-upload", `%START_TIME% %DURATION% %REQUEST_TX_DURATION% %RESPONSE_DURATION%`, "envoy"},
	{"haproxy-object", `log-format "%{+json}o %(time)tr %(ta)Ta %(tr)TR %(tw)Tw %(tc)Tc %(resp)Tr %(st)ST %(flags)tsc %(req)r %ci"`, "haproxy"},
	{"haproxy-fetches", `%[request_date(ms)] %[req.timer.hdr]/%[req.timer.queue]/%[bc.timer.connect]/%[res.timer.hdr]/%[txn.timer.total] %ST %[capture.req.method] %[capture.req.uri,json(utf8s)] %[path,sha1]`, "haproxy"},
	{"haproxy-tcp", `%ci:%cp [%t] %ft %b/%s %Tw/%Tc/%Tt %B %ts %ac/%fc/%bc/%sc/%rc %sq/%bq`, "haproxy"},
	{"haproxy-sum", `%t %TR %Tw %Tc %Tr %Td %hr`, "haproxy"},
}

// TestDeclarations compares what comes of formats with a golden text: source, span rules
// and example.
func TestDeclarations(t *testing.T) {
	var b strings.Builder
	for _, a := range accepted {
		d, err := template.Parse(a.text)
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		if d.Service != a.service || template.Program(a.text) != a.service {
			t.Errorf("%s was taken for a format of %s", a.name, d.Service)
		}
		b.WriteString("=== " + a.name + "\n")
		describe(&b, d)
	}
	const file = "testdata/declarations.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func describe(b *strings.Builder, d *format.Declaration) {
	for _, r := range d.Records {
		b.WriteString(r.ID + ": " + r.Pattern)
		var names []string
		for name := range r.JSON {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b.WriteString(name + "=" + strings.Join(r.JSON[name].Path, ",") + " " + r.JSON[name].Type + "; ")
		}
		s := r.Span
		b.WriteString("\n  " + r.Example + "\n  " + s.Name + " from " + strings.Join(s.Start, " or ") + " to " + strings.Join(append(s.End, s.FirstToken...), " or ") + " keep " + strings.Join(r.Keep, ",") + "\n")
		for _, field := range slices.Sorted(maps.Keys(r.When)) {
			b.WriteString("  when " + field + " " + strings.Join(r.When[field], ",") + "\n")
		}
		for _, field := range slices.Sorted(maps.Keys(s.Failed)) {
			b.WriteString("  failed " + field + " " + strings.Join(s.Failed[field], ",") + "\n")
		}
		for _, field := range slices.Sorted(maps.Keys(s.Aborted)) {
			b.WriteString("  aborted " + field + " " + strings.Join(s.Aborted[field], ",") + "\n")
		}
		for _, p := range s.Parts {
			b.WriteString("  " + p.From + " until " + p.Until + map[bool]string{true: " cut"}[p.Cut] + " " + p.Stage + "/" + p.Detail + " " + p.Confidence + " " + p.Error + " [" + p.Basis + "]\n")
		}
		if a := s.Attempts; a != nil {
			b.WriteString("  attempts " + a.Response + " " + a.Header + " " + a.Connect + "\n")
		}
		if s.Rest != nil {
			b.WriteString("  rest " + s.Rest.Stage + "/" + s.Rest.Detail + "\n")
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "the log format holds no variable: expected $name of nginx, %OPERATOR% of Envoy or %name of HAProxy"},
		{`nothing here`, "the log format holds no variable: expected $name of nginx, %OPERATOR% of Envoy or %name of HAProxy"},
		{`%h %l %u %t "%r" %>s %b`, "this is a LogFormat of Apache, which is not read as a template; Apache's lines are read if they end with %T/%D"},
		{`$remote_addr [$time_local] "$request" $status`, "the format holds no duration: add $request_time, $upstream_connect_time, $upstream_header_time, $upstream_response_time and $msec to it"},
		{`$msec $upstream_response_time`, "the format has the time of the upstream but not that of the whole request: add $request_time to it"},
		{`$remote_addr $request_time`, "the format holds no time: add $msec to it"},
		{`$msec $ $request_time`, "column 7: expected a variable name, such as $request_time or ${request_time}"},
		{`$msec ${request_time`, "column 7: expected a variable name, such as $request_time or ${request_time}"},
		{`$msec $http_referer$request_time`, "column 20: $request_time follows $http_referer with nothing between them, so that nobody can tell where one ends"},
		{"log_format x '$msec '\n  '$http_a$request_time';", "line 2, column 11: $request_time follows $http_a with nothing between them, so that nobody can tell where one ends"},
		{`log_format x '$msec $request_time;`, "column 14: the string has no closing '"},
		{`log_format x escape=xml '$msec';`, `column 14: escape is default, json or none, and not "xml"`},
		{`log_format x '$msec $request_time'; log_format y '$msec';`, "column 36: more text behind the end of log_format: give one directive"},
		{`log_format x;`, "column 1: log_format without a format string"},
		{`[%START_TIME%] %PROTOCOL%`, "the format holds no duration of the whole request: add %DURATION%, %REQUEST_DURATION%, %REQUEST_TX_DURATION% and %RESPONSE_DURATION% to it"},
		{`%PROTOCOL% %DURATION%`, "the format holds no time: add %START_TIME% to it"},
		{`%START_TIME% %DURATION`, "column 23: expected % at the end of the operator DURATION"},
		{`%START_TIME% %REQ(:PATH`, "column 18: the argument of REQ has no closing bracket"},
		{`%START_TIME% % %DURATION%`, "column 14: expected the name of an operator, such as %DURATION%, or %% for a percent sign"},
		{`%START_TIME(%A)% %DURATION%`, `column 1: the time format "%A" is not read back: write %START_TIME% alone`},
		{`%START_TIME% %COMMON_DURATION(A:B:ms)%`, `column 14: COMMON_DURATION knows no time point "A"`},
		{`%START_TIME% %COMMON_DURATION(DS_RX_BEG:DS_TX_END:s)%`, `column 14: the precision of COMMON_DURATION is ms, us or ns, and not "s"`},
		{`%START_TIME% %COMMON_DURATION(DS_RX_BEG)%`, `column 14: COMMON_DURATION takes start:end:precision, and not "DS_RX_BEG"`},
		{`{"a": "%START_TIME%", "d": %DURATION%}`, "the format begins as a JSON object and is none: every operator in it stands in quotes"},
		{`[%tr] %ci %ST`, "the format holds no duration of the whole request: add %TR/%Tw/%Tc/%Tr/%Ta to it"},
		{`%ci %Ta`, "the format holds no time: add [%tr] to it"},
		{`[%tr] %zz %Ta`, "column 7: no variable of HAProxy begins here; expected one such as %Ta, or %% for a percent sign"},
		{`[%tr] %{+Q %Ta`, "column 8: the flags have no closing brace"},
		{`[%tr] %[src %Ta`, "column 8: the expression has no closing bracket"},
		{`log-format `, "column 12: log-format without a format string"},
		{`[%tr] %b%Ta`, "column 9: %Ta follows %b with nothing between them, so that nobody can tell where one ends"},
	} {
		d, err := template.Parse(c.text)
		if err == nil {
			t.Errorf("%q was accepted as %s", c.text, d.ID)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, err, c.want)
		}
	}
}

// reads fails if a declaration does not read its own examples as what they are.
func reads(t interface {
	Fatalf(string, ...any)
}, d *format.Declaration) {
	f, err := d.Compile()
	if err != nil {
		t.Fatalf("%s does not compile: %v", d.ID, err)
	}
	s := f.NewScratch()
	for i, r := range f.Records {
		if got, _, _ := f.Match(&format.Line{Text: []byte(d.Records[i].Example)}, s); got != r {
			t.Fatalf("%s: the example of %s is not one of it\n%s\n%s", d.ID, r.ID, d.Records[i].Example, d.Records[i].Pattern)
		}
	}
}

// TestAnyFormat puts variables and texts together at random: whatever is accepted
// compiles and reads its own example.
func TestAnyFormat(t *testing.T) {
	words := map[string][]string{
		"nginx":   {"$msec", "$time_local", "$request_time", "$upstream_response_time", "$upstream_addr", "$request", "$status", "$http_x", "$request_id", `"$http_user_agent"`, "${uri}"},
		"envoy":   {"%START_TIME%", "%DURATION%", "%REQUEST_DURATION%", "%REQUEST_TX_DURATION%", "%RESPONSE_DURATION%", "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%", "%REQ(:PATH)%", "%UPSTREAM_HOST%", "%REQ(X)%", "%%", "%UPSTREAM_CONNECTION_POOL_READY_DURATION%"},
		"haproxy": {"%tr", "%Ta", "%TR/%Tw/%Tc/%Tr", "%Tt", "%Td", "%ci:%cp", "%tsc", "%hr", "%{+Q}r", "%ST", "%[src]", "%%", "%b/%s"},
	}
	between := []string{" ", " ", " | ", " x=", "{", "} ", "[", "] ", `"`, "/", ":", ""}
	for program, words := range words {
		parsed := 0
		rapid.Check(t, func(t *rapid.T) {
			var b strings.Builder
			for range rapid.IntRange(1, 12).Draw(t, "n") {
				b.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
				b.WriteString(rapid.SampledFrom(between).Draw(t, "text"))
			}
			d, err := template.Parse(b.String())
			if err != nil {
				return
			}
			parsed++
			reads(t, d)
		})
		if parsed == 0 {
			t.Errorf("no format of %s was accepted", program)
		}
	}
}

// FuzzParse says that no text makes it panic, and that what is accepted can be read.
func FuzzParse(f *testing.F) {
	for _, a := range accepted {
		f.Add(a.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (*format.Declaration, error){template.Parse, template.Nginx, template.Envoy, template.HAProxy} {
			d, err := parse(text)
			if err == nil {
				reads(t, d)
			} else if err.Error() == "" {
				t.Fatal("an error without words")
			}
		}
	})
}
