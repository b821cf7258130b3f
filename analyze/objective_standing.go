package analyze

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// standing says what a request of the load can be asked.
type standing uint8

const (
	wasAnswered standing = iota
	hasFailed            // or was given up: it is asked, and met nothing
	lacksPart            // it has a start and an end, and nothing can be asked of what lies between
	notEnded             // when the recording stopped: it is bad once it was there for longer than a limit
)

// notStreamed is the value of the streaming column for a response in one piece.
const notStreamed = 1

// The reasons for which nothing can be asked of a request of the load.
const (
	partMissing  = "a part was not recorded"
	partsInvalid = "stage times do not add up to the duration"
	stillOpen    = "had not ended"
)

// gatherAsked finds the requests that are load, of whatever clock, and their standings.
func (a *asking) gatherAsked() {
	req := &a.set.Requests
	opt := a.opt
	opt.Errors = Include
	var base []int
	var ended []int32
	open := false
	for i := range req.Len() {
		why, out := exclusion(a.set, i, opt)
		s := wasAnswered
		switch {
		case !out:
			if a.failed(int32(i)) {
				s = hasFailed
			}
			base, ended = append(base, i), append(ended, int32(i))
			a.firstToken = a.firstToken || req.FirstToken[i] != table.Missing
		case why.Kind == critical.Incomplete.String(), why.Kind == ExcludedInvalid:
			if s = lacksPart; req.Start[i] == table.Missing || req.End[i] == table.Missing || req.End[i] < req.Start[i] {
				continue
			}
		case why.Kind == critical.Unfinished.String() && opt.Incomplete != Only && req.Start[i] != table.Missing:
			s, open = notEnded, true
		default:
			continue
		}
		a.asked, a.standings = append(a.asked, int32(i)), append(a.standings, s)
	}
	a.ended = len(ended)
	a.base = commonBase(a.set, base)
	a.askedFrom = sampling(a.set, ended)
	a.unit = weightUnit(a.heaviest())
	if open {
		a.last = lastInstants(a.set)
	}
}

// failed says that a request failed or was given up by who asked.
func (a *asking) failed(row int32) bool {
	return a.set.Requests.Error[row] || a.set.Requests.Aborted[row]
}

// heaviest returns the greatest weight of what is asked; 0 without any.
func (a *asking) heaviest() float64 { return max(a.sampling.High, a.askedFrom.High) }

// weightUnit returns a unit of weights, the heaviest of which is given, in which their squares
// and sums are numbers.
func weightUnit(heaviest float64) float64 {
	if heaviest > 1e100 || heaviest > 0 && heaviest < 1e-100 {
		return heaviest
	}
	return 1
}

// weight returns the sampling weight of a request, in a unit in which squares and sums of
// weights are numbers. One that has none may weigh as much as any.
func (a *asking) weight(row int32) float64 {
	w := a.set.Requests.Weight[row]
	if !finite(w) {
		w = a.heaviest()
	}
	return w / a.unit
}

// unlimited says of each request that is asked what is known of it before any limit.
func (a *asking) unlimited() []limited {
	out := make([]limited, len(a.asked))
	for i, row := range a.asked {
		switch a.standings[i] {
		case wasAnswered:
			out[i] = limited{good: true, sure: true, might: true}
		case lacksPart:
			out[i].why = a.number(partMissing)
			if critical.Class(a.set.Requests.Class[row]) == critical.Complete {
				out[i].why = a.number(partsInvalid)
			}
		case notEnded:
			out[i].why = a.number(stillOpen)
		}
	}
	return out
}

// broke says that a request which had not ended has broken a limit all the same: it was there
// for longer, or its first token came too late, or had not come for longer than that. That it
// has none says nothing where no request has one, or where the response was not streamed.
func (a *asking) broke(l *filter.MetricLimit, row int32) bool {
	req := &a.set.Requests
	switch first := req.FirstToken[row]; {
	case l.Metric == metricE2E:
		return !within(l, a.atLeast(row))
	case l.Metric != metricTTFT:
		return false
	case first != table.Missing:
		took := first - req.Start[row]
		return first > req.Start[row] && took > 0 && !within(l, max(0, took-a.farOff(metricTTFT, row)))
	}
	return a.firstToken && req.Streaming[row] != notStreamed && !within(l, a.atLeast(row))
}

// atLeast returns for how many ns a request that had not ended was there, as far as is known:
// until the last instant of its clock, less what its own start may be off.
func (a *asking) atLeast(row int32) int64 {
	req := &a.set.Requests
	start, last := req.Start[row], a.last[timebaseOf(a.set, int(row))]
	if req.Clock[row] == table.ClockNone || last < start {
		return 0
	}
	age := last - start
	if age < 0 { // beyond what an int64 holds
		age = math.MaxInt64
	}
	return max(0, age-max(0, req.Resolution[row]))
}

// withOpen counts requests that had not ended and have broken the limit of a percentile as bad.
// They have no value, so they are in no percentile; but a pass must hold with them too.
func (a *asking) withOpen(s attained, l *filter.MetricLimit) attained {
	s.votes = s.votes[:len(s.votes):len(s.votes)]
	if a.opt.Errors == Only {
		return s
	}
	for i, row := range a.asked {
		if a.standings[i] == notEnded && a.broke(l, row) {
			s.open++
			s.add(limited{}, a.weight(row))
		}
	}
	return s
}

// openText says how many requests had not ended although they had broken a limit.
func openText(n int64, then string) string {
	return fmt.Sprintf("%s still running, or lost the end, when the recording stopped, and had broken a limit by then: %s", were(n), then)
}
