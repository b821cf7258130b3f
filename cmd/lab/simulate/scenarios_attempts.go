package simulate

// The scenarios of this file have clients that repeat or give up, and a gateway that
// refuses or whose spans end early.

func retryStorm() Scenario {
	sc := base()
	sc.Name = "retry-storm"
	sc.Summary = "Arrivals jump; the gateway refuses what exceeds its limit, or times out, and clients try again with back-off."
	sc.Finding = "The tail is back-off between attempts: the gateway refused them, and the engine was never long behind."
	sc.Cause = &causeBackoff
	sc.Requests, sc.Load.CycleRequests = 700, 700
	sc.Load.Phases = []Phase{{Share: 0.4, PerSecond: 8}, {Share: 0.25, PerSecond: 60}, {Share: 0.35, PerSecond: 8}}
	sc.Gateway.MaxUpstream, sc.Gateway.TimeoutNS, sc.Gateway.UnaryTimeoutNS = 48, 700*ms, 2600*ms
	sc.Client = Client{Attempts: 6, BackoffNS: 500 * ms}
	return sc
}

func hedging() Scenario {
	sc := base()
	sc.Name = "hedging"
	sc.Summary = "One of two replicas takes no new requests for some seconds at a time; clients send a second request after a wait and keep the first answer."
	sc.Finding = "The tail is the wait before the hedge was sent: the first attempt was stuck on one replica."
	sc.Cause = &causeBackoff
	sc.Requests, sc.Load.CycleRequests = 700, 700
	sc.Replicas = []Replica{{Host: "gpu-a-01"}, {Host: "gpu-a-02", PauseNS: 6 * s, PauseEveryNS: 25 * s}}
	sc.Client = Client{HedgeAfterNS: 2 * s}
	return sc
}

func aborted() Scenario {
	sc := burst()
	sc.Name = "aborted"
	sc.Summary = "A queue builds up, and some clients give up before their answer is complete."
	sc.Finding = "The tail waited in the engine's queue; those who gave up did too, and the engine may have left no trace of them."
	sc.Client = Client{PatienceShare: 0.4, PatienceNS: 2500 * ms, PatienceSigma: 0.3}
	return sc
}

func earlyGateway() Scenario {
	sc := base()
	sc.Name = "early-gateway"
	sc.Summary = "Spans of gateway and clients end with the headers of a streamed response; some answers are long."
	sc.Finding = "The tail is decode of long answers, which goes on after the root span has ended."
	sc.Cause = &causeDecode
	sc.Servers = []Server{VLLM, VLLMV0, SGLang}
	sc.Requests, sc.Load.CycleRequests = 600, 600
	sc.Gateway.EndAtHeaders = true
	essay := chat()
	essay.Name, essay.Share, essay.MaxTokens = "essay", 0.08, 1024
	essay.Output = Tokens{Median: 450, Sigma: 0.3, Min: 250, Max: 900}
	sc.Classes = append(sc.Classes, essay)
	return sc
}
