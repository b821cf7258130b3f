package logs

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// decodeInterval is after how many decode steps SGLang logs one.
const decodeInterval = 40

// sglangBatches adds the scheduler's lines: every prefill batch behind its end, with the
// numbers of when it was formed; every 40th decode step; and what had to make room.
func (b *book) sglangBatches(p *replica) {
	q := newQueues(p)
	blocks := p.engine.Blocks
	prefillTic, decodeTic, decodes, generated := p.epochNS, p.epochNS, 0, 0
	for i := range p.engine.Log.Steps {
		st := &p.engine.Log.Steps[i]
		held := blocks - st.FreeBlocks
		usage := 0.0
		if blocks > 0 {
			usage = float64(held) / float64(blocks)
		}
		if st.Preempted {
			b.sglangLine(st.StartNS, " TP0", fmt.Sprintf("KV cache pool is full. Retract requests. #retracted_reqs: %d, #new_tokens_gained: %d",
				q.thrown.change(st.StartNS), q.gained.change(st.StartNS)))
		}
		if st.PrefillTokens > 0 {
			b.sglangLine(st.EndNS, " TP0", fmt.Sprintf("Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: %.2f, "+
				"#running-req: %d, #queue-req: %d, #pending-token: %d, %scuda graph: False, input throughput (token/s): %.2f",
				st.Prefills, st.PrefillTokens, q.cached.change(st.StartNS), usage, max(0, st.Running-st.Prefills), st.Waiting, q.pending.until(st.StartNS), b.paired(p, q, "#bootstrap-req: %d, #inflight-req: %d, ", st.StartNS),
				float64(st.PrefillTokens)/(float64(b.elapsed(prefillTic, st.EndNS))/1e9)))
			prefillTic = st.EndNS
			continue
		}
		generated += st.Decodes
		if decodes++; decodes < decodeInterval {
			continue
		}
		b.sglangLine(st.EndNS, " TP0", fmt.Sprintf("Decode batch, #running-req: %d, #token: %d, token usage: %.2f, %scuda graph: True, "+
			"gen throughput (token/s): %.2f, #queue-req: %d", st.Running, held*blockTokens, usage,
			b.paired(p, q, "pre-allocated usage: 0.00, #prealloc-req: %d, #transfer-req: %d, #retracted-req: 0, ", st.StartNS),
			float64(generated)/(float64(b.elapsed(decodeTic, st.EndNS))/1e9), st.Waiting))
		decodeTic, decodes, generated = st.EndNS, 0, 0
	}
}

// queues are the scheduler's numbers that its steps do not hold.
type queues struct {
	cached  *level // tokens found in the cache, when their requests begin
	pending *level // prompt tokens of those that wait
	thrown  *level // requests thrown out
	gained  *level // the tokens that they held
	// Where two servers serve a request: those in the bootstrap queue, by the host's
	// clock, and those whose keys and values are under way.
	booting, moving *level
}

// paired writes the two numbers that only a server with a role has, nothing for others.
func (b *book) paired(p *replica, q *queues, format string, at int64) string {
	if p.role == "" {
		return ""
	}
	return fmt.Sprintf(format, q.booting.until(at), q.moving.until(at))
}

func newQueues(p *replica) *queues {
	var cached, pending, thrown, gained, booting, moving []change
	for _, v := range p.visits {
		if v.BootstrapEnd > 0 {
			booting = append(booting, change{v.BootstrapStart, 1}, change{v.BootstrapEnd, -1})
		}
		if v.KVStart > 0 && v.KVEnd > 0 {
			moving = append(moving, change{v.KVStart, 1}, change{v.KVEnd, -1})
		}
	}
	steps := newDecodeSteps(p)
	for i, v := range p.visits {
		if v.Queued == 0 {
			continue
		}
		pending = append(pending, change{v.Queued, v.PromptTokens})
		if v.Scheduled == 0 {
			pending = append(pending, change{p.ended[i], -v.PromptTokens})
			continue
		}
		pending = append(pending, change{v.Scheduled, -v.PromptTokens})
		cached = append(cached, change{v.Scheduled, v.CachedTokens})
		for k, x := range v.Preemptions {
			back := x[1]
			if back == 0 {
				back = p.ended[i]
			}
			thrown = append(thrown, change{x[0], 1})
			gained = append(gained, change{x[0], v.PromptTokens + steps.produced(v, k)})
			pending = append(pending, change{x[0], v.PromptTokens}, change{back, -v.PromptTokens})
		}
	}
	return &queues{newLevel(cached), newLevel(pending), newLevel(thrown), newLevel(gained), newLevel(booting), newLevel(moving)}
}

// decodeSteps are the ends of the steps in which every running request gets a token.
type decodeSteps []int64

func newDecodeSteps(p *replica) decodeSteps {
	var ends decodeSteps
	for i := range p.engine.Log.Steps {
		if st := &p.engine.Log.Steps[i]; st.PrefillTokens == 0 {
			ends = append(ends, st.EndNS)
		}
	}
	return ends
}

// produced counts the tokens that a visit had when it was thrown out for the k-th time:
// one at the end of each prefill and one each decode step that it ran in.
func (d decodeSteps) produced(v *simulate.Visit, k int) int {
	from, tokens := v.FirstToken, 0
	for i := 0; i <= k; i++ {
		to := v.Preemptions[i][0]
		if from > 0 && to >= from {
			a, _ := slices.BinarySearch(d, from+1)
			z, _ := slices.BinarySearch(d, to+1)
			tokens += 1 + z - a
		}
		from = max(from, v.Preemptions[i][1])
	}
	return tokens
}
