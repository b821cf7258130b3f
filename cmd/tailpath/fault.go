package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"syscall"
	"unicode"
)

// The exit codes, as tailpath help exit-codes explains them.
const (
	exitDone    = 0
	exitTrue    = 1 // a condition of --fail-on is true
	exitFailed  = 2 // could not run
	exitNothing = 3 // ran, and there is nothing to judge
)

// fault is an error as the user is told of it: where, what, and what to do next.
type fault struct {
	code  int
	where string // file, file:line, flag or command; may be empty
	what  string
	hint  string
	cause error
	// label stands where "error" does, for what is none.
	label string
	// excerpt is lines of the input that show where it is wrong, as they stand.
	excerpt []string
}

// Error returns where and what.
func (f *fault) Error() string {
	if f.where == "" {
		return f.what
	}
	return f.where + ": " + f.what
}

// Unwrap returns the cause, if there is one.
func (f *fault) Unwrap() error { return f.cause }

// usage is the fault of a command line that cannot be carried out.
func usage(where, what, hint string) error {
	return &fault{code: exitFailed, where: where, what: what, hint: hint}
}

// failed is the fault of an operation on a file. The cause gives what happened.
func failed(where string, cause error, hint string) error {
	return &fault{code: exitFailed, where: where, what: reason(cause), hint: hint, cause: cause}
}

// nothing is the fault of a run that found nothing to judge.
func nothing(where, what, hint string) error {
	return &fault{code: exitNothing, where: where, what: what, hint: hint}
}

// reason returns what went wrong without the path and the system call, which the
// place of the fault says already.
func reason(err error) string {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission is denied"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// rulesFault is the fault of a file of stage rules. The place within it comes from the
// parser, as [line:column] before a message with an excerpt of the file behind.
func rulesFault(name string, err error) error {
	hint := "tailpath help stages says what a rule is"
	what := strings.TrimPrefix(err.Error(), name+": ")
	if at := rulePlace.FindStringSubmatchIndex(what); at != nil {
		place := what[at[2]:at[3]]
		what, _, _ = strings.Cut(what[at[1]:], "\n")
		return &fault{code: exitFailed, where: name + ":" + place, what: what, hint: hint, cause: err}
	}
	return &fault{code: exitFailed, where: name, what: what, hint: hint, cause: err}
}

var rulePlace = regexp.MustCompile(`\[(\d+:\d+)\] `)

// report tells of an error on standard error, in one line and another for the hint,
// and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitDone
	}
	f := &fault{code: exitFailed, what: err.Error()}
	errors.As(err, &f)
	fmt.Fprintf(p.stderr, "tailpath: %s: %s\n", cmp.Or(f.label, "error"), oneLine(f.Error()))
	for _, line := range f.excerpt {
		fmt.Fprintf(p.stderr, "  %s\n", line)
	}
	if f.hint != "" {
		fmt.Fprintf(p.stderr, "tailpath: hint: %s\n", oneLine(f.hint))
	}
	return f.code
}

// oneLine makes a text fit for a line of a terminal: line breaks become spaces, and
// other characters that are not printed are spelled.
func oneLine(text string) string {
	var out strings.Builder
	for _, r := range strings.TrimSpace(text) {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			out.WriteByte(' ')
		case unicode.IsPrint(r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "\\u{%x}", r)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
