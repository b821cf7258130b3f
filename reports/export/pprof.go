package export

import (
	"io"

	"github.com/google/pprof/profile"
)

// The values of a sample, in their order. The second is what viewers show unless they are told
// otherwise.
const (
	requestsType = "requests"
	pathType     = "critical_path"
)

// WritePprof writes the paths as a profile of pprof: gzip of the protocol buffer that
// go tool pprof reads. Values are "requests" (count), and "critical_path" (nanoseconds), which is
// the default. The profile begins when the first of the requests on the wall clock does, and
// lasts until the last of them ended; without any it has no time. Comments are kept in it, and
// shown by pprof -comments.
func (p *Paths) WritePprof(w io.Writer, comments ...string) error {
	out := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: requestsType, Unit: "count"}, {Type: pathType, Unit: "nanoseconds"}},
		DefaultSampleType: pathType,
		PeriodType:        &profile.ValueType{Type: pathType, Unit: "nanoseconds"},
		Period:            1, // every nanosecond is in it: nothing was sampled
	}
	for _, c := range comments {
		out.Comments = append(out.Comments, visible(c))
	}
	if p.dated {
		out.TimeNanos, out.DurationNanos = p.start, max(0, p.end-p.start)
	}
	// The mapping tells pprof that names are there, so that it looks for no program to find
	// them in.
	mapping := &profile.Mapping{ID: 1, File: pathType, HasFunctions: true}
	out.Mapping = []*profile.Mapping{mapping}
	locations := map[string]*profile.Location{}
	location := func(frame string) *profile.Location {
		if l, ok := locations[frame]; ok {
			return l
		}
		id := uint64(len(locations) + 1)
		// The name stands in Name alone: what stands in SystemName too is taken for the name of
		// a C++ function, and cut at its brackets.
		f := &profile.Function{ID: id, Name: frame}
		l := &profile.Location{ID: id, Mapping: mapping, Line: []profile.Line{{Function: f}}}
		out.Function, out.Location = append(out.Function, f), append(out.Location, l)
		locations[frame] = l
		return l
	}
	for _, s := range p.stacks {
		sample := &profile.Sample{Value: []int64{s.requests, s.ns}, Location: make([]*profile.Location, len(s.frames))}
		for i, frame := range s.frames {
			sample.Location[len(s.frames)-1-i] = location(frame)
		}
		out.Sample = append(out.Sample, sample)
	}
	return out.Write(w)
}
