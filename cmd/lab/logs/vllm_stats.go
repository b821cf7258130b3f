package logs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// vllmIntervalNS is how often V1's front end prints its statistics, and how often V0's
// asks its engine to; V0 prints no sooner than vllmV0IntervalNS after the last time.
const (
	vllmIntervalNS   = 10 * s
	vllmV0IntervalNS = 5 * s
)

// counts are what a vLLM engine has done up to an instant, each a sum.
type counts struct {
	prompt, generated, preempted *level
	// finished counts requests that the step ending at the instant completed, and
	// freed the blocks that they gave back.
	finished, freed *level
	// held counts requests whose keys and values are still under way from another
	// server, which vLLM calls deferred.
	held   *level
	steps  []simulate.Step
	blocks int
}

// newCounts adds up the tokens as vLLM's front end counts them: a prompt when its first
// token comes, and every token with its step. A preemption is told with the next output
// of its request, so it counts when that runs again.
func newCounts(p *replica) *counts {
	var prompt, generated, preempted, done, freed, held []change
	for _, v := range p.visits {
		if v.FirstToken > 0 {
			prompt = append(prompt, change{v.FirstToken, v.PromptTokens})
			generated = append(generated, change{v.FirstToken, 1})
		}
		for _, x := range v.Preemptions {
			if x[1] > 0 && (gone(v) == 0 || x[1] < gone(v)) {
				preempted = append(preempted, change{x[1], 1})
			}
		}
		if v.KVStart > 0 && v.Role == simulate.RoleDecode {
			held = append(held, change{v.KVStart, 1})
			if over := cmp.Or(v.KVEnd, gone(v)); over > 0 {
				held = append(held, change{over, -1})
			}
		}
		if finished(v) {
			done = append(done, change{v.LastToken, 1})
			freed = append(freed, change{v.LastToken, (v.PromptTokens + v.OutputTokens - 1 + blockTokens - 1) / blockTokens})
		}
	}
	for i := range p.engine.Log.Steps {
		generated = append(generated, change{p.engine.Log.Steps[i].EndNS, p.engine.Log.Steps[i].Decodes})
	}
	return &counts{prompt: newLevel(prompt), generated: newLevel(generated), preempted: newLevel(preempted),
		finished: newLevel(done), freed: newLevel(freed), held: newLevel(held), steps: p.engine.Log.Steps, blocks: p.engine.Blocks}
}

// state is what the scheduler said with the outputs of its last step up to an instant:
// requests that it completed are gone. kv is the share of blocks in use.
func (k *counts) state(at int64) (running, waiting int, kv float64) {
	n := k.ended(at)
	if n == 0 || k.blocks == 0 {
		return 0, 0, 0
	}
	st := k.steps[n-1]
	free := min(k.blocks, st.FreeBlocks+k.freed.change(st.EndNS))
	return max(0, st.Running-k.finished.change(st.EndNS)), st.Waiting, float64(k.blocks-free) / float64(k.blocks)
}

// ended counts the steps that have ended by an instant.
func (k *counts) ended(at int64) int {
	n, _ := slices.BinarySearchFunc(k.steps, at, func(st simulate.Step, at int64) int {
		if st.EndNS <= at {
			return -1
		}
		return 1
	})
	return n
}

// lastStep is when the last step until an instant ended, 0 if none has.
func (k *counts) lastStep(at int64) int64 {
	if n := k.ended(at); n > 0 {
		return k.steps[n-1].EndNS
	}
	return 0
}

// vllmStats adds V1's statistics lines: one every 10 s of the front end's own loop, left
// out if this interval and the one before saw no token.
func (b *book) vllmStats(p *replica) {
	k := newCounts(p)
	hits := newHits(p)
	last := b.last(p)
	wasIdle := true
	for from := p.epochNS; ; from += vllmIntervalNS {
		at := from + vllmIntervalNS
		prompt := k.prompt.until(at) - k.prompt.until(from)
		generated := k.generated.until(at) - k.generated.until(from)
		idle := prompt == 0 && generated == 0
		if !idle || !wasIdle {
			seconds := float64(b.elapsed(from, at)) / 1e9
			optional := ""
			if n := k.held.until(k.lastStep(at)); n > 0 {
				optional = fmt.Sprintf(", Deferred: %d reqs", n)
			}
			if n := k.preempted.until(at) - k.preempted.until(from); n > 0 {
				optional += fmt.Sprintf(", Preemptions: %d", n)
			}
			running, waiting, kv := k.state(at)
			b.vllm(at, "loggers.py:310", "Engine 000: Avg prompt throughput: %.1f tokens/s, Avg generation throughput: %.1f tokens/s, "+
				"Running: %d reqs, Waiting: %d reqs%s, GPU KV cache usage: %.1f%%, Prefix cache hit rate: %.1f%%",
				float64(prompt)/seconds, float64(generated)/seconds, running, waiting, optional, kv*100, hits.rate(at)*100)
		}
		if !idle {
			b.kvTransfers(p, from, at)
		}
		if wasIdle = idle; idle && at > last {
			return
		}
	}
}

// vllmV0Stats adds V0's statistics lines: behind the first step, or the first question of
// the server every 10 s, that comes more than 5 s after the line before.
func (b *book) vllmV0Stats(p *replica) {
	k := newCounts(p)
	last := b.last(p)
	instants := make([]int64, 0, len(k.steps))
	for i := range k.steps {
		instants = append(instants, k.steps[i].EndNS)
	}
	for at := p.epochNS + vllmIntervalNS; at <= last+vllmIntervalNS; at += vllmIntervalNS {
		instants = append(instants, at)
	}
	slices.Sort(instants)
	from := p.epochNS
	for _, at := range instants {
		if at-from <= vllmV0IntervalNS {
			continue
		}
		seconds := float64(b.elapsed(from, at)) / 1e9
		running, waiting, kv := k.state(at)
		b.vllmV0(at, "metrics.py:345", "Avg prompt throughput: %.1f tokens/s, Avg generation throughput: %.1f tokens/s, "+
			"Running: %d reqs, Swapped: 0 reqs, Pending: %d reqs, GPU KV cache usage: %.1f%%, CPU KV cache usage: 0.0%%.",
			float64(k.prompt.until(at)-k.prompt.until(from))/seconds,
			float64(k.generated.until(at)-k.generated.until(from))/seconds, running, waiting, kv*100)
		from = at
	}
}

// last is the last instant at which the engine or a visit did anything.
func (b *book) last(p *replica) int64 {
	last := p.epochNS
	if n := len(p.engine.Log.Steps); n > 0 {
		last = max(last, p.engine.Log.Steps[n-1].EndNS)
	}
	for _, ended := range p.ended {
		last = max(last, ended)
	}
	return last
}
