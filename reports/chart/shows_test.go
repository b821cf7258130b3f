package chart

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// element is an element of a drawing.
type element struct {
	name, class, title, text string
	attributes               map[string]string
}

func (e element) number(t *testing.T, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attributes[key], 64)
	if err != nil {
		t.Fatalf("%s of a %s: %v", key, e.name, err)
	}
	return v
}

func (e element) is(class string) bool { return slices.Contains(strings.Fields(e.class), class) }

// elements returns the elements of a drawing, but its name, its description and its patterns.
func elements(t *testing.T, svg string) (out []element) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	var stack []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if len(stack) == 1 && name != "title" && name != "desc" && name != "pattern" {
				m := element{name: name, attributes: map[string]string{}}
				for _, a := range e.Attr {
					m.attributes[a.Name.Local] = a.Value
				}
				m.class = m.attributes["class"]
				out = append(out, m)
			}
			stack = append(stack, name)
		case xml.CharData:
			if len(stack) == 2 && stack[1] == "text" {
				out[len(out)-1].text += string(e)
			}
			if len(stack) == 3 && stack[2] == "title" {
				out[len(out)-1].title += string(e)
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

// titled returns the elements whose title begins with a text.
func titled(t *testing.T, svg, prefix string) (out []element) {
	t.Helper()
	for _, e := range elements(t, svg) {
		if strings.HasPrefix(e.title, prefix) {
			out = append(out, e)
		}
	}
	return out
}

// textOf returns the texts of a drawing.
func textOf(t *testing.T, svg string) (out []string) {
	t.Helper()
	for _, e := range elements(t, svg) {
		if e.name == "text" {
			out = append(out, e.text)
		}
	}
	return out
}

func wants(t *testing.T, svg string, texts ...string) {
	t.Helper()
	got := textOf(t, svg)
	for _, want := range texts {
		if !slices.Contains(got, want) {
			t.Errorf("no text is %q in %q", want, got)
		}
	}
}

func TestStackShowsSharesAndAmounts(t *testing.T) {
	svg := stackExample().SVG("a", "title")
	wants(t, svg, "queue 76.0 %", "gpu 20.0 %", "queue 4.87 s", "6.41 s", "n = 11", "p99-100")
	for _, text := range textOf(t, svg) {
		if strings.HasPrefix(text, "scheduling ") {
			t.Errorf("a part below 8 %% has the label %q", text)
		}
	}
	parts := titled(t, svg, "p99-100: queue 4.87 s, 76.0 % (n = 11)")
	if len(parts) != 2 {
		t.Fatalf("%d parts of the queue in p99-100, want one a panel", len(parts))
	}
	if w := parts[0].number(t, "width"); math.Abs(w-0.76*(width-24-stackLeft)) > 1.1 {
		t.Errorf("76 %% is %v wide", w)
	}
	// 6.41 s is not wider than the whole of another bar by more than the times say.
	gpu := titled(t, svg, "p0-50: gpu 640 ms")
	if got, want := parts[1].number(t, "width")/gpu[1].number(t, "width"), 4.8716/0.6396; math.Abs(got-want) > 0.2 {
		t.Errorf("the amounts are %v to 1, want %v", got, want)
	}
	if hatched := titled(t, svg, "p99-100: unattributed"); len(hatched) != 2 || hatched[0].attributes["fill"] != "url(#a-hatch)" {
		t.Errorf("unattributed time is not hatched: %v", hatched)
	}
}

func TestStackDrawsNegativePartsLeftOfZero(t *testing.T) {
	svg := Stack{Unit: Nanos, Bars: []Bar{{Label: "excess", Parts: []Part{{"queue", 3 * s, 1.5}, {"gpu", -1 * s, -0.5}}}}}.SVG("a", "title")
	queue, gpu := titled(t, svg, "excess: queue"), titled(t, svg, "excess: gpu")
	for i := range queue {
		if end, start := gpu[i].number(t, "x")+gpu[i].number(t, "width"), queue[i].number(t, "x"); end > start+0.01 {
			t.Errorf("the negative part ends at %v, right of %v", end, start)
		}
	}
	wants(t, svg, "2 s") // their sum
}

func TestTailFallsInStepsAndNamesItsMarks(t *testing.T) {
	svg := tailExample().SVG("a", "title")
	wants(t, svg, "p99 5.70 s", "p95 2.20 s", "p50 900 ms", "mean 1.05 s", "SLO 5 s", "0.1 %", "requests, n = 2,000")
	curve := titled(t, svg, "this week:")
	if len(curve) != 1 || curve[0].name != "path" {
		t.Fatal("no curve")
	}
	x, y := -1.0, -1.0
	for _, m := range pathPlace.FindAllStringSubmatch(curve[0].attributes["d"], -1) {
		nextX, _ := strconv.ParseFloat(m[1], 64)
		nextY, _ := strconv.ParseFloat(m[2], 64)
		if nextX < x || nextY < y {
			t.Fatalf("the curve goes back from %v %v to %v %v", x, y, nextX, nextY)
		}
		if x >= 0 && nextX != x && nextY != y {
			t.Fatalf("from %v %v to %v %v is no step", x, y, nextX, nextY)
		}
		x, y = nextX, nextY
	}
	limit := titled(t, svg, "SLO: 5 s")
	if len(limit) != 1 || !limit[0].is("l-warn") || limit[0].is("dots") {
		t.Errorf("the objective is %v, want a full line", limit)
	}
	p99 := titled(t, svg, "p99: 5.70 s (4.90 s to 6.40 s)")
	if len(p99) != 2 {
		t.Errorf("p99 is drawn by %d marks, want a line and its interval", len(p99))
	}
	if d := p99[0].number(t, "x1") - limit[0].number(t, "x1"); d <= 0 {
		t.Errorf("5.7 s lies %v right of 5 s", d)
	}
}

func TestTailSaysWhatALogarithmicAxisLeavesOut(t *testing.T) {
	svg := Tail{Unit: Nanos, Curves: []Curve{{"all", []float64{-1, 0, 1 * ms, 2 * ms}, []float64{0.9, 0.8, 0.5, 0.1}}}}.SVG("a", "title")
	wants(t, svg, "2 values are 0 or less, for which a logarithmic axis has no place.")
}

var cellCount = regexp.MustCompile(`: ([0-9,]+) requests?$`)

func TestHeatKeepsEveryRequestWhenCellsArePutTogether(t *testing.T) {
	for _, size := range []int{1, 7, heatColumns, heatColumns + 1, 1000} {
		h := Heat{XUnit: UnixTime, YUnit: Nanos, X: []float64{monday}, Y: []float64{1 * ms}}
		for range 70 {
			h.Y = append(h.Y, h.Y[len(h.Y)-1]*1.2)
		}
		var want int64
		for i := range size {
			h.X = append(h.X, monday+float64(i+1)*60e9)
			column := make([]int64, 70)
			for j := range column {
				column[j] = int64((i*7 + j*3) % 5)
				want += column[j]
			}
			h.Counts = append(h.Counts, column)
		}
		svg := h.SVG("a", "title")
		var got int64
		cells := 0
		for _, e := range elements(t, svg) {
			if m := cellCount.FindStringSubmatch(e.title); m != nil {
				n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				got += n
				cells++
			}
		}
		if got != want {
			t.Errorf("%d columns have %d requests, want %d", size, got, want)
		}
		if cells > heatColumns*heatRows {
			t.Errorf("%d columns make %d cells", size, cells)
		}
	}
}

func TestHeatIsDarkerWhereThereIsMore(t *testing.T) {
	last := -1
	for n := int64(1); n <= 1000; n++ {
		step := heatStep(n, 1000)
		if step < last || step < 0 || step >= heatSteps {
			t.Fatalf("%d is step %d after %d", n, step, last)
		}
		last = step
	}
	if heatStep(1, 1000) != 0 || heatStep(1000, 1000) != heatSteps-1 || heatStep(1, 1) != heatSteps-1 {
		t.Error("the ramp does not go from the rarest to the most frequent")
	}
}

func TestLinesPartWhereThereIsNoNumber(t *testing.T) {
	for name, svg := range map[string]string{"heat": heatExample().SVG("a", "t"), "panels": panelsExample().SVG("a", "t")} {
		prefix := map[string]string{"heat": "p99: from", "panels": "arrivals: "}[name]
		lines := titled(t, svg, prefix)
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		if n := strings.Count(lines[0].attributes["d"], "M"); n != 2 {
			t.Errorf("%s: the line has %d parts, want 2", name, n)
		}
	}
}

func TestPanelsHaveOneAxisEachAndTellEachTime(t *testing.T) {
	svg := panelsExample().SVG("a", "title")
	wants(t, svg, "requests/s", "20 /s", "40", "100 %", "incident", "Mon 16 Nov 2026 UTC", "13:30")
	zeros := 0
	for _, text := range textOf(t, svg) {
		if text == "0" {
			zeros++
		}
	}
	if zeros != 3 {
		t.Errorf("%d axes begin at 0, want one for each of 3 panels", zeros)
	}
	if at := titled(t, svg, "2026-11-16 13:00 UTC; requests/s, arrivals: 11.0 /s; requests/s, completed: 11.0 /s; requests in the queue, waiting: "); len(at) != 1 {
		t.Error("the first minute is not told")
	}
}

func TestKneeSaysWhetherItWasReached(t *testing.T) {
	k := kneeExample()
	svg := k.SVG("a", "title")
	wants(t, svg, "knee 40 (36 to 46)", "requests in flight")
	if bands := titled(t, svg, "knee: 40 (36 to 46)"); len(bands) != 2 || !bands[0].is("band") {
		t.Errorf("the knee is %v, want a band and a line", bands)
	}
	k.At, k.Note = nil, "knee not reached"
	svg = k.SVG("a", "title")
	wants(t, svg, "knee not reached")
	for _, e := range elements(t, svg) {
		if e.name == "path" && strings.Count(e.attributes["d"], "L") > 0 && !strings.HasSuffix(e.attributes["d"], "Z") {
			t.Errorf("a line leads from dot to dot: %s", e.attributes["d"])
		}
	}
	if dots := titled(t, svg, "completed requests/s, this week: 36.7 /s (34.7 /s to 38.7 /s) at 40 in flight, n = 50"); len(dots) == 0 {
		t.Error("a dot has no number")
	}
}

func TestWaterfallShowsGapsAndWhatWasWorkedOut(t *testing.T) {
	w := waterfallExample()
	w.Spans[4].OnPath[0].From = 1 * s // nothing accounts for the time before
	svg := w.SVG("a", "title")
	gap := titled(t, svg, "unattributed: 947 ms on the critical path, from 53 ms to 1 s")
	if len(gap) != 1 || gap[0].attributes["fill"] != "url(#a-hatch)" {
		t.Errorf("the gap is %v, want it hatched", gap)
	}
	derived := titled(t, svg, "waiting in queue, queue: ")
	if len(derived) != 1 || derived[0].attributes["fill"] != "url(#a-derived)" {
		t.Errorf("what was worked out is %v, want it striped", derived)
	}
	rest := titled(t, svg, "audit: write: 500 ms")
	if len(rest) != 1 || !rest[0].is("outline") {
		t.Errorf("what is not on the path is %v, want an outline", rest)
	}
	wants(t, svg, "log: waiting=37", "first token", "6.41 s", "not on the critical path", "worked out, not recorded")
	cut := titled(t, svg, "gateway: check the key against the identity provider")
	if len(cut) != 2 || !strings.HasSuffix(cut[0].text, "…") {
		t.Errorf("a long label is %v, want it cut and told in full", cut)
	}
}

func TestWaterfallTilesTheRequest(t *testing.T) {
	pieces := tiled([]Piece{{0, 10, "queue"}, {10, 20, "queue"}, {30, 40, "gpu"}}, 50)
	want := []Piece{{0, 20, "queue"}, {20, 30, unattributed}, {30, 40, "gpu"}, {40, 50, unattributed}}
	if !slices.Equal(pieces, want) {
		t.Errorf("%v, want %v", pieces, want)
	}
}

func TestTokensCompareEachGap(t *testing.T) {
	svg := tokensExample().SVG("a", "title")
	wants(t, svg, "TTFT 1.24 s", "p99 of all 210 ms", "p50 of all 27 ms", "prefill of another request")
	gap := titled(t, svg, "gap of 408 ms before chunk 38, which brought 1 token")
	usual := titled(t, svg, "gap of 33.9 ms before chunk 3,")
	if len(gap) != 1 || len(usual) != 1 {
		t.Fatalf("the gaps are %v and %v", gap, usual)
	}
	if got := gap[0].number(t, "height") / usual[0].number(t, "height"); math.Abs(got-408/33.9) > 0.5 {
		t.Errorf("the stall is %v times as high", got)
	}
	if chunks := titled(t, svg, "chunk "); len(chunks) != 90 {
		t.Errorf("%d chunks, want 90", len(chunks))
	}
}

func TestTokensKeepTheLongestOfManyGaps(t *testing.T) {
	tk := Tokens{First: 1 * ms, End: 20.5 * s}
	for i := range 10000 {
		at := float64(i+1) * 2 * ms
		if i > 5000 {
			at += 400 * ms
		}
		tk.At = append(tk.At, at)
	}
	svg := tk.SVG("a", "title")
	if got := titled(t, svg, "gap of 402 ms before chunk 5,002"); len(got) != 1 {
		t.Error("the longest gap is not drawn")
	}
	wants(t, svg, "There are 10,000 gaps: the longest of each pixel is drawn.")
}

func TestChangeSaysItsDirectionThreeTimes(t *testing.T) {
	svg := changeExample().SVG("a", "title")
	wants(t, svg, "↑ +2.16 s slower", "↓ -145 ms faster", "-20 ms ~", "2026-W46", "2026-W47")
	for prefix, class := range map[string]string{"queue, 2026-W47: 3.26 s": "worse", "scheduling, 2026-W47: 95 ms": "better", "gpu, 2026-W47: 1.29 s": "soft", "queue, 2026-W46: 1.10 s": "hollow"} {
		if got := titled(t, svg, prefix); len(got) != 1 || !got[0].is(class) {
			t.Errorf("%s is %v, want %s", prefix, got, class)
		}
	}
	one := Change{Unit: Share, Pairs: []Pair{{Label: "queue", Old: 0.3, New: 0.71}, {Label: "gone", Old: 0.2, New: math.NaN(), Word: "gone"}}}.SVG("a", "title")
	wants(t, one, "↑ +41 pp", "gone", "before", "after")
}

func TestRankedGivesIntervals(t *testing.T) {
	svg := rankedExample().SVG("a", "title")
	wants(t, svg, "3.10 s", "n = 482", "-120 ms")
	if got := titled(t, svg, "queue at its median: 3.10 s (2.70 s to 3.40 s), n = 482"); len(got) != 2 {
		t.Errorf("%d marks tell of the queue, want a bar and a whisker", len(got))
	}
	if got := titled(t, svg, "unattributed: 300 ms, n = 482"); len(got) != 1 {
		t.Errorf("%d marks have no interval, want a bar", len(got))
	}
}

func TestMultiplesSetIncompleteWeeksApart(t *testing.T) {
	svg := multiplesExample().SVG("a", "title")
	hollow := 0
	for _, e := range titled(t, svg, "queue, p99-100, W44") {
		if e.name == "circle" && e.is("hollow") && strings.HasSuffix(e.title, ", incomplete") {
			hollow++
		}
	}
	if hollow != 1 {
		t.Errorf("%d hollow dots of the incomplete week, want 1", hollow)
	}
	for _, e := range elements(t, svg) {
		if e.name == "path" && strings.Count(e.attributes["d"], "M") != 2 {
			t.Errorf("a line leads to the incomplete week: %s", e.attributes["d"])
		}
	}
	wants(t, svg, "queue, p99-100", "W42", "W47", "200 ms")
}

func TestEmptyChartsSayWhatIsMissing(t *testing.T) {
	for name, d := range map[string]Drawing{
		"stack": Stack{}, "tail": Tail{}, "heat": Heat{}, "panels": Panels{}, "knee": Knee{Note: "knee not reached"},
		"waterfall": Waterfall{}, "tokens": Tokens{First: math.NaN()}, "change": Change{}, "ranked": Ranked{}, "multiples": Multiples{}, "coverage": Coverage{},
	} {
		svg := d.SVG("a", "title")
		if texts := textOf(t, svg); len(texts) != 1 || !strings.HasPrefix(texts[0], "There is nothing to draw: ") {
			t.Errorf("%s says %q", name, texts)
		}
		for _, fault := range faults(svg, "a") {
			t.Error(name, ": ", fault)
		}
	}
}

// TestManyAreCappedAndCounted draws far more than a picture can hold, in little time and room.
func TestManyAreCappedAndCounted(t *testing.T) {
	const many = 10000
	w, p, k := Waterfall{To: many * ms}, Panels{XUnit: Nanos, X: []float64{0}, Panels: []Panel{{Label: "x", Lines: make([]Line, 1)}}}, Knee{XLabel: "in flight", Panels: []Against{{Label: "rate", Of: make([]Dots, 1)}}}
	r, c, st, ml, tl := Ranked{}, Change{}, Stack{}, Multiples{}, Tail{Edges: []float64{1}}
	cv, parts := Coverage{}, slices.Repeat([]Covered{{Label: "y", Value: 1}}, 100)
	one := Waterfall{To: many * ms, Spans: []Span{{Label: "all", To: many * ms}}}
	for i := range many {
		at := float64(i) * ms
		path := []Piece{{at, at + ms, stages[i%7]}}
		one.Spans[0].OnPath = append(one.Spans[0].OnPath, path...)
		if i%100 != 0 {
			path = nil
		}
		w.Spans = append(w.Spans, Span{Label: "span", Depth: i, From: at, To: at + ms, OnPath: path})
		w.Ticks = append(w.Ticks, Mark{Label: "log", Value: at})
		p.X = append(p.X, at+ms)
		p.Panels[0].Lines[0].Values = append(p.Panels[0].Lines[0].Values, float64(i%17))
		k.Panels[0].Of[0].Dots = append(k.Panels[0].Of[0].Dots, Dot{float64(i), 1, 0, 2, 1})
		r.Ranks = append(r.Ranks, Rank{Label: "x", Value: 1})
		c.Pairs = append(c.Pairs, Pair{Label: "x", Old: 1, New: 2})
		cv.Bars = append(cv.Bars, Covers{Label: "x", Parts: parts[:min(len(parts), 2*i+1)]})
		st.Bars = append(st.Bars, Bar{Label: "x", Parts: []Part{{"queue", 1, 1}}})
		ml.Of = append(ml.Of, Series{Label: "x", Points: []Point{{Label: "W1", Value: 1}}})
		tl.Edges, tl.Counts = append(tl.Edges, float64(i+2)), append(tl.Counts, 1)
	}
	for name, d := range map[string]struct {
		Drawing
		note string
	}{
		"waterfall": {w, "9,800 more spans are not drawn"}, "path": {one, "too short to be drawn"},
		"panels": {p, ""}, "knee": {k, "One in 8 of 10,000 dots is drawn."},
		"ranked": {r, "9,940 more rows are not drawn."}, "change": {c, "9,940 more rows are not drawn."},
		"stack": {st, "9,960 more bars are not drawn."}, "multiples": {ml, "9,976 more charts are not drawn."},
		"coverage": {cv, "9,980 more bars are not drawn."},
		"tail":     {tl, "Cells of the histogram are put together, 59 at a time."},
	} {
		began := time.Now()
		svg := d.SVG("a", "title")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if len(svg) > 400_000 {
			t.Errorf("%s has %d bytes", name, len(svg))
		}
		if !strings.Contains(strings.Join(textOf(t, svg), " "), d.note) {
			t.Errorf("%s does not say %q: %q", name, d.note, textOf(t, svg)[max(0, len(textOf(t, svg))-3):])
		}
		for _, fault := range faults(svg, "a") {
			t.Error(name, ": ", fault)
		}
	}
	if n := len(titled(t, w.SVG("a", "t"), "span, ")); n != 100 {
		t.Errorf("%d pieces of the critical path are drawn in rows, want all 100", n)
	}
}

func TestTextsOfTheInputStayTexts(t *testing.T) {
	evil := `</text><script>alert("1")</script>` + "\x1b[31m\u202e"
	for name, d := range map[string]Drawing{
		"stack":  Stack{Bars: []Bar{{evil, evil, []Part{{evil, 1, 1}}}}},
		"ranked": Ranked{Ranks: []Rank{{Label: evil, Stage: evil, Value: 1, Note: evil}}},
		"change": Change{Old: evil, New: evil, Pairs: []Pair{{evil, evil, 1, 2, evil}}},
	} {
		svg := d.SVG(evil, evil)
		if strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\x1b\u202e") {
			t.Errorf("%s lets markup or control characters through", name)
		}
		elements(t, svg)
	}
}
