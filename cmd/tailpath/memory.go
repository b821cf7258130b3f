package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tailpath/tailpath/ingest"
)

// What a run takes, in bytes, is about rowsShare times what its rows take, as ingest.Options
// counts them, and fixedMemory: the rows themselves, those that are being put in order, requests
// and segments, what the analysis of them needs, and garbage that is yet to be collected.
//
// Measured as the largest resident size with a memory limit that cannot be held, so that next to
// no garbage is left: 20,000 requests of four spans, 64 MB of OTLP in three files, whose rows take
// 37.3 MB, took 157 MB in export, 162 in inspect, 170 in queue, 172 in summary, 191 in capacity and
// 197 in report, which is 2.5 to 3.6 times the rows and 64 MB. A little more keeps the collector
// from working all the time: 200,000 of them, whose rows take 373 MB, went through report within
// 1.57 GB, which is 4 times that and 80 MB, in the processor time of a run without a limit.
const (
	rowsShare   = 4
	fixedMemory = 64_000_000
)

const (
	// programMemory is what the process has beside the memory of the runtime: its own code and
	// tables, 20 MB when it prints its version.
	programMemory = 24_000_000
	// leastMemory is the least value of --memory, with which rows of some megabytes can be read.
	leastMemory = 100_000_000
	// workerMemory is what one that decodes holds beside rows: three pieces of 4 MiB of its input,
	// two of which wait for others before they can be put behind them.
	workerMemory = 12 << 20
	// memoryEvery is how often it is looked at what the process holds.
	memoryEvery = 10 * time.Millisecond
)

// memory is what --memory asks of a run; a nil memory is no bound.
type memory struct {
	most int64 // bytes
	held int64 // bytes of the rows that were read by the run
	done chan struct{}
	wait sync.WaitGroup
	over func(bytes int64)
}

// withinMemory does the work of a command, keeping to --memory. When the process holds more, run
// is told by tooMuch, once.
func (p *program) withinMemory(work func() error) error {
	text := p.flags.memory
	if text == "" {
		return work()
	}
	most, err := parseSize(text)
	if err != nil {
		return usage("--memory "+text, err.Error(), "--memory 4GB")
	}
	if most < leastMemory {
		return usage("--memory "+text, "is less than the smallest capture takes", "--memory "+sizeArgument(leastMemory)+" or more")
	}
	p.memory = &memory{most: most, done: make(chan struct{}), over: func(held int64) { p.tooMuch <- p.heldTooMuch(held) }}
	// The collector aims lower than what ends the run, and so has time to get there.
	defer limitHeap(most - programMemory - most/8)()
	p.memory.wait.Go(p.memory.watch)
	defer p.memory.wait.Wait()
	defer close(p.memory.done)
	return work()
}

// watch looks at what the process holds, until it is too much or the run ends. On a machine that
// is busy the collector may be late, so what is garbage is taken out before it is judged.
func (m *memory) watch() {
	ticks := time.NewTicker(memoryEvery)
	defer ticks.Stop()
	for {
		select {
		case <-m.done:
			return
		case <-ticks.C:
			if heldMemory() <= m.most {
				continue
			}
			debug.FreeOSMemory()
			if held := heldMemory(); held > m.most {
				m.over(held)
				return
			}
		}
	}
}

// heldMemory returns what the process holds in bytes, as the limit of the runtime counts it, with
// the program itself.
func heldMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()) + programMemory
}

// heapLimits are the limits of the runs of this process that have one. The smallest holds, and
// when all have ended that from before the first.
var heapLimits struct {
	sync.Mutex
	of     []int64
	before int64
}

// limitHeap has the collector keep the memory of the runtime below a limit in bytes, as far as it
// can, until restore is called.
func limitHeap(limit int64) (restore func()) {
	set := func() {
		least := heapLimits.before
		for _, other := range heapLimits.of {
			least = min(least, other)
		}
		debug.SetMemoryLimit(least)
	}
	heapLimits.Lock()
	defer heapLimits.Unlock()
	if len(heapLimits.of) == 0 {
		heapLimits.before = debug.SetMemoryLimit(-1)
	}
	heapLimits.of = append(heapLimits.of, limit)
	set()
	return func() {
		heapLimits.Lock()
		defer heapLimits.Unlock()
		i := slices.Index(heapLimits.of, limit)
		heapLimits.of = slices.Delete(heapLimits.of, i, i+1)
		set()
	}
}

// rowBytes returns how many bytes the rows of the next inputs may take, 0 for any number.
func (m *memory) rowBytes() int64 {
	if m == nil {
		return 0
	}
	return max(1, (m.most-fixedMemory)/rowsShare-m.held)
}

// workers returns how many may decode at once, of those that --jobs gives: what they hold is an
// eighth of the bound at most, unless it is two of them.
func (m *memory) workers(jobs int) int {
	if m == nil {
		return jobs
	}
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return min(jobs, max(2, int(m.most/8/workerMemory)))
}

// hold counts the rows of inputs that were read. Those of two sides are held at the same time.
func (m *memory) hold(rows int64) {
	if m != nil {
		m.held += rows
	}
}

// needs returns what a run takes in bytes, about, whose next inputs have some bytes of rows.
func (m *memory) needs(rows int64) int64 { return fixedMemory + rowsShare*(m.held+rows) }

// rowsTooLarge is the fault of inputs whose rows are, or will be, too many for --memory; nil for
// another error.
func (p *program) rowsTooLarge(l *loaded, err error) error {
	var e *ingest.TooLarge
	if !errors.As(err, &e) {
		return nil
	}
	at := "after " + byteCount(e.Read)
	if e.Total > 0 {
		at = fmt.Sprintf("after %d %% of %s", 100*e.Read/e.Total, byteCount(e.Total))
	}
	needs := p.memory.needs(e.Whole)
	what := fmt.Sprintf("%s the rows take %s; ", at, byteCount(p.memory.held+e.Rows))
	if e.Whole > e.Rows {
		what += "the whole needs about " + byteCount(needs)
	} else {
		what += "to work on them needs about " + byteCount(needs)
	}
	return &fault{code: exitFailed, where: l.where(), what: what + " of memory, and --memory is " + p.flags.memory, hint: p.memoryHint(l.operands, needs), cause: err}
}

// heldTooMuch is the fault of a run that holds more than --memory.
func (p *program) heldTooMuch(held int64) error {
	return usage("--memory "+p.flags.memory, byteCount(held)+" are in use", p.memoryHint(nil, 2*held))
}

// memoryHint says how a run fits into memory, or how much it takes.
func (p *program) memoryHint(operands []string, needs int64) string {
	less := "tailpath ingest adds captures to a store day by day (--store DIR), of which --since and --until read a part"
	if slices.ContainsFunc(operands, isStore) {
		less = "--since and --until read less of the store"
	}
	return less + "; or --memory " + sizeArgument(needs)
}

// sizeArgument writes bytes as a value of --memory, rounded up to two digits.
func sizeArgument(n int64) string {
	step := math.Pow(10, math.Max(0, math.Floor(math.Log10(float64(n)))-1))
	return strings.NewReplacer(".0 ", "", " ", "").Replace(byteCount(int64(math.Ceil(float64(n)/step) * step)))
}
