package simulate

import (
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
	// Engine is the engine's own log.
	Engine EngineLog
}

// Service is everything one service exported, as a collector's file would hold
// it: batches in order of export, each of one process, its spans in order of end.
type Service struct {
	Name    string
	Batches []ptrace.Traces
}

// Run simulates the scenario. It fails for a declaration that cannot work
// ([Scenario.Validate]), for an unknown server and for a number of requests
// outside 1..200,000.
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

	c := &Capture{Header: Header{Version: TruthVersion, Scenario: sc.Name, Seed: seed, Server: server,
		Requests: n, EpochNS: epochNS, Cause: sc.CauseOn(server)}}
	requests := simulate(&sc, seed, server, n, &c.Engine)
	c.Truth = make([]Truth, n)
	for i, r := range requests {
		if c.Truth[i], err = planted(r, server); err != nil {
			return nil, fmt.Errorf("scenario %q seed %d server %s: request %d: %w", sc.Name, seed, server, i, err)
		}
	}
	c.Services = export(&sc, seed, server, requests)
	return c, nil
}

// simulate lets the requests happen.
func simulate(sc *Scenario, seed uint64, server Server, n int, record *EngineLog) []*request {
	requests := drawRequests(sc, seed, n)
	c := &clock{now: epochNS}
	e := &edge{clock: c, cfg: &sc.Gateway, workers: newStation(c, sc.Gateway.Workers)}
	if server == Triton {
		e.server = newTriton(c, sc, e, seed, record)
	} else {
		e.server = newHost(c, sc, server, e, seed, record)
	}
	e.server.start()
	for _, r := range requests {
		e.issue(r)
	}
	c.run()
	record.order()
	for _, r := range requests {
		record.lastToken = append(record.lastToken, r.lastToken)
	}
	return requests
}
