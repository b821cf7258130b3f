package reports

import "strings"

// afterCapacity names the command that follows a capacity: a look at the slowest requests
// that missed the first objective that fails, else at the waiting; at the input when nothing
// can be said of the system.
func (r Run) afterCapacity(c *Capacity) string {
	if c.Population.Used == 0 || c.System.Refused != "" {
		return r.command("inspect")
	}
	for _, o := range c.Objectives {
		for _, t := range o.Terms {
			if t.Outcome == "fail" {
				return r.command("explain", append([]string{"--slowest", "5"}, t.missed()...)...)
			}
		}
	}
	return r.command("queue")
}

// missed returns the flags that keep the requests that missed a term of one limit; none where
// no field of a request says so.
func (t ObjectiveTerm) missed() []string {
	if len(t.Limits) != 1 || t.Limits[0].Metric == "itl" {
		return nil
	}
	l := t.Limits[0]
	op := ">"
	if l.Below {
		op = ">="
	}
	return []string{"--where", Quote(l.Metric + op + strings.NewReplacer(" ", "", "µ", "u").Replace(exactTime(l.NS)))}
}
