package analyze

import (
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// zoneStep is the least step between zones that matters here, 30 min in ns: as in the
// zones that clocks suggest.
const zoneStep = int64(30 * 60 * 1_000_000_000)

const (
	// zoneMost is how far a zone may be from UTC, in ns.
	zoneMost = 14 * 2 * zoneStep
	// stampSlack is how far from a whole zone the ends of what a log's lines span may be
	// from those of the requests that they tell of, in ns: lines go on before and after.
	stampSlack = int64(5 * 60 * 1_000_000_000)
)

// stamps are the times of one log, on the wall clock: of the requests that its records
// tell of, and of its other lines. They differ where a line has a local time and holds the
// times of a request as numbers, which know no zone.
type stamps struct{ requests, lines TimeRange }

// stamped returns the times of every input that holds records of requests, or nothing but
// lines, by its name.
func stamped(set *table.Set) map[table.Sym]*stamps {
	out := map[table.Sym]*stamps{}
	at := func(source table.Sym) *stamps {
		s := out[source]
		if s == nil {
			s = &stamps{}
			out[source] = s
		}
		return s
	}
	for i, origin := range set.Spans.Origin {
		if origin == table.OriginRecord && set.Spans.Clock[i] == table.ClockWall {
			at(set.Spans.Source[i]).requests.cover(set.Spans.Start[i], max(set.Spans.Start[i], set.Spans.End[i]))
		}
	}
	for i, t := range set.Logs.Time {
		if t != table.Missing && set.Logs.Clock[i] == table.ClockWall {
			at(set.Logs.Source[i]).lines.cover(t, t)
		}
	}
	for i, t := range set.EngineSamples.Time {
		if set.EngineSamples.Clock[i] == table.ClockWall {
			at(set.EngineSamples.Source[i]).lines.cover(t, t)
		}
	}
	return out
}

// shift returns the whole zone by which the lines are ahead of the requests, in ns; 0 for
// none, and when the two spans of time do not show one at both ends.
func (s *stamps) shift() int64 {
	if !s.requests.Known || !s.lines.Known {
		return 0
	}
	first, last := s.lines.First-s.requests.First, s.lines.Last-s.requests.Last
	zone := int64(math.Round(float64(first)/float64(zoneStep))) * zoneStep
	off := func(d int64) int64 { return max(d-zone, zone-d) }
	if max(zone, -zone) > zoneMost || off(first) > stampSlack || off(last) > stampSlack {
		return 0
	}
	return zone
}
