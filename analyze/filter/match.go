package filter

// Column gives one field of requests by row.
type Column interface {
	Text(row int32) (string, bool)    // false where there is none
	Number(row int32) (float64, bool) // false where it is no number
}

// Bind makes of the expression a function that says whether it holds for the request in a
// row. It looks every field up once. The function may be used by any number of goroutines
// if the columns may.
func (e *Expr) Bind(field func(name string) (Column, Kind)) func(row int32) bool {
	return bind(e.root, field)
}

func bind(n node, field func(string) (Column, Kind)) func(int32) bool {
	switch n := n.(type) {
	case not:
		of := bind(n.of, field)
		return func(row int32) bool { return !of(row) }
	case and:
		parts := bindAll(n, field)
		return func(row int32) bool {
			for _, p := range parts {
				if !p(row) {
					return false
				}
			}
			return true
		}
	case or:
		parts := bindAll(n, field)
		return func(row int32) bool {
			for _, p := range parts {
				if p(row) {
					return true
				}
			}
			return false
		}
	}
	return n.(*comparison).bind(field)
}

func bindAll(nodes []node, field func(string) (Column, Kind)) []func(int32) bool {
	out := make([]func(int32) bool, len(nodes))
	for i, n := range nodes {
		out[i] = bind(n, field)
	}
	return out
}

// wanted is what a field is compared with.
type wanted struct {
	none     bool
	text     map[string]bool
	number   float64 // of an order
	isNumber bool
	numbers  map[float64]bool
}

// bind makes a function of a comparison.
func (c *comparison) bind(field func(string) (Column, Kind)) func(int32) bool {
	column, kind := field(c.field)
	if c.op == Match {
		return func(row int32) bool {
			text, ok := column.Text(row)
			return ok && c.matches.MatchString(text)
		}
	}
	w := wanted{text: map[string]bool{}, numbers: map[float64]bool{}}
	for _, v := range c.values {
		if v.None() {
			w.none = true
			continue
		}
		w.text[v.Text] = true
		if n, ok := v.numberOf(kind); ok {
			w.number, w.isNumber = n, true
			w.numbers[n] = true
		}
	}
	if c.op.order() {
		return func(row int32) bool {
			n, ok := column.Number(row)
			return ok && w.isNumber && c.op.Holds(n, w.number)
		}
	}
	equal := w.equal(column, kind)
	if c.op == NotEqual {
		return func(row int32) bool { return !equal(row) }
	}
	return equal
}

// numberOf returns the number that a value is for a field of some kind.
func (v Value) numberOf(kind Kind) (float64, bool) {
	switch kind {
	case Time:
		return v.time()
	case Date:
		return v.date()
	case Text:
		return 0, false
	}
	return v.number()
}

// equal makes a function that says whether a field is one of the values.
func (w wanted) equal(column Column, kind Kind) func(int32) bool {
	return func(row int32) bool {
		text, ok := column.Text(row)
		switch {
		case !ok:
			return w.none
		case (kind == Text || kind == Any) && w.text[text]:
			return true
		case !w.isNumber:
			return false
		}
		n, ok := column.Number(row)
		return ok && w.numbers[n]
	}
}
