package table

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteSchemaPage writes what every table and column means as Markdown.
func WriteSchemaPage(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `# Tables

Format %d. A tailpath directory holds one Parquet file a table, named after it, and
tailpath.json with the rows, size and SHA-256 of each. Arrow streams hold one table.

Times are nanoseconds since the Unix epoch, UTC. A row column holds the number of a
row of another table, from 0. Ids are raw bytes. A map holds attributes in recorded
order with duplicate keys kept; its values have a type, and the one of str, int and
double that the type uses: a bool is the int 0 or 1, bytes are base64 in str, arrays
and kvlists are OTLP JSON in str. A byte that is not valid UTF-8 is written as U+FFFD,
an x and two hexadecimal digits.

In DuckDB, attributes['http.route'].str is an attribute (the first, should its key be
there twice), map_entries(attributes) lists all of them, and hex(trace_id) is an id as
it is usually written.
`, Format)
	for _, s := range Schemas() {
		fmt.Fprintf(out, "\n## %s\n\n%s ", s.Name, s.Doc)
		if s.Recorded {
			fmt.Fprintf(out, "Ordered by %s, then as recorded.\n\n", strings.Join(s.Key, ", "))
		} else {
			fmt.Fprintf(out, "Ordered by %s, then by the other columns.\n\n", strings.Join(s.Key, ", "))
		}
		fmt.Fprint(out, "| column | type | unit | absent | meaning |\n|---|---|---|---|---|\n")
		for _, f := range s.Fields {
			absent := "never"
			if f.Nullable {
				absent = "may be"
			}
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", f.Name, typeWords(f), f.Unit, absent, markdownCell(f.Doc))
		}
	}
	return out.Flush()
}

// typeWords says what a column holds, as a reader of its file sees it.
func typeWords(f Field) string {
	switch f.Type {
	case Timestamp:
		return "timestamp (UTC)"
	case Int64:
		return "int64"
	case Int32:
		if f.Refs != "" {
			return "row of " + f.Refs
		}
		return "int32"
	case Float64:
		return "double"
	case Bool:
		return "bool"
	case Enum:
		return "one of " + strings.Join(f.Names, ", ")
	case Dict, Text:
		return "text"
	case ID16:
		return "16 bytes"
	case ID8:
		return "8 bytes"
	case Map:
		return "map of attributes"
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

func markdownCell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
