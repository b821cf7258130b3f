package main

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// silenced leaves out of a document what --no-warn names. An id that the document has nothing of
// is told, since it may be mistyped, and stops nothing: the next input may have it.
func (p *program) silenced(doc reports.Document) reports.Document {
	if len(p.flags.noWarn) == 0 {
		return doc
	}
	var ids []string
	for _, value := range p.flags.noWarn {
		for id := range strings.SplitSeq(value, ",") {
			if id = strings.TrimSpace(id); id != "" {
				ids = append(ids, id)
			}
		}
	}
	doc, unknown := doc.Silenced(ids)
	if len(unknown) > 0 && !p.flags.quiet {
		fmt.Fprintf(p.stderr, "tailpath: --no-warn: nothing here is called %s\n", oneLine(strings.Join(unknown, ", ")))
	}
	return doc
}
