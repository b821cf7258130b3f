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
	server := rapid.SampledFrom(Servers()).Draw(t, "server")
	c, err := Run(sc, rapid.Uint64().Draw(t, "seed"), Options{Server: server, Requests: rapid.IntRange(1, 120).Draw(t, "requests")})
	if err != nil {
		t.Fatal(err)
	}
	return sc, c
}

// TestLittlesLaw compares two books: the engine's own count of waiting requests,
// integrated over time, and the queue stage of the truth, which comes from the
// requests' stamps. V0 counts its queue from arrival, so its truth has more.
func TestLittlesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := drawEngine(t)
		until, wait := epochNS, 0.0
		for _, x := range c.Truth {
			until = max(until, x.EndNS)
			wait += float64(x.StagesNS[StageQueue])
		}
		span := float64(until - epochNS)
		n := float64(len(c.Truth))
		rate, mean := n/span, wait/n
		waiting := c.Engine.MeanWaiting(epochNS, until)
		if c.Header.Server == VLLMV0 {
			if waiting > rate*mean {
				t.Fatalf("the engine counts %v waiting, the truth only %v", waiting, rate*mean)
			}
			return
		}
		if math.Abs(waiting-rate*mean) > 1e-9*(1+waiting) {
			t.Fatalf("%v waiting on average, but rate times mean wait is %v", waiting, rate*mean)
		}
	})
}

// TestQueueLogIsABook checks that each request enters and leaves once.
func TestQueueLogIsABook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := drawEngine(t)
		entered, left := make([]int, len(c.Truth)), make([]int, len(c.Truth))
		for _, e := range c.Engine.Queue {
			if e.Change > 0 {
				entered[e.Request]++
			} else {
				left[e.Request]++
			}
		}
		for i := range c.Truth {
			if entered[i] != 1 || left[i] != 1 {
				t.Fatalf("request %d entered %d times and left %d times", i, entered[i], left[i])
			}
		}
	})
}

// TestEngineIsWorkConserving checks both ways of wasting the GPU: a step that
// leaves out a request that would fit, and a pause although there is work.
func TestEngineIsWorkConserving(t *testing.T) {
	preempted := 0
	rapid.Check(t, func(t *rapid.T) {
		sc, c := drawEngine(t)
		if c.Header.Server == Triton {
			checkTritonConserves(t, sc, c)
			return
		}
		rule := policies[c.Header.Server]
		for i, st := range c.Engine.Steps {
			if st.EndNS <= st.StartNS || st.PrefillTokens+st.Decodes == 0 {
				t.Fatalf("step %d does nothing: %+v", i, st)
			}
			if st.Running > sc.Engine.Slots || st.FreeBlocks < 0 {
				t.Fatalf("step %d takes more than there is: %+v", i, st)
			}
			if rule.chunked && st.PrefillTokens+st.Decodes > sc.Engine.TokensPerStep {
				t.Fatalf("step %d takes more tokens than allowed: %+v", i, st)
			}
			if !rule.mixed && st.PrefillTokens > 0 && st.Decodes > 0 {
				t.Fatalf("step %d mixes prefill and decode: %+v", i, st)
			}
			if st.Preempted {
				preempted++
				continue
			}
			noTokens := st.FreeTokens == 0 || st.HeadTokens > st.FreeTokens
			if !rule.mixed && st.PrefillTokens == 0 {
				noTokens = false // a decode step uses none of the prefill's tokens
			}
			if st.Waiting > 0 && st.FreeSlots > 0 && !noTokens && st.HeadBlocks <= st.FreeBlocks {
				t.Fatalf("step %d leaves out a request that fits: %+v", i, st)
			}
		}
		checkNoPause(t, sc, c)
	})
	if preempted == 0 {
		t.Error("no step had to preempt: memory was never tested")
	}
}

// checkNoPause requires that each step begins as soon as the one before it has
// ended and a request is there, but for what the loop itself costs.
func checkNoPause(t *rapid.T, sc Scenario, c *Capture) {
	f := sc.Frontend
	loop := sc.Engine.LoopNS
	if policies[c.Header.Server].hostInLoop {
		loop += f.OutputNS + int64(sc.Engine.Slots)*(f.DetokenizeNS+f.FinishNS)
	}
	before := sc.Cold.readyNS()
	for i, st := range c.Engine.Steps {
		ready, taken := int64(math.MaxInt64), int64(0)
		for _, e := range c.Engine.Received {
			if c.Engine.lastToken[e.Request] <= before {
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

func checkTritonConserves(t *rapid.T, sc Scenario, c *Capture) {
	for _, x := range c.Truth {
		if delay := x.DetailsNS.Get("queue/batch_delay"); delay > sc.Batcher.MaxDelayNS {
			t.Fatalf("a request waited %d ns for its batch beside a free instance, allowed are %d", delay, sc.Batcher.MaxDelayNS)
		}
	}
	for i, st := range c.Engine.Steps {
		if st.Decodes > sc.Batcher.MaxBatch {
			t.Fatalf("batch %d has %d requests", i, st.Decodes)
		}
	}
}

// TestPreemptionStaysInsideGPU makes memory so short that requests are preempted
// and requires that their lost time is in the gpu stage, as the engine's stamps
// have it.
func TestPreemptionStaysInsideGPU(t *testing.T) {
	for _, server := range []Server{VLLM, VLLMV0, SGLang, TGI} {
		sc, err := Lookup("healthy")
		if err != nil {
			t.Fatal(err)
		}
		sc.Engine.Blocks = 200
		hit := 0
		for _, x := range mustRun(t, sc, 1, Options{Server: server, Requests: 300}).Truth {
			if x.PreemptedNS > 0 {
				hit++
			}
			if x.PreemptedNS < 0 || x.PreemptedNS >= x.StagesNS[StageGPU] {
				t.Fatalf("%s: preempted for %d ns of %d on the GPU", server, x.PreemptedNS, x.StagesNS[StageGPU])
			}
		}
		if hit == 0 {
			t.Errorf("%s: nothing was preempted", server)
		}
	}
	for _, sc := range Scenarios() {
		for _, x := range mustRun(t, sc, 1, Options{}).Truth {
			if x.PreemptedNS > 0 {
				t.Fatalf("%s: a declared scenario preempts, and nothing says so", sc.Name)
			}
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
