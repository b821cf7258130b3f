package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// formatsPage says what is read, but for the formats of logs, which are listed from
// their declarations. It names nothing that is not read.
const formatsPage = `Input formats

A FILE is a file, a directory with all that is below it, a pattern in quotes, - for
standard input, or a directory that tailpath ingest wrote. The format is told from the
content. Names that begin with . or _ are passed over in a directory.

  OTLP traces, logs      JSON: one document, one a line, or several in a row, also
  and metrics            pretty-printed; protobuf: one message, or messages with their
                         length before them, as the Collector's file exporter writes.
                         Of metrics, those that tell the state of engines and GPUs
  Jaeger, Zipkin, Tempo  their JSON, as their APIs answer and their stores dump it
  Triton trace file      of trace mode "triton": FILE and FILE.N
  Dynamo request trace,  one record a request
  TensorRT-LLM metrics
  response bodies        with the timings of vLLM, llama.cpp or Ollama in them
  logs                   of servers, engines and gateways, as listed below; bare or
                         wrapped by Docker, containerd, journald, syslog, compose
  compressed by          gzip or zstd, whole files or each message for itself; UTF-16
  tailpath directory     the tables, or a store of them, as tailpath ingest writes them,
                         or a command that reads one set with --save DIR

What is damaged costs itself alone: it is counted, with its place, and tailpath inspect
lists what was met. Prompts and outputs that logs and spans carry are left out.
--keep-text keeps those of spans and of log records; a line that tells of a whole request
keeps its times, and never its text.
`

// logsPage says how lines of logs are read.
const logsPage = `
Logs

Each line is used, or counted as unused with the reason. One file may mix programs. What
lines leave open is said by flags, else inferred, and then counted:

  --tz [SOURCE=]ZONE     times without a zone are UTC, unless this names another; SOURCE
                         is a pattern of inputs, or a format below, all without it
  --year YYYY            times without a year take that of the dated lines beside them,
                         of what is read in the same run, or of the file's date
  --log-format FORMAT    an access log with its own log_format, given as it stands in
                         the configuration of nginx, Envoy or HAProxy, or as @FILE,
                         which may be the whole configuration
  --logs PATTERN=FORMAT  a format for the inputs that match, whatever they look like:
                         a name below, or a YAML file of your own

A YAML file says what a line is and which of its fields make which interval. This one
reads the JSON lines of a service that writes when it is done:

` + formatExample + `
tailpath help formats NAME shows a built-in format, which is a file of the same kind.

`

// formatExample is a format of one's own. A test reads a log with it.
const formatExample = `  id: ranker
  title: our ranking service
  doc: one line of JSON a request, written at its end
  kind: engine
  service: ranker
  records:
    - id: done
      example: |
        {"at":"2026-08-20T12:00:03.5Z","id":"a1","total_ms":900,"wait_ms":350.5}
      json:
        time: {path: at, type: rfc3339}
        request_id: {path: id}
        total: {path: total_ms, type: ms}
        wait: {path: wait_ms, type: ms}
      when: {total: ["*"]}
      span:
        start: time - total
        end: time
        parts:
          - {until: start + wait, stage: queue, detail: engine}
          - {until: end, stage: gpu, detail: compute}
`

// writeFormats writes what is read: the page, then every format of logs with one
// example, from the declarations.
func writeFormats(w io.Writer) error {
	var out strings.Builder
	out.WriteString(formatsPage + logsPage)
	for _, kind := range []struct{ kind, title string }{{"engine", "Engines and servers"}, {"gateway", "Gateways"}} {
		out.WriteString(kind.title + "\n\n")
		for _, f := range formatsByName() {
			if f.Kind == kind.kind && f.Unusable == nil {
				writeFormat(&out, f)
			}
		}
	}
	out.WriteString("Known, and of no use, because no duration is in them\n\n")
	for _, f := range formatsByName() {
		if f.Unusable != nil {
			fmt.Fprintf(&out, "  %-14s %s: %s\n", f.ID, f.Title, f.Unusable.Instead)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// formatsByName returns the built-in formats by name.
func formatsByName() []*format.Format {
	list := serverlog.Builtin().List()
	slices.SortFunc(list, func(a, b *format.Format) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// writeFormat writes the name of a format, what it is, and its first example.
func writeFormat(out *strings.Builder, f *format.Format) {
	fmt.Fprintf(out, "  %-14s %s\n", f.ID, f.Title)
	for _, line := range wrap(f.Doc, 80-6) {
		fmt.Fprintf(out, "      %s\n", line)
	}
	first, _, _ := strings.Cut(f.Records[0].Example, "\n")
	fmt.Fprintf(out, "      > %s\n\n", first)
}

// wrap breaks text into lines of at most width characters, but for longer words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// writeOneFormat writes the declaration of a built-in format.
func writeOneFormat(w io.Writer, name string) error {
	data, ok := serverlog.Declaration(name)
	if !ok {
		return usage(name, "no such format", suggestion(name, formatIDs(serverlog.Builtin())))
	}
	_, err := w.Write(data)
	return err
}
