package serverlog

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestScopes says that there is one row for each service, host, instance and format.
func TestScopes(t *testing.T) {
	request := benchLines["haproxy-bare"]
	log := strings.Join([]string{
		"<134>Aug 20 12:00:03 lb1 haproxy[1]: " + request,
		"<134>Aug 20 12:00:03 lb2 haproxy[1]: " + request,
		"<134>Aug 20 12:00:03 lb1 haproxy[2]: " + request,
		"[pod/edge-1/haproxy] " + request,
		"[pod/edge-2/haproxy] " + request,
		"[pod/edge-1/haproxy] " + request,
		benchLines["envoy"],
		request,
	}, "\n")
	_, set, _ := readLog(t, strings.NewReader(log), Options{})
	var got []string
	for i := range set.Scopes.Len() {
		text := set.Symbols.Text
		got = append(got, fmt.Sprintf("%s %s@%s#%s", text(set.Scopes.Scope[i]), text(set.Scopes.Service[i]), text(set.Scopes.Host[i]), text(set.Scopes.Instance[i])))
	}
	want := "haproxy haproxy@lb1#, haproxy haproxy@lb2#, haproxy haproxy@#edge-1, haproxy haproxy@#edge-2, envoy envoy@#, haproxy haproxy@#"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	for i, row := range []int32{0, 1, 0, 2, 3, 2, 4, 5} {
		if i < set.Spans.Len() && set.Spans.ScopeRow[i] != row {
			t.Errorf("line %d has scope %d, want %d", i+1, set.Spans.ScopeRow[i], row)
		}
	}
}

// TestLong reads more rows than room is made for at once.
func TestLong(t *testing.T) {
	for name, want := range map[string]string{"haproxy-bare": "9000 0 0", "vllm-stats": "0 0 54000", "unknown": "0 0 0"} {
		_, set, s := readLog(t, bytes.NewReader(benchLog(name, 9000)), Options{Year: 2026})
		checkRows(t, set)
		checkStats(t, s, set)
		if got := fmt.Sprint(s.Spans, s.Logs, s.Samples); got != want {
			t.Errorf("%s: %s rows, want %s", name, got, want)
		}
	}
}

// steadyFormat has times of an unknown origin.
const steadyFormat = `
id: up
title: a test
doc: Times count from the start of the process.
kind: engine
service: up
clock: steady
records:
  - {id: mark, example: '12.5 mark', pattern: '{time:epoch_s} mark', log: {}}
  - {id: bare, example: 'bare', pattern: 'bare', log: {}}
`

// TestSteady says that the times of a format may be no dates, and that those of what wraps
// its lines are.
func TestSteady(t *testing.T) {
	times, issues, _ := gist(t, onlyFormats(t, steadyFormat), "12.5 mark\n2026-08-20T12:00:00.123456789Z stdout F bare\n", Options{})
	if got := strings.Join(times, " "); got != "steady:12.5s 2026-08-20T12:00:00.123456789Z" || len(issues) > 0 {
		t.Errorf("got %s, issues %v", got, issues)
	}
}

// TestUser says that a user's format takes the place of the one that has its id.
func TestUser(t *testing.T) {
	own := loadText(t, strings.Replace(steadyFormat, "id: up", "id: haproxy", 1))
	formats, err := Builtin().With(own)
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := formats.Lookup("haproxy"); f != own || formats.List()[0] != own || len(formats.List()) != len(Builtin().List()) {
		t.Error("the user's format does not stand for the one of its id")
	}
	_, set, _ := readLog(t, strings.NewReader(benchLines["haproxy-bare"]+"\n"), Options{Formats: formats})
	if set.Spans.Len() != 0 {
		t.Error("the format that was replaced reads on")
	}
}

// TestAllocations says that a line that is read for the second time allocates nothing but
// its rows and their texts.
func TestAllocations(t *testing.T) {
	for name, most := range map[string]float64{"haproxy-bare": 0, "envoy": 1, "vllm-unmatched": 0, "unknown": 0} {
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "log", Options{Year: 2026, Zone: func(string, string) *time.Location { return time.UTC }})
		text := []byte(benchLines[name])
		d.wrapped = table.Missing
		for range 4000 {
			d.text(text) // rows have room for some time from here on
		}
		if n := testing.AllocsPerRun(100, func() { d.text(text) }); n > most {
			t.Errorf("%s: %v allocations a line, want %v", name, n, most)
		}
	}
}

// TestSize says that the size that a log is said to have tells nothing but how much room
// is made for rows.
func TestSize(t *testing.T) {
	for _, name := range []string{"haproxy-bare", "sglang-batch", "uvicorn"} {
		data := benchLog(name, 3000)
		_, want, _ := readLog(t, bytes.NewReader(data), Options{Year: 2026})
		for _, size := range []int64{-1, 1, int64(len(data)), 1 << 62} {
			_, got, _ := readLog(t, bytes.NewReader(data), Options{Year: 2026, Size: size})
			if diff := table.Difference(got, want); diff != "" {
				t.Errorf("%s: size %d: %s", name, size, diff)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("%s: size %d: %v", name, size, err)
			}
		}
	}
}
