package simulate

// The scenarios of this file run short of memory, let requests stand in each other's
// way, or have more than one engine.

var (
	causePreempted = Cause{"queue", "preempted"}
	causeTransfer  = Cause{"transfer", "kv"}
)

func preemptions() Scenario {
	sc := base()
	sc.Name = "preemption"
	sc.Summary = "Short prompts are admitted together and grow long answers, until memory runs out and some must make room and start over."
	sc.Finding = "The tail was thrown out of the running batch and computed again; engines that do not say so show it as decode."
	sc.Cause = &causeDecode
	sc.Causes = map[Server]Cause{SGLang: causePreempted}
	sc.Servers = []Server{VLLM, VLLMV0, SGLang}
	sc.Requests, sc.Load.CycleRequests = 500, 25
	sc.Load.Phases = []Phase{{Share: 0.8, PerSecond: 40}, {Share: 0.2, PerSecond: 0.6}}
	sc.Classes[0].Prompt = Tokens{Median: 90, Sigma: 0.3, Min: 32, Max: 200}
	sc.Classes[0].Output = Tokens{Median: 320, Sigma: 0.1, Min: 200, Max: 480}
	sc.Classes[0].MaxTokens = 512
	sc.Engine.Blocks = 400
	return sc
}

func kvFull() Scenario {
	sc := base()
	sc.Name = "kv-full"
	sc.Summary = "Key-value memory holds a dozen requests although there are slots for 32, and arrivals come in bursts."
	sc.Finding = "The tail waited in the engine's queue for memory, while slots were free."
	sc.Cause = &causeQueue
	sc.Servers = []Server{VLLM, VLLMV0, SGLang}
	sc.Requests, sc.Load.CycleRequests = 600, 600
	sc.Load.Phases = []Phase{{Share: 0.4, PerSecond: 5}, {Share: 0.25, PerSecond: 25}, {Share: 0.35, PerSecond: 5}}
	sc.Classes[0].Prompt = Tokens{Median: 900, Sigma: 0.3, Min: 400, Max: 1600}
	sc.Classes[0].Output = Tokens{Median: 60, Sigma: 0.2, Min: 24, Max: 110}
	sc.Engine.Blocks = 900
	return sc
}

func longPromptAhead() Scenario {
	sc := base()
	sc.Name = "long-prompt-ahead"
	sc.Summary = "Requests want one token each, one in six has a very long prompt, and the engine computes one whole prompt at a time."
	sc.Finding = "The tail waited in the engine's queue behind long prompts, while slots and memory were free."
	sc.Cause = &causeQueue
	sc.Servers = []Server{VLLM, VLLMV0, SGLang, TGI}
	sc.Requests, sc.Load.CycleRequests = 600, 600
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 6}}
	sc.Classes[0].Output = Tokens{Median: 1, Min: 1, Max: 1}
	document := chat()
	document.Name, document.Share = "document", 0.2
	document.Prompt = Tokens{Median: 24_000, Sigma: 0.25, Min: 16_000, Max: 48_000}
	document.Output = sc.Classes[0].Output
	sc.Classes = append(sc.Classes, document)
	sc.Engine.TokensPerStep, sc.Engine.Unchunked, sc.Engine.Prefills = 100_000, true, 1
	return sc
}

func slowReplica() Scenario {
	sc := base()
	sc.Name = "slow-replica"
	sc.Summary = "The gateway takes turns between two replicas, and the GPU of one takes more than twice as long for everything."
	sc.Finding = "The tail is decode on one host; the other one's requests are ordinary."
	sc.Cause = &causeDecode
	sc.Requests, sc.Load.CycleRequests = 600, 600
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 6}}
	sc.Replicas = []Replica{{Host: "gpu-a-01"}, {Host: "gpu-a-02", SlowPercent: 230}}
	return sc
}

func splitPrefill() Scenario {
	sc := base()
	sc.Name = "split-prefill"
	sc.Summary = "Prompts are computed on one host and answers on another; keys and values of long prompts take long to move."
	sc.Finding = "The tail is the transfer between the two hosts, which vLLM's decoding engine shows as time in its queue."
	sc.Cause = &causeQueue
	sc.Causes = map[Server]Cause{SGLang: causeTransfer}
	sc.Servers = []Server{VLLM, SGLang}
	sc.Requests, sc.Load.CycleRequests = 500, 500
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 2}}
	document := chat()
	document.Name, document.Share = "document", 0.07
	document.Prompt = Tokens{Median: 20_000, Sigma: 0.3, Min: 12_000, Max: 50_000}
	sc.Classes = append(sc.Classes, document)
	sc.Split = Split{PrefillHost: "gpu-p-01", DecodeHost: "gpu-d-01", KVNS: 2 * ms, KVTokenNS: 130 * us, HandshakeNS: 300 * us}
	return sc
}
