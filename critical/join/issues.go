package join

import (
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// issues lists what is declared below.
var issues []table.Issue

// The issues that joining may count.
var (
	issueJoined    = declare("joined", table.Info, "what several traces or records tell of one request was put together")
	issueAmbiguous = declare("join-ambiguous", table.Warning, "an id or address fits several requests, so nothing was joined by it: have the gateway pass traceparent or a unique X-Request-Id on, and log it")
	issueAddress   = declare("joined-by-address", table.Warning, "sources were joined by the client's address and time alone, which is inferred: log a request id or trace id at both")
)

func declare(id string, severity table.Severity, advice string) table.Issue {
	issue := table.Issue{ID: id, Severity: severity, Advice: advice}
	issues = append(issues, issue)
	return issue
}

// Issues returns every issue that Find may count.
func Issues() []table.Issue { return slices.Clone(issues) }
