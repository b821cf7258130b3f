package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// The confidence of a bottleneck besides that of the verdict, dominates or leads.
const (
	describes = "describes"
	tooFew    = string(analyze.KindTooFew)
)

// bottleneck writes a bottleneck, the one of a rank among those that are listed.
func (r Run) bottleneck(a analyze.Report, b analyze.Bottleneck, rank int, v Verdict) Bottleneck {
	out := Bottleneck{
		Stage: b.Stage.String(), Detail: b.Detail, Scope: []ScopeField{}, Hit: b.Hit, Of: b.Of, MedianNS: b.MedianNS, Excess: b.Excess.Float() / 1e9, Share: a.Share(b),
		Q: a.Q.String(), Exemplars: []RequestRef{}, Weeks: 1,
	}
	if a.Week != nil {
		out.Since = a.Week.Name
	}
	for _, f := range b.Scope {
		out.Scope = append(out.Scope, ScopeField{f.Field, f.Values})
	}
	if b.Timed {
		out.FromNS, out.ToNS, out.From, out.To = b.From, b.To, instant(a.Clock, b.From), instant(a.Clock, b.To)
	}
	if a.Enough {
		out.GainNS, out.SlowShare = &b.GainNS, figure(a.SlowShare(b))
	}
	out.ID = bottleneckID(out.Stage, out.Detail, out.Scope)
	out.Confidence, out.Why = confidence(a, b, rank, v)
	for _, e := range []analyze.Exemplar{b.Typical, b.Far, b.Worst} {
		if ref := exemplarRef(e); ref != nil {
			out.Exemplars = append(out.Exemplars, *ref)
		}
	}
	out.Words, out.Check = out.words(), r.check(out)
	return out
}

// bottleneckID names a bottleneck by what it is of: its stage and sub-label in letters, and a
// hash of these and the scope.
func bottleneckID(stage, detail string, scope []ScopeField) string {
	sum := sha256.Sum256([]byte(stage + "|" + detail + "|" + scopeText(scope)))
	id := stage
	if word := idWord(detail); word != "" {
		id += "-" + word
	}
	return id + "-" + hex.EncodeToString(sum[:3])
}

// idWord makes of a sub-label, which may be any text, a short word of letters and digits.
func idWord(detail string) string {
	word := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
			return c
		}
		return '-'
	}, detail)
	const most = 24
	return strings.Trim(word[:min(len(word), most)], "-")
}

// scopeText spells a scope so that no two are the same.
func scopeText(scope []ScopeField) string {
	var text strings.Builder
	for _, f := range scope {
		fmt.Fprintf(&text, "%q%q;", f.Field, f.Values)
	}
	return text.String()
}

// scopeOf words a scope; empty for all requests.
func scopeOf(scope []ScopeField) string {
	var words []string
	for _, f := range scope {
		values := f.Values
		if n := len(values); n > 1 {
			values = []string{strings.Join(values[:n-1], ", ") + " or " + values[n-1]}
		}
		words = append(words, "of "+f.Field+" "+strings.Join(values, ""))
	}
	return strings.Join(words, ", ")
}

// Name returns what a bottleneck is of: its stage, with the sub-label behind a stroke.
func (b Bottleneck) Name() string { return partName(b.Stage, b.Detail) }

func partName(stage, detail string) string {
	if detail == "" {
		return stage
	}
	return stage + "/" + detail
}

// words says what a bottleneck is, and how much it took.
func (b Bottleneck) words() string {
	name := b.Name()
	if b.Stage == unattributed {
		name = "not recorded (unattributed)"
	}
	if scope := scopeOf(b.Scope); scope != "" {
		name += " " + scope
	}
	return fmt.Sprintf("%s: %s request-seconds above the median, %s %% of the excess of all stages; %s of %s have most of it",
		name, Number(b.Excess), Percent(b.Share), Integer(b.Hit), plural(b.Of, "request"))
}

// confidence says how sure a bottleneck is. The verdict names a stage; it speaks for the first
// bottleneck of that.
func confidence(a analyze.Report, b analyze.Bottleneck, rank int, v Verdict) (kind, why string) {
	named := analyze.Kind(v.Kind) == analyze.KindDominates || analyze.Kind(v.Kind) == analyze.KindLeads
	first := true
	for _, other := range listed(a)[:rank] {
		first = first && other.Stage != b.Stage
	}
	switch {
	case !a.Enough:
		return tooFew, v.Reason
	case named && first && v.Stage == b.Stage.String():
		return v.Kind, v.Reason
	case named:
		return describes, "the verdict names " + v.Stage + ": this describes these requests, and does not predict"
	}
	return describes, "the verdict names no stage, as " + v.Reason + ": this describes these requests, and does not predict"
}
