package simulate

// cause is why an engine did not take a waiting request.
type cause int

const (
	causeNone    cause = iota // the step that runs, or nothing at all
	causeSlots                // as many requests run as may
	causeMemory               // key-value blocks were short
	causeBudget               // the prompts ahead took what a step has for prompts
	causeDelay                // a batch was waiting to fill
	causeStuck                // the engine stood still
	causeRetry                // the client waited to try again
	causeUnknown              // none of these
	causeCount
)

// causeNames are the names of causes as the truth has them.
var causeNames = [causeCount]string{"", "slots", "kv_memory", "prefill", "batch_delay", "stuck", "retry", "unknown"}

// held is time in ns by cause.
type held [causeCount]int64

// ledgerOfCauses is an engine's running account of what keeps its queue waiting.
// The queue is first come, first served, so what keeps the head keeps all.
type ledgerOfCauses struct {
	ns    held
	since int64
	cause cause
}

// turn closes the account at an instant and goes on with another cause.
func (l *ledgerOfCauses) turn(at int64, next cause) {
	l.ns, l.since, l.cause = l.upTo(at), at, next
}

// upTo is the account at an instant. An engine books its turns some microseconds
// ahead of its clock, so the instant may lie a little before the last turn.
func (l *ledgerOfCauses) upTo(at int64) held {
	ns := l.ns
	ns[l.cause] += at - l.since
	return ns
}

// since is what was booked after an earlier state of the account.
func (h held) since(before held) held {
	for i := range h {
		h[i] -= before[i]
	}
	return h
}

// fit makes the account add up to total: what is not accounted for has an unknown
// cause, and what is too much is taken off the largest.
func (h held) fit(total int64) held {
	h[causeUnknown] += h[causeNone]
	h[causeNone] = 0
	sum := int64(0)
	for i, ns := range h {
		h[i] = max(ns, 0)
		sum += h[i]
	}
	if sum < total {
		h[causeUnknown] += total - sum
	}
	for sum > total {
		most := h.largest()
		cut := min(h[most], sum-total)
		h[most] -= cut
		sum -= cut
	}
	return h
}

// largest is the cause with the most time, the first of equals.
func (h held) largest() cause {
	best := cause(0)
	for i := range h {
		if h[i] > h[best] {
			best = cause(i)
		}
	}
	return best
}

// hardlyNS is the wait below which no cause is named.
const hardlyNS = 20 * ms

// queueCauses writes the account into the truth of a request.
func (t *Truth) queueCauses(h held) {
	h = h.fit(t.StagesNS[StageQueue])
	for i, ns := range h {
		if ns > 0 {
			t.QueueCausesNS = append(t.QueueCausesNS, Detail{causeNames[i], ns})
		}
	}
	if t.StagesNS[StageQueue] >= hardlyNS {
		t.QueueCause = causeNames[h.largest()]
	}
}
