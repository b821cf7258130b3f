package simulate

import "fmt"

// Client is what a client does when an answer is slow or fails. The zero value
// sends once and waits for as long as it takes.
type Client struct {
	// Attempts is the most attempts at one request, series of retries included;
	// 0 and 1 are one.
	Attempts int
	// BackoffNS is the mean wait before the first retry; it doubles with every
	// further one, and a draw between half and one and a half of it spreads it.
	BackoffNS int64
	// HedgeAfterNS is how long a client waits for the headers of an answer before
	// it sends the request a second time. The attempt that answers first is kept
	// and the other is given up. 0 never hedges.
	HedgeAfterNS int64
	// PatienceShare is the probability that a client gives up after a lognormal
	// time of median PatienceNS.
	PatienceShare float64
	PatienceNS    int64
	PatienceSigma float64
}

// repeats reports whether one request can have several attempts, which the client's
// telemetry then shows one by one.
func (c *Client) repeats() bool { return c.Attempts > 1 || c.HedgeAfterNS > 0 }

// Replica is one engine of several behind the gateway, which takes turns.
type Replica struct {
	Host string
	// SlowPercent is how long its GPU takes, in percent of what the engine
	// declares; 0 is 100.
	SlowPercent int64
	// PauseNS is for how long it takes no new requests, every PauseEveryNS, the first
	// time after PauseEveryNS. It goes on with those that run. 0 never pauses.
	PauseNS, PauseEveryNS int64
}

// slow stretches a time of the GPU, in ns.
func (r *Replica) slow(ns int64) int64 {
	if r.SlowPercent == 0 {
		return ns
	}
	return ns / 100 * r.SlowPercent
}

// pausedUntil returns the end of the pause that covers an instant, or 0.
func (r *Replica) pausedUntil(at int64) int64 {
	if r.PauseNS == 0 || at < epochNS+r.PauseEveryNS {
		return 0
	}
	begin := at - (at-epochNS)%r.PauseEveryNS
	if at >= begin+r.PauseNS {
		return 0
	}
	return begin + r.PauseNS
}

// Split serves every request on two hosts: one computes the prompt, and the other,
// which receives its keys and values, the answer. Moving them takes KVNS plus
// KVTokenNS for each token of the prompt. The zero value does not split.
type Split struct {
	PrefillHost, DecodeHost string
	KVNS, KVTokenNS         int64
	// HandshakeNS is the time of one message between the two.
	HandshakeNS int64
}

func (s *Split) on() bool { return s.PrefillHost != "" }

// On reports whether the scenario exists on a server.
func (sc Scenario) On(server Server) bool {
	for _, s := range sc.Servers {
		if s == server {
			return true
		}
	}
	return len(sc.Servers) == 0
}

// replicas are the declared replicas, or the one that needs no declaration. A split
// has two, the one that prefills first.
func (sc *Scenario) replicas() []Replica {
	switch {
	case sc.Split.on():
		return []Replica{{Host: sc.Split.PrefillHost}, {Host: sc.Split.DecodeHost}}
	case len(sc.Replicas) == 0:
		return []Replica{{Host: serverHost}}
	}
	return sc.Replicas
}

// validateParts is the part of Validate that concerns clients, replicas and clocks.
func (sc *Scenario) validateParts() error {
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{sc.Client.Attempts > 1 && sc.Client.BackoffNS < 1, "a client that retries needs a back-off"},
		{sc.Client.HedgeAfterNS > 0 && sc.Client.Attempts > 1, "a client hedges or retries, not both"},
		{sc.Client.HedgeAfterNS > 0 && len(sc.Replicas) < 2, "hedging needs a second replica"},
		{sc.Client.PatienceShare > 0 && sc.Client.repeats(), "a client that repeats does not give up as well"},
		{sc.Client.PatienceShare > 0 && sc.Client.PatienceNS < 1, "patience must be positive"},
		{sc.Split.on() && (len(sc.Replicas) > 0 || sc.Client.repeats() || sc.Client.PatienceShare > 0 || sc.Gateway.TimeoutNS > 0 || sc.Gateway.UnaryTimeoutNS > 0),
			"a split has no other replicas, and its requests are not given up"},
		{sc.Split.on() && sc.Split.DecodeHost == "", "a split needs a host that decodes"},
		{sc.Gateway.MaxUpstream < 0 || sc.Engine.Prefills < 0, "a limit is negative"},
	} {
		if c.bad {
			return fmt.Errorf("scenario %q: %s", sc.Name, c.what)
		}
	}
	hosts := make(map[string]bool)
	for _, r := range sc.Replicas {
		switch {
		case r.Host == "" || hosts[r.Host]:
			return fmt.Errorf("scenario %q: replica %q: a host of its own is needed", sc.Name, r.Host)
		case r.SlowPercent < 0 || r.PauseNS < 0 || r.PauseNS > 0 && r.PauseEveryNS <= r.PauseNS:
			return fmt.Errorf("scenario %q: replica %q: pauses and slowness must be positive, and pauses apart", sc.Name, r.Host)
		}
		hosts[r.Host] = true
	}
	known := map[string]bool{gatewayHost: true}
	for _, r := range sc.replicas() {
		known[r.Host] = true
	}
	for _, r := range sc.Routes {
		known[clientHost(r.Region)] = true
	}
	for _, c := range sc.Clocks {
		if !known[c.Host] {
			return fmt.Errorf("scenario %q: clock of %q: there is no such host", sc.Name, c.Host)
		}
		known[c.Host] = false
	}
	return nil
}
