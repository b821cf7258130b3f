package serverlog

import "github.com/tailpath/tailpath/ingest/table"

const (
	// enoughRows is how many rows tell about how many the rest of a log makes.
	enoughRows = 1 << 10
	// mostAhead is how many times as many rows as there are room is made for: the rest
	// of a log may be nothing like its beginning.
	mostAhead = 8
)

// makeRoom makes room in a table for some rows. If the size of the log is known, it makes
// room for those of all the log, as far as it is like what has been read, and for twice
// as many as there are otherwise.
func (d *Decoder) makeRoom(t *table.Rows, rows int) {
	if t.Room() >= rows {
		return
	}
	n, done := t.Len(), d.at.Offset-d.from
	if ahead := d.opt.Size - done; n >= enoughRows && done > 0 && ahead > 0 {
		more := float64(n) * min(float64(ahead)/float64(done)*1.02, mostAhead)
		t.Reserve(max(int(more), enoughRows, rows))
		return
	}
	t.MakeRoom(rows)
}
