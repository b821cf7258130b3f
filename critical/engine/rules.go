package engine

import "slices"

// Cause is why a request waited.
type Cause uint8

// The causes.
const (
	Unknown    Cause = iota // nothing that is recorded says why
	Slots                   // as many ran as ever can
	KVMemory                // the memory of the KV cache was full
	Prefill                 // the step's tokens went to the prompts of others
	BatchDelay              // the server waited for a batch to fill
	Stuck                   // the engine was idle
	Upstream                // a gateway held it back from an engine with room
	Retry                   // it waited to be tried again
)

var causeNames = [...]string{"unknown", "slots", "kv_memory", "prefill", "batch_delay", "stuck", "upstream", "retry"}

// String returns the name of the cause, as in the column cause of the segments table.
func (c Cause) String() string {
	if int(c) >= len(causeNames) {
		return "unknown"
	}
	return causeNames[c]
}

// Causes lists the causes in a fixed order.
func Causes() []Cause {
	return []Cause{Slots, KVMemory, Prefill, BatchDelay, Stuck, Upstream, Retry, Unknown}
}

// What the rules demand, beside most (half) of a wait.
const (
	longerPrompt   = 4           // times its own size, from which on a prompt blocks others
	longestDelay   = 500_000_000 // ns that a batch is believed to wait for others, and
	longerDelay    = 2           // times as long as nine in ten of them do
	leastStuck     = 200_000_000 // ns of idleness that is more than the way to the engine
	steadyPrefill  = 0.9         // share of a wait that is prefill when nothing is known of memory
	steadyLimit    = 0.9         // share of the time with somebody waiting at the limit, for it to tell where a run belongs
	leastWeight    = 1.001       // adjusted count from which on a request stands for others too
	leastCoverage  = 0.8         // own running requests for each that readings count
	leastCounted   = 10          // running requests that readings must count for that
	placementShare = 2           // a wait must be this many times as long as its place may be off
)

// placedRule is the rule by which a wait whose place is not known lies where its path has it.
const placedRule = "at-limit-placed"

// Rule is one question that is asked of a wait; the first that holds gives the cause.
type Rule struct {
	ID    string
	Cause Cause
	Doc   string
	holds func(e *evidence) Basis
}

// Rules returns the rules in the order in which they are asked.
func Rules() []Rule { return slices.Clone(rules) }

var rules = []Rule{
	{"back-off", Retry, "the wait is the back-off before another attempt", func(e *evidence) Basis {
		return when(e.detail == e.words.retry, Record)
	}},
	{"after-preemption", KVMemory, "the wait follows a preemption", func(e *evidence) Basis {
		return when(e.detail == e.words.preempted, Record)
	}},
	{"recorded-delay", BatchDelay, "the record of the wait says that the batch was filling", func(e *evidence) Basis {
		return when(e.detail == e.words.batchDelay, Record)
	}},
	{"no-engine", Unknown, "no engine is known to serve the request", func(e *evidence) Basis {
		return when(e.line == nil, Intervals)
	}},
	{"engine-has-room", Upstream, "a gateway held it back, and at the engine behind nobody waited and slots and memory were not full, for most of the wait", (*evidence).room},
	{"instance-free", BatchDelay, "an instance was free for most of the wait, for no longer than twice as long as batches fill, and 500 ms", (*evidence).filling},
	{"idle", Stuck, "nothing ran for most of the wait, and for 200 ms at least", (*evidence).stuck},
	{"at-limit", Slots, "as many ran as ever can, for most of the wait", func(e *evidence) Basis {
		return when(e.most(e.FullNS), Intervals)
	}},
	{placedRule, Slots, "its place is not known to half its length, but where its path has it as many ran as ever can for most of it, and for most of its run afterwards as well, while others waited", (*evidence).slotsPlaced},
	{"at-limit-read", Slots, "readings show as many running as ever can, for most of the wait", (*evidence).slotsRead},
	{"memory-full", KVMemory, "readings show the KV cache 90 % full, for most of the wait, or preemptions", (*evidence).memory},
	{"behind-preempted", KVMemory, "requests that were preempted waited ahead, for most of the wait", func(e *evidence) Basis {
		return when(!e.gateway && e.most(e.PreemptedNS), Intervals)
	}},
	{"long-prompt", Prefill, "a prompt of at least four times its size was prefilled for most of the wait", func(e *evidence) Basis {
		return when(!e.gateway && e.most(e.LongPrefillNS), Intervals)
	}},
	{"prefill-budget", Prefill, "slots were free, and prompts of others were prefilled meanwhile", (*evidence).budget},
	{"memory-short", KVMemory, "readings show the KV cache 80 % full, and for most of the wait slots were free, the engine ran and few prefilled", (*evidence).short},
	{"not-placed", Unknown, "when it waited is not known to half the length of the wait, and none of these holds wherever it may lie", func(e *evidence) Basis {
		return when(!e.line.timed() || e.misplaced, Intervals)
	}},
}

func when(holds bool, basis Basis) Basis {
	if holds {
		return basis
	}
	return NoBasis
}

// judge asks the rules in turn.
func judge(e *evidence) (cause Cause, rule string, basis Basis) {
	for i := range rules {
		if basis := rules[i].holds(e); basis != NoBasis {
			return rules[i].Cause, rules[i].ID, basis
		}
	}
	return Unknown, "nothing-shown", NoBasis
}
