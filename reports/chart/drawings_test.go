package chart

import (
	"math"
	"strconv"
)

// examples are drawings as a report has them, one of each kind.
func examples() map[string]Drawing {
	return map[string]Drawing{
		"stack":     stackExample(),
		"tail":      tailExample(),
		"heat":      heatExample(),
		"panels":    panelsExample(),
		"knee":      kneeExample(),
		"waterfall": waterfallExample(),
		"tokens":    tokensExample(),
		"change":    changeExample(),
		"ranked":    rankedExample(),
		"multiples": multiplesExample(),
		"covers":    coverageExample(),
		"icicle":    icicleExample(),
	}
}

const (
	ms = 1e6
	s  = 1e9
	// monday is 2026-11-16 00:00 UTC.
	monday = 1794787200e9
	hour   = 3600e9
)

func stackExample() Stack {
	bar := func(label string, n int64, total float64, shares ...float64) Bar {
		b := Bar{Label: label, Note: nOf(n)}
		names := []string{"network", "gateway", "queue", "scheduling", "gpu", "transfer", unattributed}
		for i, share := range shares {
			b.Parts = append(b.Parts, Part{names[i], share * total, share})
		}
		return b
	}
	return Stack{Unit: Nanos, Bars: []Bar{
		bar("p0-50", 549, 820*ms, 0.02, 0.04, 0.09, 0.03, 0.78, 0.02, 0.02),
		bar("p50-90", 440, 1.42*s, 0.02, 0.03, 0.24, 0.03, 0.65, 0.02, 0.01),
		bar("p90-99", 99, 3.1*s, 0.01, 0.02, 0.52, 0.02, 0.41, 0.01, 0.01),
		bar("p99-100", 11, 6.41*s, 0, 0.01, 0.76, 0.01, 0.20, 0, 0.02),
	}}
}

func tailExample() Tail {
	t := Tail{Unit: Nanos, Edges: []float64{0.1 * s}}
	values := []float64{}
	// Two modes: most around 0.9 s, one in twenty around 4 s.
	for i := range 2000 {
		u := (float64(i) + 0.5) / 2000
		z := math.Log(u/(1-u)) / 1.7
		v := 0.9 * s * math.Exp(0.35*z)
		if i >= 1900 {
			v = 2.2 * s * math.Exp(0.012*float64(i-1900))
		}
		values = append(values, v)
	}
	c := Curve{Label: "this week"}
	for i := 0; i < len(values); i++ {
		c.Values = append(c.Values, values[i])
		c.Above = append(c.Above, float64(len(values)-1-i)/float64(len(values)))
	}
	last := Curve{Label: "last week"}
	for i := 0; i < len(values); i += 4 {
		last.Values = append(last.Values, values[i]*0.8)
		last.Above = append(last.Above, float64(len(values)-1-i)/float64(len(values)))
	}
	t.Curves = []Curve{c, last}
	for e := 0.1 * s; e < 8*s; {
		next := e * 1.2
		var n int64
		for _, v := range values {
			if v >= e && v < next {
				n++
			}
		}
		t.Counts, t.Edges = append(t.Counts, n), append(t.Edges, next)
		e = next
	}
	nan := math.NaN()
	t.Marks = []Mark{
		{Label: "mean", Value: 1.05 * s, Low: nan, High: nan},
		{Label: "p50", Value: 0.9 * s, Low: 0.88 * s, High: 0.93 * s},
		{Label: "p95", Value: 2.2 * s, Low: 1.9 * s, High: 2.6 * s},
		{Label: "p99", Value: 5.7 * s, Low: 4.9 * s, High: 6.4 * s},
		{Label: "SLO", Value: 5 * s, Low: nan, High: nan, Limit: true},
	}
	return t
}

func heatExample() Heat {
	h := Heat{XUnit: UnixTime, YUnit: Nanos, Lines: []Line{{Label: "p50"}, {Label: "p99"}}}
	h.Y = []float64{0.1 * s}
	for len(h.Y) < 19 {
		h.Y = append(h.Y, h.Y[len(h.Y)-1]*1.3)
	}
	h.X = []float64{monday}
	for i := range 84 {
		h.X = append(h.X, monday+float64(i+1)*2*hour)
		load := 0.55 + 0.45*math.Sin(float64(i%12)/12*2*math.Pi-1.6)
		slow := i >= 18 && i <= 21
		centre := 6 + 2*load
		counts := make([]int64, 18)
		for j := range counts {
			d := float64(j) - centre
			n := 240 * (load + 0.1) * math.Exp(-d*d/4)
			if slow && j > 10 {
				n += 40 * math.Exp(-(float64(j)-14)*(float64(j)-14)/2)
			}
			counts[j] = int64(n)
		}
		h.Counts = append(h.Counts, counts)
		p50 := 0.1 * s * math.Pow(1.3, centre+0.5)
		p99 := p50 * 2
		if slow {
			p99 = 0.1 * s * math.Pow(1.3, 15)
		}
		if i == 50 || i == 51 {
			p50, p99 = math.NaN(), math.NaN()
		}
		h.Lines[0].Values = append(h.Lines[0].Values, p50)
		h.Lines[1].Values = append(h.Lines[1].Values, p99)
	}
	h.Brackets = []Bracket{{"queue on gpu-07 and gpu-11", monday + 36*hour, monday + 44*hour}}
	return h
}

func panelsExample() Panels {
	p := Panels{XUnit: UnixTime, X: []float64{monday + 13*hour}}
	rate, depth, share := Line{Label: "arrivals"}, Line{Label: "waiting", Stage: "queue"}, Line{Label: "of p99-100", Stage: "queue"}
	done := Line{Label: "completed"}
	usual := Line{Label: "usual"}
	for i := range 120 {
		x := float64(i)
		p.X = append(p.X, monday+13*hour+(x+1)*60e9)
		surge := math.Exp(-(x - 60) * (x - 60) / 250)
		r := 11 + math.Sin(x/5) + 7*surge
		if i >= 90 && i < 96 {
			rate.Values = append(rate.Values, math.NaN())
		} else {
			rate.Values = append(rate.Values, r)
		}
		done.Values = append(done.Values, min(r, 14+math.Sin(x/3)))
		depth.Values = append(depth.Values, 3+34*math.Exp(-(x-66)*(x-66)/300))
		usual.Values = append(usual.Values, 4)
		share.Values = append(share.Values, 0.12+0.6*math.Exp(-(x-66)*(x-66)/350))
	}
	p.Panels = []Panel{
		{"requests/s", PerS, []Line{rate, done}},
		{"requests in the queue", Plain, []Line{depth, usual}},
		{"queue's share of the critical path", Share, []Line{share}},
	}
	p.Brackets = []Bracket{{"incident", monday + 13*hour + 45*60e9, monday + 14*hour + 28*60e9}}
	return p
}

func kneeExample() Knee {
	k := Knee{XLabel: "requests in flight", Panels: []Against{
		{Label: "completed requests/s", Unit: PerS, Of: []Dots{{Label: "this week"}, {Label: "last 4 weeks"}}},
		{Label: "duration", Unit: Nanos, Log: true, Of: []Dots{{Label: "p50"}, {Label: "p99"}}},
	}}
	for i := 1; i <= 20; i++ {
		x := float64(i * 4)
		rate := min(x/1.1, 36) + math.Sin(x)
		k.Panels[0].Of[0].Dots = append(k.Panels[0].Of[0].Dots, Dot{x, rate, rate - 2, rate + 2, int64(40 + i)})
		if i < 11 {
			k.Panels[0].Of[1].Dots = append(k.Panels[0].Of[1].Dots, Dot{x + 1.5, rate - 1, math.NaN(), math.NaN(), 160})
		}
		p50 := 1.1 * s * math.Pow(max(x/40, 1), 1.2)
		p99 := p50 * (1.6 + x/60)
		k.Panels[1].Of[0].Dots = append(k.Panels[1].Of[0].Dots, Dot{x, p50, p50 * 0.9, p50 * 1.1, int64(40 + i)})
		k.Panels[1].Of[1].Dots = append(k.Panels[1].Of[1].Dots, Dot{x, p99, p99 * 0.8, p99 * 1.3, int64(40 + i)})
	}
	k.At = []Mark{{Label: "knee", Value: 40, Low: 36, High: 46}}
	return k
}

func waterfallExample() Waterfall {
	nan := math.NaN()
	return Waterfall{To: 6.41 * s, Spans: []Span{
		{"client: POST /v1/chat", 0, 0, 6.41 * s, []Piece{{0, 12 * ms, "network"}, {6.404 * s, 6.41 * s, "network"}}, false},
		{"gateway: route", 1, 12 * ms, 6.404 * s, []Piece{{12 * ms, 53 * ms, "gateway"}, {6.35 * s, 6.404 * s, "transfer"}}, false},
		{"gateway: check the key against the identity provider", 2, 16 * ms, 40 * ms, nil, false},
		{"engine: llm_request", 2, 53 * ms, 6.35 * s, []Piece{{5.9 * s, 6.1 * s, unattributed}}, false},
		{"waiting in queue", 3, 53 * ms, 4.6 * s, []Piece{{53 * ms, 4.6 * s, "queue"}}, true},
		{"batch", 3, 4.6 * s, 4.67 * s, []Piece{{4.6 * s, 4.67 * s, "scheduling"}}, false},
		{"prefill", 3, 4.67 * s, 5.55 * s, []Piece{{4.67 * s, 5.55 * s, "gpu"}}, true},
		{"decode", 3, 5.55 * s, 6.35 * s, []Piece{{5.55 * s, 5.9 * s, "gpu"}, {6.1 * s, 6.35 * s, "gpu"}}, false},
		{"audit: write", 2, 5.7 * s, 6.2 * s, nil, false},
	}, Ticks: []Mark{
		{Label: "log: waiting=37", Value: 0.4 * s, Low: nan, High: nan},
		{Label: "first token", Value: 5.55 * s, Low: nan, High: nan},
		{Label: "preempted", Value: 5.9 * s, Low: nan, High: nan},
	}}
}

func icicleExample() Icicle {
	panel := func(label string, n int64, network, gateway, backoff, queue, decode float64) Layers {
		engine := queue + decode
		l := Layers{Label: label + ", mean of " + count(n), Total: network + gateway + backoff + engine}
		add := func(name string, depth int, from, v float64, stage string, through int64) {
			l.Tiles = append(l.Tiles, Tile{name, depth, from, v, stage, nOf(through) + " of " + count(n)})
		}
		add("client: POST /v1/chat", 0, 0, l.Total, "", n)
		add("network/hop", 1, 0, network, "network", n)
		add("gateway: route", 1, network, l.Total-network, "", n)
		add("gateway", 2, network, gateway, "gateway", n)
		add("queue/retry_backoff", 2, network+gateway, backoff, "queue", n/2)
		add("engine: llm_request", 2, network+gateway+backoff, engine, "", n)
		add("queue/engine", 3, network+gateway+backoff, queue, "queue", n)
		add("gpu/decode", 3, network+gateway+backoff+queue, decode*.9, "gpu", n)
		add("unattributed", 3, network+gateway+backoff+queue+decode*.9, decode*.1, unattributed, n)
		return l
	}
	return Icicle{Unit: Nanos, Of: []Layers{
		panel("slow", 11, 12*ms, 41*ms, 900*ms, 4.5*s, 1.4*s),
		panel("usual", 220, 10*ms, 22*ms, 0, 60*ms, 880*ms),
	}}
}

func tokensExample() Tokens {
	t := Tokens{First: 1.24 * s, Held: []Bracket{{"prefill of another request", 2.4 * s, 2.78 * s}}}
	at := t.First
	for i := range 90 {
		t.At, t.N = append(t.At, at), append(t.N, 1)
		at += (26 + 8*math.Sin(float64(i)*1.7)) * ms
		if i == 36 {
			at += 390 * ms
		}
		if i == 70 {
			at += 160 * ms
		}
	}
	t.End = t.At[len(t.At)-1] + 8*ms
	nan := math.NaN()
	t.Marks = []Mark{{Label: "p50 of all", Value: 27 * ms, Low: nan, High: nan}, {Label: "p99 of all", Value: 210 * ms, Low: nan, High: nan}}
	return t
}

func changeExample() Change {
	return Change{Unit: Nanos, Old: "2026-W46", New: "2026-W47", Pairs: []Pair{
		{"queue", "queue", 1.1 * s, 3.26 * s, "slower"},
		{"gpu", "gpu", 1.31 * s, 1.29 * s, "~"},
		{"scheduling", "scheduling", 240 * ms, 95 * ms, "faster"},
		{"transfer", "transfer", 0.6 * s, 0.45 * s, "faster"},
		{"unattributed", unattributed, 41 * ms, 80 * ms, "slower"},
	}}
}

func rankedExample() Ranked {
	return Ranked{Unit: Nanos, Ranks: []Rank{
		{"queue at its median", "queue", 3.1 * s, 2.7 * s, 3.4 * s, nOf(482)},
		{"gpu at its median", "gpu", 0.62 * s, 0.4 * s, 0.81 * s, nOf(482)},
		{"transfer at its median", "transfer", 0.09 * s, -0.02 * s, 0.2 * s, nOf(482)},
		{"unattributed", unattributed, 0.3 * s, math.NaN(), math.NaN(), nOf(482)},
		{"gateway at its median", "gateway", -0.12 * s, -0.3 * s, 0.05 * s, nOf(482)},
	}}
}

func multiplesExample() Multiples {
	var m Multiples
	for i, stage := range []string{"queue", "gpu", "scheduling", "transfer"} {
		of := Series{Label: stage + ", p99-100", Unit: Nanos, Stage: stage}
		for w := range 6 {
			v := (1.1 + 0.2*math.Sin(float64(w+i))) * s / float64(i*i+1)
			if stage == "queue" && w > 3 {
				v *= 2.4
			}
			of.Points = append(of.Points, Point{"W" + strconv.Itoa(42+w), v, v * 0.85, v * 1.2, w == 2})
		}
		m.Of = append(m.Of, of)
	}
	return m
}
