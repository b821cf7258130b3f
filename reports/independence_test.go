package reports_test

import (
	"os"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// What intervals stand on is said in the document wherever there is one, so that who knows it can
// leave it out.
func TestIndependenceCanBeSilenced(t *testing.T) {
	f, err := os.Open("testdata/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := reports.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	said := func(d reports.Document) (n int64) {
		for _, m := range []reports.Percentiles{d.Summary.Duration.Percentiles, d.Summary.TTFT.Percentiles, d.Summary.TPOT} {
			for _, w := range m.Warnings {
				if w.ID == reports.Independence {
					n++
				}
			}
		}
		return n
	}
	before := said(d)
	silent, unknown := d.Silenced([]string{reports.Independence})
	if before == 0 || said(silent) != 0 || len(unknown) > 0 || silent.SilencedCounts[0].N < before {
		t.Errorf("it is said %d times, and %d times when silenced; unknown %v, counted %v", before, said(silent), unknown, silent.SilencedCounts)
	}
}
