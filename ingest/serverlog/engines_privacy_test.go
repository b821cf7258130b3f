package serverlog

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/table"
)

// engineFormats are the formats of servers that get prompts.
var engineFormats = []string{"vllm", "sglang", "triton-log", "tgi", "llamacpp", "ollama", "gin", "lmdeploy", "rayserve", "kserve", "uvicorn", "dynamo"}

// storedFields are stored without being kept.
var storedFields = []string{
	"request_id", "trace_id", "span_id", "model", "route", "method", "host", "instance", "service", "client", "upstream", "level",
}

// hole finds the holes of a pattern that have a name.
var hole = regexp.MustCompile(`\{([A-Za-z]\w*)(?::(\([^)]*\)|[^}]*))?\}`)

// TestEnginesStoreNoFreeText says that no field that is stored may hold blanks: such as
// are declared as text, or as quoted text other than the target of a request.
func TestEnginesStoreNoFreeText(t *testing.T) {
	for _, id := range engineFormats {
		data, err := builtinFiles.ReadFile(path.Join("formats", id+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.Parse(data, id)
		if err != nil {
			t.Fatal(err)
		}
		kept := slices.Clone(storedFields)
		for _, r := range d.Records {
			kept = append(kept, r.Keep...)
			if r.Span != nil {
				for _, field := range hole.FindAllStringSubmatch(r.Span.Name, -1) {
					kept = append(kept, field[1])
				}
			}
		}
		check := func(where, field, typ string) {
			free := typ == "" || typ == "text" || typ == "python" || typ == "quoted" && field != "route"
			if free && slices.Contains(kept, field) {
				t.Errorf("%s: the field %s is stored and may hold any text", where, field)
			}
		}
		for _, r := range d.Records {
			if r.Use != "" {
				continue
			}
			for _, h := range hole.FindAllStringSubmatch(r.Pattern, -1) {
				check(id+"."+r.ID, h[1], h[2])
			}
			for _, fields := range []format.Fields{r.JSON, r.Logfmt, r.Python} {
				for field, f := range fields {
					check(id+"."+r.ID, field, f.Type)
				}
			}
		}
	}
}

// everything spells all that comes of a log: rows, symbols, issues and counts.
func everything(t *testing.T, log string, formats *Formats) string {
	t.Helper()
	got, set, stats := readLog(t, strings.NewReader(log), Options{Year: 2026, Formats: formats})
	for id := range set.Symbols.Len() {
		got += "\n" + set.Symbols.Text(table.Sym(id))
	}
	for _, u := range stats.Unused {
		got += "\n" + u.Why
	}
	return got
}

// TestTornLinesGiveNoText tears every example of every engine format, and
// lets the text of a client follow, as when processes write without line feeds between
// them; what is behind the tear follows that. Nothing with a blank in it may come out of
// the text, and nothing of it at all if it stands behind a whole record.
func TestTornLinesGiveNoText(t *testing.T) {
	const said, torn = "pl4nted pr0mpt", "pl4nted"
	for _, id := range engineFormats {
		f, ok := Builtin().Lookup(id)
		if !ok {
			t.Fatal(id)
		}
		formats, err := NewFormats(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Records {
			text := r.Example
			route := strings.Index(text, `"/`) // a request target in quotes may hold blanks
			letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
			for at := 1; at < len(text) && (route < 0 || at <= route); at++ {
				if at%7 > 0 && letter(text[at-1]) == letter(text[at]) {
					continue
				}
				if got := everything(t, text[:at]+said+text[at:]+"\n", formats); strings.Contains(got, said) {
					t.Fatalf("%s: text came out of\n%s\n%s", r.Name, text[:at]+said+text[at:], got)
				}
			}
			for _, said := range []string{said, torn} {
				if said == torn && r.ID == "http-unquoted" {
					continue // the target of its request ends the line
				}
				if got := everything(t, text+said+"\n", formats); strings.Contains(got, torn) {
					t.Errorf("%s: text behind the record came out\n%s", r.Name, got)
				}
			}
		}
	}
}
