package table

import (
	"cmp"
	"slices"
	"sync"
)

// Severity grades an issue, by the order of SeverityNames.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // nothing was lost
	Warning                 // a reading may change
	Error                   // rows were lost, and counted
	Loss                    // an unknown number of rows was lost
)

// Issue is one kind of loss, repair or doubt. The package that meets it declares
// it, once; advice is one sentence that says what to do.
type Issue struct {
	ID       string
	Severity Severity
	Advice   string
}

// Place says where an issue was met. Line is 1-based, 0 when the input has no lines.
type Place struct {
	Source string
	Line   int64
	Offset int64
}

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Source, q.Source), cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.Line, q.Line))
}

// Entry is the account of one issue.
type Entry struct {
	Issue
	Count  int64
	First  Place
	Detail string // what the first was; never the value of an attribute
}

// Account counts issues. Its result does not depend on the order in which they
// were met: the first place is the least one, and of two issues of one id the
// severer one stands. The zero value is an empty account. It is safe for concurrent
// use.
type Account struct {
	mu      sync.Mutex
	entries map[string]*Entry
}

// Add counts n occurrences of an issue at a place.
func (a *Account) Add(issue Issue, n int64, at Place, detail string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.entries == nil {
		a.entries = map[string]*Entry{}
	}
	e, ok := a.entries[issue.ID]
	if !ok {
		a.entries[issue.ID] = &Entry{Issue: issue, Count: n, First: at, Detail: detail}
		return
	}
	e.Count += n
	if issue != e.Issue && cmp.Or(cmp.Compare(e.Severity, issue.Severity), cmp.Compare(issue.Advice, e.Advice)) < 0 {
		e.Issue = issue
	}
	if c := cmp.Or(at.compare(e.First), cmp.Compare(detail, e.Detail)); c < 0 {
		e.First, e.Detail = at, detail
	}
}

// Entries returns the account, the severest first, then by id.
func (a *Account) Entries() []Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]Entry, 0, len(a.entries))
	for _, e := range a.entries {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.ID, y.ID))
	})
	return out
}

// Count returns how often the issue was met.
func (a *Account) Count(id string) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e, ok := a.entries[id]; ok {
		return e.Count
	}
	return 0
}

// WriteTo appends the account to the quality table of a set, by id.
func (a *Account) WriteTo(s *Set) {
	entries := a.Entries()
	slices.SortFunc(entries, func(x, y Entry) int { return cmp.Compare(x.ID, y.ID) })
	for _, e := range entries {
		q := &s.Quality
		i := q.Grow()
		q.ID[i] = s.Symbols.Intern(e.ID)
		q.Severity[i] = uint8(e.Severity)
		q.Count[i] = e.Count
		if e.First.Source != "" {
			q.Source[i] = s.Symbols.Intern(e.First.Source)
			q.Offset[i] = e.First.Offset
			if e.First.Line > 0 {
				q.Line[i] = e.First.Line
			}
		}
		q.Detail[i] = e.Detail
		q.Advice[i] = e.Advice
	}
}
