package main

import (
	"slices"
	"strings"
)

// otherNames are flags by which other programs call what a flag does here.
var otherNames = map[string]string{
	"last": "since", "from": "since", "start": "since", "after": "since", "to": "until", "end": "until", "before": "until",
	"filter": "where", "query": "where", "group-by": "by", "threshold": "fail-on", "fail-if": "fail-on", "out": "output", "outfile": "output",
	"objective": "slo", "timezone": "tz", "threads": "jobs", "workers": "jobs", "top": "slowest", "type": "kind", "no-color": "color", "max-memory": "memory", "mem": "memory",
}

// unknownFlagHint says what somebody may have meant by a flag that a command does not have: one of
// its own, an operand, or the commands that have it.
func unknownFlagHint(flag, command string, specs []flagSpec) string {
	help := "see tailpath " + command + " --help"
	if command == "explain" && slices.Contains([]string{"trace", "trace-id", "id", "request", "request-id"}, flag) {
		return "the trace or request stands without a flag: tailpath explain FILE... TRACE"
	}
	if at := slices.IndexFunc(specs, func(f flagSpec) bool { return f.name == otherNames[flag] }); at >= 0 {
		return strings.TrimSpace("did you mean --"+specs[at].name+" "+specs[at].value) + "? " + help
	}
	var names, has []string
	for _, f := range specs {
		names = append(names, f.name)
	}
	for _, c := range commands() {
		if slices.Contains(c.flags, flag) {
			has = append(has, c.name)
		}
	}
	if has != nil {
		return "it is a flag of " + enumerated(has) + "; " + help
	}
	if near := nearest(flag, names); near != "" && len(flag) > 1 {
		return "did you mean --" + near + "? " + help
	}
	return help
}

// enumerated writes names one behind another, and counts those beyond four.
func enumerated(names []string) string {
	const most = 4
	if len(names) > most+1 {
		names = append(slices.Clone(names[:most]), count(len(names)-most, "more command"))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
