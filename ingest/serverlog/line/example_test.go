package line_test

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/table"
)

// Two parts of a container's record, and a colour, make one record with the time of the
// container runtime.
func Example() {
	log := "2026-08-20T12:00:00.5Z stderr P \x1b[32mINFO\x1b[0m 08-20 12:00:00 [async_llm.py:439] Added \n" +
		"2026-08-20T12:00:00.6Z stderr F request cmpl-1.\n"
	account := &table.Account{}
	r := line.NewReader(strings.NewReader(log), account, "pod.log", line.Options{})
	for l, ok := r.Next(); ok; l, ok = r.Next() {
		fmt.Printf("line %d, %d ns: %s\n", l.Line, l.Time, l.Text)
	}
	fmt.Println(r.Err(), r.Stats().Physical, r.Stats().Records)
	// Output:
	// line 1, 1787227200500000000 ns: INFO 08-20 12:00:00 [async_llm.py:439] Added request cmpl-1.
	// <nil> 2 1
}
