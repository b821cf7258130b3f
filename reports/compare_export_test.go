package reports

// Sentence answers in words.
func (c *Compare) Sentence() string { return c.sentence() }
