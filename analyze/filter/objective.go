package filter

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Objective is one objective of --slo: terms that all must be met.
type Objective struct {
	Terms []ObjectiveTerm

	text string
}

// ObjectiveTerm is one term: a percentile of a metric, such as p99(e2e) < 2s, or, when Joint,
// a share of the requests that must meet every limit, such as 99%(ttft < 1s and e2e < 5s).
type ObjectiveTerm struct {
	P      Percent // the percentile, or the share; between 0 and 100
	Joint  bool
	Limits []MetricLimit // one unless Joint
}

// MetricLimit is what a metric may be at most.
type MetricLimit struct {
	Metric string
	// P is the percentile of a request's own gaps that itl must keep; zero for other metrics,
	// and where the limit is of a term that is no share of requests.
	P     Percent
	Below bool   // the value must be less; otherwise it may be the limit itself
	NS    int64  // above 0, and at most 146 years
	text  string // the time as it was written
}

// Text returns the objective as it was written.
func (o Objective) Text() string { return o.text }

// String returns the objective in its plain form, which parses to the same terms.
func (o Objective) String() string {
	terms := make([]string, len(o.Terms))
	for i, t := range o.Terms {
		terms[i] = t.String()
	}
	return strings.Join(terms, " and ")
}

// String returns the term as it is written.
func (t ObjectiveTerm) String() string {
	limits := make([]string, len(t.Limits))
	for i, l := range t.Limits {
		if !t.Joint {
			l.P = t.P
		}
		limits[i] = l.String()
	}
	if !t.Joint {
		return strings.Join(limits, " and ")
	}
	return t.P.String() + "%(" + strings.Join(limits, " and ") + ")"
}

// String returns the limit as it is written within a share.
func (l MetricLimit) String() string {
	left := l.Metric
	if l.P != (Percent{}) {
		left = "p" + l.P.String() + "(" + left + ")"
	}
	return left + " " + string(l.Op()) + " " + l.Time()
}

// Op returns the operator, which is < or <=.
func (l MetricLimit) Op() Op {
	if l.Below {
		return Less
	}
	return LessEqual
}

// Time returns the limit as it was written, or in its largest unit of which it is a multiple.
func (l MetricLimit) Time() string {
	if l.text != "" {
		return l.text
	}
	ns, unit := l.NS, "ns"
	for _, larger := range []string{"us", "ms", "s"} {
		if ns == 0 || ns%1000 != 0 {
			break
		}
		ns, unit = ns/1000, larger
	}
	return strconv.FormatInt(ns, 10) + unit
}

// gapMetric is the metric of which a request has several values.
const gapMetric = "itl"

// longestLimit is the longest time of a limit, ns: 146 years. Sums of two do not overflow.
const longestLimit = 1 << 62

// What hints show.
const (
	objectiveForms = "p99(e2e) < 2s for a percentile, or 95%(ttft < 500ms and e2e < 5s) for the share of requests that keep every limit"
	percentForm    = "between 0 and 100, with up to six decimals, such as "
	timeForm       = "write a time such as 5s, 200ms or 300us"
)

// ParseObjective reads an objective whose metrics are among some. Those that requests have
// one value of stand alone within a share; itl, of which they have several, with a percentile.
// Limits alone, such as ttft=500ms,e2e=5s, are of 99 % of the requests, which the plain form says.
func ParseObjective(text string, metrics []string) (Objective, error) {
	p := &objectiveParser{scanner: scanner{text: text}, metrics: metrics}
	o := Objective{text: text}
	if p.space(); p.end() {
		return Objective{}, p.fault(place{0, len(text)}, "the objective is empty", "write "+objectiveForms)
	}
	if t, is, err := p.short(); is || err != nil {
		return Objective{Terms: []ObjectiveTerm{t}, text: text}, err
	}
	for {
		t, err := p.term()
		if err != nil {
			return Objective{}, err
		}
		o.Terms = append(o.Terms, t)
		if p.space(); p.end() {
			return o, nil
		}
		if !p.and() {
			return Objective{}, p.noAnd()
		}
	}
}

// objectiveParser reads one objective.
type objectiveParser struct {
	scanner
	metrics []string
}

// word reads letters, digits, dots and underscores.
func (p *objectiveParser) word() (string, place) {
	p.space()
	start := p.pos
	p.run(func(r rune) bool { return r == '_' || r == '.' || isWord(r) || r >= 0x80 && unicode.IsLetter(r) })
	return p.text[start:p.pos], place{start, p.pos}
}

// and skips the word between two terms or limits, if it comes next.
func (p *objectiveParser) and() bool {
	before := p.pos
	if p.space(); p.take("&&") {
		return true
	}
	if word, _ := p.word(); strings.EqualFold(word, "and") {
		return true
	}
	p.pos = before
	return false
}

// noAnd says what is wrong with what stands behind a limit.
func (p *objectiveParser) noAnd() error {
	at := p.here()
	word, wordAt := p.word()
	switch {
	case strings.EqualFold(word, "or"):
		return p.fault(wordAt, "an objective has no OR: every term must be met", "give each objective a --slo of its own")
	case p.take("||"):
		return p.fault(place{at.start, p.pos}, "an objective has no OR: every term must be met", "give each objective a --slo of its own")
	case word == "" && (p.at(",") || p.at(";")):
		return p.fault(at, "this joins nothing", "write and")
	case word == "" && p.at(")"):
		return p.fault(at, "there is no parenthesis that this one closes", "leave it out, or open one before")
	}
	return p.fault(place{at.start, len(p.text)}, "nothing is expected after the limit", "write and before the next one")
}

// term reads one term.
func (p *objectiveParser) term() (ObjectiveTerm, error) {
	start := p.pos
	name, at := p.word()
	switch {
	case name == "" && p.at("("):
		return ObjectiveTerm{}, p.fault(p.here(), "nothing says how many of the requests must keep these limits", "write their share before the parenthesis, such as 95%(")
	case name == "":
		return ObjectiveTerm{}, p.fault(p.here(), "a percentile or a share is missing", "write "+objectiveForms)
	case name[0] >= '0' && name[0] <= '9':
		return p.share(name, at)
	}
	if percent, ok := percentile(name); ok {
		return p.percentile(name, at, percent)
	}
	if err := p.noPercentile(name, at); err != nil {
		return ObjectiveTerm{}, err
	}
	p.space()
	if p.at("<") || p.at("=") || p.at(":") || slices.Contains(p.metrics, name) {
		p.pos = start
		return ObjectiveTerm{}, p.fault(at, "nothing says how many of the requests must keep this limit", p.shareOf(Percent{95, 100}))
	}
	return ObjectiveTerm{}, p.fault(at, "there is no objective of "+name, "write "+objectiveForms)
}

// noPercentile says what is wrong with a word that looks like a percentile and is none; nil
// for other words.
func (p *objectiveParser) noPercentile(name string, at place) error {
	small := strings.ToLower(name)
	digits, is := strings.CutPrefix(small, "p")
	if !is || strings.Trim(digits, "0123456789.") != "" || slices.Contains(p.metrics, name) {
		return nil
	}
	hint := "percentiles lie " + percentForm + "p99.9(e2e)"
	if _, ok := percentile(small); ok {
		hint = "write " + small
	}
	return p.fault(at, "there is no percentile "+name, hint)
}

// percentile reads what follows p99: a metric and its limit.
func (p *objectiveParser) percentile(name string, at place, percent Percent) (ObjectiveTerm, error) {
	limit := MetricLimit{}
	var err error
	if limit.Metric, _, err = p.metricOf(name, at); err == nil {
		err = p.upper(&limit, name+"("+limit.Metric+")")
	}
	return ObjectiveTerm{P: percent, Limits: []MetricLimit{limit}}, err
}

// metricOf reads the metric of a percentile, in its parentheses.
func (p *objectiveParser) metricOf(name string, at place) (string, place, error) {
	p.space()
	if !p.at("(") {
		return "", at, p.fault(at, name+" wants one metric", ofMetrics(name, p.metrics))
	}
	open := p.here()
	p.pos++
	metric, metricAt := p.word()
	if p.space(); !p.take(")") {
		if p.at(",") {
			return "", at, p.fault(p.here(), name+" wants one metric", "write "+name+"("+metric+")")
		}
		return "", at, p.fault(open, "this parenthesis is not closed", "write ) behind the metric")
	}
	return metric, metricAt, p.known(metric, metricAt)
}

// known says what is wrong with a word that is no metric.
func (p *objectiveParser) known(metric string, at place) error {
	words := conditionParser{scanner: p.scanner}
	return words.oneOf(argument{metric, at}, "metric", p.metrics)
}

// share reads what follows the number of a share: its sign and its limits.
func (p *objectiveParser) share(number string, at place) (ObjectiveTerm, error) {
	t := ObjectiveTerm{Joint: true}
	share, ok := percent(number)
	if p.space(); !p.take("%") {
		hint := "write " + objectiveForms
		if ok {
			hint = "write p" + number + "(e2e) < 2s for a percentile, or " + number + "%(e2e < 2s) for a share of the requests"
		}
		return t, p.fault(at, "nothing says what "+number+" is", hint)
	}
	at.end = p.pos
	if t.P = share; !ok || t.P.Num == 0 || t.P.Num == t.P.Den {
		return t, p.fault(at, "there is no such share", "shares lie "+percentForm+"99.9%")
	}
	p.space()
	if !p.at("(") {
		return t, p.fault(at, number+"% wants limits in parentheses", "write "+number+"%(ttft < 500ms and e2e < 5s)")
	}
	open := p.here()
	p.pos++
	for {
		l, err := p.limit(open)
		if err != nil {
			return t, err
		}
		t.Limits = append(t.Limits, l)
		p.space()
		switch {
		case p.take(")"):
			return t, nil
		case p.end():
			return t, p.fault(open, "this parenthesis is not closed", "write ) behind the last limit")
		case !p.and():
			return t, p.noAnd()
		}
	}
}

// limit reads one limit of a share whose parenthesis opened at a place.
func (p *objectiveParser) limit(open place) (MetricLimit, error) {
	name, at := p.word()
	switch {
	case name == "" && p.end():
		return MetricLimit{}, p.fault(open, "this parenthesis is not closed", "write limits such as e2e < 5s, and ) behind them")
	case name == "":
		return MetricLimit{}, p.fault(p.here(), "a limit is missing", "write a metric, an operator and a time, such as e2e < 5s")
	case name == gapMetric && slices.Contains(p.metrics, name):
		hint := "write p95(itl) and the limit"
		if l := (MetricLimit{Metric: name, P: Percent{95, 100}}); p.upper(&l, name) == nil {
			hint = "write " + l.String()
		}
		return MetricLimit{}, p.fault(at, "a request has many gaps between its tokens, and nothing says how many must keep the limit", hint)
	}
	own, ok := percentile(name)
	if !ok {
		l := MetricLimit{Metric: name}
		if err := cmp.Or(p.noPercentile(name, at), p.known(name, at)); err != nil {
			return l, err
		}
		return l, p.upper(&l, name)
	}
	metric, _, err := p.metricOf(name, at)
	if err != nil {
		return MetricLimit{}, err
	}
	if metric != gapMetric {
		return MetricLimit{}, p.fault(place{at.start, p.pos}, "a request has one "+metric+", so it has no percentile", "write "+metric+" alone")
	}
	l := MetricLimit{Metric: metric, P: own}
	return l, p.upper(&l, name+"("+metric+")")
}

// upper reads the operator and the time of what is on their left.
func (p *objectiveParser) upper(l *MetricLimit, left string) error {
	p.space()
	start := p.pos
	for _, odd := range []string{"=<", "==", "<>", "=", ">=", ">", "≤", "≥", "!="} {
		if p.take(odd) {
			return p.fault(place{start, p.pos}, "an objective says what "+left+" may be at most", "write < or <=")
		}
	}
	l.Below = !p.at("<=") && p.take("<")
	if !l.Below && !p.take("<=") {
		what := "an operator is missing"
		if p.end() {
			what = "the limit is missing"
		}
		return p.fault(p.here(), what, "write "+left+" < 5s")
	}
	return p.time(l, left, left+" "+string(l.Op())+" ")
}

// time reads the limit itself of what is on the left, which stands behind what was written.
func (p *objectiveParser) time(l *MetricLimit, left, written string) error {
	p.space()
	start := p.pos
	p.run(func(r rune) bool { return r == '+' || r == '-' })
	_, at := p.word()
	at.start = start
	word := p.text[start:p.pos]
	if word == "" && p.end() {
		return p.fault(p.here(), "the limit is missing", "write "+written+"5s")
	}
	if p.take("%") {
		word, at.end = word+"%", p.pos
	}
	ns, text, ok := limitTime(word)
	_, isNumber := decimal(word)
	bare := isNumber && strings.Trim(word, "0123456789.") == ""
	signed := strings.HasPrefix(word, "+") || strings.HasPrefix(word, "-")
	switch {
	case word == "":
		return p.fault(p.here(), "the limit of "+left+" is a time", timeForm)
	case signed:
		return p.fault(at, "the limit of "+left+" is a time without a sign", timeForm)
	case bare && !(ok && ns == 0):
		return p.fault(at, "the limit of "+left+" is a time", "write "+word+"s, "+word+"ms or "+word+"us")
	case !ok:
		return p.fault(at, "the limit of "+left+" is a time", timeForm)
	case ns == 0:
		return p.fault(at, "the limit of "+left+" is no time at all", timeForm)
	case ns > longestLimit:
		return p.fault(at, "the limit of "+left+" is longer than 146 years", timeForm)
	}
	l.NS, l.text = ns, text
	return nil
}

// longestExact is how long a time may be written that is read exactly.
const longestExact = 64

// limitTime reads a time in ns, to the nearest, and returns how it is written: as it was if that
// is whole, and otherwise by what was read. One beyond an int64 reads as none.
func limitTime(word string) (ns int64, written string, ok bool) {
	about, ok := readTime(word)
	switch {
	case !ok:
		return 0, "", false
	case about > longestLimit:
		return longestLimit + 1, "", true // as good as any that is too long
	}
	ns = int64(about)
	if exact, whole := wholeTime(word); whole {
		return exact, word, true
	}
	return ns, MetricLimit{NS: ns}.Time(), true
}

// wholeTime returns the ns that a time is without rounding; false when it is no whole number
// of them, or is written at such length that it would take long to say.
func wholeTime(text string) (ns int64, ok bool) {
	if len(text) > longestExact {
		return 0, false
	}
	if strings.Trim(text, "0.") == "" {
		return 0, true
	}
	sum := new(big.Rat)
	for rest := text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n, ok := new(big.Rat).SetString(rest[:digits])
		if !ok {
			return 0, false
		}
		rest = rest[digits:]
		known := false
		for _, u := range units {
			if tail, is := strings.CutPrefix(rest, u.name); is {
				sum.Add(sum, n.Mul(n, new(big.Rat).SetFloat64(u.ns)))
				rest, known = tail, true
				break
			}
		}
		if !known {
			return 0, false
		}
	}
	return sum.Num().Int64(), sum.IsInt() && sum.Num().IsInt64()
}

// ofMetrics shows how a percentile is written, of the first metrics that it can be of.
func ofMetrics(name string, metrics []string) string {
	return "write " + name + "(" + strings.Join(metrics[:min(len(metrics), 4)], "), "+name+"(") + ")"
}
