package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of 64 KiB, which root alone may do.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestAFullDiskKeepsNoPart writes a report and tables to a disk that is too small for
// them: what was there stays, and nothing is added to it.
func TestAFullDiskKeepsNoPart(t *testing.T) {
	inRepository(t)
	disk := smallDisk(t)
	report := filepath.Join(disk, "report.json")
	if err := os.WriteFile(report, []byte("what was there"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 48<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"summary", scenario("healthy"), "-o", report},
		{"ingest", scenario("healthy"), "-o", filepath.Join(disk, "run")},
	} {
		code, _, stderr := tailpath(nil, args...)
		if code != exitFailed || !strings.Contains(stderr, "no space left on device") || !strings.Contains(stderr, "tailpath: hint: free some space") {
			t.Errorf("%s: exit %d, %q", args[0], code, stderr)
		}
	}
	kept, err := os.ReadFile(report)
	if err != nil || string(kept) != "what was there" {
		t.Errorf("the report became %q, %v", kept, err)
	}
	entries, err := os.ReadDir(disk)
	if err != nil || len(entries) != 2 {
		t.Errorf("the disk holds %v, %v", entries, err)
	}
}
