package analyze

import (
	"math"
	"testing"
)

func TestMoreIsListedAndNeverLess(t *testing.T) {
	for _, c := range []struct{ listed, usual, want int }{
		{0, 50, 50}, {10, 50, 50}, {50, 50, 50}, {51, 50, 51}, {-1, 50, math.MaxInt},
	} {
		if got := (Options{Listed: c.listed}).MostListed(c.usual); got != c.want {
			t.Errorf("asked for %d, usually %d: %d, want %d", c.listed, c.usual, got, c.want)
		}
		if got := (&Report{opt: Options{Listed: c.listed}}).MostListed(c.usual); got != c.want {
			t.Errorf("of a report asked for %d, usually %d: %d, want %d", c.listed, c.usual, got, c.want)
		}
	}
}
