package analyze

import (
	"encoding/hex"
	"fmt"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// Tiling is the verdict on the tables themselves: whether the segments of every
// request tile it and its stage columns add up. It is read from the tables alone,
// so it also holds for tables that somebody else wrote.
type Tiling struct {
	Checked int64 // requests with a path, and those of no length that failed
	Failed  int64
	First   string // what is wrong with the first that failed, by trace id
	// NoSegments is true when there is no segments table to check: only the stage
	// columns were.
	NoSegments bool
}

// CheckTiling checks every complete or incomplete request. Unfinished and broken
// ones have no path. Nor has one of no length, which must have neither segments nor stage
// times.
func CheckTiling(set *table.Set) Tiling {
	req, seg := &set.Requests, &set.Segments
	t := Tiling{NoSegments: seg.Len() == 0}
	checks := make([]tile, req.Len())
	for i := range seg.Len() {
		if row := seg.RequestRow[i]; row >= 0 && int(row) < len(checks) && critical.Target(seg.Target[i]) == critical.End {
			checks[row].add(req.Start[row], seg, i)
		}
	}
	first := -1
	for i := range req.Len() {
		if c := critical.Class(req.Class[i]); c == critical.Unfinished || c == critical.Broken {
			continue
		}
		fault := fault(req, i, checks[i], t.NoSegments)
		if fault != "" || req.Duration[i] > 0 {
			t.Checked++
		}
		if fault == "" {
			continue
		}
		t.Failed++
		if first < 0 || string(req.TraceID[i][:]) < string(req.TraceID[first][:]) {
			first = i
			t.First = fmt.Sprintf("trace %s: %s", hex.EncodeToString(req.TraceID[i][:]), fault)
		}
	}
	return t
}

// tile follows the segments of one request, which the table keeps in order of time.
type tile struct {
	begun bool
	at    int64 // end of the last segment
	times [StageCount]int64
	fault string
}

func (t *tile) add(start int64, seg *table.Segments, i int) {
	if !t.begun {
		t.begun, t.at = true, start
	}
	switch {
	case t.fault != "":
		return
	case seg.Start[i] != t.at:
		t.fault = fmt.Sprintf("a segment starts %d ns away from the end of the one before", seg.Start[i]-t.at)
	case seg.End[i] <= seg.Start[i]:
		t.fault = "a segment is empty"
	case seg.End[i]-seg.Start[i] != seg.Duration[i]:
		t.fault = "a segment's duration is not its end less its start"
	case int(seg.Stage[i]) >= StageCount:
		t.fault = "a segment has no known stage"
	}
	if t.fault == "" {
		t.at = seg.End[i]
		t.times[seg.Stage[i]] += seg.Duration[i]
	}
}

// fault says what is wrong with request i, if anything.
func fault(req *table.Requests, i int, t tile, noSegments bool) string {
	switch {
	case !timed(req, i):
		return "stage times do not add up to the duration"
	case noSegments:
		return ""
	case t.fault != "":
		return t.fault
	case !t.begun && req.Duration[i] > 0:
		return "no segments"
	case t.begun && t.at != req.End[i]:
		return fmt.Sprintf("the last segment ends %d ns before the request", req.End[i]-t.at)
	}
	for k := range t.times {
		if t.times[k] != req.Stage[k][i] {
			return fmt.Sprintf("segments of stage %s add up to %d ns, the request says %d", table.StageNames[k], t.times[k], req.Stage[k][i])
		}
	}
	return ""
}
