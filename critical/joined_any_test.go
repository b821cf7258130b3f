package critical

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// mixed is a span of one of several traces, or a record that may name one of them, a
// caller in it and a request.
type mixed struct {
	trace, id, parent, named, caller int
	request                          int
	kind                             uint8
	record, steady, engine, failed   bool
	source, service, host            int
	start, end, off                  int64
	parts                            []int64 // lengths, of stages in turn
	early                            bool    // its first part is an upstream
}

func anything() *rapid.Generator[[]mixed] {
	return rapid.Custom(func(t *rapid.T) []mixed {
		number := func(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, label) }
		scale := rapid.SampledFrom([]int64{1, 1_000_000}).Draw(t, "scale")
		list := make([]mixed, number("n", 1, 9))
		for i := range list {
			m := &list[i]
			m.trace, m.id = number("trace", 1, 3), i+1
			m.record = number("record", 0, 1) == 1
			m.kind = uint8(number("kind", 0, 5))
			m.request, m.named, m.caller = number("request", 0, 2), number("named", 0, 3), number("caller", 0, len(list))
			m.source, m.service, m.host = number("source", 0, 2), number("service", 0, 2), number("host", 0, 2)
			m.engine, m.failed = number("engine", 0, 2) == 0, number("failed", 0, 4) == 0
			m.start = 1e15 + scale*int64(number("start", 0, 60))
			if number("absurd", 0, 11) == 0 {
				m.start = rapid.SampledFrom([]int64{math.MinInt64 + 1, -1 << 62, -1 << 61, 0, 1 << 62, math.MaxInt64 - 61_000_000}).Draw(t, "absurd start")
			}
			m.end = m.start + scale*int64(number("length", -1, 60))
			if m.record {
				m.kind, m.steady = kindServer, number("steady", 0, 4) == 0
				m.off = scale * int64(number("off", 0, 1))
				left := m.end - m.start
				for range number("parts", 0, 3) {
					if p := scale * int64(number("part", 1, 20)); p <= left {
						m.parts, left = append(m.parts, p), left-p
					}
				}
				m.early = number("early", 0, 1) == 1
			} else if i > 0 {
				m.parent = number("parent", 0, i)
			}
		}
		return list
	})
}

func mixedSet(list []mixed, order []int, by int64) *table.Set {
	set := table.NewSet()
	intern := set.Symbols.Intern
	for _, i := range order {
		m := list[i]
		scope := set.Scopes.Grow()
		set.Scopes.Service[scope] = intern(fmt.Sprintf("service%d", m.service))
		if m.host > 0 {
			set.Scopes.Host[scope] = intern(fmt.Sprintf("host%d", m.host))
		}
		s := &set.Spans
		row := s.Grow()
		s.ScopeRow[row], s.SpanID[row], s.Kind[row] = int32(scope), spanID(uint64(m.id)), m.kind
		s.TraceID[row], s.Name[row], s.Source[row] = table.TraceID{1, 15: byte(m.trace)}, intern("POST"), intern("traces")
		s.Start[row], s.End[row] = m.start+by, m.end+by
		if m.request > 0 {
			s.RequestID[row] = fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", m.request)
		}
		if m.failed {
			s.Status[row] = statusError
		}
		if !m.record {
			if m.parent > 0 {
				s.ParentID[row] = spanID(uint64(m.parent))
			}
			if m.engine {
				s.Name[row], s.OutputTokens[row] = intern("llm_request"), 7
				s.Attributes.Add(intern("gen_ai.latency.time_in_model_prefill"), table.DoubleValue(1))
				s.TTFT[row], s.Queue[row], s.Prefill[row], s.Decode[row] = (m.end-m.start)/2, (m.end-m.start)/4, (m.end-m.start)/4, (m.end-m.start)/3
			}
			continue
		}
		s.TraceID[row] = table.TraceID{2, 15: byte(m.id)}
		s.Origin[row], s.Source[row], s.Error[row], s.LengthError[row] = table.OriginRecord, intern(fmt.Sprintf("log%d", m.source)), m.off, m.off
		if m.steady {
			s.Clock[row] = table.ClockSteady
		}
		if m.named > 0 {
			s.Attributes.Add(intern("trace_id"), table.StringValue(fmt.Sprintf("%x", table.TraceID{1, 15: byte(m.named)})))
		}
		if m.caller > 0 {
			id := spanID(uint64(m.caller))
			s.Attributes.Add(intern("parent_id"), table.StringValue(hex.EncodeToString(id[:])))
		}
		at := s.Start[row]
		for k, length := range m.parts {
			p := &set.Parts
			r := p.Grow()
			p.SpanRow[r], p.Start[r], p.End[r], p.Basis[r], p.Error[r] = int32(row), at, at+length, intern("a timer"), m.off
			switch {
			case m.early == (k == 0):
				p.Stage[r], p.Detail[r] = uint8(stage.Unattributed), intern(detailUpstream)
			case m.engine:
				p.Stage[r], p.Detail[r] = uint8(stage.GPU), intern("compute")
			default:
				p.Stage[r], p.Detail[r] = uint8(stage.Queue), intern("admission")
			}
			at += length
		}
	}
	set.Canonicalize()
	return set
}

// TestJoinedAnything joins whatever may be put together, sensible or not: every request
// is valid, every span and record is accounted for once, and the order of the rows
// changes nothing, with recorded times and with moved ones.
func TestJoinedAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anything().Draw(t, "spans")
		opt := Options{Workers: 1, Clock: ClockMode(rapid.IntRange(0, 1).Draw(t, "clock"))}
		inOrder := make([]int, len(list))
		for i := range inOrder {
			inOrder[i] = i
		}
		spellSet := func(set *table.Set) string {
			requests, err := buildAll(set, opt)
			if err != nil {
				t.Fatalf("%v: %+v", err, list)
			}
			seen := map[int32]int{}
			for _, r := range requests {
				for _, s := range r.Spans {
					seen[s.Row]++
				}
				for _, e := range r.Excluded {
					seen[e.Row]++
				}
			}
			for row := range set.Spans.Len() {
				if seen[int32(row)] != 1 {
					t.Fatalf("row %d is accounted for %d times: %+v", row, seen[int32(row)], list)
				}
			}
			return spell(requests)
		}
		want := spellSet(mixedSet(list, inOrder, 0))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 3 {
			order := slices.Clone(inOrder)
			random.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
			if got := spellSet(mixedSet(list, order, 0)); got != want {
				t.Fatalf("order matters: %+v\ngot  %s\nwant %s", list, got, want)
			}
		}
		if strings.Count(want, "\n") > 0 {
			spellSet(mixedSet(list, inOrder, 17e14))
		}
	})
}
