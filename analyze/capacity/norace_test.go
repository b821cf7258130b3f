//go:build !race

package capacity

// raceEnabled says that tests run under the race detector.
const raceEnabled = false
