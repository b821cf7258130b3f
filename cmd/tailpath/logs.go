package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones mean the same on every machine

	"github.com/spf13/cobra"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/serverlog/template"
)

// The least and greatest year that --year takes: those whose nanoseconds fit.
const (
	leastYear = 1970
	lastYear  = 2261
)

// logOptions makes of the flags about logs what ingest wants.
func (p *program) logOptions() (ingest.Logs, error) {
	logs := ingest.Logs{Year: p.flags.year, KeepText: p.flags.keepText}
	if y := p.flags.year; y != 0 && (y < leastYear || y > lastYear) {
		return logs, usage("--year "+strconv.Itoa(y), fmt.Sprintf("is no year from %d to %d", leastYear, lastYear), "give the year of the first line")
	}
	if len(p.flags.logs)+len(p.flags.logFormats) > 0 { // else they are loaded when they are needed
		logs.Formats = serverlog.Builtin()
		if err := p.addTemplates(&logs); err != nil {
			return logs, err
		}
		if err := p.addRules(&logs); err != nil {
			return logs, err
		}
	}
	// What names a source comes before the zone of all others, wherever it stands.
	if _, err := p.zone(); err != nil {
		return logs, err
	}
	var others []ingest.Zone
	for _, text := range p.flags.zones {
		zone, err := parseZone(text)
		switch {
		case err != nil:
			return logs, err
		case strings.Contains(text, "="):
			logs.Zones = append(logs.Zones, zone)
		case others == nil:
			others = []ingest.Zone{zone}
		}
	}
	logs.Zones = append(logs.Zones, others...)
	return logs, nil
}

// addTemplates adds the formats of --log-format before all others, the first one first.
// A configuration may hold several.
func (p *program) addTemplates(logs *ingest.Logs) error {
	var given []*format.Format
	n := 0
	for _, text := range p.flags.logFormats {
		where := "--log-format"
		if name, ok := strings.CutPrefix(text, "@"); ok {
			data, err := os.ReadFile(name)
			if err != nil {
				return failed(name, err, "--log-format @FILE wants the file that holds the log_format")
			}
			text, where = string(data), name
		}
		declarations, err := template.All(text)
		if err != nil {
			return usage(where, err.Error(), "give it as it stands in the configuration of nginx, Envoy or HAProxy: tailpath help formats")
		}
		for _, d := range declarations {
			if n++; n > 1 {
				d.ID += "-" + strconv.Itoa(n)
			}
			f, err := d.Compile()
			if err != nil {
				return usage(where, err.Error(), "tailpath help formats")
			}
			given = append(given, f)
		}
	}
	var err error
	if logs.Formats, err = logs.Formats.With(given...); err != nil {
		return usage("--log-format", err.Error(), "")
	}
	return nil
}

// addRules takes the formats that --logs gives to inputs; one that names a YAML file is
// read from there.
func (p *program) addRules(logs *ingest.Logs) error {
	files := map[string]*format.Format{}
	for _, text := range p.flags.logs {
		pattern, name, ok := cutLast(text, "=")
		if !ok || pattern == "" || name == "" {
			return usage("--logs "+text, "is not PATTERN=FORMAT", "such as --logs 'access*.log=nginx' or --logs app.log=mine.yaml")
		}
		f, known := logs.Formats.Lookup(name)
		if !known {
			f = files[name]
		}
		if f == nil {
			data, err := os.ReadFile(name)
			if err != nil {
				if !strings.ContainsAny(name, "./") {
					return usage("--logs "+text, "there is no format "+name, suggestion(name, formatIDs(logs.Formats)))
				}
				return failed(name, err, "FORMAT is a name of tailpath help formats, or a YAML file")
			}
			if len(bytes.TrimSpace(data)) == 0 {
				return usage(name, "the file is empty", "tailpath help formats tells how to write a format")
			}
			if f, err = serverlog.Load(data, name); err == nil {
				err = readsExamples(f)
			}
			if err == nil {
				logs.Formats, err = logs.Formats.With(f)
			}
			if err != nil {
				return formatFault(name, err)
			}
			files[name] = f
		}
		logs.Rules = append(logs.Rules, ingest.LogRule{Pattern: pattern, Format: f})
	}
	return nil
}

// readsExamples fails if a record of a format does not read its own example: then it
// reads no line of a log either.
func readsExamples(f *format.Format) error {
	s := f.NewScratch()
	for _, r := range f.Records {
		ok, other, field := false, "", ""
		for _, l := range line.Sample([]byte(r.Example + "\n")) {
			own := format.Line{Text: l.Text}
			got, _, _ := f.Match(&own, s)
			ok = ok || got == r
			if got != nil {
				other = got.ID
			} else if _, name, _ := f.Near(&own, s); name != "" {
				field = name
			}
		}
		switch {
		case ok:
		case other != "":
			return fmt.Errorf("the example of record %s is taken for %s, which is tried before it: put it first, or tell them apart with when", r.ID, other)
		case field != "":
			return fmt.Errorf("the example of record %s is none of it: what stands for field %s is not of its type", r.ID, field)
		default:
			return fmt.Errorf("the example of record %s is none of it: a line has to fit the record to its end, and each field of when has to be there", r.ID)
		}
	}
	return nil
}

// formatFault is the fault of a file that declares a format. The place within it comes
// before the message; of several faults the first is told.
func formatFault(name string, err error) error {
	f := &fault{code: exitFailed, where: name, what: err.Error(), hint: "tailpath help formats NAME shows a format in full", cause: err}
	first, more, _ := strings.Cut(f.what, "\n")
	if n := strings.Count(more, "\n"); more != "" {
		f.hint = fmt.Sprintf("mend it first; %d more behind it; tailpath help formats NAME shows a format in full", n+1)
	}
	f.what = strings.TrimPrefix(first, `format "": `)
	if rest, ok := strings.CutPrefix(f.what, name+":"); ok {
		if at := formatPlace.FindString(rest); at != "" {
			f.where, f.what = name+":"+strings.TrimSuffix(at, ": "), rest[len(at):]
		} else {
			f.what = strings.TrimSpace(rest)
		}
	}
	return f
}

var formatPlace = regexp.MustCompile(`^\d+(:\d+)?: `)

// formatIDs returns the names of formats in order.
func formatIDs(formats *serverlog.Formats) []string {
	var ids []string
	for _, f := range formats.List() {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return ids
}

// suggestion is the hint for a word that is none of those known.
func suggestion(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return "did you mean " + best + "? tailpath help formats lists all"
	}
	return "tailpath help formats lists all"
}

// cutLast cuts text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// parseZone reads a value of --tz: SOURCE=ZONE, or ZONE for all that has none.
func parseZone(text string) (ingest.Zone, error) {
	source, name, ok := cutLast(text, "=")
	if !ok {
		source, name = "*", text
	}
	location, err := zoneOf(name)
	if err != nil || source == "" {
		return ingest.Zone{}, usage("--tz "+text, "is no time zone", "such as --tz vllm=Europe/Berlin, --tz 'node7*.log=+08:00' or --tz UTC")
	}
	return ingest.Zone{Source: source, Location: location}, nil
}

// zoneOf returns the zone of a name of the IANA database, or of an offset such as
// +08:00, +8 or UTC+8, east of Greenwich if it is positive.
func zoneOf(name string) (*time.Location, error) {
	if name == "Z" || name == "utc" {
		return time.UTC, nil
	}
	offset := name
	for _, zero := range []string{"UTC", "GMT"} {
		if rest, ok := strings.CutPrefix(name, zero); ok && rest != "" && rest[0] != '0' {
			offset = rest
		}
	}
	if len(offset) == 2 {
		offset = offset[:1] + "0" + offset[1:]
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, offset); err == nil {
			_, seconds := t.Zone()
			return time.FixedZone("UTC"+offset, seconds), nil
		}
	}
	if name == "" || name == "Local" { // the zone of this machine says nothing of the log's
		return nil, fmt.Errorf("no zone %q", name)
	}
	return time.LoadLocation(name)
}

// completeLogFlag offers the values of a flag about logs to a shell: names of formats
// behind the pattern of --logs, which is a file before, and sources of --tz.
func completeLogFlag(name, word string) ([]string, cobra.ShellCompDirective) {
	before, _, assigned := cutLast(word, "=")
	var words []string
	switch {
	case name == "logs" && !assigned:
		return nil, cobra.ShellCompDirectiveDefault
	case name == "logs":
		for _, id := range formatIDs(serverlog.Builtin()) {
			words = append(words, before+"="+id)
		}
	case name == "tz" && assigned:
		words = []string{before + "=UTC"}
	case name == "tz":
		for _, id := range formatIDs(serverlog.Builtin()) {
			words = append(words, id+"=")
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// readingFlags spells the flags that change how inputs are read, for the next command.
func (p *program) readingFlags() []string {
	var out []string
	add := func(name string, values ...string) {
		for _, v := range values {
			out = append(out, "--"+name, v)
		}
	}
	if p.flags.stages != "" {
		add("stages", p.flags.stages)
	}
	add("logs", p.flags.logs...)
	add("log-format", p.flags.logFormats...)
	add("tz", p.flags.zones...)
	if p.flags.year != 0 {
		add("year", strconv.Itoa(p.flags.year))
	}
	add("join", p.flags.joins...)
	if p.flags.clock != "" && p.flags.clock != critical.ClockModeNames[critical.Raw] {
		add("clock", p.flags.clock)
	}
	return out
}
