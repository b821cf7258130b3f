package simulate

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Options vary a run of a scenario.
type Options struct {
	// Server is the inference server; empty is [VLLM].
	Server Server
	// Requests is how many requests are made; 0 is the scenario's own number.
	Requests int
}

// mostRequests bounds a run; a capture is held in memory.
const mostRequests = 200_000

// Capture is one run: the telemetry that would have been exported and the truth.
type Capture struct {
	Header Header
	// Services hold the exported spans, client first, then gateway, then server.
	Services []Service
	// Truth has one entry per request, in order of issue.
	Truth []Truth
	// Visits are the attempts at the requests as gateway and server saw them, in
	// order of request and attempt.
	Visits []Visit
	// Engines has one entry a replica.
	Engines []EngineState
	// Zone is what the log of a host adds to UTC, in ns; hosts whose logs are in
	// UTC are not in it.
	Zone map[string]int64
}

// Service is everything one service exported, as a collector's file would hold
// it: batches in order of export, each of one process, its spans in order of end.
type Service struct {
	Name    string
	Batches []ptrace.Traces
}

// Run simulates the scenario. It fails for a declaration that cannot work
// ([Scenario.Validate]), for an unknown server, with [ErrServer] for one that the
// scenario is not declared for, and for a number of requests outside 1..200,000.
func Run(sc Scenario, seed uint64, opts Options) (*Capture, error) {
	server, err := ParseServer(string(opts.Server))
	if err != nil {
		return nil, err
	}
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	n := sc.Requests
	if opts.Requests != 0 {
		n = opts.Requests
	}
	if n < 1 || n > mostRequests {
		return nil, fmt.Errorf("%d requests: choose 1 to %d", n, mostRequests)
	}

	if !sc.On(server) {
		return nil, fmt.Errorf("scenario %q %w %q: choose one of %s", sc.Name, ErrServer, server, serverList(sc.Servers))
	}

	c := &Capture{Header: Header{Version: TruthVersion, Scenario: sc.Name, Seed: seed, Server: server,
		Requests: n, EpochNS: epochNS, Cause: sc.CauseOn(server), Clocks: sc.Clocks}}
	c.Zone = hostClocks(sc.Clocks).zones()
	c.Engines = engineStates(&sc, server)
	calls := simulate(&sc, seed, server, n, c.Engines)
	visits := number(calls, c.Engines)
	c.Truth = make([]Truth, n)
	for i, call := range calls {
		if c.Truth[i], err = planted(&sc, call, server); err != nil {
			return nil, fmt.Errorf("scenario %q seed %d server %s: request %d: %w", sc.Name, seed, server, i, err)
		}
	}
	c.Services = export(&sc, seed, server, calls, visits)
	for _, r := range visits {
		c.Visits = append(c.Visits, visit(&sc, r, server))
	}
	return c, nil
}

// ErrServer says that a scenario is declared for other servers.
var ErrServer = errors.New("does not exist on server")

// simulate lets the requests happen.
func simulate(sc *Scenario, seed uint64, server Server, n int, engines []EngineState) []*call {
	requests := drawRequests(sc, seed, n)
	c := &clock{now: epochNS}
	e := &edge{clock: c, sc: sc, cfg: &sc.Gateway, streams: server.streams(), workers: newStation(c, sc.Gateway.Workers)}
	var hosts []*host
	for i := range engines {
		if server == Triton {
			e.servers = append(e.servers, newTriton(c, sc, i, e, seed, &engines[i].Log))
			continue
		}
		h := newHost(c, sc, server, i, e, seed, &engines[i].Log)
		hosts, e.servers = append(hosts, h), append(e.servers, h)
	}
	if sc.Split.on() {
		e.pair = newPair(e, sc, server, seed, hosts[0], hosts[1])
	}
	for _, server := range e.servers {
		server.start()
	}
	calls := make([]*call, n)
	for i, r := range requests {
		calls[i] = r.call
		e.issue(r)
	}
	c.run()
	return calls
}

// number lists all attempts in order of call and sending, the leg that prefills
// before the other, and closes the engines' books with their numbers.
func number(calls []*call, engines []EngineState) []*request {
	var visits []*request
	for _, c := range calls {
		for _, r := range c.attempts {
			if r.other != nil {
				visits = append(visits, r.other)
			}
			visits = append(visits, r)
		}
	}
	for i := range engines {
		engines[i].Log.done = make([]int64, len(visits))
	}
	for i, r := range visits {
		r.index = i
		engines[r.replica].Log.done[i] = max(r.lastToken, r.gone)
	}
	for i := range engines {
		engines[i].Log.order()
		engines[i].Log.number()
	}
	return visits
}
