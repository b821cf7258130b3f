package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// oneCause is n independent requests of which every tenth waits as long as ten others take;
// rare makes every so many-th of those slow on the wire instead, none for 0.
func oneCause(seed uint64, n, rare int) *Sample {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]request, n)
	slow := 0
	for i := range out {
		q := &out[i]
		q.start = float64(i) * 100_000 * millisecond
		q.part[simNetwork], q.part[simPrefill] = millisecond, lognormal(r, 10*millisecond, .1)
		q.part[simDecode] = lognormal(r, 90*millisecond, .1)
		if r.Float64() >= .1 {
			continue
		}
		if slow++; rare > 0 && r.IntN(rare) == 0 {
			q.part[simNetwork] += 1000 * millisecond
		} else {
			q.part[simQueue] += 1000 * millisecond
		}
	}
	return sampleOf(out, false)
}

// TestRoomForUnseen holds bounds to leave room for slow requests of a kind that the tail does
// not hold: of 20 slow requests with one cause no resample has another.
func TestRoomForUnseen(t *testing.T) {
	predicted := 0
	for seed := range uint64(20) {
		s := oneCause(seed, 250, 0)
		r := Of(s, Options{Q: stat.P90, Replicates: 200, Seed: seed})
		if r.Blocks.Refused != "" {
			continue
		}
		predicted++
		room := stat.Unseen(r.Blocks.Worth, stat.Confidence)
		if room < .1 || room > .35 {
			t.Errorf("seed %d: room %.3f for a tail worth %.1f", seed, room, r.Blocks.Worth)
		}
		queue, network := r.Parts[simQueue].Share, r.Parts[simNetwork].Share
		if want := queue.Value * (1 - room); queue.Bounds.Low > want {
			t.Errorf("seed %d: queue from %.3f, which leaves no room down to %.3f", seed, queue.Bounds.Low, want)
		}
		if want := network.Value + (1-network.Value)*room; network.Bounds.High < want {
			t.Errorf("seed %d: network to %.3f, which leaves no room up to %.3f", seed, network.Bounds.High, want)
		}
	}
	if predicted < 10 {
		t.Errorf("only %d of 20 captures predict", predicted)
	}
}

// TestRareCauseIsCovered draws small captures of a service in which one in twenty slow
// requests has another cause, which most tails of 25 hold once or not at all: bounds hold
// the share all the same.
func TestRareCauseIsCovered(t *testing.T) {
	long := Of(oneCause(1, 200_000, 20), Options{Q: stat.P90, Replicates: 1})
	want := long.Parts[simQueue].Share.Value
	if math.Abs(want-.95) > .02 {
		t.Fatalf("the queue's share is %.3f, not about .95", want)
	}
	given, held := 0, 0
	for seed := range uint64(40) {
		r := Of(oneCause(seed+100, 250, 20), Options{Q: stat.P90, Replicates: 200, Seed: seed})
		if r.Blocks.Refused != "" {
			continue
		}
		given++
		if holds(r.Parts[simQueue].Share, want) {
			held++
		}
	}
	if given < 20 || held*100 < given*90 {
		t.Errorf("%d of %d intervals hold %.3f", held, given, want)
	}
}

// TestNoRoomWhereRefused holds bounds that only describe to what the blocks hold.
func TestNoRoomWhereRefused(t *testing.T) {
	s := oneCause(1, 250, 0)
	r := Of(s, Options{Q: stat.P99, Replicates: 200})
	if r.Blocks.Refused == "" {
		t.Fatal("a tail of 3 predicts")
	}
	if p := r.Parts[simQueue].Share; p.Bounds.Low < .9 {
		t.Errorf("bounds %v of requests that all waited", p.Bounds)
	}
}
