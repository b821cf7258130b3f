package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// configVariable names a file of flags for runs without --config.
const configVariable = "TAILPATH_CONFIG"

// unconfigured are the flags that a file of flags cannot have: the file's own name, and what
// would make every command do something else.
var unconfigured = []string{"config", "help"}

// configured applies the file of flags that --config or the environment names to a command whose
// own flags have been parsed. What is on the command line has the last word: a value there takes
// the place of the file's and of what cannot stand beside it, a zone that of the same source, and
// any other flag that may be given several times has the file's first. Flags of other commands
// are passed over, so that one file does for all of them.
func (p *program) configured(c command, set *pflag.FlagSet) error {
	name := cmp.Or(p.flags.config, p.env(configVariable))
	if name == "" || !slices.Contains(c.flags, "config") {
		return nil
	}
	data, err := readConfig(name)
	if err != nil {
		hint := "--config wants a file with a flag a line, such as --slo=p99(e2e)<2s"
		if p.flags.config == "" {
			hint = configVariable + " names it: " + hint
		}
		return failed(name, err, hint)
	}
	zones := zoneSources(p.flags.zones)
	given := map[string]bool{}
	set.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	lists := map[string][]string{}
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := name + ":" + strconv.Itoa(i+1)
		flag, value, err := configLine(at, line)
		if err != nil {
			return err
		}
		// The format that reports are to have is none of a command that writes no report.
		otherFormat := flag.name == "format" && c.formats != nil && !slices.Contains(c.formats, value)
		if !slices.Contains(c.flags, flag.name) || otherFormat {
			continue
		}
		switch _, several := flag.bind(&flagValues{}).(*[]string); {
		case several && value == "":
			err = errors.New("--" + flag.name + ": the value is empty")
		case flag.name == "tz" && slices.Contains(zones, zoneSource(value)):
			continue
		case several:
			lists[flag.name] = append(lists[flag.name], value)
		case given[flag.name] || slices.ContainsFunc(rivals(c, flag.name), func(name string) bool { return given[name] }):
			continue
		default:
			err = set.Set(flag.name, value)
		}
		if err != nil {
			return usage(at, err.Error(), "see tailpath help flags")
		}
		p.configArgs = append(p.configArgs, "--"+flag.name+"="+value)
	}
	for name, values := range lists {
		for _, f := range flagSpecs {
			if at, list := f.bind(&p.flags).(*[]string); list && f.name == name {
				*at = append(values, *at...)
			}
		}
	}
	return nil
}

// mostConfig is how long a file of flags may be.
const mostConfig = 1 << 20

// readConfig reads a file of flags, as far as one may reach: a name that was mistaken may be that
// of the traces of a week.
func readConfig(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostConfig+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > mostConfig || bytes.IndexByte(data, 0) >= 0:
		return nil, errors.New("it is no file of flags")
	}
	return data, nil
}

// rivals are the flags that cannot stand beside another in a command.
func rivals(c command, name string) []string {
	switch {
	case name == "week":
		return []string{"since", "until", "split", "base-since", "base-until"}
	case name == "since", name == "until":
		return []string{"week"}
	case name == "split":
		return []string{"base-since", "base-until", "week", "baseline"}
	case name == "base-since", name == "base-until":
		return []string{"split", "week", "baseline"}
	case name == "baseline":
		return []string{"split", "base-since", "base-until"}
	case name == "store" && c.name == "ingest":
		return []string{"output"}
	case name == "output" && c.name == "ingest":
		return []string{"store"}
	}
	return nil
}

// zoneSource returns what a value of --tz is the zone of; empty for all that has no other.
func zoneSource(value string) string {
	if source, _, ok := cutLast(value, "="); ok {
		return source
	}
	return ""
}

// zoneSources returns what some values of --tz are the zones of.
func zoneSources(values []string) (out []string) {
	for _, v := range values {
		out = append(out, zoneSource(v))
	}
	return out
}

// configLine reads a line of a file of flags: --name=value, --name value, or --name of a switch.
// A value reaches to the end of the line, as it stands.
func configLine(at, line string) (flag flagSpec, value string, err error) {
	word := line
	if i := strings.IndexAny(line, "= \t"); i >= 0 {
		word, value = line[:i], strings.TrimSpace(line[i+1:])
	}
	known := slices.IndexFunc(flagSpecs, func(f flagSpec) bool { return word == "--"+f.name || f.short != "" && word == "-"+f.short })
	if known < 0 {
		hint := "a line is a flag: --name, --name=value or a # and a remark"
		var names []string
		for _, f := range flagSpecs {
			names = append(names, f.name)
		}
		if near := nearest(strings.TrimLeft(word, "-"), names); near != "" && strings.HasPrefix(word, "-") {
			hint = "did you mean --" + near + "?"
		}
		return flagSpec{}, "", usage(at, word+" is no flag", hint)
	}
	flag = flagSpecs[known]
	if slices.Contains(unconfigured, flag.name) {
		return flagSpec{}, "", usage(at, "--"+flag.name+" cannot stand in a file of flags", "give it on the command line")
	}
	if quoted(value) && flag.name != "log-format" { // whose declarations may be in quotes
		return flagSpec{}, "", usage(at, "the value of --"+flag.name+" is in quotes", "a value reaches to the end of the line, as it stands: leave out the quotes")
	}
	if _, is := flag.bind(&flagValues{}).(*bool); is && value == "" {
		value = "true"
	}
	return flag, value, nil
}

// quoted reports whether a text is between two quotes that hold no other.
func quoted(text string) bool {
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' {
		return false
	}
	return strings.IndexByte(text[1:], text[0]) == len(text)-2
}

// commandLine returns the command line that gives this run without a file of flags: the flags of
// the file stand behind the command's name, where what comes later has the last word, and the
// file is not named, of which some flags would be there twice.
func (p *program) commandLine() []string {
	at := 0
	if len(p.args) > 0 && slices.Contains(commandNames(), p.args[0]) {
		at = 1
	}
	return slices.Concat([]string{"tailpath"}, p.args[:at], p.configArgs, withoutConfig(p.args[at:]))
}

// withoutConfig leaves --config out of the arguments of a command.
func withoutConfig(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		of := []string{arg}
		if takesNext(arg) && i+1 < len(args) {
			i++
			of = append(of, args[i])
		}
		if name, _, _ := strings.Cut(arg, "="); name != "--config" {
			out = append(out, of...)
		}
	}
	return out
}

// takesNext reports whether an argument is a flag whose value is the argument behind it.
func takesNext(arg string) bool {
	long, isLong := strings.CutPrefix(arg, "--")
	for _, f := range flagSpecs {
		if _, is := f.bind(&flagValues{}).(*bool); is {
			continue
		}
		// Of letters that stand together only the last one can want a value.
		if isLong && long == f.name || !isLong && f.short != "" && len(arg) > 1 && strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, f.short) && letters(arg[1:len(arg)-1]) {
			return true
		}
	}
	return false
}

// letters reports whether a text is made of the letters of switches alone.
func letters(text string) bool {
	for _, c := range text {
		if !slices.ContainsFunc(flagSpecs, func(f flagSpec) bool {
			_, is := f.bind(&flagValues{}).(*bool)
			return is && f.short == string(c)
		}) {
			return false
		}
	}
	return true
}
