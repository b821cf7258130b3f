package critical

import (
	"testing"

	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestRoomIsMadeForTheRest writes requests one by one: once many are written there is room for all
// others, and for hardly more, so that nothing is copied again or given back.
func TestRoomIsMadeForTheRest(t *testing.T) {
	const n = 2*manyRequests - 300
	set := manyTraces(n)
	w := newWriter(NewBuilder(set, &table.Account{}, Options{Workers: 1}))
	if w.Groups() != n {
		t.Fatalf("%d groups of %d traces", w.Groups(), n)
	}
	for i := range n {
		for _, r := range w.Group(i) {
			w.makeRoom()
			w.write(r)
		}
	}
	for name, list := range map[string][]int64{"requests": set.Requests.Start, "segments": set.Segments.Start} {
		if room := cap(list) - len(list); len(list) < n || room > len(list)/16 {
			t.Errorf("%s: %d rows with room for %d more", name, len(list), room)
		}
	}
}

// TestRoomIsBounded says that no room is made for the segments of requests like the first ones,
// where those have far more than others may have.
func TestRoomIsBounded(t *testing.T) {
	set := table.NewSet()
	w := newWriter(NewBuilder(set, &table.Account{}, Options{Workers: 1}))
	w.plan.Groups = make([]join.Group, 20*manyRequests)
	set.Requests.Reserve(manyRequests)
	for range manyRequests {
		set.Requests.Grow()
	}
	for range 10 * manyRequests {
		set.Segments.Grow()
	}
	for set.Segments.Room() > 0 {
		set.Segments.Grow()
	}
	before := set.Segments.Len()
	w.makeRoom()
	if room := set.Segments.Room(); room < before || room > (mostAhead+1)*before {
		t.Errorf("room for %d segments more behind %d", room, before)
	}
}
