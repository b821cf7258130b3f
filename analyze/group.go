package analyze

import (
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// StageCount is the number of stages.
const StageCount = table.StageCount

// StageTimes is the time of every stage in ns, in path order, summed over requests.
type StageTimes [StageCount]stat.Sum

// Group is the stage mix of some requests. Total is the sum of their durations and
// of their stage times alike, exactly.
type Group struct {
	N        int64
	Total    stat.Sum // ns
	Times    StageTimes
	Min, Max int64 // shortest and longest duration in ns; 0 without requests
}

func (g *Group) add(m *metric, row int32) {
	v := m.value[row]
	if g.N == 0 {
		g.Min, g.Max = v, v
	}
	g.Min, g.Max = min(g.Min, v), max(g.Max, v)
	g.N++
	g.Total.Add(v)
	for k := range g.Times {
		g.Times[k].Add(m.stages[k][row])
	}
}

// MeanNS returns the mean duration in ns, rounded.
func (g Group) MeanNS() int64 { return g.Total.MeanRounded(g.N) }

// MeansNS returns the mean time of every stage in ns, rounded so that they add up
// to MeanNS.
func (g Group) MeansNS() (means [StageCount]int64) {
	copy(means[:], stat.ApportionSums(g.Times[:], g.MeanNS()))
	return means
}

// Share returns the share of stage k of the group's time, 0 when there is none.
func (g Group) Share(k int) float64 { return g.Times[k].Over(g.Total) }

// StageNames returns the names of the stages in path order.
func StageNames() []string { return table.StageNames[:] }

// Missing is the absent value of an instant or a count.
const Missing = table.Missing
