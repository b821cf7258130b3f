package analyze

import (
	"encoding/binary"
	"reflect"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

const ms = int64(1_000_000)

// given is one request of a made-up table.
type given struct {
	id     uint64
	class  critical.Class
	reason string
	err    bool
	start  int64
	times  [StageCount]int64
	// decode is the part of the gpu time that is called decode; the rest is prefill.
	decode int64
	// ttft says that the first token comes when everything but decode and transfer is over.
	ttft   bool
	tokens int64 // 0: not recorded
	weight float64
	basis  string
}

func (g given) duration() (sum int64) {
	for _, t := range g.times {
		sum += t
	}
	return sum
}

// tables writes the requests and their segments, which tile them in path order.
func tables(requests []given) *table.Set {
	set := table.NewSet()
	segments := 0
	for i := range requests {
		segments += requests[i].mostSegments()
	}
	set.Requests.Reserve(len(requests))
	set.Segments.Reserve(segments)
	for _, g := range requests {
		add(set, g)
	}
	return set
}

// mostSegments is how many segments a request has at most: one for each stage that takes time,
// but two of the gpu, and as many until the first token.
func (g *given) mostSegments() int {
	n := 1
	for _, t := range g.times {
		if t != 0 {
			n++
		}
	}
	if g.ttft {
		n *= 2
	}
	return n
}

func add(set *table.Set, g given) {
	req := &set.Requests
	i := req.Grow()
	binary.BigEndian.PutUint64(req.TraceID[i][8:], g.id)
	binary.BigEndian.PutUint64(req.RootSpanID[i][:], ^g.id) // the other way round, so that neither stands in for the other
	req.Class[i], req.ClassReason[i], req.Error[i] = uint8(g.class), set.Symbols.Intern(g.reason), g.err
	req.Start[i], req.End[i], req.Duration[i] = g.start, g.start+g.duration(), g.duration()
	if g.tokens != 0 {
		req.OutputTokens[i] = g.tokens
	}
	if g.weight != 0 {
		req.Weight[i] = g.weight
	}
	req.SpansIn[i], req.SpansOnPath[i], req.SpansOffPath[i], req.SpansExcluded[i] = 4, 2, 1, 1
	at := g.start
	for k, t := range g.times {
		req.Stage[k][i] = t
		if stage.Stage(k) == stage.GPU {
			at = segment(set, i, critical.End, at, k, "prefill", t-g.decode)
			at = segment(set, i, critical.End, at, k, "decode", g.decode)
			continue
		}
		at = segment(set, i, critical.End, at, k, "", t)
	}
	if !g.ttft {
		return
	}
	early := g.times
	early[stage.GPU] -= g.decode
	early[stage.Transfer] = 0
	at = g.start
	for k, t := range early {
		req.TTFTStage[k][i] = t
		at = segment(set, i, critical.FirstToken, at, k, "", t)
	}
	req.FirstToken[i], req.TTFT[i] = at, at-g.start
	req.FirstTokenBasis[i] = set.Symbols.Intern(g.basis)
}

func segment(set *table.Set, request int, target critical.Target, at int64, k int, detail string, length int64) int64 {
	if length == 0 {
		return at
	}
	seg := &set.Segments
	i := seg.Grow()
	seg.RequestRow[i], seg.Target[i], seg.TraceID[i] = int32(request), uint8(target), set.Requests.TraceID[request]
	seg.Start[i], seg.End[i], seg.Duration[i] = at, at+length, length
	seg.Stage[i], seg.Detail[i] = uint8(k), set.Symbols.Intern(detail)
	if target == critical.End {
		set.Requests.ExactNS[request] += length
	}
	return at + length
}

// times names stage times.
func times(pairs ...any) (t [StageCount]int64) {
	for i := 0; i < len(pairs); i += 2 {
		t[pairs[i].(stage.Stage)] = int64(pairs[i+1].(int))
	}
	return t
}

// many repeats a request n times, a second apart, with ids from first on.
func many(n int, first uint64, g given) (out []given) {
	for i := range n {
		g.id = first + uint64(i)
		g.start = int64(i) * 1000 * ms
		out = append(out, g)
	}
	return out
}

// unequal is cmp.Diff for values that are next to never unequal: nearly all of its time goes
// into words for a difference that is not there.
func unequal(want, got any, options ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, options...)
}
