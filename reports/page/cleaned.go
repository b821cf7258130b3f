package page

import (
	"reflect"

	"github.com/tailpath/tailpath/reports/chart"
)

// cleaned returns a block with all of its texts fit to be shown. What it is given stays as it is.
func cleaned(block Block) Block {
	switch x := block.(type) {
	case Paragraph:
		x.Text = clean(x.Text)
		return x
	case Labelled:
		x.Label, x.Text = clean(x.Label), clean(x.Text)
		return x
	case Note:
		x.Mark, x.ID, x.Text = clean(x.Mark), clean(x.ID), clean(x.Text)
		return x
	case Figure:
		x.Answer = clean(x.Answer)
		if x.Drawing != nil {
			x.Drawing = cleanedCopy(reflect.ValueOf(x.Drawing)).Interface().(chart.Drawing)
		}
		return x
	case Blank:
		x.Prompt = clean(x.Prompt)
		return x
	case Table:
		return cleanedTable(x)
	case Waterfall:
		rows := make([]WaterfallRow, len(x.Rows))
		for i, row := range x.Rows {
			row.Label, row.Took, row.OnPath = clean(row.Label), clean(row.Took), clean(row.OnPath)
			rows[i] = row
		}
		x.Rows = rows
		return x
	}
	return block
}

func cleanedTable(t Table) Table {
	columns, rows := make([]Column, len(t.Columns)), make([][]string, len(t.Rows))
	for i, c := range t.Columns {
		c.Head = clean(c.Head)
		columns[i] = c
	}
	for i, row := range t.Rows {
		rows[i] = make([]string, len(row))
		for k, cell := range row {
			rows[i][k] = clean(cell)
		}
	}
	t.Caption, t.Columns, t.Rows = clean(t.Caption), columns, rows
	return t
}

// cleanedCopy copies a chart with its labels cleaned: whatever kind of chart it is, its texts are
// strings somewhere in its exported fields.
func cleanedCopy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(clean(v.String()))
	case reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if field := out.Field(i); field.CanSet() {
				field.Set(cleanedCopy(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Float64 { // the most there is of, without a text
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(cleanedCopy(v.Index(i)))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(cleanedCopy(v.Elem()))
	default:
		return v
	}
	return out
}
