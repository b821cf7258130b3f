package filter

import "strings"

// Band is the requests between two percentiles, From below To.
type Band struct{ From, To Percent }

// mostBands is how many bands there may be: each is a column of tables and a bar of charts.
const mostBands = 20

// bandsHint says how bands are written.
const bandsHint = "write percentiles from 0 to 100, the lower first, with commas between bands, such as p0-50,50-90,90-99,99-100"

// ParseBands reads bands such as p0-50,50-90,90-99,99-100. They are in ascending order and share
// no request; there may be requests between them that are in none. The p is optional.
func ParseBands(text string) ([]Band, error) {
	var out []Band
	for from := 0; ; {
		part, _, more := strings.Cut(text[from:], ",")
		at := place{from, from + len(part)}
		if word := strings.TrimSpace(part); word != "" {
			at.start += strings.Index(part, word)
			at.end = at.start + len(word)
		}
		band, ok := bandOf(text[at.start:at.end])
		fault := func(what, hint string) error { return &Error{text, at.start, at.end, what, hint} }
		switch n := len(out); {
		case !ok:
			return nil, fault("there is no such band", bandsHint)
		case n == mostBands:
			return nil, fault("there are more than 20 bands", "20 do")
		case n > 0 && band.From.below(out[n-1].To):
			return nil, fault("begins below the end of the band before", "bands are in ascending order, and a request is in one of them")
		}
		out = append(out, band)
		if !more {
			return out, nil
		}
		from += len(part) + 1
	}
}

// bandOf reads one band such as p90-99.
func bandOf(word string) (b Band, ok bool) {
	from, to, is := strings.Cut(strings.TrimPrefix(word, "p"), "-")
	var also bool
	b.From, ok = percent(from)
	b.To, also = percent(strings.TrimPrefix(to, "p"))
	return b, is && ok && also && b.From.below(b.To)
}

// below reports whether a percentile is less than another.
func (p Percent) below(other Percent) bool { return p.Num*other.Den < other.Num*p.Den }
