package logs

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// epochNS is 2026-08-20T12:00:00Z.
const epochNS = 1_787_227_200 * s

// TestVisits makes up visits that end anywhere, on hosts whose clocks are anywhere, and
// demands that every gateway tells each of them and every engine's log can be read.
func TestVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCapture(t)
		checkGateways(t, c)
		for _, kind := range Names(c) {
			for _, f := range write(t, c, kind) {
				readBack(t, c, f)
			}
		}
	})
}

// drawCapture draws a capture of one engine, with up to twelve visits.
func drawCapture(t *rapid.T) *simulate.Capture {
	server := rapid.SampledFrom(simulate.Servers()).Draw(t, "server")
	c := &simulate.Capture{Header: simulate.Header{Server: server, EpochNS: epochNS}}
	for _, host := range []string{"edge-1", "gpu-a-01"} {
		c.Header.Clocks = append(c.Header.Clocks, simulate.HostClock{Host: host,
			OffsetNS: rapid.Int64Range(-9*3600*s, 9*3600*s).Draw(t, "offset"), DriftPPB: rapid.Int64Range(-80_000, 80_000).Draw(t, "drift")})
	}
	c.Zone = map[string]int64{"edge-1": rapid.Int64Range(-24, 28).Draw(t, "zone") * 1800 * s, "gpu-a-01": rapid.Int64Range(-24, 28).Draw(t, "zone") * 1800 * s}
	e := simulate.EngineState{Host: "gpu-a-01", Name: "engine-0", Slots: 8, Blocks: 1000}
	for i := range rapid.IntRange(1, 12).Draw(t, "visits") {
		c.Visits = append(c.Visits, drawVisit(t, server, i))
	}
	at := epochNS
	for range rapid.IntRange(0, 90).Draw(t, "steps") {
		st := simulate.Step{StartNS: at, Running: rapid.IntRange(1, 8).Draw(t, "running"), FreeBlocks: rapid.IntRange(0, 1000).Draw(t, "free")}
		at += rapid.Int64Range(ms, s).Draw(t, "step")
		st.EndNS = at
		if rapid.Bool().Draw(t, "prefills") {
			st.PrefillTokens, st.Prefills = rapid.IntRange(1, 2048).Draw(t, "tokens"), 1
		} else {
			st.Decodes = st.Running
		}
		st.Preempted = rapid.IntRange(0, 9).Draw(t, "preempted") == 0
		e.Log.Steps = append(e.Log.Steps, st)
	}
	c.Engines = []simulate.EngineState{e}
	return c
}

// drawVisit draws a visit: its instants follow each other with gaps of 0 to 3 s, and it
// may be given up, or refused by the gateway, after any of them.
func drawVisit(t *rapid.T, server simulate.Server, i int) simulate.Visit {
	v := simulate.Visit{
		Request: i, RequestID: fmt.Sprintf("6f1c0a9e-0000-4000-8000-%012x", i), EngineID: fmt.Sprintf("engine-id-%d", i),
		ClientAddr: fmt.Sprintf("10.20.1.7:%d", 32768+i), ServerAddr: "10.0.1.5:8000", GatewayHost: "edge-1", ServerHost: "gpu-a-01",
		Region: "eu-west-1", Model: "llm", Path: "/v1/chat/completions", Streaming: server != simulate.Triton && server != simulate.TGI,
		Status: 200, PromptTokens: rapid.IntRange(1, 4000).Draw(t, "prompt"), OutputTokens: rapid.IntRange(1, 300).Draw(t, "output"),
	}
	v.TraceID[0], v.TraceID[15], v.CallerSpan[7] = 0xa0, byte(i+1), byte(i+1)
	at := epochNS + rapid.Int64Range(0, 30*s).Draw(t, "begin")
	fate := rapid.IntRange(0, 60).Draw(t, "fate") // beyond the last instant: all goes well
	refused := fate < 15 && rapid.Bool().Draw(t, "refused")
	n := 0
	next := func(fields ...*int64) {
		n++
		if n > fate && fate < 15 {
			return
		}
		at += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 3*ms), rapid.Int64Range(0, 3*s)).Draw(t, "gap")
		for _, f := range fields {
			*f = at
		}
	}
	v.GatewayStart = at
	next(&v.UpstreamStart)
	next(&v.Connected)
	next(&v.UploadEnd)
	next(&v.Received, &v.Arrival)
	next(&v.Handled, &v.RequestStart)
	next(&v.Tokenized)
	next(&v.Dispatched)
	next(&v.Queued, &v.QueueStart)
	next(&v.Scheduled, &v.ComputeStart, &v.InputEnd)
	next(&v.PrefillEnd, &v.FirstToken)
	if v.Streaming {
		next(&v.FirstOutput, &v.FirstByte)
	}
	next(&v.LastToken, &v.OutputStart, &v.ComputeEnd, &v.RequestEnd)
	next(&v.LastOutput, &v.SendStart)
	next(&v.ServerEnd, &v.SendEnd)
	if !v.Streaming {
		v.FirstByte = v.ServerEnd
	}
	next(&v.UpstreamEnd)
	if fate >= 15 {
		next(&v.GatewayEnd)
		if v.FirstOutput == 0 {
			v.FirstOutput = v.LastOutput
		}
		return v
	}
	at += rapid.Int64Range(0, 2*s).Draw(t, "patience")
	v.GatewayEnd = at
	switch {
	case refused && v.FirstByte == 0:
		v.Status, v.Aborted = 504, v.Received > 0
		if v.UpstreamStart == 0 {
			v.Status = rapid.SampledFrom([]int{429, 503}).Draw(t, "status")
		}
	default:
		v.Aborted, v.AbortedAt, v.Status = true, at, 499
	}
	v.UpstreamEnd, v.LastToken, v.LastOutput, v.RequestEnd = 0, 0, 0, 0
	if v.Received > 0 {
		v.ServerEnd = at
	}
	return v
}
