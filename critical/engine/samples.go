package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// Metrics that questions are put to.
const (
	metricRunning     = "running"
	metricWaiting     = "waiting"
	metricPending     = "pending_requests"
	metricKV          = "kv_usage"
	metricPreemptions = "preemptions"
	metricRetracted   = "retracted"

	metricPreemptionsTotal = "preemptions_total"

	metricPrompt  = "prompt_throughput"
	metricJoining = "batch_prefill_requests"
)

// A reading is in force until the next one, but no longer than half as long again as
// readings are usually apart, within these bounds, in ns.
const (
	leastForce = 15_000_000_000
	mostForce  = 90_000_000_000
	second     = 1_000_000_000
)

// series is the readings of one metric of one engine, in order of time.
type series struct {
	metric string
	unit   string
	time   []int64 // ns, on the clock of the engine's intervals
	value  []float64
	force  int64  // ns
	tick   int64  // ns that the clock of the readings may be behind
	joined []bool // of running: some of those counted were just joining, by a batch of prompts
}

// readings are the series of one engine, by metric.
type readings struct {
	list   []*series
	used   int64 // rows
	doubt  int64 // rows that may be of this engine or of another
	counts gauges
}

// find returns the series of a metric, an empty one if there is none.
func (r *readings) find(metric string) *series {
	i, ok := slices.BinarySearchFunc(r.list, metric, func(s *series, m string) int { return strings.Compare(s.metric, m) })
	if !ok {
		return &series{}
	}
	return r.list[i]
}

// inForce returns the place of the reading in force at an instant.
func (s *series) inForce(at int64) (int, bool) {
	i, exact := slices.BinarySearch(s.time, at)
	if !exact {
		i--
	}
	for ; exact && i+1 < len(s.time) && s.time[i+1] == at; i++ { // the last of one instant counts
	}
	return i, i >= 0 && at-s.time[i] <= s.force
}

// near reports whether the reading in force at an instant, or the next one if it is near,
// is at least so much.
func (s *series) near(at int64, least float64) bool {
	i, ok := s.inForce(at)
	if ok && s.value[i] >= least {
		return true
	}
	i++
	return i < len(s.time) && s.time[i]-at <= s.force && s.value[i] >= least
}

// settle computes how long readings are in force, and how fine their clock is.
func (s *series) settle() {
	s.tick = second
	for _, at := range s.time {
		for s.tick > 1 && at%s.tick != 0 {
			s.tick /= 1000
		}
	}
	var gaps []int64
	for i := 1; i < len(s.time); i++ {
		if gap := s.time[i] - s.time[i-1]; gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	s.force = leastForce
	if len(gaps) > 0 {
		slices.Sort(gaps)
		s.force = min(max(s.force, gaps[(len(gaps)-1)/2]/2*3), mostForce)
	}
}

// origin is who took a reading.
type origin struct{ service, host, engine, source table.Sym }

// sample is a row of the engine_samples table.
type sample struct {
	origin
	metric table.Sym
	time   int64
	value  float64
	row    int32
	joined bool
}

// match gives the readings to engines.
func (t *Timelines) match(set *table.Set) {
	rows := &set.EngineSamples
	found, votes := map[origin]int32{}, t.votes(set)
	groups := make([]map[table.Sym][]sample, len(t.engines))
	joining := joins(set)
	for i := range rows.Len() {
		if math.IsNaN(rows.Value[i]) || math.IsInf(rows.Value[i], 0) || rows.Clock[i] != table.ClockWall {
			continue
		}
		from := origin{rows.Service[i], rows.Host[i], rows.Engine[i], rows.Source[i]}
		e, ok := found[from]
		if !ok {
			e = t.owner(from, votes)
			found[from] = e
		}
		if e < 0 {
			continue
		}
		if groups[e] == nil {
			groups[e] = map[table.Sym][]sample{}
		}
		m, joins := rows.Metric[i], joining.with(set, i)
		groups[e][m] = append(groups[e][m], sample{from, m, rows.Time[i], rows.Value[i] + joins, int32(i), joins > 0})
	}
	t.doubt(set, found)
	counted, _ := set.Symbols.Lookup(metricPreemptions)
	for e, metrics := range groups {
		l := &t.engines[e]
		for m, list := range metrics {
			declared, ok := table.MetricByName(set.Symbols.Text(m))
			if ok && declared.Name == metricPreemptionsTotal && len(metrics[counted]) == 0 {
				declared, ok = table.MetricByName(metricPreemptions)
				list = differences(list)
			}
			if !ok || declared.Total {
				continue // a total since the start says nothing of an instant
			}
			s, used := combine(set, list, declared)
			if l.reads.used += used; used == 0 {
				l.reads.doubt += int64(len(list))
				continue
			}
			l.reads.list = append(l.reads.list, s)
		}
		slices.SortFunc(l.reads.list, func(a, b *series) int { return strings.Compare(a.metric, b.metric) })
	}
}

// differences returns by how much totals rose since the reading before of the same series: by all
// there is after a new start, which set it to 0. The first of a series says nothing, so 0.
func differences(totals []sample) []sample {
	list := slices.Clone(totals)
	slices.SortFunc(list, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row))
	})
	last := map[origin]float64{}
	for i, s := range list {
		before, ok := last[s.origin]
		last[s.origin] = s.value
		switch {
		case !ok:
			list[i].value = 0
		case s.value >= before:
			list[i].value = s.value - before
		}
	}
	return list
}

// combine makes one series of the readings of one metric. Ranks of one engine are added
// up, except for shares, of which the greatest counts; what a rank counted since its last
// reading is added to nothing but what others counted until the same instant. What another source says of the
// same engine is left out: of several, the one with most readings is used. Readings that
// two inputs took at the same time under one name may be of two engines, and none is used.
func combine(set *table.Set, list []sample, m table.Metric) (*series, int64) {
	text := set.Symbols.Text
	name := func(o origin) string { return text(o.service) + "\x00" + text(o.host) }
	counts, ranked := map[string]int{}, map[string]int{}
	for _, s := range list {
		counts[name(s.origin)]++
		if s.engine != 0 {
			ranked[name(s.origin)]++
		}
	}
	best := ""
	for n, count := range counts {
		if c := cmp.Or(cmp.Compare(count, counts[best]), strings.Compare(best, n)); best == "" || c > 0 {
			best = n
		}
	}
	byRank := 2*ranked[best] >= counts[best]
	list = slices.DeleteFunc(list, func(s sample) bool { return name(s.origin) != best || (s.engine != 0) != byRank })
	slices.SortFunc(list, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.time, b.time), strings.Compare(text(a.engine), text(b.engine)), cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row))
	})
	if interleaved(set, list) {
		return nil, 0
	}
	out := &series{metric: m.Name, unit: m.Unit}
	latest := map[table.Sym]sample{}
	var ranks []table.Sym
	for i, s := range list {
		if _, ok := latest[s.engine]; !ok {
			ranks = append(ranks, s.engine)
		}
		latest[s.engine] = s
		if len(ranks) > 1 && i+1 < len(list) && list[i+1].time == s.time && list[i+1].engine != s.engine {
			continue // the others have theirs at the same instant
		}
		value := 0.0
		for _, r := range ranks {
			if v := latest[r]; m.Unit == "ratio" {
				value = max(value, v.value)
			} else if v.time == s.time || m.Name != metricPreemptions && s.time-v.time <= mostForce {
				value += v.value
			}
		}
		out.time, out.value, out.joined = append(out.time, s.time), append(out.value, value), append(out.joined, s.joined)
	}
	out.settle()
	return out, int64(len(list))
}

// interleaved reports whether one rank has readings of several inputs that overlap in
// time. The list is in order of time.
func interleaved(set *table.Set, list []sample) bool {
	type input struct{ engine, source table.Sym }
	ended := map[input]bool{}
	now := map[table.Sym]input{}
	for _, s := range list {
		in := input{s.engine, set.EngineSamples.Source[s.row]}
		if was, ok := now[s.engine]; ok && was != in {
			ended[was] = true
		}
		if now[s.engine] = in; ended[in] {
			return true
		}
	}
	return false
}

// joinRows are the readings of requests that join a batch, by where they were read.
type joinRows struct {
	metric table.Sym // running
	values map[joinKey]float64
}

type joinKey struct {
	origin
	time   int64
	offset int64
	line   int64
}

// joins finds the lines that tell how many requests run and how many join them: SGLang's
// line of a prefill batch counts the former without the latter.
func joins(set *table.Set) joinRows {
	rows := &set.EngineSamples
	j := joinRows{}
	running, ok := set.Symbols.Lookup(metricRunning)
	joining, ok2 := set.Symbols.Lookup(metricJoining)
	if !ok || !ok2 {
		return j
	}
	j.metric, j.values = running, map[joinKey]float64{}
	for i := range rows.Len() {
		if rows.Metric[i] == joining && !math.IsNaN(rows.Value[i]) && !math.IsInf(rows.Value[i], 0) {
			j.values[joinKeyOf(rows, i)] = rows.Value[i]
		}
	}
	return j
}

func joinKeyOf(rows *table.EngineSamples, i int) joinKey {
	return joinKey{origin{rows.Service[i], rows.Host[i], rows.Engine[i], rows.Source[i]}, rows.Time[i], rows.Offset[i], rows.Line[i]}
}

// with returns the requests that join those of a reading.
func (j *joinRows) with(set *table.Set, row int) float64 {
	if j.values == nil || set.EngineSamples.Metric[row] != j.metric {
		return 0
	}
	return j.values[joinKeyOf(&set.EngineSamples, row)]
}
