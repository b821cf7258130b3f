package tracefile

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// testShape has elements with an id, in lists or in a list inside another.
var testShape = shape{
	containers: []string{"list", "outer"},
	kept:       []string{"about"},
	dropped:    []string{"tensor"},
	is:         func(raw []byte) bool { return bytes.Contains(raw, []byte(`"id":`)) },
}

// collector is a handler that writes down what it gets.
type collector struct {
	got   []string // ids of elements, members, and the ends of objects
	ids   []string
	where []table.Place
	raw   []string
	depth int
	bad   bool // open and close do not pair
}

func (c *collector) open(table.Place) { c.depth++; c.got = append(c.got, "open") }
func (c *collector) close(whole bool) {
	c.depth--
	c.bad = c.bad || c.depth < 0
	c.got = append(c.got, fmt.Sprintf("close %t", whole))
}
func (c *collector) end(bool) { c.bad = c.bad || c.depth != 0 }
func (c *collector) member(name string, raw []byte, _ table.Place) {
	c.got = append(c.got, name+"="+string(raw))
}
func (c *collector) element(raw []byte, at table.Place) bool {
	id := ""
	var cur cursor
	cur.reset(raw)
	cur.enter('{')
	for name, ok := cur.member(); ok; name, ok = cur.member() {
		if string(name) == "id" {
			text, _, _ := cur.scalar()
			id = string(text)
			continue
		}
		cur.skip()
	}
	c.got, c.ids = append(c.got, id), append(c.ids, id)
	c.where, c.raw = append(c.where, at), append(c.raw, string(raw))
	return id != ""
}

// unfilled are the tables of all walks: a collector makes no rows.
var unfilled = table.NewSet()

// split walks over a stream.
func split(t tester, r io.Reader) (*collector, *Decoder, *table.Account) {
	t.Helper()
	c, account := &collector{}, &table.Account{}
	d := NewDecoder(unfilled, account, "input")
	w := &walker{window: window{r: r}, d: d, shape: &testShape, h: c}
	w.walk()
	if unfilled.Spans.Len() > 0 {
		t.Fatal("a walk alone makes rows")
	}
	if c.bad || c.depth != 0 {
		t.Fatalf("open and close do not pair: %v", c.got)
	}
	return c, d, account
}

// drawValue writes a JSON value of any kind.
func drawValue(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return fmt.Sprint(rapid.Int64().Draw(t, "int"))
	case 1:
		return rapid.SampledFrom([]string{"true", "false", "null", "-1.5e300", "NaN"}).Draw(t, "word")
	case 2, 3, 4:
		return rapid.SampledFrom([]string{`""`, `"a"`, `"{\"id\":7}"`, `"]}"`, `"\\"`, `"\u00e9\n"`, `"[{,:"`, `"ünïcode"`, `"a long text that spans several words of eight bytes"`}).Draw(t, "text")
	case 5, 6:
		n := rapid.IntRange(0, 3).Draw(t, "n")
		var parts []string
		for range n {
			parts = append(parts, drawValue(t, depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	n := rapid.IntRange(0, 3).Draw(t, "n")
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"m%d":%s`, i, drawValue(t, depth-1)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// drawText writes elements in one of the ways that elements stand in files and returns
// their ids and where each begins and ends.
func drawText(t *rapid.T) (text string, ids []string, starts, ends []int) {
	var b strings.Builder
	element := func() {
		id := fmt.Sprintf("e%d", len(ids))
		var parts []string
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			parts = append(parts, fmt.Sprintf(`"k%d": %s`, i, drawValue(t, 3)))
		}
		at := rapid.IntRange(0, len(parts)).Draw(t, "at")
		parts = append(parts[:at:at], append([]string{fmt.Sprintf(`"id":"%s"`, id)}, parts[at:]...)...)
		starts = append(starts, b.Len())
		b.WriteString("{" + strings.Join(parts, ",") + "}")
		ids, ends = append(ids, id), append(ends, b.Len())
	}
	list := func() {
		b.WriteString("[")
		for i := range rapid.IntRange(0, 4).Draw(t, "elements") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{",", ",\n", " , "}).Draw(t, "comma"))
			}
			element()
		}
		b.WriteString("]")
	}
	for range rapid.IntRange(1, 4).Draw(t, "documents") {
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			element()
		case 1:
			list()
		case 2:
			b.WriteString(`{"list":`)
			list()
			b.WriteString(`,"about":{"x":[1]},"total":0}`)
		case 3:
			b.WriteString(`{"total": 1,"outer":[{"about":1,"list":`)
			list()
			b.WriteString(`},{"other":{"a":"b"},"list":`)
			list()
			b.WriteString(`}]}`)
		case 4:
			b.WriteString(`[`)
			list()
			b.WriteString(`,`)
			list()
			b.WriteString(`]`)
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "", "\r\n\n", " ", "\n\x00\x1e"}).Draw(t, "between"))
	}
	return b.String(), ids, starts, ends
}

// Every element is handed out once, in order, with its own place, however the stream is
// cut into reads.
func TestElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, ids, _, ends := drawText(t)
		whole, d, account := split(t, strings.NewReader("\ufeff"+text))
		same(t, text, append([]string{}, ids...), append([]string{}, whole.ids...))
		if e := account.Entries(); len(e) > 0 || d.stats.BadDocuments+d.stats.BadSpans > 0 {
			t.Fatalf("%s: issues %+v", text, e)
		}
		for i, at := range whole.where {
			end := ends[i] + 3
			if int(at.Offset)+len(whole.raw[i]) != end {
				t.Fatalf("%s: element %d at %d of %d bytes ends at %d", text, i, at.Offset, len(whole.raw[i]), end)
			}
			if line := 1 + int64(strings.Count(("\ufeff" + text)[:at.Offset], "\n")); at.Line != line {
				t.Fatalf("%s: element %d on line %d, want %d", text, i, at.Line, line)
			}
		}
		for _, r := range []io.Reader{iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(iotest.HalfReader(strings.NewReader(text)))} {
			pieces, _, _ := split(t, r)
			same(t, text, whole.got, pieces.got)
		}
	})
}

// A text that is cut anywhere gives every element that ends before the cut, and says
// that it is cut if it is.
func TestCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, ids, starts, ends := drawText(t)
		for cut := range len(text) {
			got, _, account := split(t, strings.NewReader(text[:cut]))
			n := 0
			for n < len(ends) && ends[n] <= cut {
				n++
			}
			same(t, fmt.Sprintf("%s cut at %d", text, cut), append([]string{}, ids[:n]...), append([]string{}, got.ids...))
			if account.Count(BadDocument.ID)+account.Count(BadSpan.ID) > 0 {
				t.Fatalf("%s cut at %d: issues %+v", text, cut, account.Entries())
			}
			if n < len(ends) && starts[n] < cut && account.Count(CutLast.ID) != 1 {
				t.Fatalf("%s cut at %d is not known as cut", text, cut)
			}
		}
	})
}

// An element with one byte of its structure lost, doubled or turned into another costs
// itself only.
func TestBrokenElement(t *testing.T) {
	lost := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(t, "n")
		broken := rapid.IntRange(0, n-1).Draw(t, "broken")
		form := rapid.IntRange(0, 3).Draw(t, "form")
		before := []string{"[", `{"list":[`, "", `{"outer":[{"list":[`}[form]
		between := []string{",", ",\n", "\n", ", "}[form]
		after := []string{"]", `],"about":1}`, "\n", `],"about":2}]}`}[form]
		var b strings.Builder
		b.WriteString(before)
		var want []string
		for i := range n {
			if i > 0 {
				b.WriteString(between)
			}
			e := fmt.Sprintf(`{"id":"e%d","tags":[{"key":"a","value":{"b":[1,2]}},{"key":"c"}],"name":"x%d"}`, i, i)
			if i == broken {
				var places []int
				for k, c := range e {
					if strings.ContainsRune(`{}[]",:`, c) {
						places = append(places, k)
					}
				}
				k := rapid.SampledFrom(places).Draw(t, "place")
				e = e[:k] + rapid.SampledFrom([]string{"", e[k:k+1] + e[k:k+1], "}", "]", "[", `"`, ","}).Draw(t, "with") + e[k+1:]
			} else {
				want = append(want, fmt.Sprintf("e%d", i))
			}
			b.WriteString(e)
		}
		b.WriteString(after)
		c, _, _ := split(t, strings.NewReader(b.String()))
		got := map[string]bool{}
		for _, id := range c.ids {
			got[id] = true
		}
		for _, id := range want {
			if !got[id] {
				lost++
				t.Errorf("%s lost from %s: got %v", id, b.String(), c.ids)
			}
		}
	})
}

// A value that the elements do not need is never held, and one that is too large to be
// held costs itself only.
func TestLargeValues(t *testing.T) {
	tensor := "[" + strings.Repeat(`"0.123456",`, 1<<19) + "1]"
	text := `[{"id":"a","tensor":` + tensor + `,"after":1},{"tensor":"` + strings.Repeat("x\\n", 1<<20) + `","id":"b"},{"id":"c","tensor":5}]`
	c, _, account := split(t, iotest.HalfReader(strings.NewReader(text)))
	same(t, "ids", []string{"a", "b", "c"}, c.ids)
	if e := account.Entries(); len(e) > 0 {
		t.Errorf("issues %+v", e)
	}
	for _, raw := range c.raw {
		if len(raw) > 3*fullBuffer {
			t.Errorf("an element of %d bytes was held", len(raw))
		}
	}
	if last := c.where[2]; text[last.Offset:] != `{"id":"c","tensor":5}]` {
		t.Errorf("the last element is said to be at %d of %d", last.Offset, len(text))
	}
	huge := io.MultiReader(strings.NewReader(`[{"id":"a"},{"id":"b","x":"`), &repeater{'y', maxElement}, strings.NewReader(`"},{"id":"c"}]`))
	c, d, _ := split(t, huge)
	same(t, "ids around a huge one", []string{"a", "c"}, c.ids)
	same(t, "bad", int64(1), d.stats.BadSpans)
}

// repeater gives a byte n times.
type repeater struct {
	b byte
	n int
}

func (r *repeater) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.n)
	for i := range p[:n] {
		p[i] = r.b
	}
	r.n -= n
	return n, nil
}

// Text that is no JSON is passed over, and deep nesting neither recurses nor is tried
// again and again.
func TestNoJSON(t *testing.T) {
	for text, want := range map[string][]string{
		"":     {},
		"null": {}, "123": {}, "hello {world}": {},
		`d":1}` + "\n" + `{"id":"a"}`:                        {"a"},
		`{"id":"a"}` + "\n{\"id\":\"b\n" + `{"id":"c"}`:      {"a", "c"},
		`{"outer":[{"list":[{"id":"a"}` + `{"list":[` + "\n": {"a"},
		strings.Repeat("[", 2000) + `{"id":"a"}`:             {"a"},
		strings.Repeat(`{"a":`, 200000):                      {},
		strings.Repeat(`{"id":1,"a":[`, 50000):               {},
	} {
		c, _, account := split(t, strings.NewReader(text))
		same(t, fmt.Sprintf("%.40s", text), want, append([]string{}, c.ids...))
		if len(text) > 0 && len(account.Entries()) == 0 {
			t.Errorf("%.40s: nothing was counted", text)
		}
	}
}

// A stream that breaks gives its error, and what stood before it.
func TestReadError(t *testing.T) {
	o := NewDecoder(table.NewSet(), &table.Account{}, "input")
	r := io.MultiReader(strings.NewReader(`[{"traceId":"1","id":"2","timestamp":3,"duration":4},{"traceId"`), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := o.Read(r, ZipkinJSON); err != io.ErrUnexpectedEOF || o.Stats().Spans != 1 {
		t.Errorf("error %v, %d spans", err, o.Stats().Spans)
	}
}
