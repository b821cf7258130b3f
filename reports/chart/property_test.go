package chart

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// number draws numbers as they come, and those that break what was made for others.
func number(t *rapid.T) float64 {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, 1, -1, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e18, -1e18, 1e308, -1e308, 5e-324, 0.5}),
		rapid.Float64Range(0, 1e10), rapid.Float64Range(0, 1), rapid.Float64Range(-1e9, 1e9), rapid.Float64Range(1.7e18, 1.8e18), rapid.Float64(),
	).Draw(t, "number")
}

// hostile draws texts that want to be more than texts.
func hostile(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "queue", "p99", `"><script>alert(1)</script>`, "]]>&amp;<!--", "\x00\x1b[31m\u202e\ufeff", "a\xff\xfeb", "' onload='x", strings.Repeat("very long ", 60), strings.Repeat("W", 500), "日本語のラベル"}),
		rapid.String(),
	).Draw(t, "text")
}

func stageName(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom(append([]string{"", unattributed, "no stage"}, stages...)), rapid.Custom(hostile)).Draw(t, "stage")
}

func units(t *rapid.T) Unit { return Unit(rapid.IntRange(0, int(UnixTime)+1).Draw(t, "unit")) }

func counts(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(0, 300), rapid.SampledFrom([]int64{0, -3, math.MaxInt64})).Draw(t, "count")
}

// listOf draws a few values.
func listOf[V any](t *rapid.T, most int, draw func(*rapid.T) V) []V {
	return rapid.SliceOfN(rapid.Custom(draw), 0, most).Draw(t, "list")
}

// sorted draws numbers in order, mostly.
func sorted(t *rapid.T, most int) []float64 {
	list := listOf(t, most, number)
	if rapid.IntRange(0, 4).Draw(t, "order") > 0 {
		list = slices.DeleteFunc(list, func(v float64) bool { return !finite(v) })
		slices.Sort(list)
	}
	return list
}

func marks(t *rapid.T) Mark {
	return Mark{hostile(t), number(t), number(t), number(t), rapid.Bool().Draw(t, "limit")}
}
func bracketOf(t *rapid.T) Bracket { return Bracket{hostile(t), number(t), number(t)} }
func lineOf(t *rapid.T) Line       { return Line{hostile(t), listOf(t, 8, number), stageName(t)} }

// drawings draw every kind of drawing.
var drawings = map[string]func(*rapid.T) Drawing{
	"stack": func(t *rapid.T) Drawing {
		return Stack{units(t), listOf(t, 5, func(t *rapid.T) Bar {
			return Bar{hostile(t), hostile(t), listOf(t, 6, func(t *rapid.T) Part { return Part{stageName(t), number(t), number(t)} })}
		})}
	},
	"tail": func(t *rapid.T) Drawing {
		return Tail{units(t), listOf(t, 3, func(t *rapid.T) Curve { return Curve{hostile(t), sorted(t, 8), listOf(t, 8, number)} }),
			listOf(t, 8, marks), sorted(t, 8), listOf(t, 8, counts)}
	},
	"heat": func(t *rapid.T) Drawing {
		return Heat{units(t), units(t), sorted(t, 6), sorted(t, 6), listOf(t, 6, func(t *rapid.T) []int64 { return listOf(t, 6, counts) }),
			listOf(t, 3, lineOf), listOf(t, 4, bracketOf)}
	},
	"icicle": func(t *rapid.T) Drawing {
		return Icicle{units(t), listOf(t, 3, func(t *rapid.T) Layers {
			return Layers{hostile(t), number(t), listOf(t, 8, func(t *rapid.T) Tile {
				return Tile{hostile(t), rapid.SampledFrom([]int{-1, 0, 1, 2, 15, 16, 1 << 40}).Draw(t, "depth"), number(t), number(t), stageName(t), hostile(t)}
			})}
		})}
	},
	"panels": func(t *rapid.T) Drawing {
		return Panels{units(t), sorted(t, 8), listOf(t, 3, func(t *rapid.T) Panel { return Panel{hostile(t), units(t), listOf(t, 3, lineOf)} }), listOf(t, 4, bracketOf)}
	},
	"knee": func(t *rapid.T) Drawing {
		return Knee{hostile(t), listOf(t, 3, func(t *rapid.T) Against {
			return Against{hostile(t), units(t), rapid.Bool().Draw(t, "log"), listOf(t, 3, func(t *rapid.T) Dots {
				return Dots{hostile(t), listOf(t, 5, func(t *rapid.T) Dot { return Dot{number(t), number(t), number(t), number(t), counts(t)} })}
			})}
		}), listOf(t, 3, marks), hostile(t)}
	},
	"waterfall": func(t *rapid.T) Drawing {
		return Waterfall{listOf(t, 6, func(t *rapid.T) Span {
			return Span{hostile(t), rapid.IntRange(-2, 40).Draw(t, "depth"), number(t), number(t),
				listOf(t, 3, func(t *rapid.T) Piece { return Piece{number(t), number(t), stageName(t)} }), rapid.Bool().Draw(t, "derived")}
		}), listOf(t, 4, marks), number(t)}
	},
	"tokens": func(t *rapid.T) Drawing {
		return Tokens{number(t), sorted(t, 10), listOf(t, 10, counts), number(t), listOf(t, 3, bracketOf), listOf(t, 3, marks)}
	},
	"change": func(t *rapid.T) Drawing {
		return Change{units(t), hostile(t), hostile(t), listOf(t, 6, func(t *rapid.T) Pair { return Pair{hostile(t), stageName(t), number(t), number(t), hostile(t)} })}
	},
	"ranked": func(t *rapid.T) Drawing {
		return Ranked{units(t), listOf(t, 6, func(t *rapid.T) Rank {
			return Rank{hostile(t), stageName(t), number(t), number(t), number(t), hostile(t)}
		})}
	},
	"coverage": func(t *rapid.T) Drawing {
		return Coverage{listOf(t, 6, func(t *rapid.T) Covers {
			return Covers{hostile(t), hostile(t), units(t), listOf(t, 6, func(t *rapid.T) Covered {
				return Covered{hostile(t), number(t), Known(rapid.Uint8Range(0, 5).Draw(t, "known"))}
			})}
		})}
	},
	"multiples": func(t *rapid.T) Drawing {
		return Multiples{listOf(t, 5, func(t *rapid.T) Series {
			return Series{hostile(t), units(t), stageName(t), listOf(t, 6, func(t *rapid.T) Point {
				return Point{hostile(t), number(t), number(t), number(t), rapid.Bool().Draw(t, "partial")}
			})}
		})}
	},
}

// TestAnyNumbersAreDrawnSoundly draws what nobody would ask for: the drawing is still sound, and
// the same each time.
func TestAnyNumbersAreDrawnSoundly(t *testing.T) {
	for name, draw := range drawings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d, title := draw(t), hostile(t)
				got := d.SVG("fig-1", title)
				for _, fault := range faults(got, "fig-1") {
					t.Error(fault)
				}
				if again := d.SVG("fig-1", title); again != got {
					t.Error("two drawings of the same chart differ")
				}
			})
		})
	}
}

// TestExamplesAreSound holds the golden drawings to the same.
func TestExamplesAreSound(t *testing.T) {
	for name, d := range examples() {
		for _, fault := range faults(d.SVG("fig-"+name, "a title"), "fig-"+name) {
			t.Error(name, ": ", fault)
		}
	}
}

// TestFaultsAreFound keeps the tests above from passing whatever there is.
func TestFaultsAreFound(t *testing.T) {
	good := Ranked{Ranks: []Rank{{Label: "queue", Value: 1}}}.SVG("a", "title")
	for old, bad := range map[string]string{
		`</svg>`:       ``,
		`class="bars"`: `class="nowhere"`,
		`x1="200"`:     `x1="NaN"`,
		`y1="4"`:       `y1="-4"`,
		`x2="530"`:     `x2="700"`,
		`id="a-title"`: `id="b-title"`,
		`id="a-desc"`:  `id="a-title"`,
		`role="img"`:   `role="img" style="x"`,
		`<title>`:      `<script>`,
		`>queue<`:      `>` + strings.Repeat("queue", 60) + `<`,
		"\n</svg>":     `<text x="3" y="9">one</text><text x="9" y="9">two</text></svg>`,
	} {
		text := strings.ReplaceAll(good, old, bad)
		if text == good {
			t.Errorf("%s is not in the drawing", old)
		}
		if len(faults(text, "a")) == 0 {
			t.Errorf("nothing is said of %s in place of %s", bad, old)
		}
	}
	if got := faults(good, "a"); len(got) > 0 {
		t.Error(got)
	}
}

var (
	classRule = regexp.MustCompile(`\.([a-z][a-z0-9-]*)`)
	pathPart  = regexp.MustCompile(`^([ML]-?[0-9.]+ -?[0-9.]+)+Z?$`)
	pathPlace = regexp.MustCompile(`[ML](-?[0-9.]+) (-?[0-9.]+)`)
)

// classes are those that the style sheet knows.
var classes = func() map[string]bool {
	known := map[string]bool{}
	for _, m := range classRule.FindAllStringSubmatch(CSS(), -1) {
		known[m[1]] = true
	}
	return known
}()

// written is a text with where it lies.
type written struct{ x1, x2, y float64 }

// faults returns what is wrong with a drawing: whether it is XML of the elements and attributes
// that drawings have, with all places inside, ids of its own and a name; and whether texts leave
// it or lie over one another.
func faults(svg, id string) (out []string) {
	fail := func(words ...string) { out = append(out, strings.Join(words, " ")) }
	allowed := []string{"svg", "title", "desc", "pattern", "rect", "line", "path", "circle", "text"}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	ids := map[string]bool{}
	var stack []string
	var texts []written
	var w, h float64
	var open *xml.StartElement
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return append(out, err.Error())
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			stack = append(stack, name)
			if !slices.Contains(allowed, name) {
				fail("an element is a", name)
			}
			at := map[string]float64{}
			for _, a := range e.Attr {
				key := a.Name.Local
				switch key {
				case "id":
					if ids[a.Value] || !strings.HasPrefix(a.Value, id+"-") {
						fail("an id is not its own:", a.Value)
					}
					ids[a.Value] = true
				case "class":
					for class := range strings.FieldsSeq(a.Value) {
						if !classes[class] {
							fail("no rule for the class", class)
						}
					}
				case "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height":
					v, err := strconv.ParseFloat(a.Value, 64)
					if err != nil || !finite(v) || v < 0 {
						fail("a place is", a.Value)
					}
					at[key] = v
				case "d":
					if !pathPart.MatchString(a.Value) {
						fail("a path is", a.Value)
					}
					for _, m := range pathPlace.FindAllStringSubmatch(a.Value, -1) {
						x, _ := strconv.ParseFloat(m[1], 64)
						y, _ := strconv.ParseFloat(m[2], 64)
						if x < 0 || y < 0 || x > w || y > h {
							fail("a path leaves the drawing:", a.Value)
						}
					}
				case "fill":
					if a.Value != "url(#"+id+"-hatch)" && a.Value != "url(#"+id+"-derived)" {
						fail("a fill is", a.Value)
					}
				case "viewBox", "role", "aria-labelledby", "patternUnits", "patternTransform", "text-anchor":
				default:
					fail("an attribute is", key)
				}
			}
			if name == "svg" {
				w, h = at["width"], at["height"]
			}
			right := max(at["x"]+at["width"], at["x1"], at["x2"], at["cx"]+at["r"])
			bottom := max(at["y"]+at["height"], at["y1"], at["y2"], at["cy"]+at["r"])
			if right > w+0.01 || bottom > h+0.01 {
				fail("a", name, "leaves the drawing")
			}
			open = nil
			if name == "text" {
				open = &e
			}
		case xml.CharData:
			if text := string(e); open != nil {
				texts = append(texts, place(*open, text))
				open = nil
				if strings.TrimSpace(text) == "" && text != "" {
					continue
				}
			}
			if n := len(stack); n > 0 && stack[n-1] == "title" && strings.TrimSpace(string(e)) == "" {
				fail("a title is empty")
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.Comment, xml.Directive, xml.ProcInst:
			fail("there is more than elements")
		}
	}
	if len(stack) > 0 {
		fail("it ends early")
	}
	if !ids[id+"-title"] || !ids[id+"-desc"] {
		fail("it has no name")
	}
	for i, a := range texts {
		if a.x1 < -0.1 || a.x2 > w+0.1 {
			fail("a text leaves the drawing")
		}
		for _, b := range texts[:i] {
			if math.Abs(a.y-b.y) < 9 && a.x1 < b.x2-1 && b.x1 < a.x2-1 {
				fail("two texts lie over one another:", px(a.x1), px(a.x2), px(a.y), "and", px(b.x1), px(b.x2), px(b.y))
			}
		}
	}
	return out
}

// place returns where a text lies.
func place(e xml.StartElement, text string) written {
	var x, y float64
	anchor, class := atStart, ""
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "x":
			x, _ = strconv.ParseFloat(a.Value, 64)
		case "y":
			y, _ = strconv.ParseFloat(a.Value, 64)
		case "text-anchor":
			anchor = a.Value
		case "class":
			class = a.Value
		}
	}
	w := widthOf(class, text)
	switch anchor {
	case atMiddle:
		x -= w / 2
	case atEnd:
		x -= w
	}
	return written{x, x + w, y}
}
