package reports

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// capacityDefinitions are the meanings of the figures.
var capacityDefinitions = []Definition{
	{"percentile", "nearest-rank", "the value at rank ceil(p n), of the requests that were answered; of itl, of all gaps between tokens"},
	{"attainment", "clopper-pearson", "the share that met the limits; of gaps, bounds from resampled blocks of time; an objective passes when the lower bound reaches the target and fails when the upper one is below it"},
	{"goodput", "joint", "requests a second that met every limit, each in one and the same request; failed and given-up ones met none"},
	{"capacity", "arrival_rate_bins", "windows by their rate of arrivals; up to the first rate at which the upper bound of the attainment is below the target"},
	{"tokens_per_s", "tokens_emitted", "tokens of the system by when they came; a prompt's when the first output token came"},
	{"tokens_per_s", "tokens_of_completed", "tokens of the system by when their request completed"},
	{"generation_rate", "generation_rate", "(output tokens - 1) / (last token - first token) of one request, the end of the response for a last token that is not recorded; never a rate of the system"},
	{"busy", "union", "share of the time with a GPU interval; requests of one batch share it"},
	{"idle_while_waiting", "of_time_with_work", "share of the time with work in which no GPU interval was there and a request waited for something else"},
	{"knee", "broken_stick", "where throughput stops growing with requests in flight, if beyond it grows by less than 15 % of what it did before"},
	{"stage_load", "little", "arrivals a second by the mean time in the stage"},
}

// RateText writes a rate of requests, with that of output tokens where it is known.
func RateText(requests float64, tokens *float64) string {
	text := Number(requests) + " requests/s"
	if tokens != nil {
		text += fmt.Sprintf(" and %s output tokens/s", Number(*tokens))
	}
	return text
}

// Known reports whether a rate can be told.
func (c *Carried) Known() bool { return c.Rate != nil }

// words says what is carried. text is why nothing can be said.
func (c *Carried) words(text string) string {
	switch {
	case c.Rate == nil && text == "":
		return "nothing was asked"
	case c.Rate == nil:
		return text
	case c.Fail != nil:
		return fmt.Sprintf("%s; at %s it fails", RateText(*c.Rate, c.TokenRate), Number(*c.Fail))
	}
	return fmt.Sprintf("at least %s: %s", RateText(*c.Rate, c.TokenRate), c.notSeen())
}

// notSeen says that no rate fails, and which were seen too seldom to tell.
func (c *Carried) notSeen() string {
	text := "the limit was not seen"
	if n := len(c.Bins); c.PassBin != nil && int(*c.PassBin) < n-1 {
		text += fmt.Sprintf("; rates up to %s were, too seldom to tell", Number(c.Bins[n-1].High))
	}
	return text
}

// headline answers in one sentence what the system carries, or without an objective what
// holds it up.
func (c *Capacity) headline() string {
	p := c.Population
	switch {
	case p.Requests == 0:
		return "no request was found"
	case p.Used == 0:
		return "no request to analyse: " + noneUsed(p.Requests)
	case len(c.Objectives) == 0:
		return p.Limited(c.System.headline())
	}
	o := c.Objectives[0]
	switch {
	case !o.Carried.Known() && o.Outcome == string(tokens.Fail):
		return p.Limited(fmt.Sprintf("misses %s%s; cannot say what rate is carried within it: %s", o.Objective, o.met(), o.Carried.Words))
	case !o.Carried.Known() && o.Outcome == string(tokens.Pass):
		return p.Limited(fmt.Sprintf("keeps %s%s; cannot say up to which rate: %s", o.Objective, o.met(), o.Carried.Words))
	case !o.Carried.Known():
		return p.Limited(fmt.Sprintf("cannot say what is carried within %s: %s", o.Objective, o.Carried.Words))
	case o.Carried.Fail != nil:
		return p.Limited(fmt.Sprintf("carries %s within %s; at %s it fails", RateText(*o.Carried.Rate, o.Carried.TokenRate), o.Objective, Number(*o.Carried.Fail)))
	}
	return p.Limited(fmt.Sprintf("carries at least %s within %s: %s", RateText(*o.Carried.Rate, o.Carried.TokenRate), o.Objective, o.Carried.notSeen()))
}

// met says how much of what was asked met the only term; empty for several.
func (o *Objective) met() string {
	if len(o.Terms) != 1 || o.Terms[0].Attainment == nil {
		return ""
	}
	t := o.Terms[0]
	return fmt.Sprintf(" (%s %% of %s met it%s)", Met(t.Attainment.Value, t.MetDecimals()), plural(t.Attainment.N, strings.TrimSuffix(t.Of, "s")), byWeights(t.Attainment))
}

// headline says what holds the system up, or where its throughput stops growing when that
// cannot be said.
func (s *System) headline() string {
	if s.Refused != "" {
		return "cannot say what the system carries: " + s.Refused
	}
	if s.Decision.Kind != spelled(serving.CannotSay) {
		return s.Decision.Words
	}
	if k := s.knee(); k != nil {
		return fmt.Sprintf("throughput stops growing at %s requests in flight (%s, n = %s); what holds it up cannot be said", Number(*k.InFlight), k.Name(), plural(k.Points, "point"))
	}
	return "cannot say what holds the system up: " + strings.TrimPrefix(s.Decision.Words, "cannot say: ")
}

// knee returns the first knee that was reached, nil for none.
func (s *System) knee() *Knee {
	for i := range s.Curves {
		if k := &s.Curves[i].Knee; k.Reached && k.InFlight != nil {
			return k
		}
	}
	return nil
}

// Name is the name of the knee's rule.
func (k Knee) Name() string {
	if k.Method == curve.MethodUSL {
		return "universal scalability law"
	}
	return strings.ReplaceAll(k.Method, "_", " ")
}

// MetDecimals returns how many decimals of a per cent tell a share from the target of a term.
func (t ObjectiveTerm) MetDecimals() int { return metDecimals(t.Target) }

// MetDecimals returns how many decimals of a per cent tell a share from the target.
func (c *Carried) MetDecimals() int { return metDecimals(c.Target) }

// Text writes the limit behind its metric, such as "< 2s".
func (l Limit) Text() string {
	if l.Below {
		return "< " + l.Time
	}
	return "<= " + l.Time
}

// metDecimals is at least 2, and as many as the target has.
func metDecimals(target float64) int {
	text := strings.TrimRight(strconv.FormatFloat(100*target, 'f', 6, 64), "0")
	_, decimals, _ := strings.Cut(text, ".")
	return max(2, len(decimals))
}

// Met writes a share in per cent, rounded down: what is written reaches a target only where
// the share does.
func Met(share float64, decimals int) string { return floored(share, decimals, 1) }

// MetRange writes the bounds of a share in per cent: the lower rounded down and the upper up.
func MetRange(low, high float64, decimals int) string {
	return floored(low, decimals, 1) + "–" + floored(high, decimals, -1)
}

// roundingShare is how far a share that was divided in floating point may be off.
const roundingShare = 1e-12

// floored writes a share in per cent, rounded down for a sign of 1 and up for one of -1.
func floored(share float64, decimals, sign int) string {
	steps := rational(float64(sign) * share)
	steps.Add(steps, rational(roundingShare))
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)+2), nil)
	steps.Mul(steps, new(big.Rat).SetInt(scale))
	whole := new(big.Int).Div(steps.Num(), steps.Denom())
	whole.Mul(whole, big.NewInt(int64(sign)))
	return new(big.Rat).SetFrac(whole, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)).FloatString(decimals)
}

// MethodText says how a rate was found.
func (c *Carried) MethodText() string {
	switch c.Method {
	case spelled(capacity.MethodFit):
		text := "logit-fit: lower bound, with 95 %, of where a line through the windows near the limit meets the target"
		if c.Estimate != nil {
			text += fmt.Sprintf(", %s without that caution", Number(*c.Estimate))
		}
		return text
	case spelled(capacity.MethodBins):
		return "bin: mean rate of the last bin that passes; too few windows near the limit for a line"
	case spelled(capacity.MethodHeld):
		return "bin-around: mean rate of the last bin that passes, or with the windows beside its own if that is less"
	}
	return c.Method
}

// limitingBin returns the place of the bin that limits: the first that fails, else the last
// that passes; -1 for none.
func (c *Carried) limitingBin() int {
	switch {
	case c.FailBin != nil:
		return int(*c.FailBin)
	case c.PassBin != nil:
		return int(*c.PassBin)
	}
	return -1
}

// BinsShown returns the bins [from, to) of at most so many that are around the limit, or the
// highest where there is none.
func (c *Carried) BinsShown(most int) (from, to int) {
	at := c.limitingBin()
	if at < 0 {
		at = len(c.Bins) - 1
	}
	return around(len(c.Bins), at, most)
}

// PointsShown returns the points [from, to) of at most so many that are around the knee, or
// those with most in flight where there is none.
func (c *Curve) PointsShown(most int) (from, to int) {
	n := len(c.Points)
	at := n - 1
	if k := c.Knee.InFlight; k != nil {
		for at > 0 && c.Points[at].InFlight > *k {
			at--
		}
	}
	return around(n, at, most)
}

// around returns at most so many of n places around one.
func around(n, at, most int) (from, to int) {
	if n <= most {
		return 0, n
	}
	from = min(max(0, at-most*2/3), n-most)
	return from, from + most
}
