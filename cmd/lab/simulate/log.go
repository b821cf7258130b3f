package simulate

import "sort"

// EngineLog is what the simulated engine itself recorded, apart from the instants
// kept with each request: a second book, kept at the engine, against which the
// first can be checked.
type EngineLog struct {
	// Received has one entry for each request reaching the engine's input.
	Received []QueueEvent
	// Queue is every change of the number of waiting requests that were never
	// scheduled, in order of time.
	Queue []QueueEvent
	// Steps are the engine's steps, or Triton's batches, in order of start.
	Steps []Step
	// done is when the engine computed the last token of each visit, or let go of
	// it; 0 for visits to other engines.
	done []int64
}

// QueueEvent is one request entering (Change +1) or leaving (-1) a queue.
type QueueEvent struct {
	AtNS    int64
	Change  int
	Visit   int // index into Capture.Visits
	request *request
}

// Step is one iteration of the engine over [StartNS, EndNS), and what was left
// over when it was formed.
type Step struct {
	StartNS, EndNS         int64
	PrefillTokens, Decodes int
	// Prefills is on how many prompts it works.
	Prefills int
	// Running and Waiting count requests after the step was formed.
	Running, Waiting int
	// FreeSlots, FreeTokens and FreeBlocks are capacity that the step leaves
	// unused; HeadTokens and HeadBlocks are what the first waiting request, if
	// any, would have taken of it.
	FreeSlots, FreeTokens, FreeBlocks int
	HeadTokens, HeadBlocks            int
	// Preempted means that a running request had to make room.
	Preempted bool
}

func (l *EngineLog) queue(at int64, change int, r *request) {
	l.Queue = append(l.Queue, QueueEvent{AtNS: at, Change: change, request: r})
}

// order sorts the queue's changes by time: the engine books those of one turn of
// its loop in advance of its clock. At one instant requests leave first.
func (l *EngineLog) order() {
	sort.SliceStable(l.Queue, func(i, j int) bool {
		a, b := l.Queue[i], l.Queue[j]
		if a.AtNS != b.AtNS {
			return a.AtNS < b.AtNS
		}
		return a.Change < b.Change
	})
}

// number replaces the requests of the log by their indices, once those are known.
func (l *EngineLog) number() {
	for _, list := range [][]QueueEvent{l.Received, l.Queue} {
		for i := range list {
			list[i].Visit, list[i].request = list[i].request.index, nil
		}
	}
}

// MeanWaiting is the time average of the number of waiting requests over
// [fromNS, toNS), integrated from the queue's changes.
func (l *EngineLog) MeanWaiting(fromNS, toNS int64) float64 {
	area, waiting, last := 0.0, 0, fromNS
	for _, e := range l.Queue {
		at := min(max(e.AtNS, fromNS), toNS)
		area += float64(waiting) * float64(at-last)
		waiting, last = waiting+e.Change, at
	}
	area += float64(waiting) * float64(toNS-last)
	return area / float64(toNS-fromNS)
}
