package tracefile_test

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/ingest/tracefile"
)

// Two spans of Zipkin, one a line, of which the second was cut off.
func Example() {
	text := `{"traceId":"40d54de4e51e735f","id":"a1","kind":"SERVER","name":"post","timestamp":1787227200000000,"duration":1500,"localEndpoint":{"serviceName":"gateway"}}
{"traceId":"40d54de4e51e735f","id":"b2","kind":"CLI`
	set, account := table.NewSet(), &table.Account{}
	d := tracefile.NewDecoder(set, account, "traces.json")
	format := tracefile.Sniff([]byte(text), true)
	if err := d.Read(strings.NewReader(text), format); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%s: %d span\n", format, d.Stats().Spans)
	fmt.Println(set.Spans.End[0]-set.Spans.Start[0], "ns")
	for _, e := range account.Entries() {
		fmt.Printf("%s on line %d: %s\n", e.ID, e.First.Line, e.Detail)
	}
	// Output:
	// Zipkin JSON: 1 span
	// 1500000 ns
	// tracefile-cut-last on line 2: the input ends inside a document
	// tracefile-foreign-id on line 1: an id is not in hex of full length
}
