package match_test

import (
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

func benchPattern(b *testing.B, spec, line string) {
	m, _, values := pattern(b, spec, "-", "-1")
	text := []byte(line)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		match.Reset(values)
		if !m.Match(text, values) {
			b.Fatal("no match")
		}
	}
}

func benchFields(b *testing.B, compile compileFields, prefix string, names []string, line string) {
	slots := match.NewSlots()
	m, err := compile(prefix, fields(b, names...), slots, []string{"-"})
	if err != nil {
		b.Fatal(err)
	}
	values, text := slots.NewValues(), []byte(line)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		match.Reset(values)
		if !m.Match(text, values) {
			b.Fatal("no match")
		}
	}
}

func BenchmarkHAProxy(b *testing.B) { benchPattern(b, haproxySpec, haproxyLine) }
func BenchmarkNginx(b *testing.B)   { benchPattern(b, nginxSpec, nginxLine) }
func BenchmarkStats(b *testing.B)   { benchPattern(b, statsSpec, statsLine) }

// BenchmarkRefused is a line that a pattern with a head refuses.
func BenchmarkRefused(b *testing.B) {
	m, _, values := pattern(b, statsSpec)
	text := []byte(`(APIServer pid=77) INFO 03-02 07:30:10 [async_llm.py:439] Added request chatcmpl-7d1c0a5e9b7f4f0b8a6c2d3e4f506172-9f3a41c2.`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if m.Match(text, values) {
			b.Fatal("match")
		}
	}
}

func BenchmarkEnvoyJSON(b *testing.B) { benchFields(b, jsonFields, "", envoyFields, envoyLine) }
func BenchmarkFinishPython(b *testing.B) {
	benchFields(b, pythonFields, "Finish: ", finishFields, finishLine)
}
func BenchmarkLogfmt(b *testing.B) {
	benchFields(b, logfmtFields, "", []string{"time time rfc3339", "level level", "took elapsed_ms ms"},
		`time=2026-03-02T07:30:00.120Z level=INFO source=sched.go:512 msg="loaded runners" request_id=c8f0 elapsed_ms=1184 status=200`)
}
