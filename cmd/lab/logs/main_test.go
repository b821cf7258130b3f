package logs

import (
	"fmt"
	"os"
	"testing"
)

// TestMain leaves the tests out under the race detector: nothing here runs beside anything
// else, and they would take ten times as long. .ci/run has them without it.
func TestMain(m *testing.M) {
	if raceEnabled {
		fmt.Println("left out under the race detector")
		return
	}
	os.Exit(m.Run())
}
