package analyze

import (
	"slices"
	"time"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// ReportOptions are what a report is asked for, beside the options of any analysis.
type ReportOptions struct {
	Options
	// Week is the week that the report is of; nil for one of whatever was captured.
	Week *Week
	// Zone is the zone of the hours of the week; nil for UTC.
	Zone *time.Location
	// UserField is the attribute that tells users apart. When it is empty, one of those that
	// OpenTelemetry names for users is taken if a request has it.
	UserField string
}

// Report is what a report says beyond the answers that it stands on: when requests were slow
// and by how much, what made them slow, and whom it hit. Times are in ns.
type Report struct {
	Population Population
	Where      string // the text of Options.Where; empty for all requests
	// Covered is how much of the week is covered, in stretches of an hour of Hours; 0 without
	// a week.
	Week           *Week
	Covered, Hours int64 // of an hour each
	// Q is the percentile that slow requests lie at or above; TailN of N do. Enough says that
	// they are enough for figures of slow requests.
	Q        stat.Prob
	N, TailN int64
	Enough   bool
	Clock    uint8 // of the load, as in table.ClockNames
	From, To int64 // window: first start to last end on that clock
	// Distributions are those of the duration and of the time to the first token.
	Distributions []Distribution
	Heat          *Heat        // nil where requests have no times
	HoursOfWeek   []HourOfWeek // those with requests; empty without dates
	// Bottlenecks are all stages, and sub-labels of stages, in which some request spent more
	// than the median, those first that took most of what slow requests took longer. Total is
	// the excess of all of them over all requests, and SlowTotal over the slow ones.
	Bottlenecks      []Bottleneck
	Total, SlowTotal stat.Sum
	// Late is the sum over requests of what they took longer than the median.
	Late stat.Sum
	// FirstMissed is of each objective of the options the start of the first request that
	// broke a limit.
	FirstMissed []FirstMissed
	Users       Users
	Streams     []TokenStream
	// Typical is the median request, Far that at p99, Worst the slowest; nil without requests.
	Typical, Far, Worst *Exemplar

	set *table.Set
	// rows are those of the population, by duration.
	rows []int32
	opt  Options
}

// leastHours is the part of the hours of a week that must be covered for it to be complete.
var leastHours = stat.Prob{Num: 19, Den: 20}

// Complete says that the week has gaps of no more than a twentieth; true without a week.
func (r *Report) Complete() bool {
	return r.Week == nil || r.Covered >= leastHours.Rank(r.Hours)
}

// ReportOf analyses the requests of a set for a report. It reads the set alone, and depends on
// the order of no table.
func ReportOf(set *table.Set, o ReportOptions) Report {
	opt := o.filled().on(set)
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	rows, people := population(set, opt)
	rank(set, rows, set.Requests.Duration)
	r := Report{Population: people, Week: o.Week, N: int64(len(rows)), set: set, rows: rows, opt: opt}
	if o.Where != nil {
		r.Where = o.Where.Text()
	}
	r.Q, r.Enough = slowFrom(r.N, opt.Rule)
	if r.N > 0 {
		r.TailN = r.N - tailFrom(r.Q, r.N) + 1
		at := func(rank int64) *Exemplar {
			row := rows[rank-1]
			e := exemplar(set, row, set.Requests.Duration[row])
			return &e
		}
		r.Typical, r.Far, r.Worst = at(stat.P50.Rank(r.N)), at(stat.P99.Rank(r.N)), at(r.N)
	}
	if o.Week != nil {
		r.Covered, r.Hours = covered(set, *o.Week)
	}
	streamed, _ := ttftRows(set, rows)
	r.Distributions = []Distribution{
		distributionOf(durationName, gather(set.Requests.Duration, rows)),
		distributionOf(metricTTFT, gather(set.Requests.TTFT, streamed)),
	}
	w := sharedWaiting(set, opt)
	r.From, r.To = w.from, w.to
	if len(w.rows) > 0 {
		r.Clock = set.Requests.Clock[w.rows[0]]
		r.Heat = heatOf(set, rows, w)
	} else {
		r.Clock = table.ClockNone
	}
	r.HoursOfWeek = hoursOfWeek(set, rows, o.Zone)
	r.bottlenecks(w)
	r.Late = late(gather(set.Requests.Duration, rows))
	r.impact(o)
	r.Streams = tokenStreams(set, rows)
	r.opt.Shared = nil // it is not held on to
	return r
}

// slowFrom returns the percentile that the slow of n requests lie at or above, as [Tail] has it,
// and whether they are enough.
func slowFrom(n int64, rule Rule) (q stat.Prob, enough bool) {
	for _, q = range tailSteps {
		if n > 0 && n-tailFrom(q, n)+1 >= rule.MinTail {
			return q, true
		}
	}
	return q, false
}

// late sums up what ascending values are above their median.
func late(sorted []int64) (sum stat.Sum) {
	if len(sorted) == 0 {
		return sum
	}
	middle := stat.NearestRank(sorted, stat.P50)
	for _, v := range sorted {
		sum.Add(max(0, v-middle))
	}
	return sum
}

// covered counts the hours of a week, and those that something was recorded of: a request that
// began or ran, a log record or a reading of an engine on the wall clock.
func covered(set *table.Set, week Week) (with, all int64) {
	all = (week.To - week.From + hourNS - 1) / hourNS
	if all <= 0 {
		return 0, 0
	}
	seen := make([]bool, all)
	mark := func(from, to int64) {
		from, to = max(from, week.From), min(to, week.To-1)
		if from > to {
			return
		}
		for h := (from - week.From) / hourNS; h <= (to-week.From)/hourNS; h++ {
			seen[h] = true
		}
	}
	req := &set.Requests
	for i, start := range req.Start {
		if req.Clock[i] != table.ClockWall || start == Missing {
			continue
		}
		mark(start, max(start, req.End[i]))
	}
	for i, at := range set.Logs.Time {
		if at != Missing && set.Logs.Clock[i] == table.ClockWall {
			mark(at, at)
		}
	}
	for i, at := range set.EngineSamples.Time {
		if set.EngineSamples.Clock[i] == table.ClockWall {
			mark(at, at)
		}
	}
	for _, s := range seen {
		if s {
			with++
		}
	}
	return with, all
}

// HourOfWeek is an hour of the week and the requests that began in it, of whatever week.
type HourOfWeek struct {
	Day, Hour int // 0 for Monday; 0 to 23
	N         int64
	P50, P99  stat.Quantile
}

// hoursOfWeek groups the requests that have dates by the hour of the week in a zone.
func hoursOfWeek(set *table.Set, rows []int32, zone *time.Location) (out []HourOfWeek) {
	var values [7 * 24][]int64
	for _, row := range rows {
		if ns, ok := clockDate(set, row); ok {
			at := time.Unix(0, ns).In(zone)
			k := (int(at.Weekday())+6)%7*24 + at.Hour()
			values[k] = append(values[k], set.Requests.Duration[row])
		}
	}
	for k, list := range values {
		if len(list) > 0 {
			slices.Sort(list)
			out = append(out, HourOfWeek{Day: k / 24, Hour: k % 24, N: int64(len(list)), P50: stat.QuantileOf(list, stat.P50), P99: stat.QuantileOf(list, stat.P99)})
		}
	}
	return out
}
