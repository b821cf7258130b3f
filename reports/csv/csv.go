package csv

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// Table is one table of a document. Its cells are as they are written.
type Table struct {
	Name    string     // path in the JSON: summary.duration.percentiles
	About   string     // what one row is
	Columns []string   // unlike one another
	Rows    [][]string // as long as Columns; in the order of the JSON
}

// Tables returns every table of a document, those without rows too, in the order of the JSON.
func Tables(d reports.Document) []Table {
	out := make([]Table, 0, len(shapes()))
	for _, s := range shapes() {
		out = append(out, s.table(d))
	}
	return out
}

// Main returns the name of the table that answers the question of a kind of document.
func Main(kind reports.Kind) string {
	if name, ok := mainTables[kind]; ok {
		return name
	}
	return documentTable
}

// Names returns the names of the tables that documents can have, in the order of the JSON.
func Names() []string {
	names := make([]string, 0, len(shapes()))
	for _, s := range shapes() {
		names = append(names, s.name)
	}
	return names
}

// UnknownError says that there is no table of a name.
type UnknownError struct {
	Name string
	Kind reports.Kind
	Have []string // the tables of the document that have rows
}

// Error names the tables that there are.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no table %s in a %s document; those with rows are %s", e.Name, e.Kind, strings.Join(e.Have, ", "))
}

// List is the name under which Write writes the list of tables instead of one of them: those
// that have rows, with how many, and what one row is.
const List = "list"

// Write writes a table of a document, with its columns in the first line: the one of that
// name, the main one for no name, or for the name List the list of those that have rows. A
// table without rows is its columns alone. For a name that documents of this kind have no
// table of, the error is an *UnknownError.
func Write(w io.Writer, d reports.Document, tableName string) error {
	if tableName == "" {
		tableName = Main(d.Kind)
	}
	if tableName == List {
		return write(w, d, listed(d))
	}
	for _, s := range shapes() {
		if s.name == tableName && s.in(d) {
			return write(w, d, s.table(d))
		}
	}
	unknown := &UnknownError{Name: tableName, Kind: d.Kind}
	for _, row := range listed(d).Rows {
		unknown.Have = append(unknown.Have, row[0])
	}
	return unknown
}

// listed is the list of the tables that have rows.
func listed(d reports.Document) Table {
	out := Table{Name: List, Columns: []string{"table", "rows", "about"}}
	for _, t := range Tables(d) {
		if n := len(t.Rows); n > 0 {
			out.Rows = append(out.Rows, []string{t.Name, fmt.Sprint(n), t.About})
		}
	}
	return out
}

func write(w io.Writer, d reports.Document, t Table) error {
	out := bufio.NewWriter(w)
	line(out, t.Columns)
	for _, row := range t.Rows {
		line(out, row)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write table %s of %s document as CSV: %w", t.Name, d.Kind, err)
	}
	return nil
}

// line writes a row. Errors stay with the writer until it is flushed.
func line(out *bufio.Writer, cells []string) {
	for i, cell := range cells {
		if i > 0 {
			out.WriteByte(',')
		}
		if !quoted(cell) && len(cells) > 1 {
			out.WriteString(cell)
			continue
		}
		out.WriteByte('"')
		out.WriteString(strings.ReplaceAll(cell, "\"", "\"\""))
		out.WriteByte('"')
	}
	out.WriteByte('\n')
}

// quoted says whether a cell stands in quotation marks: one that the format wants them for, with
// a space at an end that readers would drop, and one that begins with an apostrophe, which those
// who guess the format take for the quotation mark of the file. So does the only cell of a row:
// an empty line is no row.
func quoted(cell string) bool {
	return strings.ContainsAny(cell, ",\"\r\n") || strings.HasPrefix(cell, "'") || strings.HasPrefix(cell, " ") || strings.HasSuffix(cell, " ")
}
