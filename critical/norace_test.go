//go:build !race

package critical

const raceEnabled = false
