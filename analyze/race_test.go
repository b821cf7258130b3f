//go:build race

package analyze

// raceEnabled says that tests run under the race detector.
const raceEnabled = true
