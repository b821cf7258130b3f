package text

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// nasty are texts that a span name may hold to attack a terminal or a layout.
var nasty = []string{
	"", "plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07after", "\x1b]8;;http://x\x1b\\link", "\x1b[2J\x1b[1;1H", "\x1bPq#0\x1b\\", "\x1b", "\x1b[", "\x1b[3",
	"\u009b31mC1", "\u009d0;t\u009cC1 string", "a\nb\r\nc\td", "\x00\x07\x08\x7f", "\u202egnp.exe", "\u2066x\u2069", "\ufeffbom\u200b\u00ad",
	"\xff\xfe broken", "日本語のスパン名", "é café", "e\u0301 combining", "🇩🇪🏳️‍🌈👩‍👩‍👧", "line\u2028sep\u2029", strings.Repeat("long ", 60), strings.Repeat("x", 300),
	"a | b [c]", "%d %s %!", "'quoted' \"x\" $(rm) `y`",
}

func drawName(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, label+" nasty") {
		return rapid.SampledFrom(nasty).Draw(t, label)
	}
	return rapid.String().Draw(t, label)
}

// disturbed returns a document with names from an attacker and numbers from chance.
func disturbed(t *rapid.T, docs map[string]reports.Document) reports.Document {
	d := docs[rapid.SampledFrom(slices.Sorted(maps.Keys(docs))).Draw(t, "document")]
	d = again(t, d) // a copy of its own
	name := func(label string, p *string) {
		if rapid.Bool().Draw(t, label+"?") {
			*p = drawName(t, label)
		}
	}
	name("headline", &d.Headline)
	for i := range d.Inputs {
		name("input", &d.Inputs[i].Name)
		name("format", &d.Inputs[i].Format)
	}
	if d.Summary != nil && d.Summary.By != nil {
		b := d.Summary.By
		name("key", &b.Keys[0])
		for i := range b.Groups {
			if v := b.Groups[i].Values[0]; v != nil {
				name("value", v)
			}
			b.Groups[i].N, b.Groups[i].Slow = rapid.Int64().Draw(t, "n"), rapid.Int64().Draw(t, "slow")
			if rapid.Bool().Draw(t, "none") {
				b.Groups[i].Values[0] = nil
			}
		}
		b.OtherGroups = rapid.Int64Range(0, 1<<40).Draw(t, "others")
	}
	if d.Compare != nil && d.Compare.By != nil {
		b := d.Compare.By
		name("key", &b.Keys[0])
		for i := range b.Groups {
			g := &b.Groups[i]
			if v := g.Values[0]; v != nil {
				name("value", v)
			}
			g.BaseN, g.NewN = rapid.Int64().Draw(t, "base n"), rapid.Int64().Draw(t, "new n")
			if rapid.Bool().Draw(t, "none") {
				g.Values[0], g.AddedNS, g.BaseShare = nil, nil, nil
			}
			g.P = rapid.SampledFrom([]string{"p50", "p90", "p1"}).Draw(t, "p")
		}
		b.Alone, b.Bands = []reports.KeyAlone{{Key: b.Keys[0], Side: "new"}}, []reports.KeyBands{{Key: b.Keys[0], Values: 1}}
		b.OtherGroups = rapid.Int64Range(0, 1<<40).Draw(t, "others")
	}
	for i := range d.Quality {
		name("detail", &d.Quality[i].Detail)
		name("source", &d.Quality[i].Source)
		name("id", &d.Quality[i].ID)
	}
	for i := range d.Requests {
		r := &d.Requests[i]
		name("name", &r.Name)
		name("model", &r.Model)
		name("basis", &r.Basis)
		name("headline", &r.Headline)
		name("byte basis", &r.ByteBasis)
		name("join basis", &r.JoinBasis)
		for k := range r.ToldBy {
			name("told by", &r.ToldBy[k].Source)
		}
		for k := range r.Waits {
			name("words", &r.Waits[k].Words)
			for h := range r.Waits[k].Held.Holders {
				name("request id", &r.Waits[k].Held.Holders[h].RequestID)
			}
		}
		if r.State != nil {
			name("engine", &r.State.Engine)
		}
		r.DurationNS = rapid.SampledFrom([]int64{0, 1, r.DurationNS, 1 << 62}).Draw(t, "duration")
		for k := range r.Rows {
			name("label", &r.Rows[k].Label)
			name("row source", &r.Rows[k].Source)
			if rapid.IntRange(0, 9).Draw(t, "odd row") == 0 {
				r.Rows[k].StartNS, r.Rows[k].EndNS = rapid.Int64().Draw(t, "start"), rapid.Int64().Draw(t, "end")
				r.Rows[k].Depth = rapid.IntRange(0, 100_000).Draw(t, "depth")
			}
		}
		for k := range r.Path {
			name("span", &r.Path[k].SpanName)
			name("reason", &r.Path[k].Reason)
		}
	}
	if in := d.Inspect; in != nil {
		for i := range in.Services {
			name("service", &in.Services[i].Name)
		}
		for i := range in.Classes {
			name("why", &in.Classes[i].Reason)
		}
		name("first", &in.Tiling.First)
		for i := range in.Clocks.Clocks {
			c := &in.Clocks.Clocks[i]
			name("clock", &c.Clock)
			name("reference", &c.Reference)
			name("advice", &c.Advice)
			for k := range c.Stretches {
				if o := c.Stretches[k].OffsetNS; o != nil {
					*o = rapid.Int64().Draw(t, "offset")
				}
			}
		}
		for i := range in.Engines {
			name("engine", &in.Engines[i].Name)
		}
		in.Tiling.Failed = rapid.Int64Range(0, 2).Draw(t, "failed")
	}
	if q := d.Queue; q != nil {
		disturbQueue(t, q, name)
	}
	if c := d.Capacity; c != nil {
		disturbCapacity(t, c, name)
	}
	if s := d.Summary; s != nil {
		for i := range s.Population.Excluded {
			name("excluded", &s.Population.Excluded[i].Reason)
		}
		s.Warnings = append(s.Warnings, reports.Warning{ID: drawName(t, "id"), Text: drawName(t, "text")})
		for i := range s.Duration.Percentiles.Percentiles {
			if v := s.Duration.Percentiles.Percentiles[i].ValueNS; v != nil {
				*v = rapid.Int64Range(0, 1<<62).Draw(t, "value")
			}
		}
	}
	return d
}

func again(t *rapid.T, d reports.Document) reports.Document {
	var b strings.Builder
	if err := reports.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	d, err := reports.ReadJSON(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var ownStyle = regexp.MustCompile("\x1b\\[[12]m|\x1b\\[0m")

func TestTextIsSafeAndFits(t *testing.T) {
	docs := fixed(t)
	rapid.Check(t, func(t *rapid.T) {
		d := disturbed(t, docs)
		o := Options{
			Width: rapid.SampledFrom([]int{0, 1, 48, 49, 57, 80, 120, 200}).Draw(t, "width"),
			Color: rapid.Bool().Draw(t, "color"), ASCII: rapid.Bool().Draw(t, "ascii"),
		}
		got := render(t, d, o)
		if o.Color {
			got = ownStyle.ReplaceAllString(got, "")
			bare := o
			bare.Color = false
			if diff := cmp.Diff(render(t, d, bare), got); diff != "" {
				t.Fatalf("colour changed the text (-without +with):\n%s", diff)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatal("not UTF-8")
		}
		for _, r := range got {
			switch {
			case r == '\n':
			case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
				t.Fatalf("%U was written", r)
			case o.ASCII && r >= utf8.RuneSelf:
				t.Fatalf("%q is not ASCII", r)
			}
		}
		limit := max(o.Width, MinWidth)
		body, _, _ := strings.Cut(got, "\nnext: ")
		for line := range strings.SplitSeq(body, "\n") {
			if o.Width > 0 && width(line) > limit {
				t.Fatalf("%d columns of %d: %q", width(line), limit, line)
			}
			if strings.HasSuffix(line, " ") {
				t.Fatalf("%q ends in a space", line)
			}
		}
		if d.Next != "" && !strings.HasSuffix(strings.ReplaceAll(got, " \\\n     ", ""), "next: "+d.Next+"\n") {
			t.Fatalf("the last line is not the next command:\n%s", got)
		}
	})
}

// TestNothingIsCutInAPipe looks for every name in full.
func TestNothingIsCutInAPipe(t *testing.T) {
	docs := fixed(t)
	rapid.Check(t, func(t *rapid.T) {
		d := again(t, docs["explain"])
		long := rapid.StringMatching(`[a-z/_.]{1,200}`).Draw(t, "name")
		d.Requests[0].Rows[0].Label, d.Requests[0].Path[0].SpanName, d.Requests[0].Path[0].Reason, d.Requests[0].Name = long, long+"1", long+"2", long+"3"
		d.Quality[0].Detail, d.Quality[0].Source = long+"4", long+"5"
		got := render(t, d, Options{})
		for _, suffix := range []string{"", "1", "2", "3", "4", "5"} {
			if !strings.Contains(got, long+suffix) {
				t.Fatalf("%q is not in the text", long+suffix)
			}
		}
	})
}

// TestSpell: what is outside ASCII is spelled where nothing else may be, and stays where it may.
func TestSpell(t *testing.T) {
	p, ascii := &paper{}, &paper{o: Options{ASCII: true}}
	for in, want := range map[string]string{
		"1.0–2.0 µs ±3 … ∞ ×": "1.0-2.0 us +/-3 ... inf x", "é": `\u{e9}`, "x\ufffdy": "x?y", "plain": "plain",
		"e" + strings.Repeat("\u0301", 3) + "…": "e" + strings.Repeat(`\u{301}`, 3) + "...",
	} {
		if got := ascii.spell(in); got != want {
			t.Errorf("%q in ASCII: %q, want %q", in, got, want)
		}
		if got := p.spell(in); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// TestBarsShowEveryMark draws random marks.
func TestBarsShowEveryMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int64{1, 7, 64, 1000, 1 << 40, 1 << 62}).Draw(t, "length")
		n := rapid.IntRange(1, 120).Draw(t, "cells")
		from := rapid.Int64Range(0, length-1).Draw(t, "from")
		to := rapid.Int64Range(from+1, length).Draw(t, "to")
		sign := rapid.SampledFrom([]page.Sign{page.OnPath, page.Derived, page.Ambiguous}).Draw(t, "sign")
		bar := []rune(drawBar(length, page.WaterfallRow{To: length, Marks: []page.WaterfallMark{{From: from, To: to, Sign: sign}}}, n))
		if len(bar) != n {
			t.Fatalf("%d cells of %d", len(bar), n)
		}
		shown := 0
		for c, x := range bar {
			switch x {
			case signs[sign]:
				shown++
				if at, next := cellStart(c, length, n), cellStart(c+1, length, n); length >= int64(n) && (next <= from || at >= to) {
					t.Fatalf("cell %d [%d, %d) is marked for [%d, %d)", c, at, next, from, to)
				}
			case offPath:
			default:
				t.Fatalf("%q in the bar of a whole span", x)
			}
		}
		if shown == 0 {
			t.Fatalf("the mark is nowhere in %q", string(bar))
		}
		if to-from == length && shown != n && length >= int64(n) {
			t.Fatalf("a mark of the whole request fills %d of %d cells", shown, n)
		}
		if head := ticks(length, n); width(head) != n+2 {
			t.Fatalf("the axis' head has %d columns, the bar %d", width(head), n+2)
		}
	})
}

func TestWrapKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := page.Of(reports.Document{Headline: drawName(t, "text")}, page.Options{}).Headline
		limit := rapid.IntRange(4, 60).Draw(t, "limit")
		lines := wrap(s, limit)
		for _, line := range lines {
			if width(line) > limit {
				t.Fatalf("%q has %d columns of %d", line, width(line), limit)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(lines, "")) != squeeze(s) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}
