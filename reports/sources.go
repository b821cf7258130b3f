package reports

import "github.com/tailpath/tailpath/analyze"

// Joining says how requests were put together of traces and records.
type Joining struct {
	Requests int64       `json:"requests"`
	Joined   int64       `json:"joined"`   // told by several traces or records
	ByUnits  []UnitCount `json:"by_units"` // adds up to requests
	ByBasis  []Count     `json:"by_basis"` // the weakest key needed, the strongest first; adds up to joined
	Retried  int64       `json:"retried"`  // requests with several attempts
	Attempts int64       `json:"attempts"` // at those
	Issues   []Count     `json:"issues"`   // issues of joining, over the whole input
}

// UnitCount counts requests that are told by one number of traces and records.
type UnitCount struct {
	Units int64 `json:"units"`
	N     int64 `json:"n"`
}

// Clocks says how far the clocks of hosts and logs are off.
type Clocks struct {
	Mode   string        `json:"mode"` // raw: times as recorded; adjust: moved by these offsets
	Clocks []ClockOffset `json:"clocks"`
	Lines  []LineShift   `json:"lines"` // logs whose lines are of another zone than the requests that they tell of
}

// LineShift is a log whose lines are ahead, by a whole zone, of the times that they hold of
// requests.
type LineShift struct {
	Input  string `json:"input"`
	ZoneNS int64  `json:"zone_ns"` // multiple of 30 min
	TZ     string `json:"tz"`      // value of --tz that makes them right
	Advice string `json:"advice"`
}

// ClockOffset is how far one clock is ahead of its reference. A clock that others are
// compared with is its own reference.
type ClockOffset struct {
	Clock     string    `json:"clock"` // host, or the input of records
	Input     bool      `json:"input"` // it is the clock of the records of an input
	Reference string    `json:"reference"`
	Calls     int64     `json:"calls"`
	Violated  int64     `json:"violated"`  // of the calls, those that contradict the offset
	Broken    int64     `json:"broken"`    // more calls, which bound nothing: the server's time does not fit into the caller's
	Stretches []Stretch `json:"stretches"` // by time; several when the offset drifts
	ZoneNS    *int64    `json:"zone_ns"`   // multiple of 30 min that alone fits; null for none
	TZ        string    `json:"tz"`        // value of --tz that would make it right; empty when none would
	Advice    string    `json:"advice"`    // about the zone
}

// Stretch is a time in which one offset holds. Offset and error are null where durations
// alone can be trusted.
type Stretch struct {
	FromNS   int64  `json:"from_ns"`
	ToNS     int64  `json:"to_ns"`
	OffsetNS *int64 `json:"offset_ns"`
	ErrorNS  *int64 `json:"error_ns"`
	Calls    int64  `json:"calls"`
	Violated int64  `json:"violated"`
}

// Engine is one engine as a whole.
type Engine struct {
	Name      string     `json:"name"`
	Service   string     `json:"service,omitempty"`
	Host      string     `json:"host,omitempty"`
	Instance  string     `json:"instance,omitempty"`
	Model     string     `json:"model,omitempty"`
	Clock     string     `json:"clock"`
	Batches   bool       `json:"batches"` // peak and limit count batches, not requests
	Requests  int64      `json:"requests"`
	Peak      int64      `json:"peak"`
	Limit     *SlotLimit `json:"limit"`     // null when nothing shows one
	Readings  int64      `json:"readings"`  // that are used
	Ambiguous int64      `json:"ambiguous"` // readings that may be of another engine, and are not used
	Partial   bool       `json:"partial"`   // not all of its requests are known
	Coverage  *float64   `json:"coverage"`  // running requests known for each that readings count
	Shifted   int64      `json:"shifted"`   // requests whose times were moved when they were put together
}

// Queueing says why requests waited.
type Queueing struct {
	Q    string   `json:"q"` // the slow requests are those at or above this percentile
	All  CauseMix `json:"all"`
	Slow CauseMix `json:"slow"`
}

// CauseMix splits the queue time of some requests by cause.
type CauseMix struct {
	N      int64       `json:"n"`
	Waited int64       `json:"waited"` // of n, those with a wait whose cause was asked for
	MeanNS int64       `json:"mean_ns"`
	Causes []CauseTime `json:"causes"` // most first
}

// CauseTime is the mean time over all requests of the mix that one cause took, its share
// of their queue time, and how many waited for it.
type CauseTime struct {
	Cause  string  `json:"cause"`
	MeanNS int64   `json:"mean_ns"`
	Share  float64 `json:"share"`
	N      int64   `json:"n"`
}

func joining(j analyze.Joining) Joining {
	out := Joining{Requests: j.Requests, Joined: j.Joined, ByUnits: []UnitCount{}, ByBasis: counts(j.ByBasis), Retried: j.Retried, Attempts: j.Attempts, Issues: counts(j.Issues)}
	for _, u := range j.ByUnits {
		out.ByUnits = append(out.ByUnits, UnitCount(u))
	}
	return out
}

func clockOffsets(in []analyze.ClockOffset, zones []analyze.ZoneShift) []ClockOffset {
	out := make([]ClockOffset, 0, len(in))
	for _, c := range in {
		o := ClockOffset{Clock: c.Clock, Input: c.Input, Reference: c.Reference, Calls: c.Calls, Violated: c.Violated, Broken: c.Broken, Stretches: []Stretch{}}
		for _, s := range c.Stretches {
			stretch := Stretch{FromNS: s.From, ToNS: s.To, Calls: s.Calls, Violated: s.Violated}
			if s.Known {
				stretch.OffsetNS, stretch.ErrorNS = &s.OffsetNS, &s.ErrorNS
			}
			o.Stretches = append(o.Stretches, stretch)
		}
		for _, z := range zones {
			if z.Clock != c.Clock || z.Lines {
				continue
			}
			o.ZoneNS, o.Advice = &c.ZoneNS, z.Advice()
			if z.Suggest != "" {
				o.TZ = z.Clock + "=" + z.Suggest
			}
		}
		out = append(out, o)
	}
	return out
}

func lineShifts(zones []analyze.ZoneShift) []LineShift {
	out := []LineShift{}
	for _, z := range zones {
		if z.Lines {
			out = append(out, LineShift{z.Clock, z.ZoneNS, z.Clock + "=" + z.Suggest, z.Advice()})
		}
	}
	return out
}

func engines(in []analyze.Engine) []Engine {
	out := make([]Engine, 0, len(in))
	for _, e := range in {
		out = append(out, Engine{
			Name: e.Name, Service: e.Service, Host: e.Host, Instance: e.Instance, Model: e.Model, Clock: e.Clock, Batches: e.Batching,
			Requests: e.Requests, Peak: e.Peak, Limit: slotLimit(e.SlotLimit), Readings: e.Samples, Ambiguous: e.Ambiguous,
			Partial: e.Partial, Coverage: figure(e.Coverage), Shifted: e.Shifted,
		})
	}
	return out
}

func queueing(q analyze.Queueing) Queueing {
	mix := func(m analyze.CauseMix) CauseMix {
		out := CauseMix{N: m.N, Waited: m.Waited, Causes: []CauseTime{}}
		if m.N > 0 {
			out.MeanNS = m.Total.MeanRounded(m.N)
		}
		for _, c := range m.Causes {
			out.Causes = append(out.Causes, CauseTime{c.Cause, m.MeanNS(c), m.Share(c), c.N})
		}
		return out
	}
	return Queueing{q.Q.String(), mix(q.All), mix(q.Slow)}
}
