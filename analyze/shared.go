package analyze

import (
	"slices"
	"sync"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
)

// Shared keeps what several analyses of the same requests start from, so that it is made once
// however many of them are carried out: who waited when, and what the set tells of the system
// over time. It changes no result. It holds some hundred bytes for each request as long as it is
// there itself. The zero value is ready for use, by any number of analyses at a time.
type Shared struct {
	mutex sync.Mutex
	made  map[choice]*begun
}

// choice is all that what is shared depends on, beside the content of the set.
type choice struct {
	set        *table.Set
	where      *filter.Expr
	during     *Interval
	incomplete Inclusion
	engines    *engine.Timelines
}

// begun makes what analyses of one choice share, when it is first asked for.
type begun struct {
	waiting  func() *waiting
	requests func() *captured
}

// of returns what analyses with these options share.
func (s *Shared) of(set *table.Set, opt Options) *begun {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := choice{set, opt.Where, opt.During, opt.Incomplete, opt.Engines}
	b := s.made[key]
	if b == nil {
		if s.made == nil {
			s.made = map[choice]*begun{}
		}
		opt.Shared = nil // what is made must not hold on to it
		b = &begun{
			waiting:  sync.OnceValue(func() *waiting { return waitingOf(set, opt) }),
			requests: sync.OnceValue(func() *captured { return requestsOf(set, opt) }),
		}
		s.made[key] = b
	}
	return b
}

// sharedWaiting is waitingOf, which may have been made before.
func sharedWaiting(set *table.Set, opt Options) *waiting {
	if opt.Shared == nil {
		return waitingOf(set, opt)
	}
	return opt.Shared.of(set, opt).waiting()
}

// sharedRequests is requestsOf, of which the large parts may have been made before. What it
// returns is the caller's own to add to.
func sharedRequests(set *table.Set, opt Options) *captured {
	if opt.Shared == nil {
		return requestsOf(set, opt)
	}
	c := *opt.Shared.of(set, opt).requests()
	c.opt = opt.on(set)
	c.rows = slices.Clone(c.rows)
	return &c
}
