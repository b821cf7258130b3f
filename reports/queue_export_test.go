package reports

// QueueHeadline is the headline of a document about waiting.
func QueueHeadline(q *Queue) string { return q.headline() }

// Text is what is said of the candidate.
func (c QueueCandidate) Text() string { return c.words(Queueing{}) }

// Text is what is said of the work.
func (w QueueWork) Text() string { return w.words() }

// Text is what is said of Little's law.
func (l Little) Text() string { return l.words() }

// Text is what is said of busy times.
func (b Busy) Text() string { return b.words() }

// Text is what is said of when requests waited.
func (w When) Text(t Tail) string { return w.words(t) }

// Text is what is said of where requests waited.
func (w Where) Text(top int) string { return w.words(top) }
