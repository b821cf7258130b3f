package table

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
)

// Keys of the metadata that files of tailpath carry, beside the doc of a table or
// column (docKey) and the unit of a column (unitKey).
const (
	tableKey   = "tailpath.table"
	versionKey = "tailpath.version"
	docKey     = "doc"
	unitKey    = "unit"
)

// The types of the columns in Arrow. Dictionary types are those of IPC streams.
var (
	utcNanoseconds = &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	symbolCoded    = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	enumCoded      = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	valueCoded     = valueStruct(enumCoded)
	attrsCoded     = attrsMap(symbolCoded, valueCoded)
	attrsPlain     = attrsMap(arrow.BinaryTypes.String, valueStruct(arrow.BinaryTypes.String))
)

// valueStruct is the type of an attribute value: its type by name, and the one of
// str, int and double that the type uses. A bool is the int 0 or 1. str holds a
// string, the base64 of bytes, or the OTLP JSON of an array or kvlist.
func valueStruct(name arrow.DataType) *arrow.StructType {
	return arrow.StructOf(
		arrow.Field{Name: "type", Type: name},
		arrow.Field{Name: "str", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "int", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "double", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	)
}

func attrsMap(key arrow.DataType, value *arrow.StructType) *arrow.MapType {
	m := arrow.MapOf(key, value)
	m.SetItemNullable(false)
	return m
}

// arrowType returns the type of a column. Coded types have dictionaries where the
// column has few distinct strings; the others spell every string.
func arrowType(f Field, coded bool) arrow.DataType {
	switch f.Type {
	case Timestamp:
		return utcNanoseconds
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Int32:
		return arrow.PrimitiveTypes.Int32
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Enum:
		if coded {
			return enumCoded
		}
		return arrow.BinaryTypes.String
	case Dict:
		if coded {
			return symbolCoded
		}
		return arrow.BinaryTypes.String
	case Text:
		return arrow.BinaryTypes.String
	case ID16:
		return &arrow.FixedSizeBinaryType{ByteWidth: len(TraceID{})}
	case ID8:
		return &arrow.FixedSizeBinaryType{ByteWidth: len(SpanID{})}
	case Map:
		if coded {
			return attrsCoded
		}
		return attrsPlain
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

// arrowSchema returns the schema of a table in Arrow. Table and format version are
// metadata of the schema, unit and doc those of a field.
func arrowSchema(s *Schema, coded bool) *arrow.Schema {
	fields := make([]arrow.Field, len(s.Fields))
	for i, f := range s.Fields {
		keys, values := []string{docKey}, []string{f.Doc}
		if f.Unit != "" {
			keys, values = append(keys, unitKey), append(values, f.Unit)
		}
		fields[i] = arrow.Field{
			Name: f.Name, Type: arrowType(f, coded), Nullable: f.Nullable,
			Metadata: arrow.NewMetadata(keys, values),
		}
	}
	meta := arrow.NewMetadata(
		[]string{tableKey, versionKey, docKey},
		[]string{s.Name, strconv.Itoa(Format), s.Doc})
	return arrow.NewSchema(fields, &meta)
}

// checkOrigin says why a file with such metadata cannot be read as the table, if
// it cannot. lookup returns the value of a metadata key.
func checkOrigin(s *Schema, lookup func(key string) (string, bool)) error {
	name, ok := lookup(tableKey)
	version, versioned := lookup(versionKey)
	switch {
	case !ok || !versioned:
		return fmt.Errorf("the file was not written by tailpath: it does not name a table in %q and a version in %q", tableKey, versionKey)
	case version != strconv.Itoa(Format):
		return fmt.Errorf("the file has format version %s and this tailpath reads version %d: write it anew with this version", version, Format)
	case name != s.Name:
		return fmt.Errorf("the file holds the table %s, not %s", name, s.Name)
	}
	return nil
}

// checkArrowSchema says how the schema of a file differs from that of a table, if
// it does. Docs and units may differ.
func checkArrowSchema(s *Schema, got *arrow.Schema) error {
	if err := checkOrigin(s, func(key string) (string, bool) { return got.Metadata().GetValue(key) }); err != nil {
		return err
	}
	if got.NumFields() != len(s.Fields) {
		return fmt.Errorf("the file has %d columns and the table %s has %d", got.NumFields(), s.Name, len(s.Fields))
	}
	for i, f := range s.Fields {
		want, have := arrowType(f, true), got.Field(i)
		if have.Name != f.Name {
			return fmt.Errorf("column %d of the file is %s and that of the table %s is %s", i, have.Name, s.Name, f.Name)
		}
		if have.Nullable != f.Nullable || !arrow.TypeEqual(have.Type, want) {
			return fmt.Errorf("column %s of the file is %s and that of the table is %s", f.Name, typeText(have.Type, have.Nullable), typeText(want, f.Nullable))
		}
	}
	return nil
}

func typeText(t arrow.DataType, nullable bool) string {
	if nullable {
		return fmt.Sprintf("%v or null", t)
	}
	return fmt.Sprint(t)
}
