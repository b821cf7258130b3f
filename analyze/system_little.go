package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// LittleAgainst sets the load that the traces tell against what another source tells of the
// same time: the rate of requests, and how many are in flight. Between figures of the traces
// alone Little's law holds whatever was recorded; the ratios to another source say what the
// traces lack.
type LittleAgainst struct {
	Source string   // engine-readings or access-log
	Of     []string // engines, or the log
	// From and To are between which times, ns on the wall clock, and CoveredNS is for how much
	// of that both sources tell.
	From, To, CoveredNS int64
	N                   int64 // traced requests in that time
	Outside             int64 // readings, or lines
	// Joined is how many lines are those of traced requests; of readings it is 0. ByLines says
	// that rates, times and numbers in flight of the traced requests are those of their lines,
	// and not of their spans, which begin and end elsewhere.
	Joined  int64
	ByLines bool
	// Rates are requests a second: that ended, of engines, or that began, of a log.
	HasRates                bool
	RateTraced, RateOutside float64
	// Numbers in flight are those at the engines, or of all of the lines' times.
	HasInFlight                     bool
	InFlightTraced, InFlightOutside float64
	// Rate, InFlight and Time are the ratios of traced to outside: of rates, of numbers in
	// flight, and of mean times, which is the one of the other two. Their bounds resample
	// blocks of the time, both sources at once.
	Rate, InFlight, Time stat.Estimate
	Reading              little.Reading
	// NoInFlight and NoRates say why one half is not compared, and Why nothing is; empty
	// otherwise.
	NoInFlight, NoRates, Why string
	// busyOnly is how many times fewer than outside there may have been in flight, since the
	// other source may tell of busy times alone; 0 for no more than it says.
	busyOnly float64
}

// The independent sources.
const (
	SourceReadings = "engine-readings"
	SourceLog      = "access-log"
)

// The ids of warnings from independent sources: what rates and percentiles of the traces
// are not.
const (
	BiasedSample   = "biased-sample"
	SampledTraces  = "sampled-traces"
	UncoveredStage = "uncovered-stage"
)

// against compares the load with every other source of it, and says why there is none.
func (c *captured) against() (list []LittleAgainst, none string) {
	switch {
	case c.opt.Where != nil:
		return nil, "a filter leaves requests out, and no other source can be asked for the same ones"
	case len(c.rows) == 0 || c.base.clock != table.ClockWall:
		return nil, "no request has times on a clock that other sources share"
	}
	if l, ok := c.againstReadings(); ok {
		list = append(list, l)
	}
	list = append(list, c.againstLogs()...)
	if len(list) == 0 {
		none = "nothing to compare with: neither the engines' own counts of requests nor an access log beside the traces"
	}
	return list, none
}

// littleBlocks is how many blocks of time are resampled, and littleConfidence that at which a
// ratio is taken for another than 1.
const (
	littleBlocks     = 30
	littleConfidence = 0.99
)

// covers is the time over which two sources tell of the load, cut into blocks of one length.
type covers struct {
	stays  []stayAt // disjoint, in order
	before []int64  // covered ns before each
	total  int64
}

func newCovers(stays []stayAt) *covers {
	k := &covers{stays: stays}
	for _, s := range stays {
		k.before = append(k.before, k.total)
		k.total += s.to - s.from
	}
	return k
}

// block returns the block of an instant after so many covered ns.
func (k *covers) block(after int64) int {
	return min(littleBlocks-1, int(float64(after)/float64(k.total)*littleBlocks))
}

// at returns the block of an instant, false where it is not covered.
func (k *covers) at(ns int64) (int, bool) {
	i, exact := slices.BinarySearchFunc(k.stays, ns, func(s stayAt, ns int64) int { return cmp.Compare(s.from, ns) })
	if !exact {
		i--
	}
	if i < 0 || ns >= k.stays[i].to {
		return 0, false
	}
	return k.block(k.before[i] + ns - k.stays[i].from), true
}

// spread adds height for every covered ns of [from, to) to the blocks.
func (k *covers) spread(into *[littleBlocks]float64, from, to int64, height float64) {
	i, _ := slices.BinarySearchFunc(k.stays, from, func(s stayAt, ns int64) int { return cmp.Compare(s.to, ns) })
	for ; i < len(k.stays) && k.stays[i].from < to; i++ {
		s := k.stays[i]
		a, b := max(from, s.from), min(to, s.to)
		if b <= a {
			continue
		}
		a, b = k.before[i]+a-s.from, k.before[i]+b-s.from
		for n := k.block(a); n < littleBlocks && a < b; n++ {
			until := b
			if n+1 < littleBlocks {
				until = min(b, int64(math.Ceil(float64(k.total)/littleBlocks*float64(n+1))))
			}
			if until > a {
				into[n] += float64(float64(until-a) * height)
				a = until
			}
		}
	}
}

// bothCover returns the times that two lists hold, each disjoint and in order.
func bothCover(a, b []stayAt) (out []stayAt) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		from, to := max(a[i].from, b[j].from), min(a[i].to, b[j].to)
		if from < to {
			out = append(out, stayAt{from, to})
		}
		if a[i].to < b[j].to {
			i++
		} else {
			j++
		}
	}
	return out
}

// twoLoads are requests and request-ns by block, of the traces and of the other source.
type twoLoads struct {
	traced, outside     [littleBlocks]float64
	tracedNS, outsideNS [littleBlocks]float64
}

// settle computes the rates, the numbers in flight and their ratios, and reads them.
func (l *LittleAgainst) settle(loads *twoLoads, k *covers, seed uint64) {
	l.From, l.To, l.CoveredNS = k.stays[0].from, k.stays[len(k.stays)-1].to, k.total
	sum := func(list [littleBlocks]float64) float64 { return total(list[:]) }
	l.RateTraced, l.RateOutside = sum(loads.traced)/float64(k.total)*1e9, sum(loads.outside)/float64(k.total)*1e9
	l.InFlightTraced, l.InFlightOutside = sum(loads.tracedNS)/float64(k.total), sum(loads.outsideNS)/float64(k.total)
	var sure [3]little.Ratio
	l.Rate, sure[0] = loads.ratio(l.N, seed, func(t, o, _, _ float64) float64 { return t / o })
	l.InFlight, sure[1] = loads.ratio(l.N, seed, func(_, _, t, o float64) float64 { return t / o })
	l.Time, sure[2] = loads.ratio(l.N, seed, func(t, o, tns, ons float64) float64 { return tns / ons * o / t })
	if l.ByLines {
		// Which lines have a trace is known, and no matter of chance.
		sure[0].Low, sure[0].High = sure[0].Value, sure[0].Value
	}
	if l.busyOnly > 0 {
		for i, e := range []*stat.Estimate{&l.InFlight, &l.Time} {
			e.Bounds.High *= l.busyOnly
			sure[i+1].High *= l.busyOnly
		}
	}
	switch {
	case l.HasRates && l.HasInFlight:
		l.Reading = little.ReadBounded(sure[0], sure[1], sure[2], l.N)
		if l.Reading.Kind == little.Uncovered {
			l.Reading.MissingNS = little.Missing(l.RateTraced, l.InFlightTraced, l.InFlightOutside)
			l.Reading.Text += fmt.Sprintf(", %s a request", inUnit(int64(math.Round(l.Reading.MissingNS/1e6))*1_000_000))
		}
	case l.HasRates:
		l.Reading = little.ReadRate(sure[0], l.N)
	case l.HasInFlight:
		l.Reading = little.ReadInFlight(sure[1], l.N)
	}
	if l.HasInFlight && l.busyOnly > 0 && l.Reading.Kind == little.Unclear {
		l.Reading.Text = "readings come at uneven times, and find engines at work more often than the traces do: they may be written only while an engine works, and say nothing of the rest"
	}
}

// ratio returns a ratio of the loads with its interval, and with that which readings go by.
func (t *twoLoads) ratio(n int64, seed uint64, of func(traced, outside, tracedNS, outsideNS float64) float64) (stat.Estimate, little.Ratio) {
	draw := func(count *[littleBlocks]int32) float64 {
		var s [4]float64
		for b, times := range count {
			f := float64(times)
			s[0], s[1] = s[0]+float64(t.traced[b]*f), s[1]+float64(t.outside[b]*f)
			s[2], s[3] = s[2]+float64(t.tracedNS[b]*f), s[3]+float64(t.outsideNS[b]*f)
		}
		v := of(s[0], s[1], s[2], s[3])
		if math.IsInf(v, 0) {
			return math.NaN()
		}
		return v
	}
	var count [littleBlocks]int32
	for b := range count {
		count[b] = 1
	}
	e := stat.Estimate{Value: draw(&count), N: n, Method: MethodBlockRatio}
	if math.IsNaN(e.Value) {
		return e, little.Ratio{}
	}
	values := make([]float64, depthReplicates)
	for r := range values {
		stat.Draw(seed, r, littleBlocks, count[:])
		values[r] = draw(&count)
	}
	e.Bounds = stat.PercentileBounds(values, stat.ExpandedConfidence(littleBlocks, stat.Confidence))
	e.HasBounds = !math.IsNaN(e.Bounds.Low)
	sure := stat.PercentileBounds(values, stat.ExpandedConfidence(littleBlocks, littleConfidence))
	return e, little.Ratio{Value: e.Value, Low: sure.Low, High: sure.High}
}

// caveats says what the readings mean for the rates and percentiles of the traces.
func (l *LittleAgainst) caveats() []stat.Warning {
	id := ""
	switch l.Reading.Kind {
	case little.SlowMore, little.LongLess:
		id = BiasedSample
	case little.Uniform, little.SomeKept:
		id = SampledTraces
	case little.Uncovered:
		id = UncoveredStage
	default:
		return nil
	}
	source := "the access log"
	if l.Source == SourceReadings {
		source = "the engines' own readings"
	}
	text := fmt.Sprintf("against %s, over %s: %s", source, inUnit(l.CoveredNS/1_000_000_000*1_000_000_000), l.Reading.Text)
	if id == BiasedSample {
		text += "; no rate of these traces is that of the system"
	}
	return []stat.Warning{{ID: id, Text: text}}
}

// outsideCaveats are the warnings from all other sources, of each kind the first.
func outsideCaveats(list []LittleAgainst) (out []stat.Warning) {
	for i := range list {
		for _, w := range list[i].caveats() {
			if !slices.ContainsFunc(out, func(o stat.Warning) bool { return o.ID == w.ID }) {
				out = append(out, w)
			}
		}
	}
	return out
}

// ofRates are those of the warnings that concern what was carried: a stage that no span covers
// leaves rates as they are.
func ofRates(list []stat.Warning) (out []stat.Warning) {
	for _, w := range list {
		if w.ID == BiasedSample || w.ID == SampledTraces {
			out = append(out, w)
		}
	}
	return out
}
