package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// session is a command line of the manual and what it prints.
type session struct {
	command []string
	want    []string
}

// sessions reads the indented blocks of a text: a line that begins with "$ tailpath"
// is a command, and what follows in its block is what it prints, up to the next one.
func sessions(lines []string, indent string) (out []session) {
	open := false
	for _, line := range lines {
		text, in := strings.CutPrefix(line, indent)
		switch command, is := strings.CutPrefix(text, "$ tailpath"); {
		case !in && line != "":
			open = false
		case in && is:
			out = append(out, session{command: arguments(command)})
			open = true
		case open:
			out[len(out)-1].want = append(out[len(out)-1].want, text)
		}
	}
	for i := range out {
		want := out[i].want
		for len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		out[i].want = want
	}
	return out
}

// arguments splits a command line at spaces; an argument may stand in single quotes.
func arguments(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 { // between two quotes
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// matches says whether lines are what is wanted, where "..." stands for any lines.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] != "..." {
		return len(got) > 0 && want[0] == got[0] && matches(want[1:], got[1:])
	}
	for skip := range len(got) + 1 {
		if matches(want[1:], got[skip:]) {
			return true
		}
	}
	return false
}

// printed runs a command and returns all it prints, with its exit code if it is not 0.
func printed(args []string) []string {
	code, stdout, stderr := tailpath(nil, args...)
	text := stdout + stderr
	if code != exitDone {
		text += fmt.Sprintf("exit code %d\n", code)
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func TestManualIsWhatTheProgramDoes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	list := sessions(strings.Split(file.Doc.Text(), "\n"), "\t")
	if len(list) < 5 {
		t.Fatalf("the manual has %d commands", len(list))
	}
	inRepository(t)
	for _, s := range list {
		if got := printed(s.command); !matches(s.want, got) {
			t.Errorf("tailpath %s (-manual +program):\n%s", strings.Join(s.command, " "), cmp.Diff(s.want, got))
		}
	}
}

func TestThreeDotsMatchAnyLines(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a ...", "a", true}, {"a ... c", "a b b c", true}, {"a ... c", "a b b", false},
		{"... c", "c", true}, {"...", "x y", true}, {"a", "a b", false}, {"a b", "a", false}, {"a ... b ... c", "a b x c", true},
	} {
		if got := matches(strings.Fields(c.want), strings.Fields(c.got)); got != c.ok {
			t.Errorf("%q against %q is %t", c.want, c.got, got)
		}
	}
}

// readme returns README.md, which a test that is in the repository reads.
func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fencedCommand = regexp.MustCompile(`(?m)^\$ (.*)$`)
	fencedOutput  = regexp.MustCompile("(?s)```text\n(.*?)```")
	// fencedSession is a block of commands with what they print, where "..." stands for any lines.
	fencedSession = regexp.MustCompile("(?s)```console\n(.*?)```")
)

// goCommands are the two commands that a newcomer needs. The second passes the tests,
// so it cannot be run from one; .ci/run runs both as they stand.
var goCommands = []string{"go run ./cmd/tailpath summary testdata/scenarios/queue-buildup", "go test ./..."}

func TestReadmeCommandsRun(t *testing.T) {
	inRepository(t)
	text := readme(t)
	var commands []string
	for _, m := range fencedCommand.FindAllStringSubmatch(fencedSession.ReplaceAllString(text, ""), -1) {
		commands = append(commands, m[1])
	}
	if len(commands) < len(goCommands) || !slices.Equal(commands[:2], goCommands) {
		t.Fatalf("the first commands are %q, want %q", commands, goCommands)
	}
	got := mustRun(t, arguments(goCommands[0])[3:]...)
	shown := fencedOutput.FindStringSubmatchIndex(text)
	if shown == nil {
		t.Fatal("README.md shows no output")
	}
	if *update {
		text = text[:shown[2]] + got + text[shown[3]:]
		if err := os.WriteFile("README.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(text[shown[2]:shown[3]], got); diff != "" {
		t.Errorf("README.md shows another output (-README +program):\n%s", diff)
	}

	// The others run where they can write.
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "testdata"), "testdata"); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands[len(goCommands):] {
		args, ok := strings.CutPrefix(c, "tailpath ")
		if !ok {
			t.Errorf("%q is no command that this test runs", c)
			continue
		}
		if code, _, stderr := tailpath(nil, arguments(args)...); code != exitDone {
			t.Errorf("%s: exit %d, %s", c, code, stderr)
		}
	}
	shownSessions := 0
	for _, block := range fencedSession.FindAllStringSubmatch(text, -1) {
		for _, s := range sessions(strings.Split(block[1], "\n"), "") {
			shownSessions++
			if got := printed(s.command); !matches(s.want, got) {
				t.Errorf("README.md, tailpath %s (-README +program):\n%s", strings.Join(s.command, " "), cmp.Diff(s.want, got))
			}
		}
	}
	if shownSessions == 0 {
		t.Error("README.md shows no session")
	}
}
