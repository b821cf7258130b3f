package change

import "github.com/tailpath/tailpath/analyze/stat"

// JudgeGroups applies the rule to one latency in many groups of requests. What is told is that a
// group changed, by whichever of its percentiles, so the false discovery rate is bounded over
// groups: the chance of a group is that of Simes over its percentiles, groups are taken by the
// procedure of Benjamini and Hochberg over all of them that have a percentile to judge, and in
// those that are taken percentiles are held to the rate times the share that was taken
// (Benjamini and Bogomolov 2014). Of a single group it is Judge. It returns how many groups had a
// percentile to judge.
func JudgeGroups(results []*Result, rule Rule) (judged int) {
	var within [][]float64 // chances of the ample percentiles of a group, adjusted for each other
	var least []float64
	for _, r := range results {
		var chance []float64
		for i := range r.Percentiles {
			if p := &r.Percentiles[i]; p.ample() {
				chance = append(chance, p.Chance)
			}
		}
		if chance == nil {
			continue
		}
		adjusted := stat.BenjaminiHochberg(chance)
		group := 1.0
		for _, a := range adjusted {
			group = min(group, a)
		}
		within, least = append(within, adjusted), append(least, group)
	}
	taken := 0
	for _, a := range stat.BenjaminiHochberg(least) {
		if a <= rule.FalseDiscovery {
			taken++
		}
	}
	among := float64(len(within)) / float64(max(1, taken))
	for _, r := range results {
		k := 0
		for i := range r.Percentiles {
			if p := &r.Percentiles[i]; p.ample() {
				p.Adjusted = min(1, within[judged][k]*among)
				k++
			}
		}
		if k > 0 {
			judged++
		}
		for i := range r.Percentiles {
			r.Percentiles[i].judge(r)
		}
	}
	judgeFigures(results, rule)
	return judged
}
