package main

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// score is the result of one scenario on one server, read from some of its sources,
// over its seeds: what tailpath found against what was planted.
type score struct {
	Scenario string  `json:"scenario"`
	Server   string  `json:"server"`
	Sources  sources `json:"sources"`
	Gateway  string  `json:"gateway"` // kind of the gateway's log
	Seeds    int     `json:"seeds"`
	Requests int     `json:"requests"`
	Missing  int     `json:"missing"` // planted and not found, or not as complete requests
	Twice    int     `json:"twice"`   // found as several requests
	Stray    int     `json:"stray"`   // found and not planted
	Exact    int     `json:"exact"`   // every stage equal to the nanosecond
	// Within counts requests of which no stage has more than was planted beyond the
	// stated error, and none less than that and what is said to be unattributed.
	Within    int    `json:"within"`
	MaxError  int64  `json:"max_error"` // ns; the largest excess of any stage over the planted
	Worst     string `json:"worst"`     // the stage of it
	Explained int    `json:"explained"` // percent of the planted time that is attributed
	TTFT      int    `json:"ttft"`      // requests with a first token planted that the sources show
	TTFTGood  int    `json:"ttft_within"`
	Attempts  int    `json:"attempts"` // requests whose attempts were counted right
	Causes    int    `json:"causes"`   // requests that waited for a planted cause
	CauseGood int    `json:"causes_right"`
	CauseMute int    `json:"causes_unknown"` // of these, where tailpath says that it cannot tell
	// SlowCauses counts runs whose slow requests waited for something planted, and
	// SlowCauseOpen those of them whose sources cannot tell it and none is told that is
	// wrong. Of the others SlowCauseGood counts those in which most of their queue time is
	// found to be for it, and SlowCauseMute those in which most has no known cause.
	SlowCauses      int      `json:"slow_causes"`
	SlowCauseOpen   int      `json:"slow_causes_unknowable"`
	SlowCauseGood   int      `json:"slow_causes_right"`
	SlowCauseMute   int      `json:"slow_causes_unknown"`
	SlowCauseMisses []string `json:"slow_causes_misses,omitempty"` // what was found and what was planted
	SlowCauseOpens  []string `json:"slow_causes_open,omitempty"`   // likewise, and why it cannot be told
	Cause           string   `json:"cause"`                        // stage of the planted cause; "none" for none
	Planted         string   `json:"planted"`                      // verdict on the planted times, per seed, joined when they differ
	Found           string   `json:"found"`                        // verdict on the times found, likewise
	Right           int      `json:"right"`                        // seeds in which the two agree

	// Misses name requests that are missing or not within the stated error: trace id, and
	// the stage that is off by most, with by how much.
	Misses []string `json:"misses,omitempty"`

	planted, attributed int64 // ns
}

// mostMisses is how many misses of a row are named.
const mostMisses = 3

// miss names a request that was not recovered.
func (s *score) miss(t *simulate.Truth, format string, args ...any) {
	if len(s.Misses) < mostMisses {
		s.Misses = append(s.Misses, t.TraceID+" "+fmt.Sprintf(format, args...))
	}
}

// vantageOf returns a request as the outermost of the sources sees it: the client's span,
// the gateway's line, or, of the engine's, the stages that happen there.
func vantageOf(t *simulate.Truth, from sources) simulate.Vantage {
	switch {
	case from == fromLogs && t.Gateway != nil:
		return *t.Gateway
	case from == fromEngine:
		v := simulate.Vantage{StartNS: t.ArrivalNS}
		for _, k := range []int{simulate.StageQueue, simulate.StageScheduling, simulate.StageGPU, simulate.StageTransfer} {
			v.StagesNS[k] = t.StagesNS[k]
		}
		v.StagesNS[simulate.StageQueue] -= t.DetailsNS.Get("queue/retry_backoff")
		v.EndNS = v.StartNS + v.StagesNS.Sum()
		return v
	}
	return simulate.Vantage{StartNS: t.StartNS, EndNS: t.EndNS, StagesNS: t.StagesNS, DetailsNS: t.DetailsNS}
}

// compare counts how the requests that were found agree with the planted truth.
func (s *score) compare(c *simulate.Capture, f *found) {
	q := &f.set.Requests
	causes := longestWaits(f.set)
	s.Stray += f.stray
	for i := range c.Truth {
		t := &c.Truth[i]
		s.Requests++
		var complete []int
		for _, row := range f.rows[i] {
			if critical.Class(q.Class[row]) == critical.Complete {
				complete = append(complete, row)
			}
		}
		if len(complete) == 0 {
			if s.Missing++; s.Sources != fromEngine { // many engines log no request of their own
				s.miss(t, "missing")
			}
			continue
		}
		row := complete[0]
		if len(complete) > 1 {
			s.Twice++
			for _, other := range complete[1:] {
				if q.Duration[other] > q.Duration[row] {
					row = other
				}
			}
		}
		s.stages(c, t, f.set, row)
		s.firstToken(t, f.set, row)
		if int(q.Attempts[row]) == t.Attempts {
			s.Attempts++
		}
		told := s.Sources != fromEngine || t.QueueCause != engine.Retry.String() // an engine knows of no attempt but its own
		if t.QueueCause != "" && t.QueueCause != engine.Unknown.String() && told {
			s.Causes++
			// Where the sources do not show all of the wait, they may not show its cause.
			shown := 10*q.Stage[stage.Queue][row] >= 9*vantageOf(t, s.Sources).StagesNS[simulate.StageQueue]
			switch cause := causes[row]; {
			case cause == t.QueueCause:
				s.CauseGood++
			case cause == "", cause == engine.Unknown.String(), !shown:
				s.CauseMute++
			}
		}
	}
	s.Explained = int(100 * s.attributed / max(s.planted, 1))
}

// stages compares the stage times of one request.
func (s *score) stages(c *simulate.Capture, t *simulate.Truth, set *table.Set, row int) {
	v := vantageOf(t, s.Sources)
	want, bound := v.StagesNS, t.ErrorNS
	if s.Sources == fromTraces {
		for k, ns := range t.HiddenNS {
			want[k] -= ns
			want[simulate.StageUnattributed] += ns
		}
	} else {
		addResolution(&bound, &want)
	}
	if s.Sources == fromEngine || s.Sources == fromLogs {
		// SGLang's log lines count the wait for the first step that decodes as decoding.
		for _, k := range []int{simulate.StageGPU, simulate.StageScheduling} {
			bound[k] += t.DetailsNS.Get("scheduling")
		}
	}
	var got simulate.StageNS
	for k := range got {
		got[k] = set.Requests.Stage[k][row]
	}
	const unknown = simulate.StageUnattributed
	exact, within := true, true
	open := max(got[unknown]-want[unknown], 0)
	if s.Sources == fromEngine { // what happened before and after its own record
		open += max(want.Sum()-set.Requests.Duration[row], 0)
	}
	for k := range stage.Count {
		if k == unknown {
			continue
		}
		over := got[k] - want[k]
		exact = exact && over == 0
		within = within && over <= bound[k] && -over <= bound[k]+open
		if over > s.MaxError {
			s.MaxError, s.Worst = over, stage.Stage(k).String()
		}
	}
	if exact {
		s.Exact++
	}
	if within {
		s.Within++
	} else {
		s.missed(t, want, got)
	}
	s.planted += v.EndNS - v.StartNS
	s.attributed += set.Requests.Duration[row] - got[unknown]
}

// missed names a request whose stages are not within the stated error.
func (s *score) missed(t *simulate.Truth, want, got simulate.StageNS) {
	worst := 0
	for k := range got {
		if abs(got[k]-want[k]) > abs(got[worst]-want[worst]) {
			worst = k
		}
	}
	s.miss(t, "%s %+d ns", simulate.StageNames[worst], got[worst]-want[worst])
}

func abs(ns int64) int64 { return max(ns, -ns) }

// lineResolution is how much a gateway's line leaves open of a stage, in ns: several
// timers in whole milliseconds, each cut off or rounded.
const lineResolution = 5_000_000

// addResolution widens the bounds for what logs leave open. Where a gateway's own work
// ends and a wait in it, or the upload beside it, begins, lines and spans draw
// differently.
func addResolution(bound, want *simulate.StageNS) {
	own := want[simulate.StageGateway]
	for _, k := range []int{simulate.StageNetwork, simulate.StageGateway, simulate.StageQueue} {
		bound[k] += own
	}
	for k := range bound {
		bound[k] += lineResolution
	}
}

// firstToken compares the path to the first token with the planted one.
func (s *score) firstToken(t *simulate.Truth, set *table.Set, row int) {
	if s.Sources != fromTraces || t.TTFTStagesNS == nil || t.TTFTBeyondNS == nil {
		return
	}
	s.TTFT++
	want := *t.TTFTStagesNS
	for k := range want {
		want[k] -= t.TTFTBeyondNS[k]
		if t.TTFTHiddenNS != nil {
			want[k] -= t.TTFTHiddenNS[k]
			want[simulate.StageUnattributed] += t.TTFTHiddenNS[k]
		}
	}
	good := set.Requests.TTFT[row] != table.Missing
	open := max(set.Requests.TTFTStage[simulate.StageUnattributed][row]-want[simulate.StageUnattributed], 0)
	for k := range stage.Count {
		over := set.Requests.TTFTStage[k][row] - want[k]
		good = good && (k == simulate.StageUnattributed || over <= t.TTFTErrorNS[k] && -over <= t.TTFTErrorNS[k]+open)
	}
	if good {
		s.TTFTGood++
	}
}

// longestWaits returns for every request the cause of its longest wait on the path to the
// end: of the cause that held it longest in all.
func longestWaits(set *table.Set) []string {
	type held struct {
		cause table.Sym
		ns    int64
	}
	sums := make([][]held, set.Requests.Len())
	t := &set.Segments
	for i := range t.Len() {
		if critical.Target(t.Target[i]) != critical.End || t.Cause[i] == 0 {
			continue
		}
		list := &sums[t.RequestRow[i]]
		k := 0
		for k < len(*list) && (*list)[k].cause != t.Cause[i] {
			k++
		}
		if k == len(*list) {
			*list = append(*list, held{cause: t.Cause[i]})
		}
		(*list)[k].ns += t.Duration[i]
	}
	out := make([]string, len(sums))
	for i, list := range sums {
		most := int64(0)
		for _, h := range list {
			if h.ns > most {
				most, out[i] = h.ns, set.Symbols.Text(h.cause)
			}
		}
	}
	return out
}

// scoreText is the table as it is kept as a golden file. Missing figures count
// against tailpath; nothing is left out.
func scoreText(rows []score) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-17s %-8s %-7s %-11s %8s %7s %5s %7s %7s %12s %-12s %9s %10s %8s %12s %-11s %-11s %-11s %5s\n",
		"scenario", "server", "sources", "gateway log", "requests", "missing", "twice", "exact", "within", "max over ns", "in",
		"explained", "ttft", "attempts", "causes", "cause", "planted", "found", "right")
	sums := make([]score, len(allSources))
	for _, r := range rows {
		gateway := r.Gateway
		if r.Sources == fromTraces {
			gateway = "-"
		}
		fmt.Fprintf(&out, "%-17s %-8s %-7s %-11s %8d %7d %5d %7d %7d %12d %-12s %7d %% %10s %8d %12s %-11s %-11s %-11s %5d\n",
			r.Scenario, r.Server, r.Sources, gateway, r.Requests, r.Missing, r.Twice, r.Exact, r.Within, r.MaxError, r.Worst, r.Explained,
			fmt.Sprintf("%d/%d", r.TTFTGood, r.TTFT), r.Attempts, fmt.Sprintf("%d+%d/%d", r.CauseGood, r.CauseMute, r.Causes),
			r.Cause, r.Planted, r.Found, r.Right)
		for i, from := range allSources {
			if r.Sources == from {
				sums[i].add(r)
			}
		}
	}
	for i, sum := range sums {
		if sum.Requests == 0 {
			continue
		}
		told := sum.SlowCauses - sum.SlowCauseOpen
		fmt.Fprintf(&out, "\n%s: of %d requests %d missing, %d twice, %d strays, %d exact to the nanosecond, %d within the stated error; "+
			"first token %d of %d; attempts right in %d; cause of the wait right in %d of %d and unknown in %d; verdict right in %d of %d runs; "+
			"cause of the slow requests' waits right in %d of %d runs that tell it, unknown in %d and wrong in %d; %d more cannot tell it\n",
			allSources[i], sum.Requests, sum.Missing, sum.Twice, sum.Stray, sum.Exact, sum.Within, sum.TTFTGood, sum.TTFT, sum.Attempts,
			sum.CauseGood, sum.Causes, sum.CauseMute, sum.Right, sum.Seeds, sum.SlowCauseGood, told, sum.SlowCauseMute, told-sum.SlowCauseGood-sum.SlowCauseMute, sum.SlowCauseOpen)
	}
	list := func(title string, of func(r *score) []string) {
		named := false
		for i := range rows {
			for _, text := range of(&rows[i]) {
				if !named {
					fmt.Fprintf(&out, "\n%s:\n", title)
					named = true
				}
				fmt.Fprintf(&out, "%s on %s from %s: %s\n", rows[i].Scenario, rows[i].Server, rows[i].Sources, text)
			}
		}
	}
	list("causes of the slow requests' waits that are wrong or unknown", func(r *score) []string { return r.SlowCauseMisses })
	list("causes of the slow requests' waits that cannot be told", func(r *score) []string { return r.SlowCauseOpens })
	return out.String()
}

// add sums up what is counted.
func (s *score) add(r score) {
	s.Seeds += r.Seeds
	s.Requests += r.Requests
	s.Missing += r.Missing
	s.Twice += r.Twice
	s.Stray += r.Stray
	s.Exact += r.Exact
	s.Within += r.Within
	s.TTFT += r.TTFT
	s.TTFTGood += r.TTFTGood
	s.Attempts += r.Attempts
	s.Causes += r.Causes
	s.CauseGood += r.CauseGood
	s.CauseMute += r.CauseMute
	s.SlowCauses += r.SlowCauses
	s.SlowCauseOpen += r.SlowCauseOpen
	s.SlowCauseGood += r.SlowCauseGood
	s.SlowCauseMute += r.SlowCauseMute
	s.Right += r.Right
}
