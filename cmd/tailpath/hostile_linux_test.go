package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestHostileNamesStayInTheirPlace: whatever names a trace has, what is written holds no
// character that a terminal obeys or that nobody sees, fits a terminal in a few screens, and is
// the same for any number of workers.
func TestHostileNamesStayInTheirPlace(t *testing.T) {
	dir := t.TempDir()
	usual := filepath.Join(dir, "usual.json")
	plant(t, usual, hostileTraces("plain"))
	for i, name := range hostileNames {
		t.Run(fmt.Sprintf("%.12q", name), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, fmt.Sprintf("hostile%d.json", i))
			plant(t, path, hostileTraces(name))
			for _, args := range [][]string{{"summary"}, {"queue", "--by", "host,model,route,tenant"}, {"explain", "--slowest", "2"}, {"capacity", "--slo", "p50(e2e) < 1s"}, {"compare", usual}} {
				args = append(args, path)
				code, out, errs := tailpath(nil, append(args, "--jobs", "1")...)
				if code != exitDone || errs != "" {
					t.Fatalf("%v: exit code %d: %s", args[0], code, errs)
				}
				for _, r := range out {
					if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) {
						t.Fatalf("%v: %U is written", args[0], r)
					}
				}
				if _, again, _ := tailpath(nil, append(args, "--jobs", "4")...); again != out {
					t.Errorf("%v: four workers write something else than one", args[0])
				}
				shown := onTerminal(t, 80, outputOn, append(args, "--ascii", "--color", "never")...)
				body, _, _ := strings.Cut(shown, "\nnext: ")
				lines := strings.Split(body, "\n")
				if len(lines) > 220 {
					t.Errorf("%v: %d lines", args[0], len(lines))
				}
				for _, line := range lines {
					if len(line) > 80 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
						t.Errorf("%v: %q", args[0], line)
					}
				}
			}
		})
	}
}
