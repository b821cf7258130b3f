package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
)

// Candidate is something that may have made requests wait, with the number that speaks for
// or against it: the same figure of quiet and of busy times.
type Candidate struct {
	Name        CandidateName
	Speaks      Speaks
	Unit        string // of Quiet and Busy: "/s", "ns", "tokens", "engines", "share"
	Quiet, Busy float64
	N           int64 // requests, or arrivals, that it stands on
	// Ratio is Busy by Quiet where it has an interval.
	Ratio stat.Estimate
	P     float64 // of a test of the difference; NaN where none was made
}

// CandidateName names a candidate.
type CandidateName string

// The candidates. They are told in the order of what speaks for them.
const (
	MoreArrivals   CandidateName = "arrivals" // more requests a second, before the backlog's peak
	SlowerService  CandidateName = "service"  // requests take longer by themselves
	LongerPrompts  CandidateName = "prompts"  // they bring more prompt tokens
	LongerOutputs  CandidateName = "outputs"  // they ask for more output tokens
	LessCapacity   CandidateName = "capacity" // fewer engines served
	MemoryPressure CandidateName = "memory"   // the slow ones waited for memory, or were preempted
	MoreRetries    CandidateName = "retries"  // more requests were tried again
)

// Speaks says what a number speaks for.
type Speaks string

// The sides.
const (
	SpeaksFor     Speaks = "for"
	SpeaksAgainst Speaks = "against"
	SpeaksNothing Speaks = "~" // no difference that chance does not make
)

// The level of a test between quiet and busy times, and the least change that counts.
const (
	CauseAlpha  = 0.01
	LeastChange = 0.1
)

// candidates weighs what may have made requests wait. Busy times are those of Busy; arrivals
// are those of the rise of the worst incident.
func (q *Queue) candidates(set *table.Set, fields *Fields, rows []int32) (out []Candidate) {
	if in := q.When.Worst(); in != nil && in.Before.To > in.Before.From {
		c := Candidate{Name: MoreArrivals, Speaks: SpeaksNothing, Unit: "/s", Quiet: in.Before.Rate(), Busy: in.Rise.Rate(), N: in.Arrivals.N, Ratio: in.Arrivals, P: math.NaN()}
		switch b := in.Arrivals.Bounds; {
		case !in.Arrivals.HasBounds:
		case b.Low > 1+LeastChange:
			c.Speaks = SpeaksFor
		case b.High < 1+LeastChange:
			c.Speaks = SpeaksAgainst
		}
		out = append(out, c)
	}
	if b := q.Busy; b.Known {
		if b.Quiet.Own.Known && b.Busy.Own.Known {
			c := Candidate{Name: SlowerService, Unit: "ns", Quiet: float64(b.Quiet.Own.Value), Busy: float64(b.Busy.Own.Value), N: b.Quiet.N + b.Busy.N, P: b.Own.P}
			c.Speaks = speaksOf(c.Quiet, c.Busy, c.P)
			out = append(out, c)
		}
		quiet, busy := q.split(set, rows)
		out = append(out, tokenCandidates(set, quiet, busy)...)
		out = append(out, engineCandidate(fields, quiet, busy)...)
		out = append(out, retryCandidate(set, quiet, busy)...)
	}
	return ranked(append(out, q.memoryCandidate()...))
}

// ranked orders candidates: those that their number speaks for first, then those that it
// cannot tell of, then those that it speaks against; in each the strongest first, and equals
// in the order of the names above.
func ranked(list []Candidate) []Candidate {
	side := func(c Candidate) int {
		return slices.Index([]Speaks{SpeaksFor, SpeaksNothing, SpeaksAgainst}, c.Speaks)
	}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(side(a), side(b)), cmp.Compare(b.Factor(), a.Factor()))
	})
	return list
}

// Factor says by how many times the candidate made things worse, so that candidates of
// different units can be set beside each other: by how many times the busy figure is the
// quiet one, or the quiet one the busy one of engines, of which fewer are worse; of memory, by
// how many times the slow requests waited longer than without waits for it. It is +Inf where
// there was nothing before.
func (c Candidate) Factor() float64 {
	from, to := c.Quiet, c.Busy
	switch c.Name {
	case LessCapacity:
		from, to = to, from
	case MemoryPressure:
		from, to = 1-min(1, c.Busy), 1
	}
	switch {
	case from > 0:
		return to / from
	case to > 0:
		return math.Inf(1)
	}
	return 1
}

// speaksOf says what a figure speaks for that should be higher in busy times.
func speaksOf(quiet, busy, p float64) Speaks {
	switch {
	case busy > quiet*(1+LeastChange) && p < CauseAlpha:
		return SpeaksFor
	case busy <= quiet*(1+LeastChange):
		return SpeaksAgainst
	}
	return SpeaksNothing
}

// split returns the rows that came in quiet and in busy times, as incidents have it; nil
// without incidents.
func (q *Queue) split(set *table.Set, rows []int32) (quiet, busy []int32) {
	if !q.Busy.ByIncident {
		return nil, nil
	}
	for _, row := range rows {
		if set.Requests.Clock[row] != q.When.Clock {
			continue
		}
		if q.When.at(set.Requests.Start[row]) >= 0 {
			busy = append(busy, row)
		} else {
			quiet = append(quiet, row)
		}
	}
	return quiet, busy
}

// tokenCandidates compares the tokens of both.
func tokenCandidates(set *table.Set, quiet, busy []int32) (out []Candidate) {
	for _, c := range []struct {
		name   CandidateName
		column []int64
	}{{LongerPrompts, set.Requests.PromptTokens}, {LongerOutputs, set.Requests.OutputTokens}} {
		known := func(rows []int32) (list []int64) {
			for _, row := range rows {
				if v := c.column[row]; v != table.Missing {
					list = append(list, v)
				}
			}
			return list
		}
		a, b := known(quiet), known(busy)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		k := Candidate{Name: c.name, Unit: "tokens", Quiet: float64(medianOf(a)), Busy: float64(medianOf(b)), N: int64(len(a) + len(b)), P: stat.MannWhitney(b, a).P}
		k.Speaks = speaksOf(k.Quiet, k.Busy, k.P)
		out = append(out, k)
	}
	return out
}

// engineCandidate counts the engines that served both.
func engineCandidate(fields *Fields, quiet, busy []int32) []Candidate {
	for _, name := range []string{"engine", "host"} {
		field := fields.Field(name)
		count := func(rows []int32) float64 {
			seen := map[string]bool{}
			for _, row := range rows {
				if text, ok := field.Text(row); ok {
					seen[text] = true
				}
			}
			return float64(len(seen))
		}
		c := Candidate{Name: LessCapacity, Unit: "engines", Quiet: count(quiet), Busy: count(busy), N: int64(len(quiet) + len(busy)), P: math.NaN(), Speaks: SpeaksAgainst}
		if c.Quiet == 0 || c.Busy == 0 {
			continue
		}
		// A busy time may be too short for every engine to have had its turn.
		if c.Busy < c.Quiet {
			c.Speaks = SpeaksNothing
			if int64(len(busy)) >= 20*int64(c.Quiet) {
				c.Speaks = SpeaksFor
			}
		}
		return []Candidate{c}
	}
	return nil
}

// retryCandidate compares how many requests were tried again.
func retryCandidate(set *table.Set, quiet, busy []int32) []Candidate {
	again := func(rows []int32) (n int64) {
		for _, row := range rows {
			if set.Requests.Attempts[row] > 1 {
				n++
			}
		}
		return n
	}
	a, b := again(quiet), again(busy)
	if a+b == 0 {
		return nil
	}
	c := Candidate{Name: MoreRetries, Unit: "share", Quiet: float64(a) / float64(len(quiet)), Busy: float64(b) / float64(len(busy)), N: int64(len(quiet) + len(busy))}
	c.P = stat.FisherTwoSided(b, int64(len(busy))-b, a, int64(len(quiet))-a).P
	c.Speaks = speaksOf(c.Quiet, c.Busy, c.P)
	return []Candidate{c}
}

// MemoryCause returns the name of the cause of waits for memory.
func MemoryCause() string { return engine.KVMemory.String() }

// memoryCandidate gives the part of the slow requests' waiting that was for memory, and that
// of all.
func (q *Queue) memoryCandidate() []Candidate {
	of := func(m CauseMix) (share float64) {
		for _, c := range m.Causes {
			if c.Cause == MemoryCause() {
				share += m.Share(c)
			}
		}
		return share
	}
	all, slow := q.Summary.Queueing.All, q.Summary.Queueing.Slow
	if slow.Total.Sign() == 0 {
		return nil
	}
	c := Candidate{Name: MemoryPressure, Unit: "share", Quiet: of(all), Busy: of(slow), N: slow.Waited, P: math.NaN(), Speaks: SpeaksAgainst}
	switch {
	case c.Busy >= 0.5:
		c.Speaks = SpeaksFor
	case c.Busy >= LeastChange:
		c.Speaks = SpeaksNothing
	}
	return []Candidate{c}
}
