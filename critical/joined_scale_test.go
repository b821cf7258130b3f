package critical

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// crowd is a trace of many calls, each with its lines in the logs of proxies.
type crowd struct {
	caller   bool // the lines name the calls that they are of
	session  bool // everything carries one request id
	programs int  // lines of each call
	parallel bool // the calls begin together, and each ends later than the one before
	steady   bool // the lines' clock is not the date
	bare     bool // the trace itself was not recorded
	deep     bool // each call is made by the one before
	failed   bool // the lines say that they gave up
}

// of returns the crowd with n calls.
func (c crowd) of(n int) *table.Set {
	const ms = 1_000_000
	set := table.NewSet()
	intern, s := set.Symbols.Intern, &set.Spans
	trace := table.TraceID{1, 15: 1}
	add := func(service string, of table.TraceID, id, parent uint64, kind uint8, start, end int64) int {
		scope, row := set.Scopes.Grow(), s.Grow()
		set.Scopes.Service[scope] = intern(service)
		s.ScopeRow[row], s.TraceID[row], s.SpanID[row], s.Kind[row] = int32(scope), of, spanID(id), kind
		s.Start[row], s.End[row], s.Name[row], s.Source[row] = start, end, intern("call"), intern("traces")
		if parent > 0 {
			s.ParentID[row] = spanID(parent)
		}
		if c.session {
			s.RequestID[row] = "7f3a9c51-0000-4000-8000-000000000001"
		}
		return row
	}
	from := int64(1e18)
	if !c.bare {
		add("agent", trace, 1, 0, kindServer, from, from+int64(n+20)*100*ms)
	}
	for i := range n {
		start, length, parent := from+int64(i)*100*ms, int64(90*ms), uint64(1)
		switch {
		case c.parallel:
			start, length = from, int64(i+10)*100*ms
		case c.deep:
			start, length = from+int64(i)*ms, int64(2*n-2*i+20)*ms
			parent = uint64(i + 1)
		}
		call := uint64(i + 2)
		if !c.bare {
			kind := uint8(kindClient)
			if c.deep {
				kind = 1
			}
			add("agent", trace, call, parent, kind, start, start+length)
		}
		for p := range c.programs {
			name := fmt.Sprintf("proxy%d", p)
			off := int64(p+1) * 5 * ms
			row := add(name, table.TraceID{2, byte(p), 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}, uint64(1_000_000+10*i+p), 0, kindServer, start+off, start+length-off)
			s.Origin[row], s.Source[row], s.Error[row], s.LengthError[row] = table.OriginRecord, intern(name), ms, ms
			if c.failed {
				s.HTTPStatus[row] = 504
			}
			if c.steady {
				s.Clock[row] = table.ClockSteady
			}
			s.Attributes.Add(intern("trace_id"), table.StringValue(hex.EncodeToString(trace[:])))
			if c.caller {
				id := spanID(call)
				s.Attributes.Add(intern("parent_id"), table.StringValue(hex.EncodeToString(id[:])))
			}
			k, parts := set.Parts.Grow(), &set.Parts
			parts.SpanRow[k], parts.Start[k], parts.End[k] = int32(row), s.Start[row], s.End[row]
			parts.Stage[k], parts.Detail[k], parts.Basis[k] = uint8(stage.Unattributed), intern(detailUpstream), intern("a timer")
		}
	}
	set.Canonicalize()
	return set
}

// TestJoinedCrowds joins traces of thousands of calls with their lines. Where something
// tells which call a line is of, every line is below its call; where nothing does, it is
// left out. Work in squares would take minutes here.
func TestJoinedCrowds(t *testing.T) {
	if raceEnabled {
		t.Skip("too slow with the race detector")
	}
	for _, test := range []struct {
		name     string
		crowd    crowd
		requests int  // that the crowd is read as; 0 for one a call
		placed   bool // every line has found its call
	}{
		{"lines name their calls", crowd{caller: true, programs: 1}, 1, true},
		{"lines name the trace", crowd{programs: 1}, 1, true},
		{"two proxies", crowd{programs: 2}, 1, true},
		{"one id for all", crowd{session: true, programs: 1}, 1, true},
		{"one id for all, lines name their calls", crowd{session: true, caller: true, programs: 2}, 1, true},
		{"calls at once", crowd{parallel: true, programs: 2}, 1, false},
		{"calls at once, lines name them", crowd{parallel: true, caller: true, programs: 1}, 1, true},
		{"no dates", crowd{steady: true, programs: 2}, 1, false},
		{"no dates, lines name their calls", crowd{steady: true, caller: true, programs: 1}, 1, true},
		{"no trace", crowd{bare: true, programs: 2}, 0, true},
		{"calls in calls, lines name them", crowd{deep: true, caller: true, programs: 1}, 1, true},
		{"calls in calls, failed", crowd{deep: true, caller: true, failed: true, programs: 1}, 1, true},
		{"calls in calls", crowd{deep: true, programs: 1}, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			const n = 20_000
			set := test.crowd.of(n)
			requests, err := buildAll(set, Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if want := test.requests; len(requests) != want && want > 0 || want == 0 && len(requests) != n {
				t.Fatalf("%d requests", len(requests))
			}
			spans, excluded := 0, 0
			for _, r := range requests {
				spans, excluded = spans+len(r.Spans), excluded+len(r.Excluded)
				for _, s := range r.Spans {
					if test.placed && !test.crowd.bare && s.Depth < 2 && set.Spans.Origin[s.Row] == table.OriginRecord {
						t.Fatal("a line was not put below its call")
					}
				}
			}
			if all := n * test.crowd.programs; test.placed == (excluded > 0) || spans+excluded < all || spans < n {
				t.Errorf("%d spans and %d excluded", spans, excluded)
			}
		})
	}
}

// TestBuilderAtOnce uses one builder from several goroutines, under the race detector too.
func TestBuilderAtOnce(t *testing.T) {
	for _, mode := range []ClockMode{Raw, Adjust} {
		b := NewBuilder(crowd{caller: true, programs: 1}.of(50), nil, Options{Workers: 2, Clock: mode})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := b.Each(context.Background(), func(*Request) error { return nil }); err != nil {
					t.Error(err)
				}
				if len(b.Find(table.TraceID{1, 15: 1})) != 1 || b.Clocks() == nil {
					t.Error("the trace is not found")
				}
			})
		}
		all.Wait()
		calls := int64(0)
		for _, c := range b.Clocks().Clocks() {
			calls += c.Calls
		}
		if calls == 0 || calls > 100 {
			t.Errorf("%s: calls are counted %d times: once for every pass", ClockModeNames[mode], calls)
		}
	}
}
