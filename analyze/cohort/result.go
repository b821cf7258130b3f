package cohort

import "github.com/tailpath/tailpath/analyze/stat"

// Result says in which attributes slow requests differ from the rest. It tells what goes
// together and never what causes what.
type Result struct {
	Slow, Rest int64
	Options    Options // as they were used
	// Enough is false when either group is smaller than Options.MinSupport: then nothing was
	// tested.
	Enough bool
	Strata Strata
	// Attributes are all that were given, by name, tested or not.
	Attributes []Attribute
	// Findings are the values that stand out among the slow requests, also against
	// requests of the same time: the attribute with the highest score first.
	Findings []Finding
	// TimeOnly are those that stand out only as long as time is not looked at, at most one
	// an attribute: they cannot be told from what happened then.
	TimeOnly []Finding
	// Same counts findings that were merged into another since the same requests have both.
	Same     int
	Warnings []stat.Warning
}

// Status says what became of an attribute.
type Status string

// The statuses.
const (
	Tested    Status = "tested"
	Presence  Status = "presence"  // an id that some requests lack: tested is whether they have one
	ID        Status = "id"        // more than half of its values are distinct
	Constant  Status = "constant"  // too few requests have another value than most have
	Scattered Status = "scattered" // every value is too rare to stand out
	LeftOut   Status = "left_out"  // the caller's reason is in Reason
)

// Statuses lists the statuses in the order in which they are told.
func Statuses() []Status { return []Status{Tested, Presence, ID, Constant, Scattered, LeftOut} }

// Count returns how many attributes have a status.
func (r Result) Count(s Status) (n int) {
	for i := range r.Attributes {
		if r.Attributes[i].Status == s {
			n++
		}
	}
	return n
}

// Attribute is one attribute over both groups.
type Attribute struct {
	Name     string
	Status   Status
	Reason   string // of LeftOut
	Numeric  bool
	Distinct int   // values before any were pooled
	Missing  int64 // requests without a value
	// Values are what was tested: names in byte order or ranges ascending, then the pooled
	// rare values, then the requests without a value.
	Values []Value
	// Score is how far the groups are apart in it, among requests of the same time, and
	// CrudeScore regardless of time: Jensen-Shannon divergence in bits, 0 to 1.
	Score, CrudeScore float64
	// G and ChiSquared are the tests regardless of time. CrudeP is the P of G, or of exact
	// tests where a cell expects fewer than 5; CrudeMethod says which.
	G, ChiSquared stat.Test
	CrudeP        float64
	CrudeMethod   string
	// P is that among requests of the same time, which decides.
	P      float64
	Method string
	// Q and CrudeQ are P and CrudeP after Benjamini and Hochberg, over all tested attributes.
	Q, CrudeQ float64
}

// The methods of an attribute's P.
const (
	MethodG       = stat.MethodG             // crude
	MethodExact   = "exact-values"           // the least exact P of its values times their number
	MethodGeneral = "mantel-haenszel"        // general association over all strata (Landis, Heyman and Koch)
	MethodValues  = "mantel-haenszel-values" // the least P of its values, exact for rare ones, times their number
)

// Kind is the kind of a value.
type Kind string

// The kinds of value.
const (
	Category Kind = "category" // Name
	Range    Kind = "range"    // from Low to below High
	Number   Kind = "number"   // Low exactly
	Any      Kind = "any"      // any value at all
	Other    Kind = "other"    // one of Pooled rare values
	Missing  Kind = "missing"  // no value
)

// Value is a value of an attribute, or values that are taken as one, with how often it was
// met.
type Value struct {
	Kind Kind
	Name string
	// Low and High bound a range, infinite where nothing does. They are round numbers where
	// there is room for one between what was recorded.
	Low, High  float64
	Pooled     int
	Slow, Rest int64
}

// Finding is a value that stands out among the slow requests.
type Finding struct {
	Attribute string
	Value     Value
	Score     float64 // of the attribute; its CrudeScore if the finding is put down to time
	// Crude compares regardless of time, and Adjusted among requests of the same time,
	// which decides. With one stratum they are equal.
	Crude, Adjusted Contrast
	// Strata says on how many buckets of time Adjusted stands: the square of the summed
	// excess over the sum of its squares.
	Strata float64
	// Same are findings of other attributes that the same requests have.
	Same []SameAs
	// Why says of one of Result.TimeOnly why it is there.
	Why Why
}

// SameAs names a finding that the same requests have, with how well it agrees: Cramer's V.
type SameAs struct {
	Attribute string
	Value     Value
	V         float64
}

// Why says why a value that stands out is put down to time.
type Why string

// The reasons.
const (
	WhySameTime   Why = "same_time"  // it does not stand out against requests of the same time
	WhyNoOverlap  Why = "no_overlap" // there are hardly any requests of the same time to compare with
	WhyOneMoment  Why = "one_moment" // it does, but in one or two buckets of time alone
	WhyNotDecided Why = ""           // of a finding that is not put down to time
)

// Contrast compares the share of the slow requests that have a value with the share of
// the rest.
type Contrast struct {
	Slow, Rest           int64   // requests compared that have the value
	SlowShare, RestShare float64 // of the requests compared
	Difference           stat.Estimate
	Lift                 float64 // SlowShare / RestShare; +Inf when none of the rest has it
	// RelativeRisk is how many times as often requests with the value are slow as the others.
	RelativeRisk stat.Estimate
	// Fraction is the share of all slow requests that would go if requests with the value
	// were slow no more often than the others. It is arithmetic and proves no cause.
	Fraction stat.Estimate
	P        float64 // that shares differ as much by chance, two-sided
}

// The methods of a Contrast's bounds.
const (
	MethodNewcombe     = "newcombe"                 // Wilson bounds of both shares combined (Newcombe's method 10)
	MethodMHDifference = "mantel-haenszel-sato"     // weighted over strata, variance of Sato
	MethodMHRisk       = "mantel-haenszel-risk"     // weighted over strata, variance of Greenland and Robins
	MethodMHFraction   = "mantel-haenszel-fraction" // from the risk over strata, by the delta method
)

// Strata says how requests of the same time were found.
type Strata struct {
	N       int   // buckets with requests
	WidthNS int64 // of a bucket in ns; 0 when there is one for all
	Both    int   // buckets with slow requests and others: only there is anything compared
	// SlowCompared and RestCompared are the requests in those.
	SlowCompared, RestCompared int64
	Undated                    int64 // requests without a time; they are compared with each other
}

// The ids of a result's warnings.
const (
	WarnFewSlow    = "few-slow"
	WarnFewRest    = "few-rest"
	WarnUndated    = "undated"
	WarnNoOverlap  = "no-overlap"
	WarnFewBuckets = "few-buckets"
)
