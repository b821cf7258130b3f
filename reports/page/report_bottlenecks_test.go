package page

import (
	"slices"
	"testing"
)

// TestABottleneckHasTheIDThatItKeeps: a link to one is of its id, not of its place in the list,
// and two of a hostile document have two.
func TestABottleneckHasTheIDThatItKeeps(t *testing.T) {
	of := func(ids ...string) (out []string) {
		d := richReport(t)
		list := d.Report.Bottlenecks
		d.Report.Bottlenecks = nil
		for i, id := range ids {
			x := list[i%len(list)]
			x.ID = id
			d.Report.Bottlenecks = append(d.Report.Bottlenecks, x)
		}
		for _, s := range Of(d, Options{}).Sections {
			for _, x := range s.Blocks {
				if x, is := x.(Labelled); is && x.ID != "" {
					out = append(out, x.ID)
				}
			}
		}
		return out
	}
	if got, want := of("queue-engine-1a2b3c", "gpu-prefill-4d5e6f"), []string{"bottleneck-queue-engine-1a2b3c", "bottleneck-gpu-prefill-4d5e6f"}; !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
	if got, want := of("gpu-prefill-4d5e6f", "queue-engine-1a2b3c"), []string{"bottleneck-gpu-prefill-4d5e6f", "bottleneck-queue-engine-1a2b3c"}; !slices.Equal(got, want) {
		t.Errorf("in another order they are %v, want %v", got, want)
	}
	if got, want := of(`"><x>`, `"><x>`), []string{"bottleneck-x", "bottleneck-x-2"}; !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
}
