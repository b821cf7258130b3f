package chart

import (
	"cmp"
	"math"
	"slices"
)

// spread moves labels apart, which have centres in ascending order and sizes, such that they lie
// between lo and hi with a gap between each two, each as near to its place as those before it
// allow. It says no where they have no room.
func spread(centres, sizes []float64, lo, hi, gap float64) (placed []float64, ok bool) {
	placed = slices.Clone(centres)
	edge := lo
	for i := range placed {
		placed[i] = max(placed[i], edge+sizes[i]/2)
		edge = placed[i] + sizes[i]/2 + gap
	}
	edge = hi
	for i := len(placed) - 1; i >= 0; i-- {
		placed[i] = min(placed[i], edge-sizes[i]/2)
		edge = placed[i] - sizes[i]/2 - gap
	}
	return placed, len(placed) == 0 || placed[0]-sizes[0]/2 >= lo-1e-6
}

// label is a text that belongs to a place.
type label struct {
	at   float64
	text string
	// Set by arrange:
	x   float64
	row int // from 0; -1 of a label that has no room
}

// arrange gives labels of a class their places between lo and hi, in three rows at most and in the
// order of the places they belong to. It takes as few rows as keep the labels near their places,
// since a label that was moved stands over the place of another. It returns how many rows it took
// and how many labels have no room.
func arrange(labels []label, class string, lo, hi float64) (rows, left int) {
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.at, b.at) })
	for i := range labels {
		labels[i].text = fit(labels[i].text, (hi-lo)/2, sizeOf(class))
		labels[i].row = -1
	}
	const (
		most     = 3
		near     = 36.0 // px
		readable = 24   // more have no room in three rows
	)
	for kept := min(len(labels), readable); kept > 0; kept-- {
		best := math.Inf(1)
		var placed []label
		for n := 1; n <= min(most, kept); n++ {
			tried := slices.Clone(labels[:kept])
			moved, ok := arrangeIn(tried, n, class, lo, hi)
			if ok && moved < best && best > near {
				best, placed, rows = moved, tried, n
			}
		}
		if placed != nil {
			copy(labels, placed)
			return rows, len(labels) - kept
		}
	}
	return 0, len(labels)
}

// arrangeIn arranges labels in so many rows, taking turns, and returns how far the one that was
// moved the furthest is from its place.
func arrangeIn(labels []label, rows int, class string, lo, hi float64) (moved float64, ok bool) {
	for row := range rows {
		var centres, sizes []float64
		for i := row; i < len(labels); i += rows {
			centres, sizes = append(centres, labels[i].at), append(sizes, widthOf(class, labels[i].text))
		}
		placed, ok := spread(centres, sizes, lo, hi, 10)
		if !ok {
			return 0, false
		}
		for k, x := range placed {
			l := &labels[row+k*rows]
			l.x, l.row = x, row
			moved = max(moved, math.Abs(x-l.at))
		}
	}
	return moved, true
}

// endLabels writes names at the right end of lines, moved apart, right of x between top and
// bottom.
func (c *canvas) endLabels(x, top, bottom float64, names []string, ys []float64, classes []string) {
	order := make([]int, 0, len(names))
	for i := range names {
		if drawable(ys[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ys[a], ys[b]) })
	const high = 14.0
	order = order[:min(len(order), int((bottom-top)/high))]
	centres, sizes := make([]float64, len(order)), make([]float64, len(order))
	for k, i := range order {
		centres[k], sizes[k] = ys[i], high
	}
	placed, _ := spread(centres, sizes, top-high/2, bottom+high/2, 0)
	for k, i := range order {
		c.textIn("small "+classes[i], atStart, x, placed[k]+4, width-x, names[i])
	}
}

// unlabelled is the note that labels have no room.
func unlabelled(notes []string, left int) []string {
	if left == 0 {
		return notes
	}
	return append(notes, plural(left, "label has", "labels have")+" no room.")
}
