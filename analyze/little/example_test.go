package little_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/little"
)

func ExampleRead() {
	r := little.Read(.19, .5737, 1900, 1)
	fmt.Println(r.Kind)
	fmt.Println(r.Text)
	// Output:
	// slow-over-represented
	// slow requests were kept more often than others: percentiles are too high
}
