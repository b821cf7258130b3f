//go:build race

package curve

// raceEnabled says that tests run under the race detector.
const raceEnabled = true
