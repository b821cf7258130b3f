package filter

import "strings"

// Nearest returns the candidate that is most like a word, or "" when none is. Words
// and candidates of any length cost no more than short ones.
func Nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+2
	if len(word) > longestNamed {
		return ""
	}
	for _, c := range candidates {
		if len(c) > longestNearest {
			continue
		}
		d := distance(strings.ToLower(word), c)
		if len(word) > 2 && strings.HasPrefix(c, strings.ToLower(word)) {
			d = 1
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, remove, change or swap with the next
// to get from a to b.
func distance(a, b string) int {
	before, row, next := []int{}, make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, make([]int, len(b)+1)
	}
	return row[len(b)]
}

// longestNamed is the length in bytes from which a word is too long for a misspelling, and
// longestNearest that from which a candidate is too long to be what somebody meant to write.
const (
	longestNamed   = 64
	longestNearest = 4 * longestNamed
)
