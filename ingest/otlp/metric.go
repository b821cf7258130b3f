package otlp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// metric is one metric before its points become rows. Its texts are borrowed.
type metric struct {
	name, unit []byte
	shape      shape
	delta      bool // points tell of the time since the one before
	points     []point
	attributes []table.Attr // of all points
	passed     int          // points that were counted only, since the metric is not known
}

func (m *metric) reset() {
	*m = metric{points: m.points[:0], attributes: m.attributes[:0]}
}

// shape is what the points of a metric hold.
type shape uint8

const (
	noShape    shape = iota
	numbers          // of a gauge or sum
	histograms       // of either kind: a count and, unless values may be negative, a sum
	summaries        // a count and a sum
)

// point is one data point; its attributes are attributes[from:to] of its metric. What it
// does not hold is NaN.
type point struct {
	time     int64 // ns
	number   float64
	count    float64
	sum      float64
	unset    bool // it says itself that it has no value
	from, to int
}

func (p point) part(of part) float64 {
	switch of {
	case partCount:
		return p.count
	case partSum:
		return p.sum
	}
	return p.number
}

// sampled is a row of engine_samples that waits for its resource.
type sampled struct {
	row    int
	host   table.Sym // that the point itself tells
	device bool      // the engine is a device, whose name is one of the host and not of the process
}

// readingKey is what two points must agree in to be one reading.
type readingKey struct {
	time   int64
	engine table.Sym
	host   table.Sym
	series *series
}

// reading is a row of engine_samples in the making.
type reading struct {
	readingKey
	value float64
}

// addMetric appends the points of d.metric to the engine_samples table: all of those
// that are at one time and differ only in attributes that do not name an engine are one
// reading. It returns how many rows it added.
func (d *Decoder) addMetric(at table.Place) (rows int) {
	m := &d.metric
	d.stats.Metrics++
	found := d.find(m.name)
	if found == nil {
		d.unknownMetric(m, at)
		return 0
	}
	d.readings = d.readings[:0]
	clear(d.readingOf)
	lowest := d.lowestRanks(m, found[0].of)
	for i := range m.points {
		d.readPoint(m, &m.points[i], found, lowest, at)
	}
	for _, r := range d.readings {
		d.addSample(r, m.delta, at)
	}
	return len(d.readings)
}

func (d *Decoder) unknownMetric(m *metric, at table.Place) {
	n := len(m.points) + m.passed
	if n == 0 {
		return
	}
	if len(m.name) == 0 {
		d.unused(UnknownMetric, n, at, "a metric without a name")
		return
	}
	d.unused(UnknownMetric, n, at, fmt.Sprintf("the series %.80q", m.name))
	if u := d.stats.UnknownSeries; len(u) < maxUnknownSeries && !slices.Contains(u, string(m.name)) {
		d.stats.UnknownSeries = append(u, string(m.name))
	}
}

// unused counts points that became no reading.
func (d *Decoder) unused(is table.Issue, n int, at table.Place, detail string) {
	d.stats.UnusedPoints += int64(n)
	d.count(is, n, at, detail)
}

// lowestRanks finds for each engine the lowest rank that reports on it: all ranks of
// one engine report the same. It is nil when no point has a rank.
func (d *Decoder) lowestRanks(m *metric, of *exporter) map[table.Sym]string {
	var lowest map[table.Sym]string
	for i := range m.points {
		rank := d.label(m, &m.points[i], of.ranks)
		if rank == "" {
			continue
		}
		if lowest == nil {
			lowest = map[table.Sym]string{}
		}
		engine := d.set.Symbols.Intern(d.label(m, &m.points[i], of.engine))
		if l, ok := lowest[engine]; !ok || rankLess(rank, l) {
			lowest[engine] = rank
		}
	}
	return lowest
}

// rankLess orders texts of numbers by size.
func rankLess(a, b string) bool {
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// readPoint makes readings of a point, or counts why it makes none.
func (d *Decoder) readPoint(m *metric, p *point, found []*series, lowest map[table.Sym]string, at table.Place) {
	of := found[0].of
	switch {
	case p.unset:
		d.unused(EmptyPoint, 1, at, "a point says that it has no value")
		return
	case p.time == 0:
		d.unused(EmptyPoint, 1, at, "a point has no time")
		return
	}
	engine := d.set.Symbols.Intern(d.label(m, p, of.engine))
	if l, ok := lowest[engine]; ok && d.label(m, p, of.ranks) != l {
		d.unused(RepeatedPoint, 1, at, "a point of another rank of the same engine")
		return
	}
	host := d.set.Symbols.Intern(d.label(m, p, of.host))
	var used, repeated, delta, empty bool
	for _, s := range found {
		if (s.part == partNumber) != (m.shape == numbers) || s.where != "" && !strings.EqualFold(d.attribute(m, p, s.where), s.is) {
			continue
		}
		value := p.part(s.part)
		switch {
		case math.IsNaN(value) || math.IsInf(value, 0):
			empty = true
		case m.delta && s.interval == "":
			delta = true
		case d.firstSeries(seriesKey{p.time, engine, host, s.of, s.metric}, s) &&
			d.read(readingKey{p.time, engine, host, s}, value*s.factor(m.unit)):
			used = true
		default:
			repeated = true
		}
	}
	switch {
	case used:
		d.stats.Points++
	case repeated:
		d.unused(RepeatedPoint, 1, at, "a point of an engine and time that another one tells of")
	case delta:
		d.unused(DeltaPoint, 1, at, fmt.Sprintf("the series %.80q has delta temporality", m.name))
	case empty:
		d.unused(EmptyPoint, 1, at, "a point has no number, or none that is finite")
	default:
		d.unused(UnusedPoint, 1, at, fmt.Sprintf("the series %.80q has another shape or attribute than what is read of it", m.name))
	}
}

// seriesKey is what series that say the same under two names agree in.
type seriesKey struct {
	time   int64
	engine table.Sym
	host   table.Sym
	of     *exporter
	metric string
}

// firstSeries reports whether the reading of a key comes from the series that was the
// first under the resource to give it. Servers export a series under its old name beside
// the new one for a while.
func (d *Decoder) firstSeries(key seriesKey, s *series) bool {
	if d.seriesOf == nil {
		d.seriesOf = map[seriesKey]*series{}
	}
	first, ok := d.seriesOf[key]
	if !ok {
		d.seriesOf[key] = s
	}
	return !ok || first == s
}

// read adds a value to the reading of a key. Parts of a total add up; of readings of
// the moment the largest stands, and the points of the others count as repeated. It
// returns whether the point is part of the reading.
func (d *Decoder) read(key readingKey, value float64) bool {
	i, ok := d.readingOf[key]
	if !ok {
		if d.readingOf == nil {
			d.readingOf = map[readingKey]int{}
		}
		d.readingOf[key] = len(d.readings)
		d.readings = append(d.readings, reading{key, value})
		return true
	}
	r := &d.readings[i]
	if key.series.total {
		r.value += value
		return true
	}
	r.value = max(r.value, value)
	return false
}

func (d *Decoder) addSample(r reading, delta bool, at table.Place) {
	t := &d.set.EngineSamples
	i := t.Grow()
	name := r.series.metric
	if delta {
		name = r.series.interval
	}
	t.Time[i] = r.time
	t.Clock[i] = table.ClockWall
	t.Engine[i] = r.engine
	t.Metric[i] = d.set.Symbols.Intern(name)
	t.Value[i] = r.value + 0 // so that there is one zero
	t.Unit[i] = d.set.Symbols.Intern(r.series.unit)
	t.Source[i], t.Offset[i], t.Line[i] = d.origin, at.Offset, lineOrMissing(at)
	d.sampled = append(d.sampled, sampled{row: i, host: r.host, device: r.series.of.device})
	d.stats.Samples++
}

// placeSamples gives the rows of engine_samples under the resource what it says of
// where the engine ran. Engines of one host are told apart by the instance of their
// process, which stands before the name of the engine within it.
func (d *Decoder) placeSamples() {
	if len(d.sampled) == 0 {
		return
	}
	t, symbols := &d.set.EngineSamples, d.set.Symbols
	service, host, _ := d.set.Whereabouts(d.resource.list)
	target, instance := d.set.Target(d.resource.list)
	if host == 0 {
		host = target
	}
	for _, s := range d.sampled {
		t.Service[s.row], t.Host[s.row] = service, host
		if s.host != 0 {
			t.Host[s.row] = s.host
		}
		switch engine := t.Engine[s.row]; {
		case instance == 0, s.device && engine != 0 && t.Host[s.row] != 0:
		case engine == 0:
			t.Engine[s.row] = instance
		default:
			t.Engine[s.row] = symbols.Intern(symbols.Text(instance) + "/" + symbols.Text(engine))
		}
	}
	d.sampled = d.sampled[:0]
}

// label joins the attributes of a point that together name something. Of each group the
// first that is there counts.
func (d *Decoder) label(m *metric, p *point, groups [][]string) string {
	first, more := "", []string(nil)
	for _, keys := range groups {
		for _, key := range keys {
			text := d.attribute(m, p, key)
			if text == "" {
				continue
			}
			if first == "" {
				first = text
			} else {
				more = append(more, text)
			}
			break
		}
	}
	if more == nil {
		return first
	}
	return first + "/" + strings.Join(more, "/")
}

// attribute returns the text of an attribute of a point, "" if it has none.
func (d *Decoder) attribute(m *metric, p *point, key string) string {
	sym, ok := d.set.Symbols.Lookup(key)
	if !ok {
		return ""
	}
	for j := p.to - 1; j >= p.from; j-- {
		if a := m.attributes[j]; a.Key == sym {
			text, _ := a.Value.Scalar()
			return string(text)
		}
	}
	return ""
}
