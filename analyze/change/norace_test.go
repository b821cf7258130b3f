//go:build !race

package change

// raceEnabled says that tests run under the race detector.
const raceEnabled = false
