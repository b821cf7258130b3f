package page

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

var stageNames = []string{"network", "gateway", "queue", "scheduling", "gpu", "transfer", "application", "unattributed"}

// drawTail makes a tail with details of one stage; near says that the excesses cancel
// out but for a little.
func drawTail(t *rapid.T) reports.Tail {
	tail := reports.Tail{Q: "p99", Enough: true, MinTail: 20}
	near := rapid.Bool().Draw(t, "cancelling")
	for i, name := range stageNames {
		s := reports.ExcessShare{Stage: name, TailNS: rapid.Int64Range(0, 1<<40).Draw(t, "slow"), BodyNS: rapid.Int64Range(0, 1<<40).Draw(t, "usual")}
		if near && i == len(stageNames)-1 {
			if rest := tail.Body.MeanNS - tail.Tail.MeanNS; rest > 0 {
				s.TailNS, s.BodyNS = rest, 0
			} else {
				s.TailNS, s.BodyNS = rapid.Int64Range(0, 1<<20).Draw(t, "rest"), -rest
			}
		}
		s.ExcessNS = s.TailNS - s.BodyNS
		tail.Tail.MeanNS, tail.Body.MeanNS = tail.Tail.MeanNS+s.TailNS, tail.Body.MeanNS+s.BodyNS
		tail.Stages = append(tail.Stages, s)
	}
	tail.ExcessNS = tail.Tail.MeanNS - tail.Body.MeanNS
	gpu := tail.Stages[4]
	cut := func(of int64) int64 { return rapid.Int64Range(0, of).Draw(t, "decode") }
	a, b := cut(gpu.TailNS), cut(gpu.BodyNS)
	tail.Details = []reports.ExcessShare{
		{Stage: "gpu", Detail: "decode", TailNS: a, BodyNS: b, ExcessNS: a - b},
		{Stage: "gpu", Detail: "prefill", TailNS: gpu.TailNS - a, BodyNS: gpu.BodyNS - b, ExcessNS: gpu.ExcessNS - a + b},
	}
	if tail.ExcessNS > 0 {
		for _, list := range [][]reports.ExcessShare{tail.Stages, tail.Details} {
			for i := range list {
				share := float64(list[i].ExcessNS) / float64(tail.ExcessNS)
				list[i].Share = &share
			}
		}
	}
	return tail
}

// TestExcessTableAddsAcrossAndDown: as written, slow less usual is the excess in every
// row, stages add up to the total and details to their stage, and no mean is a whole
// step off.
func TestExcessTableAddsAcrossAndDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tail := drawTail(t)
		e := newExcessTable(tail, reports.Verdict{Kind: "mixed"})
		total := excessCells{tenths: 1000}
		total.steps[slow], total.steps[usual] = e.unit.Steps(tail.Tail.MeanNS), e.unit.Steps(tail.Body.MeanNS)
		total.steps[extra] = total.steps[slow] - total.steps[usual]
		step := e.unit.NS
		for range e.unit.Decimals {
			step /= 10
		}
		check := func(parts []reports.ExcessShare, of excessCells, slack int64) []excessCells {
			cells := e.split(parts, of)
			var sum [3]int64
			for i, c := range cells {
				if c.steps[slow]-c.steps[usual] != c.steps[extra] {
					t.Fatalf("row %d does not add across: %v", i, c.steps)
				}
				for column, ns := range []int64{parts[i].TailNS, parts[i].BodyNS} {
					if off := c.steps[column]*step - ns; off > step || off < -step {
						t.Fatalf("%d ns is written as %d steps of %d ns", ns, c.steps[column], step)
					}
				}
				if off := c.steps[extra]*step - parts[i].ExcessNS; off >= 2*step+slack || off <= -2*step-slack {
					t.Fatalf("an excess of %d ns is written as %d steps of %d ns", parts[i].ExcessNS, c.steps[extra], step)
				}
				for column, steps := range c.steps {
					sum[column] += steps
				}
			}
			if sum != of.steps {
				t.Fatalf("rows add to %v, the row above says %v", sum, of.steps)
			}
			return cells
		}
		cells := check(tail.Stages, total, 0)
		check(tail.Details, cells[4], 1)
		if tail.ExcessNS <= 0 {
			for _, row := range e.grid.Rows {
				if row[4] != absent {
					t.Fatalf("a share of no excess: %v", row)
				}
			}
		}
	})
}

// TestCancellingStagesAreWritten: a queue that gains what the GPU loses shows both,
// and no share of the little that is left.
func TestCancellingStagesAreWritten(t *testing.T) {
	tail := reports.Tail{Q: "p99", Enough: true, MinTail: 20, ExcessNS: 400_000}
	tail.Tail.MeanNS, tail.Body.MeanNS = 500_400_000, 500_000_000
	for _, name := range stageNames {
		s := reports.ExcessShare{Stage: name}
		switch name {
		case "queue":
			s.TailNS, s.BodyNS = 385_700_000, 100_000_000
		case "gpu":
			s.TailNS, s.BodyNS = 114_700_000, 400_000_000
		}
		s.ExcessNS = s.TailNS - s.BodyNS
		share := float64(s.ExcessNS) / 400_000
		s.Share = &share
		tail.Stages = append(tail.Stages, s)
	}
	for kind, percents := range map[string][3]string{"none": {"-", "-", "-"}, "mixed": {"71425.0", "-71325.0", "100.0"}} {
		e := newExcessTable(tail, reports.Verdict{Kind: kind})
		got := map[string]string{}
		for _, row := range e.grid.Rows {
			got[row[0]] = strings.Join(row[1:], " ")
		}
		for row, want := range map[string]string{
			"queue": "386 100 286 " + percents[0], "gpu": "114 400 -286 " + percents[1], "total": "500 500 <1 " + percents[2],
		} {
			if got[row] != want {
				t.Errorf("verdict %s, %s: %q, want %q", kind, row, got[row], want)
			}
		}
	}
}

// TestPeersTableAddsAcross reads the table of every request against its peers.
func TestPeersTableAddsAcross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := reports.Request{Standing: reports.Standing{Peers: 100, Body: 20}}
		scale := rapid.SampledFrom([]int64{1, 1000, 1_000_000}).Draw(t, "scale")
		for _, name := range stageNames {
			median := scale * rapid.Int64Range(0, 10_000).Draw(t, "median")
			r.Standing.Stages = append(r.Standing.Stages, reports.StageDifference{Stage: name, NS: scale * rapid.Int64Range(0, 10_000).Draw(t, "this"), MedianNS: &median})
		}
		p := newBuilder(Options{})
		p.peers(r, "")
		read := func(text string) float64 {
			if strings.Contains(text, "<") {
				return 0
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		rows := 0
		for line := range strings.SplitSeq(textOf(p), "\n") {
			f := strings.Fields(line)
			if len(f) != 4 || f[0] == "this" {
				continue
			}
			rows++
			if off := read(f[1]) - read(f[2]) - read(f[3]); off > 1e-6 || off < -1e-6 {
				t.Fatalf("does not add across: %q", line)
			}
		}
		if rows == 0 {
			t.Fatalf("no rows in\n%s", textOf(p))
		}
	})
}

func TestPlaceOf(t *testing.T) {
	in := func(peers, faster, ties int64) reports.Standing {
		return reports.Standing{Peers: peers, InPopulation: true, Faster: faster, Ties: ties}
	}
	for _, c := range []struct {
		s    reports.Standing
		want string
	}{
		{in(0, 0, 0), ""}, {in(1, 0, 0), ""},
		{in(3000, 2999, 0), "the slowest of 3,000 requests"},
		{in(3000, 2998, 0), "2nd slowest of 3,000 requests"},
		{in(3000, 2997, 0), "3rd slowest of 3,000 requests"},
		{in(3000, 2996, 0), "p99.9 of 3,000 requests"},
		{in(3_000_000, 2_999_996, 0), "p99.9 of 3,000,000 requests"},
		{in(3000, 2996, 2), "2nd slowest of 3,000 requests, as slow as 2 others"},
		{in(10, 6, 0), "p70.0 of 10 requests"},
		{in(3000, 0, 0), "the fastest of 3,000 requests"},
		{in(30, 0, 29), "as slow as 29 others of 30 requests"},
		{in(30, 28, 1), "the slowest of 30 requests, as slow as 1 other"},
		{reports.Standing{Peers: 30, Faster: 30, Words: "among kept traces"}, "slower than 30 of 30 requests among kept traces; left out of them itself"},
	} {
		if got := placeOf(c.s); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

// TestBandsNeedRequests: a band of fewer than MinTail requests is named, not drawn;
// without any other there is one column of all.
func TestBandsNeedRequests(t *testing.T) {
	docs := fixed(t)
	for _, c := range []struct {
		document, columns, note string
	}{
		{"summary", "p0-50 % p50-90 % p90-99 % p99-100 %", ""},
		{"summary_few", "p0-50 % p50-90 %", "] too-few: p90-99 has 5 requests, p99-100 has 1 request; shares need 20"},
		{"none", "all %", "] too-few: p0-50 has 28 requests, p50-90 has 24 requests, p90-99 has 5 requests, p99-100 has 1 request; shares need 50"},
	} {
		name := c.document
		if name == "none" {
			name = "summary_few"
		}
		l := docs[name].Summary.Duration
		if c.document == "none" {
			l.Tail.MinTail = 50
		}
		p := newBuilder(Options{})
		p.bands(l, "bands", "bands")
		got := textOf(p)
		lines := strings.Split(got, "\n")
		if columns := strings.Join(strings.Fields(lines[1]), " "); columns != c.columns {
			t.Errorf("%s: columns %q, want %q", c.document, columns, c.columns)
		}
		if has := strings.Contains(got, "too-few"); has != (c.note != "") || !strings.Contains(got, c.note) {
			t.Errorf("%s: no note %q in\n%s", c.document, c.note, got)
		}
		if marked := strings.HasSuffix(lines[0], " [1]"); marked != (c.note != "") {
			t.Errorf("%s: title %q", c.document, lines[0])
		}
		if c.document == "none" && !strings.Contains(got, "n             "+reports.Integer(l.N)) && !strings.Contains(got, fmt.Sprint(l.N)+"\n") {
			t.Errorf("no n of all requests in\n%s", got)
		}
	}
}

// TestIntervalsCarryIndependence: the note is there when an interval is.
func TestIntervalsCarryIndependence(t *testing.T) {
	for name, d := range fixed(t) {
		if d.Summary == nil {
			continue
		}
		got := render(t, d, Options{})
		if has := strings.Contains(got, "[1] independence: "); has != strings.Contains(got, "–") {
			t.Errorf("%s: note %v in\n%s", name, has, got)
		}
	}
}

// TestSmallTailsHaveNoShare of unattributed time.
func TestSmallTailsHaveNoShare(t *testing.T) {
	for name, d := range fixed(t) {
		if d.Summary == nil || d.Summary.Population.Used == 0 {
			continue
		}
		if has := strings.Contains(render(t, d, Options{}), "% in the slow requests ("); has != d.Summary.Duration.Tail.Enough {
			t.Errorf("%s: enough %v, share of the slow requests %v", name, d.Summary.Duration.Tail.Enough, has)
		}
	}
}

// TestLoadOfAShortWindow has no figures.
func TestLoadOfAShortWindow(t *testing.T) {
	s := *fixed(t)["summary"].Summary
	s.Load.ArrivalRate = nil
	p := newBuilder(Options{})
	p.load(&s)
	if got := textOf(p); !strings.HasSuffix(got, "load         too short a window for a rate\n") {
		t.Errorf("%s", got)
	}
}

// TestRareErrorsAreNotZero: one failure in 100,000 is not 0.0 %.
func TestRareErrorsAreNotZero(t *testing.T) {
	s := *fixed(t)["summary"].Summary
	s.Population.ErrorRate = reports.ErrorRate{N: 1, Of: 100_000, Share: 1e-5, Low: 2.5e-7, High: 5.6e-5}
	p := newBuilder(Options{})
	p.load(&s)
	if want := "1 of 100,000 complete requests: <0.1 % (95 %: 0.0 to 0.1)"; !strings.Contains(textOf(p), want) {
		t.Errorf("%q is not in\n%s", want, textOf(p))
	}
}

func TestUnfinishedNeverEnded(t *testing.T) {
	d := fixed(t)["explain"]
	r := d.Requests[0]
	r.Class, r.DurationNS, r.EndNS, r.Path, r.Longest = "unfinished", 0, r.StartNS, nil, nil
	d.Requests = []reports.Request{r}
	got := render(t, d, Options{})
	if !strings.Contains(got, ", never ended\n") || strings.Contains(got, "took 0 ns") || strings.Contains(got, "stage medians") {
		t.Errorf("%s", got)
	}
}

func TestFewUsualRequests(t *testing.T) {
	for n, want := range map[int64]string{0: "0 usual requests are too few", 1: "1 usual request is too few", 2: "2 usual requests are too few"} {
		p := newBuilder(Options{})
		p.peers(reports.Request{Standing: reports.Standing{Body: n, Stages: []reports.StageDifference{{Stage: "gpu"}}}}, "")
		if !strings.Contains(textOf(p), want) {
			t.Errorf("%q is not in %q", want, textOf(p))
		}
	}
}
