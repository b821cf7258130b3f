package html

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGoldenPage(t *testing.T) {
	d, p := weekly(t)
	got := write(t, Options{}, d, p)
	// The style and the script have files of their own.
	for _, part := range []string{stylesheet(), pageJS} {
		got = strings.Replace(got, part, "…", 1)
	}
	got = regexp.MustCompile(`'sha256-[^']*'`).ReplaceAllString(got, "'sha256-…'")
	golden := filepath.Join("testdata", "weekly.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not as in %s (-want +got):\n%s", golden, diff)
	}
}

func TestEqualPagesGiveEqualBytes(t *testing.T) {
	d, p := weekly(t)
	if first := write(t, Options{}, d, p); first != write(t, Options{}, d, p) {
		t.Error("two files of the same page differ")
	}
}

// documents are files of golden documents, and one with every kind of block.
func documents(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) < 10 {
		t.Fatal("no documents: ", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		d := stored(t, name)
		files[name] = write(t, Options{}, d, page.Of(d, page.Options{Verbose: true}))
	}
	d, p := weekly(t)
	files["weekly"] = write(t, Options{}, d, p)
	return files
}

func TestStructure(t *testing.T) {
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			root, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			checkStructure(t, root)
			checkTables(t, root)
			checkNothingLoaded(t, root, text)
		})
	}
}

// checkStructure is what a tool for accessibility asks of a page, as far as it can be told
// without drawing it.
func checkStructure(t *testing.T, root *node) {
	t.Helper()
	one := func(tag string) *node {
		found := root.all(tag)
		if len(found) != 1 {
			t.Fatalf("%d elements %s", len(found), tag)
		}
		return found[0]
	}
	if lang := one("html").attrs["lang"]; lang != "en" {
		t.Errorf("lang is %q", lang)
	}
	for _, tag := range []string{"head", "body", "main", "header", "footer", "h1"} {
		if n := one(tag); tag == "h1" && n.content() == "" {
			t.Error("the headline is empty")
		}
	}
	ids := map[string]bool{}
	root.walk(func(n *node) {
		if id, ok := n.attrs["id"]; ok {
			if id == "" || ids[id] {
				t.Errorf("id %q is there twice, or empty", id)
			}
			ids[id] = true
		}
	})
	root.walk(func(n *node) {
		for _, id := range append(strings.Fields(n.attrs["aria-labelledby"]), strings.Fields(n.attrs["aria-describedby"])...) {
			if !ids[id] {
				t.Errorf("<%s> is named by %q, which is not there", n.tag, id)
			}
		}
		if href, ok := n.attrs["href"]; ok && !ids[strings.TrimPrefix(href, "#")] {
			t.Errorf("a link leads to %q, which is not there", href)
		}
		if n.tag == "a" && strings.TrimSpace(n.content()+n.attrs["aria-label"]) == "" {
			t.Error("a link without a name")
		}
	})
	names := map[string]bool{}
	root.walk(func(n *node) {
		if n.attrs["role"] != "region" {
			return
		}
		if name := n.attrs["aria-label"]; name == "" || names[name] {
			t.Errorf("two regions are called %q, or one has no name", name)
		}
		names[n.attrs["aria-label"]] = true
		if n.attrs["tabindex"] != "0" {
			t.Error("a region that scrolls is not reached by keys")
		}
	})
	for _, svg := range root.all("svg") {
		if svg.attrs["role"] != "img" || svg.attrs["aria-labelledby"] == "" || len(svg.inside) == 0 || len(svg.all("title")) == 0 {
			t.Error("a chart without a name")
		}
		if !svg.within("figure") {
			t.Error("a chart outside of a figure")
		}
	}
	for _, d := range root.all("details") {
		if _, open := d.attrs["open"]; !open {
			t.Error("details that are closed where scripts do not run")
		}
	}
	if controls := root.all("button", "input", "select", "form"); len(controls) > 0 {
		t.Errorf("%d controls that need the script are there without it", len(controls))
	}
	if skip := root.all("a")[0]; skip.attrs["href"] != "#main." {
		t.Error("the first link does not skip to the content")
	}
}

func checkTables(t *testing.T, root *node) {
	t.Helper()
	for _, table := range root.all("table") {
		captions := table.all("caption")
		if len(captions) != 1 || strings.TrimSpace(captions[0].content()) == "" {
			t.Errorf("table %s has no caption", table.attrs["id"])
		}
		width := -1
		for _, row := range table.all("tr") {
			cells := 0
			for _, c := range row.inside {
				switch {
				case c.tag == "th" && c.attrs["scope"] == "":
					t.Errorf("table %s has a header without a scope", table.attrs["id"])
				case c.tag == "th" && strings.TrimSpace(c.content()) == "":
					t.Errorf("table %s has an empty header", table.attrs["id"])
				}
				cells++
			}
			if width >= 0 && cells != width {
				t.Errorf("table %s has rows of %d and of %d cells", table.attrs["id"], width, cells)
			}
			width = cells
		}
		if !slices.Contains(strings.Fields(table.parent.attrs["class"]), "scroll") {
			t.Errorf("table %s scrolls the page", table.attrs["id"])
		}
	}
}

// checkNothingLoaded looks for all ways in which a file reaches outside itself.
func checkNothingLoaded(t *testing.T, root *node, text string) {
	t.Helper()
	if n := root.all("link", "img", "iframe", "object", "embed", "base", "image", "use", "foreignObject", "video", "audio"); len(n) > 0 {
		t.Errorf("an element %s", n[0].tag)
	}
	root.walk(func(n *node) {
		for name, value := range n.attrs {
			switch {
			case name == "style" || strings.HasPrefix(name, "on"):
				t.Errorf("<%s> has an attribute %s, which the policy refuses", n.tag, name)
			case name == "href" && !strings.HasPrefix(value, "#"), name == "src", name == "srcset", name == "xlink:href":
				t.Errorf("<%s> loads %s", n.tag, value)
			case strings.Contains(value, "url(") && !strings.Contains(value, "url(#"):
				t.Errorf("<%s> loads %s", n.tag, value)
			}
		}
	})
	if outside := regexp.MustCompile(`(?i)url\(\s*['"]?[^#'")]|@import|@font-face|https?:`); outside.MatchString(stylesheet()) || outside.MatchString(pageJS) {
		t.Error("the style or the script reaches outside")
	}
	if styles := root.all("style"); len(styles) != 1 || !strings.Contains(text, digest(styles[0].text)) {
		t.Error("the policy does not let the style in")
	}
	scripts := root.all("script")
	if len(scripts) != 2 || !strings.Contains(text, digest(scripts[0].text)) || scripts[1].attrs["type"] != "application/json" {
		t.Error("there is another script than ours and the document, or the policy does not let it in")
	}
	for _, m := range root.all("meta") {
		if m.attrs["http-equiv"] == "Content-Security-Policy" && strings.Contains(m.attrs["content"], "unsafe") {
			t.Error("the policy lets too much in")
		}
	}
}

func TestDocumentIsInTheFile(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents: ", err)
	}
	for _, path := range paths {
		d := stored(t, strings.TrimSuffix(filepath.Base(path), ".json"))
		data, err := Island(strings.NewReader(write(t, Options{}, d, page.Of(d, page.Options{}))))
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		got, err := reports.ReadJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%s came back changed (-want +got):\n%s", path, diff)
		}
	}
}

func TestNoDocumentIsAnError(t *testing.T) {
	for _, text := range []string{"", "<html>", islandStart + "{}"} {
		if _, err := Island(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "-f json") {
			t.Errorf("%q gives the error %v", text, err)
		}
	}
}

func TestWarningIsSaidOnceAndOnTop(t *testing.T) {
	d, p := weekly(t)
	root, err := parse(write(t, Options{}, d, p))
	if err != nil {
		t.Fatal(err)
	}
	warning := d.Report.Banner[0].Text
	if top := root.all("header")[0].content(); strings.Count(top, warning) != 1 {
		t.Error("the warning is not on top")
	}
	if strings.Contains(root.all("main")[0].content(), warning) {
		t.Error("the warning is said twice")
	}
	if len(p.Sections[0].Blocks) != 3 {
		t.Error("the page was changed")
	}
}

func TestLongTitlesAreShortInTheIndex(t *testing.T) {
	for title, want := range map[string]string{
		"Details: over time": "Details: over time",
		"why slow requests are slow: mean ms of the 20 slowest (p99 and above)":  "why slow requests are slow",
		"against the stage medians of 396 usual requests (ranks 40 to 60 %), ms": "against the stage medians of 396 usual requests (ranks 40 to 60 %), ms",
	} {
		if got := indexed(title); got != want {
			t.Errorf("%q is %q in the index, not %q", title, got, want)
		}
	}
}

func TestScriptIsShort(t *testing.T) {
	if n := strings.Count(pageJS, "\n"); n >= 300 {
		t.Errorf("the script has %d lines", n)
	}
}

// A kind of block that is not drawn would be lost without a word.
func TestEveryKindOfBlockIsDrawn(t *testing.T) {
	d, p := weekly(t)
	used := map[string]bool{"Gap": true}
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			name := reflect.TypeOf(b).Name()
			before := write(t, Options{}, d, page.Page{Sections: []page.Section{{ID: "x"}}})
			if after := write(t, Options{}, d, page.Page{Sections: []page.Section{{ID: "x", Blocks: []page.Block{b}}}}); len(after) > len(before) {
				used[name] = true
			}
		}
	}
	fset := token.NewFileSet()
	paths, err := filepath.Glob("../page/*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, path := range paths {
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "block" && f.Recv != nil && len(f.Recv.List) == 1 {
				kinds++
				if name, ok := f.Recv.List[0].Type.(*ast.Ident); ok && !used[name.Name] {
					t.Errorf("page.%s is not drawn, or not in the page of this test", name.Name)
				}
			}
		}
	}
	if kinds < 7 {
		t.Errorf("only %d kinds of blocks were found", kinds)
	}
}
