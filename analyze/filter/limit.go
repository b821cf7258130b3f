package filter

import "strings"

// operator reads the operator between quantity and limit.
func (p *conditionParser) operator() error {
	p.space()
	start := p.pos
	for _, op := range []Op{NotEqual, LessEqual, GreaterEqual, Equal, Less, Greater} {
		if p.take(string(op)) {
			p.c.Op = op
			break
		}
	}
	at := place{start, p.pos}
	switch {
	case p.c.Op == "" && p.end():
		return p.fault(p.here(), "the limit is missing", "write "+p.example())
	case p.c.Op == "":
		return p.fault(p.here(), "an operator is missing", "write "+p.example())
	case p.c.Op == Equal && p.at("="):
		return p.fault(place{start, p.pos + 1}, "== is no operator", "write one =")
	case p.c.Quantity == Verdict && p.c.Op.order():
		return p.fault(at, "a verdict has no size", "write "+p.example())
	case p.c.Quantity == Sampling && p.c.Op.order():
		return p.fault(at, "sampling has no size", "write "+p.example())
	case p.c.Quantity != Verdict && p.c.Quantity != Sampling && !p.c.Op.order():
		return p.fault(at, "a measured number hardly ever equals another", "write < <= > or >=")
	}
	return p.wayOf(at)
}

// example is how the rest of the condition may be written.
func (p *conditionParser) example() string {
	left := p.c.quantity()
	if p.required {
		return left + " " + requiredOf[p.c.Quantity]
	}
	switch p.c.Quantity {
	case Percentile:
		return left + " > 5s"
	case N:
		return left + " < 100"
	case Rate:
		return left + " < 99%"
	case Goodput, Capacity:
		return left + " < 12"
	case Verdict:
		if p.c.Stage == "" {
			return left + " = mixed"
		}
		return left + " = dominates"
	}
	return left + " > 5%"
}

// right reads the limit.
func (p *conditionParser) right() error {
	p.space()
	switch p.c.Quantity {
	case Verdict:
		known := p.v.Verdicts
		if p.c.Stage != "" {
			known = p.v.StageVerdicts
		}
		return p.words("kind of verdict", known)
	case Sampling:
		return p.words("kind of sampling", p.v.Samplings)
	}
	word, at := p.word()
	if p.space(); word != "" && p.take("%") { // behind a space
		word, at.end = word+"%", p.pos
	}
	if (p.c.Quantity == Goodput || p.c.Quantity == Capacity) && word != "" && p.take("/s") {
		word, at.end = word+"/s", p.pos
	}
	p.c.limit, p.c.at = word, at
	number, unit := word, ""
	if i := strings.TrimLeft(word, "+-.0123456789"); i != "" {
		number, unit = word[:len(word)-len(i)], i
	}
	signed := strings.HasPrefix(word, "+") || strings.HasPrefix(word, "-")
	n, isNumber := decimal(number)
	switch {
	case word == "":
		return p.fault(p.here(), "the limit is missing", "write "+p.example())
	case signed:
		return p.change(n, isNumber && unit == "%")
	}
	if err := p.level(n, isNumber, unit); err != nil {
		return err
	}
	if p.space(); p.at("@") {
		return p.fault(p.here(), "a level goes with a change against a baseline", "write "+p.c.quantity()+" "+string(p.c.Op)+" +10% @0.05, or leave it out")
	}
	return nil
}

// level reads a limit that is no change.
func (p *conditionParser) level(n float64, isNumber bool, unit string) error {
	word := p.c.limit
	switch p.c.Quantity {
	case Percentile, Clock:
		ns, ok := readTime(word)
		if !ok {
			hint := "write a time such as 5s, 200ms or 300us"
			if isNumber && unit == "" {
				hint = "write " + word + "s, " + word + "ms or " + word + "us"
			}
			return p.fault(p.c.at, "the limit of "+p.c.quantity()+" is a time", hint)
		}
		p.c.Limit = ns
	case N:
		count, ok := readNumber(word)
		if !ok {
			return p.fault(p.c.at, "the limit of n is a number of requests", "write 100, or 10k")
		}
		p.c.Limit = count
	case Goodput, Capacity:
		perSecond, ok := readNumber(strings.TrimSuffix(word, "/s"))
		if !ok {
			return p.fault(p.c.at, "the limit of "+p.c.quantity()+" is a number of requests a second", "write 12, 0.5 or 2k")
		}
		p.c.Limit = perSecond
	default:
		if !isNumber || unit != "%" || n > 100 {
			hint := "write a part of 100 %, such as 5%"
			if isNumber && unit == "" {
				hint = "write " + word + "%"
				if n < 1 {
					hint = "write " + plain(100*n) + "%"
				}
			}
			return p.fault(p.c.at, "the limit of "+p.c.quantity()+" is in per cent", hint)
		}
		p.c.Limit = n / 100
	}
	return nil
}

// change reads a limit that is a change against a baseline, with its level.
func (p *conditionParser) change(n float64, ok bool) error {
	if p.c.Quantity != Percentile {
		return p.fault(p.c.at, "only percentiles have limits of change", "leave the sign out; a change is p99(e2e) > +10%")
	}
	if !ok {
		return p.fault(p.c.at, "a limit with a sign is a change in per cent", "write +10%, or leave the sign out")
	}
	if up := p.c.Op == Greater || p.c.Op == GreaterEqual; up != (n >= 0) {
		return p.fault(p.c.at, "the sign and the operator contradict each other", "write > +10% for what gets slower, < -10% for what gets faster")
	}
	p.c.Relative, p.c.Limit, p.c.Alpha = true, n/100, defaultAlpha
	if p.space(); !p.take("@") {
		return nil
	}
	word, at := p.word()
	alpha, ok := decimal(word)
	if !ok || !(alpha > 0 && alpha < 1) {
		return p.fault(place{at.start, max(at.end, p.here().end)}, "the level is a probability", "write @0.05")
	}
	p.c.Alpha = alpha
	p.c.limit += " @" + word
	p.c.at.end = at.end
	return nil
}

// words reads one word or several, each one of those that are known.
func (p *conditionParser) words(what string, known []string) error {
	var values []Value
	if p.at("(") {
		var err error
		if values, err = p.values(); err != nil {
			return err
		}
		p.c.limit = listString(values)
	} else {
		start := p.pos
		p.run(func(r rune) bool { return isWord(r) || r == '_' })
		word := Value{Text: p.text[start:p.pos], at: place{start, p.pos}}
		values, p.c.limit = []Value{word}, word.Text
	}
	p.c.at = place{values[0].at.start, values[len(values)-1].at.end}
	for _, v := range values {
		if err := p.oneOf(argument{v.Text, v.at}, what, known); err != nil {
			return err
		}
		p.c.Words = append(p.c.Words, v.Text)
	}
	return nil
}
