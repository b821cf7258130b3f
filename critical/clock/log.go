package clock

import (
	"cmp"
	"slices"
)

const (
	// slotNS is the time of which a Log keeps a fixed number of exchanges, in ns.
	slotNS = 10_000_000_000
	// keptPerSlot is how many: the narrowest, which are the least delayed. Narrowness says
	// nothing of where an interval lies, so wrong ones are no likelier among them.
	keptPerSlot = 8
)

// Log gathers exchanges in bounded memory. The zero value is ready. It is not safe
// for concurrent use: give each worker its own, and merge them in any order.
type Log struct {
	pairs map[pair]*pairLog
	// recent is the pair of the last exchange, as calls of one pair come together.
	recent     *pairLog
	recentPair pair
}

type pair struct{ caller, server string }

type pairLog struct {
	slots    map[int64]*slot
	recent   *slot
	recentAt int64 // number of the recent slot; it means nothing without one
	calls    int64
	broken   int64
}

// slot holds the calls of a pair that began in the same ten seconds.
type slot struct {
	calls       int64
	first, last int64   // of all calls, ns
	kept        []bound // the narrowest, by narrower
}

type bound struct{ at, until, low, high int64 }

// narrower orders bounds by width, and bounds of one width so that only equal ones tie.
func narrower(a, b bound) int {
	return cmp.Or(
		cmp.Compare(a.high-a.low, b.high-b.low),
		cmp.Compare(a.at, b.at),
		cmp.Compare(a.until, b.until),
		cmp.Compare(a.low, b.low),
	)
}

// Add takes an exchange in. One whose bounds contradict each other, or are beyond any
// clock, counts as broken. An exchange of a clock with itself, or with a clock without a
// name, says nothing and is left out.
func (l *Log) Add(x Exchange) {
	if !x.bounds() {
		l.Broken(x.Caller, x.Server)
		return
	}
	p := l.pair(x.Caller, x.Server)
	if p == nil {
		return
	}
	p.calls++
	number := x.At / slotNS
	if x.At%slotNS < 0 {
		number--
	}
	if p.recent == nil || p.recentAt != number {
		p.recent, p.recentAt = p.slot(number), number
	}
	s := p.recent
	if s.calls == 0 || x.At < s.first {
		s.first = x.At
	}
	if s.calls == 0 || x.At > s.last {
		s.last = x.At
	}
	s.calls++
	s.keep(bound{x.At, max(x.At, x.Until), x.Low, x.High})
}

// Broken counts a call that bounds nothing, as Observe tells them.
func (l *Log) Broken(caller, server string) {
	if p := l.pair(caller, server); p != nil {
		p.broken++
	}
}

// Merge takes in all that o holds, and leaves o as it is.
func (l *Log) Merge(o *Log) {
	if o == nil {
		return
	}
	for name, from := range o.pairs {
		to := l.pair(name.caller, name.server)
		to.calls += from.calls
		to.broken += from.broken
		for number, s := range from.slots {
			to.slot(number).merge(s)
		}
	}
}

// pair returns the log of a pair, or nil where the pair says nothing of clocks.
func (l *Log) pair(caller, server string) *pairLog {
	name := pair{caller, server}
	if l.recent != nil && l.recentPair == name {
		return l.recent
	}
	if caller == server || caller == "" || server == "" {
		return nil
	}
	p := l.pairs[name]
	if p == nil {
		if l.pairs == nil {
			l.pairs = map[pair]*pairLog{}
		}
		p = &pairLog{slots: map[int64]*slot{}}
		l.pairs[name] = p
	}
	l.recent, l.recentPair = p, name
	return p
}

func (p *pairLog) slot(number int64) *slot {
	s := p.slots[number]
	if s == nil {
		s = &slot{}
		p.slots[number] = s
	}
	return s
}

// keep takes a bound in if it is among the narrowest.
func (s *slot) keep(b bound) {
	full := len(s.kept) == keptPerSlot
	if full && narrower(b, s.kept[keptPerSlot-1]) >= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(s.kept, b, narrower)
	if full {
		copy(s.kept[i+1:], s.kept[i:])
		s.kept[i] = b
		return
	}
	s.kept = slices.Insert(s.kept, i, b)
}

func (s *slot) merge(o *slot) {
	if o.calls == 0 {
		return
	}
	if s.calls == 0 || o.first < s.first {
		s.first = o.first
	}
	if s.calls == 0 || o.last > s.last {
		s.last = o.last
	}
	s.calls += o.calls
	for _, b := range slices.Clone(o.kept) {
		s.keep(b)
	}
}
