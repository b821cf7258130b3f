package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// Error says why an input was not read: where, what, and what to do about it.
type Error struct {
	Where string // path, as it was named, or path:line
	What  string // one clause, without the place
	Hint  string // what to do next; may be empty
	Err   error  // the cause, if it came from the system
}

// Error returns the place and what is wrong there.
func (e *Error) Error() string { return e.Where + ": " + e.What }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// systemError turns an error of the file system into an Error.
func systemError(where string, err error) *Error {
	e := &Error{Where: where, What: err.Error(), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(where, "://"):
		e.What, e.Hint = "there is no such file, and nothing is fetched from elsewhere", "download it first, and give the file"
	case errors.Is(err, fs.ErrNotExist):
		e.What, e.Hint = "there is no such file or directory", "check the path; a pattern such as 'traces/*.json' is expanded too"
	case errors.Is(err, fs.ErrPermission):
		e.What, e.Hint = "permission to read is denied", "read it as a user who may, or change its mode"
	default:
		var path *fs.PathError
		if errors.As(err, &path) {
			e.What = fmt.Sprintf("%s: %v", path.Op, path.Err)
		}
	}
	return e
}

// account is the account of one input.
type account struct{ table.Account }

// addTo adds the entries to another account.
func (a *account) addTo(to *table.Account) {
	for _, e := range a.Entries() {
		to.Add(e.Issue, e.Count, e.First, e.Detail)
	}
}

// disown drops what was counted while an input was taken for something that it is not.
// What befell its bytes stays.
func (a *account) disown() {
	entries := a.Entries()
	a.Account = table.Account{}
	for _, e := range entries {
		if e.ID == CutCompression.ID || e.ID == ReadFailed.ID {
			a.Add(e.Issue, e.Count, e.First, e.Detail)
		}
	}
}

// The quality issues of this package.
var (
	// Unread counts inputs that were named, but are of a kind that is not read, and those
	// that cannot be opened.
	Unread = table.Issue{ID: "input-unread", Severity: table.Warning,
		Advice: "the detail says what the input looks like; leave it out, or give it in a form that is read"}
	// Skipped counts files of a directory that are not telemetry.
	Skipped = table.Issue{ID: "input-skipped", Severity: table.Info,
		Advice: "nothing to do if the file is no telemetry; otherwise name it by itself to see why it was not read"}
	// Empty counts inputs without a byte in them.
	Empty = table.Issue{ID: "input-empty", Severity: table.Info,
		Advice: "nothing to do, unless something should have been written there"}
	// CutCompression counts compressed inputs that end too early or are damaged.
	CutCompression = table.Issue{ID: "input-cut-compression", Severity: table.Loss,
		Advice: "what stood before the damage was read; copy or download the file again"}
	// ReadFailed counts inputs that the system stopped giving.
	ReadFailed = table.Issue{ID: "input-read-failed", Severity: table.Loss,
		Advice: "what was read before the failure was kept; check the disk or the mount, and read again"}
	// TablesPassedOver counts directories of tables that were found below a directory of
	// telemetry.
	TablesPassedOver = table.Issue{ID: "input-tables-passed-over", Severity: table.Warning,
		Advice: "tables are mostly made from the telemetry around them, which would count twice; name the directory itself if they hold something else"}
	// NamedTwice counts inputs that were reached by more than one name.
	NamedTwice = table.Issue{ID: "input-named-twice", Severity: table.Info,
		Advice: "nothing to do: the file was read once"}
	// FlagUnused counts rules and zones for logs that no input and no format matches.
	FlagUnused = table.Issue{ID: "input-flag-unused", Severity: table.Warning,
		Advice: "the pattern that is named matches no input, and is no format of tailpath help formats: check its spelling"}
	// SameBytes counts inputs that hold the same bytes as another.
	SameBytes = table.Issue{ID: "input-same-bytes", Severity: table.Warning,
		Advice: "two files are copies of each other and both were read; leave one out"}
)
