//go:build !race

package plant

// raceEnabled says that tests run under the race detector.
const raceEnabled = false
