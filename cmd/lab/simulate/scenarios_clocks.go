package simulate

// The scenarios of this file change what the hosts' clocks show. What truly happens
// is an incident of another file, so that what a reader finds can be compared.

// burst is a short form of the build-up of a queue.
func burst() Scenario {
	sc := queueBuildup()
	sc.Requests, sc.Load.CycleRequests = 600, 600
	return sc
}

func skewedClocks() Scenario {
	sc := burst()
	sc.Name = "skewed-clocks"
	sc.Summary = "A queue builds up, and the clock of every host is off by a constant of its own, up to 400 ms."
	sc.Finding = "The tail waited in the engine's queue; that spans lie outside their parents is the clocks, not lost time."
	sc.Clocks = []HostClock{
		{Host: clientHost("eu-west-1"), OffsetNS: -37*ms - 214_311},
		{Host: clientHost("us-east-1"), OffsetNS: 121*ms + 700_001},
		{Host: gatewayHost, OffsetNS: 8*ms + 90_377},
		{Host: serverHost, OffsetNS: -392*ms - 5_053},
	}
	return sc
}

func driftingClocks() Scenario {
	sc := slowPrefill()
	sc.Name = "drifting-clocks"
	sc.Summary = "Long prompts over an hour, while the server's clock gains 50 ns in every ms and the others lose some."
	sc.Finding = "The tail is prefill of very long prompts; no single offset fits the server's clock, one for each part of the hour does."
	sc.Requests, sc.Load.CycleRequests = 700, 700
	sc.Clocks = []HostClock{
		{Host: clientHost("eu-west-1"), OffsetNS: 2 * ms, DriftPPB: -8_000},
		{Host: clientHost("us-east-1"), OffsetNS: -5 * ms, DriftPPB: 3_000},
		{Host: serverHost, OffsetNS: -40 * ms, DriftPPB: 50_000},
	}
	return sc
}

func wrongClock() Scenario {
	sc := burst()
	sc.Name = "wrong-clock"
	sc.Summary = "A queue builds up on a server whose clock is more than three hours behind."
	sc.Finding = "The tail waited in the engine's queue; the server's instants mean nothing, but its durations do."
	sc.Clocks = []HostClock{{Host: serverHost, OffsetNS: -(3*3600 + 7*60 + 42) * s}}
	return sc
}

func localTimeLog() Scenario {
	sc := base()
	sc.Name = "local-time-log"
	sc.Summary = "An ordinary day, and the server's log is in local time, five and a half hours ahead of UTC."
	sc.Finding = "No cause dominates; the log agrees with the spans once it is moved by its zone."
	sc.Requests, sc.Load.CycleRequests = 600, 600
	sc.Clocks = []HostClock{{Host: serverHost, ZoneNS: (5*3600 + 1800) * s}}
	return sc
}
