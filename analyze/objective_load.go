package analyze

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/ingest/table"
)

// goodput returns good requests a second of the window of the load, with how many of these
// cannot be asked, or why it is not known.
func (a *asking) goodput(each []limited) (perSecond float64, unasked int64, why string) {
	switch {
	case a.noRate != "":
		return 0, 0, a.noRate
	case len(a.requests) == 0:
		return 0, 0, "there are no requests"
	case !a.load.Rated():
		return 0, 0, "the requests span less than ten mean durations: a rate would mean little"
	}
	var good int64
	for _, place := range a.places {
		switch m := each[place]; {
		case m.why != 0:
			unasked++
		case m.good:
			good++
		}
	}
	return a.perRequest * (float64(good) / a.load.Seconds()), unasked, ""
}

// gatherLoad finds the requests that a rate is of. Those that had not ended were in flight
// until the recording stopped, as far as is known.
func (a *asking) gatherLoad() {
	req := &a.set.Requests
	for i, row := range a.asked {
		switch {
		case a.ended == 0: // nothing has an end, so no clock is that of the load
			continue
		case !a.onBase(row):
			a.elsewhere++
			continue
		}
		q := capacity.Request{StartNS: req.Start[row], EndNS: req.End[row], Tokens: req.OutputTokens[row]}
		if a.standings[i] == notEnded {
			q.EndNS, q.Tokens = max(a.last[a.base], q.StartNS), table.Missing
		} else if a.outputs.of++; q.Tokens >= 0 {
			a.outputs.known++
		}
		a.loadRows, a.places, a.requests = append(a.loadRows, row), append(a.places, int32(i)), append(a.requests, q)
	}
	a.loadFrom = sampling(a.set, a.loadRows)
	a.noRate, a.perRequest = a.refusal(), 1
	if a.loadFrom.Kind == SamplingUniform {
		a.perRequest = a.loadFrom.Low
	}
	all := make([]bool, len(a.loadRows))
	for i := range all {
		all[i] = true
	}
	a.lengths = a.mix(all)
}

// mostWeight is more requests than one trace stands for: rates of such are no numbers.
const mostWeight = 1e15

// refusal says why a rate would mean nothing; "" when one does not.
func (a *asking) refusal() string {
	switch s := a.loadFrom; {
	case a.ended == 0:
		return "" // there is nothing, which is what the answer will say
	case len(a.requests) == 0:
		return "the requests have durations but no times, so nothing says at which rate they came"
	case s.Kind == SamplingWeighted:
		return fmt.Sprintf("traces stand for %.4g to %.4g requests each: how full the system was in a window cannot be told from those that were kept", s.Low, s.High)
	case s.High > mostWeight:
		return fmt.Sprintf("traces stand for %.4g requests each, which is more than there can be", s.High)
	case s.Kind == SamplingPartial:
		return "only some traces say how many requests they stand for, so rates are not known"
	case s.Kind == SamplingSuspected:
		return "attribute " + s.Mark + " shows that a sampler chose among traces, and nothing says how many it left out"
	}
	return ""
}

// leastKept is how many requests must be kept in a window for its rate: their number is then
// off by chance by 1/sqrt(n), which is the width of a bin of rates, 2.5 %.
const leastKept = 1600

// chancy says why rates of traces that a sampler chose alike are chance; "" when they are not.
// The number of kept requests in a window, times what each stands for, spreads about the
// rate that was carried, and the fullest windows are those where more than usual were kept.
func (a *asking) chancy(windowNS int64) string {
	if a.perRequest == 1 || len(a.requests) == 0 {
		return ""
	}
	kept := map[int64]int64{}
	for i := range a.requests {
		kept[windowOf(a.requests[i].StartNS, windowNS)]++
	}
	counts := slices.Sorted(maps.Values(kept))
	median := counts[(len(counts)-1)/2]
	if median >= leastKept {
		return ""
	}
	return fmt.Sprintf("every trace stands for %.4g requests, and the median window of %s has %d that were kept: so few times that are chance and no rate, and %d are needed; longer windows have more",
		a.perRequest, inUnit(windowNS), median, leastKept)
}
