package markdown

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// drawing is all of a page as Markdown, before anything is left out.
type drawing struct {
	title    string
	sections []section
	next     string
	whole    string // the command that prints all of it
	most     int    // how many bytes it may have
}

// cut says what is left out: the last folded sections, the rows of tables beyond so many, and
// single parts, by section and place.
type cut struct {
	folded int
	rows   int
	parts  map[[2]int]bool
	title  bool
	next   bool
}

// all is a number of rows that no table has.
const all = math.MaxInt / 2

// within returns the drawing in at most the bytes that it may have, or in the fewest that it can.
func (d *drawing) within() string {
	most := d.most
	c := cut{rows: all}
	fits := func() bool { return len(d.write(c)) <= most }
	if fits() {
		return d.write(c)
	}
	folded := d.folded()
	c.folded = sort.Search(folded, func(n int) bool {
		c.folded = n
		return fits()
	})
	if fits() {
		return d.write(c)
	}
	// Tables that are cut are cut to the same length: the longest lose the most.
	longest := 0
	for _, s := range d.sections {
		for _, p := range s.parts {
			longest = max(longest, len(p.rows))
		}
	}
	beyond := sort.Search(longest, func(rows int) bool {
		c.rows = rows
		return !fits()
	})
	if beyond > 0 {
		c.rows = beyond - 1
		return d.write(c)
	}
	c.rows = 0
	d.leaveOut(&c)
	return d.write(c)
}

// leaveOut takes parts out until the rest fits, from those that find no room in the order of
// reading.
func (d *drawing) leaveOut(c *cut) {
	c.parts, c.title, c.next = map[[2]int]bool{}, true, true
	for i, s := range d.sections {
		for k := range s.parts {
			c.parts[[2]int{i, k}] = true
		}
	}
	// What says how much is left out is longest while everything is.
	used := len(d.write(*c)) + len(" and 1,000,000,000 rows")
	room := func(length int) bool {
		if used+length > d.most {
			return false
		}
		used += length
		return true
	}
	c.title = !room(len(d.title) + 2)
	c.next = !room(len(d.next) + 2)
	for i, s := range d.sections {
		if s.folded { // left out already
			continue
		}
		for k, p := range s.parts {
			length := len(p.text) + 2
			if len(p.rows) > 0 {
				length += len(rowsLeftOut(len(p.rows))) + 2
			}
			if first := k == 0 || c.parts[[2]int{i, k - 1}]; first {
				length += len(s.head) + 2
			}
			if room(length) {
				delete(c.parts, [2]int{i, k})
			}
		}
	}
}

// folded counts the folded sections.
func (d *drawing) folded() (n int) {
	for _, s := range d.sections {
		if s.folded {
			n++
		}
	}
	return n
}

// write writes what is not left out, and what is.
func (d *drawing) write(c cut) string {
	var b strings.Builder
	put := func(text string) {
		if text == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(text + "\n")
	}
	if !c.title {
		put(d.title)
	}
	var lost loss
	if c.title && d.title != "" {
		lost.parts++
	}
	kept := d.folded() - c.folded
	for i, s := range d.sections {
		if s.folded {
			if kept--; kept < 0 {
				lost.sections++
				continue
			}
		}
		text := s.write(i, c, &lost)
		if text == "" {
			continue
		}
		put(s.head)
		put(text)
		put(s.tail)
	}
	if c.next && d.next != "" {
		lost.parts++
	}
	if lost != (loss{}) {
		put(lost.within(d.most))
		put(code(d.whole))
	}
	if !c.next {
		put(d.next)
	}
	return b.String()
}

// write writes the parts of section i that are not left out.
func (s *section) write(i int, c cut, lost *loss) string {
	var b strings.Builder
	item := false
	for k, p := range s.parts {
		if c.parts[[2]int{i, k}] {
			lost.parts++
			continue
		}
		if b.Len() > 0 && !(item && p.item) {
			b.WriteString("\n")
		}
		item = p.item
		b.WriteString(p.text + "\n")
		for _, row := range p.rows[:min(len(p.rows), c.rows)] {
			b.WriteString(row + "\n")
		}
		if more := len(p.rows) - c.rows; more > 0 {
			lost.rows += more
			b.WriteString("\n" + rowsLeftOut(more) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func rowsLeftOut(n int) string { return "_" + counted(n, "more row") + " left out_" }

// loss counts what is left out.
type loss struct{ sections, rows, parts int }

// within says how much is left out to stay within so many bytes.
func (l loss) within(most int) string {
	var what []string
	for _, c := range []struct {
		n    int
		word string
	}{{l.sections, "folded section"}, {l.rows, "row"}, {l.parts, "part"}} {
		if c.n > 0 {
			what = append(what, counted(c.n, c.word))
		}
	}
	text := strings.Join(what, " and ")
	if len(what) == 3 {
		text = what[0] + ", " + what[1] + " and " + what[2]
	}
	return fmt.Sprintf("**left out** to stay within %s bytes: %s; this prints all of it:", reports.Integer(int64(most)), text)
}

// counted writes a number of things.
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return reports.Integer(int64(n)) + " " + word + "s"
}
