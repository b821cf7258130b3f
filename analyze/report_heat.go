package analyze

import (
	"math"
	"slices"
	"time"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Heat is how many requests took how long, and when they began, with what came and what waited
// meanwhile. Times are in ns on the clock of the load.
type Heat struct {
	Times   []int64 // edges of the columns: whole multiples of a round length
	Levels  []int64 // edges of the durations
	Columns []HeatColumn
	// Tokened says that some request recorded its output tokens, and Waited that the tables
	// hold the segments that say when requests waited.
	Tokened, Waited bool
}

// HeatColumn is a stretch of time. Counts and quantiles are of the requests of the population
// that began in it; arrivals are all that came, failed ones too.
type HeatColumn struct {
	Seconds        float64 // of it that are in the window and in no silence
	Silent         float64 // seconds of it that are in silence
	Counts         []int64 // by level; the first reaches down to 0
	N              int64
	P50, P99       stat.Quantile
	Queue, Total   stat.Sum // time in the queue, and in all stages
	Arrivals       int64
	Tokens         stat.Sum // output tokens of the requests that ended in it
	Prompt, Output stat.Quantile
	Waiting        float64 // mean number that waited
}

// The most columns and levels of a heat map: more would be finer than the eye.
const (
	mostColumns = 96
	mostLevels  = 40
)

// columnLengths are the lengths that a column may have, in ns.
var columnLengths = func() (out []int64) {
	for _, d := range []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
	} {
		out = append(out, int64(d))
	}
	return out
}()

// columnEdges returns the edges of the columns that hold [from, to]; nil when that is too long
// for any.
func columnEdges(from, to int64) []int64 {
	if to < from || to-from < 0 {
		return nil
	}
	for _, length := range columnLengths {
		first := from - ((from%length)+length)%length
		n := (to-first)/length + 1
		if first > from || to-first < 0 || n > mostColumns || first > math.MaxInt64-n*length {
			continue // too many, or edges that are no instants
		}
		edges := make([]int64, n+1)
		for i := range edges {
			edges[i] = first + int64(i)*length
		}
		return edges
	}
	return nil
}

// heatOf counts the requests in rows that are on the clock of w; nil when none is, or when they
// are spread over more than seven years.
func heatOf(set *table.Set, rows []int32, w *waiting) *Heat {
	req := &set.Requests
	h := &Heat{Times: columnEdges(w.from, w.to), Waited: set.Segments.Len() > 0}
	on := make([]bool, req.Len())
	for _, row := range w.rows {
		on[row] = true
	}
	var kept []int32
	for _, row := range rows {
		if on[row] {
			kept = append(kept, row)
		}
	}
	if h.Times == nil || len(kept) == 0 {
		return nil
	}
	values := gather(req.Duration, kept)
	slices.Sort(values)
	h.Levels = roundEdges(values, mostLevels)
	h.Columns = make([]HeatColumn, len(h.Times)-1)
	var column struct{ durations, prompt, output [][]int64 }
	column.durations, column.prompt, column.output = make([][]int64, len(h.Columns)), make([][]int64, len(h.Columns)), make([][]int64, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		from, to := max(h.Times[i], w.from), min(h.Times[i+1], w.to)
		silent := silenceIn(w.silent, from, to)
		recorded := to - from - silent
		c.Counts, c.Seconds, c.Silent = make([]int64, len(h.Levels)-1), float64(recorded)/1e9, float64(silent)/1e9
		c.Arrivals = int64(w.arrivals.before(h.Times[i+1]) - w.arrivals.before(h.Times[i]))
		if recorded > 0 {
			c.Waiting = w.area(from, to).Float() / float64(recorded)
		}
	}
	for _, row := range kept {
		k := cellOf(h.Times, req.Start[row])
		c := &h.Columns[k]
		c.N++
		c.Counts[cellOf(h.Levels, req.Duration[row])]++
		c.Queue.Add(req.Stage[stage.Queue][row])
		c.Total.Add(req.Duration[row])
		column.durations[k] = append(column.durations[k], req.Duration[row])
		for _, tokens := range []struct {
			n    int64
			list *[]int64
		}{{req.PromptTokens[row], &column.prompt[k]}, {req.OutputTokens[row], &column.output[k]}} {
			if tokens.n >= 0 { // unknown is below 0
				*tokens.list = append(*tokens.list, tokens.n)
			}
		}
	}
	for _, row := range w.rows {
		if n := req.OutputTokens[row]; n >= 0 {
			h.Tokened = true
			h.Columns[cellOf(h.Times, req.End[row])].Tokens.Add(n)
		}
	}
	quantile := func(list []int64, p stat.Prob) stat.Quantile {
		slices.Sort(list)
		return stat.QuantileOf(list, p)
	}
	for i := range h.Columns {
		c := &h.Columns[i]
		c.P50, c.P99 = quantile(column.durations[i], stat.P50), quantile(column.durations[i], stat.P99)
		c.Prompt, c.Output = quantile(column.prompt[i], stat.P50), quantile(column.output[i], stat.P50)
	}
	return h
}
