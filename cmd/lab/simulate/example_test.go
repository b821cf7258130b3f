package simulate_test

import (
	"fmt"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

func ExampleRun() {
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := simulate.Run(sc, 1, simulate.Options{Requests: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	queued := 0
	for _, t := range c.Truth {
		if 2*t.StagesNS[simulate.StageQueue] > t.StagesNS.Sum() {
			queued++
		}
	}
	fmt.Println(c.Header.Cause.Key(), c.Files())
	fmt.Printf("%d of %d requests spent most of their time in the queue\n", queued, len(c.Truth))
	// Output:
	// queue/engine [chat-frontend.jsonl.zst edge-proxy.jsonl.zst vllm-server.jsonl.zst _truth.jsonl.zst]
	// 55 of 500 requests spent most of their time in the queue
}
