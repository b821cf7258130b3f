package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestManualPageIsMadeOfTheTables(t *testing.T) {
	var out strings.Builder
	if err := writeMan(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	if *update {
		if err := os.WriteFile("tailpath.1", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile("tailpath.1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), page); diff != "" {
		t.Errorf("tailpath.1 is stale; go test ./cmd/tailpath -run ManualPage -update writes it (-file +tables):\n%s", diff)
	}
	for _, c := range commands() {
		if !strings.Contains(page, "\n.B tailpath "+c.name+"\n") || !strings.Contains(page, "\n.B "+c.name+"\n") {
			t.Errorf("the page has no %s", c.name)
		}
	}
	for _, f := range flagSpecs {
		if !strings.Contains(page, roff("--"+f.name)) {
			t.Errorf("the page has no --%s", f.name)
		}
	}
	for _, pair := range [][2]string{{".nf", ".fi"}, {".RS", ".RE"}} {
		open := 0
		for line := range strings.SplitSeq(page, "\n") {
			switch line {
			case pair[0]:
				open++
			case pair[1]:
				open--
			}
			if open < 0 || open > 1 {
				t.Fatalf("%s and %s do not match", pair[0], pair[1])
			}
		}
		if open != 0 {
			t.Errorf("a %s is left open", pair[0])
		}
	}
	for n, line := range strings.Split(page, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' }) {
			t.Errorf("line %d has a character outside ASCII: %q", n+1, line)
		}
	}
}

func TestRoffIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"a-b": `a\-b`, `a\b`: `a\eb`, "5 µs": `5 \[u00B5]s`, "plain": "plain",
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) is %q, want %q", text, got, want)
		}
	}
	m := &manual{}
	m.text(".B is no request")
	m.text("'nor this")
	if got := m.out.String(); got != "\\&.B is no request\n\\&'nor this\n" {
		t.Errorf("a text at the start of a line is %q", got)
	}
}
