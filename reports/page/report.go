package page

import "github.com/tailpath/tailpath/reports"

// report writes the ten parts of a report.
func (b *builder) report(d reports.Document) {}
