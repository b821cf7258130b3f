package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/serverlog/template"
)

// TestWholeConfigurations takes the formats out of configuration files.
func TestWholeConfigurations(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // titles, or the error
	}{
		{"nginx", `user nginx;
http { log_format first '$msec $request_time'; # with ; in it
    # log_format old '$msec $request_time';
    log_format main '$remote_addr "$request" '
                    '$status';
    log_format llm escape=json '{"t":"$msec","rt":"$request_time","u":"$uri; \'x"}';
    access_log /var/log/nginx/access.log llm;
}`, []string{"nginx, the given log_format, log_format first", "nginx, the given log_format, log_format llm"}},
		{"nginx without times", "http {\n  log_format a '$status';\n  log_format b '$msec';\n}", []string{
			"log_format a at line 2: the format holds no duration: add $request_time, $upstream_connect_time, $upstream_header_time, $upstream_response_time and $msec to it (nor can any of the 1 formats behind it be used)"}},
		{"two directives", "log_format a '$msec $request_time'; log_format b '$msec $request_time';", []string{"nginx, the given log_format, log_format a", "nginx, the given log_format, log_format b"}},
		{"one directive", "log_format a '$msec $request_time';\n", []string{"nginx, the given log_format"}},
		{"HAProxy", "defaults\n  option httplog\nfrontend f\n  log-format \"%ci [%tr] %Ta %ST\"\nfrontend g\n  log-format %ci\n", []string{"HAProxy, the given log-format, log-format"}},
		{"Envoy", `static_resources:
  listeners:
  - access_log:
    - typed_config:
        log_format: {text_format_source: {inline_string: "[%START_TIME%] %DURATION% %RESPONSE_DURATION%\n"}}
    - typed_config:
        log_format:
          json_format: {start: "%START_TIME%", took: "%DURATION%", up: {host: "%UPSTREAM_HOST%"}}
    request_headers_to_add: [{header: {key: x, value: "%REQ(X)%"}}]
`, []string{
			"Envoy, the given access log format, static_resources.listeners.0.access_log.0.typed_config.log_format.text_format_source.inline_string",
			"Envoy, the given access log format, static_resources.listeners.0.access_log.1.typed_config.log_format.json_format"}},
		{"Istio", "kind: IstioOperator\nspec:\n  meshConfig:\n    accessLogFormat: |\n      [%START_TIME%] %DURATION% %REQ(:PATH)%\n", []string{"Envoy, the given access log format, spec.meshConfig.accessLogFormat"}},
		{"an Envoy object", `{"start": "%START_TIME%", "took": "%DURATION%"}`, []string{"Envoy, the given access log format"}},
		{"a configuration without formats", "http {\n}\n", []string{"the log format holds no variable: expected $name of nginx, %OPERATOR% of Envoy or %name of HAProxy"}},
	} {
		declarations, err := template.All(c.text)
		var got []string
		for _, d := range declarations {
			got = append(got, d.Title)
			reads(t, d)
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

// FuzzAll says that no text makes it panic, and that what it finds can be read.
func FuzzAll(f *testing.F) {
	f.Add("http {\n log_format a '$msec $request_time';\n log_format b \"$status\";\n}")
	f.Add("a:\n- b: '[%START_TIME%] %DURATION%'\n---\nc: {d: '%START_TIME%', e: '%DURATION%'}\n")
	f.Add("frontend f\n  log-format \"%ci [%tr] %Ta\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		declarations, err := template.All(text)
		if (err == nil) == (len(declarations) == 0) || err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Fatalf("%d declarations and %v", len(declarations), err)
		}
		for _, d := range declarations {
			reads(t, d)
		}
	})
}
