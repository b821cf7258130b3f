package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// When lists the incidents.
type When struct {
	Known     bool    `json:"known"`
	Clock     string  `json:"clock"`
	StartNS   int64   `json:"start_ns"`
	EndNS     int64   `json:"end_ns"`
	Start     string  `json:"start"` // empty when the clock is not the wall clock
	End       string  `json:"end"`
	Waits     int64   `json:"waits"`
	Quiet     int64   `json:"quiet"` // requests that wait in quiet, at most
	DepthMean float64 `json:"depth_mean"`
	DepthPeak int64   `json:"depth_peak"`
	Waited    float64 `json:"waited_request_s"`
	Inside    float64 `json:"inside_share"` // of it, in incidents
	// Incidents are [MostIncidents] at most, those in which most was waited, in order of time. More
	// counts the others.
	Incidents []Incident    `json:"incidents"`
	More      MoreIncidents `json:"more_incidents"`
	Words     string        `json:"words"`
}

// MoreIncidents sums up the incidents that are not listed, in each of which no more was waited than
// in any that is.
type MoreIncidents struct {
	N      int64   `json:"n"`
	Hit    int64   `json:"hit"`
	Slow   int64   `json:"hit_slow"`
	Waited float64 `json:"waited_request_s"`
}

// Incident is a time in which a backlog built up and went again.
type Incident struct {
	No         int64   `json:"no"` // in order of time, from 1, of all
	OnsetNS    int64   `json:"onset_ns"`
	PeakNS     int64   `json:"peak_ns"`
	RecoveryNS int64   `json:"recovery_ns"`
	Onset      string  `json:"onset"` // empty when the clock is not the wall clock
	Peak       string  `json:"peak"`
	Recovery   string  `json:"recovery"`
	Begun      bool    `json:"begun"`     // it was under way when the window began
	Recovered  bool    `json:"recovered"` // it ended in the window
	Depth      int64   `json:"depth_peak"`
	Hit        int64   `json:"hit"`
	Slow       int64   `json:"hit_slow"` // of them, among the slow requests
	Waited     float64 `json:"waited_request_s"`
	MeanNS     int64   `json:"mean_wait_ns"`
	LongestNS  int64   `json:"longest_wait_ns"`
	Before     Traffic `json:"before"`
	Rise       Traffic `json:"rise"` // from onset to peak
	During     Traffic `json:"during"`
	Arrivals   *Figure `json:"arrivals_ratio"` // of the rise by before; null when nothing came before
	Beyond     float64 `json:"beyond"`         // by how many times it exceeds what chance reaches once in a hundred captures
}

// Traffic is what came and what was in flight in a time.
type Traffic struct {
	Seconds  float64  `json:"seconds"`
	Arrivals int64    `json:"arrivals"`
	Rate     *float64 `json:"arrivals_per_s"` // null of no time
	InFlight *float64 `json:"in_flight_mean"`
}

// MostIncidents is how many incidents a document lists, unless more are asked for. A month of
// bursts has thousands, of which the small ones are alike.
const MostIncidents = 100

// mostIncidents is how many of n incidents are listed, where usual says how many usually are.
func (r Run) mostIncidents(n, usual int) int {
	switch {
	case r.Listed < 0:
		return n
	case r.Listed > usual:
		return min(n, r.Listed)
	}
	return min(n, usual)
}

// when lists the incidents in which most was waited, and sums up the others.
func (r Run) when(w analyze.When) When {
	at := func(ns int64) string { return instant(w.Clock, ns) }
	out := When{
		Known: w.Known, Clock: analyze.ClockName(w.Clock), StartNS: w.From, EndNS: w.To, Waits: w.Waits, Quiet: w.Quiet, Words: w.Why,
		Waited: w.Total.Float() / 1e9, Inside: w.Inside.Over(w.Total), DepthPeak: w.Depth.Peak, Incidents: []Incident{},
	}
	if !w.Known {
		return out
	}
	out.Start, out.End, out.DepthMean = at(w.From), at(w.To), w.Depth.Mean()
	for k, i := range w.Incidents {
		out.Incidents = append(out.Incidents, Incident{
			No: int64(k) + 1, OnsetNS: i.Onset, PeakNS: i.Peak, RecoveryNS: i.Recovery, Onset: at(i.Onset), Peak: at(i.Peak), Recovery: at(i.Recovery),
			Begun: i.Begun, Recovered: i.Recovered, Depth: i.Depth, Hit: i.Hit, Slow: i.Slow, Waited: i.Waited.Float() / 1e9,
			MeanNS: i.MeanWaitNS(), LongestNS: i.LongestNS, Before: traffic(i.Before), Rise: traffic(i.Rise), During: traffic(i.During),
			Arrivals: ratio(i.Arrivals), Beyond: i.Beyond,
		})
	}
	all := out.Incidents
	out.Incidents = out.MostWaited(r.mostIncidents(len(all), MostIncidents))
	for k, rest := 0, out.Incidents; k < len(all); k++ {
		if len(rest) > 0 && rest[0].No == all[k].No {
			rest = rest[1:]
			continue
		}
		out.More.N++
		out.More.Hit += all[k].Hit
		out.More.Slow += all[k].Slow
		out.More.Waited += all[k].Waited
	}
	return out
}

// QueueStretch is what came and what waited in a stretch of time. Figures are null where too little of
// it was recorded for them.
type QueueStretch struct {
	FromNS int64    `json:"from_ns"` // on the clock of When; all are as long
	ToNS   int64    `json:"to_ns"`
	N      int64    `json:"n"` // requests of the population that started in it
	Rate   *float64 `json:"arrivals_per_s"`
	Depth  *float64 `json:"waiting_mean"`
	Queue  *float64 `json:"queue_share"` // of the time of those that started in it
}

// overTime writes the stretches of time; h may be nil.
func overTime(h *analyze.Heat) []QueueStretch {
	out := []QueueStretch{}
	if h == nil {
		return out
	}
	length := float64(h.Times[1]-h.Times[0]) / 1e9
	for i, c := range h.Columns {
		x := seriesOf(h, c, length)
		out = append(out, QueueStretch{FromNS: h.Times[i], ToNS: h.Times[i+1], N: c.N, Rate: x.rate, Depth: x.depth, Queue: x.queue})
	}
	return out
}

// ratio returns a ratio of rates, nil when there was nothing to compare with.
func ratio(e stat.Estimate) *Figure {
	if !e.HasBounds {
		return nil
	}
	return bounded(e)
}

func traffic(t analyze.Traffic) Traffic {
	out := Traffic{Seconds: float64(t.To-t.From) / 1e9, Arrivals: t.Arrivals}
	if t.To > t.From {
		rate := t.Rate()
		out.Rate, out.InFlight = &rate, &t.InFlight
	}
	return out
}

// All is how many incidents there were, listed or not.
func (w When) All() int64 { return int64(len(w.Incidents)) + w.More.N }

// MostWaited returns the incidents in which most was waited, so many at most, in order of time. Of
// equals it takes the first.
func (w When) MostWaited(most int) []Incident {
	if most = max(0, most); len(w.Incidents) <= most {
		return w.Incidents
	}
	out := slices.Clone(w.Incidents)
	slices.SortStableFunc(out, func(a, b Incident) int { return cmp.Compare(b.Waited, a.Waited) })
	out = out[:most]
	slices.SortFunc(out, func(a, b Incident) int { return cmp.Compare(a.No, b.No) })
	return out
}

// worst returns the incident in which most was waited, the first of equals; nil for none.
func (w When) worst() *Incident {
	if list := w.MostWaited(1); len(list) > 0 {
		return &list[0]
	}
	return nil
}

// words sums up when requests waited.
func (w When) words(t Tail) string {
	if !w.Known {
		return "cannot be told: " + w.Words
	}
	if w.Waits == 0 {
		return "never: no request waited"
	}
	mean := fmt.Sprintf("n = %s that waited; %s waited on average, %s at most", Integer(w.Waits), depthText(w.DepthMean), Integer(w.DepthPeak))
	if len(w.Incidents) == 0 {
		return "no incident: no time stands out from what chance does to a steady load (" + mean + ")"
	}
	slow := w.More.Slow
	for _, i := range w.Incidents {
		slow += i.Slow
	}
	return fmt.Sprintf("%s with %s %% of all waiting (%s); %s of %s began to wait in one",
		plural(w.All(), "incident"), Percent(w.Inside), mean, Integer(slow), the(t.Tail.N, "slow request"))
}
