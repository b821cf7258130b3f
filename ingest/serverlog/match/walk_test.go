package match_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"pgregory.net/rapid"
)

// tree is a drawn value: a string, an int, nil, a map as its keys and values, or a list.
type tree struct {
	scalar any
	keys   []string
	values []tree
	list   bool
}

var treeKeys = []string{"a", "b", "a.b", "b.a", "a.b.a", "c:d"}

func drawTree(t *rapid.T, depth int) tree {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind = 5 // what a record is
	}
	switch {
	case kind == 0:
		return tree{scalar: rapid.StringMatching(`([a-z'"\\\{\}\[\]\(\),:= é\n]|a=1|'a': 1){0,6}`).Draw(t, "string")}
	case kind == 1:
		return tree{}
	case kind <= 3 || depth > 3:
		return tree{scalar: rapid.IntRange(0, 999_999).Draw(t, "int")}
	case kind == 4:
		n := tree{list: true}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			n.values = append(n.values, drawTree(t, depth+1))
		}
		return n
	}
	n := tree{}
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom(treeKeys), 1, 5, rapid.ID[string]).Draw(t, "keys") {
		n.keys = append(n.keys, k)
		n.values = append(n.values, drawTree(t, depth+1))
	}
	return n
}

func (n tree) isMap() bool { return n.keys != nil }

// find resolves a path by trying all ways to split it: that with the fewest keys is meant,
// and of several such the first in the text.
func (n tree) find(parts []string) (found tree, keys int, ok bool) {
	if len(parts) == 0 {
		return n, 0, true
	}
	for i := range n.values {
		for take := 1; take <= len(parts); take++ {
			key := strings.Join(parts[:take], ".")
			if n.isMap() && n.keys[i] != key || !n.isMap() && fmt.Sprint(i) != key {
				continue
			}
			if sub, depth, is := n.values[i].find(parts[take:]); is && (!ok || depth+1 < keys) {
				found, keys, ok = sub, depth+1, true
			}
		}
	}
	return found, keys, ok
}

// json renders the tree with blanks here and there.
func (n tree) json(t *rapid.T) string {
	blank := rapid.SampledFrom([]string{"", " ", "\t "}).Draw(t, "blank")
	var parts []string
	for i, v := range n.values {
		if n.list {
			parts = append(parts, v.json(t))
		} else {
			parts = append(parts, `"`+n.keys[i]+`"`+blank+":"+blank+v.json(t))
		}
	}
	switch body := blank + strings.Join(parts, blank+","+blank) + blank; {
	case n.list:
		return "[" + body + "]"
	case n.isMap():
		return "{" + body + "}"
	}
	text, _ := json.Marshal(n.scalar)
	return string(text)
}

// python renders the tree as dicts and calls.
func (n tree) python(t *rapid.T) string {
	call := n.isMap() && !strings.Contains(strings.Join(n.keys, ""), ":") && rapid.Bool().Draw(t, "call")
	var parts []string
	for i, v := range n.values {
		text := v.python(t)
		switch {
		case call:
			text = n.keys[i] + "=" + text
		case n.isMap():
			text = "'" + n.keys[i] + "': " + text
		}
		parts = append(parts, text)
	}
	switch body := strings.Join(parts, ", "); {
	case n.list:
		return rapid.SampledFrom([]string{"[" + body + "]", "(" + body + ")", "tensor(" + body + ")"}).Draw(t, "list")
	case call:
		return "m.Req(" + body + ")"
	case n.isMap():
		return "{" + body + "}"
	}
	switch s := n.scalar.(type) {
	case string:
		text := reprText(s)
		if rapid.Bool().Draw(t, "shortened") {
			text += " ... 'x, a=3'"
		}
		return text
	case nil:
		return "None"
	}
	return fmt.Sprint(n.scalar)
}

// agrees reports whether v is the scalar that the path leads to; got says what is wrong.
func agrees(v *match.Value, want tree, ok bool) (got string, agree bool) {
	switch s := want.scalar.(type) {
	case string:
		agree = ok && string(v.Text) == s && (v.Kind == match.Text) == (s != "")
	case int:
		agree = ok && v.Kind == match.Text && string(v.Text) == fmt.Sprint(s)
	default:
		agree = v.Kind == match.None || want.isMap() || want.list
	}
	return showValue(v), agree
}

var treePaths = []string{"a", "b", "a.b", "b.a", "a.b.a", "a.0", "a.1.b", "b.a.b.a", "c:d", "c:d.a", "a.b.0.a"}

func testTrees(t *testing.T, compile compileFields, render func(tree, *rapid.T) string) {
	rapid.Check(t, func(t *rapid.T) {
		root := drawTree(t, 0)
		text := render(root, t)
		var fields []match.Field
		for i, p := range rapid.SliceOfNDistinct(rapid.SampledFrom(treePaths), 1, 8, rapid.ID[string]).Draw(t, "paths") {
			fields = append(fields, match.Field{Name: fmt.Sprintf("f%d", i), Path: p})
		}
		slots := match.NewSlots()
		m, err := compile("", fields, slots, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := slots.NewValues()
		any, matched := false, m.Match([]byte(text), values)
		for i, f := range fields {
			want, _, ok := root.find(strings.Split(f.Path, "."))
			any = any || ok
			if got, agree := agrees(&values[i], want, ok); !agree && (ok || values[i].Kind != match.None) {
				t.Fatalf("%s in %s: got %s", f.Path, text, got)
			}
		}
		if any != matched {
			t.Fatalf("%s: matched %v, fields there: %v", text, matched, any)
		}
		// A text that is cut off gives no other values than the whole one, for paths that
		// can be read in one way.
		cut := text[:rapid.IntRange(0, len(text)-1).Draw(t, "cut")]
		match.Reset(values)
		if !m.Match([]byte(cut), values) {
			return
		}
		for i, f := range fields {
			if strings.Contains(f.Path, ".") {
				continue
			}
			want, _, ok := root.find([]string{f.Path})
			if got, agree := agrees(&values[i], want, ok); values[i].Kind != match.None && !agree {
				t.Fatalf("%s in %s: got %s", f.Path, cut, got)
			}
		}
	})
}

func TestJSONTrees(t *testing.T)   { testTrees(t, jsonFields, tree.json) }
func TestPythonTrees(t *testing.T) { testTrees(t, pythonFields, tree.python) }

// TestLogfmtPairs renders pairs between other text and reads them back.
func TestLogfmtPairs(t *testing.T) {
	slots := match.NewSlots()
	m, err := logfmtFields("", fields(t, "a a", "b b", "cd c.d"), slots, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := slots.NewValues()
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{}
		var parts []string
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			key := rapid.SampledFrom([]string{"a", "b", "c.d", "x", "aa", "c"}).Draw(t, "key")
			value := rapid.StringMatching(`[a-z0-9:/.]{1,6}`).Draw(t, "value")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				parts = append(parts, `said "`+key+`=1 \" b=2"`, "word")
				continue
			case 1:
				value = rapid.StringMatching(`[a-z =,"]{0,8}`).Draw(t, "quoted")
				parts = append(parts, key+`="`+strings.ReplaceAll(value, `"`, `\"`)+`"`)
			case 2:
				parts = append(parts, key+"="+value+",")
			default:
				parts = append(parts, "span{"+key+"="+value+"}:")
			}
			if _, ok := want[key]; !ok {
				want[key] = value
			}
		}
		text := strings.Join(parts, " ")
		match.Reset(values)
		matched := m.Match([]byte(text), values)
		found := false
		for i, name := range slots.Names() {
			w, ok := want[strings.Replace(name, "cd", "c.d", 1)]
			found = found || ok
			if string(values[i].Text) != w {
				t.Fatalf("%s in %q: got %q, want %q", name, text, values[i].Text, w)
			}
		}
		if found != matched {
			t.Fatalf("%q: matched %v", text, matched)
		}
	})
}
