package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestCapacityShowsTwelveBins has the limit among them and counts the rest.
func TestCapacityShowsTwelveBins(t *testing.T) {
	d := fixed(t)["capacity"]
	c := &d.Capacity.Objectives[0].Carried
	one := c.Bins[0]
	c.Bins = nil
	for i := range 40 {
		b := one
		b.Rate = float64(100 + i)
		c.Bins = append(c.Bins, b)
	}
	pass, fail := int64(29), int64(30)
	c.PassBin, c.FailBin = &pass, &fail
	got := strings.Join(section(t, render(t, d, Options{}), "capacity within p99(e2e) < 2s"), "\n")
	for i := range 40 {
		if shown, want := strings.Contains(got, fmt.Sprintf("\n       %d ", 100+i)), i >= 22 && i < 34; shown != want {
			t.Errorf("bin %d is shown: %t, want %t", i, shown, want)
		}
	}
	for _, want := range []string{"passes (last)", "passes (first)", "and 22 bins at lower rates, 6 bins at higher rates"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestShortWindowsAreCalledShort: rates over less than ten mean durations mean little.
func TestShortWindowsAreCalledShort(t *testing.T) {
	d := fixed(t)["capacity"]
	w := &d.Capacity.System.Whole
	for in, want := range map[float64]bool{float64(w.Arrivals) / 10: false, float64(w.Arrivals) / 9: true} {
		w.InFlight = in
		if got := strings.Contains(render(t, d, Options{}), "\nrates        mean little: "); got != want {
			t.Errorf("%d arrivals, %v in flight: %t, want %t", w.Arrivals, in, got, want)
		}
	}
}

// TestUnknownIsSaid: what the context lacks is called unknown, never 0 or nothing.
func TestUnknownIsSaid(t *testing.T) {
	d := fixed(t)["capacity"]
	d.Capacity.System.Context = reports.Context{}
	for _, line := range section(t, render(t, d, Options{}), "read these figures with") {
		if !strings.Contains(line, "unknown") || strings.Contains(line, " 0") {
			t.Errorf("%q", line)
		}
	}
}
