package reports

import (
	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Alternative is one figure of a system by a definition that was asked for, or by the own one
// of the same metric. Value is null where Unknown says why.
type Alternative struct {
	Metric string   `json:"metric"`
	ID     string   `json:"id"`
	Own    bool     `json:"own"`  // the definition that is used where no other is asked for
	Text   string   `json:"text"` // the formula
	Tools  []string `json:"tools"`
	Of     string   `json:"of"`     // an objective, a term or what a curve is of; empty for the whole window
	Name   string   `json:"figure"` // which figure, where a definition has several; empty otherwise
	Unit   string   `json:"unit"`   // empty for a share, 0 to 1
	Counts string   `json:"counts"` // what n counts
	Value  *Figure  `json:"value"`
	// Unbounded says why the value has no bounds; empty when it has some.
	Unbounded string    `json:"unbounded"`
	AtLeast   bool      `json:"at_least"` // the value is a lower bound
	Outcome   string    `json:"outcome"`  // of a term: pass, fail or inconclusive; empty for other figures
	Apart     []Count   `json:"apart"`    // requests that the definition lists apart
	Words     string    `json:"words"`    // what else the definition tells
	Unknown   string    `json:"unknown"`  // why there is no value
	Warnings  []Warning `json:"warnings"`
}

// alternatives makes the figures by other definitions.
func alternatives(in []analyze.Alternative) []Alternative {
	out := make([]Alternative, 0, len(in))
	for i := range in {
		out = append(out, alternative(&in[i]))
	}
	return out
}

func alternative(a *analyze.Alternative) Alternative {
	d := a.Definition
	out := Alternative{
		Metric: d.Metric, ID: d.ID, Own: d.Own, Text: d.Text, Tools: append([]string{}, d.Tools...), Of: a.Of, Name: a.Figure, Unit: a.Unit,
		Counts: a.Counts, Unbounded: a.Unbounded, AtLeast: a.AtLeast, Outcome: string(a.Outcome), Apart: undefinedCounts(a.Apart), Words: a.Words,
		Unknown: a.Undefined, Warnings: warnings(a.Warnings),
	}
	switch e := a.Estimate; {
	case out.Unknown != "":
	case figure(e.Value) == nil:
		out.Unknown, out.Unbounded, out.AtLeast = "it is no number", "", false
	default:
		if e.HasBounds && (figure(e.Bounds.Low) == nil || figure(e.Bounds.High) == nil) {
			e.HasBounds, e.Bounds, out.Unbounded = false, stat.Bounds{}, "its bounds are no numbers"
		}
		f := estimate(e)
		out.Value = &f
	}
	return out
}
