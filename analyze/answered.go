package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// The ids of issues that a log raises by itself and that other sources may answer, and of
// the issue that such an answer is.
const (
	unfinishedInLog = "log-unfinished"
	EndElsewhere    = "end-told-elsewhere"
)

// answered returns the issues with those of a log that other sources answer told as such:
// an end that the log does not tell but another source does, and times that were taken for
// UTC and that the clocks of hosts agree with. Their counts stay as they are in sum.
func answered(set *table.Set, issues []Issue) []Issue {
	out := make([]Issue, 0, len(issues)+1)
	for _, issue := range issues {
		switch issue.ID {
		case unfinishedInLog:
			out = append(out, ends(set, issue)...)
		case assumedUTC:
			if utcConfirmed(set) {
				issue.Severity = table.SeverityNames[table.Info]
				issue.Advice = "the times of logs without a zone were taken for UTC, and the clocks of the hosts that called them agree: nothing to do"
				issue.Detail = ""
			}
			out = append(out, issue)
		default:
			out = append(out, issue)
		}
	}
	return out
}

// ends splits the requests whose end a log does not tell into those that have none and
// those that another source tells the end of. A request that is not complete may lack the
// end of each of its records.
func ends(set *table.Set, issue Issue) []Issue {
	if set.Requests.Len() == 0 {
		return []Issue{issue}
	}
	var open int64
	for i, class := range set.Requests.Class {
		if class != 0 {
			open += max(1, int64(set.Requests.Units[i]))
		}
	}
	open = min(open, issue.Count)
	told := issue
	told.ID, told.Severity, told.Detail, told.Count = EndElsewhere, table.SeverityNames[table.Info], "", issue.Count-open
	told.Advice = "a log does not tell the end of these requests, as some never do, and another source tells it: nothing to do"
	issue.Count = open
	switch {
	case told.Count == 0:
		return []Issue{issue}
	case open == 0:
		return []Issue{told}
	}
	// Which of them the first was is not known.
	told.Source, told.Line, told.Offset = "", 0, table.Missing
	return []Issue{issue, told}
}

// utcConfirmed reports whether every log's times agree with the clocks of hosts: no log is
// off by as much as half the least step of zones, whose lines may lie apart from the
// requests that they tell of.
func utcConfirmed(set *table.Set) bool {
	const least = zoneStep / 2
	agrees := map[string]bool{}
	clocks := ClockOffsets(set, nil)
	for _, c := range clocks {
		if !c.Input || len(c.Stretches) == 0 || slices.ContainsFunc(clocks, func(r ClockOffset) bool { return r.Clock == c.Reference && r.Input }) {
			continue
		}
		agrees[c.Clock] = !slices.ContainsFunc(c.Stretches, func(s Stretch) bool {
			return !s.Known || max(s.OffsetNS, -s.OffsetNS)+s.ErrorNS > least
		})
	}
	stamps := stamped(set)
	for source, s := range stamps {
		if !agrees[set.Symbols.Text(source)] || s.lines.Known && (s.lines.First < s.requests.First-least || s.lines.Last > s.requests.Last+least) {
			return false
		}
	}
	return len(stamps) > 0
}
