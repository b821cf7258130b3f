package serverlog

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/table"
)

// checkRows fails the test unless the set is valid and the parts of every span are
// disjoint, in order and within it.
func checkRows(t interface{ Fatalf(string, ...any) }, set *table.Set) {
	if err := set.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	p, s := &set.Parts, &set.Spans
	for i := range p.Len() {
		row := p.SpanRow[i]
		if p.Start[i] >= p.End[i] || p.Start[i] < s.Start[row] || p.End[i] > s.End[row] {
			t.Fatalf("part %d [%d, %d) is not within its span [%d, %d)", i, p.Start[i], p.End[i], s.Start[row], s.End[row])
		}
		if p.Error[i] < 0 {
			t.Fatalf("part %d has error %d", i, p.Error[i])
		}
		if i > 0 && p.SpanRow[i-1] > row {
			t.Fatalf("part %d is of span %d, the one before it of %d", i, row, p.SpanRow[i-1])
		}
		if i > 0 && p.SpanRow[i-1] == row && p.Start[i] < p.End[i-1] {
			t.Fatalf("part %d begins before the one in front of it ends", i)
		}
	}
}

// checkStats fails the test unless every record is accounted for.
func checkStats(t interface{ Fatalf(string, ...any) }, s Stats, set *table.Set) {
	sum := s.Used
	for _, u := range s.Unused {
		if u.Count <= 0 {
			t.Fatalf("reason %q has count %d", u.Why, u.Count)
		}
		sum += u.Count
	}
	if sum != s.Lines {
		t.Fatalf("%d lines, %d used and unused: %+v", s.Lines, sum, s)
	}
	var records int64
	for _, r := range s.Records {
		records += r.Count
	}
	if records != s.Used {
		t.Fatalf("%d records used, %d by kind", s.Used, records)
	}
	if int(s.Spans) != set.Spans.Len() || int(s.Logs) != set.Logs.Len() || int(s.Samples) != set.EngineSamples.Len() {
		t.Fatalf("%d %d %d rows, counted %+v", set.Spans.Len(), set.Logs.Len(), set.EngineSamples.Len(), s)
	}
}

// anyLines are lines to make logs of: the examples of all formats, and the lines of all
// golden inputs.
func anyLines(t testing.TB) []string {
	t.Helper()
	var lines []string
	for _, f := range Builtin().List() {
		for _, r := range f.Records {
			lines = append(lines, r.Example)
		}
	}
	logs, err := filepath.Glob("testdata/*/*.log")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(data), "\n")...)
	}
	return lines
}

// damaged draws a line: one of lines as it is, cut, changed in a byte, or two run together.
func damaged(t *rapid.T, lines []string) string {
	text := rapid.SampledFrom(lines).Draw(t, "line")
	switch rapid.IntRange(0, 9).Draw(t, "damage") {
	case 0:
		return text[:rapid.IntRange(0, len(text)).Draw(t, "cut")]
	case 1:
		if len(text) > 0 {
			b := []byte(text)
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("-09 \"{}[]:.x\x00\xff")).Draw(t, "byte")
			return string(b)
		}
	case 2:
		return text + rapid.SampledFrom(lines).Draw(t, "second")
	case 3:
		return rapid.SampledFrom([]string{"", " ", "nothing known", "{}", "{\"a\":1}"}).Draw(t, "other")
	}
	return text
}

// TestAccount says of any log that every record is used or unused for a reason, that
// the rows are sound, and that they do not depend on how the log is cut into reads.
func TestAccount(t *testing.T) {
	lines := anyLines(t)
	rapid.Check(t, func(t *rapid.T) {
		var log strings.Builder
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			log.WriteString(damaged(t, lines) + "\n")
		}
		opt := Options{Year: rapid.SampledFrom([]int{0, 2026}).Draw(t, "year")}
		data := []byte(log.String())
		want, set, stats := readLog(t, bytes.NewReader(data), opt)
		checkRows(t, set)
		checkStats(t, stats, set)
		seed := rapid.Uint64().Draw(t, "seed")
		got, _, _ := readLog(t, &shredder{bytes.NewReader(data), rand.New(rand.NewPCG(seed, 0))}, opt)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("other rows from other reads: %s", diff)
		}
	})
}

// shredder cuts a stream into reads of any size.
type shredder struct {
	r   io.Reader
	rnd *rand.Rand
}

func (s *shredder) Read(p []byte) (int, error) {
	return s.r.Read(p[:min(len(p), 1+s.rnd.IntN(200))])
}

// readLog returns what comes of a log, spelled.
func readLog(t interface{ Fatalf(string, ...any) }, r io.Reader, opt Options) (string, *table.Set, Stats) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", opt)
	if err := d.Read(r, Start{Line: 1}); err != nil {
		t.Fatalf("%v", err)
	}
	var b strings.Builder
	describeRows(&b, set)
	for _, e := range account.Entries() {
		b.WriteString(e.ID + e.Detail + "\n")
	}
	return b.String(), set, d.Stats()
}

// TestSetting says that a set may have rows already, and a stream begin anywhere.
func TestSetting(t *testing.T) {
	log := []byte(benchLines["haproxy-bare"] + "\n")
	set := table.NewSet()
	for i := range 3 {
		d := NewDecoder(set, &table.Account{}, "log", Options{})
		if err := d.Read(bytes.NewReader(log), Start{Offset: int64(1000 * i), Line: int64(10*i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	checkRows(t, set)
	if set.Spans.Len() != 3 || set.Spans.Line[2] != 21 || set.Spans.Offset[2] != 2000 || set.Parts.SpanRow[set.Parts.Len()-1] != 2 {
		t.Errorf("rows are not where they were read: %v %v", set.Spans.Line, set.Spans.Offset)
	}
	if set.Spans.SpanID[0] == set.Spans.SpanID[1] {
		t.Error("records of two places have one id")
	}
}

// TestReadError says that an error of the reader is returned, and what stood before it read.
func TestReadError(t *testing.T) {
	gone := errors.New("gone")
	for _, r := range []io.Reader{
		io.MultiReader(strings.NewReader(benchLines["haproxy-bare"]+"\n"), iotest.ErrReader(gone)),
		io.MultiReader(bytes.NewReader(benchLog("haproxy-bare", 3000)), iotest.ErrReader(gone)),
	} {
		set := table.NewSet()
		err := NewDecoder(set, &table.Account{}, "log", Options{}).Read(r, Start{Line: 1})
		if !errors.Is(err, gone) || set.Spans.Len() == 0 {
			t.Errorf("%d spans and error %v", set.Spans.Len(), err)
		}
	}
}

// TestRecord reads the bodies of OTLP log records.
func TestRecord(t *testing.T) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "logs.json", Options{})
	at := table.Place{Source: "logs.json", Line: 3, Offset: 77}
	const noon = 1787227200_000000000
	for _, body := range []string{benchLines["haproxy-bare"], benchLines["haproxy-bare"] + "\n", benchLines["vllm-stats"]} {
		if !d.Record([]byte(body), at, noon, From{Host: "node-1", Service: "front"}) {
			t.Errorf("not used: %s", body)
		}
	}
	if d.Record([]byte("no known record"), at, table.Missing, From{}) {
		t.Error("used what is no record")
	}
	d.Close()
	checkRows(t, set)
	checkStats(t, d.Stats(), set)
	if set.Spans.SpanID[0] == set.Spans.SpanID[1] {
		t.Error("two records of one place have one id")
	}
	text := set.Symbols.Text
	scope := set.Spans.ScopeRow[0]
	if text(set.Scopes.Service[scope]) != "front" || text(set.Scopes.Host[scope]) != "node-1" || text(set.Scopes.Scope[scope]) != "haproxy" {
		t.Errorf("scope is %q %q %q", text(set.Scopes.Service[scope]), text(set.Scopes.Host[scope]), text(set.Scopes.Scope[scope]))
	}
	if got := instant(set.EngineSamples.Time[0], set.EngineSamples.Clock[0]); got != "2026-08-20T12:00:10Z" {
		t.Errorf("the time of the record gives no year: %s", got)
	}
}

// TestKeepText says that the text of a line is stored only if it is asked for.
func TestKeepText(t *testing.T) {
	line := `(APIServer pid=402) INFO:     10.0.3.14:51822 - "POST /v1/chat/completions HTTP/1.1" 200 OK`
	for _, keep := range []bool{false, true} {
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "log", Options{KeepText: keep})
		if err := d.Read(strings.NewReader(line+"\n"), Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		if set.Logs.Len() != 1 || set.Logs.Body.Count(0) != map[bool]int{true: 1}[keep] {
			t.Errorf("keep %v: %d rows, %d bodies", keep, set.Logs.Len(), set.Logs.Body.Items())
		}
	}
}

// TestPrivacy plants a text where a record holds what a client sent, in every format and
// in every damage, and looks for it in all that comes out.
func TestPrivacy(t *testing.T) {
	const secret = "pl4nted pr0mpt"
	prompts := []string{
		`INFO 08-20 12:00:00 [logger.py:39] Received request chatcmpl-1: prompt: '` + secret + ` (APIServer pid=1) INFO 08-20 12:00:00 [x.py:1] Added request ` + secret + `', params: SamplingParams(n=1, max_tokens=256), prompt_token_ids: None, lora_request: None, prompt_adapter_request: None.`,
		`(APIServer pid=402) INFO 08-20 12:00:03 [request_logger.py:98] Generated response chatcmpl-1 (streaming complete): output: '` + secret + `', finish_reason: streaming_complete`,
		`[2026-08-20 12:00:00] Receive: obj=GenerateReqInput(rid='1', text='` + secret + `', stream=True)`,
		`[2026-08-20 12:00:03] Finish: obj=GenerateReqInput(rid='1', text='` + secret + ` out={', stream=True), out={'text': '` + secret + `', 'meta_info': {'id': '1', 'queue_time': '` + secret + `', 'request_received_ts': 1787227200.1, 'request_finished_ts': 1787227203.5}}`,
		`{"request": {"id": "1", "body": "` + secret + `"}, "latencies": {"kong": "` + secret + `", "proxy": 911, "request": 3418}, "started_at": 1787227200101}`,
		`{"message":"` + secret + `","prompt":"` + secret + `"}`,
		secret,
		`I0820 12:00:30.000170 1 http_server.cc:4857] "` + secret + `"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var log strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			text := rapid.SampledFrom(prompts).Draw(t, "line")
			if rapid.Bool().Draw(t, "cut") {
				text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
			}
			// Processes share a line now and then.
			if log.Len() > 0 && rapid.Bool().Draw(t, "feed") {
				log.WriteString("\n")
			}
			log.WriteString(text)
		}
		got, set, stats := readLog(t, strings.NewReader(log.String()), Options{Year: 2026})
		for id := range set.Symbols.Len() {
			got += set.Symbols.Text(table.Sym(id))
		}
		for _, u := range stats.Unused {
			got += u.Why
		}
		if strings.Contains(got, secret) {
			t.Fatalf("a prompt came out:\n%s", got)
		}
	})
}

// FuzzDecoder reads any bytes with all formats.
func FuzzDecoder(f *testing.F) {
	for _, l := range anyLines(f) {
		f.Add([]byte(l + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, set, stats := readLog(t, bytes.NewReader(data), Options{})
		checkRows(t, set)
		checkStats(t, stats, set)
	})
}

// TestDetect says that each example of a record that tells a format is claimed by its
// format, and that the format of an input is that of most lines.
func TestDetect(t *testing.T) {
	for _, f := range Builtin().List() {
		for _, r := range f.Records {
			if r.Weak {
				continue
			}
			if got := Detect([]byte(r.Example+"\n"), Builtin()); got.Format != f {
				id := "none"
				if got.Format != nil {
					id = got.Format.ID
				}
				t.Errorf("the example of %s is taken for %s", r.Name, id)
			}
		}
	}
	mixed := benchLines["envoy"] + "\n" + benchLines["haproxy-bare"] + "\n" + benchLines["haproxy-bare"] + "\n\nsomething else\n"
	got := Detect([]byte(mixed), Builtin())
	if got.Format == nil || got.Format.ID != "haproxy" || got.Lines != 4 || got.Claimed != 2 || got.NeedsYear || !got.NeedsZone {
		t.Errorf("got %+v", got)
	}
	if got := Detect([]byte("something else\n"), Builtin()); got.Format != nil || got.Lines != 1 {
		t.Errorf("claimed by %+v", got)
	}
	if got := Detect([]byte(benchLines["vllm-stats"]), Builtin()); !got.NeedsYear {
		t.Errorf("a date without a year needs one: %+v", got)
	}
}

// TestMixed says that lines of other programs in a log are read, and that a known format
// keeps those of others out.
func TestMixed(t *testing.T) {
	log := benchLines["vllm-stats"] + "\n" + benchLines["haproxy-bare"] + "\n" + `INFO:     127.0.0.1:1 - "GET /health HTTP/1.1" 200 OK` + "\n"
	_, set, _ := readLog(t, strings.NewReader(log), Options{Year: 2026})
	if set.Spans.Len() != 1 || set.Logs.Len() != 1 || set.EngineSamples.Len() == 0 {
		t.Errorf("%d spans, %d logs, %d samples", set.Spans.Len(), set.Logs.Len(), set.EngineSamples.Len())
	}
	vllm, ok := Builtin().Lookup("vllm")
	if !ok {
		t.Fatal("no format vllm")
	}
	_, set, stats := readLog(t, strings.NewReader(log), Options{Year: 2026, Format: vllm})
	if set.Spans.Len() != 0 || set.Logs.Len() != 1 || stats.Used != 2 {
		t.Errorf("%d spans, %d logs, %+v", set.Spans.Len(), set.Logs.Len(), stats)
	}
}

// TestFormatsOrder says that a format stands before those it wins over, and a user's
// before those that come with tailpath.
func TestFormatsOrder(t *testing.T) {
	base := strings.ReplaceAll(testFormat, "id: unit", "id: %")
	a := strings.Replace(base, "id: %", "id: a", 1)
	b := strings.Replace(base, "id: %", "id: b\nover: [a]", 1)
	ids := func(f *Formats) string {
		var s []string
		for _, f := range f.List() {
			s = append(s, f.ID)
		}
		return strings.Join(s, " ")
	}
	f := onlyFormats(t, a, b)
	if got := ids(f); got != "b a" {
		t.Errorf("order is %s", got)
	}
	c := loadText(t, strings.Replace(base, "id: %", "id: c", 1))
	with, err := f.With(c, loadText(t, a))
	if err != nil || ids(with) != "c b a" {
		t.Errorf("order is %s, %v", ids(with), err)
	}
	if _, err := NewFormats(c, c); err == nil {
		t.Error("two formats of one id")
	}
	round := strings.Replace(base, "id: %", "id: a\nover: [b]", 1)
	if _, err := NewFormats(loadText(t, round), loadText(t, b)); err == nil {
		t.Error("formats that win over each other")
	}
	var none *format.Format
	if got := Detect([]byte("t=1 done\n"), with); got.Format == none {
		t.Error("nobody claims the line")
	}
}
