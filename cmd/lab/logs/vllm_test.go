package logs

import (
	"math"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// TestTransfers reads what vLLM tells of keys and values that come from another server:
// how many, how long they took on average, and who waits for them at a statistics line.
func TestTransfers(t *testing.T) {
	sc, err := simulate.Lookup("split-prefill")
	if err != nil {
		t.Fatal(err)
	}
	c := run(t, sc, simulate.VLLM, 200)
	for i, f := range write(t, c, "vllm") {
		e := &engineLog{readLog: readBack(t, c, f), c: c, host: f.Host, engine: &c.Engines[i], visits: reachedEngine(c, i)}
		want, took := 0, int64(0)
		for _, v := range e.visits {
			if v.Role == simulate.RoleDecode && v.KVEnd > 0 {
				want++
				took += e.between(v.KVStart, v.KVEnd)
			}
		}
		_, n := e.readings("kv_transfers")
		_, mean := e.readings("kv_transfer_time_mean")
		sum := 0.0
		for k := range n {
			sum += n[k] * mean[k]
		}
		if int(total(n)) != want || math.Abs(sum-float64(took)) > float64(want)*1000 {
			t.Errorf("%s tells of %v transfers in %.0f ns, want %d in %d", f.Name, total(n), sum, want, took)
		}
		e.checkDeferred(t)
	}
}

// checkDeferred compares with the requests whose transfer was under way when the last step
// before the line ended; lines of none do not say so.
func (e *engineLog) checkDeferred(t *testing.T) {
	deferred := make(map[int64]float64)
	at, n := e.readings("deferred")
	for i := range at {
		deferred[at[i]] = n[i]
	}
	lines, _ := e.readings("running")
	for k, line := range lines {
		tick := e.c.Header.EpochNS
		for e.second(tick) < line {
			tick += vllmIntervalNS
		}
		last := int64(0)
		for _, st := range e.engine.Log.Steps {
			if st.EndNS <= tick {
				last = st.EndNS
			}
		}
		want := 0.0
		for _, v := range e.visits {
			if v.Role == simulate.RoleDecode && v.KVStart > 0 && v.KVStart <= last && v.KVEnd > last {
				want++
			}
		}
		if deferred[line] != want {
			t.Errorf("line %d: %v requests are deferred, want %v", k, deferred[line], want)
		}
	}
}

// TestPreemptions has three that vLLM's statistics could tell: of a request that ran again,
// of one that was given up before, and of one that ran again and was given up later.
func TestPreemptions(t *testing.T) {
	c := example(simulate.VLLM)
	first := c.Visits[0]
	c.Visits = nil
	for i, back := range []int64{600, 800, 700} {
		v := first
		v.Request, v.EngineID, v.Preemptions = i, "chatcmpl-"+decimal(i), [][2]int64{{epochNS + 500*ms, epochNS + back*ms}}
		if i > 0 {
			v.Aborted, v.AbortedAt, v.Status, v.ServerEnd = true, epochNS+790*ms, 499, epochNS+800*ms
			v.LastOutput, v.RequestEnd = 0, 0
		}
		c.Visits = append(c.Visits, v)
	}
	e := &engineLog{readLog: readBack(t, c, write(t, c, "vllm")[0]), c: c, host: "gpu-a-01"}
	if _, n := e.readings("preemptions"); total(n) != 2 {
		t.Errorf("%v preemptions are told, want 2", n)
	}
}
