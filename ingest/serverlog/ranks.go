package serverlog

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// rankWindow is how many instants the records of ranks are compared over: the ranks of
// one engine write side by side, but not in step.
const rankWindow = 16

// keptRecords is for how many records of one instant memory is kept for the next.
const keptRecords = 64

// ranks finds the records that several ranks of one engine write alike. What one rank
// writes twice is two records.
type ranks struct {
	times [rankWindow]rankTime
	next  int
}

// rankTime is what was written at one instant.
type rankTime struct {
	time   int64
	seen   map[string]int // places in counts, by the record without its rank
	counts []rankCount
}

// rankCount is how often each rank has written a record: the first one, which is most
// often the only one, and the others.
type rankCount struct {
	most   int
	first  []byte
	times  int
	others map[string]int
}

// add counts a record of a rank and returns how many it has written.
func (c *rankCount) add(rank []byte) int {
	if c.times == 0 {
		c.first = append(c.first[:0], rank...)
	}
	if bytes.Equal(c.first, rank) {
		c.times++
		return c.times
	}
	if c.others == nil {
		c.others = map[string]int{}
	}
	c.others[string(rank)]++
	return c.others[string(rank)]
}

// duplicate reports whether another rank has written a record already. Its times are
// settled. buffer is for use.
func (k *ranks) duplicate(r *format.Record, values []match.Value, buffer *[]byte) bool {
	t := r.Time.Value(values)
	if t == nil {
		return false
	}
	rank := (*buffer)[:0]
	for _, slot := range r.Rank {
		rank = appendValue(rank, &values[slot])
	}
	n := len(rank)
	key := append(rank, byte(r.Index), byte(r.Index>>8))
	key = append(key, r.Format.ID...)
	for i := range values {
		if !isRank(r, i) {
			key = appendValue(key, &values[i])
		}
	}
	*buffer = key
	rank, key = key[:n], key[n:]
	if len(rank) == 0 || allNone(r, values) {
		return false
	}
	at := k.at(t.Int)
	i, ok := at.seen[string(key)]
	if !ok {
		i = at.newCount()
		at.seen[string(key)] = i
	}
	c := &at.counts[i]
	if n := c.add(rank); n > c.most {
		c.most = n
		return false
	}
	return true
}

// newCount returns the place of a count of nothing. It uses the memory of one that is
// not needed any more.
func (t *rankTime) newCount() int {
	n := len(t.counts)
	if n == cap(t.counts) {
		t.counts = append(t.counts, rankCount{})
		return n
	}
	t.counts = t.counts[:n+1]
	c := &t.counts[n]
	c.most, c.times, c.others = 0, 0, nil
	return n
}

// at returns what was written at an instant.
func (k *ranks) at(time int64) *rankTime {
	for i := range k.times {
		if k.times[i].seen != nil && k.times[i].time == time {
			return &k.times[i]
		}
	}
	e := &k.times[k.next]
	k.next = (k.next + 1) % rankWindow
	if e.seen == nil || len(e.seen) > keptRecords {
		e.seen, e.counts = map[string]int{}, nil
	}
	clear(e.seen)
	e.time, e.counts = time, e.counts[:0]
	return e
}

func isRank(r *format.Record, slot int) bool {
	for _, s := range r.Rank {
		if int(s) == slot {
			return true
		}
	}
	return false
}

func allNone(r *format.Record, values []match.Value) bool {
	for _, s := range r.Rank {
		if values[s].Kind != match.None {
			return false
		}
	}
	return true
}

// appendValue spells a value so that two spell the same only if they are the same.
func appendValue(dst []byte, v *match.Value) []byte {
	dst = append(dst, byte(v.Kind))
	switch v.Kind {
	case match.None:
		return dst
	case match.Int, match.Duration, match.Instant:
		return binary.BigEndian.AppendUint64(dst, uint64(v.Int))
	case match.Float:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Float))
	}
	dst = binary.AppendUvarint(dst, uint64(len(v.Text)))
	return append(dst, v.Text...)
}
