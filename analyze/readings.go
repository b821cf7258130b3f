package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// Reading sums up the readings of one metric of one service in the engine_samples
// table.
type Reading struct {
	Service, Metric, Unit string
	N                     int64
	Engines               int64   // distinct pairs of host and engine
	Least, Median, Most   float64 // nearest rank; NaN when no value is a number
}

// Readings sums up the engine_samples table, by service, then by metric.
func Readings(set *table.Set) []Reading {
	t := &set.EngineSamples
	type key struct{ service, metric table.Sym }
	type engine struct{ host, engine table.Sym }
	type group struct {
		Reading
		values  []float64
		engines map[engine]bool
	}
	groups := map[key]*group{}
	for i := range t.Len() {
		k := key{t.Service[i], t.Metric[i]}
		g, ok := groups[k]
		if !ok {
			text := set.Symbols.Text
			g = &group{Reading: Reading{Service: text(k.service), Metric: text(k.metric), Unit: text(t.Unit[i])}, engines: map[engine]bool{}}
			groups[k] = g
		}
		g.N++
		g.engines[engine{t.Host[i], t.Engine[i]}] = true
		if !math.IsNaN(t.Value[i]) {
			g.values = append(g.values, t.Value[i])
		}
	}
	out := make([]Reading, 0, len(groups))
	for _, g := range groups {
		g.Engines = int64(len(g.engines))
		g.Least, g.Median, g.Most = math.NaN(), math.NaN(), math.NaN()
		if n := len(g.values); n > 0 {
			slices.Sort(g.values)
			g.Least, g.Median, g.Most = g.values[0], g.values[(n-1)/2], g.values[n-1]
		}
		out = append(out, g.Reading)
	}
	slices.SortFunc(out, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Metric, b.Metric))
	})
	return out
}
