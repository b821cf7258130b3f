package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tailpath/tailpath/analyze"
)

const definitionsIntro = `Definitions

Tools give one name to different figures. Every figure here has one definition,
marked * below. --define ID adds the figures by another one, beside the others
and under its id: of requests, gaps and percentiles with summary and capacity,
of one request with explain, of the system with capacity. It may be given
several times.

  tailpath summary day/ --define tpot --define linear_r7
  tailpath capacity day/ --define e2e_last_token
  tailpath capacity day/ --slo 'p99(norm_latency) < 80ms'
  tailpath summary day/ --where 'output_rate<20'

n are the output tokens of a request. When chunks and tokens came is told by
events of spans that are named for them, and how many tokens a chunk brought by
their attributes (llm.chunk.tokens). The last token is known from an engine's
time of decoding, too. Where it is not recorded, what needs it is undefined, and
requests are counted with the reason: nothing is put in its place.

A rule for percentiles is applied to the durations, ttft and tpot of the report
and to the measures that are asked for with it: what vLLM's bench prints as its
percentiles of TPOT is --define tpot_bench --define linear_r7.

Measures in ns are also metrics of --slo and so of --fail-on, and all measures
of a request are fields of --where and --by. There, and in every report, three
names stand for what most sources record:
  ttft  by what an engine, its log or a caller measured itself; else by events of
        the outermost span that has some: the first chunk or token that brought
        something, or an event named for the first token; else by the first
        chunk, which may have been empty, with a warning. What served is in
        explain, and in -f json under first_token_basis
  tpot  is tpot_to_end
  itl   where chunks do not say how many tokens they brought, the gaps between
        the instants as they were recorded; in either case of requests with
        five or more. A request has many: it is no field, and itl_request_mean
        is one

`

// writeDefinitions writes every definition, by what it is one of.
func writeDefinitions(w io.Writer) error {
	var out strings.Builder
	out.WriteString(definitionsIntro)
	metric := ""
	for _, d := range analyze.Definitions() {
		if d.Metric != metric {
			if metric != "" {
				out.WriteByte('\n')
			}
			metric = d.Metric
			out.WriteString(metric + "\n")
		}
		mark := "    "
		if d.Own {
			mark = "  * "
		}
		listed(&out, mark, d.ID+": "+d.Text)
		if len(d.Tools) > 0 {
			listed(&out, "      ", "used by "+strings.Join(d.Tools, ", "))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// listed writes text behind a mark, in lines no wider than a page.
func listed(out *strings.Builder, mark, text string) {
	const indent = "      "
	for _, line := range wrapped(text, 80-len(indent)) {
		out.WriteString(mark + line + "\n")
		mark = indent
	}
}

// defined returns the ids of --define, which must be of some scopes: those that a command
// has figures of.
func (p *program) defined(of string, scopes ...analyze.Scope) ([]string, error) {
	for _, id := range p.flags.define {
		d, err := analyze.DefinitionNamed(id)
		switch {
		case err != nil:
			hint := "tailpath help definitions lists all"
			if near := nearest(id, definitionIDs()); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, usage("--define "+id, "there is no such definition", hint)
		case !slices.Contains(scopes, d.Scope()):
			return nil, usage("--define "+id, "is no definition of "+of, elsewhere[d.Scope()])
		}
	}
	return p.flags.define, nil
}

// elsewhere says which commands have figures of a scope.
var elsewhere = map[analyze.Scope]string{
	analyze.ScopeSystem:     "tailpath capacity --define shows figures of the system",
	analyze.ScopePercentile: "tailpath summary --define shows percentiles by other rules",
}

func definitionIDs() (ids []string) {
	for _, d := range analyze.Definitions() {
		ids = append(ids, d.ID)
	}
	return ids
}

// completeDefinition offers the ids of definitions to a shell.
func completeDefinition() ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, d := range analyze.Definitions() {
		words = append(words, d.ID+"\t"+d.Metric)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
