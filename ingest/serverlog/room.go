package serverlog

import "reflect"

// Tables grow by themselves by a quarter at a time, which copies a row four times until
// it has its place for good. A log makes many small rows, so that room is made for twice
// as many, from firstRoom rows on and as long as a table has less than mostRoom.
const (
	firstRoom = 1 << 10
	mostRoom  = 1 << 20
)

// room is how many rows a table has room for.
type room int

// make makes room in every column of a table, which is a pointer to its struct, unless
// there is some. Columns have room for different numbers of rows beyond what is asked
// for, so that it is not theirs that tells.
func (r *room) make(rows int, table any) {
	if rows < int(*r) || rows >= mostRoom {
		return
	}
	more := max(rows, firstRoom)
	*r = room(rows + more)
	t := reflect.ValueOf(table).Elem()
	for i := range t.NumField() {
		if column := t.Field(i); column.Kind() == reflect.Slice && column.CanSet() {
			column.Grow(more)
		}
	}
}
