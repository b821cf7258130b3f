package otlp_test

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

func ExampleDecoder() {
	const input = `{"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"00000000000000a1","name":"good","kind":"SERVER"},
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"not an id","name":"bad"}]}]}]}`
	set, account := table.NewSet(), &table.Account{}
	d := otlp.NewDecoder(set, account, "traces.json")
	defer d.Close()
	form := otlp.Sniff([]byte(input), true)
	if err := d.Read(strings.NewReader(input), form, otlp.Start{Line: 1}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(form, d.Stats().Spans, set.Symbols.Text(set.Spans.Name[0]), table.KindNames[set.Spans.Kind[0]])
	for _, e := range account.Entries() {
		fmt.Printf("%s at %s:%d: %s\n", e.ID, e.First.Source, e.First.Line, e.Detail)
	}
	// Output:
	// OTLP JSON 1 good SERVER
	// otlp-bad-span at traces.json:3: spanId is no id of 8 bytes
}
