package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/clock"
	"github.com/tailpath/tailpath/ingest/table"
)

// ClockOffset is how far one clock is ahead of its reference, by the calls between
// their hosts.
type ClockOffset struct {
	Clock, Reference string // the reference of a clock that others are compared with is itself
	// Input says that the clock is that of the records of an input, and Clock its name.
	Input bool
	// Stretches are by time; a clock that drifts or was set has several. One whose
	// every call bounds nothing has none.
	Stretches []Stretch
	// Calls of its host bound an offset; Violated of them contradict what was found, and
	// Broken more bound nothing, because the server's time does not fit into the caller's.
	Calls, Violated, Broken int64
	// ZoneNS is the multiple of 30 min that alone fits the offset, in ns; 0 for none.
	ZoneNS int64
}

// Stretch is a time in which one offset holds: OffsetNS ± ErrorNS, by the reference's
// clock. Where it is not Known durations alone can be trusted.
type Stretch struct {
	From, To          int64 // ns since the Unix epoch, by the reference's clock
	Known             bool
	OffsetNS, ErrorNS int64
	Calls, Violated   int64
}

// isReference reports whether others are compared with this clock.
func (c ClockOffset) isReference() bool { return c.Clock == c.Reference }

// farthest returns the greatest known offset in ns without its sign, and whether any
// stretch is known.
func (c ClockOffset) farthest() (ns int64, known bool) {
	for _, s := range c.Stretches {
		if s.Known {
			ns, known = max(ns, s.OffsetNS, -s.OffsetNS), true
		}
	}
	return ns, known
}

// ClockOffsets lists what is known of every clock: references first, then the farthest
// off, those of which nothing is known before them. Found adds what the clocks table has
// no room for; it may be nil.
func ClockOffsets(set *table.Set, found *clock.Solution) []ClockOffset {
	var out []ClockOffset
	if found != nil {
		for _, e := range found.Clocks() {
			c := ClockOffset{Clock: e.Clock, Reference: e.Reference, Calls: e.Calls, Violated: e.Violated, Broken: e.Broken, ZoneNS: e.Zone}
			for _, w := range e.Windows {
				c.Stretches = append(c.Stretches, Stretch{w.From, w.To, w.Known, w.Offset, w.Error, w.Calls, w.Violated})
			}
			out = append(out, c)
		}
	} else {
		out = recordedOffsets(set)
	}
	if len(out) == 0 {
		return nil
	}
	records := recordSources(set)
	for i := range out {
		out[i].Input = records[out[i].Clock]
	}
	slices.SortStableFunc(out, func(a, b ClockOffset) int {
		x, known := a.farthest()
		y, alsoKnown := b.farthest()
		return cmp.Or(compareTruth(b.isReference(), a.isReference()), compareTruth(known, alsoKnown), cmp.Compare(y, x), cmp.Compare(a.Clock, b.Clock))
	})
	return out
}

// compareTruth orders false before true.
func compareTruth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// recordedOffsets reads the clocks table, whose rows are by clock and time.
func recordedOffsets(set *table.Set) (out []ClockOffset) {
	t := &set.Clocks
	at := map[table.Sym]int{}
	for i := range t.Len() {
		k, ok := at[t.Clock[i]]
		if !ok {
			k = len(out)
			at[t.Clock[i]] = k
			out = append(out, ClockOffset{Clock: set.Symbols.Text(t.Clock[i]), Reference: set.Symbols.Text(t.Reference[i])})
		}
		c := &out[k]
		c.Stretches = append(c.Stretches, Stretch{t.From[i], t.To[i], t.Known[i], t.Offset[i], t.Error[i], t.Calls[i], t.Violated[i]})
		c.Calls, c.Violated = c.Calls+t.Calls[i], c.Violated+t.Violated[i]
		if t.Zone[i] != table.Missing {
			c.ZoneNS = t.Zone[i]
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].Stretches, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	}
	slices.SortFunc(out, func(a, b ClockOffset) int { return cmp.Compare(a.Clock, b.Clock) })
	return out
}

// recordSources returns the inputs that spans were made of records of.
func recordSources(set *table.Set) map[string]bool {
	symbols := map[table.Sym]bool{}
	for i, origin := range set.Spans.Origin {
		if origin == table.OriginRecord {
			symbols[set.Spans.Source[i]] = true
		}
	}
	out := map[string]bool{}
	for s := range symbols {
		out[set.Symbols.Text(s)] = true
	}
	return out
}

// assumedUTC is the id of the issue that times of a log have no zone and were taken for
// UTC. Where it was not met, every log says its zone or was given one.
const assumedUTC = "log-assumed-utc"

// ZoneShift is a log whose times look like those of another zone.
type ZoneShift struct {
	Clock  string
	Input  bool  // it is the clock of the records of an input, of that name
	Lines  bool  // it is that of the lines of an input, whose records have the right times
	ZoneNS int64 // what its times are ahead by, in ns
	// Suggest is the zone that makes them right, as --tz takes it; empty when no zone
	// would, because the times say their zone or are not those of a log.
	Suggest string
}

// ZoneShifts lists the clocks that are off by a whole zone, and the logs whose lines are
// off so from the requests that they tell of, by name. Nothing is moved
// by them.
func ZoneShifts(set *table.Set, clocks []ClockOffset) (out []ZoneShift) {
	assumed := false
	for i := range set.Quality.Len() {
		assumed = assumed || set.Symbols.Text(set.Quality.ID[i]) == assumedUTC
	}
	for _, c := range clocks {
		if c.ZoneNS == 0 {
			continue
		}
		z := ZoneShift{Clock: c.Clock, Input: c.Input, ZoneNS: c.ZoneNS}
		if c.Input && assumed {
			z.Suggest = zoneName(c.ZoneNS)
		}
		out = append(out, z)
	}
	if assumed {
		for source, s := range stamped(set) {
			if ns, name := s.shift(), set.Symbols.Text(source); ns != 0 && !slices.ContainsFunc(out, func(z ZoneShift) bool { return z.Clock == name }) {
				out = append(out, ZoneShift{Clock: name, Input: true, Lines: true, ZoneNS: ns, Suggest: zoneName(ns)})
			}
		}
	}
	slices.SortFunc(out, func(a, b ZoneShift) int { return cmp.Compare(a.Clock, b.Clock) })
	return out
}

// zoneName spells the zone in which times were written that are ahead of UTC by a number
// of ns when they are taken for it: such as +02:00, which is east of Greenwich.
func zoneName(ns int64) string {
	sign := byte('+')
	if ns < 0 {
		sign, ns = '-', -ns
	}
	minutes := ns / 60_000_000_000
	return string([]byte{sign, '0' + byte(minutes/600), '0' + byte(minutes/60%10), ':', '0' + byte(minutes%60/10), '0' + byte(minutes%10)})
}

// Advice says in one sentence what was found, and what makes it right.
func (z ZoneShift) Advice() string {
	way, by := "ahead", z.ZoneNS
	if by < 0 {
		way, by = "behind", -by
	}
	hours := strconv.FormatFloat(float64(by)/3.6e12, 'f', -1, 64)
	what := "the times of " + z.Clock
	if z.Lines {
		what = "the lines of " + z.Clock
		way += " of the requests that they tell of"
		if z.ZoneNS < 0 {
			way = "behind the requests that they tell of"
		}
	}
	switch {
	case z.Suggest != "":
		return fmt.Sprintf("%s are %s h %s, as if written in zone %s: read it with --tz '%s=%s'",
			what, hours, way, z.Suggest, strings.ReplaceAll(z.Clock, "'", `'\''`), z.Suggest)
	case z.Input:
		return fmt.Sprintf("the times of %s are %s h %s: the zone that they say, or that --tz gave them, is wrong by that", z.Clock, hours, way)
	}
	return fmt.Sprintf("the clock of %s is %s h %s, as if it were set to local time", z.Clock, hours, way)
}

// otherZone warns of clocks that are off by a whole zone.
func otherZone(set *table.Set, clocks []ClockOffset) (out []stat.Warning) {
	shifts := ZoneShifts(set, clocks)
	for _, z := range shifts[:min(len(shifts), zonesNamed)] {
		out = append(out, stat.Warning{ID: OtherZone, Text: z.Advice()})
	}
	if more := len(shifts) - zonesNamed; more > 0 {
		out = append(out, stat.Warning{ID: OtherZone, Text: plural(int64(more), "more clock") + " are off by a whole zone: tailpath inspect lists them"})
	}
	return out
}

// zonesNamed is how many clocks get a warning of their own.
const zonesNamed = 3
