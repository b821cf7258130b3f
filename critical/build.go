package critical

import (
	"context"
	"fmt"
	"runtime"
	"sync"

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
	links   []int32 // links likewise
	parts   []int32 // parts likewise

	refType, firstChunk, firstTokenEvent, grpcStatus table.Sym
}

// Builder makes requests of the raw tables of a canonical set, which must not
// change meanwhile. It is safe for concurrent use.
type Builder struct {
	set     *table.Set
	account *table.Account
	opt     Options
	events  []int32
	links   []int32
	parts   []int32
	traces  []int32 // rows of trace i are traces[i] to traces[i+1]
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
	b := &Builder{set: set, account: account, opt: opt, events: stage.EventIndex(set)}
	b.links, b.parts = spanIndex(set, set.SpanLinks.SpanRow), spanIndex(set, set.Parts.SpanRow)
	for row, id := range set.Spans.TraceID {
		if row == 0 || id != set.Spans.TraceID[row-1] {
			b.traces = append(b.traces, int32(row))
		}
	}
	b.traces = append(b.traces, int32(set.Spans.Len()))
	return b
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

// Traces returns the number of trace ids in the set.
func (b *Builder) Traces() int { return len(b.traces) - 1 }

func (b *Builder) worker() *worker {
	w := &worker{
		set: b.set, account: b.account, opt: &b.opt, events: b.events, links: b.links, parts: b.parts,
		matcher: stage.NewMatcher(b.opt.Rules, b.set, b.events),
	}
	w.refType, _ = b.set.Symbols.Lookup("opentracing.ref_type")
	w.firstChunk, _ = b.set.Symbols.Lookup("gen_ai.response.time_to_first_chunk")
	w.grpcStatus, _ = b.set.Symbols.Lookup("rpc.grpc.status_code")
	w.firstTokenEvent, _ = b.set.Symbols.Lookup("First Token Stream Event")
	return w
}

// count adds one issue at the place of a span.
func (w *worker) count(issue table.Issue, row int32, detail string) {
	if w.account == nil {
		return
	}
	spans := &w.set.Spans
	at := table.Place{Source: w.set.Symbols.Text(spans.Source[row]), Offset: spans.Offset[row]}
	if spans.Line[row] != table.Missing {
		at.Line = spans.Line[row]
	}
	w.account.Add(issue, 1, at, detail)
}

// Trace returns the requests of trace i, in order of their start.
func (b *Builder) Trace(i int) []*Request {
	return b.worker().load(b.traces[i], b.traces[i+1]).requests()
}

// Find returns the requests of a trace id.
func (b *Builder) Find(id table.TraceID) []*Request {
	for i := range b.Traces() {
		if b.set.Spans.TraceID[b.traces[i]] == id {
			quiet := *b
			quiet.account = nil // they were counted when the tables were built
			return quiet.Trace(i)
		}
	}
	return nil
}

// block is how many traces a worker takes at a time.
const block = 64

// Each calls visit with every request of the set, in canonical order: by trace id,
// then by start. Requests are built by several workers; few are in memory at once.
func (b *Builder) Each(ctx context.Context, visit func(*Request) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	blocks := (b.Traces() + block - 1) / block
	results := make([]chan []*Request, b.opt.Workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for k := range results {
		results[k] = make(chan []*Request, 1)
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := b.worker()
			for i := k; i < blocks; i += b.opt.Workers {
				var made []*Request
				for t := i * block; t < min((i+1)*block, b.Traces()); t++ {
					made = append(made, w.load(b.traces[t], b.traces[t+1]).requests()...)
				}
				select {
				case results[k] <- made:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	for i := range blocks {
		select {
		case made := <-results[i%b.opt.Workers]:
			for _, r := range made {
				if err := visit(r); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// Build fills the requests and segments tables of the set, checks every request
// with Validate, and stops at the first that fails: that is a fault of tailpath.
func (b *Builder) Build(ctx context.Context) error {
	return b.BuildAnd(ctx, func(*Request) {})
}

// BuildAnd is Build that also shows every request to see, in canonical order.
func (b *Builder) BuildAnd(ctx context.Context, see func(*Request)) error {
	w := &writer{Builder: b, fresh: map[string]table.Sym{}}
	err := b.Each(ctx, func(r *Request) error {
		if err := Validate(r); err != nil {
			return fmt.Errorf("trace %x: %w; please report it with its spans", r.TraceID, err)
		}
		w.write(r)
		see(r)
		return nil
	})
	w.finish()
	return err
}
