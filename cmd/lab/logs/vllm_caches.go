package logs

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// hitWindow is over how many requests vLLM averages its prefix cache's hits.
const hitWindow = 1000

// hits are the tokens that were looked up in the prefix cache and found there, one entry
// a request in order of being scheduled.
type hits struct {
	at             []int64
	asked, present []int // sums
}

func newHits(p *replica) *hits {
	visits := make([]*simulate.Visit, 0, len(p.visits))
	for _, v := range p.visits {
		if v.Scheduled > 0 {
			visits = append(visits, v)
		}
	}
	slices.SortStableFunc(visits, func(a, b *simulate.Visit) int {
		switch {
		case a.Scheduled < b.Scheduled:
			return -1
		case a.Scheduled > b.Scheduled:
			return 1
		}
		return 0
	})
	h := &hits{asked: []int{0}, present: []int{0}}
	for i, v := range visits {
		h.at = append(h.at, v.Scheduled)
		h.asked = append(h.asked, h.asked[i]+v.PromptTokens)
		h.present = append(h.present, h.present[i]+v.CachedTokens)
	}
	return h
}

// rate is the share of tokens found among those of the last requests up to an instant.
func (h *hits) rate(at int64) float64 {
	n, _ := slices.BinarySearch(h.at, at+1)
	from := max(0, n-hitWindow)
	if h.asked[n] == h.asked[from] {
		return 0
	}
	return float64(h.present[n]-h.present[from]) / float64(h.asked[n]-h.asked[from])
}

// kvTransfers adds the line of the keys and values that came from another server between
// two instants, as the connector counts them.
func (b *book) kvTransfers(p *replica, from, to int64) {
	var millis []float64
	size, blocks, took := 0.0, 0, 0.0
	for _, v := range p.visits {
		if v.Role != simulate.RoleDecode || v.KVEnd <= from || v.KVEnd > to {
			continue
		}
		ns := float64(b.elapsed(v.KVStart, v.KVEnd))
		millis = append(millis, ns/1e6)
		took += ns / 1e9
		size += kvMiB(v)
		blocks += (v.PromptTokens + blockTokens - 1) / blockTokens
	}
	n := len(millis)
	if n == 0 {
		return
	}
	slices.Sort(millis)
	rank := 0.9 * float64(n-1) // as numpy interpolates
	low := int(rank)
	p90 := millis[low] + (rank-float64(low))*(millis[min(low+1, n-1)]-millis[low])
	b.vllm(to, "metrics.py:103", "KV Transfer metrics: Num successful transfers=%d, Avg xfer time (ms)=%s, P90 xfer time (ms)=%s, "+
		"Avg MB per transfer=%s, Throughput (MB/s)=%s, Avg number of descriptors=%s", n, pyRound(took*1e3/float64(n)), pyRound(p90),
		pyRound(size/float64(n)), pyRound(size/took), pyRound(float64(2*32*blocks)/float64(n)))
}

// pyRound is Python's text of round(x, 3).
func pyRound(x float64) string { return pyFloat(math.Round(x*1e3) / 1e3) }
