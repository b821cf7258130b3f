package tracefile

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestG11TritonDocument has the request that Triton's guide to tracing prints a summary of:
// 3,125,547 ns, of which 2,265,710 went into copying its input to the device. Where the
// overheads lie the summary does not say; half of each is put before and half after.
func TestG11TritonDocument(t *testing.T) {
	const (
		whole, receive, send           = 3125547, 44864, 31413
		httpOverhead, handlerOverhead  = 191969, 107829
		queue, input, infer, output    = 95681, 2265710, 344855, 43226
		handler, compute               = 2857301, 2653791
		overheadBefore, handlingBefore = httpOverhead / 2, handlerOverhead / 2
		began                          = int64(900_000_000_000_000)
	)
	if receive+send+httpOverhead+handlerOverhead+queue+input+infer+output != whole || input+infer+output != compute || handlerOverhead+queue+compute != handler {
		t.Fatal("the figures do not add up")
	}
	ns := map[string]int64{}
	var objects []string
	at := began
	for _, step := range []struct {
		name string
		ns   int64 // since the one before
	}{
		{"HTTP_RECV_START", 0}, {"HTTP_RECV_END", receive}, {"REQUEST_START", overheadBefore}, {"QUEUE_START", handlingBefore},
		{"COMPUTE_START", queue}, {"COMPUTE_INPUT_END", input}, {"COMPUTE_OUTPUT_START", infer}, {"COMPUTE_END", output},
		{"REQUEST_END", handlerOverhead - handlingBefore}, {"HTTP_SEND_START", httpOverhead - overheadBefore}, {"HTTP_SEND_END", send},
	} {
		at += step.ns
		ns[step.name] = at
		objects = append(objects, fmt.Sprintf(`{"id":1,"timestamps":[{"name":%q,"ns":%d}]}`, step.name, at))
	}
	text := `[{"id":1,"model_name":"simple","model_version":1},` + strings.Join(objects, ",") + "]"
	s := summarize(ns)
	if d := cmp.Diff([]int64{whole, receive, send, handler, queue, input, infer, output}, []int64{s.infer, s.receive, s.send, s.request, s.queue, s.input, s.compute, s.output}); d != "" {
		t.Errorf("Triton's formulas (-want +got): %s", d)
	}
	set, account, _ := recordsOf(t, TritonTrace, text)
	set.Canonicalize()
	if err := critical.NewBuilder(set, account, critical.Options{}).Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if set.Requests.Len() != 1 || set.Requests.Duration[0] != whole {
		t.Fatalf("%d requests, the first of %v ns", set.Requests.Len(), set.Requests.Duration)
	}
	got := map[string]int64{}
	seg := &set.Segments
	for i := range seg.Len() {
		if seg.Target[i] == uint8(critical.End) {
			got[stage.Stage(seg.Stage[i]).String()+" "+set.Symbols.Text(seg.Detail[i])] += seg.Duration[i]
		}
	}
	stages := map[string]int64{}
	for name, d := range got {
		stages[strings.Fields(name)[0]] += d
	}
	want := map[string]int64{
		"network": receive, "queue": queue, "gpu": infer, "transfer": input + output + send, "scheduling": httpOverhead + handlerOverhead,
	}
	if d := cmp.Diff(want, stages); d != "" {
		t.Errorf("stages (-want +got): %s\n%v", d, got)
	}
	largest, most := "", int64(0)
	for name, d := range got {
		if d > most {
			largest, most = name, d
		}
	}
	if share := 100 * float64(most) / whole; largest != "transfer h2d" || most != input || math.Abs(share-72.49) > .005 {
		t.Errorf("%s has most: %d ns, %.2f %%", largest, most, share)
	}
	if set.Requests.Stage[stage.Transfer][0] != input+output+send || table.ClassNames[set.Requests.Class[0]] != "complete" {
		t.Errorf("transfer %d ns, %s", set.Requests.Stage[stage.Transfer][0], table.ClassNames[set.Requests.Class[0]])
	}
}
