package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Queueing says why requests waited: the time of the queue stage by cause, on the paths
// to the end, of all requests and of the slow ones.
type Queueing struct {
	All, Slow CauseMix
	Q         stat.Prob // the slow requests are those at or above this percentile
}

// CauseMix splits the queue time of some requests by cause.
type CauseMix struct {
	N      int64    // requests
	Waited int64    // of them, those with queue time of a known cause or an unknown one
	Total  stat.Sum // ns; the sum of the causes
	Causes []CauseTime
}

// CauseTime is the time that some requests waited for one cause.
type CauseTime struct {
	Cause string
	Total stat.Sum // ns
	N     int64    // requests that waited for it
}

// MeanNS returns the mean over all requests of the mix in ns, rounded.
func (m CauseMix) MeanNS(c CauseTime) int64 { return c.Total.MeanRounded(m.N) }

// Share returns the share of a cause of the mix's queue time.
func (m CauseMix) Share(c CauseTime) float64 { return c.Total.Over(m.Total) }

// queueing sums up the causes of the queue segments of some rows. Tables whose causes
// were never found have none. There are far fewer causes than a word has bits.
func queueing(set *table.Set, rows []int32, q stat.Prob) Queueing {
	rows = slices.Clone(rows)
	rank(set, rows, set.Requests.Duration)
	out := Queueing{Q: q}
	const usual, slow = 1, 2
	group := make([]uint8, set.Requests.Len())
	n := int64(len(rows))
	out.All.N = n
	if n == 0 {
		return out
	}
	from := tailFrom(q, n) - 1
	out.Slow.N = n - from
	for i, row := range rows {
		group[row] = usual
		if int64(i) >= from {
			group[row] = slow
		}
	}
	tallies := map[table.Sym]int{} // place of a cause in sums
	var sums [][2]CauseTime        // of all, and of the slow ones
	met := make([]uint64, set.Requests.Len())
	seg := &set.Segments
	for i, cause := range seg.Cause {
		row := seg.RequestRow[i]
		if cause == 0 || stage.Stage(seg.Stage[i]) != stage.Queue || critical.Target(seg.Target[i]) != critical.End || row < 0 || int(row) >= len(group) || group[row] == 0 {
			continue
		}
		k, ok := tallies[cause]
		if !ok {
			k = len(sums)
			tallies[cause] = k
			name := set.Symbols.Text(cause)
			sums = append(sums, [2]CauseTime{{Cause: name}, {Cause: name}})
		}
		fresh := met[row]&(1<<k) == 0
		for m, mix := range []*CauseMix{&out.All, &out.Slow} {
			if m == 1 && group[row] != slow {
				continue
			}
			c := &sums[k][m]
			c.Total.Add(seg.Duration[i])
			mix.Total.Add(seg.Duration[i])
			if fresh {
				c.N++
			}
			if met[row] == 0 {
				mix.Waited++
			}
		}
		met[row] |= 1 << k
	}
	for m, mix := range []*CauseMix{&out.All, &out.Slow} {
		for _, c := range sums {
			if c[m].N > 0 {
				mix.Causes = append(mix.Causes, c[m])
			}
		}
		slices.SortFunc(mix.Causes, func(a, b CauseTime) int {
			return cmp.Or(b.Total.Int().Cmp(a.Total.Int()), cmp.Compare(a.Cause, b.Cause))
		})
	}
	return out
}

// CauseNames returns the names of the causes in a fixed order.
func CauseNames() []string {
	var out []string
	for _, c := range engine.Causes() {
		out = append(out, c.String())
	}
	return out
}
