package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Queue answers whether queueing makes slow requests slow, when and where it did, and why.
// The verdict is that of the Summary, and everything else is evidence for or against it: each
// part has numbers of its own and says what they are worth.
type Queue struct {
	Summary Summary
	// Bands is the share of the queue stage in the time of each band of the duration, and
	// TTFTBands in that of the time to the first token.
	Bands, TTFTBands []BandShare
	Work             Work
	Little           Little
	Busy             Busy
	When             When
	OverTime         *Heat // in stretches; nil where requests have no times, or where it was not asked for
	Where            []Where
	Candidates       []Candidate
	WhatIf           WhatIf
	Who              cohort.Result // what slow requests have more often than the rest
	// WithoutQueue is of each objective of the options what would have met it without the queue.
	WithoutQueue []WithoutQueue
}

// BandShare is the share of the queue stage in the time of the requests of a band. Its
// interval resamples blocks of time and keeps the limits of the band.
type BandShare struct {
	Band  Band
	N     int64
	Share stat.Estimate
}

// WhatIf is arithmetic on the requests at hand: the percentile that makes requests slow, if
// no request had spent more in the queue than a limit. It is no forecast, since how long
// requests wait depends on the load.
type WhatIf struct {
	Known bool
	Q     stat.Prob
	N     int64 // requests that it stands on
	NowNS int64 // the percentile, nearest rank
	// At the median queue time of all requests: what the percentile would be, by the gain of
	// the attribution, which also bounds it.
	MedianNS int64
	AtMedian Shorter
	Gain     stat.Estimate
	// Bounded is the gain if a request gets shorter by no more than its drag: what runs beside
	// the queue then ends it. It is what to tell. Equal to Gain when no drag is known.
	Bounded stat.Estimate
	// Off peak: the same at the median of the requests that came outside incidents; only if
	// there are incidents, and no interval since they chose the limit.
	HasOffPeak bool
	OffPeakNS  int64
	AtOffPeak  Shorter
}

// Shorter is what a percentile would be, in ns, if requests got shorter: Serial by all of
// what they lose, which is as much as can be, and Bounded by no more than their drag.
type Shorter struct{ Serial, Bounded int64 }

// QueueOf analyses the waiting of the requests of a set. By names the fields to split it by;
// without any, WhereKeys are used. It depends on the order of no table.
func QueueOf(set *table.Set, opt Options, by []filter.Key) Queue {
	opt = opt.filled().on(set)
	q := Queue{Summary: Summarize(set, opt)}
	s := &q.Summary
	rows, _ := population(set, opt)
	tail := newQueueTail(set, rows, s.Duration.Tail.Q)
	tail.listed = opt.MostListed(placesKept)
	w := sharedWaiting(set, opt)
	fields := NewFields(set)

	q.When = whenOf(set, w, tail.slow, tail.median, s.Load.Clock, opt.Rule)
	if opt.OverTime && len(w.rows) > 0 {
		q.OverTime = heatOf(set, rows, w)
	}
	q.Bands = w.bands(set, durationMetric(set), tail.rows, s.Duration, s.Verdict.Predicts, opt)
	streamed, _ := ttftRows(set, rows)
	rank(set, streamed, set.Requests.TTFT)
	q.TTFTBands = w.bands(set, ttftMetric(set), streamed, s.TTFT, s.TTFTVerdict.Predicts, opt)
	q.Work = tail.workOf()
	q.Little = littleOf(set, w, opt.Seed)
	q.Busy = busyOf(set, w, q.When, tail.rows, opt.Rule.MinTail)
	q.Where = tail.wheres(fields, by, opt.Rule.MinTail)
	q.Candidates = q.candidates(set, fields, rows)
	slow := tail.rows[len(tail.rows)-int(tail.slowN):]
	q.Who = WhoDiffers(set, fields, slow, tail.rows[:len(tail.rows)-len(slow)], opt.Workers)
	q.WhatIf = tail.whatIf(s.Duration, q.When)
	q.WithoutQueue = withoutQueue(set, rows, s.Population, opt)
	for _, gain := range []*stat.Estimate{&q.WhatIf.Gain, &q.WhatIf.Bounded} {
		gain.HasBounds = gain.HasBounds && s.Verdict.Predicts
	}
	return q
}

// shareBlocks is how many blocks of time the shares of bands are resampled in.
const shareBlocks = 30

// bands returns the share of the queue in the bands of a metric, whose rows are ranked. There
// are bounds where those of the verdict predict.
func (w *waiting) bands(set *table.Set, m metric, ranked []int32, l Latency, predicts bool, opt Options) []BandShare {
	timed := predicts && w.to > w.from
	out := make([]BandShare, 0, len(l.Bands))
	for _, b := range l.Bands {
		share := BandShare{Band: b.Band, N: b.N}
		if timed && b.N >= opt.Rule.MinTail {
			queue, all := make([]float64, shareBlocks), make([]float64, shareBlocks)
			for _, row := range ranked[b.First-1 : b.Last] {
				at := float64(set.Requests.Start[row]-w.from) / float64(w.to-w.from) * shareBlocks
				k := min(shareBlocks-1, max(0, int(at)))
				queue[k] += float64(m.stages[stage.Queue][row])
				all[k] += float64(m.value[row])
			}
			share.Share = ratioOf(queue, all, opt.Seed)
		}
		share.Share.Value, share.Share.N = b.Share(int(stage.Queue)), b.N
		out = append(out, share)
	}
	return out
}

// whatIf computes the percentile with the queue at its median, and off peak.
func (t *queueTail) whatIf(l Latency, when When) WhatIf {
	n := int64(len(t.rows))
	if l.Attribution == nil || n == 0 {
		return WhatIf{}
	}
	part := l.Attribution.Parts[stage.Queue]
	out := WhatIf{Known: true, Q: t.q, N: n, Gain: part.Gain, Bounded: part.GainBounded}
	r := &t.set.Requests
	waited := gather(r.Stage[stage.Queue], t.rows)
	out.MedianNS = medianOf(waited)
	drag := drags(t.set, t.rows)
	at := func(limit int64) (s Shorter) {
		serial, bounded := make([]int64, n), make([]int64, n)
		for i, row := range t.rows {
			by := max(0, waited[i]-limit)
			serial[i] = r.Duration[row] - by
			if drag != nil {
				by = min(by, max(0, drag[stage.Queue][i]))
			}
			bounded[i] = r.Duration[row] - by
		}
		slices.Sort(serial)
		slices.Sort(bounded)
		return Shorter{stat.NearestRank(serial, t.q), stat.NearestRank(bounded, t.q)}
	}
	out.NowNS, out.AtMedian = at(1<<63-1).Serial, at(out.MedianNS)
	var off []int64
	for i, row := range t.rows {
		if when.at(r.Start[row]) < 0 {
			off = append(off, waited[i])
		}
	}
	if len(when.Incidents) > 0 && len(off) > 0 {
		out.HasOffPeak, out.OffPeakNS = true, medianOf(off)
		out.AtOffPeak = at(out.OffPeakNS)
	}
	return out
}
