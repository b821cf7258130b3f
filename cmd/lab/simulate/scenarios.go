package simulate

import (
	"fmt"
	"strings"
)

// Scenarios returns the declared incidents, in the order in which they are
// listed. Each is a value of its own; changing one changes no other.
func Scenarios() []Scenario {
	return []Scenario{healthy(), queueBuildup(), slowPrefill(), slowNetwork(), coldStart(),
		skewedClocks(), driftingClocks(), wrongClock(), localTimeLog(),
		retryStorm(), hedging(), aborted(), earlyGateway(),
		preemptions(), kvFull(), longPromptAhead(), slowReplica(), splitPrefill()}
}

// Lookup returns the scenario of that name. The error lists the names.
func Lookup(name string) (Scenario, error) {
	var names []string
	for _, sc := range Scenarios() {
		if sc.Name == name {
			return sc, nil
		}
		names = append(names, sc.Name)
	}
	return Scenario{}, fmt.Errorf("unknown scenario %q: choose one of %s", name, strings.Join(names, ", "))
}

// base is an ordinary day: steady load well within capacity, short prompts,
// answers of similar length, two regions with good links. The incidents differ
// from it in what they name.
func base() Scenario {
	return Scenario{
		Requests: 1100,
		Load:     Load{CycleRequests: 1100, Phases: []Phase{{Share: 1, PerSecond: 8}}},
		Classes:  []Class{chat()},
		Routes:   []Route{region("eu-west-1", 2, 9*ms), region("us-east-1", 1, 24*ms)},
		Gateway: Gateway{Workers: 4, WorkNS: 450 * us, WorkSigma: 0.5, ForwardNS: 35 * us,
			Up: rack(), Down: rack()},
		Frontend: Frontend{Tokenizers: 1, HandleNS: 120 * us, TokenizeNS: 300 * us, TokenizeTokenNS: 900, DispatchNS: 80 * us,
			IPCNS: 150 * us, OutputNS: 60 * us, DetokenizeNS: 18 * us, FinishNS: 90 * us, FlushNS: 30 * us},
		Engine: Engine{Slots: 32, TokensPerStep: 2048, BlockTokens: 16, Blocks: 28_000, AddNS: 15 * us, LoopNS: 40 * us,
			ScheduleNS: 120 * us, ScheduleSeqNS: 4 * us, StepNS: 8 * ms, PrefillNS: 26 * us, DecodeSeqNS: 120 * us, StepSigma: 0.02},
		Batcher: Batcher{Instances: 4, MaxBatch: 8, MaxDelayNS: 5 * ms, Threads: 8, ParseNS: 180 * us, ResponseNS: 60 * us,
			InputNS: 150 * us, InputTokenNS: 20, OutputNS: 90 * us, OutputSeqNS: 8 * us, GRPCShare: 0.3},
	}
}

// chat is a short conversation.
func chat() Class {
	return Class{Name: "chat", Share: 1, Prompt: Tokens{Median: 420, Sigma: 0.5, Min: 32, Max: 1600},
		Output: Tokens{Median: 80, Sigma: 0.2, Min: 24, Max: 160}, MaxTokens: 256}
}

// region is a route over a good link of the given propagation time in ns.
func region(name string, share float64, propagation int64) Route {
	link := Link{PropagationNS: propagation, JitterNS: 2 * ms, JitterSigma: 0.6, BytesPerSecond: 6_000_000}
	return Route{Region: name, Share: share, Up: link, Down: link, ConnectShare: 0.05}
}

// rack is a link inside a data centre.
func rack() Link {
	return Link{PropagationNS: 180 * us, JitterNS: 40 * us, JitterSigma: 0.5, BytesPerSecond: 1_000_000_000}
}

func healthy() Scenario {
	sc := base()
	sc.Name = "healthy"
	sc.Summary = "Steady load below capacity, answers of similar length, ordinary jitter on the way."
	sc.Finding = "No cause dominates: the slow requests are slow for several small reasons."
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 14}}
	sc.Classes[0].Output = Tokens{Median: 48, Sigma: 0.075, Min: 36, Max: 62}
	sc.Engine.Slots = 14
	for i := range sc.Routes {
		jittery(&sc.Routes[i].Up)
		jittery(&sc.Routes[i].Down)
	}
	return sc
}

// jittery gives a link the jitter of a busy but sound wide-area path.
func jittery(l *Link) { l.JitterNS, l.JitterSigma = 16*ms, 0.75 }

func queueBuildup() Scenario {
	sc := base()
	sc.Name = "queue-buildup"
	sc.Summary = "Arrivals jump to twice what the engine can serve, then fall back, and the backlog drains."
	sc.Finding = "The tail waited in the engine's queue while all slots were taken; service itself was unchanged."
	sc.Cause = &causeQueue
	sc.Load.Phases = []Phase{{Share: 0.45, PerSecond: 8}, {Share: 0.2, PerSecond: 60}, {Share: 0.35, PerSecond: 8}}
	return sc
}

func slowPrefill() Scenario {
	sc := base()
	sc.Name = "slow-prefill"
	sc.Summary = "One request in sixteen brings a whole document as its prompt."
	sc.Finding = "The tail is prefill of very long prompts, not waiting and not long answers."
	sc.Cause = &causePrefill
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 0.2}}
	document := chat()
	document.Name, document.Share = "document", 0.064
	document.Prompt = Tokens{Median: 48_000, Sigma: 0.45, Min: 24_000, Max: 110_000}
	document.Output = Tokens{Median: 24, Sigma: 0.2, Min: 12, Max: 48}
	sc.Classes = append(sc.Classes, document)
	return sc
}

func slowNetwork() Scenario {
	sc := base()
	sc.Name = "slow-network"
	sc.Summary = "Clients of one region come over a long, lossy link with little bandwidth."
	sc.Finding = "The tail is time on the wire between client and gateway, in one region only."
	sc.Cause = &causeNetwork
	link := Link{PropagationNS: 140 * ms, JitterNS: 60 * ms, JitterSigma: 0.9, LossShare: 0.02, RetransmitNS: 400 * ms,
		BytesPerSecond: 60_000}
	sc.Routes = append(sc.Routes, Route{Region: "ap-south-1", Share: 0.25, Up: link, Down: link, ConnectShare: 0.4})
	return sc
}

func coldStart() Scenario {
	sc := base()
	sc.Name = "cold-start"
	sc.Summary = "A sleeping replica is woken by traffic: it accepts requests at once, but its engine still loads weights, warms up, and compiles kernels on first use."
	sc.Finding = "The first requests waited for the engine to come up, between arrival and its queue; later ones are ordinary."
	sc.Cause = &causeEngineBusy
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 7}}
	sc.Cold = Cold{LoadNS: 11 * s, WarmupNS: 4 * s, KernelNS: 350 * ms}
	return sc
}
