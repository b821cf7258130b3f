// Package table answers: what are the tables of a run, in memory and in files?
//
// A [Set] holds every table of one run. A table is declared once, as a [Schema];
// its Go columns, its Arrow and Parquet columns, its order and its line on the schema
// page are all made from that declaration. The Go side of a table is a struct of
// slices, one a column: row i of every slice is one row.
//
//	s := table.NewSet()
//	scope := s.Scopes.Grow()
//	s.Scopes.Service[scope] = s.Symbols.Intern("vllm")
//	i := s.Spans.Grow()
//	s.Spans.Start[i], s.Spans.End[i] = 1764428645_000000000, 1764428645_250000000
//	s.Spans.ScopeRow[i] = int32(scope)
//	s.Spans.Attributes.Add(s.Symbols.Intern("gen_ai.request.model"), table.StringValue("llama"))
//	s.Canonicalize()
//	err := table.WriteDir("run", s)
//
// # Filling and using a set
//
// Whoever reads an input fills a set of its own with Grow and Symbols; [Set.Append]
// puts the sets of many readers together. [Set.Canonicalize] then numbers symbols and
// orders rows by content alone, so that the same content gives the same set to the
// byte, whoever read which part of it and in which order. From there on raw tables are
// not edited: repairs and clock offsets are columns of other tables. Derived tables
// are made from a canonical set and refer to its rows by number.
//
// A set is not safe for concurrent use while it is filled. Once it is canonical, any
// number of goroutines may read it.
//
// # Missing values
//
// A new row holds the absent value in every nullable column: [Missing] for integers
// and times, NaN for floating-point numbers (any NaN: its bits are not kept there),
// symbol 0, the empty text, the id of zeros. In files they are nulls. A column that is
// not nullable has no absent value: there 0, "" and NaN are values and keep their bits.
//
// # Text
//
// Text is recorded bytes. Files hold valid UTF-8 only, so a byte that is not part of
// it is spelled U+FFFD, x and two hexadecimal digits there ("caf\xe9" is
// "caf\uFFFDxE9") and read back as the byte. Attributes of type bytes are base64 in
// files, as in OTLP JSON. Nothing is lost or replaced.
//
// # Files
//
// [WriteDir] and [ReadDir] keep a set as a directory: a Parquet file a table and a
// manifest with the SHA-256 of each, which appears whole or not at all. DuckDB, pandas
// and everything else that reads Parquet read the tables:
//
//	select name, attributes['gen_ai.request.model'].str from 'run/spans.parquet'
//
// A map with duplicate keys is legal and kept; DuckDB looks up the first of them and
// lists all with map_entries(attributes). [WriteParquet], [WriteIPC] and [WriteCSV] write single
// tables. Files are read back by the same format version only, and are checked:
// a directory and an Arrow stream by their checksums before anything is decoded, a
// single Parquet file by the checks of its decoder. A checksum finds damage, not
// malice: Arrow streams of strangers are refused since they have none.
//
// # Memory
//
// This package alone imports the Arrow module, and hands out none of its types. While
// a file is written, Arrow arrays borrow the numbers, ids and attribute text of the
// set, which must not change meanwhile; what is made anew is released before the
// writer returns. Readers copy all they take. Writing holds one batch (64 Ki rows of a
// stream, 128 Ki rows of a Parquet file, or 256 MiB of text in one column) in memory
// besides the set. A [Value] borrows its text from its column.
//
// Parquet is written with the module's page and metadata writers rather than with its
// pqarrow package, which imports gRPC: programs are 12 MB instead of 31 MB for it.
package table
