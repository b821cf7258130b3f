package text

import "github.com/tailpath/tailpath/reports"

// missed says which objectives were missed, a line for each that was.
func (p *page) missed(list []reports.Objective) {
	for _, o := range list {
		if text := o.Missed(); text != "" {
			p.hanging(plain, "", text)
		}
	}
}

// withoutQueue writes what would have met each objective without the queue.
func (p *page) withoutQueue(list []reports.WithoutQueue) {
	for _, w := range list {
		p.hanging(plain, "  ", w.Objective+": "+w.Words)
	}
}
