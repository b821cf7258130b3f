package analyze

import "testing"

// TestComparedFields: every time and rate of a request is what is compared; when it started, and what
// it asked for, is not.
func TestComparedFields(t *testing.T) {
	is := map[string]bool{"e2e": true, "ttft": true, "tpot": true}
	for _, name := range StageNames() {
		is[name] = true
	}
	for _, b := range Built() {
		if builtFields[b.Name].measure {
			is[b.Name] = true
		}
	}
	if len(is) < 12 {
		t.Fatalf("only %d", len(is))
	}
	for _, b := range Built() {
		if Compared(b.Name) != is[b.Name] {
			t.Errorf("%s: %v", b.Name, Compared(b.Name))
		}
	}
	if Compared("gpu.count") {
		t.Error("an attribute")
	}
}
