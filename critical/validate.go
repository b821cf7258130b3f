package critical

import (
	"errors"
	"fmt"
	"math"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

var missingWeight = math.NaN()

// Validate checks the invariants of one request and returns every breach. Tests,
// fuzzing and each run use it: a breach is a fault of tailpath, never of the input.
//
//   - the segments of a path are in order, contiguous, disjoint and not empty;
//   - the path to the end tiles [Start, End), the path to the first token
//     [Start, FirstToken), the path to the first byte [Start, FirstByte);
//   - stage times add up to the duration, to the nanosecond;
//   - only complete and incomplete requests have paths, and those have one unless they
//     began and ended at one instant, which no segment tiles;
//   - every segment names an owner in the request, and lies within what the owner
//     was taken to last, but for hand-offs, which lie before it;
//   - a segment that is exact or residual states no error;
//   - no span ends before it starts, and none is counted twice;
//   - the drag of a stage is not negative and at most its time.
func Validate(r *Request) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(r.Spans) == 0 {
		return errors.New("request has no spans")
	}
	hasPath := r.Class == Complete || r.Class == Incomplete
	if (hasPath && r.End > r.Start) != (len(r.EndPath) > 0) {
		fail("class is %s and the path has %d segments", r.Class, len(r.EndPath))
	}
	if r.Class != Complete && r.ClassReason == "" {
		fail("class is %s for no reason", r.Class)
	}
	if hasPath && r.End < r.Start {
		fail("class is %s and the request lasts %d ns", r.Class, r.End-r.Start)
	}
	if hasPath {
		validatePath(r, End, r.EndPath, r.End, fail)
	}
	for k, ns := range r.EndPath.Stages() {
		if r.Drag[k] < 0 || r.Drag[k] > ns {
			fail("%s has a drag of %d ns and takes %d ns", stage.Stage(k), r.Drag[k], ns)
		}
	}
	if (r.FirstToken != table.Missing) != (len(r.TokenPath) > 0) {
		fail("first token is at %d and its path has %d segments", r.FirstToken, len(r.TokenPath))
	}
	if len(r.TokenPath) > 0 {
		validatePath(r, FirstToken, r.TokenPath, r.FirstToken, fail)
		if r.FirstToken > r.End {
			fail("first token at %d is after the end at %d", r.FirstToken, r.End)
		}
	}
	if (r.FirstByte != table.Missing) != (len(r.BytePath) > 0) {
		fail("first byte is at %d and its path has %d segments", r.FirstByte, len(r.BytePath))
	}
	if len(r.BytePath) > 0 {
		validatePath(r, FirstByte, r.BytePath, r.FirstByte, fail)
	}
	seen := make(map[int32]bool, len(r.Spans)+len(r.Excluded))
	for i, s := range r.Spans {
		if seen[s.Row] {
			fail("span row %d is in the request twice", s.Row)
		}
		seen[s.Row] = true
		if s.End < s.Start {
			fail("span %d ends at %d, before it starts at %d", i, s.End, s.Start)
		}
		if (i == 0) != (s.Parent < 0) || int(s.Parent) >= i {
			fail("span %d has parent %d", i, s.Parent)
		}
	}
	for _, e := range r.Excluded {
		if seen[e.Row] || e.Reason == "" {
			fail("span row %d is excluded and counted elsewhere, or for no reason", e.Row)
		}
		seen[e.Row] = true
	}
	return errors.Join(errs...)
}

func validatePath(r *Request, target Target, path Path, end int64, fail func(string, ...any)) {
	at := r.Start
	for i, s := range path {
		switch {
		case s.Start != at:
			fail("%s path: segment %d starts at %d, not %d", target, i, s.Start, at)
		case s.End <= s.Start:
			fail("%s path: segment %d is empty", target, i)
		case s.Span < 0 || int(s.Span) >= len(r.Spans):
			fail("%s path: segment %d has owner %d of %d", target, i, s.Span, len(r.Spans))
			return
		case int(s.Stage) >= stage.Count:
			fail("%s path: segment %d has stage %d", target, i, s.Stage)
		case s.Error < 0 || s.Error > 0 && s.Confidence != Anchored:
			fail("%s path: segment %d is %s with error %d", target, i, s.Confidence, s.Error)
		case s.Reason == "" || s.Rule == "":
			fail("%s path: segment %d has no reason or rule", target, i)
		case s.OverlappedBy < -1 || s.OverlappedBy >= int32(len(r.Spans)):
			fail("%s path: segment %d is overlapped by %d", target, i, s.OverlappedBy)
		}
		owner := &r.Spans[s.Span]
		handOff := s.Reason == reasons[whyHandOff]
		if (s.Start < owner.Start || s.End > owner.End) && !handOff || handOff && s.End > owner.Start {
			fail("%s path: segment %d [%d,%d) is outside its owner [%d,%d)", target, i, s.Start, s.End, owner.Start, owner.End)
		}
		at = s.End
	}
	if at != end {
		fail("%s path: ends at %d, not %d", target, at, end)
	}
	var sum int64
	for _, ns := range path.Stages() {
		sum += ns
	}
	if sum != end-r.Start {
		fail("%s path: stages add up to %d ns of %d", target, sum, end-r.Start)
	}
}
