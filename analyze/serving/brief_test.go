package serving

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestContextOfIsThatOfEverything: a context alone is the one that all of the work gives, but
// for the number of replicas.
func TestContextOfIsThatOfEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		want := Of(c, opt).Context
		want.Replicas = Maybe[int64]{}
		if d := cmp.Diff(want, ContextOf(c, opt)); d != "" {
			t.Fatalf("(-all +alone)\n%s", d)
		}
	})
}
