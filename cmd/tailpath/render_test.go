package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	reporttext "github.com/tailpath/tailpath/reports/text"
)

// goldenDocuments returns the documents that package reports keeps, by path.
func goldenDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("reports/testdata/*.json")
	if err != nil || len(paths) < 10 {
		t.Fatal("no documents: ", err)
	}
	docs := map[string][]byte{}
	for _, path := range paths {
		if docs[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

// TestRenderDrawsEveryGoldenDocument renders each document in each format: as JSON it is the
// same to the byte, as text it is what the text of the document is, and HTML can be rendered
// again.
func TestRenderDrawsEveryGoldenDocument(t *testing.T) {
	inRepository(t)
	dir := t.TempDir()
	docs := goldenDocuments(t)
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		doc, err := reports.ReadJSON(bytes.NewReader(docs[path]))
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		var text bytes.Buffer
		if err := reporttext.Write(&text, doc, reporttext.Options{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text.String(), mustRun(t, "render", path)); diff != "" {
			t.Errorf("%s (-text of the document +render):\n%s", path, diff)
		}
		if got := mustRun(t, "render", path, "-f", "json"); got != string(docs[path]) {
			t.Errorf("%s: render changes the JSON:\n%s", path, cmp.Diff(string(docs[path]), got))
		}
		if got := mustRun(t, "render", path, "-f", "md"); !strings.HasPrefix(got, "# ") {
			t.Errorf("%s: the Markdown begins with %.40q", path, got)
		}
		if rows, err := csv.NewReader(strings.NewReader(mustRun(t, "render", path, "-f", "csv"))).ReadAll(); err != nil || len(rows) < 1 {
			t.Errorf("%s: %d rows, %v", path, len(rows), err)
		}
		html := filepath.Join(dir, filepath.Base(path)+".html")
		mustRun(t, "render", path, "-o", html)
		if again := mustRun(t, "render", html); again != text.String() {
			t.Errorf("%s by way of HTML (-text +render):\n%s", path, cmp.Diff(text.String(), again))
		}
	}
}

// TestRenderReadsHTMLThatABrowserSaved: a browser writes what it made of the file: it adds a line
// about where the page is from and elements to the head, closes what was open, may end lines in
// CR LF or begin with a byte order mark, and keeps the text of scripts.
func TestRenderReadsHTMLThatABrowserSaved(t *testing.T) {
	inRepository(t)
	const path = "reports/testdata/report_weekly.json"
	page := mustRun(t, "render", path, "-f", "html")
	saved := strings.Replace(page, "<head>", "<!-- saved from url=(0020)file:///tmp/week.html -->\n<head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=UTF-8\">", 1)
	saved = strings.Replace(saved, "<html lang=\"en\">", "<html lang=\"en\" data-theme=\"dark\">", 1)
	for name, file := range map[string]string{
		"as it is": page, "saved": saved, "lines in CR LF": strings.ReplaceAll(saved, "\n", "\r\n"), "byte order mark": "\ufeff" + saved, "space before": "\n\n" + saved + "\n",
	} {
		code, stdout, stderr := tailpath([]byte(file), "render", "-", "-f", "json")
		if want, _ := os.ReadFile(path); code != exitDone || stdout != string(want) {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}

// TestGoldenFormats keeps what a scenario looks like as Markdown and as tables.
func TestGoldenFormats(t *testing.T) {
	inRepository(t)
	for name, args := range map[string][]string{
		"summary-queue-buildup.md":   {"summary", "-f", "md"},
		"explain-queue-buildup.md":   {"explain", "-f", "md"},
		"summary-queue-buildup.csv":  {"summary", "-f", "csv"},
		"explain-queue-buildup.csv":  {"explain", "-f", "csv"},
		"queue-queue-buildup.csv":    {"queue", "-f", "csv", "--table", "queue.when.incidents"},
		"tables-queue-buildup.csv":   {"inspect", "-f", "csv", "--table", "list"},
		"inspect-queue-buildup.csv":  {"inspect", "-f", "csv", "--table", "inspect.services"},
		"capacity-queue-buildup.csv": {"capacity", "--window", "10s", "--slo", "p90(e2e) < 2s", "-f", "csv", "--table", "capacity.objectives.terms.limits"},
	} {
		got := mustRun(t, append(args, scenario("queue-buildup"))...)
		golden(t, name, strings.ReplaceAll(got, "tailpath "+version()+"\n", "tailpath VERSION\n"))
	}
}

// TestRenderRefuses lists what is no document that this tailpath can draw.
func TestRenderRefuses(t *testing.T) {
	inRepository(t)
	text, err := os.ReadFile("reports/testdata/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	for name, c := range map[string]struct{ data, what, hint string }{
		"empty":         {" \n", "is empty", "render reads what"},
		"words":         {"queue takes it all", "is no document of tailpath: invalid character", "render reads what"},
		"traces":        {`{"resourceSpans":[]}`, "is JSON, and no document of tailpath", "render reads what"},
		"a list":        {`[1]`, "is no document of tailpath", "render reads what"},
		"older":         {strings.Replace(whole, `"schema_version": 3`, `"schema_version": 1`, 1), "is a document of version 1, and this tailpath reads version 3", "tailpath 0.1.0, which wrote it, can draw it; or make it anew: tailpath summary incident/"},
		"later":         {strings.Replace(whole, `"schema_version": 3`, `"schema_version": 99, "sections": []`, 1), "version 99", "can draw it"},
		"cut":           {whole[:len(whole)/2], "is no document of tailpath: unexpected EOF", "render reads what"},
		"unknown field": {strings.Replace(whole, `"headline"`, `"more": 1, "headline"`, 1), `unknown field "more"`, "make it anew: tailpath summary incident/"},
		"twice":         {whole + whole, "has more than one document in it", "one by one"},
		"no such part":  {strings.Replace(whole, `"kind": "summary"`, `"kind": "queue"`, 1), `kind "queue", and has no such part`, "make it anew"},
		"no such kind":  {strings.Replace(whole, `"kind": "summary"`, `"kind": "poem"`, 1), `kind "poem"`, "make it anew"},
		"other HTML":    {"<!doctype html><p>hello", "has no document in it", "render reads what"},
	} {
		code, stdout, stderr := tailpath([]byte(c.data), "render", "-")
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, "tailpath: error: -: ") || !strings.Contains(stderr, c.what) || !strings.Contains(stderr, c.hint) {
			t.Errorf("%s: exit code %d, %s%s", name, code, stdout, stderr)
		}
	}
}

// TestRenderRefusesWhatCannotBeDrawn: a list that is too short is a fault of the file.
func TestRenderRefusesWhatCannotBeDrawn(t *testing.T) {
	doc := reports.Document{Command: []string{"tailpath", "queue", "my logs"}}
	out, err := drawForeign("a.json", doc, func(d reports.Document) ([]byte, error) { return []byte(d.Inputs[3].Name), nil })
	var f *fault
	if out != nil || !errors.As(err, &f) || f.code != exitFailed || f.where != "a.json" || f.hint != "make it anew: tailpath queue 'my logs'" {
		t.Errorf("%q, %+v", out, f)
	}
	if out, err := drawForeign("a.json", doc, func(reports.Document) ([]byte, error) { return []byte("drawn"), nil }); string(out) != "drawn" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// disturb changes a value of a JSON tree at random: drops a field, empties a list, or puts
// another number or text there.
func disturb(t *rapid.T, value any) any {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return v
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "field")
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			delete(v, name)
		case 1:
			v[name] = nil
		default:
			v[name] = disturb(t, v[name])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{nil}
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			return []any{}
		case 1:
			return slices.Delete(v, i, i+1)
		case 2:
			return append(v, v[i])
		}
		v[i] = disturb(t, v[i])
		return v
	case json.Number:
		return json.Number(rapid.SampledFrom([]string{"0", "-1", "7", "1000000", "9223372036854775807", "-9223372036854775808"}).Draw(t, "number"))
	case string:
		return rapid.SampledFrom([]string{"", "p99", "queue", "\x1b[2J", "<script>", "=1"}).Draw(t, "text")
	case bool:
		return !v
	}
	return value
}

// TestRenderOfChangedDocumentsDrawsOrRefuses: whatever is changed in a document, render draws
// it or says that it cannot.
func TestRenderOfChangedDocumentsDrawsOrRefuses(t *testing.T) {
	inRepository(t)
	docs := goldenDocuments(t)
	paths := slices.Sorted(maps.Keys(docs))
	rapid.Check(t, func(t *rapid.T) {
		decoder := json.NewDecoder(bytes.NewReader(docs[rapid.SampledFrom(paths).Draw(t, "document")]))
		decoder.UseNumber()
		var tree any
		if err := decoder.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			tree = disturb(t, tree)
		}
		data, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := tailpath(data, "render", "-", "-f", rapid.SampledFrom(documentFormats).Draw(t, "format"))
		if code != exitDone && code != exitFailed || (code == exitDone) != (stdout != "") || (code == exitFailed) != (stderr != "") {
			t.Fatalf("exit code %d, %d bytes, %s", code, len(stdout), stderr)
		}
		if strings.ContainsRune(stdout, '\x1b') {
			t.Fatal("an escape sequence is drawn")
		}
	})
}

// TestNoFormatHasTextOfPrompts looks for planted text in the formats that are drawn from a
// document.
func TestNoFormatHasTextOfPrompts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "otlp.json")
	plant(t, path, textInputs["otlp.json"].data)
	for _, format := range documentFormats {
		for _, command := range []string{"inspect", "summary", "queue", "capacity", "explain"} {
			args := []string{command, path, "-f", format, "-v", "-q"}
			if command == "explain" {
				args = append(args, "--slowest", "9")
			}
			code, out, errs := tailpath(nil, args...)
			if code == exitFailed || out == "" || strings.Contains(out+errs, planted) {
				t.Errorf("%v: exit code %d, the text is in it, or nothing: %s", args, code, errs)
			}
		}
	}
}
