package analyze

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// UnlikeContext is the id of the warning that the sides are unlike in what their figures must be
// read with, and are compared because that was asked for, or because they are of one capture.
const UnlikeContext = "unlike-context"

// likenessOf says whether the figures of the sides may be set against each other. Sides of several
// models are unlike, too, when they have none in common. What is not known of times of one set is
// as unknown of one as of the other, and leaves nothing open.
func likenessOf(sides [2]sideOf, of [2]serving.Context) serving.Likeness {
	l := serving.ComparableAs(of[0], of[1], sideNames[0], sideNames[1])
	if sides[0].set == sides[1].set {
		l.Untold = nil
	}
	if of[0].Model.Known && of[1].Model.Known {
		return l
	}
	common(sides, modelOf, func(a, b string) {
		l.Unlike = append([]string{noModel(a, b)}, l.Unlike...)
		l.Untold = slices.DeleteFunc(l.Untold, func(text string) bool { return strings.HasPrefix(text, "the model ") })
	})
	return l
}

// modelOf returns the model of a request, "" for none.
func modelOf(x sideOf, row int32) string { return x.set.Symbols.Text(x.set.Requests.Model[row]) }

// noModel says that the sides have no model in common, of which these are the commonest.
func noModel(base, new string) string {
	return "no model is on both sides: base has " + base + ", new " + new
}

// Refused says why the figures of the sides are not set against each other; nil when they are.
// What one side does not know of itself refuses nothing. All parts of the comparison are there
// in either case: what a document leaves out is its own affair.
func (c *Comparison) Refused() []string {
	if c.Forced || c.OneCapture || c.Base.Population.N == 0 || c.New.Population.N == 0 {
		return nil
	}
	return c.Likeness.Unlike
}

// forcedThrough warns of what would have kept the sides from being compared, had that not been
// asked for and were they not of one capture, but for models that some other warning told of.
func (c *Comparison) forcedThrough(told []stat.Warning) (out []stat.Warning) {
	if !c.Forced && !c.OneCapture {
		return nil
	}
	models := slices.ContainsFunc(told, func(w stat.Warning) bool { return w.ID == OtherModels })
	for _, why := range c.Likeness.Unlike {
		if !models || !strings.HasPrefix(why, "the model ") && !strings.HasPrefix(why, "no model ") {
			out = append(out, stat.Warning{ID: UnlikeContext, Text: why})
		}
	}
	return out
}

// ofSide returns the options with what is known of one side of a comparison.
func (o Options) ofSide(side int) Options {
	if side == change.Base {
		o.Engines, o.GPUs, o.During = o.Base.Engines, o.Base.GPUs, o.Base.During
	}
	return o
}
