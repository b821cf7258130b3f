package page

import "github.com/tailpath/tailpath/reports"

// missed says which objectives were missed, a line for each that was.
func (b *builder) missed(list []reports.Objective) {
	for _, o := range list {
		if text := o.Missed(); text != "" {
			b.hanging(Plain, "", text)
		}
	}
}

// withoutQueue writes what would have met each objective without the queue.
func (b *builder) withoutQueue(list []reports.WithoutQueue) {
	for _, w := range list {
		b.hanging(Plain, "  ", w.Objective+": "+w.Words)
	}
}
