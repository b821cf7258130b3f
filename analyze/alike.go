package analyze

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// Alike compares a request with the peers that asked for about the same: of the same model, and
// with prompts no more than a quarter longer or shorter. What takes it longer than them is not
// what it asked for.
type Alike struct {
	// Known is false when nothing says how long its prompt is; then nothing else is known.
	Known bool
	Model string // of them, as it was recorded; empty when that of the request is unknown
	// Least and Most are how many tokens their prompts have.
	Least, Most int64
	N           int64 // without the request itself
	Faster      int64 // of them, those that took strictly less time
	Ties        int64 // and those that took exactly as long
	// MedianNS is that of their duration, and MediansNS of their time in each stage; these do not
	// add up. HasMedians is false when there are too few for a median.
	HasMedians bool
	MedianNS   int64
	MediansNS  [StageCount]int64
}

// alikeDen makes the part by which prompts may differ: one in alikeDen.
const alikeDen = 4

// alike compares a request, which has a row of the requests table, with its like.
func (p *Peers) alike(set *table.Set, row int, duration int64) (a Alike) {
	t := &set.Requests
	prompt := t.PromptTokens[row]
	if prompt == table.Missing || prompt < 0 {
		return a
	}
	a.Known, a.Model = true, set.Symbols.Text(t.Model[row])
	a.Least, a.Most = prompt-prompt/alikeDen, prompt
	if by := prompt / alikeDen; prompt <= math.MaxInt64-by {
		a.Most += by
	}
	var rows []int32
	for _, peer := range p.ranked {
		if int(peer) == row || t.Model[peer] != t.Model[row] || t.PromptTokens[peer] == table.Missing || t.PromptTokens[peer] < a.Least || t.PromptTokens[peer] > a.Most {
			continue
		}
		rows = append(rows, peer)
		switch d := t.Duration[peer]; {
		case d < duration:
			a.Faster++
		case d == duration:
			a.Ties++
		}
	}
	a.N = int64(len(rows))
	if a.HasMedians = a.N >= stat.Minimum(stat.P50).OneSided; !a.HasMedians {
		return a
	}
	a.MedianNS = stat.SelectRank(gather(t.Duration, rows), stat.P50)
	for k := range a.MediansNS {
		a.MediansNS[k] = stat.SelectRank(gather(t.Stage[k], rows), stat.P50)
	}
	return a
}
