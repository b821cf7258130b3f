package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow is what the test reads of a workflow of GitHub Actions.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// The workflow that README.md shows is one, and its commands are commands: they run on an
// incident in place of the traces that it makes.
func TestReadmeWorkflowRuns(t *testing.T) {
	inRepository(t)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(readme(t))
	if block == nil {
		t.Fatal("README.md shows no workflow")
	}
	var w workflow
	if err := yaml.Unmarshal([]byte(block[1]), &w); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var ran []string
	for _, step := range w.Jobs["gate"].Steps {
		for line := range strings.Lines(strings.ReplaceAll(step.Run, "\\\n", " ")) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " >> ")
			args, is := strings.CutPrefix(line, "tailpath ")
			if !is {
				continue
			}
			args = strings.NewReplacer("traces/", "testdata/scenarios/healthy", " report.", " "+dir+"/report.").Replace(args)
			if code, _, stderr := tailpath(nil, arguments(args)...); code != exitDone {
				t.Errorf("%s: exit %d, %s", line, code, stderr)
			}
			ran = append(ran, arguments(args)[0])
		}
	}
	if !slices.Equal(ran, []string{"report", "render", "render"}) {
		t.Errorf("it runs %q", ran)
	}
}
