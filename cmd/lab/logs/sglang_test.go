package logs

import (
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	formats "github.com/tailpath/tailpath/ingest/serverlog/format"
)

// microsecond bounds what two float64 of seconds since 1970 and their difference may be
// off, in ns.
const microsecond = us

// checkSGLang demands every request that ended well with all of its instants, and every
// batch.
func checkSGLang(t *testing.T, e *engineLog) {
	byID := make(map[string]*simulate.Visit)
	for _, v := range e.visits {
		byID[v.EngineID] = v
	}
	told := 0
	sp := &e.set.Spans
	for i := range sp.Len() {
		v := byID[sp.RequestID[i]]
		if v == nil {
			t.Fatalf("a request of an unknown id %q", sp.RequestID[i])
		}
		if v.LastOutput == 0 {
			continue
		}
		told++
		within(t, "start", sp.Start[i], e.shown(v.Arrival), microsecond)
		within(t, "end", sp.End[i], e.shown(v.LastOutput), microsecond)
		within(t, "first token", sp.TTFT[i], e.between(v.Arrival, v.FirstOutput), microsecond)
		parts := e.parts(i)
		within(t, "tokenize", parts["scheduling/tokenize"], e.between(v.Arrival, v.Dispatched), microsecond)
		if len(v.Preemptions) == 0 {
			within(t, "queue", parts["queue/engine"], e.between(v.Queued, v.Scheduled), microsecond)
		}
		switch v.Role {
		case simulate.RoleDecode:
			checkDecoding(t, e, v, parts)
		case simulate.RolePrefill:
			within(t, "prefill", parts["gpu/prefill"], e.between(v.Scheduled, v.PrefillEnd), microsecond)
			within(t, "transfer", parts["transfer/kv"], e.between(v.PrefillEnd, v.LastOutput), microsecond)
			within(t, "handshake", parts["scheduling/ipc"]+parts["queue/admission"], e.between(v.Dispatched, v.Queued), microsecond)
		default:
			within(t, "prefill", parts["gpu/prefill"], e.between(v.Scheduled, v.PrefillEnd), microsecond)
			checkDecoding(t, e, v, parts)
		}
		if sp.PromptTokens[i] != int64(v.PromptTokens) || sp.OutputTokens[i] != int64(v.OutputTokens) || sp.CachedTokens[i] != int64(v.CachedTokens) {
			t.Errorf("tokens are %d, %d and %d", sp.PromptTokens[i], sp.OutputTokens[i], sp.CachedTokens[i])
		}
		if t.Failed() {
			t.Fatalf("visit %+v", *v)
		}
	}
	if want := countFinished(e.visits); told != want {
		t.Errorf("%d requests are told, want %d", told, want)
	}
	checkSGLangBatches(t, e)
}

// checkDecoding demands what is told of a visit around its decoding: all of it unless it
// was thrown out, and until it was if that happened once.
func checkDecoding(t *testing.T, e *engineLog, v *simulate.Visit, parts map[string]int64) {
	begin := v.PrefillEnd
	if v.Role == simulate.RoleDecode {
		begin = v.Scheduled
	}
	switch len(v.Preemptions) {
	case 0:
		within(t, "decode", parts["gpu/decode"], e.between(begin, v.LastOutput), microsecond)
		within(t, "before the queue", parts["scheduling/ipc"]+parts["queue/admission"]+parts["transfer/kv"], e.between(v.Dispatched, v.Queued), microsecond)
		return
	case 1:
		within(t, "decode", parts["gpu/decode"], e.between(begin, v.Preemptions[0][0]), microsecond)
		within(t, "retracted", parts["unattributed/retracted"], e.between(v.Preemptions[0][0], v.LastOutput), microsecond)
	default:
		within(t, "retracted", parts["unattributed/retracted"], e.between(begin, v.LastOutput), microsecond)
	}
	if v.Role != simulate.RoleDecode {
		within(t, "ipc and queue", parts["unattributed/ipc and queue"], e.between(v.Dispatched, v.Scheduled), microsecond)
	}
}

func countFinished(visits []*simulate.Visit) (n int) {
	for _, v := range visits {
		if v.LastOutput > 0 {
			n++
		}
	}
	return n
}

func checkSGLangBatches(t *testing.T, e *engineLog) {
	var prefills, decodes int
	var tokens, thrown, waiting, pending float64
	for _, st := range e.engine.Log.Steps {
		if st.PrefillTokens > 0 {
			prefills++
			tokens += float64(st.PrefillTokens)
			waiting += float64(st.Waiting)
			for _, v := range e.visits {
				if w := e.waits(v, st.StartNS); w {
					pending += float64(v.PromptTokens)
				}
			}
		} else if decodes++; decodes%decodeInterval == 0 {
			waiting += float64(st.Waiting)
		}
	}
	for _, v := range e.visits {
		thrown += float64(len(v.Preemptions))
	}
	for _, x := range []struct {
		metric string
		lines  int
		sum    float64
	}{
		{"batch_prefill_tokens", prefills, tokens}, {"waiting", prefills + decodes/decodeInterval, waiting},
		{"pending_tokens", prefills, pending}, {"preemptions", -1, thrown}, {"kv_tokens", decodes / decodeInterval, -1},
	} {
		_, got := e.readings(x.metric)
		if x.lines >= 0 && len(got) != x.lines || x.sum >= 0 && total(got) != x.sum {
			t.Errorf("%s: %d lines with %v in all, want %d with %v", x.metric, len(got), total(got), x.lines, x.sum)
		}
	}
}

// waits reports whether a visit waits for the engine at an instant.
func (e *engineLog) waits(v *simulate.Visit, at int64) bool {
	over := func(until int64) bool { return until > 0 && until <= at }
	if v.Queued == 0 || v.Queued > at || over(letGo(v)) {
		return false
	}
	for _, x := range v.Preemptions {
		if x[0] <= at && !over(x[1]) {
			return true
		}
	}
	return !over(v.Scheduled)
}

// TestSplit reads the lines of requests that two SGLang servers serve: the same times by
// the log and by the spans of the one that computes the prompt and of the other.
func TestSplit(t *testing.T) {
	sc, err := simulate.Lookup("split-prefill")
	if err != nil {
		t.Fatal(err)
	}
	c := run(t, sc, simulate.SGLang, 80)
	format := builtin(t, "sglang")
	scratch := format.NewScratch()
	for i, f := range write(t, c, "sglang") {
		e := &engineLog{c: c, host: f.Host, engine: &c.Engines[i], visits: reachedEngine(c, i)}
		byID := make(map[string]*simulate.Visit)
		for _, v := range e.visits {
			byID[v.EngineID] = v
		}
		told := 0
		for _, line := range textLines(f) {
			r, _, _ := format.Match(&formats.Line{Text: []byte(line)}, scratch)
			if r == nil || r.ID != "time-stats-prefill" && r.ID != "time-stats-decode" {
				continue
			}
			told++
			_, fields := values(t, format, scratch, line)
			v := byID[string(fields["request_id"].Text)]
			if string(fields["role"].Text) != v.Role || fields["room"].Int == 0 {
				t.Errorf("role and room in\n%s", line)
			}
			entry, boot := fields["entry"].Int, fields["bootstrap"].Int
			within(t, "entry", entry, e.shown(v.Dispatched), 100*ms)
			within(t, "queue", fields["waited"].Int, e.between(v.Queued, v.Scheduled), 6*us)
			switch v.Role {
			case simulate.RolePrefill: // the queue begins where the bootstrap ends
				within(t, "bootstrap", entry+boot, e.shown(v.Queued), ms)
				within(t, "forward", fields["forwarded"].Int, e.between(v.Scheduled, v.KVEnd), 6*us)
			case simulate.RoleDecode: // and here where the transfer ends
				within(t, "transfer", entry+boot+fields["transferred"].Int, e.shown(v.KVEnd), ms)
				within(t, "forward", fields["forwarded"].Int, e.between(v.Scheduled, v.LastToken), 6*us)
			}
			if boot <= 0 || t.Failed() {
				t.Fatalf("visit %+v\n%s", *v, line)
			}
		}
		if want := countFinished(e.visits); told != want || want == 0 {
			t.Errorf("%s: %d lines, want %d", f.Name, told, want)
		}
	}
}
