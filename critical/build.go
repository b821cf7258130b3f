package critical

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/clock"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// worker holds what one goroutine needs to build requests of a set.
type worker struct {
	set     *table.Set
	account *table.Account
	opt     *Options
	matcher *stage.Matcher
	events  []int32 // events of span row i are rows events[i] to events[i+1]
	chunks  *chunk.Events
	links   []int32 // links likewise
	parts   []int32 // parts likewise
	units   []int32 // rows of unit i are units[i] to units[i+1]
	steps   []int64 // by scope, see stepsOf
	plan    *join.Plan
	clocks  *clock.Solution // nil when times are taken as they were recorded
	calls   clock.Log       // what calls say of the clocks of both ends

	parentID  table.Sym // key of a record's attribute for the span id of its caller
	direction table.Sym // and for the side on which a mesh's proxy stands

	refType, firstChunk, firstTokenEvent table.Sym

	signals signals
}

// Builder makes requests of the raw tables of a canonical set, which must not
// change meanwhile. It is safe for concurrent use.
type Builder struct {
	set     *table.Set
	account *table.Account
	opt     Options
	events  []int32
	chunks  *chunk.Events
	links   []int32
	parts   []int32
	units   []int32 // rows of unit i are units[i] to units[i+1]
	steps   []int64 // by scope, see stepsOf
	plan    *join.Plan
	clocks  *clocks
	engines *engine.Timelines // once the tables are built
}

// NewBuilder returns a builder for a canonical set. Losses and repairs are counted
// in account.
func NewBuilder(set *table.Set, account *table.Account, opt Options) *Builder {
	if opt.Rules == nil {
		opt.Rules = stage.Builtin()
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	b := &Builder{set: set, account: account, opt: opt, events: stage.EventIndex(set), chunks: chunk.Of(set)}
	b.links, b.parts = spanIndex(set, set.SpanLinks.SpanRow), spanIndex(set, set.Parts.SpanRow)
	for row, id := range set.Spans.TraceID {
		if row == 0 || id != set.Spans.TraceID[row-1] {
			b.units = append(b.units, int32(row))
		}
	}
	b.units = append(b.units, int32(set.Spans.Len()))
	b.steps = stepsOf(set)
	b.plan = join.Find(set, b.units, join.Options{Keys: opt.Join}, b.countAt)
	b.clocks = &clocks{}
	return b
}

// countAt adds one issue at the place of a span row.
func (b *Builder) countAt(issue table.Issue, row int32, detail string) {
	countAt(b.set, b.account, issue, row, detail)
}

func countAt(set *table.Set, account *table.Account, issue table.Issue, row int32, detail string) {
	if account == nil {
		return
	}
	spans := &set.Spans
	at := table.Place{Source: set.Symbols.Text(spans.Source[row]), Offset: spans.Offset[row]}
	if spans.Line[row] != table.Missing {
		at.Line = spans.Line[row]
	}
	account.Add(issue, 1, at, detail)
}

// spanIndex returns, for rows ordered by the span they belong to, where those of
// every span begin.
func spanIndex(set *table.Set, spanRows []int32) []int32 {
	index := make([]int32, set.Spans.Len()+1)
	for _, row := range spanRows {
		index[row+1]++
	}
	for i := 1; i < len(index); i++ {
		index[i] += index[i-1]
	}
	return index
}

// Groups returns the number of groups of traces and records that are built together,
// because they tell of one request or hang together in one trace.
func (b *Builder) Groups() int { return len(b.plan.Groups) }

func (b *Builder) worker() *worker {
	w := &worker{
		set: b.set, account: b.account, opt: &b.opt, events: b.events, chunks: b.chunks, links: b.links, parts: b.parts,
		units: b.units, steps: b.steps, plan: b.plan, clocks: b.clocks.moved(),
		matcher: stage.NewMatcher(b.opt.Rules, b.set, b.events),
	}
	w.refType, _ = b.set.Symbols.Lookup("opentracing.ref_type")
	w.firstChunk, _ = b.set.Symbols.Lookup("gen_ai.response.time_to_first_chunk")
	w.signals = newSignals(b.set)
	w.firstTokenEvent, _ = b.set.Symbols.Lookup("First Token Stream Event")
	w.parentID, _ = b.set.Symbols.Lookup("parent_id")
	w.direction, _ = b.set.Symbols.Lookup("direction")
	return w
}

// count adds one issue at the place of a span.
func (w *worker) count(issue table.Issue, row int32, detail string) {
	countAt(w.set, w.account, issue, row, detail)
}

// Group returns the requests of group i, in order of their start. With Adjust, times are
// moved once Build or Each has looked at all calls; so it is with Find.
func (b *Builder) Group(i int) []*Request {
	return b.worker().load(b.plan.Groups[i]).requests()
}

// Find returns the requests that a trace id tells of, alone or with others.
func (b *Builder) Find(id table.TraceID) []*Request {
	for i, g := range b.plan.Groups {
		if slices.ContainsFunc(g.Units, func(u int32) bool { return b.set.Spans.TraceID[b.units[u]] == id }) {
			quiet := *b
			quiet.account = nil // they were counted when the tables were built
			return quiet.Group(i)
		}
	}
	return nil
}

// block is how many groups a worker takes at a time.
const block = 64

// Each calls visit with every request of the set, in canonical order: by trace id,
// then by start. Requests are built by several workers; few are in memory at once.
func (b *Builder) Each(ctx context.Context, visit func(*Request) error) error {
	if err := b.adjustClocks(ctx); err != nil {
		return err
	}
	calls, err := blocks(ctx, b, func(w *worker, g join.Group) []*Request { return w.load(g).requests() }, visit)
	if err == nil {
		b.clocks.note(calls)
	}
	return err
}

// blocks lets workers make something of every group, and shows it in the order of the
// groups. It returns what the calls in them say of the clocks.
func blocks[T any](ctx context.Context, b *Builder, build func(*worker, join.Group) []T, visit func(T) error) (*clock.Log, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := (b.Groups() + block - 1) / block
	results := make([]chan []T, b.opt.Workers)
	calls := &clock.Log{}
	var merging sync.Mutex
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for k := range results {
		results[k] = make(chan []T, 1)
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := b.worker()
			defer func() {
				merging.Lock()
				defer merging.Unlock()
				calls.Merge(&w.calls)
			}()
			for i := k; i < n; i += b.opt.Workers {
				var made []T
				for _, g := range b.plan.Groups[i*block : min((i+1)*block, b.Groups())] {
					made = append(made, build(w, g)...)
				}
				select {
				case results[k] <- made:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	for i := range n {
		select {
		case made := <-results[i%b.opt.Workers]:
			for _, r := range made {
				if err := visit(r); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return calls, ctx.Err()
}

// Build fills the requests, segments and clocks tables of the set, finds why requests
// waited, checks every request with Validate, and stops at the first that fails: that is a fault of tailpath.
func (b *Builder) Build(ctx context.Context) error {
	return b.BuildAnd(ctx, func(*Request) {})
}

// BuildAnd is Build that also shows every request to see, in canonical order.
func (b *Builder) BuildAnd(ctx context.Context, see func(*Request)) error {
	w := newWriter(b)
	err := b.Each(ctx, func(r *Request) error {
		if err := Validate(r); err != nil {
			return fmt.Errorf("trace %x: %w; please report it with its spans", r.TraceID, err)
		}
		w.makeRoom()
		w.write(r)
		see(r)
		return nil
	})
	w.finish()
	if err == nil {
		b.set.Requests.Trim()
		b.set.Segments.Trim()
		b.engines = engine.Build(b.set)
		b.engines.Annotate(b.set)
	}
	return err
}

// Engines returns what the engines were doing, once the tables are built; nil before.
func (b *Builder) Engines() *engine.Timelines { return b.engines }
