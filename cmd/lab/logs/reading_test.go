package logs

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"

	"pgregory.net/rapid"
)

// formatOf is the built-in format that must claim each kind.
var formatOf = map[string]string{
	"nginx": "nginx", "envoy": "envoy", "envoy-json": "envoy-json", "haproxy": "haproxy", "vllm": "vllm",
	"sglang": "sglang", "sglang-json": "sglang", "triton": "triton-log", "tgi": "tgi", "tgi-json": "tgi",
}

// ignorable are the reasons for which lines may be read and not used: known records that
// tell nothing new.
var ignorable = map[string]bool{"ignored: vllm.aborted-many": true, "ignored: triton-log.state": true}

// run simulates a scenario for as many requests as a test has time for.
func run(t rapid.TB, sc simulate.Scenario, server simulate.Server, requests int) *simulate.Capture {
	t.Helper()
	c, err := simulate.Run(sc, 7, simulate.Options{Server: server, Requests: requests})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// everyCapture runs f on a capture of each scenario and each server that it exists on.
func everyCapture(t *testing.T, requests int, f func(t *testing.T, c *simulate.Capture)) {
	for _, sc := range simulate.Scenarios() {
		for _, server := range simulate.Servers() {
			t.Run(sc.Name+"/"+string(server), func(t *testing.T) {
				if !sc.On(server) {
					t.Skip("the scenario does not exist on this server")
				}
				f(t, run(t, sc, server, requests))
			})
		}
	}
}

// write returns the files of a kind.
func write(t rapid.TB, c *simulate.Capture, kind string) []File {
	t.Helper()
	files, err := Write(c, kind)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readLog is a file read back.
type readLog struct {
	set     *table.Set
	account *table.Account
	stats   serverlog.Stats
}

// readBack reads a file with the built-in formats, in the zone of its host, and demands
// that its format is found and that every line is used.
func readBack(t rapid.TB, c *simulate.Capture, f File) *readLog {
	t.Helper()
	r := &readLog{set: table.NewSet(), account: &table.Account{}}
	if len(f.Data) == 0 {
		return r
	}
	found := serverlog.Detect(f.Data, serverlog.Builtin())
	if found.Format == nil || found.Format.ID != formatOf[f.Kind] {
		t.Fatalf("%s: detected as %v, not as %s", f.Name, found.Format, formatOf[f.Kind])
	}
	zone := time.FixedZone("", int(c.Zone[f.Host]/s))
	d := serverlog.NewDecoder(r.set, r.account, f.Name, serverlog.Options{
		Year: 2026, Zone: func(string, string) *time.Location { return zone }})
	if err := d.Read(bytes.NewReader(f.Data), serverlog.Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	r.stats = d.Stats()
	lines := int64(bytes.Count(f.Data, []byte("\n")))
	ignored := int64(0)
	for _, why := range r.stats.Unused {
		if !ignorable[why.Why] {
			t.Errorf("%s: %d lines are unused: %s", f.Name, why.Count, why.Why)
		}
		ignored += why.Count
	}
	if r.stats.Lines != lines || r.stats.Used+ignored != lines {
		t.Errorf("%s: %d lines, of which %d were met and %d used", f.Name, lines, r.stats.Lines, r.stats.Used)
	}
	r.mustNot(t, "log-bad-record", "log-bad-value", "log-no-time", "log-no-begin", "log-no-end", "log-too-many-open", "log-assumed-utc")
	return r
}

// values matches a line against a built-in format and returns its record and its fields.
func values(t rapid.TB, f *format.Format, s *format.Scratch, line string) (record string, fields map[string]match.Value) {
	t.Helper()
	r, got, _ := f.Match(&format.Line{Text: []byte(line)}, s)
	if r == nil {
		t.Fatalf("%s does not claim the line\n%s", f.ID, line)
	}
	if bad := r.Bad(got); bad != "" {
		t.Fatalf("%s.%s: field %s is bad in\n%s", f.ID, r.ID, bad, line)
	}
	fields = make(map[string]match.Value)
	for i, name := range r.Names() {
		if got[i].Present() {
			fields[name] = got[i].Clone()
		}
	}
	return r.ID, fields
}

// builtin returns a built-in format.
func builtin(t rapid.TB, id string) *format.Format {
	t.Helper()
	f, ok := serverlog.Builtin().Lookup(id)
	if !ok {
		t.Fatalf("no format %s", id)
	}
	return f
}

// textLines are the lines of a file.
func textLines(f File) []string {
	return strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
}

// parts are the lengths in ns of a span's parts, by stage and detail.
func (r *readLog) parts(span int) map[string]int64 {
	p, sum := &r.set.Parts, make(map[string]int64)
	for i := range p.Len() {
		if int(p.SpanRow[i]) == span {
			sum[table.StageNames[p.Stage[i]]+"/"+r.set.Symbols.Text(p.Detail[i])] += p.End[i] - p.Start[i]
		}
	}
	return sum
}

// within demands that a value is no further from another than a bound, all in ns.
func within(t rapid.TB, what string, got, want, bound int64) {
	t.Helper()
	if d := got - want; d < -bound || d > bound {
		t.Errorf("%s is %d ns, want %d: off by %d, at most %d allowed", what, got, want, d, bound)
	}
}

// cut demands that a value is another cut to a unit.
func cut(t rapid.TB, what string, got, want, unit int64) {
	t.Helper()
	if d := want - got; d < 0 || d >= unit || got%unit != 0 {
		t.Errorf("%s is %d ns, want %d cut to %d", what, got, want, unit)
	}
}

// mustNot demands that quality issues were not counted.
func (r *readLog) mustNot(t rapid.TB, ids ...string) {
	t.Helper()
	for _, e := range r.account.Entries() {
		if slices.Contains(ids, e.Issue.ID) {
			t.Errorf("%+v", e)
		}
	}
}
