//go:build race

package logs

const raceEnabled = true
