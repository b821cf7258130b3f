package export

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// WriteFolded writes the paths as folded stacks: a line a stack, in byte order, with its frames
// between semicolons and, after a space, its time in ns.
func (p *Paths) WriteFolded(w io.Writer) error {
	sums := map[string]int64{}
	for _, s := range p.stacks {
		frames := make([]string, len(s.frames))
		for i, frame := range s.frames {
			frames[i] = foldedFrame(frame)
		}
		sums[strings.Join(frames, ";")] += s.ns
	}
	out := bufio.NewWriter(w)
	for _, line := range slices.Sorted(maps.Keys(sums)) {
		out.WriteString(line)
		out.WriteByte(' ')
		out.WriteString(strconv.FormatInt(sums[line], 10))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// foldedFrame makes a frame one word without a semicolon.
func foldedFrame(frame string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ','
		case unicode.IsSpace(r):
			return '_'
		}
		return r
	}, frame)
}
