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

// Little sets the number of requests that waited against what came and how long it waited.
//
// By the same intervals the mean number is arrivals a second times the mean wait, whatever
// the data: an identity, which proves nothing but that the sums are right. Readings of
// engines are another source, and agree only if both are.
type Little struct {
	Requests   int64
	Rate       float64 // arrivals per second
	MeanWaitNS int64   // of all requests, waiting or not
	Depth      float64 // mean number that waited
	// Ratio is Depth by Rate times the mean wait: 1. It is 0 when nobody waited.
	Ratio    float64
	Readings *DepthReadings // nil where no engine said how many waited at a time of the window
}

// DepthReadings compares how many requests waited at engines by the traces with what the
// engines said, over the time in which all of them did.
type DepthReadings struct {
	Metric   string
	N        int64 // readings
	Engines  int64 // that gave them
	From, To int64 // ns
	Depth    float64
	Read     float64
	Ratio    stat.Estimate // Depth by Read; 1 and without bounds when both are 0
	// Rate and ReadRate are requests that ended per second by the traces and by the
	// counters of the engines; HasRates is false where these count none.
	Rate, ReadRate float64
	HasRates       bool
	Agrees         bool
	Words          string // what the comparison says
}

// littleOf measures the queue stage.
func littleOf(set *table.Set, w *waiting, seed uint64) Little {
	l := Little{Requests: int64(len(w.rows)), Depth: w.depth.Mean()}
	if l.Requests == 0 || w.to <= w.from {
		return l
	}
	seconds := float64(w.to-w.from) / 1e9
	l.Rate = float64(l.Requests) / seconds
	l.MeanWaitNS = w.total.MeanRounded(l.Requests)
	if product := l.Rate * (w.total.Float() / float64(l.Requests) / 1e9); product > 0 {
		l.Ratio = l.Depth / product
	}
	l.Readings = depthReadings(set, w, seed)
	return l
}

// depthMetrics are the metrics that say how many requests wait, the first that is there counts.
var depthMetrics = []string{"waiting", "pending_requests"}

// outsideEngine are the details of waits that engines do not see.
var outsideEngine = []string{"admission", "retry_backoff"}

// gaugeKey tells series of readings apart.
type gaugeKey struct{ service, host, engine, metric table.Sym }

// gaugeSeries are the readings of one metric of one engine in order of time.
type gaugeSeries struct {
	key   gaugeKey
	at    []int64 // ns
	value []float64
}

// gauges returns the readings of some metrics on the wall clock, by engine.
func gauges(set *table.Set, names ...string) []gaugeSeries {
	t := &set.EngineSamples
	wanted := map[table.Sym]bool{}
	for _, name := range names {
		if sym, ok := set.Symbols.Lookup(name); ok {
			wanted[sym] = true
		}
	}
	rows := map[gaugeKey][]int{}
	for i, metric := range t.Metric {
		if wanted[metric] && t.Clock[i] == table.ClockWall && t.Value[i] >= 0 && !math.IsInf(t.Value[i], 0) {
			k := gaugeKey{t.Service[i], t.Host[i], t.Engine[i], metric}
			rows[k] = append(rows[k], i)
		}
	}
	var out []gaugeSeries
	for k, list := range rows {
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(t.Time[a], t.Time[b]), cmp.Compare(t.Value[a], t.Value[b]))
		})
		s := gaugeSeries{key: k}
		for _, i := range list {
			s.at, s.value = append(s.at, t.Time[i]), append(s.value, t.Value[i])
		}
		out = append(out, s)
	}
	text := set.Symbols.Text
	slices.SortFunc(out, func(a, b gaugeSeries) int {
		return cmp.Or(cmp.Compare(text(a.key.metric), text(b.key.metric)), cmp.Compare(text(a.key.service), text(b.key.service)),
			cmp.Compare(text(a.key.host), text(b.key.host)), cmp.Compare(text(a.key.engine), text(b.key.engine)))
	})
	return out
}

// depthBlocks is how many blocks of time the comparison is resampled in, and leastReadings
// how many readings there must be.
const (
	depthBlocks     = 30
	depthReplicates = 1000
	leastReadings   = 10
)

// depthReadings compares the waits at engines with the readings of their queues.
func depthReadings(set *table.Set, w *waiting, seed uint64) *DepthReadings {
	if len(w.rows) == 0 || set.Requests.Clock[w.rows[0]] != table.ClockWall {
		return nil
	}
	var series []gaugeSeries
	d := &DepthReadings{From: max(w.from, w.alone.Start), To: min(w.to, w.alone.End)}
	for _, d.Metric = range depthMetrics {
		if series = gauges(set, d.Metric); series != nil {
			break
		}
	}
	if series == nil {
		return nil
	}
	for _, s := range series {
		d.From, d.To = max(d.From, s.at[0]), min(d.To, s.at[len(s.at)-1])
		d.Engines++
	}
	for _, s := range series {
		first, _ := slices.BinarySearch(s.at, d.From)
		last, _ := slices.BinarySearch(s.at, d.To+1)
		d.N += int64(max(0, last-first))
	}
	if d.To <= d.From || d.N < leastReadings {
		return nil
	}
	blocks := min(depthBlocks, int(d.N/2))
	read, waited := make([]float64, blocks), make([]float64, blocks)
	spread := func(into []float64, from, to int64, height float64) {
		from, to = max(from, d.From), min(to, d.To)
		for b := range blocks {
			start := d.From + int64(float64(d.To-d.From)/float64(blocks)*float64(b))
			end := d.From + int64(float64(d.To-d.From)/float64(blocks)*float64(b+1))
			if start, end = max(start, from), min(end, to); end > start {
				into[b] += float64(float64(end-start) * height)
			}
		}
	}
	for _, s := range series {
		for i := range len(s.at) - 1 {
			if s.at[i+1] > d.From && s.at[i] < d.To {
				spread(read, s.at[i], s.at[i+1], s.value[i])
			}
		}
	}
	engine := w.atEngines(set)
	for i, at := range engine.at {
		end := w.to
		if i+1 < len(engine.at) {
			end = engine.at[i+1]
		}
		if end > d.From && at < d.To && engine.n[i] > 0 {
			spread(waited, at, end, float64(engine.n[i]))
		}
	}
	length := float64(d.To - d.From)
	d.Depth, d.Read = total(waited)/length, total(read)/length
	d.Ratio = ratioOf(waited, read, seed)
	d.rates(set, w)
	if why := d.untold(set, series); why != "" {
		d.Ratio.HasBounds, d.Words = false, "cannot say whether both agree: "+why
		return d
	}
	d.say(engine.waits, int64(len(w.rows)))
	return d
}

// metricJoining is the metric of prompts that join those that run.
const metricJoining = "batch_prefill_requests"

// leastWaiting is how many readings must find somebody waiting, or would by the traces, for
// their mean to say anything.
const leastWaiting = 10

// untold says why the mean of readings is not to be compared with that of the traces, ""
// where it is. A line that is written when prompts join those that run finds the queue at the
// moments at which it changes, which are no sample of the time.
func (d *DepthReadings) untold(set *table.Set, series []gaugeSeries) string {
	joining := map[gaugeKey]bool{}
	for _, s := range gauges(set, metricJoining) {
		joining[gaugeKey{s.key.service, s.key.host, s.key.engine, 0}] = true
	}
	var waiting float64
	for _, s := range series {
		if joining[gaugeKey{s.key.service, s.key.host, s.key.engine, 0}] {
			return "the engines say it at the moments at which prompts join, and not at any"
		}
		for i, at := range s.at {
			if at >= d.From && at <= d.To && s.value[i] > 0 {
				waiting++
			}
		}
	}
	if d.Read == 0 && d.Depth > 0 {
		waiting = d.Depth * float64(d.N)
	}
	if d.Depth+d.Read > 0 && waiting < leastWaiting {
		return fmt.Sprintf("so few waited that fewer than %d readings found any, or would have", leastWaiting)
	}
	return ""
}

// atEngines returns the waits that engines see.
func (w *waiting) atEngines(set *table.Set) *waiting {
	outside := map[table.Sym]bool{}
	for _, name := range outsideEngine {
		if sym, ok := set.Symbols.Lookup(name); ok {
			outside[sym] = true
		}
	}
	out := &waiting{from: w.from, to: w.to}
	for _, q := range w.waits {
		if !outside[q.detail] {
			out.waits = append(out.waits, q)
		}
	}
	out.step()
	return out
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// MethodBlockRatio is the method of a ratio whose blocks of time were resampled.
const MethodBlockRatio = "block-bootstrap-ratio"

// ratioOf returns the ratio of two sums over the same blocks of time with the interval of
// resampled blocks.
func ratioOf(of, by []float64, seed uint64) stat.Estimate {
	e := stat.Estimate{Value: 1, N: int64(len(of)), Method: MethodBlockRatio}
	switch a, b := total(of), total(by); {
	case b > 0:
		e.Value = a / b
	case a > 0:
		e.Value = math.Inf(1)
		return e
	default:
		return e
	}
	values := make([]float64, depthReplicates)
	count := make([]int32, len(of))
	for r := range values {
		stat.Draw(seed, r, len(of), count)
		var a, b float64
		for k, n := range count {
			a, b = a+float64(of[k]*float64(n)), b+float64(by[k]*float64(n))
		}
		values[r] = math.NaN()
		if b > 0 {
			values[r] = a / b
		}
	}
	e.Bounds = stat.PercentileBounds(values, stat.Confidence)
	e.HasBounds = !math.IsNaN(e.Bounds.Low)
	return e
}

// rates compares how many requests ended with the counters of engines.
func (d *DepthReadings) rates(set *table.Set, w *waiting) {
	seconds := float64(d.To-d.From) / 1e9
	d.Rate = float64(w.ends.before(d.To)-w.ends.before(d.From)) / seconds
	for _, s := range gauges(set, "requests_total", "requests_failed_total") {
		first, _ := slices.BinarySearch(s.at, d.From)
		last, _ := slices.BinarySearch(s.at, d.To+1)
		if last-first < 2 || s.value[last-1] < s.value[first] {
			continue // a counter that was reset says nothing
		}
		d.ReadRate += (s.value[last-1] - s.value[first]) / (float64(s.at[last-1]-s.at[first]) / 1e9)
		d.HasRates = true
	}
}

// depthNear is how far from 1 a ratio of two depths may be that counts as 1, and widestRatio
// by how much its bounds may differ for it to say anything.
const (
	depthNear   = 0.1
	widestRatio = 4
)

// say words what the comparison means. The depths are the same if the interval of their ratio
// says so: readings are taken at moments of their own.
func (d *DepthReadings) say(waits []queued, requests int64) {
	if d.Read == 0 {
		if d.Agrees = d.Depth == 0; d.Agrees {
			d.Words = "both sources say that nobody waited"
		} else {
			d.Words = "the engines never had a request waiting: it waited before them, or between their readings"
		}
		return
	}
	if b := d.Ratio.Bounds; !d.Ratio.HasBounds || b.Low <= 0 || b.High > widestRatio*b.Low {
		d.Words = "the readings are too few, or too far apart, to tell"
		return
	}
	same := func(to float64) bool {
		return math.Abs(d.Ratio.Value/to-1) <= depthNear || d.Ratio.Bounds.Low <= to && to <= d.Ratio.Bounds.High
	}
	if d.HasRates && d.ReadRate > 0 && d.Rate > 0 {
		rates := d.Rate / d.ReadRate
		depths := d.Ratio.Value
		if same(rates) {
			depths = rates
		}
		r := little.Read(rates, depths, requests, variation(waits, requests))
		d.Agrees, d.Words = r.Kind == little.Complete, r.Text
		if r.Kind == little.Uncovered {
			d.Words += fmt.Sprintf(", %s a request", inUnit(int64(math.Round((d.Read-d.Depth)/d.Rate*1e3))*1_000_000))
		}
		return
	}
	switch {
	case same(1):
		d.Agrees, d.Words = true, "both sources agree"
	case d.Ratio.Value < 1:
		d.Words = "the engines had more waiting than the traces tell: not every request was traced, or a stage is in no span"
	default:
		d.Words = "the traces tell of more waiting than the engines: spans hold time that the readings do not count, clocks differ, or spans never ended"
	}
}

// variation returns the standard deviation of the waits of requests over their mean; of a
// request that did not wait the wait is 0.
func variation(waits []queued, requests int64) float64 {
	var sum, squares float64
	for _, q := range waits {
		v := float64(q.end - q.start)
		sum += v
		squares += float64(v * v)
	}
	if sum == 0 || requests == 0 {
		return 0
	}
	mean := sum / float64(requests)
	return math.Sqrt(max(0, squares/float64(requests)-float64(mean*mean))) / mean
}
