package reports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// By is the requests by the values of some keys together, with what is beyond the groups
// that are listed in sums.
type By struct {
	Keys        []string  `json:"keys"`
	Slow        int64     `json:"slow"` // requests at and above the percentile of the tail, of all
	Groups      []ByGroup `json:"groups"`
	OtherGroups int64     `json:"other_groups"`
	OtherN      int64     `json:"other_n"`
	OtherSlow   int64     `json:"other_slow"`
}

// ByGroup is the requests with one combination of values. Slow counts those that are slow
// among all; the verdict is about the slow requests of the group itself, and Words says it in
// short.
type ByGroup struct {
	Values   []*string   `json:"values"` // one a key; null for requests without
	N        int64       `json:"n"`
	Slow     int64       `json:"slow"`
	Duration Percentiles `json:"duration"`
	TTFT     Percentiles `json:"ttft"`
	Verdict  Verdict     `json:"verdict"`
	Words    string      `json:"words"`
}

// byGroups makes the groups of a population; what limits its figures limits theirs.
func byGroups(b *analyze.By, p Population) *By {
	if b == nil {
		return nil
	}
	out := &By{Keys: b.Keys, Slow: b.Slow, Groups: []ByGroup{}, OtherGroups: b.OtherGroups, OtherN: b.Others.N, OtherSlow: b.Others.Slow}
	for _, g := range b.Groups {
		group := ByGroup{N: g.N, Slow: g.Slow, Duration: percentiles(g.Duration.Percentiles), TTFT: percentiles(g.TTFT), Verdict: verdict(g.Verdict)}
		for _, v := range g.Values {
			value := &v
			if v == "" {
				value = nil
			}
			group.Values = append(group.Values, value)
		}
		t := tail(g.Duration.Tail)
		group.Verdict.Sentence = p.limitedPart(group.Verdict.sentence(t, g.N, ofRequests))
		group.Words = group.Verdict.short(t, g.N)
		out.Groups = append(out.Groups, group)
	}
	return out
}

// short says a verdict in a few words.
func (v Verdict) short(t Tail, n int64) string {
	switch analyze.Kind(v.Kind) {
	case analyze.KindDominates:
		return fmt.Sprintf("%s dominates: %s", v.Stage, t.percentOf(v.Stage))
	case analyze.KindLeads:
		return fmt.Sprintf("%s leads: %s", v.Stage, t.percentOf(v.Stage))
	case analyze.KindMixed:
		return "no single stage"
	case analyze.KindNone:
		return "hardly slower"
	case analyze.KindTooFew:
		return fmt.Sprintf("too few: %s of %s", Integer(n), Integer(t.Need))
	}
	return "cannot say"
}

// timeFields are the built-in fields whose values are numbers of ns. The start is one that
// is written as a date.
var timeFields = func() map[string]bool {
	m := map[string]bool{}
	for _, f := range analyze.Built() {
		m[f.Name] = f.Unit == "ns" && f.Name != "start"
	}
	return m
}()

// FieldText writes a value of a field: a time of a built-in field with its unit and to the
// ns, so that different values stay different, any other as it is.
func FieldText(key, value string) string {
	if !timeFields[key] {
		return value
	}
	ns, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return value
	}
	return exactTime(ns)
}

// exactTime writes a time to the ns, in the largest unit up to seconds that it has one of.
func exactTime(ns int64) string {
	for _, u := range []struct {
		name   string
		ns     int64
		digits int
	}{{"s", 1e9, 9}, {"ms", 1e6, 6}, {"µs", 1e3, 3}} {
		whole, rest := ns/u.ns, ns%u.ns
		if whole == 0 {
			continue
		}
		text := strconv.FormatInt(whole, 10)
		if rest != 0 {
			text += "." + strings.TrimRight(fmt.Sprintf("%0*d", u.digits, max(rest, -rest)), "0")
		}
		return text + " " + u.name
	}
	return strconv.FormatInt(ns, 10) + " ns"
}
