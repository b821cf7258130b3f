package table

// Type is the storage type of one column.
type Type uint8

// The column types, with the Go slice that holds each and its Arrow type.
const (
	Timestamp Type = iota // []int64, nanoseconds since the Unix epoch, UTC; timestamp[ns, UTC]
	Int64                 // []int64; int64
	Int32                 // []int32; int32
	Float64               // []float64; float64
	Bool                  // []bool; bool
	Enum                  // []uint8, an index into Field.Names; dictionary<int8, utf8>
	Dict                  // []Sym; dictionary<int32, utf8>
	Text                  // []string; utf8
	ID16                  // []TraceID; fixed_size_binary[16]
	ID8                   // []SpanID; fixed_size_binary[8]
	Map                   // Attrs; map<utf8, struct<type, str, int, double>>
)

// Field declares one column. Builders, readers and the schema page are made from
// it; nothing about a column is said twice.
type Field struct {
	Name     string
	Type     Type
	Unit     string   // "ns", "tokens", ...; empty for a plain value
	Nullable bool     // absent values: Missing, NaN, Sym 0, the zero id, the empty text
	Names    []string // the words of an Enum, by value
	Refs     string   // the table whose rows an Int32 column numbers, if it does
	Doc      string
}

// Schema declares one table.
type Schema struct {
	Name     string
	Doc      string
	Key      []string // columns that order the rows, before all others in field order
	Merged   bool     // rows that are equal in every column are one row
	Recorded bool     // rows of equal key stay in recorded order; Key is the row they belong to
	Fields   []Field
}

// Format is the version of the declared tables and of the files they are written
// to. It rises when a reader of the old ones would misread the new ones.
const Format = 4

// Field returns the declaration of the named column.
func (s *Schema) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Schemas lists every table in the order they are written. A table comes after
// the tables whose rows it refers to.
func Schemas() []*Schema {
	return []*Schema{
		&ScopesSchema, &SpansSchema, &SpanEventsSchema, &SpanLinksSchema, &PartsSchema, &LogsSchema,
		&EngineSamplesSchema, &RequestsSchema, &SegmentsSchema, &ClocksSchema, &QualitySchema,
	}
}

// StageNames are the stages of a critical path in path order. They name columns
// here; package stage gives them meaning.
var StageNames = [StageCount]string{
	"network", "gateway", "queue", "scheduling", "gpu", "transfer", "application", "unattributed",
}

// StageCount is the number of stages.
const StageCount = 8
