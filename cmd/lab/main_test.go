package main

import (
	"bytes"
	"strings"
	"testing"
)

func lab(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHelpListsEveryCommand(t *testing.T) {
	for _, word := range []string{"help", "-h", "--help"} {
		code, stdout, stderr := lab(word)
		if code != exitDone || stderr != "" {
			t.Errorf("lab %s: exit %d, stderr %q", word, code, stderr)
		}
		for _, c := range commands() {
			if !strings.Contains(stdout, "  "+c.name+" ") || !strings.Contains(stdout, c.about) {
				t.Errorf("lab %s does not list %s:\n%s", word, c.name, stdout)
			}
		}
	}
}

func TestCommandsReceiveTheirArguments(t *testing.T) {
	if code, stdout, _ := lab("generate", "--list"); code != exitDone || !strings.Contains(stdout, "queue-buildup") {
		t.Errorf("exit %d, printed %q", code, stdout)
	}
	for _, c := range commands() {
		code, stdout, stderr := lab(c.name, "--no-such-flag")
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "no-such-flag") {
			t.Errorf("lab %s: exit %d, stdout %q, stderr %q", c.name, code, stdout, stderr)
		}
	}
}

func TestWithoutACommandTheUsageGoesToStderr(t *testing.T) {
	if code, stdout, stderr := lab(); code != exitUsage || stdout != "" || !strings.Contains(stderr, "usage: lab") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, _, stderr := lab("genrate"); code != exitUsage || !strings.Contains(stderr, `unknown command "genrate"`) {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}
