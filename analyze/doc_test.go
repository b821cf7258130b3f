package analyze

import (
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
)

// TestDocumentedExample checks the figures of the package comment.
func TestDocumentedExample(t *testing.T) {
	s := Summarize(tables(tailCase(times(stage.GPU, int(100*ms)), times(stage.Queue, int(900*ms), stage.GPU, int(100*ms)))), Options{})
	if v := s.Verdict; v.Kind != KindLeads || v.Stage.String() != "queue" || v.Share != 1 || s.Duration.Tail.Q.String() != "p90" || s.Duration.Tail.Tail.N != 20 {
		t.Errorf("%s of %s, share %v, tail %s of %d", v.Kind, v.Stage, v.Share, s.Duration.Tail.Q, s.Duration.Tail.Tail.N)
	}
}
