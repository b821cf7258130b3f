package serving

import (
	"cmp"
	"fmt"
	"math/big"
)

// Likeness says whether figures of two contexts may be set against each other.
type Likeness struct {
	Unlike []string // why not, in words
	Untold []string // what could not be told: a context lacks it, or chance leaves it open
}

// Alike reports whether nothing speaks against it.
func (l Likeness) Alike() bool { return len(l.Unlike) == 0 }

// Comparable says why two contexts are unlike: other models, another number of GPUs, or a
// median of input or output tokens that differs by more than 10 % of the smaller one. Medians
// differ when they do so by all that chance leaves of them: even the ends of their intervals
// that are closest to each other are more than 10 % apart. Where the medians are, and the ends
// are not, it cannot be told.
func Comparable(a, b Context) Likeness { return ComparableAs(a, b, "the first", "the second") }

// ComparableAs is Comparable with words for the two contexts.
func ComparableAs(a, b Context, nameA, nameB string) Likeness {
	l := likeness{names: [2]string{nameA, nameB}}
	compare(&l, "model", a.Model, b.Model)
	compare(&l, "GPU count", a.GPUCount, b.GPUCount)
	l.lengths("median of input tokens", a.InputTokens, b.InputTokens)
	l.lengths("median of output tokens", a.OutputTokens, b.OutputTokens)
	return l.Likeness
}

// likeness is a Likeness in the making.
type likeness struct {
	Likeness
	names [2]string
}

func compare[T cmp.Ordered](l *likeness, what string, a, b Maybe[T]) {
	if known(l, what, a, b) && a.Value != b.Value {
		l.differs(what, a, b)
	}
}

func (l *likeness) differs(what string, a, b fmt.Stringer) {
	l.Unlike = append(l.Unlike, fmt.Sprintf("the %s is %v in %s and %v in %s", what, a, l.names[0], b, l.names[1]))
}

// known says which side does not know something, and reports whether both do.
func known[T cmp.Ordered](l *likeness, what string, a, b Maybe[T]) bool {
	untold := func(lacks, has string, value T) {
		l.Untold = append(l.Untold, fmt.Sprintf("the %s of %s is unknown, that of %s is %v", what, lacks, has, value))
	}
	switch {
	case !a.Known && !b.Known:
		l.Untold = append(l.Untold, fmt.Sprintf("the %s of neither is known", what))
	case !a.Known:
		untold(l.names[0], l.names[1], b.Value)
	case !b.Known:
		untold(l.names[1], l.names[0], a.Value)
	}
	return a.Known && b.Known
}

// lengths compares medians of tokens.
func (l *likeness) lengths(what string, a, b Lengths) {
	if !known(l, what, a.P50, b.P50) || within10(a.P50.Value, b.P50.Value) {
		return
	}
	less, more := a, b
	if less.P50.Value > more.P50.Value {
		less, more = b, a
	}
	if less.High.Known && more.Low.Known && less.High.Value < more.Low.Value && !within10(less.High.Value, more.Low.Value) {
		l.differs(what, a.P50, b.P50)
		return
	}
	l.Untold = append(l.Untold, fmt.Sprintf("the %s is %s and %s, and by chance alone medians within 10 %% may come out so", what, a.in(l.names[0]), b.in(l.names[1])))
}

// within10 reports whether the greater of two medians is at most 1.1 times the smaller.
// One of 0 is like 0 alone.
func within10(x, y int64) bool {
	low, high := big.NewInt(min(x, y)), big.NewInt(max(x, y))
	return high.Mul(high, big.NewInt(10)).Cmp(low.Mul(low, big.NewInt(11))) <= 0
}
