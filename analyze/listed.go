package analyze

import "math"

// MostListed returns how many entries a list has at most whose usual number is given. With
// Options.Listed it may have more, and never fewer: a list that was made can be cut later.
func (o Options) MostListed(usual int) int {
	if o.Listed < 0 {
		return math.MaxInt
	}
	return max(usual, o.Listed)
}

// MostListed is that of the options which the report was made with.
func (r *Report) MostListed(usual int) int { return r.opt.MostListed(usual) }
