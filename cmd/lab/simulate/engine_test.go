package simulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// cramped draws a scenario whose engine runs out of everything: slots, tokens per
// step and, often, key-value blocks.
func cramped(t *rapid.T) Scenario {
	sc := Scenarios()[rapid.IntRange(0, len(Scenarios())-1).Draw(t, "scenario")]
	sc.Name += "-cramped"
	sc.Classes = []Class{chat()}
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: rapid.Float64Range(2, 80).Draw(t, "rate")}}
	sc.Engine.Slots = rapid.IntRange(1, 24).Draw(t, "slots")
	sc.Engine.TokensPerStep = rapid.IntRange(sc.Engine.Slots, 1200).Draw(t, "tokens per step")
	sc.Engine.Blocks = rapid.IntRange(115, 600).Draw(t, "blocks")
	sc.Batcher.Instances = rapid.IntRange(1, 3).Draw(t, "instances")
	return sc
}

// drawEngine runs a cramped scenario on a server.
func drawEngine(t *rapid.T) (Scenario, *Capture) {
	sc := cramped(t)
	server := rapid.SampledFrom(serversOf(sc)).Draw(t, "server")
	c, err := Run(sc, rapid.Uint64().Draw(t, "seed"), Options{Server: server, Requests: rapid.IntRange(1, 120).Draw(t, "requests")})
	if err != nil {
		t.Fatal(err)
	}
	return sc, c
}

// waited is a visit's wait in its engine's queue by its own stamps, in ns, and whether
// it was ever in the queue. What was given up there waited until then.
func (v *Visit) waited() (ns int64, ok bool) {
	from, to := v.Queued, v.Scheduled
	if v.QueueStart > 0 {
		from, to = v.QueueStart, v.ComputeStart
	}
	if from == 0 {
		return 0, false
	}
	if to == 0 {
		to = max(v.ServerEnd, from)
	}
	return to - from, true
}

// TestLittlesLaw compares two books: each engine's own count of waiting requests,
// integrated over time, and the waits by the requests' stamps.
func TestLittlesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := drawEngine(t)
		until := epochNS
		wait := make([]float64, len(c.Engines))
		for _, v := range c.Visits {
			until = max(until, v.GatewayEnd, v.ServerEnd)
			ns, _ := v.waited()
			wait[v.Replica] += float64(ns)
		}
		for i, e := range c.Engines {
			waiting := e.Log.MeanWaiting(epochNS, until)
			if want := wait[i] / float64(until-epochNS); math.Abs(waiting-want) > 1e-9*(1+waiting) {
				t.Fatalf("engine %d: %v waiting on average, but rate times mean wait is %v", i, waiting, want)
			}
		}
	})
}

// TestQueueLogIsABook checks that each visit that queued enters and leaves once, at
// the engine that served it, and no other does.
func TestQueueLogIsABook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := drawEngine(t)
		for replica, engine := range c.Engines {
			entered, left := make([]int, len(c.Visits)), make([]int, len(c.Visits))
			for _, e := range engine.Log.Queue {
				if e.Change > 0 {
					entered[e.Visit]++
				} else {
					left[e.Visit]++
				}
			}
			for i, v := range c.Visits {
				want := 0
				if _, ok := v.waited(); ok && v.Replica == replica {
					want = 1
				}
				if entered[i] != want || left[i] != want {
					t.Fatalf("visit %d entered engine %d %d times and left %d times, want %d", i, replica, entered[i], left[i], want)
				}
			}
		}
	})
}

// TestEngineIsWorkConserving checks both ways of wasting the GPU: a step that
// leaves out a request that would fit, and a pause although there is work. A replica
// that declares pauses wastes by declaration.
func TestEngineIsWorkConserving(t *testing.T) {
	preempted := 0
	rapid.Check(t, func(t *rapid.T) {
		sc, c := drawEngine(t)
		for i := range c.Engines {
			if sc.replicas()[i].PauseNS > 0 {
				continue
			}
			if c.Header.Server == Triton {
				checkTritonConserves(t, sc, c, &c.Engines[i].Log)
				continue
			}
			preempted += checkSteps(t, sc, c.Header.Server, &c.Engines[i].Log)
			checkNoPause(t, sc, c, i)
		}
	})
	if preempted == 0 {
		t.Error("no step had to preempt: memory was never tested")
	}
}

// checkSteps checks every step of an engine and counts those that preempted.
func checkSteps(t *rapid.T, sc Scenario, server Server, log *EngineLog) (preempted int) {
	rule := policies[server]
	for i, st := range log.Steps {
		if st.EndNS <= st.StartNS || st.PrefillTokens+st.Decodes == 0 {
			t.Fatalf("step %d does nothing: %+v", i, st)
		}
		if st.Running > sc.Engine.Slots || st.FreeBlocks < 0 || sc.Engine.Prefills > 0 && st.Prefills > sc.Engine.Prefills {
			t.Fatalf("step %d takes more than there is: %+v", i, st)
		}
		if rule.chunked && !sc.Engine.Unchunked && st.PrefillTokens+st.Decodes > sc.Engine.TokensPerStep {
			t.Fatalf("step %d takes more tokens than allowed: %+v", i, st)
		}
		if !rule.mixed && st.PrefillTokens > 0 && st.Decodes > 0 {
			t.Fatalf("step %d mixes prefill and decode: %+v", i, st)
		}
		if st.Preempted {
			preempted++
			continue
		}
		noTokens := st.FreeTokens == 0 || st.HeadTokens > st.FreeTokens || sc.Engine.Prefills > 0 && st.Prefills == sc.Engine.Prefills
		if !rule.mixed && st.PrefillTokens == 0 {
			noTokens = false // a decode step uses none of the prefill's tokens
		}
		if st.Waiting > 0 && st.FreeSlots > 0 && !noTokens && st.HeadBlocks <= st.FreeBlocks {
			t.Fatalf("step %d leaves out a request that fits: %+v", i, st)
		}
	}
	return preempted
}

// checkNoPause requires that each step begins as soon as the one before it has
// ended and a request is there, but for what the loop itself costs.
func checkNoPause(t *rapid.T, sc Scenario, c *Capture, engine int) {
	f, log := sc.Frontend, &c.Engines[engine].Log
	loop := sc.Engine.LoopNS
	if policies[c.Header.Server].hostInLoop {
		loop += f.OutputNS + int64(sc.Engine.Slots)*(f.DetokenizeNS+f.FinishNS)
	}
	held := int64(0) // taken note of before they are enlisted
	if sc.Split.on() {
		held = int64(len(c.Truth))
	}
	before := sc.Cold.readyNS()
	for i, st := range log.Steps {
		ready, taken := int64(math.MaxInt64), held
		for _, e := range log.Received {
			if log.done[e.Visit] <= before {
				continue
			}
			ready = min(ready, max(before, e.AtNS))
			if e.AtNS <= st.StartNS {
				taken++
			}
		}
		if pause, most := st.StartNS-ready, loop+taken*sc.Engine.AddNS; pause < 0 || pause > most {
			t.Fatalf("step %d begins %d ns after it could have begun, the loop explains %d", i, pause, most)
		}
		before = st.EndNS
	}
}

func checkTritonConserves(t *rapid.T, sc Scenario, c *Capture, log *EngineLog) {
	for _, x := range c.Truth {
		if delay := x.DetailsNS.Get("queue/batch_delay"); delay > sc.Batcher.MaxDelayNS {
			t.Fatalf("a request waited %d ns for its batch beside a free instance, allowed are %d", delay, sc.Batcher.MaxDelayNS)
		}
	}
	for i, st := range log.Steps {
		if st.Decodes > sc.Batcher.MaxBatch {
			t.Fatalf("batch %d has %d requests", i, st.Decodes)
		}
	}
}

// TestPreemptionStaysWhereTheEngineLeavesIt makes memory so short that requests are
// preempted and requires that their lost time is in the gpu stage, as the engines'
// stamps have it, but for SGLang, whose spans show it.
func TestPreemptionStaysWhereTheEngineLeavesIt(t *testing.T) {
	for _, server := range []Server{VLLM, VLLMV0, SGLang, TGI} {
		sc := lookup(t, "healthy")
		sc.Engine.Blocks = 200
		hit := 0
		for _, x := range mustRun(t, sc, 1, Options{Server: server, Requests: 300}).Truth {
			if x.PreemptedNS > 0 {
				hit++
			}
			shown := int64(0)
			if server == SGLang {
				shown = x.PreemptedNS
			}
			if got := x.DetailsNS.Get("queue/preempted"); got != shown {
				t.Fatalf("%s: preempted for %d ns, of which %d show", server, x.PreemptedNS, got)
			}
			if x.PreemptedNS < 0 || shown == 0 && x.PreemptedNS >= x.StagesNS[StageGPU] {
				t.Fatalf("%s: preempted for %d ns of %d on the GPU", server, x.PreemptedNS, x.StagesNS[StageGPU])
			}
		}
		if hit == 0 {
			t.Errorf("%s: nothing was preempted", server)
		}
	}
	for _, sc := range Scenarios() {
		hit := 0
		for _, x := range mustRun(t, sc, 1, Options{}).Truth {
			if x.PreemptedNS > 0 {
				hit++
			}
		}
		if short := sc.Name == "preemption" || sc.Name == "kv-full"; (hit > 0) != short {
			t.Errorf("%s: %d requests are preempted", sc.Name, hit)
		}
	}
}

// TestStationIsAnMD1Queue compares a station under Poisson arrivals and constant
// service with the Pollaczek-Khinchine formula: mean wait = rho*d / (2*(1-rho)).
func TestStationIsAnMD1Queue(t *testing.T) {
	const jobs = 200_000
	for _, rho := range []float64{0.3, 0.6, 0.8} {
		r := rand.New(rand.NewPCG(1, math.Float64bits(rho)))
		c := &clock{}
		st := newStation(c, 1)
		need, at, wait := 1*ms, int64(0), 0.0
		for range jobs {
			at += exponential(r, rho*float64(s)/float64(need))
			c.at(at, func(arrived int64) {
				st.submit(job{need: need, begin: func(begun int64) { wait += float64(begun - arrived) }})
			})
		}
		c.run()
		want := rho * float64(need) / (2 * (1 - rho))
		if got := wait / jobs; math.Abs(got-want) > 0.05*want {
			t.Errorf("load %.1f: mean wait %.0f ns, the formula gives %.0f", rho, got, want)
		}
	}
}
