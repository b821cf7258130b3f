package main

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
)

// TestVerdictPageIsTheRule: the page has the rule word by word, every kind that a condition
// may ask for, and fits 80 columns.
func TestVerdictPageIsTheRule(t *testing.T) {
	code, page, errs := tailpath(nil, "help", "verdict")
	if code != exitDone {
		t.Fatal(errs)
	}
	flat := strings.Join(strings.Fields(page), " ")
	for part := range strings.SplitSeq(analyze.DefaultRule().String(), "; ") {
		if !strings.Contains(flat, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
	for _, kind := range analyze.ConditionWords().Verdicts {
		if !strings.Contains(flat, " "+kind+" ") {
			t.Errorf("the page does not say what %s is", kind)
		}
	}
	for line := range strings.Lines(page) {
		if len(line) > 81 {
			t.Errorf("a line is %d wide: %s", len(line)-1, line)
		}
	}
}
