package openmetrics

import "github.com/tailpath/tailpath/reports"

// Types of families.
const (
	gauge    = "gauge"
	info     = "info"
	stateset = "stateset"
)

// collection gathers families in the order in which they are begun.
type collection struct {
	list []family
	at   map[string]int
}

// begin declares a family. Its samples may be added later.
func (c *collection) begin(name, kind, unit, help string) {
	c.at[name] = len(c.list)
	c.list = append(c.list, family{name: name, kind: kind, unit: unit, help: help})
}

// add adds a sample to a family that was begun.
func (c *collection) add(name, value string, labels ...label) { c.addAs(name, "", value, labels...) }

func (c *collection) addAs(name, suffix, value string, labels ...label) {
	f := &c.list[c.at[name]]
	f.samples = append(f.samples, sample{suffix, labels, value})
}

// addFloat adds a number, if it is one.
func (c *collection) addFloat(name string, value float64, labels ...label) {
	if text, ok := float(value); ok {
		c.add(name, text, labels...)
	}
}

// addNS adds a time, if it is known.
func (c *collection) addNS(name string, ns *int64, labels ...label) {
	if ns != nil {
		c.add(name, seconds(*ns), labels...)
	}
}

// summaryOf returns the summary of a document: its own, or the one that the answer about the
// queue stands on, as in a report. It is nil where there is none.
func summaryOf(d reports.Document) *reports.Summary {
	if d.Summary == nil && d.Queue != nil {
		return &d.Queue.Summary
	}
	return d.Summary
}

// families returns all figures of a document that has a summary.
func families(d reports.Document) []family {
	c := &collection{at: map[string]int{}}
	s := summaryOf(d)
	c.begin("tailpath", info, "", "The program that worked the figures out.")
	c.addAs("tailpath", "_info", "1", label{"version", d.Tool.Version}, label{"schema_version", integer(int64(d.SchemaVersion))})
	c.population(s.Population)
	c.load(s.Load)
	c.percentiles("e2e", "From start to end of a request", s.Duration.Percentiles)
	c.percentiles("ttft", "From start of a request to its first token", s.TTFT.Percentiles)
	c.percentiles("tpot", "Per output token after the first", s.TPOT)
	c.stages(s)
	c.verdicts(s)
	c.requirements(d.Requirements)
	c.conditions(d.Conditions)
	return c.list
}

func (c *collection) population(p reports.Population) {
	c.begin("tailpath_requests", gauge, "", "Requests that were found.")
	c.add("tailpath_requests", integer(p.Requests))
	c.begin("tailpath_requests_used", gauge, "", "Requests that the figures are of.")
	c.add("tailpath_requests_used", integer(p.Used))
	c.begin("tailpath_requests_left_out", gauge, "", "Requests that the figures are not of, by why.")
	for _, e := range p.Excluded {
		c.add("tailpath_requests_left_out", integer(e.N), label{"kind", e.Kind}, label{"reason", e.Reason})
	}
	c.begin("tailpath_errors", gauge, "", "Complete requests that failed.")
	c.add("tailpath_errors", integer(p.ErrorRate.N))
	c.begin("tailpath_errors_of", gauge, "", "Complete requests, of which some failed.")
	c.add("tailpath_errors_of", integer(p.ErrorRate.Of))
	e := p.ErrorRate
	for _, f := range []struct {
		name, help string
		value      float64
	}{
		{"tailpath_error_ratio", "Share of complete requests that failed.", e.Share},
		{"tailpath_error_low_ratio", "Lower end of the 95 % interval of the share.", e.Low},
		{"tailpath_error_high_ratio", "Upper end of the 95 % interval of the share.", e.High},
	} {
		c.begin(f.name, gauge, "ratio", f.help)
		if e.Of > 0 {
			c.addFloat(f.name, f.value)
		}
	}
}

func (c *collection) load(l reports.Load) {
	c.begin("tailpath_capture_start_seconds", gauge, "seconds", "Start of the first request, in seconds since 1970.")
	c.begin("tailpath_capture_end_seconds", gauge, "seconds", "End of the last request, in seconds since 1970.")
	if l.Clock == wall && l.Requests > 0 {
		c.add("tailpath_capture_start_seconds", seconds(l.StartNS))
		c.add("tailpath_capture_end_seconds", seconds(l.EndNS))
	}
	for _, f := range []struct {
		name, help string
		value      *float64
	}{
		{"tailpath_arrivals_per_second", "Requests that began each second.", l.ArrivalRate},
		{"tailpath_output_tokens_per_second", "Output tokens each second.", l.OutputTokenRate},
		{"tailpath_concurrency_mean", "Requests in flight, over time.", l.ConcurrencyMean},
	} {
		c.begin(f.name, gauge, "", f.help)
		if f.value != nil {
			c.addFloat(f.name, *f.value)
		}
	}
	c.begin("tailpath_concurrency_peak", gauge, "", "Most requests in flight at once.")
	if l.Requests > 0 {
		c.add("tailpath_concurrency_peak", integer(l.ConcurrencyPeak))
	}
}

// percentiles adds the percentiles of one metric, each with the ends of its 95 % interval.
func (c *collection) percentiles(metric, what string, p reports.Percentiles) {
	name := "tailpath_" + metric
	c.begin(name+"_requests", gauge, "", "Requests that the percentiles of "+metric+" are of.")
	c.add(name+"_requests", integer(p.N))
	c.begin(name+"_seconds", gauge, "seconds", what+": percentiles.")
	c.begin(name+"_low_seconds", gauge, "seconds", what+": lower end of the 95 % interval of the percentile.")
	c.begin(name+"_high_seconds", gauge, "seconds", what+": upper end of the 95 % interval of the percentile.")
	for _, q := range p.Percentiles {
		share, ok := quantile(q.P)
		if !ok {
			continue
		}
		at := label{"quantile", share}
		c.addNS(name+"_seconds", q.ValueNS, at)
		c.addNS(name+"_low_seconds", q.LowNS, at)
		c.addNS(name+"_high_seconds", q.HighNS, at)
	}
}

// stages adds the mix of stages of all requests, of the tail and the body that it is compared
// with, and of the bands between percentiles.
func (c *collection) stages(s *reports.Summary) {
	c.begin("tailpath_group_requests", gauge, "", "Requests of a group: all, the tail, the body that it is compared with, a band between percentiles.")
	c.begin("tailpath_group_mean_seconds", gauge, "seconds", "Mean of a group.")
	c.begin("tailpath_stage_mean_seconds", gauge, "seconds", "Mean time of a stage on the critical path; those of a group add up to its mean.")
	c.begin("tailpath_stage_ratio", gauge, "ratio", "Share of a stage in the time of a group.")
	c.begin("tailpath_excess_seconds", gauge, "seconds", "Mean time that a stage takes more in the tail than in the body.")
	c.begin("tailpath_excess_ratio", gauge, "ratio", "Share of a stage in what the tail takes more; it may be negative or above 1.")
	c.begin("tailpath_tail_quantile", gauge, "", "The tail is the requests at or above it.")
	for _, m := range []struct {
		metric string
		of     reports.Latency
	}{{"e2e", s.Duration}, {"ttft", s.TTFT}} {
		c.mix(m.metric, "all", m.of.All)
		for _, b := range m.of.Bands {
			c.mix(m.metric, b.Band, b.Mix)
		}
		c.mix(m.metric, "body", m.of.Tail.Body)
		c.mix(m.metric, "tail", m.of.Tail.Tail)
		c.excess(m.metric, m.of.Tail)
	}
	c.begin("tailpath_unattributed_ratio", gauge, "ratio", "Share of path time that nothing recorded explains.")
	if s.Population.Used > 0 {
		c.addFloat("tailpath_unattributed_ratio", s.Unattributed.Overall, label{"group", "all"})
	}
	if s.Unattributed.TailN > 0 {
		c.addFloat("tailpath_unattributed_ratio", s.Unattributed.Tail, label{"group", "tail"})
	}
}

func (c *collection) mix(metric, group string, m reports.Mix) {
	at := []label{{"metric", metric}, {"group", group}}
	c.add("tailpath_group_requests", integer(m.N), at...)
	if m.N == 0 {
		return
	}
	c.add("tailpath_group_mean_seconds", seconds(m.MeanNS), at...)
	for _, s := range m.Stages {
		of := append(at[:len(at):len(at)], label{"stage", s.Stage})
		c.add("tailpath_stage_mean_seconds", seconds(s.MeanNS), of...)
		c.addFloat("tailpath_stage_ratio", s.Share, of...)
	}
}

func (c *collection) excess(metric string, t reports.Tail) {
	if share, ok := quantile(t.Q); ok && t.Tail.N > 0 {
		c.add("tailpath_tail_quantile", share, label{"metric", metric})
	}
	if t.Tail.N == 0 || t.Body.N == 0 {
		return
	}
	for _, s := range t.Stages {
		at := []label{{"metric", metric}, {"stage", s.Stage}}
		c.add("tailpath_excess_seconds", seconds(s.ExcessNS), at...)
		if s.Share != nil {
			c.addFloat("tailpath_excess_ratio", *s.Share, at...)
		}
	}
}

// kinds are the states of the verdict, in the order in which its rule decides.
var kinds = []string{"too_few", "none", "unattributed", "mixed", "unclear", "leads", "dominates"}

// verdicts adds which stage makes slow requests slow: the kind as one state of several that is 1,
// and the stage with its share where there is one.
func (c *collection) verdicts(s *reports.Summary) {
	const name = "tailpath_verdict"
	list := []struct {
		metric string
		v      reports.Verdict
	}{{"e2e", s.Verdict}, {"ttft", s.TTFTVerdict}}
	c.begin(name, stateset, "", "Whether a stage makes slow requests slow.")
	c.begin("tailpath_verdict_share_ratio", gauge, "ratio", "Share of the stage that the verdict names in what the tail takes more.")
	for _, m := range list {
		for _, kind := range kinds {
			value := "0"
			if kind == m.v.Kind {
				value = "1"
			}
			c.add(name, value, label{"metric", m.metric}, label{name, kind})
		}
		if m.v.Share != nil {
			c.addFloat("tailpath_verdict_share_ratio", *m.v.Share, label{"metric", m.metric}, label{"stage", m.v.Stage})
		}
	}
}

// requirements adds the outcomes of --require: 1 for one that is met, 0 for one that is not, and
// nothing for one that cannot be told.
func (c *collection) requirements(list []reports.Condition) {
	const name = "tailpath_requirement_met"
	c.begin(name, gauge, "", "Whether a requirement of the data is met: 1 if so, 0 if not, absent if that cannot be told.")
	seen := map[[2]string]bool{}
	for _, k := range list {
		key := [2]string{k.Condition, k.Side}
		if k.Passed == nil || seen[key] {
			continue
		}
		seen[key] = true
		labels := []label{{"condition", k.Condition}}
		if k.Side != "" {
			labels = append(labels, label{"side", k.Side})
		}
		value := "0"
		if *k.Passed {
			value = "1"
		}
		c.add(name, value, labels...)
	}
}

// conditions adds the outcomes of --fail-on: 1 for a condition that is true, which fails the
// gate, and nothing for one that the data leave open.
func (c *collection) conditions(list []reports.Condition) {
	const name = "tailpath_gate_passed"
	c.begin(name, gauge, "", "Whether a condition to fail on is false: 1 if so, 0 if it is true, absent if that is open.")
	seen := map[string]bool{}
	for _, k := range list {
		if k.Passed == nil || seen[k.Condition] {
			continue
		}
		seen[k.Condition] = true
		value := "0"
		if *k.Passed {
			value = "1"
		}
		c.add(name, value, label{"condition", k.Condition})
	}
}
