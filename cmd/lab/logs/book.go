package logs

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// Lengths of time in ns.
const (
	us int64 = 1_000
	ms int64 = 1_000_000
	s  int64 = 1_000_000_000
)

// steadyPhaseNS sets a host's steady clock apart from its wall clock, so that what is
// cut to ms on the one is not cut at the same instants as on the other.
const steadyPhaseNS = 345_678

// book is the log of one program on one host while it is written.
type book struct {
	c     *simulate.Capture
	host  string
	zone  *time.Location
	lines []line
}

// line is a line and the true instant, in ns, at which it is written.
type line struct {
	at   int64
	text string
}

func newBook(c *simulate.Capture, host string) *book {
	zone := time.UTC
	if adds := c.Zone[host]; adds != 0 {
		zone = time.FixedZone("", int(adds/s))
	}
	return &book{c: c, host: host, zone: zone}
}

// add writes a line at a true instant.
func (b *book) add(at int64, format string, args ...any) {
	b.lines = append(b.lines, line{at, fmt.Sprintf(format, args...)})
}

// bytes returns the lines in order of writing; those of one instant in the order in which
// they were added.
func (b *book) bytes() []byte {
	slices.SortStableFunc(b.lines, func(x, y line) int {
		switch {
		case x.at < y.at:
			return -1
		case x.at > y.at:
			return 1
		}
		return 0
	})
	size := 0
	for _, l := range b.lines {
		size += len(l.text) + 1
	}
	data := make([]byte, 0, size)
	for _, l := range b.lines {
		data = append(append(data, l.text...), '\n')
	}
	return data
}

// shown is what the host's clock shows at a true instant, ns since 1970.
func (b *book) shown(at int64) int64 { return b.c.Shown(b.host, at) }

// utc and local are shown as a date of UTC and of the host's own zone. A layout with
// fewer digits than ns cuts, as the programs of this package do.
func (b *book) utc(at int64) time.Time   { return time.Unix(0, b.shown(at)).UTC() }
func (b *book) local(at int64) time.Time { return time.Unix(0, b.shown(at)).In(b.zone) }

// wallMS is shown in whole ms, cut.
func (b *book) wallMS(at int64) int64 { return b.shown(at) / ms }

// steadyMS is the host's steady clock in whole ms, cut. Its origin means nothing.
func (b *book) steadyMS(at int64) int64 { return (b.shown(at) + steadyPhaseNS) / ms }

// elapsedMS is from one instant to a later one in whole ms, cut, by a clock of ns.
func (b *book) elapsedMS(from, to int64) int64 { return (b.shown(to) - b.shown(from)) / ms }

// elapsed is from one instant to another in ns.
func (b *book) elapsed(from, to int64) int64 { return b.shown(to) - b.shown(from) }

// unixSeconds is shown as Python's time.time(), a float64 of seconds.
func (b *book) unixSeconds(at int64) float64 { return float64(b.shown(at)) / 1e9 }
