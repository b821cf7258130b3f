package line

import "github.com/tailpath/tailpath/ingest/table"

// The quality issues of this package. A place is the physical line that was met.
var (
	// TooLong counts records of which only the first part was kept.
	TooLong = table.Issue{ID: "line-too-long", Severity: table.Warning,
		Advice: "what stands at the end of such a line was not read; turn off the logging of prompts and outputs, which makes lines this long"}
	// InvalidUTF8 counts physical lines that are not valid UTF-8. They are kept as they are.
	InvalidUTF8 = table.Issue{ID: "line-invalid-utf8", Severity: table.Info,
		Advice: "nothing to do if times and numbers are right: the bytes were kept as they are; else look whether the file is in another encoding than UTF-8"}
	// NulBytes counts physical lines that hold NUL bytes, which were left out.
	NulBytes = table.Issue{ID: "line-nul-bytes", Severity: table.Info,
		Advice: "the log was truncated while it was written, as copytruncate does, or the machine stopped; what stood where the NUL bytes are is lost"}
	// PartialLost counts records whose last part was not met.
	PartialLost = table.Issue{ID: "line-partial-lost", Severity: table.Warning,
		Advice: "the container's log ends or was rotated inside a long record; give the file that follows as well, what was there was read"}
	// Unended counts inputs whose Docker records have no newline at their end, so that each was taken as whole.
	Unended = table.Issue{ID: "line-unended", Severity: table.Info,
		Advice: "nothing to do: the tool that copied the Docker log took the newlines away, so a record that Docker had cut in pieces stays in pieces"}
)

// Issues returns every issue that a Reader counts.
func Issues() []table.Issue {
	return []table.Issue{TooLong, InvalidUTF8, NulBytes, PartialLost, Unended}
}

// count adds an issue of the record that began at a place to the account, if there is one.
func (r *Reader) count(issue table.Issue, line, offset int64, detail string) {
	if r.account != nil {
		r.account.Add(issue, 1, table.Place{Source: r.source, Line: line, Offset: offset}, detail)
	}
}
