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
