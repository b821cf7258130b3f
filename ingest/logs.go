package ingest

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/table"
)

// Logs says how the lines of logs are read. The zero value is good: the built-in
// formats, told from the content.
type Logs struct {
	// Formats are the formats to choose from; nil for the built-in ones.
	Formats *serverlog.Formats
	// Rules give inputs a format whatever they look like; the first that matches counts.
	Rules []LogRule
	// Zones give a zone to times that have none; the first that matches counts. A time
	// that no zone matches is taken for UTC, which is counted.
	Zones []Zone
	// Year is that of the first line of logs whose times have none; 0 to infer it.
	Year int
	// KeepText keeps prompts, outputs and the bodies of log records in the tables.
	KeepText bool
}

// LogRule gives the inputs that match Pattern a format.
type LogRule struct {
	Pattern string
	Format  *format.Format
}

// Zone gives times without a zone one. Source is a pattern of input names or the id of
// a format.
type Zone struct {
	Source   string
	Location *time.Location
}

// formats returns the formats to choose from.
func (l *Logs) formats() *serverlog.Formats {
	if l.Formats == nil {
		return serverlog.Builtin()
	}
	return l.Formats
}

// ruleFor returns the format that a rule gives to an input, nil for none.
func (l *Logs) ruleFor(name string) *format.Format {
	for _, r := range l.Rules {
		if matchesInput(r.Pattern, name) {
			return r.Format
		}
	}
	return nil
}

// zone returns the zone of an input and format, nil for none.
func (l *Logs) zone(name, formatID string) *time.Location {
	for _, z := range l.Zones {
		if z.Source == formatID || matchesInput(z.Source, name) {
			return z.Location
		}
	}
	return nil
}

// matchesInput reports whether a pattern means an input: its name, the last part of
// it, or a directory above it.
func matchesInput(pattern, name string) bool {
	if pattern == name {
		return true
	}
	for _, part := range []string{name, filepath.Base(name)} {
		if ok, err := filepath.Match(pattern, part); err == nil && ok {
			return true
		}
	}
	dir := strings.TrimSuffix(pattern, string(filepath.Separator)) + string(filepath.Separator)
	return strings.HasPrefix(name, dir)
}

// checkUsed counts the rules and zones that mean none of the inputs: a slip of the pen
// would change nothing, and nobody would see it.
func (l *Logs) checkUsed(jobs []*job, account *table.Account) {
	check := func(pattern string) {
		for _, j := range jobs {
			if matchesInput(pattern, j.name) {
				return
			}
		}
		account.Add(FlagUnused, 1, table.Place{}, "pattern "+pattern)
	}
	for _, r := range l.Rules {
		check(r.Pattern)
	}
	for _, z := range l.Zones {
		if _, ok := l.formats().Lookup(z.Source); !ok {
			check(z.Source)
		}
	}
}
