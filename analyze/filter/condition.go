package filter

import (
	"slices"
	"strconv"
	"strings"
)

// Quantity is what a condition is about.
type Quantity string

// The quantities.
const (
	Percentile   Quantity = "percentile"   // of a metric, ns
	Share        Quantity = "share"        // of a stage: of a band's time, or of what the slow requests take longer
	Unattributed Quantity = "unattributed" // share of all time
	Incomplete   Quantity = "incomplete"   // share of all requests
	Errors       Quantity = "errors"       // share of the complete requests
	N            Quantity = "n"            // requests used
	Verdict      Quantity = "verdict"      // its kind
	Rate         Quantity = "rate"         // share of the requests that met an objective
	Goodput      Quantity = "goodput"      // requests a second that met an objective
	Capacity     Quantity = "capacity"     // requests a second that are carried within an objective
)

// The quantities that requirements alone are about, see [ParseRequirement].
const (
	Residual Quantity = "residual" // share of all time that was left over between what was recorded
	Lost     Quantity = "lost"     // share of the rows that could not be read, or were lost
	Excluded Quantity = "excluded" // share of the spans of requests that were left out
	Joined   Quantity = "joined"   // share of the requests that several traces or records tell of
	Clock    Quantity = "clock"    // how far clocks may be apart, ns
	Sampling Quantity = "sampling" // how traces were chosen, a word
)

// Percent is a part of a hundred as a fraction, so that it is exact.
type Percent struct{ Num, Den int64 }

// String returns the percent without a sign, such as 99.9.
func (p Percent) String() string {
	text := strconv.FormatFloat(100*float64(p.Num)/float64(p.Den), 'f', mostDecimals, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Condition is one condition of --fail-on: what it says is a reason to fail. One of --require
// says what must hold of the data.
type Condition struct {
	Quantity Quantity
	P        Percent // of Percentile
	Metric   string  // of Percentile
	Stage    string  // of Share, and of Verdict if it names one
	Banded   bool    // Share is of the time of the requests between From and To
	From, To Percent
	// Objective is what names the objective of Rate, Goodput and Capacity, see
	// [Condition.ObjectiveIn]; empty for the first.
	Objective string
	Op        Op
	Limit     float64  // ns, a share from 0 to 1, a count, or requests a second; a relative change: 0.1 for +10 %
	Words     []string // of Verdict and Sampling
	Relative  bool     // Limit is a change against a baseline
	Alpha     float64  // of a relative condition: the level at which a change counts

	text  string
	limit string // as it was written
	at    place  // of the limit
	left  place  // of the quantity
}

// Vocabulary is the words that conditions may use.
type Vocabulary struct{ Metrics, Stages, Verdicts, StageVerdicts, Samplings []string }

// String returns the condition in its plain form, which parses to the same condition.
func (c Condition) String() string { return c.quantity() + " " + string(c.Op) + " " + c.limit }

// quantity returns the left side.
func (c Condition) quantity() string {
	switch {
	case c.Quantity == Percentile:
		return "p" + c.P.String() + "(" + c.Metric + ")"
	case c.Banded:
		return "share(" + c.Stage + ", p" + c.From.String() + "-" + c.To.String() + ")"
	case c.Stage != "":
		return string(c.Quantity) + "(" + c.Stage + ")"
	case c.OfObjective():
		return string(c.Quantity) + "(" + objectiveName(c.Objective) + ")"
	}
	return string(c.Quantity)
}

// Observed returns the left side, which names the figure.
func (c Condition) Observed() string { return c.quantity() }

// LimitText returns the limit as it was written.
func (c Condition) LimitText() string { return c.limit }

// WithoutBaseline is the error of a relative condition where nothing is compared.
func (c Condition) WithoutBaseline() error {
	return &Error{Text: c.text, Start: c.at.start, End: c.at.end, What: "a change needs a baseline",
		Hint: "tailpath compare BASE NEW has one; here write a limit of its own, such as " + c.quantity() + " " + string(c.Op) + " 5s"}
}

// defaultAlpha is the level of a change that does not name one.
const defaultAlpha = 0.05

// ParseCondition reads a condition.
func ParseCondition(text string, v Vocabulary) (Condition, error) {
	return parseCondition(text, v, false)
}

func parseCondition(text string, v Vocabulary, required bool) (Condition, error) {
	p := &conditionParser{scanner: scanner{text: text}, v: v, required: required}
	p.c.text = text
	if err := p.left(); err != nil {
		return Condition{}, err
	}
	p.c.left.end = p.pos
	if err := p.operator(); err != nil {
		return Condition{}, err
	}
	if err := p.right(); err != nil {
		return Condition{}, err
	}
	if p.space(); !p.end() {
		return Condition{}, p.fault(place{p.pos, len(text)}, "nothing is expected after the limit", "give each condition a "+p.flag()+" of its own")
	}
	return p.c, nil
}

// conditionParser reads one condition.
type conditionParser struct {
	scanner
	v        Vocabulary
	c        Condition
	required bool // it is a requirement
}

// quantities shows how each is written.
const quantities = "p99(e2e), share(queue), share(queue, p99-100), unattributed, incomplete, errors, n, verdict(queue), rate(slo:e2e), goodput(slo), capacity(slo)"

// word reads letters, digits and a few signs.
func (p *conditionParser) word() (string, place) {
	p.space()
	start := p.pos
	p.run(func(r rune) bool { return r >= 0x80 || strings.ContainsRune("._:+-%/", r) || isWord(r) })
	return p.text[start:p.pos], place{start, p.pos}
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// argument is one word between the parentheses of a quantity.
type argument struct {
	text string
	at   place
}

// left reads the quantity.
func (p *conditionParser) left() error {
	name, at := p.word()
	p.c.left.start = at.start
	if name == "" {
		return p.fault(p.here(), "the quantity is missing", "write one of "+p.quantities()+", an operator and a limit")
	}
	var arguments []argument
	called := false
	if p.space(); p.at("(") {
		called = true
		open := p.here()
		p.pos++
		for {
			word, place := p.word()
			arguments = append(arguments, argument{word, place})
			if p.space(); p.take(")") {
				break
			}
			if !p.take(",") {
				return p.fault(open, "this parenthesis is not closed", "write ) behind what it holds")
			}
		}
	}
	return p.named(name, at, called, arguments)
}

// named finds the quantity of a name with its arguments.
func (p *conditionParser) named(name string, at place, called bool, a []argument) error {
	if err := p.elsewhere(name, at); err != nil {
		return err
	}
	if percent, ok := percentile(name); ok {
		p.c.Quantity, p.c.P = Percentile, percent
		if len(a) != 1 {
			return p.fault(place{at.start, p.pos}, name+" wants one metric", ofMetrics(name, p.v.Metrics))
		}
		p.c.Metric = a[0].text
		return p.oneOf(a[0], "metric", p.v.Metrics)
	}
	switch q := Quantity(name); q {
	case Unattributed, Incomplete, Errors, N, Residual, Lost, Excluded, Joined, Clock, Sampling:
		p.c.Quantity = q
		if called {
			return p.fault(place{at.end, p.pos}, name+" takes nothing in parentheses", "write "+name+" alone")
		}
		return nil
	case Verdict:
		p.c.Quantity = q
		if !called {
			return nil
		}
		if len(a) != 1 {
			return p.fault(place{at.start, p.pos}, "verdict takes one stage or none", "write verdict(queue)")
		}
		p.c.Stage = a[0].text
		return p.oneOf(a[0], "stage", p.v.Stages)
	case Share:
		p.c.Quantity = q
		if len(a) < 1 || len(a) > 2 {
			return p.fault(place{at.start, p.pos}, "share takes a stage, and a band if it is to be of that", "write share(queue) or share(queue, p99-100)")
		}
		p.c.Stage = a[0].text
		if err := p.oneOf(a[0], "stage", p.v.Stages); err != nil || len(a) == 1 {
			return err
		}
		return p.band(a[1])
	case Rate, Goodput, Capacity:
		p.c.Quantity = q
		return p.objective(name, place{at.start, p.pos}, a)
	}
	hint := "it is one of " + p.quantities()
	words := []string{"share", "unattributed", "incomplete", "errors", "verdict", "rate", "goodput", "capacity"}
	if p.required {
		words = requirements
	}
	if n := Nearest(name, words); n != "" {
		hint = "did you mean " + n + "? " + hint
	}
	if digits, is := strings.CutPrefix(name, "p"); is && !p.required && strings.Trim(digits, "0123456789.") == "" {
		hint = "percentiles lie between 0 and 100 and have up to six decimals, such as p99.9(e2e)"
	}
	if slices.Contains(p.v.Metrics, name) && !p.required {
		hint = "write p99(" + name + ") for a percentile of it"
	}
	return p.fault(at, "there is no quantity "+name, hint)
}

// oneOf says what is wrong with an argument that is none of some words.
func (p *conditionParser) oneOf(a argument, what string, words []string) error {
	if slices.Contains(words, a.text) {
		return nil
	}
	hint := "it is one of " + strings.Join(words, ", ")
	if n := Nearest(a.text, words); n != "" {
		hint = "did you mean " + n + "? " + hint
	}
	if a.text == "" {
		return p.fault(place{a.at.start, max(a.at.end, p.pos)}, "a "+what+" is missing", hint)
	}
	return p.fault(a.at, "there is no "+what+" "+a.text, hint)
}

// band reads a band such as p99-100.
func (p *conditionParser) band(a argument) error {
	if b, ok := bandOf(a.text); ok {
		p.c.From, p.c.To, p.c.Banded = b.From, b.To, true
		return nil
	}
	return p.fault(a.at, "there is no such band", "write two percentiles from 0 to 100, the lower first, such as p99-100")
}

// percentile reads a word such as p99.9.
func percentile(word string) (Percent, bool) {
	digits, is := strings.CutPrefix(word, "p")
	n, ok := percent(digits)
	return n, is && ok && n.Num > 0 && n.Num < n.Den
}

// mostDecimals is how many decimals a percentile may have.
const mostDecimals = 6

// ParsePercent reads a number from 0 to 100 exactly, without a sign, such as 99.9; ok is false
// of any other text.
func ParsePercent(digits string) (p Percent, ok bool) { return percent(digits) }

// percent reads a number from 0 to 100 exactly.
func percent(digits string) (Percent, bool) {
	whole, part, _ := strings.Cut(digits, ".")
	if strings.Trim(whole+part, "0123456789") != "" || whole == "" || len(whole) > 3 || len(part) > mostDecimals || strings.HasSuffix(digits, ".") {
		return Percent{}, false
	}
	n, err := strconv.ParseInt(whole+part, 10, 64)
	den := int64(100)
	for range part {
		den *= 10
	}
	for n%10 == 0 && den > 1 && n > 0 {
		n, den = n/10, den/10
	}
	if n == 0 {
		den = 1
	}
	return Percent{n, den}, err == nil && n <= den
}
