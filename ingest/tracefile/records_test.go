package tracefile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// checker is a testing.TB or a rapid.T.
type checker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// recordsOf reads a text of a format.
func recordsOf(t checker, f Format, text string) (*table.Set, *table.Account, Stats) {
	t.Helper()
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "in.json")
	if err := d.Read(strings.NewReader(text), f); err != nil {
		t.Fatal(err)
	}
	if err := set.Validate(); err != nil {
		t.Fatal(err)
	}
	return set, account, d.Stats()
}

// corpus returns a file of the shared corpus; without one the test is skipped.
func corpus(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	text, err := os.ReadFile(filepath.Join(root, "cases", "servers", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// partsOf lists the parts of a span, by times since its start.
func partsOf(set *table.Set, row int) []string {
	var list []string
	p := &set.Parts
	for i := range p.Len() {
		if int(p.SpanRow[i]) != row {
			continue
		}
		text := set.Symbols.Text
		list = append(list, fmt.Sprintf("%d..%d %s/%s %s ±%d %s", p.Start[i]-set.Spans.Start[row], p.End[i]-set.Spans.Start[row],
			table.StageNames[p.Stage[i]], text(p.Detail[i]), table.ConfidenceNames[p.Confidence[i]], p.Error[i], text(p.Basis[i])))
	}
	return list
}

// checkRecords fails on what no reader of records may do, whatever the input: parts that
// overlap, are outside of their span or out of order, and ids that are empty or taken.
func checkRecords(t checker, set *table.Set, stats Stats) {
	t.Helper()
	spans, parts := &set.Spans, &set.Parts
	if int64(spans.Len()) != stats.Spans {
		t.Fatalf("%d rows, %d spans counted", spans.Len(), stats.Spans)
	}
	ids := map[table.SpanID]int{}
	for i := range spans.Len() {
		if spans.Start[i] == table.Missing {
			t.Fatalf("span %d has no start", i)
		}
		if spans.Origin[i] != table.OriginRecord || spans.Kind[i] != kindServer || spans.TraceID[i] == (table.TraceID{}) || spans.SpanID[i] == (table.SpanID{}) {
			t.Fatalf("span %d is no record's: %+v", i, spans.SpanID[i])
		}
		if other, ok := ids[spans.SpanID[i]]; ok {
			t.Fatalf("spans %d and %d share an id", other, i)
		}
		ids[spans.SpanID[i]] = i
		if name := set.Symbols.Text(set.Scopes.Scope[spans.ScopeRow[i]]); name == "" {
			t.Fatalf("span %d has no scope", i)
		}
	}
	for i, parent := range spans.ParentID {
		if parent == (table.SpanID{}) {
			continue
		}
		row, ok := ids[parent]
		if !ok || spans.TraceID[row] != spans.TraceID[i] {
			t.Fatalf("span %d has a parent that is not in its trace", i)
		}
	}
	for i := range parts.Len() {
		row := parts.SpanRow[i]
		if parts.Start[i] >= parts.End[i] || parts.Start[i] < spans.Start[row] || parts.End[i] > spans.End[row] || parts.Error[i] < 0 {
			t.Fatalf("part %d [%d, %d) ±%d is not within its span [%d, %d)", i, parts.Start[i], parts.End[i], parts.Error[i], spans.Start[row], spans.End[row])
		}
		if i > 0 && parts.SpanRow[i-1] == row && parts.End[i-1] > parts.Start[i] {
			t.Fatalf("parts %d and %d overlap", i-1, i)
		}
	}
}

// secret is what the prompts and answers of the tests hold; no reader may keep it.
const secret = "THE-PROMPT"

// checkSecret fails when a table or an account holds the secret.
func checkSecret(t checker, set *table.Set, account *table.Account) {
	t.Helper()
	for i := range set.Symbols.Len() {
		if strings.Contains(set.Symbols.Text(table.Sym(i)), secret) {
			t.Fatal("a prompt became a symbol")
		}
	}
	for i := range set.Spans.Len() {
		for j := range set.Spans.Attributes.Count(i) {
			if strings.Contains(string(set.Spans.Attributes.At(i, j).Value.Text), secret) {
				t.Fatal("a prompt became an attribute")
			}
		}
		if strings.Contains(set.Spans.RequestID[i], secret) {
			t.Fatal("a prompt became a request id")
		}
	}
	for _, e := range account.Entries() {
		if strings.Contains(e.Detail, secret) {
			t.Fatal("a prompt became a detail")
		}
	}
}

// TestRecordFormatsSniff holds that each sample of a server is known as its own format,
// however little of it is given, and that nothing else is.
func TestRecordFormatsSniff(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Format
	}{
		"triton":                  {tritonExample, TritonTrace},
		"triton of one object":    {`[{"model_name":"m","model_version":1,"id":1,"timestamps":[{"name":"request handler start","ns":5}]}]`, TritonTrace},
		"triton without brackets": {`{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5}]}`, TritonTrace},
		"triton, tensor first":    {`[{"id":1,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"x","data":"` + strings.Repeat("1,", 900) + `"}}`, TritonTrace},
		"dynamo":                  {dynamoExample, DynamoRequestTrace},
		"dynamo, wrapped":         {`{"timestamp":7,"event":` + dynamoExample + `}`, DynamoRequestTrace},
		"perf metrics":            {trtllmExample, TensorRTMetrics},
		"disaggregated":           {trtllmPair, TensorRTMetrics},
		"vllm":                    {vllmExample, ResponseBody},
		"llama.cpp":               {llamaExample, ResponseBody},
		"ollama":                  {ollamaExample, ResponseBody},
		"ollama, streamed":        {`{"model":"m","created_at":"2026-08-20T12:00:03Z","response":"x","done":false}` + "\n" + ollamaExample, ResponseBody},
		"openai without times":    {`{"id":"x","object":"chat.completion","choices":[{"message":{}}],"usage":{}}`, Unknown},
		"a stream of chunks":      {"event: x\ndata: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\n", ResponseBody},
		"a stream of something":   {"data: {\"a\":1}\n\ndata: {\"a\":2}\n\n", Unknown},
		"a log with activities":   {`{"id":5,"activity":"login","level":"info"}`, Unknown},
		"a model's version alone": {`{"id":5,"model_version":3,"accuracy":0.9}`, Unknown},
		"a log with trace ids":    {`{"id":"5","traceId":"ab","timestamp":"2026-08-20T12:00:03Z"}`, Unknown},
		"a log with numeric time": {`{"id":"5","traceId":"ab","timestamp":1787227203000,"level":"info","message":"x"}`, Unknown},
		"a kind and trace ids":    {`{"id":"5","traceId":"ab","parentId":"3","kind":"note"}`, Unknown},
		"zipkin, times in quotes": {`[{"id":"5","traceId":"ab","timestamp":"1787227203000000"}]`, ZipkinJSON},
		"zipkin, endpoint alone":  {`[{"id":"5","traceId":"ab","localEndpoint":{"serviceName":"x"}}]`, ZipkinJSON},
		"jaeger found nothing":    {`{"data":[],"total":0,"limit":0,"offset":0,"errors":null}`, JaegerJSON},
		"jaeger failed":           {`{"data":null,"total":0,"limit":0,"offset":0,"errors":[{"code":404,"msg":"trace not found"}]}`, JaegerJSON},
		"an answer of some kind":  {`{"data":[],"total":0,"errors":null}`, Unknown},
		"otlp":                    {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00","spanId":"00","name":"x"}]}]}]}`, Unknown},
		"a log":                   {`{"timestamp":"x","message":"y","level":"info"}`, Unknown},
		"an id and a name":        {`[{"id":1,"name":"x","activity_count":3}]`, Unknown},
		"empty":                   {``, Unknown},
		"number":                  {`123`, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Sniff([]byte(c.text), true); got != c.want {
				t.Errorf("whole: %v, want %v", got, c.want)
			}
			if strings.HasPrefix(name, "jaeger") { // an answer without spans shows when all of it is there
				if got := Sniff([]byte(c.text), false); got != Unknown {
					t.Errorf("cut: %v", got)
				}
				return
			}
			if got := Sniff([]byte("\xef\xbb\xbf \n"+c.text), false); got != c.want {
				t.Errorf("behind a byte order mark: %v, want %v", got, c.want)
			}
		})
	}
}

// TestRecordSniffOfCutHead holds that a head may end inside the first record.
func TestRecordSniffOfCutHead(t *testing.T) {
	tensor := `[{"id":1,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"x","data":"` + strings.Repeat("1,", 900)
	answer := `{"model":"o","created_at":"2026-08-20T12:00:03Z","done":true,"total_duration":100,"load_duration":10,"eval_duration":60,"context":[` + strings.Repeat("1,", 900)
	for text, want := range map[string]Format{tensor: TritonTrace, answer: ResponseBody, dynamoExample[:len(dynamoExample)-9]: DynamoRequestTrace, trtllmExample[:400]: TensorRTMetrics} {
		if got := Sniff([]byte(text), false); got != want {
			t.Errorf("%.40s is sniffed as %v", text, got)
		}
	}
}

// TestRecordReadsDoNotMatter holds that how the stream is cut into reads changes nothing.
func TestRecordReadsDoNotMatter(t *testing.T) {
	for f, text := range map[Format]string{
		TritonTrace: tritonExample, DynamoRequestTrace: dynamoExample, TensorRTMetrics: trtllmPair, ResponseBody: vllmExample + "\n" + ollamaExample,
	} {
		want, _, _ := recordsOf(t, f, text)
		got, account := table.NewSet(), &table.Account{}
		if err := NewDecoder(got, account, "in.json").Read(iotest.OneByteReader(strings.NewReader(text)), f); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(spanLines(want), spanLines(got)); d != "" {
			t.Errorf("%v: %s", f, d)
		}
	}
}

// spanLines describes every span of a set by what it holds, in an order of its own.
func spanLines(set *table.Set) []string {
	s, text := &set.Spans, set.Symbols.Text
	rows := map[table.SpanID]int{}
	for i, id := range s.SpanID {
		rows[id] = i
	}
	describe := func(i int) string { return fmt.Sprintf("%s [%d, %d)", text(s.Name[i]), s.Start[i], s.End[i]) }
	lines := make([]string, s.Len())
	for i := range lines {
		line := describe(i)
		for at := i; s.ParentID[at] != (table.SpanID{}); {
			at = rows[s.ParentID[at]]
			line += " < " + describe(at)
		}
		for j := range s.Attributes.Count(i) {
			a := s.Attributes.At(i, j)
			line += fmt.Sprintf(" %s=%s%x", text(a.Key), a.Value.Text, a.Value.Bits)
		}
		for e := range set.SpanEvents.Len() {
			if int(set.SpanEvents.SpanRow[e]) == i {
				line += fmt.Sprintf(" @%s=%d", text(set.SpanEvents.Name[e]), set.SpanEvents.Time[e])
			}
		}
		for _, p := range partsOf(set, i) {
			line += " |" + p
		}
		lines[i] = line
	}
	slices.Sort(lines)
	return lines
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text  string
		shift int
		want  int64
		exact bool
		ok    bool
	}{
		{"90321.1001", 9, 90321100100000, true, true},
		{"0.0000000005", 9, 1, false, true},
		{"0.0000000004", 9, 0, false, true},
		{"18.4", 6, 18400000, true, true},
		{"1e3", 0, 1000, true, true},
		{"-1.5E-3", 6, -1500, true, true},
		{"9223372036854775807", 0, 1<<63 - 1, true, true},
		{"9223372036854775808", 0, 0, false, false},
		{"1.7e18", 0, 17e17, true, true},
		{"000.00", 9, 0, true, true},
		{"0.30000000000000004", 9, 300000000, false, true},
		{"0.9999999999999999999999", 0, 1, false, true},
		{"1e999999999", 0, 0, false, false},
		{"", 0, 0, false, false}, {"-", 0, 0, false, false}, {".", 0, 0, false, false}, {"1x", 0, 0, false, false}, {"NaN", 0, 0, false, false}, {"1e", 0, 0, false, false},
	} {
		got, exact, ok := decimal([]byte(c.text), c.shift)
		if got != c.want || ok != c.ok || ok && exact != c.exact {
			t.Errorf("decimal(%q, %d) = %d, %v, %v", c.text, c.shift, got, exact, ok)
		}
	}
}

// TestRecordIssuesAreListed holds that the documentation lists every issue of the records
// with its severity.
func TestRecordIssuesAreListed(t *testing.T) {
	text, err := os.ReadFile("records_formats.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 3 && f[0] == "//" && slices.Contains(table.SeverityNames, f[2]) {
			listed[f[1]] = f[2]
		}
	}
	want := map[string]string{}
	for _, is := range recordIssues {
		want[is.ID] = table.SeverityNames[is.Severity]
		if !slices.Contains(Issues(), is) {
			t.Errorf("Issues lacks %s", is.ID)
		}
	}
	if d := cmp.Diff(want, listed); d != "" {
		t.Error(d)
	}
}
