package reports

import "github.com/tailpath/tailpath/analyze"

// Inspect is the inspect section of a document.
type Inspect struct {
	Rows            RowCounts    `json:"rows"`
	Services        []Seen       `json:"services"`
	Hosts           []Seen       `json:"hosts"`
	Scopes          []Seen       `json:"scopes"`
	Readings        []Reading    `json:"readings"`  // of the state of engines and GPUs
	SpanTime        *TimeRange   `json:"span_time"` // null without spans
	LogTime         *TimeRange   `json:"log_time"`
	SampleTime      *TimeRange   `json:"engine_sample_time"`
	Undated         int64        `json:"undated_spans"` // on a steady clock, or of durations alone: in no time range
	Requests        int64        `json:"requests"`
	Classes         []ClassCount `json:"classes"`
	Coverage        Coverage     `json:"coverage"`
	Conservation    Conservation `json:"conservation"`
	Excluded        []Count      `json:"excluded"`         // spans, by reason
	ExcludedUnnamed int64        `json:"excluded_unnamed"` // excluded spans beyond those reasons
	Tiling          Tiling       `json:"tiling"`
	Sampling        Sampling     `json:"sampling"`
	Joining         Joining      `json:"joining"`
	Clocks          Clocks       `json:"clocks"`
	Engines         []Engine     `json:"engines"`
}

// RowCounts counts the rows of the raw tables.
type RowCounts struct {
	Spans         int64 `json:"spans"`
	SpanEvents    int64 `json:"span_events"`
	SpanLinks     int64 `json:"span_links"`
	Logs          int64 `json:"logs"`
	EngineSamples int64 `json:"engine_samples"`
}

// Seen counts the spans and logs of one service, host or scope. The name is empty
// for those that did not say.
type Seen struct {
	Name  string `json:"name"`
	Spans int64  `json:"spans"`
	Logs  int64  `json:"logs"`
}

// TimeRange is a first start and a last end.
type TimeRange struct {
	StartNS int64  `json:"start_ns"`
	EndNS   int64  `json:"end_ns"`
	Start   string `json:"start"`
	End     string `json:"end"`
}

// ClassCount counts requests of one class and reason.
type ClassCount struct {
	Class  string `json:"class"`
	Reason string `json:"reason"`
	N      int64  `json:"n"`
	Errors int64  `json:"errors"`
}

// Coverage splits the path time of all requests by confidence: exact, anchored and
// residual add up to 1 when there is any. Unattributed is a stage, and cuts across.
type Coverage struct {
	PathSeconds  float64 `json:"path_seconds"`
	Exact        float64 `json:"exact"`
	Anchored     float64 `json:"anchored"`
	Residual     float64 `json:"residual"`
	Attributed   float64 `json:"attributed"`
	Unattributed float64 `json:"unattributed"`
	Balanced     bool    `json:"balanced"`
}

// Tiling says whether the segments of every request tile it.
type Tiling struct {
	Checked    int64  `json:"checked"`
	Failed     int64  `json:"failed"`
	First      string `json:"first,omitempty"`
	NoSegments bool   `json:"no_segments"`
}

// Inspect makes the document of an inspection. The issues of the inspection are the
// document's quality entries when the run brings none.
func (r Run) Inspect(in analyze.Inspection) Document {
	if r.Quality == nil {
		r.Quality = in.Issues
	}
	d := r.document(KindInspect)
	d.Inspect = &Inspect{
		Rows:     RowCounts{in.Spans, in.SpanEvents, in.SpanLinks, in.Logs, in.EngineSamples},
		Services: seen(in.Services), Hosts: seen(in.Hosts), Scopes: seen(in.Scopes),
		Readings: readings(in.Readings), SpanTime: timeRange(in.SpanTime), LogTime: timeRange(in.LogTime), SampleTime: timeRange(in.SampleTime), Undated: in.Undated, Requests: in.Requests, Classes: []ClassCount{},
		Coverage: coverage(in.Coverage), Conservation: conservation(in.Conservation), Excluded: counts(in.Excluded),
		ExcludedUnnamed: in.ExcludedUnnamed, Tiling: Tiling(in.Tiling), Sampling: sampling(in.Sampling),
		Joining: joining(in.Joining), Clocks: Clocks{analyze.ClockMode(in.Clock), clockOffsets(in.Clocks, in.Zones), lineShifts(in.Zones)}, Engines: engines(in.Engines),
	}
	for _, c := range in.Classes {
		d.Inspect.Classes = append(d.Inspect.Classes, ClassCount{c.Class.String(), c.Reason, c.N, c.Errors})
	}
	d.Headline = inspectHeadline(d.Inspect, d.Quality)
	d.Next = r.afterInspect(d.Inspect)
	return d
}

// Reading sums up the readings of one metric of one service. The values are null when
// none of them is a number.
type Reading struct {
	Service string   `json:"service"`
	Metric  string   `json:"metric"`
	Unit    string   `json:"unit"`
	N       int64    `json:"n"`
	Engines int64    `json:"engines"` // distinct engines they are of
	Least   *float64 `json:"least"`
	Median  *float64 `json:"median"`
	Most    *float64 `json:"most"`
}

func readings(in []analyze.Reading) []Reading {
	out := make([]Reading, 0, len(in))
	for _, r := range in {
		out = append(out, Reading{r.Service, r.Metric, r.Unit, r.N, r.Engines, figure(r.Least), figure(r.Median), figure(r.Most)})
	}
	return out
}

func seen(in []analyze.Seen) []Seen {
	out := make([]Seen, 0, len(in))
	for _, s := range in {
		out = append(out, Seen(s))
	}
	return out
}

func timeRange(t analyze.TimeRange) *TimeRange {
	if !t.Known {
		return nil
	}
	return &TimeRange{t.First, t.Last, Time(t.First), Time(t.Last)}
}

func coverage(c analyze.Coverage) Coverage {
	out := Coverage{
		PathSeconds: c.Total.Float() / 1e9, Exact: c.Exact.Over(c.Total), Anchored: c.Anchored.Over(c.Total),
		Residual: c.Residual.Over(c.Total), Unattributed: c.Unattributed.Over(c.Total), Balanced: c.Balanced,
	}
	if out.PathSeconds > 0 {
		out.Attributed = 1 - out.Unattributed
	}
	return out
}
