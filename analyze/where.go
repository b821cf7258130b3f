package analyze

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Where says in which hosts, models or routes requests waited, by one field.
type Where struct {
	Key  string
	N    int64 // requests that have a value
	None int64 // requests that have none
	// Places are the values, most of the queue's excess first; with NoShares those with most of
	// the longest waits. Others sums up those beyond the first placesKept, or
	// Options.Listed if that is more. Their shares add up to 1 with that of None.
	Places []Place
	Others Place
	Values int64 // different values
	Long   int64 // of the N requests, those among the longest waits of the capture
	Need   int64 // longest waits that it takes to tell how they are spread
	// NoneShare is the share of the queue's excess in requests without a value.
	NoneShare float64
	// NoShares says in words why the queue's excess is not divided among the places: all
	// shares are then 0. Empty when it is.
	NoShares string
	// Test is whether the longest waits are spread over the values as all requests are.
	Test stat.Test
	Kind WhereKind
	Top  int // index of the place that stands out; -1 for none
}

// Place is the requests with one value of a field.
type Place struct {
	Value string
	N     int64
	// Long counts requests among the longest waits of the capture, the longest twentieth, with
	// the exact interval of their share.
	Long   int64
	Bounds stat.Bounds
	// Share is the place's part of the queue's excess: its queue time in the tail by the
	// requests of the tail, less that in the body by those of the body. 0 with NoShares.
	Share    float64
	P50, P95 stat.Quantile // of the queue time, ns
}

// WhereKind says how waiting is spread over the values of a field.
type WhereKind string

// The kinds of spread. A place stands out if the test finds that the longest waits are not
// spread as the requests are and another that they are more frequent there than elsewhere,
// if it has half or more of the queue's excess, and if a request there brings three times
// the excess of one elsewhere, or more. That is the odds ratio of its shares of the excess
// and of the requests, which any share of the requests can reach; for a quarter of the
// requests or fewer it asks no more than half of the excess.
const (
	WhereSingle WhereKind = "single" // there is one value
	WhereAlike  WhereKind = "alike"  // as the requests are, as far as the test can tell
	WhereOne    WhereKind = "one"    // one place stands out
	WhereUneven WhereKind = "uneven" // not as the requests are, and no place stands out
	WhereFew    WhereKind = "few"    // too few long waits to tell
)

// leastOdds is the excess of a request of a place that stands out by that of others.
const leastOdds = 3

// placesKept is how many places of a field are listed; the rest are summed up.
const placesKept = 50

// manyValues is the part of the requests from which on different values are ids and no
// places.
var manyValues = stat.Prob{Num: 1, Den: 2}

// WhereKeys are the fields that waiting is split by when none is named.
var WhereKeys = []string{"host", "engine", "model", "route"}

// spreadAlpha is the level of the test of spread. Waits come in incidents, so the test takes
// them for more independent than they are.
const spreadAlpha = 0.001

// queueTail is what places are measured against: the slow, usual and longest waiting rows.
type queueTail struct {
	set              *table.Set
	rows             []int32 // ranked by duration
	slow, body, long []bool
	slowN, bodyN     int64
	excess           *big.Rat // of the queue, ns
	longer           *big.Rat // the excess of the duration, ns
	q                stat.Prob
	median           int64 // of the duration, ns
	listed           int   // places of a field that are listed at most, where that is more than placesKept
}

// longFrom is the percentile of the queue time of all requests from which on a wait is one of
// the longest.
var longFrom = stat.P95

// newQueueTail ranks the rows of a population.
func newQueueTail(set *table.Set, rows []int32, q stat.Prob) *queueTail {
	rows = slices.Clone(rows)
	rank(set, rows, set.Requests.Duration)
	t := &queueTail{set: set, rows: rows, q: q, excess: new(big.Rat), longer: new(big.Rat)}
	t.slow, t.body, t.long = make([]bool, set.Requests.Len()), make([]bool, set.Requests.Len()), make([]bool, set.Requests.Len())
	n := int64(len(rows))
	if n == 0 {
		return t
	}
	waited := set.Requests.Stage[stage.Queue]
	t.median = set.Requests.Duration[rows[stat.P50.Rank(n)-1]]
	var tail, usual, slow, body stat.Sum
	for _, row := range rows[tailFrom(q, n)-1:] {
		t.slow[row] = true
		t.slowN++
		tail.Add(waited[row])
		slow.Add(set.Requests.Duration[row])
	}
	first, last := bodyRanks(n)
	for _, row := range rows[first-1 : max(last, first-1)] {
		t.body[row] = true
		t.bodyN++
		usual.Add(waited[row])
		body.Add(set.Requests.Duration[row])
	}
	t.excess, t.longer = t.beyond(tail, usual), t.beyond(slow, body)
	waits := gather(waited, rows)
	slices.Sort(waits)
	least := max(1, waits[tailFrom(longFrom, n)-1])
	for _, row := range rows {
		t.long[row] = waited[row] >= least
	}
	return t
}

// placeSum is a Place under way.
type placeSum struct {
	Place
	slow, body stat.Sum
	waits      []int64
}

// where splits the waiting by a field.
func (t *queueTail) where(f *Fields, key filter.Key, minimum int64) Where {
	out := Where{Key: key.Name, Kind: WhereSingle, Top: -1}
	field := f.Field(key.Name)
	at := map[string]int{}
	var sums []*placeSum
	none := &placeSum{}
	for _, row := range t.rows {
		p := none
		if value, ok := field.Text(row); ok {
			out.N++
			k, seen := at[value]
			if !seen {
				k = len(sums)
				at[value] = k
				sums = append(sums, &placeSum{Place: Place{Value: value}})
			}
			p = sums[k]
		} else {
			out.None++
		}
		t.add(p, row)
	}
	all := append(slices.Clone(sums), none)
	if out.NoShares = t.undivided(all); out.NoShares == "" {
		for _, p := range all {
			p.Share = t.share(p)
		}
	}
	out.NoneShare = none.Share
	slices.SortFunc(sums, func(a, b *placeSum) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Long, a.Long), cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value))
	})
	out.Values = int64(len(sums))
	t.list(&out, sums, placesKept)
	out.judge(minimum)
	if t.listed > placesKept { // what is judged does not depend on how many are listed
		t.list(&out, sums, t.listed)
	}
	if key.Order != filter.Natural {
		out.sort(key)
	}
	return out
}

// list fills in the places of which at most so many are listed, and the others as one.
func (t *queueTail) list(out *Where, sums []*placeSum, most int) {
	out.Places, out.Others = nil, Place{}
	for _, p := range sums[:min(len(sums), most)] {
		out.Places = append(out.Places, p.done())
	}
	if len(sums) <= most {
		return
	}
	others := &placeSum{Place: Place{Value: plural(int64(len(sums)-most), "other")}}
	for _, p := range sums[most:] {
		others.merge(p)
	}
	if out.NoShares == "" {
		others.Share = t.share(others)
	}
	out.Others = others.done()
}

// sort puts the places that are listed into the order of a key.
func (w *Where) sort(key filter.Key) {
	top := ""
	if w.Top >= 0 {
		top = w.Places[w.Top].Value
	}
	slices.SortStableFunc(w.Places, func(a, b Place) int { return key.Compare(a.Value, b.Value) })
	if w.Top >= 0 {
		w.Top = slices.IndexFunc(w.Places, func(p Place) bool { return p.Value == top })
	}
}

func (t *queueTail) add(p *placeSum, row int32) {
	waited := t.set.Requests.Stage[stage.Queue][row]
	p.N++
	p.waits = append(p.waits, waited)
	if t.long[row] {
		p.Long++
	}
	if t.slow[row] {
		p.slow.Add(waited)
	}
	if t.body[row] {
		p.body.Add(waited)
	}
}

func (p *placeSum) merge(q *placeSum) {
	p.N, p.Long = p.N+q.N, p.Long+q.Long
	p.slow, p.body = p.slow.Plus(q.slow), p.body.Plus(q.body)
	p.waits = append(p.waits, q.waits...)
}

// beyond returns the mean of the tail less that of the body, exactly: a sum of slow requests
// by all of the tail, less one of usual requests by all of the body.
func (t *queueTail) beyond(slow, body stat.Sum) *big.Rat {
	d := new(big.Rat)
	if t.slowN > 0 {
		d.Set(slow.Mean(t.slowN))
	}
	if t.bodyN > 0 {
		d.Sub(d, body.Mean(t.bodyN))
	}
	return d
}

// share returns a place's part of the queue's excess, which must be positive.
func (t *queueTail) share(p *placeSum) float64 {
	d := t.beyond(p.slow, p.body)
	f, _ := d.Quo(d, t.excess).Float64()
	return f
}

// leastDivided is the part of what makes slow requests slow that the queue must have for its
// excess to be divided, and mostCancelled the part of it that places with less waiting in the
// tail than in the body may take away: parts of what nearly cancels out are no shares.
var leastDivided, mostCancelled = big.NewRat(1, 100), big.NewRat(1, 2)

// undivided says why the queue's excess is not to be divided among places; empty when it is.
func (t *queueTail) undivided(places []*placeSum) string {
	if t.excess.Sign() <= 0 {
		return "slow requests wait no longer than usual ones"
	}
	least := new(big.Rat).Mul(t.longer, leastDivided)
	if t.excess.Cmp(least) < 0 {
		return "the queue has less than 1 % of what makes slow requests slow"
	}
	less := new(big.Rat)
	for _, p := range places {
		if d := t.beyond(p.slow, p.body); d.Sign() < 0 {
			less.Sub(less, d)
		}
	}
	if less.Cmp(new(big.Rat).Mul(t.excess, mostCancelled)) > 0 {
		return "what some have less of in slow requests cancels more than half of it"
	}
	return ""
}

func (p *placeSum) done() Place {
	slices.Sort(p.waits)
	p.P50, p.P95 = stat.QuantileOf(p.waits, stat.P50), stat.QuantileOf(p.waits, stat.P95)
	p.Bounds = stat.ClopperPearson(p.Long, p.N, stat.Confidence)
	return p.Place
}

// judge says how the waiting is spread.
func (w *Where) judge(minimum int64) {
	var counts [2][]int64
	w.Need = minimum
	places := w.Places
	if w.Others.N > 0 {
		places = append(slices.Clone(places), w.Others)
	}
	for _, p := range places {
		counts[0], counts[1] = append(counts[0], p.Long), append(counts[1], p.N-p.Long)
		w.Long += p.Long
	}
	switch {
	case w.Values < 2:
		return
	case w.Long < minimum:
		w.Kind = WhereFew
		return
	}
	w.Kind = WhereAlike
	if w.Test = stat.GTest(counts[:]); w.Test.P >= spreadAlpha {
		return
	}
	w.Kind = WhereUneven
	if w.NoShares == "" && standsOut(places) {
		w.Kind, w.Top = WhereOne, 0
	}
}

// standsOut reports whether the first of all places does.
func standsOut(places []Place) bool {
	top := places[0]
	var rest Place
	for _, p := range places[1:] {
		rest.N, rest.Long, rest.Share = rest.N+p.N, rest.Long+p.Long, rest.Share+p.Share
	}
	switch {
	case top.Share < 0.5:
		return false
	case rest.Share > 0 && top.Share*float64(rest.N) < leastOdds*rest.Share*float64(top.N):
		return false
	}
	return stat.FisherGreater(top.Long, top.N-top.Long, rest.Long, rest.N-rest.Long).P < spreadAlpha
}

// wheres splits the waiting by the keys; without any, by those of WhereKeys that some request
// has a value for and that are no ids.
func (t *queueTail) wheres(f *Fields, keys []filter.Key, minimum int64) (out []Where) {
	for _, key := range keys {
		out = append(out, t.where(f, key, minimum))
	}
	if len(keys) > 0 {
		return out
	}
	for _, name := range WhereKeys {
		w := t.where(f, filter.Key{Name: name}, minimum)
		if ids := w.Values > max(placesKept, manyValues.Rank(w.N)); w.N > 0 && !ids {
			out = append(out, w)
		}
	}
	return out
}
