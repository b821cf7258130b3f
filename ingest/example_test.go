package ingest_test

import (
	"context"
	"fmt"

	"github.com/tailpath/tailpath/ingest"
)

func ExampleRead() {
	set, account, report, err := ingest.Read(context.Background(), []string{"testdata/tree"}, ingest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range report.Inputs {
		if in.Problem != nil {
			fmt.Println(in.Problem)
			continue
		}
		fmt.Printf("%s: %s, %d spans, %d logs, %d bad\n", in.Name, in.Format, in.Spans, in.Logs, in.Bad)
	}
	for i, name := range set.Spans.Name {
		fmt.Println(set.Symbols.Text(name), set.Spans.End[i]-set.Spans.Start[i])
	}
	for _, e := range account.Entries() {
		fmt.Printf("%s %d, first at %s:%d\n", e.ID, e.Count, e.First.Source, e.First.Line)
	}
	// Output:
	// testdata/tree/access.txt: this is an nginx or Apache access log in a format without any duration
	// testdata/tree/sub/gateway.jsonl: OTLP JSON lines, 1 spans, 1 logs, 1 bad
	// testdata/tree/vllm.json: OTLP JSON, 1 spans, 0 logs, 0 bad
	// POST /v1/chat 3200000000
	// llm_request 3000000000
	// otlp-bad-span 1, first at testdata/tree/sub/gateway.jsonl:2
	// input-skipped 1, first at testdata/tree/access.txt:0
	// otlp-foreign-id 2, first at testdata/tree/sub/gateway.jsonl:1
	// otlp-text-left-out 1, first at testdata/tree/sub/gateway.jsonl:3
}
