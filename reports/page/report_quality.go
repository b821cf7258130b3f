package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// reportQuality writes how far the figures can be trusted: what was read, what was left out and
// why, what could not be attributed, and what is wrong with the records.
func (b *builder) reportQuality(d reports.Document) {
	if w := d.Report.Week; w != nil {
		missing := max(0, w.EndNS-w.StartNS-w.CoveredNS)
		text := fmt.Sprintf("none: the capture tells of all of %s", reports.Period(w.EndNS-w.StartNS))
		if missing > 0 {
			text = fmt.Sprintf("%s of %s are not recorded", reports.Period(missing), reports.Period(w.EndNS-w.StartNS))
		}
		b.field("gaps", text)
	}
	if s := reportSummary(d); s != nil {
		b.used(s.Population)
		b.leftOutOf(s.Population)
		if s.Population.Used > 0 {
			u := s.Unattributed
			text := fmt.Sprintf("%s %% of all time (n = %s)", reports.Percent(u.Overall), reports.Integer(s.Population.Used))
			if s.Duration.Tail.Enough {
				text += fmt.Sprintf(", %s %% in the slow requests (%s and above, n = %s)", reports.Percent(u.Tail), u.TailQ, reports.Integer(u.TailN))
			}
			b.field("unattributed", text)
		}
		b.field("sampling", samplingOf(s.Population.Sampling))
		for _, w := range s.Warnings {
			b.field("warning", withID(w))
		}
	}
	if d.Inspect != nil {
		b.trustOf(d.Inspect)
	}
	b.issues(d.Quality)
	b.silenced(d.SilencedCounts)
}

// leftOutOf writes how many requests are left out, by reason.
func (b *builder) leftOutOf(p reports.Population) {
	if len(p.Excluded) == 0 {
		b.field("left out", "none")
	}
	for i, x := range p.Excluded {
		label, reason := "", ""
		if i == 0 {
			label = "left out"
		}
		if x.Reason != "" {
			reason = " (" + x.Reason + ")"
		}
		b.field(label, fmt.Sprintf("%s: %s%s", x.Kind, plural(x.N, "request"), reason))
	}
}

// samplingOf says how traces were chosen, as far as they tell.
func samplingOf(s reports.Sampling) string {
	switch s.Kind {
	case "none":
		return "every trace was kept"
	case "uniform":
		return fmt.Sprintf("1 in %s traces was kept, all alike", reports.Number(s.WeightLow))
	case "weighted":
		return fmt.Sprintf("traces stand for %s to %s requests each", reports.Number(s.WeightLow), reports.Number(s.WeightHigh))
	case "partial":
		return fmt.Sprintf("only %s say how many requests they stand for", plural(s.Weighted, "request"))
	case "suspected":
		return "attribute " + s.Mark + " shows that a sampler chose among traces"
	}
	return "nothing says that traces were dropped"
}

// trustOf writes what an inspection found of classes, confidence and clocks.
func (b *builder) trustOf(in *reports.Inspect) {
	if c := in.Coverage; c.PathSeconds > 0 {
		by := reports.Percents([]float64{c.Exact, c.Anchored, c.Residual})
		b.field("known", fmt.Sprintf("%s %% of path time exact, %s %% anchored, %s %% residual", by[0], by[1], by[2]))
	}
	switch t := in.Tiling; {
	case t.Failed > 0:
		b.field("tiling", fmt.Sprintf("FAILED for %s of %s; the first: %s", reports.Integer(t.Failed), plural(t.Checked, "request"), t.First))
	case t.Checked > 0 && !t.NoSegments:
		b.field("tiling", fmt.Sprintf("exact to the nanosecond for %s", plural(t.Checked, "request")))
	}
	b.blank()
	classes := Table{ID: "classes", Caption: "requests by class", Columns: []Column{{Head: "class", Text: true}, {Head: "why", Text: true, Flex: true}, {Head: "requests"}, {Head: "failed"}}}
	for _, c := range in.Classes {
		classes.Rows = append(classes.Rows, []string{c.Class, c.Reason, reports.Integer(c.N), reports.Integer(c.Errors)})
	}
	b.table(classes)
	clocks := Table{ID: "clocks", Caption: fmt.Sprintf("how far clocks are ahead of their reference (%s)", cmp.Or(in.Clocks.Mode, "raw")), Columns: []Column{
		{Head: "clock", Text: true, Flex: true}, {Head: "reference", Text: true, Flex: true}, {Head: "ahead by", Text: true}, {Head: "calls"}, {Head: "contradict it"},
	}}
	off := slices.DeleteFunc(slices.Clone(in.Clocks.Clocks), func(c reports.ClockOffset) bool { return c.Clock == c.Reference })
	for _, c := range shownOf(b, off, everything) {
		clocks.Rows = append(clocks.Rows, []string{c.Clock, c.Reference, offsetsOf(c.Stretches), reports.Integer(c.Calls), reports.Integer(c.Violated)})
	}
	b.blank()
	b.table(clocks)
	b.rest(Dim, len(clocks.Rows), len(off), "")
	b.blank()
}

// offsetsOf writes an offset with the bound on its error; several where it drifts.
func offsetsOf(list []reports.Stretch) string {
	var parts []string
	for _, s := range list {
		if s.OffsetNS == nil || s.ErrorNS == nil {
			parts = append(parts, "not known")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s ±%s", reports.Offset(*s.OffsetNS, *s.ErrorNS), reports.Duration(*s.ErrorNS)))
	}
	if parts == nil {
		return "not known"
	}
	return strings.Join(parts, ", then ")
}

// issues writes what was lost, repaired or doubtful in the input.
func (b *builder) issues(list []reports.Quality) {
	if len(list) == 0 {
		b.field("input", "no issue was met")
		return
	}
	t := issueTable(list)
	t.ID, t.Caption = "issues", "losses, repairs and doubts of the input"
	b.table(t)
}

// reportMethod writes how to get the figures again: the command line, the version, the digests of
// the inputs and what became of conditions.
func (b *builder) reportMethod(d reports.Document) {
	b.field("command", shellLine(d.Command))
	b.field("version", strings.TrimSpace(d.Tool.Name+" "+d.Tool.Version))
	if len(d.Report.Before) > 0 {
		names := make([]string, len(d.Report.Before))
		for i, w := range d.Report.Before {
			names[i] = w.Name
			if !w.Complete {
				names[i] += " (incomplete)"
			}
		}
		b.field("against", fmt.Sprintf("%s, from %s", strings.Join(names, ", "), cmp.Or(d.Report.BaselineFrom, "an unknown place")))
	}
	b.requirementTable(d.Requirements)
	b.conditionTable(d.Conditions)
	inputs := Table{ID: "inputs", Caption: "inputs, with the digest of the bytes that were read", Columns: []Column{
		{Head: "input", Text: true, Flex: true, Path: true}, {Head: "bytes"}, {Head: "spans"}, {Head: "logs"}, {Head: "samples"}, {Head: "bad"}, {Head: "sha256", Text: true, Path: true, Below: true},
	}}
	for _, i := range shownOf(b, d.Inputs, everything) {
		inputs.Rows = append(inputs.Rows, []string{
			i.Name, reports.Integer(i.Bytes), reports.Integer(i.Spans), reports.Integer(i.Logs), reports.Integer(i.Samples), reports.Integer(i.Bad), i.SHA256,
		})
	}
	b.blank()
	b.table(inputs)
	b.rest(Dim, len(inputs.Rows), len(d.Inputs), "")
	b.styled(Dim, "what figures mean is in "+definitionsTitle)
}

// definitionDetails writes what figures mean.
func (b *builder) definitionDetails(d reports.Document) {
	definitions := Table{ID: "definitions", Caption: "definitions", Columns: []Column{{Head: "figure", Text: true}, {Head: "definition", Text: true}, {Head: "text", Text: true, Below: true}}}
	for _, x := range definitionsOf(d) {
		definitions.Rows = append(definitions.Rows, []string{x.Metric, x.ID, x.Text})
	}
	if len(definitions.Rows) == 0 {
		return
	}
	b.fold("details-definitions", definitionsTitle)
	b.table(definitions)
}

// definitionsOf gathers the definitions of a report and of what it stands on, each once. A figure
// that is defined for several parts of it is told apart by them.
func definitionsOf(d reports.Document) (out []reports.Definition) {
	lists := [3][]reports.Definition{d.Report.Definitions}
	if s := reportSummary(d); s != nil {
		lists[1] = s.Definitions
	}
	if d.Capacity != nil {
		lists[2] = d.Capacity.Definitions
	}
	places := [3]string{"bottlenecks", "stages", "capacity"}
	met := map[reports.Definition]bool{}
	in := map[string]map[int]bool{} // by figure: the lists that define it in ways of their own
	var from []int
	for at, list := range lists {
		for _, x := range list {
			if met[x] {
				continue
			}
			met[x] = true
			out, from = append(out, x), append(from, at)
			if in[x.Metric] == nil {
				in[x.Metric] = map[int]bool{}
			}
			in[x.Metric][at] = true
		}
	}
	for i := range out {
		if len(in[out[i].Metric]) > 1 {
			out[i].Metric += " (" + places[from[i]] + ")"
		}
	}
	return out
}

// conditionTable writes what became of the conditions of --fail-on.
func (b *builder) conditionTable(list []reports.Condition) {
	if len(list) == 0 {
		b.field("conditions", "none was given (--fail-on)")
		return
	}
	b.outcomeTable(aCondition, "conditions to fail on", list, reports.BoundWords(list))
}

// requirementTable writes what became of the requirements of --require, if there are any.
func (b *builder) requirementTable(list []reports.Condition) {
	if len(list) > 0 {
		b.outcomeTable(aRequirement, requiredTitle, list, reports.RequiredWords(list))
	}
}

// outcomeTable writes a table of what became of conditions; words say what their bounds are.
func (b *builder) outcomeTable(one, caption string, list []reports.Condition, words string) {
	t := outcomeTable(one, list)
	t.ID, t.Caption = one+"s", caption
	b.table(t)
	if isBounded(list) {
		b.styled(Dim, words)
	}
}

// shellLine writes a command as a shell would read it.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = reports.Quote(w)
	}
	return strings.Join(quoted, " ")
}
