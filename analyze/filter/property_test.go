package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// drawExpr draws the text of an expression over the test fields.
func drawExpr(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{
			"model=a", "model!=b", "model=none", "model=(a none)", "model~a*", "model~/b$/", "prompt_tokens>4k", "prompt_tokens<=4k",
			"e2e>=1s", "e2e<1s", "queue=0", "queue=none", "tenant=acme", "tenant!=(acme 8)", "batch=8", "batch>7", `tenant="none"`,
		}).Draw(t, "comparison")
	}
	a, b := drawExpr(t, depth-1), drawExpr(t, depth-1)
	form := rapid.SampledFrom([]string{"(%s) AND (%s)", "(%s) OR (%s)", "-(%s) (%s)", "%s OR %s", "%s AND %s", "%s %s", "NOT (%s) OR %s"}).Draw(t, "form")
	return fmt.Sprintf(form, a, b)
}

func drawRows(t *rapid.T) (rows []row) {
	for range 8 {
		r := row{}
		for _, f := range []struct {
			name   string
			values []string
		}{
			{"model", []string{"", "a", "b", "ab"}}, {"prompt_tokens", []string{"", "0", "4000", "9000"}}, {"e2e", []string{"", "1000000000", "999999999"}},
			{"queue", []string{"", "0", "5"}}, {"tenant", []string{"", "acme", "8", "none"}}, {"batch", []string{"", "8", "8.0", "7", "big"}},
		} {
			r[f.name] = rapid.SampledFrom(f.values).Draw(t, f.name)
		}
		rows = append(rows, r)
	}
	return rows
}

func mustParse(t interface{ Fatalf(string, ...any) }, text string) *Expr {
	e, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// TestLogic: an expression and its negation part the requests, De Morgan's laws hold, AND
// and OR are what they are of single requests, and order does not matter.
func TestLogic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		a, b := drawExpr(t, 2), drawExpr(t, 2)
		is := func(form string) []bool {
			return holds(mustParse(t, strings.NewReplacer("A", "("+a+")", "B", "("+b+")").Replace(form)), rows...)
		}
		isA, isB := is("A"), is("B")
		for i := range rows {
			for form, want := range map[string]bool{
				"-A": !isA[i], "NOT A": !isA[i], "--A": isA[i],
				"A B": isA[i] && isB[i], "B A": isA[i] && isB[i],
				"-(A B)": !(isA[i] && isB[i]), "-A OR -B": !isA[i] || !isB[i],
				"A OR B": isA[i] || isB[i], "-(A OR B)": !isA[i] && !isB[i], "-A -B": !isA[i] && !isB[i],
				"A OR -A": true, "A -A": false, "A A": isA[i], "A OR A B": isA[i],
			} {
				if got := is(form); got[i] != want {
					t.Fatalf("%s with A = %s and B = %s of %v is %v", form, a, b, rows[i], got[i])
				}
			}
		}
	})
}

// TestPrecedence: NOT binds more than AND, AND more than OR.
func TestPrecedence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		leaf := func() string { return drawExpr(t, 0) }
		a, b, c := leaf(), leaf(), leaf()
		for loose, tight := range map[string]string{"%s OR %s AND %s": "%s OR (%s AND %s)", "%s %s OR %s": "(%s AND %s) OR %s", "-%s AND NOT %s OR %s": "((-(%s)) AND (-(%s))) OR %s"} {
			x, y := mustParse(t, fmt.Sprintf(loose, a, b, c)), mustParse(t, fmt.Sprintf(tight, a, b, c))
			if !slices.Equal(holds(x, rows...), holds(y, rows...)) || x.String() != y.String() {
				t.Fatalf("%s and %s differ", x, y)
			}
		}
	})
}

// TestNegatedComparisons: < and >= differ by who has no number.
func TestNegatedComparisons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		limit := rapid.SampledFrom([]string{"0", "4k", "9000", "1"}).Draw(t, "limit")
		at := func(op string) []bool { return holds(mustParse(t, "prompt_tokens"+op+limit), rows...) }
		less, equal, greater, atMost, atLeast := at("<"), at("="), at(">"), at("<="), at(">=")
		known := holds(mustParse(t, "prompt_tokens!=none"), rows...)
		for i := range rows {
			one := 0
			for _, is := range []bool{less[i], equal[i], greater[i]} {
				if is {
					one++
				}
			}
			if known[i] != (one == 1) || !known[i] && one != 0 || atMost[i] != (less[i] || equal[i]) || atLeast[i] != (greater[i] || equal[i]) {
				t.Fatalf("%v against %s", rows[i], limit)
			}
		}
	})
}

// checkAgain parses what was printed and compares.
func checkAgain(t interface{ Fatalf(string, ...any) }, e *Expr, rows []row) {
	printed := e.String()
	again, err := Parse(printed)
	if err != nil {
		t.Fatalf("%q is printed as %q, and that is wrong: %v", e.Text(), printed, err)
	}
	if again.String() != printed || tree(again.root) != tree(e.root) {
		t.Fatalf("%q is %s and printed as %q, which is %s", e.Text(), tree(e.root), printed, tree(again.root))
	}
	if !slices.Equal(holds(e, rows...), holds(again, rows...)) {
		t.Fatalf("%q and %q differ", e.Text(), printed)
	}
}

// tree spells an expression with all of its structure.
func tree(n node) string {
	switch n := n.(type) {
	case not:
		return "not{" + tree(n.of) + "}"
	case and:
		return "and" + trees(n)
	case or:
		return "or" + trees(n)
	}
	c := n.(*comparison)
	out := fmt.Sprintf("{%q %q %v %v", c.field, c.op, c.list, c.quoted)
	for _, v := range c.values {
		out += fmt.Sprintf(" %q %v", v.Text, v.Quoted)
	}
	return out + "}"
}

func trees(parts []node) string {
	out := "{"
	for _, p := range parts {
		out += tree(p)
	}
	return out + "}"
}

func TestPrintedExpressionsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAgain(t, mustParse(t, drawExpr(t, 3)), drawRows(t)) })
}

// checkError holds an error to its form, whatever the text.
func checkError(t interface{ Fatalf(string, ...any) }, text string, err error) {
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Fatalf("%q: %T %v", text, err, err)
	}
	if wrong.Text != text || wrong.Start < 0 || wrong.Start > wrong.End || wrong.End > len(text) || wrong.What == "" {
		t.Fatalf("%q: %+v", text, wrong)
	}
	line, carets := wrong.Excerpt()
	if !strings.HasSuffix(carets, "^") || strings.Trim(carets, " ^") != "" || strings.ContainsAny(line, "\n\x1b") {
		t.Fatalf("%q: %q, %q", text, line, carets)
	}
	wide := func(text string) (n int) {
		for _, r := range text {
			n += columns(r)
		}
		return n
	}
	taken := 0 // what has no width takes a column of the excerpt too
	for _, r := range text {
		taken += max(1, columns(r))
	}
	if n := wide(line); n > columnsBefore+columnsAfter+len("......") || taken <= columnsAfter && utf8.RuneCountInString(line) != utf8.RuneCountInString(text) {
		t.Fatalf("%q: the excerpt %q has %d columns", text, line, n)
	}
}

var everything = row{"model": "a", "prompt_tokens": "5", "e2e": "7", "queue": "0", "tenant": "acme", "batch": "8", "start": "9"}

// FuzzFilter gives any text to the four parsers: each refuses it with a place in it, or
// reads what it prints as the same.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{
		"model=llama3 AND (route=/v1/chat OR prompt_tokens>4k) AND -status=error", "NOT (a=b c!=(d none)) OR e~/x(y|z)/",
		`"two words"="x \" y" -k=none`, "a=b)", "0= =0", "a=\u0313", "00\u0597000000000000000\u07b30000000000\u03130000", "((a=1", "AND=1 OR OR=2 NOT=3", "a~**", "e2e>1m30s start<2026-08-20", "a='b", "a=(b,c)", "a!b",
		"model,route", "a@num,b@alpha,c@(x y)", `"a,b"@("x y" z)`, "a@", ",", "a@(b",
		"p99(e2e) > 5s", "p99.9(ttft)>+10% @0.05", "share(queue, p99-100) > 50%", "share(queue)>50 %", "n < 1k", "errors > 1%", "verdict(queue) = dominates",
		"verdict != (mixed none)", "p0(e2e)>1s", "rate(slo:e2e) < 99%", "goodput(slo:ttft+itl)<=0.5/s", "capacity(slo:2) < 12", "rate(slo:0)<1%", "rate(slo:e2e+)<1%",
		"p99(e2e) < 2s AND p95(itl)<=50ms", "99.9%(ttft < 1s and p95(itl) < 50ms) && p50(tpot) < 20µs", "95%(itl < 50ms", "ttft=500ms,e2e=5s", "ttft:500 e2el:5000",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzzExpr(t, text)
		fuzzKeys(t, text)
		fuzzCondition(t, text)
		fuzzObjective(t, text)
	})
}

func fuzzExpr(t *testing.T, text string) {
	e, err := Parse(text)
	if err != nil {
		checkError(t, text, err)
		return
	}
	checkAgain(t, e, []row{{}, everything})
	for _, early := range []bool{true, false} {
		if err := e.Check(testFields, early); err != nil {
			checkError(t, text, err)
		}
	}
}

func fuzzKeys(t *testing.T, text string) {
	keys, err := ParseKeys(text)
	if err != nil {
		checkError(t, text, err)
		return
	}
	again, err := ParseKeys(keys.String())
	if err != nil || again.String() != keys.String() || len(again.List) != len(keys.List) {
		t.Fatalf("%q is printed as %q: %v", text, keys, err)
	}
	if err := keys.Check(testFields); err != nil {
		checkError(t, text, err)
	}
}

func fuzzCondition(t *testing.T, text string) {
	c, err := ParseCondition(text, words)
	if err != nil {
		checkError(t, text, err)
		return
	}
	again, err := ParseCondition(c.String(), words)
	if err != nil || again.String() != c.String() || again.Limit != c.Limit || again.P != c.P || again.Alpha != c.Alpha || again.Quantity != c.Quantity || again.Objective != c.Objective {
		t.Fatalf("%q is printed as %q: %+v, %v", text, c, again, err)
	}
	checkError(t, text, c.WithoutBaseline())
	if c.OfObjective() {
		_, err := c.ObjectiveIn(nil)
		checkError(t, text, err)
	}
}
