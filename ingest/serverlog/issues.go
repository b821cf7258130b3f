package serverlog

import (
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// The quality issues of this package. A place is the record that was met; a detail names
// formats, records and fields, never values.
var (
	// BadRecord counts records of a known shape with a field that could not be read.
	BadRecord = table.Issue{ID: "log-bad-record", Severity: table.Error,
		Advice: "look at the line at the place given: it has the shape of a known record, but the field named is not of its type, so the record was left out"}
	// BadValue counts fields that could not be read in records that were kept.
	BadValue = table.Issue{ID: "log-bad-value", Severity: table.Warning,
		Advice: "look at the field at the place given: it is not of its type and was left out; the rest of the record was read"}
	// ImpossibleTime counts times of a record that cannot be, such as negative ones.
	ImpossibleTime = table.Issue{ID: "log-impossible-time", Severity: table.Warning,
		Advice: "the server recorded a time that is negative, empty or longer than the request; it was not used, and that part of the request is unattributed"}
	// NoTime counts records of requests or readings that give no time and no duration.
	NoTime = table.Issue{ID: "log-no-time", Severity: table.Warning,
		Advice: "the record has no time by which its request or reading could be placed; let the server, or what collects its log, write a time on every line"}
	// NoEnd counts records of whole requests that do not say when they ended.
	NoEnd = table.Issue{ID: "log-no-end", Severity: table.Warning,
		Advice: "the record gives neither an end nor a duration, so its request counts as unfinished"}
	// AssumedUTC counts records whose times have no zone and were taken for UTC.
	AssumedUTC = table.Issue{ID: "log-assumed-utc", Severity: table.Warning,
		Advice: "the times of this log have no zone and were taken for UTC; give the zone of the server with --tz"}
	// DSTOverlap counts times of the hour that clocks show twice when summer time ends.
	DSTOverlap = table.Issue{ID: "log-dst-overlap", Severity: table.Warning,
		Advice: "the clock showed this time twice, and the order of the lines decided which was meant; let the server log in UTC"}
	// DSTGap counts times of the hour that clocks leave out when summer time begins.
	DSTGap = table.Issue{ID: "log-dst-gap", Severity: table.Warning,
		Advice: "the zone has no such time, because clocks were put forward over it; check the zone given with --tz"}
	// NoYear counts inputs whose dates have no year that could be found out.
	NoYear = table.Issue{ID: "log-no-year", Severity: table.Warning,
		Advice: "the dates of this log have no year, so its rows have times of a clock of their own and cannot be set beside other inputs; give the year of its first line with --year"}
	// YearInferred counts inputs whose year was found out.
	YearInferred = table.Issue{ID: "log-year-inferred", Severity: table.Info,
		Advice: "nothing to do if the year named is right; otherwise give that of the first line with --year"}
	// NewYear counts the turns of the year within inputs whose dates have none.
	NewYear = table.Issue{ID: "log-new-year", Severity: table.Info,
		Advice: "nothing to do: the dates of this log have no year and go from December to January, so the year was counted on"}
	// RankDuplicate counts records that another rank of the same engine wrote as well.
	RankDuplicate = table.Issue{ID: "log-rank-duplicate", Severity: table.Info,
		Advice: "nothing to do: every rank of an engine logs the same, and each record was counted once"}
	// LateFinish counts last records of requests whose first record is not in the log.
	LateFinish = table.Issue{ID: "log-no-begin", Severity: table.Warning,
		Advice: "the log begins after these requests did; give the log that was rotated before this one as well"}
	// LateUpdate counts records in the middle of requests whose first record is not in the log.
	LateUpdate = table.Issue{ID: "log-no-begin-update", Severity: table.Info,
		Advice: "nothing to do: what these records say of requests that began before the log was passed over"}
	// Unended counts requests whose last record is not in the log.
	Unended = table.Issue{ID: "log-unfinished", Severity: table.Warning,
		Advice: "these requests were still running when the log ended, or the server did not log their end; they are unfinished"}
	// UntoldTime counts requests of which the program set stamps anew, so that they no longer
	// tell one part of it.
	UntoldTime = table.Issue{ID: "log-untold-time", Severity: table.Info,
		Advice: "nothing to do: the server took these requests up a second time and set a stamp of the first time anew; that part of a request is unattributed, and its traces may tell it"}
	// Reused counts first records of requests that had not ended under the same id.
	Reused = table.Issue{ID: "log-id-reused", Severity: table.Warning,
		Advice: "a request of the same id had not ended when this one began; the one before it counts as unfinished"}
	// TooManyOpen counts requests that were given up because too many had not ended.
	TooManyOpen = table.Issue{ID: "log-too-many-open", Severity: table.Error,
		Advice: "more requests than can be kept in memory had begun without an end; the oldest count as unfinished"}
)

// Issues returns the issues that this package counts, by id.
func Issues() []table.Issue {
	list := make([]table.Issue, len(issues))
	for i, issue := range issues {
		list[i] = *issue
	}
	return list
}

// Numbers of the issues in a Decoder's tally.
const (
	assumedUTC = iota
	badRecord
	badValue
	dstGap
	dstOverlap
	idReused
	impossibleTime
	newYear
	lateFinish
	lateUpdate
	noEnd
	noTime
	noYear
	rankDuplicate
	tooManyOpen
	unended
	untoldTime
	yearInferred
)

// issues are in order of id, and of the numbers above.
var issues = [...]*table.Issue{
	assumedUTC: &AssumedUTC, badRecord: &BadRecord, badValue: &BadValue, dstGap: &DSTGap, dstOverlap: &DSTOverlap,
	idReused: &Reused, impossibleTime: &ImpossibleTime, newYear: &NewYear, lateFinish: &LateFinish, lateUpdate: &LateUpdate,
	noEnd: &NoEnd, noTime: &NoTime, noYear: &NoYear, rankDuplicate: &RankDuplicate, tooManyOpen: &TooManyOpen,
	unended: &Unended, untoldTime: &UntoldTime, yearInferred: &YearInferred,
}

// tally counts the issues of one Decoder until they go to the account: a record in two
// may have one, and the account is shared.
type tally [len(issues)]struct {
	n      int64
	first  table.Place
	detail string
}

// add counts an issue; what it was about is spelled only if it is the first.
func (t *tally) add(issue int, at table.Place, what ...string) {
	e := &t[issue]
	if e.n == 0 || at.Offset < e.first.Offset { // rows may wait for their year
		e.first, e.detail = at, strings.Join(what, "")
	}
	e.n++
}

// flush hands the counts to the account and begins anew.
func (t *tally) flush(account *table.Account) {
	for i := range t {
		if t[i].n > 0 {
			account.Add(*issues[i], t[i].n, t[i].first, t[i].detail)
		}
	}
	*t = tally{}
}
