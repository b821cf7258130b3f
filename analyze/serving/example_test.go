package serving_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/serving"
)

func ExampleOf() {
	c := serving.Capture{Slots: []serving.Sample{{AtNS: 0, Engine: 0, Value: 1}}}
	for i := range int64(3) {
		c.Requests = append(c.Requests, serving.Request{EndNS: 2e9 * (i + 1), FirstTokenNS: serving.Unknown,
			InputTokens: serving.Unknown, OutputTokens: 100})
		c.Intervals = append(c.Intervals,
			serving.Interval{FromNS: 0, ToNS: 2e9 * i, What: serving.Queue},
			serving.Interval{FromNS: 2e9 * i, ToNS: 2e9*i + 18e8, What: serving.Host},
			serving.Interval{FromNS: 2e9*i + 18e8, ToNS: 2e9 * (i + 1), What: serving.GPU})
	}
	r := serving.Of(c, serving.Options{Recorded: serving.Everything})
	fmt.Println(r.Engines[0].Busy(), r.Engines[0].IdleWaiting())
	fmt.Println(r.Output, r.Whole.OutputRate(r.Output))
	for _, row := range r.Table.Rows[:3] {
		fmt.Println(row.Signature, row.Speaks)
		for _, f := range row.Figures {
			fmt.Println(" ", f)
		}
	}
	fmt.Println(r.Table.Verdict.Kind, r.Table.Verdict.Signature)
	// Output:
	// 0.1 0.9
	// tokens_of_completed 50
	// no-saturation against
	//   idle_while_waiting 0.9 (below 0.05; n 3 requests): against
	//   mean_in_flight_while_work_is_present 2 (below 2; n 3 requests): against
	// gateway-limit against
	//   gateway_share_of_waiting 0 (at least 0.5; n 3 requests): against
	//   gateway_share_of_request_time 0 (at least 0.1; n 3 requests): against
	//   engine_queue_occupied 0.667 (below 0.1; n 3 requests): against
	// slots-full for
	//   queue_share_of_request_time 0.5 (at least 0.1; n 3 requests): for
	//   slots_full_while_queued 1 (at least 0.5; n 3 requests): for
	//   busy_while_queued 0.1 (below 0.9; n 3 requests): for
	// answered slots-full
}

func ExampleComparable() {
	a := serving.Context{Model: serving.Is("a-70b"), GPUCount: serving.Is(int64(2))}
	b := serving.Context{Model: serving.Is("a-70b"), GPUCount: serving.Is(int64(4))}
	l := serving.Comparable(a, b)
	fmt.Println(l.Alike())
	fmt.Println(l.Unlike[0])
	fmt.Println(l.Untold[0])
	// Output:
	// false
	// the GPU count is 2 in the first and 4 in the second
	// the median of input tokens of neither is known
}
