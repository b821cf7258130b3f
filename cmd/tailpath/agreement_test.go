package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
)

// TestHelpCompletionAndReadmeAgreeWithTheCommands keeps the places that list the
// commands from going stale.
func TestHelpCompletionAndReadmeAgreeWithTheCommands(t *testing.T) {
	inRepository(t)
	var help, completion, table []string
	for _, c := range commands() {
		help = append(help, fmt.Sprintf("  %-11s %s", c.name, c.about))
		completion = append(completion, c.name+"\t"+c.about)
		table = append(table, fmt.Sprintf("| `%s` | %s |", c.name, c.about))
	}
	_, list, _ := strings.Cut(mustRun(t, "help"), "commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	if list != strings.Join(help, "\n") {
		t.Errorf("help lists\n%s\nwant\n%s", list, strings.Join(help, "\n"))
	}
	_, offered, stderr := tailpath(nil, "__complete", "")
	offered, _, _ = strings.Cut(offered, "\n:")
	got := strings.Split(offered, "\n")
	slices.Sort(got)
	slices.Sort(completion)
	if !slices.Equal(got, completion) {
		t.Errorf("completion offers %q, want %q; %s", got, completion, stderr)
	}
	if !strings.Contains(readme(t), strings.Join(table, "\n")) {
		t.Errorf("README.md does not have\n%s", strings.Join(table, "\n"))
	}
}

func TestReadmeHasTheExitCodesOfHelp(t *testing.T) {
	inRepository(t)
	text := readme(t)
	codes := regexp.MustCompile(`(?m)^  (\d+) +\S`).FindAllStringSubmatch(exitCodesPage, -1)
	if len(codes) < 4 {
		t.Fatalf("help has the codes %v", codes)
	}
	for _, m := range codes {
		if !strings.Contains(text, "\n| "+m[1]+" | ") {
			t.Errorf("README.md does not have exit code %s", m[1])
		}
	}
}

func TestReadmeAndHelpHaveTheStages(t *testing.T) {
	inRepository(t)
	text, help := readme(t), mustRun(t, "help", "stages")
	for _, name := range strings.Fields("network gateway queue scheduling gpu transfer application unattributed") {
		if !strings.Contains(text, "\n| "+name+" | ") || !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("README.md or help stages does not have %s", name)
		}
	}
}

func TestHelpOfEveryCommandFitsAScreenAndNamesItsFlags(t *testing.T) {
	for _, c := range commands() {
		text := mustRun(t, c.name, "--help")
		if text != mustRun(t, "help", c.name) {
			t.Errorf("help %s and %s --help differ", c.name, c.name)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > 24 {
			t.Errorf("help of %s has %d lines", c.name, len(lines))
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("help of %s: %d columns: %s", c.name, len(line), line)
			}
		}
		for _, f := range specsOf(c.flags) {
			if !strings.Contains(text, "--"+f.name) {
				t.Errorf("help of %s does not name --%s", c.name, f.name)
			}
		}
		if len(c.examples) == 0 || strings.Index(text, "examples:") > strings.Index(text, "flags:") && strings.Contains(text, "flags:") {
			t.Errorf("help of %s does not begin with examples", c.name)
		}
	}
	root := mustRun(t, "help")
	if lines := strings.Count(root, "\n"); lines > 26 {
		t.Errorf("help has %d lines", lines)
	}
	for line := range strings.Lines(root) {
		if len(line) > 81 {
			t.Errorf("help: %d columns: %s", len(line)-1, line)
		}
	}
}

// TestExamplesInHelpParse runs the flags of every example through the parser.
func TestExamplesInHelpParse(t *testing.T) {
	for _, c := range commands() {
		for _, e := range c.examples {
			parses(t, e.line)
		}
	}
}

// TestCommandsInTopicsParse does the same with the command lines of the topics, which are indented.
// What stands behind two spaces says what a line is for.
func TestCommandsInTopicsParse(t *testing.T) {
	found := 0
	for _, topic := range topics() {
		if topic.name == "man" { // troff of the others
			continue
		}
		for line := range strings.Lines(mustRun(t, "help", topic.name)) {
			line, is := strings.CutPrefix(line, "  tailpath ")
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
			if word, _, _ := strings.Cut(line, " "); !is || word == "directory" { // of files, which is no command
				continue
			}
			found++
			parses(t, "tailpath "+line)
		}
	}
	if found < 10 {
		t.Errorf("the topics have %d command lines", found)
	}
}

// parses runs a command line through the parser, up to where its output goes.
func parses(t *testing.T, text string) {
	t.Helper()
	_, line, ok := strings.Cut(text, "tailpath ")
	if !ok {
		t.Errorf("example %q does not run tailpath", text)
		return
	}
	line, _, _ = strings.Cut(strings.ReplaceAll(line, ")", ""), " > ")
	line, _, _ = strings.Cut(line, " | ")
	p := &program{}
	root := p.root()
	root.InitDefaultHelpCmd()
	cmd, args, err := root.Find(arguments(line))
	if err != nil || cmd.Name() == "tailpath" {
		t.Errorf("example %q: %v", text, err)
		return
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Errorf("example %q: %v", text, err)
	}
}

func TestEveryTopicHasText(t *testing.T) {
	root := mustRun(t, "help")
	for _, topic := range topics() {
		text := mustRun(t, "help", topic.name)
		if len(text) < 200 || !strings.HasSuffix(text, "\n") {
			t.Errorf("help %s is %q", topic.name, text)
		}
		if !strings.Contains(root, topic.name) {
			t.Errorf("help does not name the topic %s", topic.name)
		}
		if _, clash := find(topic.name); clash {
			t.Errorf("%s is both a command and a topic", topic.name)
		}
	}
}

func TestTheRuleExampleIsOne(t *testing.T) {
	rules, err := stage.ParseRules([]byte(ruleExample), "example")
	if err != nil || len(rules.List()) != 1 || rules.List()[0].Stage != stage.Queue {
		t.Errorf("%v, %v", rules, err)
	}
	if !strings.Contains(mustRun(t, "help", "stages"), ruleExample) {
		t.Error("help stages does not show it")
	}
}
