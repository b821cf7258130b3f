package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// topic is a page of help that is about no single command.
type topic struct {
	name, about string
	write       func(io.Writer) error
}

// topics lists every page in the order of help.
func topics() []topic {
	return []topic{
		{"flags", "every flag", writeAllFlags},
		{"stages", "the stages and the rules that find them", writeStages},
		{"filters", "what --where, --since, --by, --fail-on and --require take, and the fields", writeFilters},
		{"objectives", "what --slo takes, and how a capacity is found", page(objectivesPage)},
		{"definitions", "what every figure means, and the other meanings that tools have", writeDefinitions},
		{"verdict", "what dominates, leads and cannot say mean, and the rule", writeVerdict},
		{"causes", "why requests wait, and what shows it", writeCauses},
		{"formats", "what is read, and how logs are; formats NAME shows one", writeFormats},
		{"files", "the input formats, stores, and the tables that tailpath ingest writes", writeFiles},
		{"output", "the formats of reports, the tables of csv, and render", page(outputPage)},
		{"exports", "the formats of export, and what to do with each", page(exportsPage)},
		{"exit-codes", "what the exit code says", page(exitCodesPage)},
		{"environment", "the environment variables that are read, and the file of flags", page(environmentPage)},
		{"recording", "what to switch on, so that the next incident can be explained", page(recordingPage)},
		{"man", "the manual page; tailpath help man | man -l - shows it", writeMan},
	}
}

func topicNames() []string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

func page(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

const exitCodesPage = `Exit codes

  0    done
  1    done, and a condition of --fail-on is true
  2    could not run: bad command line or filter, file that cannot be read or written,
       input of no known format, bad rules file, inputs that take more than --memory
  3    ran, and cannot judge: no request was found, or none that --where matches or that
       starts in the time, no record of a week, no such trace, fewer requests than
       --min-requests, data that are not as --require asks, or not known to be (then no
       condition of --fail-on is judged), two sets of compare that are unlike in model,
       GPUs or tokens and no --force, a baseline without what a condition is about, a
       condition of --fail-on that the data leave open while no other is true
  130  interrupted; partial output was removed (128 + N for another signal N)

An answer that is "cannot say" is an answer, and so is an objective of --slo that fails:
code 0. --fail-on makes a gate.

When the reader of the output leaves early, as head does, tailpath ends quietly.
`

const environmentPage = `Environment variables

  NO_COLOR                    not empty: no colour, unless --color always
  CLICOLOR_FORCE              not empty and not 0: colour also when the output is no
                              terminal, unless NO_COLOR or --color say otherwise
  TAILPATH_FORCE_TTY          not empty: the same
  TERM                        dumb: no colour and no progress line
  LC_ALL, LC_CTYPE, LANG      the first that is set decides: characters outside ASCII
                              are written only in a UTF-8 locale; --ascii: never

  TAILPATH_PAGER              a command that shows what would go to a terminal, such as
                              less; none without it. It is run by sh -c (cmd /C on
                              Windows), with LESS=FRX unless LESS is set
  TAILPATH_CONFIG             a file of flags, when --config names none

A file of flags has one on each line, as on the command line but without quotes: the
value reaches to the end of the line. Empty lines and lines that begin with # say
nothing. One file does for all commands: each takes the flags that it has. What is given
on the command line comes after the file's, so a value there takes the place of the
file's, and --slo, --where and the like add up; a zone of --tz takes the place of that of
the same source, and --since or --until that of a week.

  # ~/.tailpath
  --slo p99(e2e) < 5s
  --color=never

Nothing else is read: no file of the working directory, no clock and no host name go into
a report.
`

const stagesIntro = `Stages

Every nanosecond of a request belongs to one stage:

  network       the wire, both ways: client span minus its server span, connect, TLS
  gateway       a proxy's own work: auth, plugins, routing, retries' own cost
  queue         admitted, waiting for capacity
  scheduling    host work to get onto and off the device: tokenising, IPC, batch forming
  gpu           execution on the device: prefill, decode, compute
  transfer      moving payload: host-device copies, KV cache, response body draining
  application   work of a service that is none of these: retrieval, tools, database
  unattributed  nothing recorded says what happened

A span gets the first rule below that matches it. The rule names the stage of the
span's own time, which is the time that no recorded child accounts for. Rules of your
own (--stages RULES.yaml) are tried before these.

A file of rules

` + ruleExample + `
All conditions of a match must hold; of a list any one may. They are service, scope,
kind, name, event (the span has one of that name), attribute (key to pattern) and peer
(none, remote, local or missing: what is recorded at the other end of a call). A pattern
is text in which * stands for any characters, or a regular expression between slashes. A
detail may be $service, $scope, $name or $attribute(KEY). "confidence: residual" says
that the time is what was left over, "role: container" that the span only holds others,
"role: startup" that it is no part of a request, "role: entry" that a request enters a
process by it.
`

const ruleExample = `  version: 1
  rules:
    - id: shop.price
      doc: the price service waits for a worker
      match:
        service: [price, "price-*"]
        kind: [SERVER, CONSUMER]
        name: /^acquire/
        attribute: {pool.size: "*"}
      stage: queue
      detail: admission
`

// writeStages writes the stages and the built-in rules in order.
func writeStages(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\nRules, version %d:\n\n", stagesIntro, stage.Version)
	rules := stage.Builtin().List()
	ids, gives := 0, 0
	for _, r := range rules {
		ids, gives = max(ids, len(r.ID)), max(gives, len(ruleGives(r)))
	}
	for _, r := range rules {
		when := r.When
		if when == "" {
			when = "anything else"
		}
		fmt.Fprintf(&out, "  %-*s  %-*s  %s\n  %-*s    if %s\n", ids, r.ID, gives, ruleGives(r), r.Doc, ids, "", when)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

const causesIntro = `Causes of waiting

Each queue segment of a critical path gets the cause of the first question below that
holds. "Most" is half of the wait. An engine's own readings (statistics lines, batch
lines) answer where they cover the wait, the times of the requests themselves otherwise;
"explain" says which, with the numbers. What nothing shows is unknown.

`

// writeCauses writes the causes and the questions that give them, in order.
func writeCauses(w io.Writer) error {
	var out strings.Builder
	out.WriteString(causesIntro)
	rules := engine.Rules()
	ids, causes := 0, 0
	for _, r := range rules {
		ids, causes = max(ids, len(r.ID)), max(causes, len(r.Cause.String()))
	}
	for _, r := range rules {
		fmt.Fprintf(&out, "  %-*s  %-*s  %s\n", causes, r.Cause, ids, r.ID, r.Doc)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// ruleGives returns the stage and detail that a rule gives.
func ruleGives(r *stage.Rule) string {
	if r.Detail == "" {
		return r.Stage.String()
	}
	return r.Stage.String() + "/" + r.Detail
}

// writeFiles writes the input formats and what the tables mean.
func writeFiles(w io.Writer) error {
	if _, err := io.WriteString(w, formatsPage+"\n"+storeText); err != nil {
		return err
	}
	return table.WriteSchemaPage(w)
}
