package capacity

import "github.com/tailpath/tailpath/cmd/lab/plant"

// second is in ns.
const second = 1e9

// system is a simulated one whose capacity is known.
type system struct{ plant.System }

var (
	sixteen   = named("lognormal-16")
	eight     = named("exponential-8")
	four      = named("even-4")
	thirtyTwo = named("long-tailed-32")
)

func named(name string) system {
	s, err := plant.LookupSystem(name)
	if err != nil {
		panic(err)
	}
	return system{s}
}

// requests appends the requests of a day to out[:0].
func (s system) requests(d plant.Day, out []Request) []Request {
	out = out[:0]
	s.Each(d, func(q *plant.Request) {
		out = append(out, Request{StartNS: q.StartNS, EndNS: q.StartNS + q.DurationNS(), Good: s.Good(q), Eligible: true, Tokens: q.Tokens})
	})
	return out
}
