//go:build race

package critical

const raceEnabled = true
