package html

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// omittedSection stands in the place of a section that was left out.
const omittedSection = "Left out to keep this file short."

// omittedWaterfall stands in the place of a waterfall that was left out.
const omittedWaterfall = "<p class=\"left-out\">The waterfall is left out to keep this file short.</p>\n"

// leftOut says what a file lacks because it would be too long.
type leftOut struct {
	folded, ofFolded         int
	waterfalls, ofWaterfalls int
	island                   bool
	tables, rows             int   // tables that are shorter, and the rows that they lack
	over                     bool  // it is too long all the same
	least                    int64 // bytes that it has then, without saying so
}

// words says what is left out, a sentence each.
func (l leftOut) words(limit int64) []string {
	var all []string
	reason := fmt.Sprintf("to keep this file under %s bytes", reports.Integer(limit))
	count := func(n, of int, what string) {
		if n > 0 {
			all = append(all, fmt.Sprintf("Left out %s: the last %s of %s %s.", reason, reports.Integer(int64(n)), reports.Integer(int64(of)), what))
		}
	}
	count(l.folded, l.ofFolded, "folded sections")
	count(l.waterfalls, l.ofWaterfalls, "other waterfalls")
	if l.island {
		all = append(all, fmt.Sprintf("Left out %s: the document as JSON, which -f json writes.", reason))
	}
	if l.tables > 0 {
		words := "the last rows of 1 table"
		if l.tables > 1 {
			words = fmt.Sprintf("the last rows of %s tables", reports.Integer(int64(l.tables)))
		}
		all = append(all, fmt.Sprintf("Left out %s: %s, %s in all.", reason, words, reports.Integer(int64(l.rows))))
	}
	if l.over {
		all = append(all, fmt.Sprintf("This file has more than %s bytes all the same: the rest may not be left out.", reports.Integer(limit)))
	}
	if len(all) > 0 {
		all = append(all, "A larger --max-size leaves out less.")
	}
	return all
}

// fitted returns the file, without what may be left out where it is too long otherwise. What is
// left out goes from the last on, since what matters most comes first.
func (f *file) fitted() string {
	for _, s := range f.sections {
		if s.folded {
			f.left.ofFolded++
			continue
		}
		for _, p := range s.pieces {
			if p.waterfall {
				f.left.ofWaterfalls++
			}
		}
	}
	text := f.html()
	size := len(text)
	over := func() bool { return int64(size) > f.limit }
	// The file is put together anew only when it should have come to fit.
	saved := func(before, after string) {
		if size -= len(before) - len(after); !over() {
			text = f.html()
			size = len(text)
		}
	}
	for i := len(f.sections) - 1; i >= 0 && over(); i-- {
		if s := &f.sections[i]; s.folded {
			before := s.html()
			s.omitted = true
			f.left.folded++
			saved(before, s.html())
		}
	}
	for i := len(f.sections) - 1; i >= 0 && over(); i-- {
		s := &f.sections[i]
		for j := len(s.pieces) - 1; j >= 0 && over() && !s.folded; j-- {
			if p := &s.pieces[j]; p.waterfall {
				before := p.html
				p.html = omittedWaterfall
				f.left.waterfalls++
				saved(before, p.html)
			}
		}
	}
	if over() {
		f.left.island = true
		saved(f.island, "")
	}
	if over() {
		text = f.shorten()
		size = len(text)
	}
	if over() {
		f.left.over, f.left.least = true, int64(size)
		text = f.html()
	}
	return text
}
