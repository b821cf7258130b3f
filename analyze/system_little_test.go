package analyze

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// slotted is what one engine with eight slots did for a while: a request waits, prefills for a
// tenth of its time there and decodes.
func slotted(seed uint64) (out []visitor) {
	for _, g := range (line{seed: seed, n: 2000, servers: 8, service: 2000 * ms, load: .9}).requests() {
		gpu := g.times[stage.GPU]
		out = append(out, visitor{start: g.start, legs: []leg{
			{atClient, stage.Network, "", 20 * ms}, {0, stage.Queue, "engine", g.times[stage.Queue]}, {0, stage.GPU, "prefill", gpu / 10},
			{0, stage.GPU, "decode", gpu - gpu/10}, {atClient, stage.Network, "", 20 * ms},
		}})
	}
	return out
}

// read adds what the engine says of some visitors every second.
func (p *plant) read(all []visitor, metrics ...string) {
	var queued, ran, ended []stayAt
	for _, v := range all {
		at := v.start + v.legs[0].ns
		begin, end := at+v.legs[1].ns, at+v.legs[1].ns+v.legs[2].ns+v.legs[3].ns
		queued, ran, ended = append(queued, stayAt{at, begin}), append(ran, stayAt{begin, end}), append(ended, stayAt{end, 1 << 62})
	}
	lists := map[string][]stayAt{"waiting": queued, "running": ran, "requests_total": ended}
	last := all[len(all)-1].start
	for _, metric := range metrics {
		var changes []int64
		n := map[int64]float64{}
		for _, s := range lists[metric] {
			changes = append(changes, s.from, s.to)
			n[s.from]++
			n[s.to]--
		}
		slices.Sort(changes)
		changes = slices.Compact(changes)
		now := 0.0
		for at, k := all[0].start, 0; at < last; at += 1000 * ms {
			for ; k < len(changes) && changes[k] <= at; k++ {
				now += n[changes[k]]
			}
			p.readings = append(p.readings, planted{at, 0, metric, now})
		}
	}
}

// tracedOf are the visitors of which a tracer keeps what keep says, changed by it.
func tracedOf(all []visitor, keep func(v *visitor, draw float64) bool) (out []visitor) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, v := range all {
		v.legs = slices.Clone(v.legs)
		if keep(&v, random.Float64()) {
			out = append(out, v)
		}
	}
	return out
}

// outsideOf compares what is planted with other sources, and nothing else.
func outsideOf(p plant) ([]LittleAgainst, string) {
	set, engines := p.build()
	return captureOf(set, Options{Engines: engines}.filled().on(set)).against()
}

func everyOne(*visitor, float64) bool { return true }

// TestAgainstReadings plants each reading of the table.
func TestAgainstReadings(t *testing.T) {
	all := slotted(3)
	slow := func(v *visitor) bool { return v.duration() > 5000*ms }
	for _, c := range []struct {
		name    string
		keep    func(v *visitor, draw float64) bool
		metrics []string
		want    little.Kind
		caveat  string
	}{
		{"everything", everyOne, []string{"waiting", "running", "requests_total"}, little.Complete, ""},
		{"three in ten", func(_ *visitor, draw float64) bool { return draw < .3 }, []string{"waiting", "running", "requests_total"}, little.Uniform, SampledTraces},
		{"slow ones more", func(v *visitor, draw float64) bool { return slow(v) || draw < .2 }, []string{"waiting", "running", "requests_total"}, little.SlowMore, BiasedSample},
		{"slow ones less", func(v *visitor, draw float64) bool { return !slow(v) || draw < .1 }, []string{"waiting", "running", "requests_total"}, little.LongLess, BiasedSample},
		{"longer spans", func(v *visitor, _ float64) bool { v.legs[3].ns = v.legs[3].ns * 3 / 2; return true }, []string{"waiting", "running", "requests_total"}, little.Wider, ""},
		{"no queue", func(v *visitor, _ float64) bool {
			v.start, v.legs[1].ns = v.start+v.legs[1].ns, 0
			return true
		}, []string{"waiting", "running", "requests_total"}, little.Uncovered, UncoveredStage},
		{"everything, not counted", everyOne, []string{"waiting", "running"}, little.SameInFlight, ""},
		{"three in ten, not counted", func(_ *visitor, draw float64) bool { return draw < .3 }, []string{"waiting", "running"}, little.FewerInFlight, ""},
		{"longer spans, not counted", func(v *visitor, _ float64) bool { v.legs[3].ns *= 2; return true }, []string{"waiting", "running"}, little.MoreInFlight, ""},
		{"everything, counted alone", everyOne, []string{"requests_total"}, little.SameRate, ""},
		{"three in ten, counted alone", func(_ *visitor, draw float64) bool { return draw < .3 }, []string{"requests_total"}, little.SomeKept, SampledTraces},
	} {
		p := plant{engines: 1, visitors: tracedOf(all, c.keep)}
		p.read(all, c.metrics...)
		list, none := outsideOf(p)
		if len(list) != 1 || none != "" {
			t.Fatalf("%s: %+v, %q", c.name, list, none)
		}
		l := &list[0]
		if l.Reading.Kind != c.want || l.Why != "" || l.Source != SourceReadings || len(l.Of) != 1 {
			t.Errorf("%s: %s, want %s: %+v", c.name, l.Reading.Kind, c.want, l)
		}
		if got := outsideCaveats(list); (len(got) > 0) != (c.caveat != "") || len(got) > 0 && got[0].ID != c.caveat {
			t.Errorf("%s: warnings %v, want %q", c.name, got, c.caveat)
		}
		if l.HasRates != slices.Contains(c.metrics, "requests_total") || l.HasInFlight != slices.Contains(c.metrics, "running") {
			t.Errorf("%s: rates %t, in flight %t", c.name, l.HasRates, l.HasInFlight)
		}
		for _, e := range []stat.Estimate{l.Rate, l.InFlight} {
			if l.HasRates && l.HasInFlight && !(e.HasBounds && e.Bounds.Low <= e.Value && e.Value <= e.Bounds.High) {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		switch c.want {
		case little.Uniform:
			near(t, "kept", l.Rate.Value, .3, .03)
			if !strings.Contains(l.Reading.Text, "slow and fast alike: counts times") {
				t.Error(l.Reading.Text)
			}
		case little.Uncovered:
			// What lacks is the mean wait.
			var wait float64
			for _, v := range all {
				wait += float64(v.legs[1].ns)
			}
			near(t, "missing", l.Reading.MissingNS/1e6, wait/float64(len(all))/1e6, 200)
		}
	}
}

// TestAgainstNothing: one source alone is compared with nothing, and neither is a filter's
// part.
func TestAgainstNothing(t *testing.T) {
	all := slotted(3)
	if list, none := outsideOf(plant{engines: 1, visitors: all}); len(list) != 0 || !strings.Contains(none, "nothing to compare with") {
		t.Errorf("%+v, %q", list, none)
	}
	// Lines that are written when prompts join are no sample of the time.
	p := plant{engines: 1, visitors: all}
	p.read(all, "waiting", "running")
	for _, at := range []int64{0, 1000 * ms} {
		p.readings = append(p.readings, planted{all[0].start + at, 0, metricJoining, 1})
	}
	if list, _ := outsideOf(p); len(list) != 1 || !strings.Contains(list[0].Why, "at the moments at which prompts join") {
		t.Errorf("%+v", list)
	}
	// Readings of another time.
	p = plant{engines: 1, visitors: all}
	p.read(all, "waiting", "running")
	for i := range p.readings {
		p.readings[i].at += 1_000_000_000 * ms
	}
	if list, _ := outsideOf(p); len(list) != 1 || !strings.Contains(list[0].Why, "of another time") {
		t.Errorf("%+v", list)
	}
}

// TestReadingsOfAnEngineAtWork: lines that an engine writes only while something runs are no
// sample of the time, and readings of a timer are, at the same load.
func TestReadingsOfAnEngineAtWork(t *testing.T) {
	var all []visitor
	for _, g := range (line{seed: 6, n: 2000, servers: 1, service: 2000 * ms, load: .2}).requests() {
		all = append(all, visitor{start: g.start, legs: []leg{
			{atClient, stage.Network, "", 20 * ms}, {0, stage.Queue, "engine", g.times[stage.Queue]}, {0, stage.GPU, "prefill", 100 * ms},
			{0, stage.GPU, "decode", g.times[stage.GPU]}, {atClient, stage.Network, "", 20 * ms},
		}})
	}
	p := plant{engines: 1, visitors: all}
	p.read(all, "waiting", "running")
	if list, _ := outsideOf(p); list[0].Reading.Kind != little.SameInFlight {
		t.Errorf("by a timer: %+v", list[0])
	}
	works := map[int64]bool{}
	for _, r := range p.readings {
		works[r.at] = works[r.at] || r.metric == "running" && r.value > 0
	}
	p.readings = slices.DeleteFunc(p.readings, func(r planted) bool { return !works[r.at] })
	if list, _ := outsideOf(p); list[0].Reading.Kind != little.Unclear || !strings.Contains(list[0].Reading.Text, "only while an engine works") {
		t.Errorf("while it works: %+v", list[0])
	}
}

// TestLogThatIsNotJoined: of lines of unknown requests, spans of another length do not say
// which were kept.
func TestLogThatIsNotJoined(t *testing.T) {
	for kind, want := range map[little.Kind]little.Kind{
		little.SlowMore: little.SomeKept, little.LongLess: little.SomeKept, little.Wider: little.Wider, little.Uniform: little.Uniform, little.Complete: little.Complete,
	} {
		l := LittleAgainst{Reading: little.Reading{Kind: kind, RateRatio: .5}}
		if l.apart(); l.Reading.Kind != want || want == little.SomeKept && !strings.Contains(l.Reading.Text, "unknown") {
			t.Errorf("%s: %+v", kind, l.Reading)
		}
	}
}

// TestLogOfTries: a log with more lines than traced requests tells of something else.
func TestLogOfTries(t *testing.T) {
	all := slotted(4)
	p := plant{engines: 1, visitors: all}
	set, _ := p.build()
	logged(set, all, everyOneIn, true, 0)
	logged(set, all[:len(all)/5], everyOneIn, false, 0) // one in five has a second line
	list, _ := captureOf(set, Options{Engines: engine.Build(set)}.filled().on(set)).against()
	if len(list) != 1 || !strings.Contains(list[0].Why, "calls or tries") {
		t.Errorf("%+v", list)
	}
}

func everyOneIn(int) bool { return true }

// TestAgainstReadingsCoverage: complete traces beside readings are hardly ever found to lack
// something, whatever the seed.
func TestAgainstReadingsCoverage(t *testing.T) {
	wrong, runs := 0, 10
	for seed := range runs {
		all := slotted(uint64(seed) + 50)
		p := plant{engines: 1, visitors: all}
		p.read(all, "waiting", "running", "requests_total")
		list, _ := outsideOf(p)
		if k := list[0].Reading.Kind; k != little.Complete {
			wrong++
			t.Logf("seed %d: %s", seed, k)
		}
	}
	if wrong > 1 {
		t.Errorf("%d of %d", wrong, runs)
	}
}

// logged adds lines of an access log: one for each visitor that is not traced, which is a
// request of its own, and one around each that is, joined or not.
func logged(set *table.Set, all []visitor, isTraced func(i int) bool, join bool, around int64) {
	in := set.Symbols.Intern
	scope := int32(set.Scopes.Grow())
	set.Scopes.Service[scope], set.Scopes.Host[scope], set.Scopes.Scope[scope] = in("edge"), in("edge-2"), in("nginx")
	spans, req := &set.Spans, &set.Requests
	rows := map[int64]int{}
	for row := range req.Len() {
		rows[req.Start[row]] = row
	}
	for i, v := range all {
		line := spans.Grow()
		binary.BigEndian.PutUint64(spans.TraceID[line][:], 1<<40+uint64(i))
		binary.BigEndian.PutUint64(spans.SpanID[line][:], 1<<60+uint64(i))
		spans.Origin[line], spans.ScopeRow[line] = table.OriginRecord, scope
		spans.Start[line], spans.End[line] = v.start-around, v.start+v.duration()+around
		row, ok := rows[v.start]
		if isTraced(i) && ok && join {
			// A part of no length, which leaves the rest as it is.
			seg := &set.Segments
			last := seg.Grow()
			seg.RequestRow[last], seg.TraceID[last], seg.Target[last] = int32(row), req.TraceID[row], uint8(critical.End)
			seg.Start[last], seg.End[last], seg.Stage[last], seg.SpanRow[last] = v.start, v.start, uint8(stage.Gateway), int32(line)
			continue
		}
		if isTraced(i) {
			continue
		}
		r := req.Grow()
		req.TraceID[r], req.RootSpanID[r], req.RootRow[r] = spans.TraceID[line], spans.SpanID[line], int32(line)
		req.Start[r], req.End[r], req.Duration[r] = spans.Start[line], spans.End[line], spans.End[line]-spans.Start[line]
		req.Stage[stage.Unattributed][r] = req.Duration[r]
		segment(set, r, critical.End, req.Start[r], int(stage.Unattributed), "", req.Duration[r])
		set.Segments.SpanRow[set.Segments.Len()-1] = int32(line)
	}
}

// TestAgainstLog sets traces against the lines of a gateway, of which some are joined.
func TestAgainstLog(t *testing.T) {
	all := slotted(4)
	for _, c := range []struct {
		name   string
		kept   func(v *visitor, i int) bool
		join   bool
		around int64
		want   little.Kind
	}{
		{"all traced", func(*visitor, int) bool { return true }, true, 0, little.Complete},
		{"all traced, none joined", func(*visitor, int) bool { return true }, false, 0, little.Complete},
		{"a third", func(_ *visitor, i int) bool { return i%3 == 0 }, true, 0, little.Uniform},
		{"slow ones", func(v *visitor, i int) bool { return v.duration() > 5000*ms || i%10 == 0 }, true, 0, little.SlowMore},
		{"a third, and spans that begin before", func(_ *visitor, i int) bool { return i%3 == 0 }, true, -19 * ms, little.Uniform},
		{"all, and spans that begin before", func(*visitor, int) bool { return true }, true, -19 * ms, little.Complete},
		{"a tenth of the slow ones, which are few", func(v *visitor, i int) bool { return v.duration() < 8000*ms || i%10 == 0 }, true, 0, little.LongLess},
		{"a gateway that takes long", func(*visitor, int) bool { return true }, true, 600 * ms, little.Uncovered},
	} {
		isTraced := func(i int) bool { return c.kept(&all[i], i) }
		p := plant{engines: 1}
		for i := range all {
			if isTraced(i) {
				p.visitors = append(p.visitors, all[i])
			}
		}
		set, _ := p.build()
		logged(set, all, isTraced, c.join, c.around)
		got := CapacityOf(set, Options{Engines: engine.Build(set)}, slo(t, "p99(e2e) < 20s"))
		if len(got.System.Outside) != 1 {
			t.Fatalf("%s: %+v, %q", c.name, got.System.Outside, got.System.NoOutside)
		}
		l := &got.System.Outside[0]
		if l.Reading.Kind != c.want || l.Source != SourceLog || l.Of[0] != "nginx log of edge" || l.Why != "" {
			t.Errorf("%s: %s, want %s: %+v", c.name, l.Reading.Kind, c.want, l)
		}
		// What lacks is told by spans against lines, all else by lines alone.
		if l.Joined < l.N*99/100 || l.Joined > l.N*101/100 || l.ByLines != (c.want != little.Uncovered) {
			t.Errorf("%s: %d lines of %d requests, by lines %t", c.name, l.Joined, l.N, l.ByLines)
		}
		if c.want == little.Uncovered {
			near(t, "missing", l.Reading.MissingNS/1e6, 1200, 60)
		}
		// The rates of the capacity carry it.
		for _, list := range [][]stat.Warning{got.Objectives[0].Capacity.Warnings, got.System.Serving.Warnings} {
			if has := len(ofRates(list)) > 0; has != (c.want == little.Uniform || c.want == little.SlowMore || c.want == little.LongLess) {
				t.Errorf("%s: %v", c.name, list)
			}
		}
	}
}

// TestLogAlone: logs without traces are compared with nothing.
func TestLogAlone(t *testing.T) {
	all := slotted(4)
	set, _ := plant{engines: 1}.build()
	logged(set, all, func(int) bool { return false }, false, 0)
	list, none := captureOf(set, Options{Engines: engine.Build(set)}.filled().on(set)).against()
	if len(list) != 0 || none == "" {
		t.Errorf("%+v, %q", list, none)
	}
}

// TestCovers spreads exactly: what is spread over all of it is the height times its length.
func TestCovers(t *testing.T) {
	k := newCovers(bothCover([]stayAt{{0, 100}, {150, 1000}}, []stayAt{{50, 400}, {500, 2000}}))
	if k.total != 50+250+500 {
		t.Fatal(k)
	}
	var into [littleBlocks]float64
	k.spread(&into, -100, 5000, 2)
	if got := total(into[:]); got != float64(2*k.total) {
		t.Error(got)
	}
	for b, v := range into {
		if v < 2*25 || v > 2*28 {
			t.Errorf("block %d has %v", b, v)
		}
	}
	for at, want := range map[int64]bool{49: false, 50: true, 99: true, 100: false, 399: true, 400: false, 500: true, 999: true, 1000: false} {
		if _, ok := k.at(at); ok != want {
			t.Errorf("%d: %t", at, ok)
		}
	}
}
