package serverlog

import (
	"encoding/binary"
	"math"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// rankWindow is how many instants the records of ranks are compared over: the ranks of
// one engine write side by side, but not in step.
const rankWindow = 16

// ranks finds the records that several ranks of one engine write alike. What one rank
// writes twice is two records.
type ranks struct {
	times [rankWindow]rankTime
	next  int
}

// rankTime is what was written at one instant.
type rankTime struct {
	time int64
	seen map[string]*rankCount // by the record without its rank
}

// rankCount is how often each rank has written a record.
type rankCount struct {
	most  int
	ranks map[string]int
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
	c := at.seen[string(key)]
	if c == nil {
		c = &rankCount{ranks: map[string]int{}}
		at.seen[string(key)] = c
	}
	c.ranks[string(rank)]++
	if c.ranks[string(rank)] > c.most {
		c.most = c.ranks[string(rank)]
		return false
	}
	return true
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
	e.time, e.seen = time, map[string]*rankCount{}
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
