package analyze

import (
	"math"

	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// measured takes the measures of [tokens.Definitions] of the requests of a set, by what its
// tables hold: the columns of the requests, and where spans have events of chunks or tokens
// the instants of these. It is not changed once made, and any number of goroutines may use
// it. Making it takes one pass over the events and, if some are of tokens, the segments.
type measured struct {
	set    *table.Set
	events *tokenEvents
}

// newMeasured prepares the measures of a set, whose tables must not change meanwhile.
func newMeasured(set *table.Set) *measured { return &measured{set, findTokenEvents(set)} }

// measureNames returns the ids of the measures in ns that a percentile over requests can be
// taken of by name, in the order of [tokens.Definitions]. e2e, ttft and tpot are not among
// them: these names are the figures of every report, of which tpot is tpot_to_end.
func measureNames() (ids []string) {
	for _, d := range tokens.Definitions() {
		if d.Unit == unitTime && !d.Own {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// The units of measures.
const (
	unitTime = "ns"
	unitRate = "tokens/s"
)

// valueOfMeasure returns a measure of the request in a row of the requests table in ns,
// rounded to the nearest, or why it has none. id is one of a measure in ns, such as those of
// [measureNames]; of another there is none. m is made once for many requests, by newMeasured.
func valueOfMeasure(m *measured, id string, row int32) (ns int64, why string) {
	d, ok := tokens.Define(id)
	if !ok || d.Unit != unitTime {
		return 0, "there is no such measure"
	}
	ns, _, why = m.whole(d, row, 1)
	return ns, why
}

// rows returns those of some requests that have a measure in ns, with its values by row of
// the requests table, and counts the others by reason: as tpotRows does of tpot.
func (m *measured) rows(id string, rows []int32) (with []int32, value []int64, without []Undefined) {
	d, _ := tokens.Define(id)
	return m.scaled(d, rows, 1, nil)
}

// scaled is rows of any measure, in parts of its unit: scale of them are one. Unless exact is
// nil it is given the values in their unit, by row.
func (m *measured) scaled(d tokens.Definition, rows []int32, scale float64, exact []float64) (with []int32, value []int64, without []Undefined) {
	var c undefinedCounter
	value = make([]int64, m.set.Requests.Len())
	for _, row := range rows {
		v, full, why := m.whole(d, row, scale)
		if why != "" {
			c.count(why)
			continue
		}
		value[row] = v
		if exact != nil {
			exact[row] = full
		}
		with = append(with, row)
	}
	return with, value, c.list()
}

// toEnd is the measure that every report calls tpot.
const toEnd = "tpot_to_end"

// tooLong says of a measure that no number of ns holds it.
const tooLong = "longer than can be counted"

// whole returns a measure in whole parts of its unit, scale of which are one, and as it is in
// its unit.
func (m *measured) whole(d tokens.Definition, row int32, scale float64) (v int64, exact float64, why string) {
	if d.Of == nil {
		return 0, 0, "there is no such measure"
	}
	value := m.value(d, row)
	switch n := math.Round(value.V * scale); {
	case !value.Defined():
		return 0, 0, value.Undefined
	case n >= math.MaxInt64:
		return 0, 0, tooLong
	default:
		return int64(n), value.V, ""
	}
}

// value returns a measure of the request in a row in its unit, or why it has none.
func (m *measured) value(d tokens.Definition, row int32) tokens.Value {
	times, lacks := m.times(row)
	if d.ID == metricTTFT || d.ID == toEnd {
		// These are the ttft and tpot of every report, whatever the chunks of another span say.
		if first := m.columns(row).FirstTokenNS; first != tokens.Absent {
			times.FirstTokenNS = first
		}
	}
	v := d.Of(times)
	if why := lacks[v.Undefined]; why != "" {
		v.Undefined = why
	}
	return v
}

// times returns the instants of the request in a row, as far as they are recorded, and for
// what [tokens.Value] says of an instant that is not, what is known of why.
//
// Where events tell when every token came, the instants are theirs. Otherwise they are those
// of the requests table, without the chunks: the last token is known where one span alone
// tells both when the first one came and how long the decoding took after it, and the first
// chunk where chunks are recorded though not how many tokens they brought.
func (m *measured) times(row int32) (t tokens.Times, lacks map[string]string) {
	s := m.stream(row)
	if s.counted {
		t = s.Times()
		if !s.told {
			t.FirstAnswerNS = tokens.Absent
		}
		return t, map[string]string{tokens.NoAnswer: noReasoning}
	}
	t = m.columns(row)
	lacks = map[string]string{}
	if m.set.Requests.TTFT[row] < 0 && m.set.Requests.TTFT[row] != table.Missing {
		lacks[tokens.NoFirst] = "first token before the start"
	}
	if s.Stream != nil {
		t.FirstChunkNS = s.Times().FirstChunkNS
	}
	if s.why != noInstants {
		lacks[tokens.NoLast], lacks[tokens.NoChunk] = s.why, s.why
	}
	if t.FirstTokenNS == tokens.Absent {
		return t, lacks
	}
	if decode, ok := m.events.decodeOf(row); ok {
		if t.LastTokenNS = t.FirstTokenNS + decode; decode > math.MaxInt64-t.FirstTokenNS || t.EndNS != tokens.Absent && t.LastTokenNS > t.EndNS {
			t.LastTokenNS, lacks[tokens.NoLast] = tokens.Absent, decodeTooLong
		}
	}
	return t, lacks
}

// What is known of why instants are not.
const (
	noReasoning   = "nothing says which tokens are of reasoning"
	decodeTooLong = "the engine's time of decoding ends after the request"
)

// columns returns what the requests table tells of the instants of a request.
func (m *measured) columns(row int32) tokens.Times {
	req := &m.set.Requests
	t := tokens.Times{
		FirstChunkNS: tokens.Absent, FirstTokenNS: tokens.Absent, FirstAnswerNS: tokens.Absent,
		LastTokenNS: tokens.Absent, EndNS: tokens.Absent, Tokens: tokens.Absent,
	}
	if ns := req.TTFT[row]; ns != table.Missing && ns >= 0 {
		t.FirstTokenNS = ns
	}
	if ns := req.Duration[row]; m.ended(row) && ns >= 0 {
		t.EndNS = ns
	}
	if n := req.OutputTokens[row]; n != table.Missing {
		t.Tokens = n
	}
	return t
}

// ended reports whether the end of a request is known.
func (m *measured) ended(row int32) bool {
	class := critical.Class(m.set.Requests.Class[row])
	return class == critical.Complete || class == critical.Incomplete
}
