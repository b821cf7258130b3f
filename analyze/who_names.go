package analyze

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// The reasons for which a field is not tested.
const (
	LeftOutTime    = "it measures time, which is what slow means"
	LeftOutChosen  = "requests are chosen by it"
	LeftOutOutcome = "it says what slow requests waited for"
	LeftOutName    = "it names one request"
	LeftOutSampler = "a sampler left it, which may have looked at how long requests took"
)

var missingNumber = math.NaN()

// notTested returns why a field cannot tell who is slow; empty when it may.
func notTested(name string, d Field) string {
	if d.built == nil {
		switch {
		case slices.Contains(samplerMarks, name) || strings.HasPrefix(name, "tailsampling.") || strings.HasPrefix(name, "meta.refinery."):
			return LeftOutSampler
		case measuresTime(name, false):
			return LeftOutTime
		}
		return ""
	}
	switch name {
	case "status", "class":
		return LeftOutChosen
	case "cause":
		return LeftOutOutcome
	case "trace_id", "request_id":
		return LeftOutName
	}
	if d.built.unit == unitTime || d.built.unit == unitRate {
		return LeftOutTime
	}
	return ""
}

// wordsOf splits the key of an attribute into words, in lower case: at what is neither a letter nor
// a digit, and before a capital letter behind a small one.
func wordsOf(key string) []string {
	var b strings.Builder
	small := false
	for _, r := range key {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case small && unicode.IsUpper(r):
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

var (
	// timeWords are in the keys of what measures time, whatever its values look like.
	timeWords = []string{"latency", "latencies", "duration", "elapsed", "ttft", "tpot", "itl", "e2e", "timestamp"}
	// timeUnits are in the keys of what measures time if its values are numbers.
	timeUnits = []string{
		"time", "ns", "nanos", "nanoseconds", "us", "micros", "microseconds", "ms", "msec", "millis", "milliseconds",
		"sec", "secs", "seconds", "unix",
	}
	// settingWords are in the keys of what was asked for and not measured.
	settingWords = []string{"timeout", "deadline", "limit", "max", "min", "ttl", "interval", "budget", "target", "slo"}
	// labelWords end the keys of numbers that are names and no amounts.
	labelWords = []string{
		"id", "ids", "index", "idx", "rank", "shard", "port", "number", "code", "gpu", "device", "replica", "worker", "partition", "pid", "slot", "node", "zone", "version",
	}
)

// measuresTime reports whether an attribute is a time that was measured, by its key. The
// servers' own latency attributes say how slow a request was in other words.
func measuresTime(key string, number bool) bool {
	words := wordsOf(key)
	has := func(of []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
	}
	return !has(settingWords) && (has(timeWords) || number && has(timeUnits))
}

// isLabel reports whether the numbers of an attribute are names: a range of shards says
// nothing, and one shard may.
func isLabel(key string) bool {
	words := wordsOf(key)
	return len(words) > 0 && slices.Contains(labelWords, words[len(words)-1])
}
