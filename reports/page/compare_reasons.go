package page

import (
	"slices"

	"github.com/tailpath/tailpath/reports"
)

// reasons say why figures have no interval: one footnote a reason, under the first table
// that needs it, to which later tables refer.
type reasons struct {
	texts   []reports.Warning
	written map[string]int // by id the number of the footnote
}

func reasonsOf(c *reports.Compare) *reasons {
	return &reasons{c.NoIntervals, map[string]int{}}
}

// mark returns the marks of the reasons with some ids, each once; it is empty for figures
// that have an interval. A reason that is new is added to the notes of the table, which
// are those that are written next.
func (r *reasons) mark(b *builder, notes *[]note, ids ...string) (text string) {
	var done []int
	for _, id := range ids {
		at := slices.IndexFunc(r.texts, func(w reports.Warning) bool { return w.ID == id })
		if at < 0 {
			continue
		}
		n, is := r.written[id]
		if !is {
			*notes = append(*notes, note{"no interval", r.texts[at].Text})
			n = b.notes + len(*notes)
			r.written[id] = n
		}
		if !slices.Contains(done, n) {
			done, text = append(done, n), text+" "+mark(n)
		}
	}
	return text
}

// ofSplit returns the ids of the reasons in a split.
func ofSplit(s reports.ChangeSplit) (ids []string) {
	ids = append(ids, s.Total.NoInterval)
	for _, part := range s.Parts {
		ids = append(ids, part.NoInterval)
	}
	return ids
}
