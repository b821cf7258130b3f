package html

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// node is an element of a file that was read back, or a text when its tag is empty.
type node struct {
	tag    string
	attrs  map[string]string
	text   string
	parent *node
	inside []*node
}

// parse reads HTML as strictly as this package writes it: every element is closed in its turn,
// attributes are quoted and none is there twice, and < and & stand in text only as references.
// What a browser would repair is an error, since repairing is how a text becomes an element.
func parse(source string) (*node, error) {
	rest, ok := strings.CutPrefix(source, "<!doctype html>\n")
	if !ok {
		return nil, fmt.Errorf("no doctype")
	}
	root := &node{tag: "#"}
	at := root
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "</"):
			name, after, found := strings.Cut(rest[2:], ">")
			if !found || name != at.tag {
				return nil, fmt.Errorf("</%.20s closes <%s>", name, at.tag)
			}
			at, rest = at.parent, after
		case rest[0] == '<':
			n, selfClosing, after, err := startTag(rest)
			if err != nil {
				return nil, err
			}
			n.parent = at
			at.inside = append(at.inside, n)
			rest = after
			switch {
			case selfClosing || n.tag == "meta":
			case n.tag == "script" || n.tag == "style":
				text, after, found := strings.Cut(rest, "</"+n.tag+">")
				if !found || strings.Contains(strings.ToLower(text), "</"+n.tag) || strings.Contains(text, "<!--") {
					return nil, fmt.Errorf("a %s that may end early", n.tag)
				}
				n.text, rest = text, after
			default:
				at = n
			}
		default:
			end := strings.IndexByte(rest, '<')
			if end < 0 {
				end = len(rest)
			}
			text := rest[:end]
			if err := proper(text); err != nil {
				return nil, err
			}
			at.inside = append(at.inside, &node{text: html.UnescapeString(text), parent: at})
			rest = rest[end:]
		}
	}
	if at != root {
		return nil, fmt.Errorf("<%s> is not closed", at.tag)
	}
	return root, nil
}

// startTag reads the start of an element.
func startTag(s string) (n *node, selfClosing bool, rest string, err error) {
	isName := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == ':'
	}
	i := 1
	for i < len(s) && isName(s[i]) {
		i++
	}
	n = &node{tag: s[1:i], attrs: map[string]string{}}
	if n.tag == "" {
		return nil, false, "", fmt.Errorf("a < that starts nothing: %.30q", s)
	}
	for {
		if rest, ok := strings.CutPrefix(s[i:], "/>"); ok {
			return n, true, rest, nil
		}
		if rest, ok := strings.CutPrefix(s[i:], ">"); ok {
			return n, false, rest, nil
		}
		if !strings.HasPrefix(s[i:], " ") {
			return nil, false, "", fmt.Errorf("<%s> goes on with %.30q", n.tag, s[i:])
		}
		i++
		from := i
		for i < len(s) && isName(s[i]) {
			i++
		}
		name := s[from:i]
		if name == "open" && !strings.HasPrefix(s[i:], "=") {
			n.attrs[name] = ""
			continue
		}
		rest, ok := strings.CutPrefix(s[i:], `="`)
		value, _, ended := strings.Cut(rest, `"`)
		if _, twice := n.attrs[name]; !ok || !ended || name == "" || twice {
			return nil, false, "", fmt.Errorf("<%s> has a bad attribute at %.30q", n.tag, s[from:])
		}
		if err := proper(value); err != nil {
			return nil, false, "", err
		}
		n.attrs[name] = html.UnescapeString(value)
		i += len(`="`) + len(value) + len(`"`)
	}
}

// proper reports a text that holds what it must not: <, or an & that is no reference.
func proper(text string) error {
	if i := strings.IndexByte(text, '<'); i >= 0 {
		return fmt.Errorf("a < in %.30q", text[i:])
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\n' || c == 0x7f {
			return fmt.Errorf("a control character at %.30q", text[i:])
		}
		if text[i] != '&' {
			continue
		}
		name, _, _ := strings.Cut(text[i+1:], ";")
		if !slices.Contains([]string{"amp", "lt", "gt", "quot", "apos", "#34", "#39"}, name) {
			return fmt.Errorf("an & that is no reference: %.30q", text[i:])
		}
	}
	return nil
}

// walk visits every element in order.
func (n *node) walk(visit func(*node)) {
	for _, c := range n.inside {
		if c.tag != "" {
			visit(c)
			c.walk(visit)
		}
	}
}

// all returns the elements that have one of the tags.
func (n *node) all(tags ...string) []*node {
	var found []*node
	n.walk(func(c *node) {
		if slices.Contains(tags, c.tag) {
			found = append(found, c)
		}
	})
	return found
}

// content is the text inside an element.
func (n *node) content() string {
	var b strings.Builder
	for _, c := range n.inside {
		b.WriteString(c.text)
		b.WriteString(c.content())
	}
	return b.String()
}

// within reports whether an element is inside one with a tag.
func (n *node) within(tag string) bool {
	for p := n.parent; p != nil; p = p.parent {
		if p.tag == tag {
			return true
		}
	}
	return false
}

// names lists the attributes of an element in order.
func (n *node) names() []string { return slices.Sorted(maps.Keys(n.attrs)) }
