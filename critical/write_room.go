package critical

// manyRequests is how many requests tell how many segments others have. They come in order of
// their trace ids, most of which are drawn at random.
const manyRequests = 4096

// mostAhead is how many times the segments that there are room is made for at most: where the
// first requests have far more than others, the estimate is far too high.
const mostAhead = 8

// makeRoom makes room for the rest of the requests and their segments, where room would have to
// be made anyway: a table that grows as it is filled copies its rows several times, and once more
// to give back what it has too much. Mostly a group is one request.
func (b *writer) makeRoom() {
	q, seg := &b.set.Requests, &b.set.Segments
	n := q.Len()
	left := b.Groups() - n
	if n < manyRequests || left <= 0 {
		return
	}
	if q.Room() == 0 {
		q.Reserve(withSpare(left))
	}
	if each := seg.Len()/n + 1; seg.Room() < 4*each { // no request of the usual size fills it
		rest := int(float64(left) * float64(seg.Len()) / float64(n))
		seg.Reserve(withSpare(min(rest, mostAhead*seg.Len())) + 4*each)
	}
}

// withSpare adds to an estimate of rows what it may be off by: so little that Trim leaves it.
func withSpare(rows int) int { return rows + rows/32 }
