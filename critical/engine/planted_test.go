package engine_test

import (
	"encoding/hex"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestPlantedCauses scores the causes of waits of 50 ms and more against the planted ones.
// What is claimed must be so; how much can be claimed depends on what the spans show.
func TestPlantedCauses(t *testing.T) {
	for _, c := range []struct {
		scenario string
		server   simulate.Server
		found    float64 // least share of the waits whose cause is named
	}{
		{"healthy", simulate.VLLM, 0.95}, {"healthy", simulate.Triton, 0.95},
		{"wrong-clock", simulate.VLLM, 0.95}, {"wrong-clock", simulate.Triton, 0.95}, {"wrong-clock", simulate.SGLang, 0.95},
		{"skewed-clocks", simulate.VLLM, 0.9}, {"skewed-clocks", simulate.Triton, 0.85},
		{"cold-start", simulate.Triton, 0.9}, {"aborted", simulate.SGLang, 0.9},
		{"aborted", simulate.VLLM, 0}, // aborted requests leave no span, so nothing is full
		{"preemption", simulate.SGLang, 0.9}, {"preemption", simulate.VLLM, 0},
		{"kv-full", simulate.VLLM, 0}, {"kv-full", simulate.SGLang, 0}, // memory shows in readings alone
		{"long-prompt-ahead", simulate.VLLM, 0.4}, {"long-prompt-ahead", simulate.SGLang, 0.5}, {"long-prompt-ahead", simulate.TGI, 0},
	} {
		sc, err := simulate.Lookup(c.scenario)
		if err != nil {
			t.Error(err)
			continue
		}
		capture := run(t, sc, c.server)
		set := load(t, capture)
		engine.Build(set).Annotate(set)
		want := map[string]string{}
		for _, x := range capture.Truth {
			want[x.TraceID] = x.QueueCause
		}
		seg := &set.Segments
		right, wrong, all := 0, 0, 0
		for i, s := range seg.Stage {
			if stage.Stage(s) != stage.Queue || seg.Target[i] != 0 || seg.Duration[i] < 50_000_000 {
				continue
			}
			all++
			switch got := set.Symbols.Text(seg.Cause[i]); got {
			case want[hex.EncodeToString(seg.TraceID[i][:])]:
				right++
			case "unknown":
			default:
				wrong++
			}
		}
		if all == 0 || float64(right) < c.found*float64(all) || float64(wrong) > 0.01*float64(all) {
			t.Errorf("%s on %s: of %d waits %d are right and %d wrong", c.scenario, c.server, all, right, wrong)
		}
	}
}
