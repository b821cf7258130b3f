package text

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// disturbCapacity puts names from an attacker and numbers from chance into a capacity section.
func disturbCapacity(t *rapid.T, c *reports.Capacity, name func(label string, p *string)) {
	number := func(label string, p **float64) {
		if rapid.Bool().Draw(t, label+"?") {
			v := rapid.Float64().Draw(t, label)
			if *p = &v; rapid.Bool().Draw(t, label+" unknown") {
				*p = nil
			}
		}
	}
	c.Warnings = append(c.Warnings, reports.Warning{ID: drawName(t, "id"), Text: drawName(t, "text")})
	for i := range c.Objectives {
		o := &c.Objectives[i]
		name("objective", &o.Objective)
		name("limiting", &o.Limiting)
		name("why", &o.NoGoodput)
		number("good", &o.Goodput)
		o.Good = rapid.Int64().Draw(t, "good")
		disturbCarried(t, &o.Carried, name, number)
		for k := range o.Terms {
			term := &o.Terms[k]
			name("term", &term.Term)
			name("of", &term.Of)
			name("outcome", &term.Outcome)
			term.Need = rapid.Int64().Draw(t, "need")
			for l := range term.Limits {
				name("limit", &term.Limits[l].Time)
			}
			if q := term.Observed; q != nil && q.ValueNS != nil {
				*q.ValueNS = rapid.Int64().Draw(t, "observed")
			}
			if term.Attainment != nil {
				term.Attainment.Value = rapid.Float64().Draw(t, "met")
			}
			for l := range term.Undefined {
				name("undefined", &term.Undefined[l].Name)
			}
		}
	}
	disturbSystem(t, &c.System, name, number)
}

func disturbCarried(t *rapid.T, c *reports.Carried, name func(string, *string), number func(string, **float64)) {
	name("words", &c.Words)
	name("method", &c.Method)
	number("rate", &c.Rate)
	number("tokens", &c.TokenRate)
	number("fail", &c.Fail)
	number("per GPU", &c.PerGPU)
	c.Target = rapid.Float64().Draw(t, "target")
	for i := range c.Bins {
		name("verdict", &c.Bins[i].Verdict)
		c.Bins[i].Rate = rapid.Float64().Draw(t, "bin")
	}
	at := rapid.Int64().Draw(t, "bin")
	c.FailBin = &at
}

func disturbSystem(t *rapid.T, s *reports.System, name func(string, *string), number func(string, **float64)) {
	name("refused", &s.Refused)
	name("held up", &s.Decision.Words)
	s.ToNS = rapid.Int64Range(0, 1<<62).Draw(t, "to")
	for i := range s.OverTime {
		number("tokens", &s.OverTime[i].Output.Rate)
		s.OverTime[i].ToNS = rapid.Int64Range(0, 1<<62).Draw(t, "until")
	}
	for i := range s.Engines {
		name("engine", &s.Engines[i].Name)
		name("verdict", &s.Engines[i].Verdict)
		number("busy", &s.Engines[i].Busy)
	}
	for i := range s.Decision.Rows {
		r := &s.Decision.Rows[i]
		name("signature", &r.Signature)
		for k := range r.Figures {
			name("figure", &r.Figures[k].Name)
			name("of", &r.Figures[k].Of)
			number("low", &r.Figures[k].Low)
		}
	}
	for i := range s.Curves {
		c := &s.Curves[i]
		name("of", &c.Of)
		name("reason", &c.Reason)
		number("knee", &c.Knee.InFlight)
	}
	for i := range s.Stages {
		name("stage", &s.Stages[i].Stage)
	}
	for _, p := range []**string{&s.Context.Vantage, &s.Context.Model, &s.Context.Engine} {
		text := drawName(t, "context")
		*p = &text
	}
}

// section returns the lines of a text from a title to the next empty line.
func section(t *testing.T, text, title string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+title)
	if !ok {
		t.Fatalf("there is no %q in\n%s", title, text)
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Split(rest, "\n")[1:]
}

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

// TestCapacityFitsATerminal: no table of the usual document is split at 80 columns but that
// of objectives, of the time and of engines.
func TestCapacityFitsATerminal(t *testing.T) {
	d := fixed(t)["capacity"]
	wide, narrow := render(t, d, Options{}), render(t, d, Options{Width: 80})
	for _, title := range []string{"what holds it up", "requests in each stage"} {
		if w, n := section(t, wide, title), section(t, narrow, title); strings.Count(strings.Join(w, "\n"), w[1]) != strings.Count(strings.Join(n, "\n"), w[1]) {
			t.Errorf("%s is split:\n%s", title, strings.Join(n, "\n"))
		}
	}
	if head := "requests/s  tokens/s  windows       n   met %          95 %"; strings.Count(wide, head) != strings.Count(narrow, head) || strings.Contains(narrow, "\nrequests/s\n") {
		t.Errorf("bins are split:\n%s", narrow)
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
