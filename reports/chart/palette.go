package chart

// Swatch is a stage and the colour of its marks.
type Swatch struct {
	Stage  string // as the tables name it
	Colour string // "#rrggbb"; the same in both themes
}

// The grounds that the colours of the stages were chosen for.
const (
	GroundLight = "#ffffff"
	GroundDark  = "#15181c"
)

// Palette returns the colours of the stages in path order. A page declares each as the custom
// property --stage-NAME. Unattributed time has none: it is hatched in the ink's colour.
//
// The seven were found by a search, not by taste, since every pair may lie side by side in a
// bar: each has a contrast of 3:1 or more with both grounds, and any two are at least 0.12
// apart in OKLab for full colour vision and for protanopes, deuteranopes and tritanopes. The
// contrast leaves a narrow band of lightness, in which no seventh colour is further than 0.09
// from six that are spread as widely as six can be: a colour is changed only together with the
// others. The GPU's work is grey, since useful work is the ground on which waiting shows.
func Palette() []Swatch {
	return []Swatch{
		{"network", "#2499f3"},
		{"gateway", "#8616ff"},
		{"queue", "#cf0004"},
		{"scheduling", "#e4770c"},
		{"gpu", "#918e8e"},
		{"transfer", "#b01dab"},
		{"application", "#117257"},
	}
}
