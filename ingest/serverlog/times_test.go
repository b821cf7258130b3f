package serverlog

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones that the tests name are there on every machine

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// testFormat has a record of each kind.
const testFormat = `
id: unit
title: unit test
doc: A format of the tests.
kind: engine
service: unit
rank: [tp]
engine: dp
records:
  - id: day
    example: "day 08-20 12:00:00 x"
    pattern: "day {time:vllm} {word}"
    log: {}
    keep: [word]
  - id: dated
    example: "dated 2026-08-20 12:00:00Z x"
    pattern: "dated {time:datetime} {word}"
    log: {}
  - id: local
    example: "local 2026-08-20 12:00:00 x"
    pattern: "local {time:datetime} {word}"
    log: {}
  - id: step
    example: "step 2026-08-20 12:00:00Z DP0 TP1 running 4"
    pattern: "step {time:datetime} DP{dp:int} TP{tp:int} running {n:int}"
    samples: [{metric: running, field: n}]
  - id: start
    example: "start 08-20 12:00:00 id=a"
    pattern: "start {time:vllm} id={request_id:token}{? {extra}?}"
    begin: {key: request_id, time: received}
  - id: run
    example: "run 08-20 12:00:01 id=a"
    pattern: "run {time:vllm} id={request_id:token}"
    update: {key: request_id, time: running}
  - id: end
    example: "end 08-20 12:00:02 id=a"
    pattern: "end {time:vllm} id={request_id:token}"
    finish: {key: request_id}
    span:
      start: received
      end: time
      parts:
        - {until: running, stage: queue, detail: engine}
        - {until: end, stage: gpu, detail: compute}
  - id: took
    example: "took 5 ms"
    pattern: "took {total:ms} ms"
    span: {start: time - total, end: time}
  - id: whole
    example: "t=1787227200.5 done"
    pattern: "t={time:epoch_s} done"
    log: {}
`

// gist reads a log with the test format and returns its times and issues.
func gist(t interface {
	Helper()
	Fatalf(string, ...any)
}, formats *Formats, log string, opt Options) (times []string, issues map[string]int64, set *table.Set) {
	t.Helper()
	opt.Formats = formats
	set = table.NewSet()
	account := &table.Account{}
	d := NewDecoder(set, account, "log", opt)
	if err := d.Read(strings.NewReader(log), Start{Line: 1}); err != nil {
		t.Fatalf("%v", err)
	}
	checkRows(t, set)
	checkStats(t, d.Stats(), set)
	for i := range set.Logs.Len() {
		times = append(times, instant(set.Logs.Time[i], set.Logs.Clock[i]))
	}
	issues = map[string]int64{}
	for _, e := range account.Entries() {
		issues[e.ID] = e.Count
	}
	return times, issues, set
}

func TestYear(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	at := func(text string) int64 {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when.UnixNano()
	}
	for _, c := range []struct {
		name   string
		log    string
		opt    Options
		want   string
		issues string
	}{
		{"given", "day 08-20 12:00:00 x", Options{Year: 2024}, "2024-08-20T12:00:00Z", "log-assumed-utc 1"},
		{"unknown", "day 08-20 12:00:00 x\nday 08-20 12:00:01 y", Options{}, "steady:268548h0m0s steady:268548h0m1s", "log-no-year 1"},
		{"dated line before", "dated 2023-05-01 00:00:00Z x\nday 08-20 12:00:00 x", Options{}, "2023-05-01T00:00:00Z 2023-08-20T12:00:00Z", "log-assumed-utc 1 log-year-inferred 1"},
		{"dated line behind", "day 12-31 23:00:00 x\ndated 2023-01-01 00:00:00Z x", Options{}, "2022-12-31T23:00:00Z 2023-01-01T00:00:00Z", "log-assumed-utc 1 log-year-inferred 1"},
		{"reference", "day 12-31 23:59:59 x\nday 01-01 00:00:00 x", Options{Reference: at("2027-01-05T00:00:00Z"), ReferenceBasis: "the file's date"},
			"2026-12-31T23:59:59Z 2027-01-01T00:00:00Z", "log-assumed-utc 2 log-new-year 1 log-year-inferred 1"},
		{"reference a few hours early", "day 08-20 12:00:00 x", Options{Reference: at("2026-08-20T02:00:00Z"), ReferenceBasis: "x"}, "2026-08-20T12:00:00Z", "log-assumed-utc 1 log-year-inferred 1"},
		{"reference before", "day 12-20 12:00:00 x", Options{Reference: at("2026-08-20T02:00:00Z"), ReferenceBasis: "x"}, "2025-12-20T12:00:00Z", "log-assumed-utc 1 log-year-inferred 1"},
		{"the year given wins", "dated 2023-05-01 00:00:00Z x\nday 08-20 12:00:00 x", Options{Year: 2021}, "2023-05-01T00:00:00Z 2021-08-20T12:00:00Z", "log-assumed-utc 1"},
		{"new year", "day 12-31 23:59:59 x\nday 01-01 00:00:00 x\nday 12-31 23:59:59 x\nday 01-01 00:00:01 x", Options{Year: 2025},
			"2025-12-31T23:59:59Z 2026-01-01T00:00:00Z 2025-12-31T23:59:59Z 2026-01-01T00:00:01Z", "log-assumed-utc 4 log-new-year 1"},
		{"two years", "day 12-31 12:00:00 x\nday 05-01 12:00:00 x\nday 10-01 12:00:00 x\nday 02-01 00:00:00 x", Options{Year: 2025},
			"2025-12-31T12:00:00Z 2026-05-01T12:00:00Z 2026-10-01T12:00:00Z 2027-02-01T00:00:00Z", "log-assumed-utc 4 log-new-year 2"},
		{"29 February", "day 02-29 12:00:00 x", Options{Reference: at("2026-08-20T02:00:00Z"), ReferenceBasis: "x"}, "2024-02-29T12:00:00Z", "log-assumed-utc 1 log-year-inferred 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			times, issues, _ := gist(t, formats, c.log, c.opt)
			if got := strings.Join(times, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := spell(issues); got != c.issues {
				t.Errorf("issues %s, want %s", got, c.issues)
			}
		})
	}
}

func spell(issues map[string]int64) string {
	var s []string
	for _, i := range Issues() {
		if n := issues[i.ID]; n > 0 {
			s = append(s, fmt.Sprintf("%s %d", i.ID, n))
		}
	}
	return strings.Join(s, " ")
}

// TestYearOfRows says that rows that waited for their year are moved as a whole.
func TestYearOfRows(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	log := "start 12-31 23:59:58 id=a\nrun 12-31 23:59:59 id=a\nend 01-01 00:00:02 id=a\nstart 01-01 00:00:03 id=b\ndated 2026-01-01 00:00:05Z x\nend 01-01 00:00:06 id=b\n"
	_, issues, set := gist(t, formats, log, Options{})
	var b strings.Builder
	describeRows(&b, set)
	want := `span 3 unit "unit.end" 2025-12-31T23:59:58Z +4s error=1s id="a"
  +0s +1s queue/engine exact [field running]
  +1s +3s gpu/compute exact [the record's end]
span 6 unit "unit.end" 2026-01-01T00:00:03Z +3s error=1s id="b"
  +0s +3s gpu/compute exact [the record's end]
log 5 unit unit.dated 2026-01-01T00:00:05Z
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if issues["log-year-inferred"] != 1 || issues["log-new-year"] != 1 {
		t.Errorf("issues %v", issues)
	}
}

// TestCalendar reads dates of a log that goes on from any day, and compares them with
// those that were written.
func TestCalendar(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(rapid.IntRange(1990, 2100).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 366*86400).Draw(t, "second")) * time.Second)
		year := now.Year()
		var log strings.Builder
		var want []string
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			want = append(want, now.Format(time.RFC3339))
			log.WriteString("day " + now.Format("01-02 15:04:05") + " x\n")
			now = now.Add(time.Duration(rapid.IntRange(-3600, 150*86400).Draw(t, "step")) * time.Second)
		}
		times, _, _ := gist(t, formats, log.String(), Options{Year: year})
		if got := strings.Join(times, " "); got != strings.Join(want, " ") {
			t.Fatalf("got %s\nwant %s", got, strings.Join(want, " "))
		}
	})
}

func TestZone(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	in := func(string, string) *time.Location { return berlin }
	for _, c := range []struct{ name, log, want, issues string }{
		{"winter", "local 2026-01-20 12:00:00 x", "2026-01-20T11:00:00Z", ""},
		{"summer", "local 2026-08-20 12:00:00 x", "2026-08-20T10:00:00Z", ""},
		{"gap", "local 2026-03-29 02:30:00 x", "2026-03-29T01:30:00Z", "log-dst-gap 1"},
		{"around the gap", "local 2026-03-29 01:59:59 x\nlocal 2026-03-29 03:00:00 x", "2026-03-29T00:59:59Z 2026-03-29T01:00:00Z", ""},
		{"overlap", "local 2026-10-25 01:59:59 x\nlocal 2026-10-25 02:30:00 x\nlocal 2026-10-25 02:59:59 x\nlocal 2026-10-25 02:00:01 x\nlocal 2026-10-25 03:00:00 x",
			"2026-10-24T23:59:59Z 2026-10-25T00:30:00Z 2026-10-25T00:59:59Z 2026-10-25T01:00:01Z 2026-10-25T02:00:00Z", "log-dst-overlap 3"},
		{"with a zone of its own", "dated 2026-08-20 12:00:00Z x", "2026-08-20T12:00:00Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			times, issues, _ := gist(t, formats, c.log, Options{Zone: in})
			if got := strings.Join(times, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := spell(issues); got != c.issues {
				t.Errorf("issues %s, want %s", got, c.issues)
			}
		})
	}
	// Any time of any zone that exists once is what time.Date makes of it.
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia", "UTC"}).Draw(t, "zone")
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		z := zone{loc: loc}
		for range 20 {
			civil := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), 0).UTC()
			want := time.Date(civil.Year(), civil.Month(), civil.Day(), civil.Hour(), civil.Minute(), civil.Second(), 0, loc)
			got, where := z.instant(civil.UnixNano())
			if where == inZone && got != want.UnixNano() {
				t.Fatalf("%s in %s is %v, got %v", civil, name, want, time.Unix(0, got).UTC())
			}
			if back := time.Unix(0, got).In(loc).Format(time.DateTime); where != inGap && back != civil.Format(time.DateTime) {
				t.Fatalf("%s in %s reads %s", civil.Format(time.DateTime), name, back)
			}
		}
	})
}

// TestDurationsOnly says that a request that has a duration and no time lies on no clock,
// and on that of what wraps the line if that has one.
func TestDurationsOnly(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	for log, want := range map[string]string{
		"took 5 ms": "none:0s +5ms",
		"2026-08-20T12:00:00.123456789Z stdout F took 5 ms": "2026-08-20T12:00:00.118456789Z +5ms error=1ms",
	} {
		_, _, set := gist(t, formats, log, Options{})
		var b strings.Builder
		describeRows(&b, set)
		if !strings.Contains(b.String(), `"unit.took" `+want) {
			t.Errorf("%s: got %s", log, b.String())
		}
	}
}

func TestRanks(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	log := `step 2026-08-20 12:00:00Z DP0 TP0 running 4
step 2026-08-20 12:00:00Z DP0 TP1 running 4
step 2026-08-20 12:00:00Z DP0 TP1 running 4
step 2026-08-20 12:00:01Z DP0 TP0 running 4
step 2026-08-20 12:00:00Z DP0 TP0 running 4
step 2026-08-20 12:00:00Z DP1 TP0 running 4
step 2026-08-20 12:00:00Z DP0 TP0 running 5
`
	// Rank 1 has written the record twice, so that it is two, of which rank 0 has one and
	// then the other.
	_, issues, set := gist(t, formats, log, Options{})
	var got []string
	for i := range set.EngineSamples.Len() {
		got = append(got, fmt.Sprintf("%d:%s", set.EngineSamples.Line[i], set.Symbols.Text(set.EngineSamples.Engine[i])))
	}
	if s := strings.Join(got, " "); s != "1:0 3:0 4:0 6:1 7:0" || issues["log-rank-duplicate"] != 2 {
		t.Errorf("samples %s, issues %v", s, issues)
	}
}

func TestPairs(t *testing.T) {
	formats := onlyFormats(t, testFormat)
	for _, c := range []struct{ name, log, want, issues string }{
		{"in turn", "start 08-20 12:00:00 id=a\nend 08-20 12:00:02 id=a\nstart 08-20 12:00:03 id=a\nend 08-20 12:00:04 id=a", "2:0s+2s 4:3s+1s", ""},
		{"at once", "start 08-20 12:00:00 id=a\nstart 08-20 12:00:01 id=b\nend 08-20 12:00:02 id=b\nend 08-20 12:00:04 id=a", "3:1s+1s 4:0s+4s", ""},
		{"used again", "start 08-20 12:00:00 id=a\nstart 08-20 12:00:03 id=a\nend 08-20 12:00:04 id=a", "1:0s+? 3:3s+1s", "log-id-reused 1 log-unfinished 1"},
		{"no end", "start 08-20 12:00:00 id=a\nstart 08-20 12:00:01 id=b", "1:0s+? 2:1s+?", "log-unfinished 2"},
		{"no begin", "run 08-20 12:00:00 id=a\nend 08-20 12:00:01 id=a", "", "log-no-begin 1 log-no-begin-update 1"},
		{"other hosts", "<13>Aug 20 12:00:00 h1 p[1]: start 08-20 12:00:00 id=a\n<13>Aug 20 12:00:01 h2 p[1]: end 08-20 12:00:01 id=a", "1:0s+?", "log-no-begin 1 log-unfinished 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, issues, set := gist(t, formats, c.log, Options{Year: 2026, Zone: func(string, string) *time.Location { return time.UTC }})
			noon := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC).UnixNano()
			var got []string
			for i := range set.Spans.Len() {
				s := fmt.Sprintf("%d:%s", set.Spans.Line[i], time.Duration(set.Spans.Start[i]-noon))
				if set.Spans.End[i] == 0 {
					s += "+?"
				} else {
					s += "+" + time.Duration(set.Spans.End[i]-set.Spans.Start[i]).String()
				}
				got = append(got, s)
			}
			if s := strings.Join(got, " "); s != c.want || spell(issues) != c.issues {
				t.Errorf("got %s and %s, want %s and %s", s, spell(issues), c.want, c.issues)
			}
		})
	}
}

// TestCut says that records without a line feed between them are told apart, and that a
// text within a record is not taken for another.
func TestCut(t *testing.T) {
	stats := benchLines["vllm-stats"]
	for _, c := range []struct {
		log   string
		lines int64
		used  int64
	}{
		{stats, 1, 1},
		{stats + stats, 2, 2},
		{stats + stats + stats, 3, 3},
		{"Loading shards: 50%" + stats, 2, 1},
		{benchLines["vllm-unmatched"] + stats, 2, 1},
		{stats + "Traceback (INFO", 1, 1},
	} {
		_, set, s := readLog(t, strings.NewReader(stats+"\n"+c.log+"\n"), Options{Year: 2026})
		if s.Lines != c.lines+1 || s.Used != c.used+1 {
			t.Errorf("%d lines and %d used, want %d and %d: %s", s.Lines-1, s.Used-1, c.lines, c.used, c.log)
		}
		checkStats(t, s, set)
	}
}

// TestParentID reads the caller's span id from the headers that carry one.
func TestParentID(t *testing.T) {
	for text, want := range map[string]string{
		"00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01":   "b7ad6b7169203331",
		"0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1":       "b7ad6b7169203331",
		"8448eb211c80319c-b7ad6b7169203331":                         "b7ad6b7169203331",
		"0af7651916cd43dd8448eb211c80319c":                          "",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01":   "",
		"1-0af76519-16cd43dd8448eb211c80319c":                       "",
		"0af76519-16cd-43dd-8448-eb211c80319c":                      "",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333x-01":   "",
		" 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00 ": "b7ad6b7169203331",
	} {
		if got := string(appendParentID(nil, []byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTraceID(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for text, want := range map[string]string{
		id: id, "4BF92F3577B34DA6A3CE929D0E0E4736": id, "00-" + id + "-00f067aa0ba902b7-01": id, id + "-00f067aa0ba902b7-1": id,
		"Root=1-4bf92f35-77b34da6a3ce929d0e0e4736": id, "Self=1-1-2;Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Sampled=1": id,
		"4bf92f35-77b3-4da6-a3ce-929d0e0e4736": id, "a3ce929d0e0e4736": "0000000000000000a3ce929d0e0e4736",
		"a3ce929d0e0e4736-00f067aa0ba902b7-1": "0000000000000000a3ce929d0e0e4736",
		"":                                    "", "-": "", "0": "", strings.Repeat("0", 32): "", "4bf9": "", "x" + id[1:]: "", "Root=": "", "a-b-c-d-e-f-g": "",
	} {
		if got := string(appendTraceID(nil, []byte(text))); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestTooManyOpen says that the oldest request is given up for one too many.
func TestTooManyOpen(t *testing.T) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", Options{Year: 2026, Formats: onlyFormats(t, testFormat)})
	d.open.limit = 2
	log := "start 08-20 12:00:00 id=a\nstart 08-20 12:00:01 id=b\nend 08-20 12:00:02 id=a\nstart 08-20 12:00:03 id=c\nstart 08-20 12:00:04 id=d\nend 08-20 12:00:05 id=b\nend 08-20 12:00:06 id=d\n"
	if err := d.Read(strings.NewReader(log), Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range set.Spans.Len() {
		got = append(got, fmt.Sprintf("%s %v", set.Spans.RequestID[i], set.Spans.End[i] > 0))
	}
	// The end of b has no beginning any more, and is an instant.
	if s := strings.Join(got, ", "); s != "a true, b false, d true, c false" || account.Count("log-too-many-open") != 1 || account.Count("log-no-begin") != 1 {
		t.Errorf("got %s, %+v", s, account.Entries())
	}
}
