package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatKilledRunsLeftIsRemoved: the next run removes what runs left that were killed while
// they wrote, and nothing of a run that writes.
func TestWhatKilledRunsLeftIsRemoved(t *testing.T) {
	if !canLock {
		t.Skip("files cannot be locked here")
	}
	dir := t.TempDir()
	added(t, dir, spans(false, 1), input(1))
	parts := filepath.Join(dir, partsName)
	for name, text := range map[string]string{
		".new-killed/held": "", ".new-killed/0123456789abcdef/spans.parquet": "half", // it wrote
		".new-early/x":   "", // it had not begun to
		".new-file":      "not a directory of ours",
		".newer/mine":    "nor this",
		".old-new-/mine": "nor that",
	} {
		path := filepath.Join(parts, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	running, giveUp, err := s.workIn(parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(running, "table"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	second := added(t, dir, spans(false, 9), input(2))
	left := func() (names []string) {
		entries, err := os.ReadDir(parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				names = append(names, e.Name())
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{filepath.Base(running), ".new-file", ".newer", ".old-new-"}, left()); diff != "" {
		t.Errorf("while a run writes there are (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(running, "table")); err != nil {
		t.Error(err)
	}
	giveUp()
	if diff := cmp.Diff([]string{".new-file", ".newer", ".old-new-"}, left()); diff != "" {
		t.Errorf("in the end there are (-want +got):\n%s", diff)
	}
	if again, err := Open(dir); err != nil || len(again.Parts()) != 2 || again.Verify(second) != nil {
		t.Errorf("%v, %v", again.Parts(), err)
	}
}
