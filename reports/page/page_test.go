package page

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

var update = flag.Bool("update", false, "write the golden files")

// everyPage calls f with the page of every golden document, short and verbose, brief and not.
func everyPage(t *testing.T, f func(name string, p Page)) {
	t.Helper()
	for name, d := range fixed(t) {
		for _, o := range []Options{{}, {Verbose: true}, {Brief: true}, {Verbose: true, Brief: true}} {
			f(fmt.Sprintf("%s, %+v", name, o), Of(d, o))
		}
	}
}

// idsOf returns the ids of sections, and of what is in them behind as many spaces as it is deep.
func idsOf(p Page) (ids []string) {
	for _, s := range p.Sections {
		ids = append(ids, s.ID)
		for _, b := range s.Blocks {
			switch x := b.(type) {
			case Table:
				ids = append(ids, "  "+x.ID)
			case Waterfall:
				ids = append(ids, "  "+x.ID)
			case Figure:
				ids = append(ids, "  "+x.ID)
			case Labelled:
				if x.ID != "" {
					ids = append(ids, "  "+x.ID)
				}
			}
		}
	}
	return ids
}

// TestIDsAreKept: the ids of the golden documents are those that links were made to.
func TestIDsAreKept(t *testing.T) {
	docs := fixed(t)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		fmt.Fprintf(&out, "%s\n", name)
		for _, id := range idsOf(Of(docs[name], Options{Verbose: true})) {
			fmt.Fprintf(&out, "  %s\n", id)
		}
	}
	path := filepath.Join("testdata", "ids.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var formOfID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkIDs fails for ids that are not of the form of an id, or that two parts have.
func checkIDs(t interface{ Fatalf(string, ...any) }, p Page) {
	seen := map[string]bool{}
	for _, id := range idsOf(p) {
		id = strings.TrimSpace(id)
		if !formOfID.MatchString(id) || seen[id] {
			t.Fatalf("id %q; seen before: %v", id, seen[id])
		}
		seen[id] = true
	}
}

func TestIDsAreUnique(t *testing.T) {
	everyPage(t, func(_ string, p Page) { checkIDs(t, p) })
}

// TestIDsDoNotDependOnFigures: with every time and every share of a document another, the ids
// are among those that the kind of document had before.
func TestIDsDoNotDependOnFigures(t *testing.T) {
	docs := fixed(t)
	known := map[reports.Kind]map[string]bool{}
	for _, d := range docs {
		if known[d.Kind] == nil {
			known[d.Kind] = map[string]bool{}
		}
		for _, verbose := range []bool{false, true} {
			for _, id := range idsOf(Of(d, Options{Verbose: verbose})) {
				known[d.Kind][id] = true
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := copied(t, docs[rapid.SampledFrom(slices.Sorted(maps.Keys(docs))).Draw(t, "document")])
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		disturb(reflect.ValueOf(&d).Elem(), "", func(name string, v reflect.Value) {
			switch {
			case v.Kind() == reflect.Float64:
				v.SetFloat(v.Float() * (.5 + r.Float64()))
			case v.Kind() == reflect.Int64 && strings.HasSuffix(name, "NS") && v.Int() < 1<<50:
				v.SetInt(int64(float64(v.Int()) * (.5 + r.Float64())))
			}
		})
		p := Of(d, Options{Verbose: rapid.Bool().Draw(t, "verbose")})
		checkIDs(t, p)
		for _, id := range idsOf(p) {
			if !known[d.Kind][id] {
				t.Fatalf("%q is no id of %s", id, d.Kind)
			}
		}
	})
}

// copied returns a document that shares nothing with d.
func copied(t interface{ Fatal(...any) }, d reports.Document) reports.Document {
	var b strings.Builder
	if err := reports.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	return read(t, b.String())
}

// disturb calls f with everything in v that is neither struct, slice, map nor pointer, and with
// the name of the field that it is in.
func disturb(v reflect.Value, name string, f func(name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				disturb(v.Field(i), v.Type().Field(i).Name, f)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			disturb(v.Index(i), name, f)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			disturb(v.Elem(), name, f)
		}
	default:
		f(name, v)
	}
}

// TestEveryTextIsFitToBeShown: whatever strings a document holds, and all of them come from
// elsewhere, no text of its page has a character that a terminal obeys, that reorders or that
// hides, and every id stays one.
func TestEveryTextIsFitToBeShown(t *testing.T) {
	docs := fixed(t)
	rapid.Check(t, func(t *rapid.T) {
		d := copied(t, docs[rapid.SampledFrom(slices.Sorted(maps.Keys(docs))).Draw(t, "document")])
		kind, one := d.Kind, rapid.String().Draw(t, "text")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		often := rapid.IntRange(1, 8).Draw(t, "one in")
		disturb(reflect.ValueOf(&d).Elem(), "", func(_ string, v reflect.Value) {
			if v.Kind() == reflect.String && v.CanSet() && r.IntN(often) == 0 {
				v.SetString(append(nasty, one)[r.IntN(len(nasty)+1)])
			}
		})
		d.Kind = kind
		p := Of(d, Options{Verbose: rapid.Bool().Draw(t, "verbose"), Brief: rapid.Bool().Draw(t, "brief")})
		checkIDs(t, p)
		checkTables(t, p)
		checkTexts(t, p)
	})
}

// checkTexts fails for a text that is not fit to be shown.
func checkTexts(t interface{ Fatalf(string, ...any) }, p Page) {
	disturb(reflect.ValueOf(p), "", func(name string, v reflect.Value) {
		if v.Kind() != reflect.String {
			return
		}
		if !utf8.ValidString(v.String()) {
			t.Fatalf("%s: %q is no UTF-8", name, v.String())
		}
		for _, r := range v.String() {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || hides(r) {
				t.Fatalf("%s: %U in %q", name, r, v.String())
			}
		}
	})
}

// TestLabelsOfChartsAreCleaned, in a copy: a drawing that is used elsewhere stays as it is.
func TestLabelsOfChartsAreCleaned(t *testing.T) {
	const hostile, want = "\x1b[31mp0-50\u202e", `p0-50\u{202e}`
	bars := stub{Label: hostile, Inner: []part{{hostile, 1}}, Values: []float64{1, 2}, More: &part{hostile, 2}}
	b := newBuilder(Options{})
	b.figure(Figure{ID: "f", Answer: hostile, Drawing: bars})
	b.figure(Figure{ID: "f"})
	checkTexts(t, b.page)
	got := b.page.Sections[0].Blocks[0].(Figure)
	wanted := stub{Label: want, Inner: []part{{want, 1}}, Values: []float64{1, 2}, More: &part{want, 2}}
	if diff := cmp.Diff(chart.Drawing(wanted), got.Drawing); diff != "" || got.Answer != want {
		t.Errorf("%q: %s", got.Answer, diff)
	}
	if bars.Label != hostile || bars.Inner[0].Label != hostile || bars.More.Label != hostile {
		t.Error("the drawing itself was changed")
	}
	if ids := idsOf(b.page); !slices.Equal(ids, []string{"answer", "  f", "  f-2"}) {
		t.Error(ids)
	}
}

// stub is a chart of every form that a text may be in.
type stub struct {
	Label  string
	Inner  []part
	Values []float64
	More   *part
}

type part struct {
	Label string
	Value float64
}

func (stub) SVG(_, _ string) string { return "" }

// checkTables fails for a table without rows or columns, and for a row that has not as many
// cells as there are columns.
func checkTables(t interface{ Fatalf(string, ...any) }, p Page) {
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			x, is := b.(Table)
			if !is {
				continue
			}
			if len(x.Rows) == 0 || len(x.Columns) == 0 {
				t.Fatalf("%s: %d rows and %d columns", x.ID, len(x.Rows), len(x.Columns))
			}
			for i, row := range x.Rows {
				if len(row) != len(x.Columns) {
					t.Fatalf("%s: row %d has %d cells of %d: %q", x.ID, i, len(row), len(x.Columns), row)
				}
			}
		}
	}
}

// TestTablesAreWhole, and several of one section are told apart by their captions.
func TestTablesAreWhole(t *testing.T) {
	everyPage(t, func(name string, p Page) {
		checkTables(failing{t, name}, p)
		for _, s := range p.Sections {
			var captions []string
			for _, b := range s.Blocks {
				if x, is := b.(Table); is {
					captions = append(captions, x.Caption)
				}
			}
			if n := len(captions); n > 1 {
				slices.Sort(captions)
				if captions[0] == "" || len(slices.Compact(captions)) < n {
					t.Errorf("%s: the tables of section %s are called %q", name, s.ID, captions)
				}
			}
		}
	})
}

// failing says of what it is when it fails.
type failing struct {
	t    *testing.T
	name string
}

func (f failing) Fatalf(format string, args ...any) {
	f.t.Helper()
	f.t.Errorf(f.name+": "+format, args...)
}

var formOfMark = regexp.MustCompile(`\[[0-9]+\]`)

// TestMarksHaveTheirNotes: every mark in a title or a table has a note in its section, or in one
// before, and notes are numbered as they come.
func TestMarksHaveTheirNotes(t *testing.T) {
	everyPage(t, func(name string, p Page) {
		noted, count := map[string]bool{}, 0
		for _, s := range p.Sections {
			used := map[string]bool{}
			use := func(text string) {
				for _, m := range formOfMark.FindAllString(text, -1) {
					used[m] = true
				}
			}
			use(s.Title)
			for _, b := range s.Blocks {
				switch x := b.(type) {
				case Note:
					if count++; x.Mark != mark(count) || x.Text == "" {
						t.Errorf("%s: note %d is %+v", name, count, x)
					}
					noted[x.Mark] = true
				case Table:
					for _, c := range x.Columns {
						use(c.Head)
					}
					for _, row := range x.Rows {
						for _, cell := range row {
							use(cell)
						}
					}
				}
			}
			for m := range used {
				if !noted[m] {
					t.Errorf("%s: section %s has %s and no such note", name, s.ID, m)
				}
			}
		}
	})
}
