package match

import "bytes"

// scanList reads items of type t at text[at], with ", " between them and " : " between
// groups. An item may be -, which stands for no value.
func scanList(t Type, text []byte, at int, v *Value) (end int, o outcome) {
	if v != nil {
		v.List = v.List[:0]
	}
	end, group := at, 0
	for next := at; ; {
		item, stop, ok := scanItem(t, text, next)
		if !ok {
			break
		}
		if v != nil {
			item.Group = group
			v.List = append(v.List, item)
		}
		end, o = stop, good
		switch {
		case bytes.HasPrefix(text[end:], []byte(", ")):
			next = end + 2
		case bytes.HasPrefix(text[end:], []byte(" : ")):
			next = end + 3
			group++
		case end < len(text) && text[end] == ',':
			next = end + 1
		default:
			next = len(text)
		}
		if next == len(text) {
			break
		}
	}
	if o == good && v != nil {
		v.Text, v.Kind = text[at:end], List
	}
	return end, o
}

// scanItem reads one item of a list.
func scanItem(t Type, text []byte, at int) (item Item, end int, ok bool) {
	var v Value
	o := good
	switch t {
	case TypeText, TypeToken:
		for end = at; end < len(text) && !isBlank(text[end]) && text[end] != ',' && text[end] != '"'; end++ {
		}
		v.Text, v.Kind = text[at:end], Text
		if end == at {
			return item, at, false
		}
	default:
		end, o = scan(t, text, at, &v, false)
	}
	if o == failed && at < len(text) && text[at] == '-' {
		end, v.Text = at+1, text[at:at+1]
	} else if o == failed {
		return item, at, false
	}
	if len(v.Text) == 1 && v.Text[0] == '-' {
		v.Kind = None
	}
	return Item{Kind: v.Kind, Text: v.Text, Int: v.Int, Float: v.Float, Res: v.Res}, end, true
}
