package stat

// Estimate is a figure with what it is worth: how many observations it stands on, how
// it was made, between which bounds it lies with the confidence of [Confidence], and
// what is doubtful about it.
type Estimate struct {
	Value float64
	// N is the number of observations that Value stands on.
	N int64
	// Method is the id of the rule that made the bounds, or of the figure if it has none.
	Method string
	// HasBounds is false when nothing bounds the figure: Warnings then say why.
	HasBounds bool
	Bounds    Bounds
	Warnings  []Warning
}
