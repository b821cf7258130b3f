package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/reports"
)

// flagValues are the values of all flags. A command reads those it declares.
type flagValues struct {
	format, output, stages      string
	incomplete, errors, path    string
	color, progress             string
	logs, logFormats, zones     []string
	joins                       []string
	define                      []string
	where, failOn, slo, require []string
	by, bands, kind             string
	minChange, minDifference    string
	minShare, save              string
	seed                        int
	clock, window               string
	minRequests, jobs, slowest  int
	gpus                        []int
	force                       bool
	year                        int
	ascii, quiet, verbose, help bool
	keepText                    bool
	table, request, engine      string // of export; table of CSV too
	at, length                  string
	since, until, week          string
	split, baseSince, baseUntil string
	store, baseline             string
	config                      string
	memory                      string
	limit                       int // -1 for the usual numbers
	maxSize                     string
	noWarn                      []string
}

// flagSpec declares one flag. Its name and meaning are the same in every command
// that has it; parsing, help and completion are made from it.
type flagSpec struct {
	name, short string
	value       string // how help names the value; empty for a switch and for choices as they are
	choices     []string
	about       string
	bind        func(*flagValues) any // *string, *[]string, *int or *bool, set to the default
	least       int                   // of an int
	minor       bool                  // help of a command names it without its meaning
}

// flagSpecs lists every flag, in the order of help.
var flagSpecs = []flagSpec{
	{name: "slowest", value: "N", least: 1, about: "explain the N slowest requests",
		bind: func(v *flagValues) any { return &v.slowest }},
	{name: "path", choices: []string{"default", "jaeger"}, about: "critical path as the Jaeger UI draws it, or ours",
		bind: func(v *flagValues) any { v.path = "default"; return &v.path }},
	{name: "kind", value: "KIND", choices: []string{reports.Weekly, reports.PostMortem}, about: "weekly, or postmortem of an incident",
		bind: func(v *flagValues) any { v.kind = reports.Weekly; return &v.kind }},
	{name: "slo", value: "OBJECTIVE", about: "such as 'p99(e2e) < 2s': tailpath help objectives",
		bind: func(v *flagValues) any { return &v.slo }},
	{name: "window", value: "TIME", minor: true, about: "judge rates in windows so long (default 60s)",
		bind: func(v *flagValues) any { return &v.window }},
	{name: "gpus", value: "N", least: 1, minor: true, about: "how many GPUs served; N,N of BASE and NEW",
		bind: func(v *flagValues) any { return &v.gpus }},
	{name: "force", minor: true, about: "compare though model, GPUs or tokens (10%) differ",
		bind: func(v *flagValues) any { return &v.force }},
	{name: "define", value: "ID", minor: true, about: "also by this definition: tailpath help definitions",
		bind: func(v *flagValues) any { return &v.define }},
	{name: "split", value: "TIME", minor: true, about: "set what starts before against what starts from then on",
		bind: func(v *flagValues) any { return &v.split }},
	{name: "base-since", value: "TIME", minor: true, about: "time of the base alone, as --since; of the same FILEs without another: tailpath help filters",
		bind: func(v *flagValues) any { return &v.baseSince }},
	{name: "base-until", value: "TIME", minor: true, about: "time of the base alone, as --until",
		bind: func(v *flagValues) any { return &v.baseUntil }},
	{name: "min-change", value: "PERCENT", about: "least change that counts (default 10%, at p50 half)",
		bind: func(v *flagValues) any { return &v.minChange }},
	{name: "min-difference", value: "TIME", minor: true, about: "least difference that counts (default 20ms)",
		bind: func(v *flagValues) any { return &v.minDifference }},
	{name: "min-share", value: "PERCENT", minor: true, about: "share of the excess that a stage needs to lead (default 40%): tailpath help verdict",
		bind: func(v *flagValues) any { return &v.minShare }},
	{name: "seed", value: "N", minor: true, about: "other resamples, to see by how much intervals hang on them (default 0)",
		bind: func(v *flagValues) any { return &v.seed }},
	{name: "format", short: "f", value: "FORMAT", choices: documentFormats, about: "text, json, md, csv or html (default: from -o)",
		bind: func(v *flagValues) any { return &v.format }},
	{name: "output", short: "o", value: "FILE", about: "write to a file, - for standard output",
		bind: func(v *flagValues) any { return &v.output }},
	{name: "table", value: "NAME", minor: true, about: "which table, in csv and other formats that hold one; list prints their names",
		bind: func(v *flagValues) any { return &v.table }},
	{name: "request", value: "ID", minor: true, about: "request or trace to show in perfetto",
		bind: func(v *flagValues) any { return &v.request }},
	{name: "engine", value: "NAME", minor: true, about: "engine to show in perfetto, by name, service, host",
		bind: func(v *flagValues) any { return &v.engine }},
	{name: "at", value: "TIME", minor: true, about: "from when to show it (default: its first request)",
		bind: func(v *flagValues) any { return &v.at }},
	{name: "for", value: "TIME", minor: true, about: "for how long to show it (default 60s)",
		bind: func(v *flagValues) any { return &v.length }},
	{name: "save", value: "DIR", minor: true, about: "also write the tables, as ingest does, to ask again without reading anew",
		bind: func(v *flagValues) any { return &v.save }},
	{name: "store", value: "DIR", minor: true, about: "a store: ingest adds to it, report reads it: tailpath help files",
		bind: func(v *flagValues) any { return &v.store }},
	{name: "stages", value: "RULES.yaml", minor: true, about: "rules of your own, before the built-in ones",
		bind: func(v *flagValues) any { return &v.stages }},
	{name: "logs", value: "PATTERN=FORMAT", minor: true, about: "read these inputs as that format of log, or as a YAML file says",
		bind: func(v *flagValues) any { return &v.logs }},
	{name: "log-format", value: "FORMAT", minor: true, about: "log_format of nginx, Envoy or HAProxy, or @FILE that holds it",
		bind: func(v *flagValues) any { return &v.logFormats }},
	{name: "tz", value: "[SOURCE=]ZONE", minor: true, about: "zone of times that have none, by input or format of log; without SOURCE of all, and of --since",
		bind: func(v *flagValues) any { return &v.zones }},
	{name: "year", value: "YYYY", least: 1, minor: true, about: "year of the first line, where lines have none",
		bind: func(v *flagValues) any { return &v.year }},
	{name: "keep-text", minor: true, about: "keep prompts and outputs of spans, and the text of log records, in the tables",
		bind: func(v *flagValues) any { return &v.keepText }},
	{name: "join", value: "KEY", minor: true, about: "attribute whose equal values are one request; KEY,KEY for one id under several names",
		bind: func(v *flagValues) any { return &v.joins }},
	{name: "clock", choices: critical.ClockModeNames, minor: true, about: "times as recorded, or moved by one offset a host where calls show it",
		bind: func(v *flagValues) any { v.clock = critical.ClockModeNames[critical.Raw]; return &v.clock }},
	{name: "by", value: "KEYS", about: "split by these fields, such as host,model",
		bind: func(v *flagValues) any { return &v.by }},
	{name: "bands", value: "BANDS", minor: true, about: "of what the time is shown by stage: p0-50,50-90,90-99,99-100 unless others are given",
		bind: func(v *flagValues) any { return &v.bands }},
	{name: "where", value: "EXPR", about: "only those that match, such as 'model=a e2e>2s'",
		bind: func(v *flagValues) any { return &v.where }},
	{name: "since", value: "TIME", minor: true, about: "only those that start then or later, such as 14:10 or -2h: tailpath help filters",
		bind: func(v *flagValues) any { return &v.since }},
	{name: "until", value: "TIME", minor: true, about: "only those that start before, such as 2026-08-17",
		bind: func(v *flagValues) any { return &v.until }},
	{name: "week", value: "WEEK", about: "of a week such as 2026-W47, or last",
		bind: func(v *flagValues) any { return &v.week }},
	{name: "baseline", value: "PATH", about: "set against this report, these reports or tables",
		bind: func(v *flagValues) any { return &v.baseline }},
	{name: "incomplete", value: "WHICH", choices: []string{"exclude", "include", "only"}, minor: true, about: "requests that miss a part: exclude, include, only",
		bind: func(v *flagValues) any { v.incomplete = "exclude"; return &v.incomplete }},
	{name: "errors", value: "WHICH", choices: []string{"exclude", "include", "only"}, minor: true, about: "requests that failed: exclude, include, only",
		bind: func(v *flagValues) any { v.errors = "exclude"; return &v.errors }},
	{name: "fail-on", value: "COND", about: "exit 1 if it is true, such as 'p99(e2e) > 5s'",
		bind: func(v *flagValues) any { return &v.failOn }},
	{name: "require", value: "COND", minor: true, about: "exit 3 unless the data are so, such as 'unattributed < 5%': tailpath help filters",
		bind: func(v *flagValues) any { return &v.require }},
	{name: "min-requests", value: "N", minor: true, about: "exit 3 when fewer can be judged (default 1)",
		bind: func(v *flagValues) any { v.minRequests = 1; return &v.minRequests }},
	{name: "jobs", value: "N", minor: true, about: "work on N things at once; 0, the default, for one a processor",
		bind: func(v *flagValues) any { return &v.jobs }},
	{name: "memory", value: "SIZE", minor: true, about: "what to hold at most, such as 4GB; a capture that takes more is refused early: tailpath help files",
		bind: func(v *flagValues) any { return &v.memory }},
	{name: "config", value: "FILE", minor: true, about: "flags from a file, one a line; or TAILPATH_CONFIG names it",
		bind: func(v *flagValues) any { return &v.config }},
	{name: "color", choices: []string{"auto", "always", "never"}, minor: true, about: "colour in text",
		bind: func(v *flagValues) any { v.color = "auto"; return &v.color }},
	{name: "progress", choices: []string{"auto", "never"}, minor: true, about: "progress line on a terminal",
		bind: func(v *flagValues) any { v.progress = "auto"; return &v.progress }},
	{name: "limit", value: "N", minor: true, about: "rows of lists at most, 0 for all; what is cut is counted: tailpath help output",
		bind: func(v *flagValues) any { v.limit = unlimited; return &v.limit }},
	{name: "max-size", value: "SIZE", minor: true, about: "how long md or html may be, such as 500KB (default 60000 and 2MB)",
		bind: func(v *flagValues) any { return &v.maxSize }},
	{name: "no-warn", value: "ID", minor: true, about: "leave out the warnings of these ids, and count them; ID,ID for several",
		bind: func(v *flagValues) any { return &v.noWarn }},
	{name: "ascii", minor: true, about: "no character outside ASCII in text",
		bind: func(v *flagValues) any { return &v.ascii }},
	{name: "quiet", short: "q", minor: true, about: "nothing on standard error but errors",
		bind: func(v *flagValues) any { return &v.quiet }},
	{name: "verbose", short: "v", minor: true, about: "more tables; and on standard error what was read, and how fast",
		bind: func(v *flagValues) any { return &v.verbose }},
	{name: "help", short: "h", minor: true, about: "this help",
		bind: func(v *flagValues) any { return &v.help }},
}

// The flags of commands that choose among requests, of those that judge conditions, of those that read traces, and of
// those that print a document.
var (
	choosingFlags = []string{"where", "since", "until", "incomplete", "errors"}
	gateFlags     = []string{"fail-on", "require"}
	readingFlags  = []string{"stages", "logs", "log-format", "tz", "year", "keep-text", "join", "clock", "jobs", "memory", "config", "progress", "quiet", "verbose", "help"}
	documentFlags = []string{"format", "output", "table", "stages", "logs", "log-format", "tz", "year", "keep-text", "join", "clock", "min-requests", "jobs", "memory", "config", "limit", "max-size", "no-warn", "color", "progress", "ascii", "quiet", "verbose", "help"}
)

// specsOf returns the flags of a command in the order of help.
func specsOf(names []string) []flagSpec {
	var out []flagSpec
	for _, f := range flagSpecs {
		if slices.Contains(names, f.name) {
			out = append(out, f)
		}
	}
	return out
}

// addTo declares the flag in a set and binds it to v.
func (f flagSpec) addTo(set *pflag.FlagSet, v *flagValues) {
	var value pflag.Value
	switch at := f.bind(v).(type) {
	case *bool:
		set.BoolVarP(at, f.name, f.short, *at, f.about)
		return
	case *int:
		value = &number{at: at, least: f.least}
	case *string:
		value = &text{at: at, choices: f.choices}
	case *[]string:
		value = &list{at: at}
	case *[]int:
		value = &numbers{at: at, least: f.least}
	}
	set.VarP(value, f.name, f.short, f.about)
}

// head returns the flag as help spells it, such as "-f, --format text|json".
func (f flagSpec) head() string {
	head := "    "
	if f.short != "" {
		head = "-" + f.short + ", "
	}
	head += "--" + f.name
	if f.value == "" && f.choices != nil {
		return head + " " + strings.Join(f.choices, "|")
	}
	return strings.TrimRight(head+" "+f.value, " ")
}

// text is the value of a flag that takes a word, one of choices if there are any.
type text struct {
	at      *string
	choices []string
}

func (t *text) String() string { return *t.at }
func (t *text) Type() string   { return "string" }

func (t *text) Set(value string) error {
	if t.choices != nil && !slices.Contains(t.choices, value) {
		return fmt.Errorf("want one of %s", strings.Join(t.choices, ", "))
	}
	if value == "" {
		return fmt.Errorf("the value is empty")
	}
	*t.at = value
	return nil
}

// list is the value of a flag that may be given several times.
type list struct{ at *[]string }

func (l *list) String() string { return strings.Join(*l.at, " ") }
func (l *list) Type() string   { return "string" }

func (l *list) Set(value string) error {
	if value == "" {
		return fmt.Errorf("the value is empty")
	}
	*l.at = append(*l.at, value)
	return nil
}

// number is the value of a flag that takes a whole number, least or more.
type number struct {
	at    *int
	least int
}

func (n *number) String() string { return strconv.Itoa(*n.at) }
func (n *number) Type() string   { return "int" }

func (n *number) Set(value string) error {
	v, err := strconv.Atoi(value)
	if err != nil || v < n.least {
		return fmt.Errorf("want a whole number, %d or more", n.least)
	}
	*n.at = v
	return nil
}

// numbers is the value of a flag that takes one or several whole numbers, each least or more.
type numbers struct {
	at    *[]int
	least int
}

func (n *numbers) String() string {
	var texts []string
	for _, v := range *n.at {
		texts = append(texts, strconv.Itoa(v))
	}
	return strings.Join(texts, ",")
}

func (n *numbers) Type() string { return "int" }

func (n *numbers) Set(value string) error {
	var all []int
	for text := range strings.SplitSeq(value, ",") {
		var v int
		if err := (&number{at: &v, least: n.least}).Set(text); err != nil {
			return err
		}
		all = append(all, v)
	}
	*n.at = all
	return nil
}

// nearest returns the candidate that is most like word, or "" when none is.
func nearest(word string, candidates []string) string { return filter.Nearest(word, candidates) }
