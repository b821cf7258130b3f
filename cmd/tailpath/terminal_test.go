package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// environment is a set of variables; those that are not named are not set.
func environment(pairs ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func TestColourIsDecidedInTheStatedOrder(t *testing.T) {
	for _, c := range []struct {
		name     string
		flag     string
		env      []string
		terminal bool
		want     bool
	}{
		{"pipe", "auto", nil, false, false},
		{"terminal", "auto", []string{"TERM", "xterm"}, true, true},
		{"terminal of no name", "auto", nil, true, true},
		{"dumb terminal", "auto", []string{"TERM", "dumb"}, true, false},
		{"NO_COLOR on a terminal", "auto", []string{"NO_COLOR", "1"}, true, false},
		{"NO_COLOR empty on a terminal", "auto", []string{"NO_COLOR", ""}, true, true},
		{"NO_COLOR against force", "auto", []string{"NO_COLOR", "1", "CLICOLOR_FORCE", "1"}, false, false},
		{"CLICOLOR_FORCE in a pipe", "auto", []string{"CLICOLOR_FORCE", "1"}, false, true},
		{"CLICOLOR_FORCE 0 in a pipe", "auto", []string{"CLICOLOR_FORCE", "0"}, false, false},
		{"TAILPATH_FORCE_TTY in a pipe", "auto", []string{"TAILPATH_FORCE_TTY", "1"}, false, true},
		{"force on a dumb terminal", "auto", []string{"CLICOLOR_FORCE", "1", "TERM", "dumb"}, true, true},
		{"always in a pipe", "always", nil, false, true},
		{"always against NO_COLOR", "always", []string{"NO_COLOR", "1"}, false, true},
		{"never on a terminal", "never", []string{"TERM", "xterm"}, true, false},
		{"never against force", "never", []string{"CLICOLOR_FORCE", "1"}, true, false},
	} {
		if got := coloured(c.flag, environment(c.env...), c.terminal); got != c.want {
			t.Errorf("%s: colour is %t, want %t", c.name, got, c.want)
		}
	}
}

func TestLocaleOfTheFirstVariableThatIsSet(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"LANG", "C"}, false},
		{[]string{"LANG", "en_US.UTF-8"}, true},
		{[]string{"LANG", "C.utf8"}, true},
		{[]string{"LC_CTYPE", "POSIX", "LANG", "en_US.UTF-8"}, false},
		{[]string{"LC_ALL", "", "LC_CTYPE", "de_DE.UTF-8"}, true},
		{[]string{"LC_ALL", "C", "LC_CTYPE", "de_DE.UTF-8", "LANG", "de_DE.UTF-8"}, false},
	} {
		if got := utf8Locale(environment(c.env...)); got != c.want {
			t.Errorf("%q: UTF-8 is %t, want %t", c.env, got, c.want)
		}
	}
}

func TestDataComesFromPipesAndFilesAlone(t *testing.T) {
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if dataOn(nil) || dataOn((*os.File)(nil)) || dataOn(open(os.DevNull)) || dataOn(open(t.TempDir())) {
		t.Error("data is said to come from nothing, a device or a directory")
	}
	if !dataOn(r) || !dataOn(open(file)) || !dataOn(&bytes.Buffer{}) {
		t.Error("data is said not to come from a pipe, a file or a reader")
	}
}

func TestWidthIsUnlimitedOffTerminals(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if columns(f) != 0 || columns(&bytes.Buffer{}) != 0 {
		t.Error("a file or a buffer has a width")
	}
}
