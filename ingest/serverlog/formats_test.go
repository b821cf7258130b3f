package serverlog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/table"
)

var update = flag.Bool("update", false, "rewrite testdata/*/*.golden")

// TestFormats compiles every built-in format and looks its examples up: that of record i
// is a line of record i of the format.
func TestFormats(t *testing.T) {
	files, err := builtinFiles.ReadDir("formats")
	if err != nil || len(files) == 0 {
		t.Fatalf("no formats: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file.Name(), ".yaml"), func(t *testing.T) {
			f, err := loadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			s := f.NewScratch()
			for _, r := range f.Records {
				line := &format.Line{Text: []byte(r.Example)}
				got, values, head := f.Match(line, s)
				switch {
				case got == nil:
					near, field, column := f.Near(line, s)
					t.Errorf("record %s does not match its example (head matched: %v; near: %v field %q column %d)\n%s", r.ID, head, near != nil, field, column, r.Example)
				case got != r:
					t.Errorf("the example of record %s is one of record %s\n%s", r.ID, got.ID, r.Example)
				case got.Bad(values) != "":
					t.Errorf("record %s: field %s of the example is bad", r.ID, got.Bad(values))
				}
			}
		})
	}
}

// TestBuiltin says that the formats go together.
func TestBuiltin(t *testing.T) {
	list, err := loadBuiltin()
	if err != nil {
		t.Fatal(err)
	}
	formats, err := NewFormats(list...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats.List() {
		for _, id := range f.Over {
			if _, ok := formats.Lookup(id); !ok {
				t.Errorf("format %s wins over %s, which is no format", f.ID, id)
			}
		}
	}
}

// TestGolden reads every testdata/FORMAT/*.log and compares what comes of it with the
// .golden beside it. A file of the same name that ends in .options has a line an option:
//
//	year 2026
//	tz Europe/Berlin
//	reference 2026-08-21T00:00:00Z
//	format haproxy
//
// Without one, the year is 2026 and nothing else is given.
func TestGolden(t *testing.T) {
	logs, err := filepath.Glob("testdata/*/*.log")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		name := strings.TrimSuffix(log, ".log")
		t.Run(strings.TrimPrefix(name, "testdata/"), func(t *testing.T) {
			data, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			got := explain(data, goldenOptions(t, name+".options"))
			if *update {
				if err := os.WriteFile(name+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func goldenOptions(t *testing.T, file string) Options {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return Options{Year: 2026}
	}
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{ReferenceBasis: "the reference of the test"}
	for _, text := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		key, value, _ := strings.Cut(text, " ")
		err, ok := error(nil), true
		switch key {
		case "year":
			_, err = fmt.Sscan(value, &opt.Year)
		case "tz":
			loc, e := time.LoadLocation(value)
			err = e
			opt.Zone = func(string, string) *time.Location { return loc }
		case "reference":
			at, e := time.Parse(time.RFC3339, value)
			opt.Reference, err = at.UnixNano(), e
		case "format":
			opt.Format, ok = Builtin().Lookup(value)
		default:
			ok = false
		}
		if err != nil || !ok {
			t.Fatalf("%s: %q: %v", file, text, err)
		}
	}
	return opt
}

// explain reads a log and spells the rows, statistics and issues that come of it:
//
//	span 1 haproxy@lb1 "POST /v1/chat/completions" 2026-08-20T12:00:00.101Z +3.418s ...
//	  +0s +12ms queue/admission exact [field Tw]
func explain(data []byte, opt Options) string {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", opt)
	err := d.Read(bytes.NewReader(data), Start{Line: 1})
	var b strings.Builder
	if first := d.matcher.first; first >= 0 {
		fmt.Fprintf(&b, "format %s\n", d.matcher.formats.list[first].ID)
	}
	describeRows(&b, set)
	s := d.Stats()
	for _, u := range s.Unused {
		fmt.Fprintf(&b, "unused %d %s\n", u.Count, u.Why)
	}
	fmt.Fprintf(&b, "lines %d used %d\n", s.Lines, s.Used)
	for _, e := range account.Entries() {
		fmt.Fprintf(&b, "issue %s %s %d, first line %d: %s\n", table.SeverityNames[e.Severity], e.ID, e.Count, e.First.Line, e.Detail)
	}
	if err != nil {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	return b.String()
}

func describeRows(b *strings.Builder, set *table.Set) {
	text := set.Symbols.Text
	whose := func(scope int32) string {
		s := text(set.Scopes.Service[scope])
		if h := text(set.Scopes.Host[scope]); h != "" {
			s += "@" + h
		}
		if i := text(set.Scopes.Instance[scope]); i != "" {
			s += "#" + i
		}
		return s
	}
	part := 0
	for i := range set.Spans.Len() {
		t := &set.Spans
		fmt.Fprintf(b, "span %d %s %q %s", t.Line[i], whose(t.ScopeRow[i]), text(t.Name[i]), instant(t.Start[i], t.Clock[i]))
		if t.End[i] == 0 && t.Start[i] > 0 {
			b.WriteString(" unfinished")
		} else {
			fmt.Fprintf(b, " %+v", plus(t.End[i]-t.Start[i]))
		}
		optional(b, "error", t.Error[i], t.Error[i] != 0, true)
		optional(b, "ttft", t.TTFT[i], t.TTFT[i] != table.Missing, true)
		if t.Status[i] != 0 {
			fmt.Fprintf(b, " %s", table.StatusNames[t.Status[i]])
		}
		optional(b, "http", t.HTTPStatus[i], t.HTTPStatus[i] != table.Missing, false)
		optional(b, "prompt", t.PromptTokens[i], t.PromptTokens[i] != table.Missing, false)
		optional(b, "output", t.OutputTokens[i], t.OutputTokens[i] != table.Missing, false)
		optional(b, "cached", t.CachedTokens[i], t.CachedTokens[i] != table.Missing, false)
		for _, e := range [][2]string{{"id", t.RequestID[i]}, {"model", text(t.Model[i])}, {"route", text(t.Route[i])}} {
			if e[1] != "" {
				fmt.Fprintf(b, " %s=%q", e[0], e[1])
			}
		}
		attributes(b, set, &t.Attributes, i)
		for p := &set.Parts; part < p.Len() && int(p.SpanRow[part]) == i; part++ {
			fmt.Fprintf(b, "\n  %+v %+v %s", plus(p.Start[part]-t.Start[i]), plus(p.End[part]-p.Start[part]), table.StageNames[p.Stage[part]])
			if detail := text(p.Detail[part]); detail != "" {
				fmt.Fprintf(b, "/%s", detail)
			}
			fmt.Fprintf(b, " %s", table.ConfidenceNames[p.Confidence[part]])
			optional(b, "error", p.Error[part], p.Error[part] != 0, true)
			fmt.Fprintf(b, " [%s]", text(p.Basis[part]))
		}
		b.WriteByte('\n')
	}
	for i := range set.Logs.Len() {
		t := &set.Logs
		fmt.Fprintf(b, "log %d %s %s %s", t.Line[i], whose(t.ScopeRow[i]), text(t.EventName[i]), instant(t.Time[i], t.Clock[i]))
		if s := text(t.SeverityText[i]); s != "" {
			fmt.Fprintf(b, " %s", s)
		}
		attributes(b, set, &t.Attributes, i)
		b.WriteByte('\n')
	}
	for i := range set.EngineSamples.Len() {
		t := &set.EngineSamples
		fmt.Fprintf(b, "sample %d %s", t.Line[i], text(t.Service[i]))
		for _, e := range [][2]string{{"@", text(t.Host[i])}, {"#", text(t.Engine[i])}} {
			if e[1] != "" {
				b.WriteString(e[0] + e[1])
			}
		}
		fmt.Fprintf(b, " %s %s %v %s\n", instant(t.Time[i], t.Clock[i]), text(t.Metric[i]), t.Value[i], text(t.Unit[i]))
	}
}

func plus(ns int64) string {
	s := time.Duration(ns).String()
	if ns >= 0 {
		s = "+" + s
	}
	return s
}

func instant(ns int64, clock uint8) string {
	switch {
	case ns == table.Missing:
		return "no-time"
	case clock != table.ClockWall:
		return table.ClockNames[clock] + ":" + time.Duration(ns).String()
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

func optional(b *strings.Builder, name string, v int64, there, ns bool) {
	switch {
	case !there:
	case ns:
		fmt.Fprintf(b, " %s=%s", name, time.Duration(v))
	default:
		fmt.Fprintf(b, " %s=%d", name, v)
	}
}

func attributes(b *strings.Builder, set *table.Set, a *table.Attrs, row int) {
	for j := range a.Count(row) {
		e := a.At(row, j)
		text, _ := e.Value.Scalar()
		fmt.Fprintf(b, " %s=%q", set.Symbols.Text(e.Key), text)
	}
}

// loadText compiles a format of a test.
func loadText(t testing.TB, text string) *format.Format {
	t.Helper()
	f, err := Load([]byte(text), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// onlyFormats makes Formats of the texts of format files.
func onlyFormats(t testing.TB, texts ...string) *Formats {
	t.Helper()
	var list []*format.Format
	for _, text := range texts {
		list = append(list, loadText(t, text))
	}
	f, err := NewFormats(list...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// claimants returns the ids of the formats that claim a line, each asked alone.
func claimants(f *Formats, text string) []string {
	var ids []string
	for _, own := range f.List() {
		if r, _, _ := own.Match(&format.Line{Text: []byte(text)}, own.NewScratch()); r != nil && !r.Weak {
			ids = append(ids, own.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
