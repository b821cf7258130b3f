package attribution

import "slices"

// largest counts the requests of the tail by the part whose time exceeds its median
// over the body by most. Of equal parts the earlier one is counted. A request in which no
// part exceeds its median is counted for none.
func largest(s *Sample, g groups) []int64 {
	count := make([]int64, len(s.Parts))
	usual := make([]int64, len(s.Parts))
	for k, part := range s.Parts {
		if g.bodyN() > 0 {
			usual[k] = median(slices.Clone(part[g.first-1 : g.last]))
		}
	}
	for i := g.tail - 1; i < int64(len(s.Value)); i++ {
		first, most := -1, int64(0)
		for k, part := range s.Parts {
			if over := part[i] - usual[k]; over > most {
				first, most = k, over
			}
		}
		if first >= 0 {
			count[first]++
		}
	}
	return count
}

// median returns the median by nearest rank of values, which it sorts.
func median(values []int64) int64 {
	slices.Sort(values)
	return values[(len(values)+1)/2-1]
}
