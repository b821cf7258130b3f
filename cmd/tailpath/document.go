package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/reports"
	reporttext "github.com/tailpath/tailpath/reports/text"
)

// emit draws a document in the format that the flags ask for and writes it to the
// output they name.
func (p *program) emit(doc reports.Document) error {
	out, err := p.draw(p.limited(p.silenced(doc)))
	if err != nil {
		return err
	}
	return p.deliver(out)
}

// deliver writes what was drawn to the output that the flags name.
func (p *program) deliver(out []byte) error {
	if err := p.stage.write(); err != nil {
		return err
	}
	return p.write(p.flags.output, out)
}

// textOptions says what the place that text goes to can show.
func (p *program) textOptions() reporttext.Options {
	o := reporttext.Options{ASCII: p.flags.ascii || !utf8Locale(p.env), Verbose: p.flags.verbose}
	terminal := false
	if p.flags.output == "" || p.flags.output == stdioName {
		_, terminal = terminalOf(p.stdout)
		o.Width = columns(p.stdout)
	}
	o.Color = coloured(p.flags.color, p.env, terminal)
	return o
}

// choice returns which requests the flags choose.
func (p *program) choice() analyze.Options {
	parse := func(word string) analyze.Inclusion {
		choice, err := analyze.ParseInclusion(word)
		if err != nil {
			panic(err) // the flags take no other word
		}
		return choice
	}
	workers := p.flags.jobs
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return analyze.Options{Where: p.where(), During: p.during, Bands: p.bands, Rule: p.rule, Seed: uint64(p.flags.seed), Incomplete: parse(p.flags.incomplete), Errors: parse(p.flags.errors), Workers: workers, Listed: p.listed()}
}

// rows returns the rows of the requests table.
func (l *loaded) rows() []int {
	rows := make([]int, l.set.Requests.Len())
	for row := range rows {
		rows[row] = row
	}
	return rows
}

// where names the inputs of an error.
func (l *loaded) where() string {
	if n := len(l.operands); n > 1 {
		return fmt.Sprintf("%s and %d more", l.operands[0], n-1)
	}
	return strings.Join(l.operands, "")
}

// count writes a number of things.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return reports.Integer(int64(n)) + " " + word + "s"
}

// sameRequests adds to the next command of a document the flags that chose its
// requests, if that command takes them.
func (p *program) sameRequests(doc reports.Document) reports.Document {
	word, _, _ := strings.Cut(strings.TrimPrefix(doc.Next, "tailpath "), " ")
	c, _ := find(word)
	for _, text := range p.flags.where {
		if slices.Contains(c.flags, "where") {
			doc.Next += " --where " + reports.Quote(text)
		}
	}
	for _, f := range p.sameTimes() {
		if slices.Contains(c.flags, f.name) {
			doc.Next += " --" + f.name + " " + reports.Quote(f.value)
		}
	}
	for _, f := range []struct{ name, value string }{{"incomplete", p.flags.incomplete}, {"errors", p.flags.errors}} {
		if f.value != "exclude" && slices.Contains(c.flags, f.name) {
			doc.Next += " --" + f.name + " " + f.value
		}
	}
	return doc
}
