package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestEveryFlagIsBoundAndInACommand(t *testing.T) {
	used := map[string]bool{}
	for _, c := range commands() {
		for _, name := range c.flags {
			if !slices.ContainsFunc(flagSpecs, func(f flagSpec) bool { return f.name == name }) {
				t.Errorf("%s has flag --%s, which is not declared", c.name, name)
			}
			used[name] = true
		}
	}
	shorts := map[string]string{}
	for _, f := range flagSpecs {
		if !used[f.name] {
			t.Errorf("no command has --%s", f.name)
		}
		if other := shorts[f.short]; other != "" && f.short != "" {
			t.Errorf("--%s and --%s are both -%s", f.name, other, f.short)
		}
		shorts[f.short] = f.name
		var v flagValues
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.addTo(set, &v)
		if set.Lookup(f.name) == nil {
			t.Errorf("--%s is not declared by addTo", f.name)
		}
		for _, choice := range f.choices {
			if err := set.Parse([]string{"--" + f.name, choice}); err != nil {
				t.Errorf("--%s %s: %v", f.name, choice, err)
			}
		}
		if f.choices != nil {
			err := set.Parse([]string{"--" + f.name, "nonsense"})
			if err == nil || !strings.Contains(err.Error(), strings.Join(f.choices, ", ")) {
				t.Errorf("--%s nonsense: %v", f.name, err)
			}
		}
	}
}

func TestFormatFollowsTheOutputUnlessItIsGiven(t *testing.T) {
	for _, c := range []struct{ format, output, want string }{
		{"", "", "text"}, {"", "-", "text"}, {"", "a.json", "json"}, {"", "a.JSON", "json"}, {"", "json", "text"},
		{"text", "a.json", "text"}, {"json", "a.txt", "json"},
		{"", "a.md", "md"}, {"", "a.b.markdown", "md"}, {"", "a.CSV", "csv"}, {"", "a.html", "html"}, {"", "a.htm", "html"}, {"", "a.txt", "text"}, {"", "a.csv/a", "text"}, {"", "md", "text"}, {"md", "a.csv", "md"},
	} {
		v := flagValues{format: c.format, output: c.output}
		if got := v.documentFormat(); got != c.want {
			t.Errorf("-f %q -o %q is %s, want %s", c.format, c.output, got, c.want)
		}
	}
}

func TestNearestWord(t *testing.T) {
	words := []string{"inspect", "summary", "explain", "ingest", "help", "completion", "version"}
	for given, want := range map[string]string{
		"sumary": "summary", "summray": "summary", "explian": "explain", "Inspect": "inspect", "ver": "version", "hlep": "help",
		"comp": "completion", "zebra": "", "x": "", "incident": "",
	} {
		if got := nearest(given, words); got != want {
			t.Errorf("nearest to %s is %q, want %q", given, got, want)
		}
	}
}

// A flag that no script gives is one that nobody has tried from outside.
func TestEveryFlagIsTriedInAScript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	tried := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "tailpath ") || strings.HasPrefix(line, "std") {
				continue
			}
			for _, f := range flagSpecs {
				if given := regexp.MustCompile(`\s--` + f.name + `[\s=]`); given.MatchString(line) || f.short != "" && strings.Contains(line+" ", " -"+f.short+" ") {
					tried[f.name] = true
				}
			}
		}
	}
	for _, f := range flagSpecs {
		if !tried[f.name] {
			t.Errorf("no script gives --%s", f.name)
		}
	}
}
