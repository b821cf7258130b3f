package table

// KeepRequests leaves only some rows in the requests table, with their segments in the segments
// table, whose numbers of requests are changed to match. Rows are given in ascending order; every
// other table stays as it is. It is for a set that is written out and not asked anything more.
func (s *Set) KeepRequests(rows []int32) {
	const dropped = -1
	became := make([]int32, s.Requests.Len())
	for row := range became {
		became[row] = dropped
	}
	perm := make([]int32, len(rows))
	for i, row := range rows {
		perm[i], became[row] = row, int32(i)
	}
	var kept []int32
	for i, request := range s.Segments.RequestRow {
		if became[request] != dropped {
			kept = append(kept, int32(i))
		}
	}
	s.Requests.permute(perm)
	s.Segments.permute(kept)
	for i, request := range s.Segments.RequestRow {
		s.Segments.RequestRow[i] = became[request]
	}
}
