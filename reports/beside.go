package reports

import (
	"encoding/hex"
	"math"

	"github.com/tailpath/tailpath/analyze"
)

// Told is a place that tells of a request: an input with its spans, or one record.
type Told struct {
	Source string `json:"source"`
	Record bool   `json:"record"`
	Line   int64  `json:"line,omitempty"` // 1-based, of a record; absent when the input has no lines
	Format string `json:"format,omitempty"`
}

// Wait is a queue segment of the path to the end, with its cause and the numbers that
// say so. Times are ns of the wait; numbers that nothing was recorded of are null.
type Wait struct {
	Segment int    `json:"segment"` // index in path
	Cause   string `json:"cause"`
	Rule    string `json:"rule"`  // that gave the cause
	Basis   string `json:"basis"` // what the rule rests on: readings, intervals, record or none
	Words   string `json:"words"` // the cause and what says so, in one line
	Engine  string `json:"engine"`
	Gateway bool   `json:"gateway"` // it waited before the engine, not at it
	Batches bool   `json:"batches"` // limit and running count batches

	WaitNS        int64 `json:"wait_ns"`
	ErrorNS       int64 `json:"error_ns"`
	FullNS        int64 `json:"full_ns"`
	FreeNS        int64 `json:"free_ns"`
	IdleNS        int64 `json:"idle_ns"`
	KeptNS        int64 `json:"kept_ns"`
	PrefillNS     int64 `json:"prefill_ns"`
	LongPrefillNS int64 `json:"long_prefill_ns"`
	PreemptedNS   int64 `json:"preempted_ns"`

	Limit       *SlotLimit `json:"limit"`        // null when it is not known
	Running     *float64   `json:"running"`      // mean, by the requests' own times
	RunningRead *float64   `json:"running_read"` // mean of the readings
	KVUsage     *float64   `json:"kv_usage"`     // greatest reading, 0 to 1
	Readings    int64      `json:"readings"`     // taken during the wait
	Partial     bool       `json:"partial"`      // not all requests of the engine are known

	Held Held `json:"held"`
}

// SlotLimit is the most that runs at once at an engine, with what shows it.
type SlotLimit struct {
	Value  int64   `json:"value"`
	Basis  string  `json:"basis"` // readings or intervals
	Share  float64 `json:"share"` // of the time, or readings, in which somebody waited
	NS     int64   `json:"held_ns"`
	Visits int64   `json:"visits"` // times it was filled up again while others waited; of readings, those at it
}

// Held is the other requests that held an engine in a time.
type Held struct {
	NS      int64    `json:"held_ns"` // at most the length of the time
	N       int64    `json:"n"`       // requests
	Holders []Holder `json:"holders"` // the first of them, most first
}

// Holder is a request that held the engine while another waited.
type Holder struct {
	TraceID    string `json:"trace_id"`
	RootSpanID string `json:"root_span_id"`
	RequestID  string `json:"request_id,omitempty"`
	Record     bool   `json:"record"` // its ids were made of the place of its record
	NS         int64  `json:"held_ns"`
	Why        string `json:"why"` // what it held: slot, memory, prefill, running
}

// EngineState is an engine when the longest wait began. The request itself is not
// counted.
type EngineState struct {
	Segment   int            `json:"segment"` // index in path
	Engine    string         `json:"engine"`
	AtNS      int64          `json:"at_ns"`
	Running   int64          `json:"running"`
	Waiting   int64          `json:"waiting"`
	Preempted int64          `json:"preempted"`
	Batches   *int64         `json:"batches"`    // that ran; null where no batches are
	Limit     *int64         `json:"slot_limit"` // null when it is not known
	Partial   bool           `json:"partial"`    // the counts are lower bounds
	Readings  []StateReading `json:"readings"`
}

// StateReading is a reading that is in force at an instant.
type StateReading struct {
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
	AgeNS  int64   `json:"age_ns"`
}

// Stalls are the gaps between tokens that are long beside the others of the request.
type Stalls struct {
	ExcessNS     int64   `json:"excess_ns"`     // beyond the median gap, of all
	AttributedNS int64   `json:"attributed_ns"` // of it, put down to prefills of others
	List         []Stall `json:"stalls"`
	Held         Held    `json:"held"`
}

// Stall is one such gap.
type Stall struct {
	StartNS      int64 `json:"start_ns"`
	EndNS        int64 `json:"end_ns"`
	MedianNS     int64 `json:"median_ns"`
	ExcessNS     int64 `json:"excess_ns"`
	OverlapNS    int64 `json:"overlap_ns"` // others prefilled meanwhile
	AttributedNS int64 `json:"attributed_ns"`
}

func toldBy(in []analyze.Told) []Told {
	out := make([]Told, 0, len(in))
	for _, t := range in {
		told := Told{Source: t.Source, Record: t.Record, Format: t.Kind}
		if t.Line != analyze.Missing {
			told.Line = t.Line
		}
		out = append(out, told)
	}
	return out
}

func waits(in []analyze.Wait) []Wait {
	out := make([]Wait, 0, len(in))
	for _, w := range in {
		f := w.Finding
		out = append(out, Wait{
			Segment: w.Segment, Cause: f.Cause.String(), Rule: f.Rule, Basis: f.Basis.String(), Words: waitWords(w), Engine: w.Engine, Gateway: f.Gateway, Batches: w.Batches,
			WaitNS: f.WaitNS, ErrorNS: f.ErrorNS, FullNS: f.FullNS, FreeNS: f.FreeNS, IdleNS: f.IdleNS, KeptNS: f.KeptNS,
			PrefillNS: f.PrefillNS, LongPrefillNS: f.LongPrefillNS, PreemptedNS: f.PreemptedNS,
			Limit: slotLimit(f.Limit), Running: figure(f.Running), RunningRead: figure(f.RunningRead), KVUsage: figure(f.KVUsage),
			Readings: f.Readings, Partial: f.Partial, Held: held(w.Held),
		})
	}
	return out
}

func slotLimit(l analyze.SlotLimit) *SlotLimit {
	if l.Value == 0 {
		return nil
	}
	return &SlotLimit{l.Value, l.Basis.String(), l.Share, l.NS, l.Visits}
}

// figure returns a pointer to v, nil for what is no number.
func figure(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func held(in analyze.Held) Held {
	out := Held{NS: in.NS, N: in.N, Holders: []Holder{}}
	for _, h := range in.Holders {
		out.Holders = append(out.Holders, Holder{hex.EncodeToString(h.TraceID[:]), hex.EncodeToString(h.RootSpanID[:]), h.RequestID, h.Record, h.NS, h.Why})
	}
	return out
}

func engineState(s *analyze.State) *EngineState {
	if s == nil {
		return nil
	}
	out := &EngineState{
		Segment: s.Segment, Engine: s.Engine, AtNS: s.At, Running: s.Running, Waiting: s.Waiting, Preempted: s.Preempted, Partial: s.Partial, Readings: []StateReading{},
	}
	if s.Batching {
		out.Batches = &s.Batches
	}
	if s.Limit > 0 {
		out.Limit = &s.Limit
	}
	for _, r := range s.Readings {
		out.Readings = append(out.Readings, StateReading{r.Metric, r.Unit, r.Value, r.AgeNS})
	}
	return out
}

func stalls(in analyze.Stalls) *Stalls {
	if len(in.List) == 0 {
		return nil
	}
	out := &Stalls{Held: held(in.Held)}
	for _, s := range in.List {
		out.ExcessNS, out.AttributedNS = out.ExcessNS+s.ExcessNS, out.AttributedNS+s.AttributedNS
		out.List = append(out.List, Stall{s.Start, s.End, s.MedianNS, s.ExcessNS, s.OverlapNS, s.AttributedNS})
	}
	return out
}
