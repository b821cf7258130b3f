package main

import (
	"path/filepath"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// mostGrowth is by how many bytes a page of ten times as many requests may be longer: charts get
// as many marks as they have room for, and tables as many rows as they ever show. A list of the
// requests would take more: an id alone has 32 characters.
const mostGrowth = 200_000

// TestPageGrowsNoLongerWithRequests draws the report of an incident of a few requests, and of ten
// times as many.
func TestPageGrowsNoLongerWithRequests(t *testing.T) {
	incident, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	const few, times = 300, 10
	page := func(requests int) int {
		capture, err := simulate.Run(incident, 1, simulate.Options{Requests: requests})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "capture")
		if _, err := capture.WriteDir(dir); err != nil {
			t.Fatal(err)
		}
		return len(mustRun(t, "report", dir, "-f", "html"))
	}
	one, more := page(few), page(few*times)
	if growth := more - one; growth > mostGrowth || growth < 0 {
		t.Errorf("the page of %d requests has %d bytes and that of %d %d: %d more", few, one, few*times, more, growth)
	}
}
