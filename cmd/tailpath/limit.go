package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/csv"
)

// unlimited is the value of --limit where nobody gave it: lists have their usual numbers of rows.
const unlimited = -1

// limited returns a document with as many rows in its lists as --limit asks for.
func (p *program) limited(doc reports.Document) reports.Document {
	if p.flags.limit == unlimited {
		return doc
	}
	return doc.Limited(p.flags.limit)
}

// listed is --limit as analyses take it, which list more than usual if they are asked to.
func (p *program) listed() int {
	switch p.flags.limit {
	case unlimited:
		return 0
	case 0:
		return -1
	}
	return p.flags.limit
}

// waterfallRows is how many spans a report holds of each of its requests; 0 for all.
func (p *program) waterfallRows() int {
	if p.flags.limit == 0 {
		return 0
	}
	return max(mostReportRows, p.flags.limit)
}

// fewerNamed is how many lists are named that cannot be shown as far as they were asked for.
const fewerNamed = 3

// tellFewer tells of the lists of a stored document that have fewer rows than --limit asks for,
// although there were more when it was made: what was left out then is not in it.
func (p *program) tellFewer(name string, doc reports.Document) {
	if p.flags.limit == unlimited {
		return
	}
	var parts []string
	list := doc.Fewer(p.flags.limit)
	for _, x := range list[:min(len(list), fewerNamed)] {
		parts = append(parts, fmt.Sprintf("%s has %s of %s", x.List, reports.Integer(x.Shown), reports.Integer(x.Of)))
	}
	if more := len(list) - len(parts); more > 0 {
		parts = append(parts, count(more, "more list"))
	}
	if parts != nil {
		p.tell("--limit %d: %s holds no more: %s; make it anew with --limit %d", p.flags.limit, oneLine(name), strings.Join(parts, ", "), p.flags.limit)
	}
}

// placeInList is the place of an entry within the path of a list.
var placeInList = regexp.MustCompile(`\.\d+\.`)

// tellCut tells how many rows of the table of CSV that was written are missing, which CSV has no
// place for.
func (p *program) tellCut(doc reports.Document) {
	if doc.Limit == nil {
		return
	}
	table := p.flags.table
	if table == "" {
		table = csv.Main(doc.Kind)
	}
	for _, x := range doc.Limit.Cut {
		if list := placeInList.ReplaceAllString(x.List, "."); list == table {
			p.tell("%s: %s of %s shown; --limit 0 shows all", x.List, reports.Integer(x.Shown), reports.Integer(x.Of))
		}
	}
}

// cutFormats are the formats that can be cut to a size.
var cutFormats = []string{formatMarkdown, formatHTML}

// checkMaxSize refuses a --max-size that is no size, or of a format that cannot be cut, before
// anything is read for it. A file of flags does for every format: what it says of the size is
// then of those that can be cut.
func (p *program) checkMaxSize() error {
	value := p.flags.maxSize
	if value == "" {
		return nil
	}
	if _, err := parseSize(value); err != nil {
		return usage("--max-size "+value, err.Error(), "such as --max-size 500KB")
	}
	format := p.flags.documentFormat()
	configured := slices.ContainsFunc(p.configArgs, func(arg string) bool { return strings.HasPrefix(arg, "--max-size=") })
	if slices.Contains(cutFormats, format) || configured {
		return nil
	}
	return usage("--max-size "+value, "is for Markdown and HTML, and the output is "+format+", of which nothing may be left out", "add -f md or -f html; --limit makes the lists of any format shorter")
}

// maxSize is how many bytes a page may have; 0 for what is usual of its format.
func (p *program) maxSize() int64 {
	if p.flags.maxSize == "" {
		return 0
	}
	size, err := parseSize(p.flags.maxSize)
	if err != nil {
		panic(err) // checkMaxSize takes no other value
	}
	return size
}

// tooLong is the fault of a page that cannot be made as short as --max-size asks for.
func (p *program) tooLong(err error) error {
	var long *reports.TooLongError
	if !errors.As(err, &long) {
		return err
	}
	return usage("--max-size "+p.flags.maxSize, fmt.Sprintf("the page has %s bytes when all is left out that may be", reports.Integer(long.Least)),
		fmt.Sprintf("take --max-size %dKB or more, or -f json", enoughKB(long.Least)))
}

// enoughKB is how many KB are enough for a page of so many bytes, in which the size itself is
// written as well.
func enoughKB(least int64) int64 { return (least+100)/1000 + 1 }
