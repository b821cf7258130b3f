package format

import "github.com/tailpath/tailpath/ingest/serverlog/match"

// attempts are the servers that a gateway tried in turn, as lists of durations with one
// item an attempt.
type attempts struct {
	response, header, connect Slot
	names                     [3]string
	network, upstream, body   Part
}

// place puts the attempts, one behind the other, in front of the span's end. Nothing
// says what lies between the last of them and the end, or between them, so each may be
// off by all that is left over.
func (a *attempts) place(x *instants, reach *int64, out *Result) {
	response, header, connect := items(a.response, x.values), items(a.header, x.values), items(a.connect, x.values)
	var sum, slack int64
	for _, it := range response {
		if it.Kind != match.Duration {
			continue
		}
		if it.Int < 0 || sum+it.Int < sum {
			out.conflict(a.names[0])
			return
		}
		sum += it.Int
		slack += it.Res
	}
	left := x.end - *reach - sum
	if left < 0 && -left > slack+out.Error {
		out.conflict(a.names[0])
		return
	}
	bound := max(left, out.Error)
	at := x.end - sum
	for i, it := range response {
		if it.Kind != match.Duration {
			continue
		}
		end := at + it.Int
		headers, hasHeaders := a.within(header, i, it, 1, out)
		connected, hasConnected := a.within(connect, i, it, 2, out)
		if hasConnected && hasHeaders && connected > headers {
			out.conflict(a.names[2])
			hasConnected = false
		}
		from := at
		if hasConnected {
			a.add(a.network, &from, at+connected, bound, reach, out)
		}
		if hasHeaders {
			a.add(a.upstream, &from, at+headers, bound, reach, out)
			a.add(a.body, &from, end, bound, reach, out)
		} else {
			whole := a.upstream
			whole.Basis = a.body.Basis
			a.add(whole, &from, end, bound, reach, out)
		}
		at = end
	}
	x.last, x.hasLast = *reach, true
}

// add appends the part from *from to end, as far as it lies behind what has been placed.
func (a *attempts) add(label Part, from *int64, end, bound int64, reach *int64, out *Result) {
	begin := max(*from, *reach)
	*from = end
	if end <= begin {
		return
	}
	label.Start, label.End, label.Error = begin, end, bound
	out.Parts = append(out.Parts, label)
	*reach = end
}

// within returns the item of an attempt in one of the inner lists, unless it is longer
// than the attempt.
func (a *attempts) within(list []match.Item, i int, whole match.Item, name int, out *Result) (int64, bool) {
	if i >= len(list) || list[i].Kind != match.Duration {
		return 0, false
	}
	it := list[i]
	if it.Int < 0 || it.Int > whole.Int+it.Res {
		out.conflict(a.names[name])
		return 0, false
	}
	return min(it.Int, whole.Int), true
}

// items returns the durations of a slot: a list, or one.
func items(slot Slot, values []match.Value) []match.Item {
	v := slot.Value(values)
	switch {
	case v == nil:
		return nil
	case v.Kind == match.Duration:
		return []match.Item{{Kind: match.Duration, Int: v.Int, Res: v.Res}}
	case v.Kind == match.List:
		return v.List
	}
	return nil
}
