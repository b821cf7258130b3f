package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// The ids of a comparison's warnings.
const (
	OtherModels   = "other-models"
	OtherVantage  = "other-vantage"
	OtherBasis    = "other-first-token"
	LogsOnly      = "logs-on-one-side"
	OneSideBiased = "biased-sample"
	NotRecorded   = "stage-not-recorded"
	OtherCoverage = "other-coverage"
	OtherHours    = "other-hours"
	NoTimes       = "no-times"
	Describes     = "describes"
	SameRequests  = "same-requests"
)

// sideNames are the sides in words.
var sideNames = [2]string{"base", "new"}

// differences says what else differs between the sides, which a change may come from, and
// what is in doubt about either of them.
func differences(sides [2]sideOf, c *Comparison, workers int) (out []stat.Warning) {
	warn := func(id, format string, args ...any) {
		out = append(out, stat.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
	}
	if len(sides[0].rows) == 0 || len(sides[1].rows) == 0 {
		return nil
	}
	switch n := shared(sides); {
	case n > 0 && n == int64(len(sides[0].rows)) && n == int64(len(sides[1].rows)):
		warn(SameRequests, "both sides hold the same requests: nothing can have changed")
	case n > 0:
		warn(SameRequests, "%s are on both sides: they hide part of a change", plural(n, "request"))
	}
	common(sides, modelOf, func(a, b string) { warn(OtherModels, "%s", noModel(a, b)) })
	common(sides, func(x sideOf, row int32) string { return x.set.Symbols.Text(x.set.Requests.Service[row]) }, func(a, b string) {
		warn(OtherVantage, "requests are seen from other places: from %s in base and %s in new, so the latencies begin and end elsewhere", a, b)
	})
	common(sides, func(x sideOf, row int32) string {
		if x.set.Requests.TTFT[row] == Missing {
			return ""
		}
		return x.set.Symbols.Text(x.set.Requests.FirstTokenBasis[row])
	}, func(a, b string) {
		warn(OtherBasis, "the first token is %s in base and %s in new: ttft and tpot mean different things", a, b)
	})
	fromLogs := [2]bool{}
	for s, x := range sides {
		fromLogs[s] = !slices.ContainsFunc(x.rows, func(row int32) bool {
			root := int(x.set.Requests.RootRow[row])
			return root < 0 || root >= x.set.Spans.Len() || x.set.Spans.Origin[root] != table.OriginRecord
		})
	}
	for s, only := range fromLogs {
		if only && !fromLogs[1-s] {
			warn(LogsOnly, "%s is told by logs alone: its stages are those that log lines tell", sideNames[s])
		}
	}
	out = append(out, c.doubts(sides, workers)...)
	out = append(out, c.coverage(sides)...)
	if c.Blocks.Kind == change.NoBlocks {
		warn(NoTimes, "%s: there are no intervals, and nothing can be predicted", c.Blocks.Refused)
	} else if c.Blocks.Refused != "" {
		what := "captures"
		if c.OneCapture {
			what = "times"
		}
		warn(Describes, "%s: a change describes these two %s and predicts nothing", c.Blocks.Refused, what)
	}
	if text := otherHours(sides); text != "" {
		warn(OtherHours, "%s", text)
	}
	return append(out, c.forcedThrough(out)...)
}

// shared counts the requests that both sides have.
func shared(sides [2]sideOf) (n int64) {
	if sides[0].one && sides[1].one {
		first, last := [2]int64{}, [2]int64{}
		for s, x := range sides {
			starts := gather(x.set.Requests.Start, x.rows)
			first[s], last[s] = slices.Min(starts), slices.Max(starts)
		}
		if first[0] > last[1] || first[1] > last[0] {
			return 0
		}
	}
	type id struct {
		trace table.TraceID
		root  table.SpanID
		start int64
	}
	seen := map[id]bool{}
	of := func(x sideOf, row int32) id {
		r := &x.set.Requests
		return id{r.TraceID[row], r.RootSpanID[row], r.Start[row]}
	}
	few, many := sides[0], sides[1]
	if len(few.rows) > len(many.rows) {
		few, many = many, few
	}
	for _, row := range few.rows {
		seen[of(few, row)] = true
	}
	for _, row := range many.rows {
		if seen[of(many, row)] {
			n++
		}
	}
	return n
}

// common calls differ with the commonest text of either side when the sides have none
// in common and both have some.
func common(sides [2]sideOf, of func(x sideOf, row int32) string, differ func(base, new string)) {
	var counts [2]map[string]int64
	for s, x := range sides {
		counts[s] = map[string]int64{}
		for _, row := range x.rows {
			if text := of(x, row); text != "" {
				counts[s][text]++
			}
		}
	}
	most := func(of map[string]int64) (text string) {
		for t, n := range of {
			if text == "" || n > of[text] || n == of[text] && t < text {
				text = t
			}
		}
		return text
	}
	for text := range counts[0] {
		if counts[1][text] > 0 {
			return
		}
	}
	if len(counts[0]) > 0 && len(counts[1]) > 0 {
		differ(most(counts[0]), most(counts[1]))
	}
}

// otherCoverage is by how much the unattributed share of the time may differ before the
// sides are told to be seen unlike.
const otherCoverage = 0.1

// coverage tells of stages that one side does not record, and of unlike shares of
// unattributed time.
func (c *Comparison) coverage(sides [2]sideOf) (out []stat.Warning) {
	for _, m := range c.Metrics {
		for _, b := range m.Blind {
			out = append(out, stat.Warning{ID: NotRecorded, Text: fmt.Sprintf(
				"%s of %s is not recorded in %s, where more time is unattributed: it is compared together with that, and is no change by itself",
				b.Stage, m.Metric, sideNames[b.Side])})
		}
		for _, b := range m.partly {
			out = append(out, stat.Warning{ID: OtherCoverage, Text: fmt.Sprintf(
				"%s of %s is recorded for far fewer requests of %s, where more time is unattributed: part of its change may be that",
				b.Stage, m.Metric, sideNames[b.Side])})
		}
	}
	var share [2]float64
	for s, x := range sides {
		var g Group
		m := durationMetric(x.set)
		for _, row := range x.rows {
			g.add(&m, row)
		}
		share[s] = g.Share(int(stage.Unattributed))
	}
	if d := share[1] - share[0]; max(d, -d) > otherCoverage {
		out = append(out, stat.Warning{ID: OtherCoverage, Text: fmt.Sprintf(
			"%.1f %% of the time is unattributed in base and %.1f %% in new: stages may seem to move because one side records them better", 100*share[0], 100*share[1])})
	}
	return out
}

const (
	hourNS = int64(3_600_000_000_000)
	dayNS  = 24 * hourNS
)

// otherHours says that captures of a day or more cover other hours of the day, or of the
// week when both cover one.
func otherHours(sides [2]sideOf) string {
	var hours [2]map[int64]bool
	cycle := int64(24)
	for s, x := range sides {
		if !x.one || x.set.Requests.Clock[x.rows[0]] != table.ClockWall {
			return ""
		}
		starts := gather(x.set.Requests.Start, x.rows)
		span := slices.Max(starts) - slices.Min(starts)
		if span < dayNS-hourNS {
			return ""
		}
		hours[s] = map[int64]bool{}
		if span < 6*dayNS {
			cycle = 24
		} else if s == 0 {
			cycle = 7 * 24
		}
		for _, at := range starts {
			hours[s][at/hourNS] = true
		}
	}
	alone := [2]int{}
	of := [2]map[int64]bool{{}, {}}
	for s := range sides {
		for h := range hours[s] {
			of[s][h%cycle] = true
		}
	}
	for s := range sides {
		for h := range of[s] {
			if !of[1-s][h] {
				alone[s]++
			}
		}
	}
	if alone[0]+alone[1] == 0 {
		return ""
	}
	what := "day"
	if cycle > 24 {
		what = "week"
	}
	return fmt.Sprintf("the sides cover other hours of the %s: %d are in base alone and %d in new alone", what, alone[0], alone[1])
}
