package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// systemLoad writes when it was, and the rates and levels of the whole time.
func (b *builder) systemLoad(s *reports.System) {
	if s.Refused != "" {
		b.field("system", "cannot say what it carries: "+s.Refused)
	}
	if s.Refused != "" || s.ToNS <= s.FromNS {
		return
	}
	b.field("window", window(s.Clock, s.FromNS, s.ToNS))
	w := s.Whole
	if float64(w.Arrivals) < leastDurations*w.InFlight {
		b.field("rates", "mean little: the window is shorter than ten mean durations")
	}
	b.field("arrivals", fmt.Sprintf("%s requests/s (n = %s%s)", reports.Number(w.Arrived), reports.Integer(w.Arrivals), rateBounds(s, "arrivals")))
	b.field("completions", fmt.Sprintf("%s requests/s (n = %s%s)", reports.Number(w.Completed), reports.Integer(w.Completions), rateBounds(s, "completions")))
	b.field("tokens out", tokenWords(w.Output, w.Completions, rateBounds(s, "output_tokens")))
	b.field("tokens in", tokenWords(w.Input, w.Completions, rateBounds(s, "input_tokens")))
	rate := "unknown: no completed request tells when its first and its last token came"
	if w.GenerationRate != nil {
		rate = fmt.Sprintf("%s tokens/s as a single request sees it, the median (generation_rate, n = %s)", reports.Number(*w.GenerationRate), reports.Integer(w.GenerationN))
	}
	b.field("generation", rate)
	for _, l := range s.Levels {
		text := levelText(&l)
		if bound := levelBounds[l.Of]; bound != "" && !s.WaitsKnown {
			text = bound + ": " + text + "; not every wait for a place is recorded"
		} else {
			text += levelWords[l.Of]
		}
		b.field(strings.ReplaceAll(l.Of, "_", " "), text)
	}
	b.loadBounds(s)
	held := strings.TrimPrefix(s.Decision.Words, "held up ")
	if s.Decision.Kind == "cannot_say" {
		held = "cannot say; below is what it takes"
	}
	b.field("held up", held)
}

// leastDurations is the least length of a window in mean durations, from which on its rates
// mean something. By Little's law it has as many arrivals for each that is in flight.
const leastDurations = 10

// levelWords say who is counted.
var levelWords = map[string]string{"waiting": ", for a place before or at an engine", "running": ", in flight and not waiting for a place"}

// levelBounds say what is said of levels where waits are not recorded.
var levelBounds = map[string]string{"waiting": "at least", "running": "at most"}

// tokenWords writes a rate of tokens of the system, with its definition and its interval.
func tokenWords(t reports.Tokens, completions int64, bounds string) string {
	if t.Rate == nil {
		return "unknown: no completed request tells how many"
	}
	least := ""
	if t.Counted < completions {
		least = "at least "
	}
	return fmt.Sprintf("%s%s tokens/s of the system (%s, n = %s%s)", least, reports.Number(*t.Rate), t.Definition, reports.Integer(t.Counted), bounds)
}

// system writes what the system did over time, its engines, curves and stages.
func (b *builder) system(c *reports.Capacity) {
	s := &c.System
	b.latencyWhole(&s.Latency)
	if s.Refused != "" {
		b.latencyOverTime(s)
		return
	}
	b.overTime(s)
	b.latencyOverTime(s)
	b.engineLoads(s)
	b.batchSizes(&s.Batches)
	for i := range s.Curves {
		b.curve(&s.Curves[i])
	}
	b.kneeFigure(*c)
	b.stageLoads(s.Stages)
	if len(s.Stages) > 0 {
		b.full(&s.Full)
	}
}

// overTime writes stretches of the time.
func (b *builder) overTime(s *reports.System) {
	list := reports.JoinTimes(s.OverTime, rowsOf)
	if len(list) < 2 {
		return
	}
	g := Table{Columns: []Column{
		{Head: "from", Text: true}, {Head: "arrivals"}, {Head: "completed"}, {Head: "tokens out"}, {Head: "tokens in"},
		{Head: "in flight"}, {Head: "waiting"}, {Head: "running"}, {Head: "busy %"}, {Head: "idle while waiting %"},
	}}
	if !s.WaitsKnown {
		g.Columns[6].Head, g.Columns[7].Head = "waiting >=", "running <="
	}
	for _, t := range list {
		busy, idle := useCells(s.Stretch(t.FromNS, t.ToNS))
		g.Rows = append(g.Rows, []string{
			since(t.FromNS - s.FromNS), reports.Number(t.Arrived), reports.Number(t.Completed), rate(t.Output.Rate), rate(t.Input.Rate),
			reports.Number(t.InFlight), reports.Number(t.Waiting), reports.Number(t.Running), busy, idle,
		})
	}
	b.section("over-time", fmt.Sprintf("over time, in stretches of %s: requests and tokens a second, and mean numbers of requests", reports.Period(list[0].ToNS-list[0].FromNS)))
	b.table(g.without(g.empty()...))
}

// since writes how long after the beginning something was.
func since(ns int64) string {
	if ns == 0 {
		return "+0 s"
	}
	return "+" + reports.Period(ns)
}

// rate writes a rate that may be unknown.
func rate(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return reports.Number(*v)
}

// engineLoads writes what each engine did.
func (b *builder) engineLoads(s *reports.System) {
	b.title("engines")
	if len(s.Engines) == 0 {
		b.hanging(Plain, "  ", "unknown: nothing says which engine served a request")
		return
	}
	g := Table{Columns: []Column{
		{Head: "engine", Text: true, Flex: true, Told: true}, {Head: "n"}, {Head: "busy %"}, {Head: "with work %"}, {Head: "idle while waiting %"},
		{Head: "for", Text: true}, {Head: "in flight"}, {Head: "peak", Join: true}, {Head: "held up by", Text: true},
	}}
	share := func(v *float64) string {
		if v == nil {
			return "unknown"
		}
		return reports.Percent(*v)
	}
	shown := shownOf(b, s.Engines, rowsOf)
	for _, e := range shown {
		idle := share(e.IdleWaiting)
		if e.IdleWaiting != nil && e.IdleLeast {
			idle = ">= " + idle
		}
		g.Rows = append(g.Rows, []string{
			e.Name, reports.Integer(e.Requests), share(e.Busy), reports.Percent(e.Present), idle, mostWaitedFor(e.IdleFor),
			reports.Number(e.InFlight), reports.Integer(e.Peak), reports.SignatureText(e.Verdict),
		})
	}
	b.table(g.without(g.empty()...))
	b.rest(Dim, len(shown), len(s.Engines), "and "+plural(int64(len(s.Engines)-len(shown)), "engine"))
	if s.Unplaced > 0 {
		b.hanging(Dim, "  ", plural(s.Unplaced, "request")+" of no engine that is known")
	}
	b.hanging(Dim, "  ", "busy: of all time, with work on the GPU; idle while waiting: of the time with work, while a request waited for something else, mostly for what is named")
	b.engineTimes(s.Engines)
	if !b.o.Verbose {
		return
	}
	for i := range s.Engines {
		b.engineVerdict(&s.Engines[i])
	}
}

// mostWaitedFor names what requests waited for the longest.
func mostWaitedFor(list []reports.Part) string {
	best := reports.Part{}
	for _, x := range list {
		if x.Share > best.Share {
			best = x
		}
	}
	if best.Name == "" {
		return ""
	}
	return best.Name + " " + reports.Percent(best.Share) + " %"
}

// stageLoads writes how many requests were in each stage.
func (b *builder) stageLoads(list []reports.StageLoad) {
	if len(list) == 0 {
		return
	}
	var values []int64
	for _, s := range list {
		values = append(values, s.MeanNS)
	}
	u := reports.CommonUnit(values...)
	g := Table{Columns: []Column{{Text: true}, {Head: "mean " + u.Name}, {Head: "in flight"}, {Head: "quiet quarter"}, {Head: "busy quarter"}}}
	for _, s := range list {
		g.Rows = append(g.Rows, []string{s.Stage, u.Format(s.MeanNS), reports.Number(s.InFlight), rate(s.Quiet), rate(s.Busy)})
	}
	b.section("stages-in-flight", "requests in each stage, by Little's law: arrivals/s x mean time in it")
	b.table(g)
	b.hanging(Dim, "  ", "quarters: of the windows, by how many were in flight; what is full does not grow")
}
