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
	if lines := strings.Count(mustRun(t, "help"), "\n"); lines > 26 {
		t.Errorf("help has %d lines", lines)
	}
}

// TestExamplesInHelpParse runs the flags of every example through the parser.
func TestExamplesInHelpParse(t *testing.T) {
	for _, c := range commands() {
		for _, e := range c.examples {
			_, line, ok := strings.Cut(e.line, "tailpath ")
			if !ok {
				t.Errorf("example %q does not run tailpath", e.line)
				continue
			}
			line, _, _ = strings.Cut(strings.NewReplacer("'", "", ")", "").Replace(line), " > ")
			p := &program{}
			root := p.root()
			root.InitDefaultHelpCmd()
			cmd, args, err := root.Find(strings.Fields(line))
			if err != nil || cmd.Name() == "tailpath" {
				t.Errorf("example %q: %v", e.line, err)
				continue
			}
			if err := cmd.ParseFlags(args); err != nil {
				t.Errorf("example %q: %v", e.line, err)
			}
		}
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
