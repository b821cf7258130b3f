package text

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// systemLoad writes when it was, and the rates and levels of the whole time.
func (p *page) systemLoad(s *reports.System) {
	if s.Refused != "" {
		p.field("system", "cannot say what it carries: "+s.Refused)
	}
	if s.Refused != "" || s.ToNS <= s.FromNS {
		return
	}
	p.field("window", window(s.Clock, s.FromNS, s.ToNS))
	w := s.Whole
	if float64(w.Arrivals) < leastDurations*w.InFlight {
		p.field("rates", "mean little: the window is shorter than ten mean durations")
	}
	p.field("arrivals", fmt.Sprintf("%s requests/s (n = %s%s)", reports.Number(w.Arrived), reports.Integer(w.Arrivals), rateBounds(s, "arrivals")))
	p.field("completions", fmt.Sprintf("%s requests/s (n = %s%s)", reports.Number(w.Completed), reports.Integer(w.Completions), rateBounds(s, "completions")))
	p.field("tokens out", tokenWords(w.Output, w.Completions, rateBounds(s, "output_tokens")))
	p.field("tokens in", tokenWords(w.Input, w.Completions, rateBounds(s, "input_tokens")))
	rate := "unknown: no completed request tells when its first and its last token came"
	if w.GenerationRate != nil {
		rate = fmt.Sprintf("%s tokens/s as a single request sees it, the median (generation_rate, n = %s)", reports.Number(*w.GenerationRate), reports.Integer(w.GenerationN))
	}
	p.field("generation", rate)
	for _, l := range s.Levels {
		text := levelText(&l)
		if bound := levelBounds[l.Of]; bound != "" && !s.WaitsKnown {
			text = bound + ": " + text + "; not every wait for a place is recorded"
		} else {
			text += levelWords[l.Of]
		}
		p.field(strings.ReplaceAll(l.Of, "_", " "), text)
	}
	p.loadBounds(s)
	held := strings.TrimPrefix(s.Decision.Words, "held up ")
	if s.Decision.Kind == "cannot_say" {
		held = "cannot say; below is what it takes"
	}
	p.field("held up", held)
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
func (p *page) system(s *reports.System) {
	p.latencyWhole(&s.Latency)
	if s.Refused != "" {
		p.latencyOverTime(s)
		return
	}
	p.overTime(s)
	p.latencyOverTime(s)
	p.engineLoads(s)
	p.batchSizes(&s.Batches)
	for i := range s.Curves {
		p.curve(&s.Curves[i])
	}
	p.stageLoads(s.Stages)
	if len(s.Stages) > 0 {
		p.full(&s.Full)
	}
}

// overTime writes stretches of the time.
func (p *page) overTime(s *reports.System) {
	list := reports.JoinTimes(s.OverTime, rowsOf)
	if len(list) < 2 {
		return
	}
	g := grid{columns: []column{
		{head: "from", text: true}, {head: "arrivals"}, {head: "completed"}, {head: "tokens out"}, {head: "tokens in"},
		{head: "in flight"}, {head: "waiting"}, {head: "running"}, {head: "busy %"}, {head: "idle while waiting %"},
	}}
	if !s.WaitsKnown {
		g.columns[6].head, g.columns[7].head = "waiting >=", "running <="
	}
	for _, t := range list {
		busy, idle := useCells(s.Stretch(t.FromNS, t.ToNS))
		g.rows = append(g.rows, []string{
			since(t.FromNS - s.FromNS), reports.Number(t.Arrived), reports.Number(t.Completed), rate(t.Output.Rate), rate(t.Input.Rate),
			reports.Number(t.InFlight), reports.Number(t.Waiting), reports.Number(t.Running), busy, idle,
		})
	}
	p.title(fmt.Sprintf("over time, in stretches of %s: requests and tokens a second, and mean numbers of requests", reports.Period(list[0].ToNS-list[0].FromNS)))
	p.table(g.without(g.empty()...))
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
func (p *page) engineLoads(s *reports.System) {
	p.title("engines")
	if len(s.Engines) == 0 {
		p.hanging(plain, "  ", "unknown: nothing says which engine served a request")
		return
	}
	g := grid{columns: []column{
		{head: "engine", text: true, flex: true, told: true}, {head: "n"}, {head: "busy %"}, {head: "with work %"}, {head: "idle while waiting %"},
		{head: "for", text: true}, {head: "in flight"}, {head: "peak", join: true}, {head: "held up by", text: true},
	}}
	share := func(v *float64) string {
		if v == nil {
			return "unknown"
		}
		return reports.Percent(*v)
	}
	for _, e := range s.Engines[:min(len(s.Engines), rowsOf)] {
		idle := share(e.IdleWaiting)
		if e.IdleWaiting != nil && e.IdleLeast {
			idle = ">= " + idle
		}
		g.rows = append(g.rows, []string{
			e.Name, reports.Integer(e.Requests), share(e.Busy), reports.Percent(e.Present), idle, mostWaitedFor(e.IdleFor),
			reports.Number(e.InFlight), reports.Integer(e.Peak), reports.SignatureText(e.Verdict),
		})
	}
	p.table(g.without(g.empty()...))
	if more := len(s.Engines) - rowsOf; more > 0 {
		p.hanging(dim, "  ", "and "+plural(int64(more), "engine"))
	}
	if s.Unplaced > 0 {
		p.hanging(dim, "  ", plural(s.Unplaced, "request")+" of no engine that is known")
	}
	p.hanging(dim, "  ", "busy: of all time, with work on the GPU; idle while waiting: of the time with work, while a request waited for something else, mostly for what is named")
	p.engineTimes(s.Engines)
	if !p.o.Verbose {
		return
	}
	for i := range s.Engines {
		p.engineVerdict(&s.Engines[i])
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
func (p *page) stageLoads(list []reports.StageLoad) {
	if len(list) == 0 {
		return
	}
	var values []int64
	for _, s := range list {
		values = append(values, s.MeanNS)
	}
	u := reports.CommonUnit(values...)
	g := grid{columns: []column{{text: true}, {head: "mean " + u.Name}, {head: "in flight"}, {head: "quiet quarter"}, {head: "busy quarter"}}}
	for _, s := range list {
		g.rows = append(g.rows, []string{s.Stage, u.Format(s.MeanNS), reports.Number(s.InFlight), rate(s.Quiet), rate(s.Busy)})
	}
	p.title("requests in each stage, by Little's law: arrivals/s x mean time in it")
	p.table(g)
	p.hanging(dim, "  ", "quarters: of the windows, by how many were in flight; what is full does not grow")
}
