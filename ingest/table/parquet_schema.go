package table

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// The leaves of a Map column in Parquet, in order. Their definition levels are 0 for
// a row without attributes, keyLevel for an attribute, and one more for a part of the
// value that is there.
const (
	leafKey = iota
	leafType
	leafStr
	leafInt
	leafDouble
	mapLeaves

	keyLevel = 1
)

// leaves returns how many Parquet columns a column is stored in.
func (f Field) leaves() int {
	if f.Type == Map {
		return mapLeaves
	}
	return 1
}

// parquetSchema returns the schema of a table in Parquet.
func parquetSchema(s *Schema) *schema.Schema {
	fields := make(schema.FieldList, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = parquetNode(f)
	}
	return schema.NewSchema(schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)))
}

func parquetNode(f Field) schema.Node {
	rep := parquet.Repetitions.Required
	if f.Nullable {
		rep = parquet.Repetitions.Optional
	}
	switch f.Type {
	case Timestamp:
		utc := schema.NewTimestampLogicalType(true, schema.TimeUnitNanos)
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(f.Name, rep, utc, parquet.Types.Int64, 0, -1))
	case Int64:
		return schema.NewInt64Node(f.Name, rep, -1)
	case Int32:
		return schema.NewInt32Node(f.Name, rep, -1)
	case Float64:
		return schema.NewFloat64Node(f.Name, rep, -1)
	case Bool:
		return schema.NewBooleanNode(f.Name, rep, -1)
	case Enum, Dict, Text:
		return stringNode(f.Name, rep)
	case ID16:
		return schema.NewFixedLenByteArrayNode(f.Name, rep, int32(len(TraceID{})), -1)
	case ID8:
		return schema.NewFixedLenByteArrayNode(f.Name, rep, int32(len(SpanID{})), -1)
	case Map:
		value := schema.MustGroup(schema.NewGroupNode("value", parquet.Repetitions.Required, schema.FieldList{
			stringNode("type", parquet.Repetitions.Required),
			stringNode("str", parquet.Repetitions.Optional),
			schema.NewInt64Node("int", parquet.Repetitions.Optional, -1),
			schema.NewFloat64Node("double", parquet.Repetitions.Optional, -1),
		}, -1))
		return schema.MustGroup(schema.MapOf(f.Name, stringNode("key", parquet.Repetitions.Required), value, rep, -1))
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

func stringNode(name string, rep parquet.Repetition) schema.Node {
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, rep, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
}

// parquetMetadata returns the metadata of a file: table, format version and doc, and
// under ARROW:schema the Arrow schema, from which readers built on Arrow take the
// unit and doc of every column.
func parquetMetadata(s *Schema) (metadata.KeyValueMetadata, error) {
	var message bytes.Buffer
	w := ipc.NewWriter(&message, ipc.WithSchema(arrowSchema(s, false)))
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	const endOfStream = 8
	encoded := base64.StdEncoding.EncodeToString(message.Bytes()[:message.Len()-endOfStream])
	kv := metadata.NewKeyValueMetadata()
	for _, pair := range [][2]string{
		{tableKey, s.Name}, {versionKey, strconv.Itoa(Format)}, {docKey, s.Doc}, {"ARROW:schema", encoded},
	} {
		if err := kv.Append(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return kv, nil
}
