package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestForAllRequests: the section says for whom it holds, adds up
// and says what is missing; documents without weights have none of it.
func TestForAllRequests(t *testing.T) {
	const title = "for all requests, by weights"
	docs := fixed(t)
	for name, d := range docs {
		if d.Summary != nil && name != "summary_weighted" && strings.Contains(render(t, d, Options{}), title) {
			t.Errorf("%s has no weights and figures by weight", name)
		}
	}
	d := docs["summary_weighted"]
	wide := render(t, d, Options{})
	for _, want := range []string{
		"for all requests, gpu leads\n", "requests/s, mean in flight 20.8\n", "ranks 40 to 60 % by weight", "no interval: slowness comes in spells",
		"by weights, gpu leads at p95: 93.2 % of the excess (other-for-all-requests)",
	} {
		if !strings.Contains(wide, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	f := *d.Summary.Duration.ForAll
	if f.Tail.MeanNS-f.Body.MeanNS != f.AsTail().ExcessNS {
		t.Error("the excess is not slow less usual")
	}
	var tail, body int64
	var share float64
	for _, s := range f.Stages {
		tail, body, share = tail+s.TailNS, body+s.BodyNS, share+s.Share.Value
	}
	if tail != f.Tail.MeanNS || body != f.Body.MeanNS || share < 1-1e-9 || share > 1+1e-9 {
		t.Errorf("stages add up to %d of %d, %d of %d and %v", tail, f.Tail.MeanNS, body, f.Body.MeanNS, share)
	}
	written := func(f reports.ForAll) string {
		s := *d.Summary
		s.Duration.ForAll = &f
		d := d
		d.Summary = &s
		return render(t, d, Options{})
	}
	for want, f := range map[string]reports.ForAll{
		"cannot be said: few; that takes more\n":                         {Refused: "few", Need: "more"},
		"for all requests, no stage leads: gpu has most of the excess\n": {Q: "p95", Leading: "gpu", Tail: f.Tail, Body: f.Body, Stages: f.Stages},
		"for all requests, slow ones take no longer than usual ones\n":   {Q: "p95", Tail: f.Body, Body: f.Tail, Stages: f.Stages},
	} {
		if text := written(f); !strings.Contains(text, want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
}
