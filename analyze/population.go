package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// Population says which requests an analysis stands on. Every request is either
// used or counted under one exclusion: N and the counts add up to Requests.
type Population struct {
	Requests int64 // rows of the requests table
	N        int64 // requests used
	Excluded []Exclusion
	Errors   ErrorRate
	// Failed, Aborted and Partial are how many of N failed, were given up by who asked, or
	// lack a part. They are mixed in by the choices below.
	Failed, Aborted, Partial int64
	Sampling                 Sampling
	// Incomplete and Errors are the choices the population was made with.
	IncompleteChoice, ErrorsChoice Inclusion
	// During is the time in which the requests start, by choice; nil where none was made.
	During *Interval
}

// The kinds of exclusion besides the names of the classes.
const (
	ExcludedUndated = "undated" // Options.During is set, and the request has no date
	ExcludedOutside = "outside" // it does not start in Options.During
	ExcludedFilter  = "filter"  // Options.Where does not hold
	ExcludedError   = "error"
	ExcludedAborted = "aborted" // who asked for it gave it up
	ExcludedSuccess = "success" // when only errors were asked for
	ExcludedInvalid = "invalid" // stage times do not add up to the duration
)

// Exclusion counts requests that were left out for one reason.
type Exclusion struct {
	Kind   string // a class name, or one of the constants above
	Reason string // what the recording lacks; may be empty
	N      int64
}

// ErrorRate is the share of failed requests among those that the filter keeps and whose
// outcome is known for certain: the complete ones.
type ErrorRate struct {
	N, Of   int64       // those that were given up are of these, and not failed
	Bounds  stat.Bounds // 95 %, Clopper-Pearson
	Aborted int64       // those that were given up
}

// exclusionKinds fixes the order in which exclusions are listed.
var exclusionKinds = append(append([]string{ExcludedUndated, ExcludedOutside, ExcludedFilter}, table.ClassNames...), ExcludedError, ExcludedAborted, ExcludedSuccess, ExcludedInvalid)

// population selects the rows of the requests table that an analysis uses.
func population(set *table.Set, opt Options) (rows []int32, p Population) {
	opt = opt.on(set)
	req := &set.Requests
	p = Population{Requests: int64(req.Len()), IncompleteChoice: opt.Incomplete, ErrorsChoice: opt.Errors, During: opt.During}
	counts := map[Exclusion]int64{}
	for i := range req.Len() {
		if critical.Class(req.Class[i]) == critical.Complete && opt.kept.holds(i) {
			p.Errors.Of++
			switch {
			case req.Aborted[i]:
				p.Errors.Aborted++
			case req.Error[i]:
				p.Errors.N++
			}
		}
		if why, out := exclusion(set, i, opt); out {
			counts[why]++
			continue
		}
		rows = append(rows, int32(i))
		switch {
		case req.Aborted[i]:
			p.Aborted++
		case req.Error[i]:
			p.Failed++
		}
		if critical.Class(req.Class[i]) == critical.Incomplete {
			p.Partial++
		}
	}
	p.N = int64(len(rows))
	p.Errors.Bounds = stat.ClopperPearson(p.Errors.N, p.Errors.Of, stat.Confidence)
	for why, n := range counts {
		why.N = n
		p.Excluded = append(p.Excluded, why)
	}
	slices.SortFunc(p.Excluded, func(a, b Exclusion) int {
		return cmp.Or(
			cmp.Compare(slices.Index(exclusionKinds, a.Kind), slices.Index(exclusionKinds, b.Kind)),
			cmp.Compare(a.Reason, b.Reason))
	})
	p.Sampling = sampling(set, rows)
	return rows, p
}

// exclusion returns the one reason why request i is not used, if it is not. The options
// must be on the set.
func exclusion(set *table.Set, i int, opt Options) (why Exclusion, out bool) {
	req := &set.Requests
	class := critical.Class(req.Class[i])
	why = Exclusion{Kind: class.String(), Reason: set.Symbols.Text(req.ClassReason[i])}
	switch {
	case !opt.kept.holds(i):
		return opt.kept.why[opt.kept.rows[i]], true
	case class == critical.Unfinished || class == critical.Broken,
		class == critical.Incomplete && opt.Incomplete == Exclude,
		class == critical.Complete && opt.Incomplete == Only:
		return why, true
	case !timed(req, i):
		return Exclusion{Kind: ExcludedInvalid, Reason: "stage times do not add up to the duration"}, true
	case req.Aborted[i] && opt.Errors == Exclude:
		return Exclusion{Kind: ExcludedAborted}, true
	case req.Error[i] && opt.Errors == Exclude:
		return Exclusion{Kind: ExcludedError}, true
	case !req.Error[i] && !req.Aborted[i] && opt.Errors == Only:
		return Exclusion{Kind: ExcludedSuccess}, true
	}
	return Exclusion{}, false
}

// timed reports whether the times of request i obey the invariants that every sum
// here rests on.
func timed(req *table.Requests, i int) bool {
	return req.Duration[i] >= 0 && req.End[i]-req.Start[i] == req.Duration[i] && addsUp(&req.Stage, i, req.Duration[i])
}

// addsUp reports whether the stage times of row i are not negative and add up to
// want. Times below 2^63 that are not negative cannot overflow unnoticed here: the
// sum is exact.
func addsUp(stages *[table.StageCount][]int64, i int, want int64) bool {
	var sum stat.Sum
	for k := range stages {
		if stages[k][i] < 0 {
			return false
		}
		sum.Add(stages[k][i])
	}
	return sum == stat.SumOf(want)
}
