package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// nearest is what the segments say of every request, by row of the requests table.
type nearest struct {
	span  []int32     // row of the span nearest the engine; -1 when there is none
	cause []table.Sym // that the request waited for longest; 0 for none
}

// findNearest goes over the segments once. Of equally long segments the earlier counts,
// then that of the lower span row, so that the order of the table does not matter.
func findNearest(set *table.Set) nearest {
	req, seg := &set.Requests, &set.Segments
	n := nearest{span: make([]int32, req.Len()), cause: make([]table.Sym, req.Len())}
	best := make([]int32, req.Len()) // segment of the span; -1 for none
	for i := range best {
		best[i] = -1
	}
	better := func(a, b int32) bool { // a is nearer the engine than b
		return cmp.Or(
			cmp.Compare(seg.Stage[a], seg.Stage[b]), // the GPU comes after the queue in path order
			cmp.Compare(seg.Duration[a], seg.Duration[b]),
			cmp.Compare(seg.Start[b], seg.Start[a]),
			cmp.Compare(seg.SpanRow[b], seg.SpanRow[a])) > 0
	}
	var waits []wait
	for i := range seg.Len() {
		s, row := stage.Stage(seg.Stage[i]), seg.RequestRow[i]
		if critical.Target(seg.Target[i]) != critical.End || s != stage.GPU && s != stage.Queue || row < 0 || int(row) >= len(best) {
			continue
		}
		if s == stage.Queue && seg.Cause[i] != 0 {
			waits = append(waits, wait{row, seg.Cause[i], seg.Duration[i]})
		}
		if seg.SpanRow[i] >= 0 && int(seg.SpanRow[i]) < set.Spans.Len() && (best[row] < 0 || better(int32(i), best[row])) {
			best[row] = int32(i)
		}
	}
	for row, i := range best {
		switch root := req.RootRow[row]; {
		case i >= 0:
			n.span[row] = seg.SpanRow[i]
		case root >= 0 && int(root) < set.Spans.Len():
			n.span[row] = root
		default:
			n.span[row] = -1
		}
	}
	longestCauses(set, waits, n.cause)
	return n
}

// wait is one wait of a request for a cause.
type wait struct {
	row   int32
	cause table.Sym
	ns    int64
}

// longestCauses fills in the cause that each request waited for longest, the first by
// name among equals.
func longestCauses(set *table.Set, waits []wait, cause []table.Sym) {
	slices.SortFunc(waits, func(a, b wait) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.cause, b.cause)) })
	for i := 0; i < len(waits); {
		row, most := waits[i].row, int64(-1)
		for i < len(waits) && waits[i].row == row {
			of, ns := waits[i].cause, int64(0)
			for ; i < len(waits) && waits[i].row == row && waits[i].cause == of; i++ {
				ns += waits[i].ns
			}
			if ns > most || ns == most && set.Symbols.Text(of) < set.Symbols.Text(cause[row]) {
				most, cause[row] = ns, of
			}
		}
	}
}

// place is where a process ran, as people call it.
type place struct{ host, instance string }

// findPlaces finds the place of every scope. A host goes by its name, else by that of its
// pod: its id is for machines, and serves when nothing else is there; last comes the
// instance. An instance that is no name of its own, such as a process id, is told with its
// host, since every host may have one like it.
func findPlaces(set *table.Set) []place {
	out := make([]place, set.Scopes.Len())
	for i := range out {
		attribute := func(name string) string {
			key, known := set.Symbols.Lookup(name)
			if !known {
				return ""
			}
			v, _ := set.Scopes.ResourceAttributes.Get(i, key)
			text, _ := v.Scalar()
			return string(text)
		}
		id, instance := attribute("service.instance.id"), set.Symbols.Text(set.Scopes.Instance[i])
		host := cmp.Or(attribute("host.name"), attribute("k8s.pod.name"), set.Symbols.Text(set.Scopes.Host[i]))
		if id == "" && instance != "" && host != "" {
			instance = host + "/" + instance
		}
		out[i] = place{cmp.Or(host, id), instance}
	}
	return out
}

// placeOf returns the place of the span nearest the engine of a request.
func (f *Fields) placeOf(row int32) place {
	span := f.nearest().span[row]
	if scope := scopeOf(f.set, span); scope >= 0 {
		return f.places()[scope]
	}
	return place{}
}

// tpotColumn returns the time per output token in ns by row; Missing where it is not
// defined.
func tpotColumn(set *table.Set) []int64 {
	rows := make([]int32, 0, set.Requests.Len())
	for row := range int32(set.Requests.Len()) {
		if timedClass(set, row) {
			rows = append(rows, row)
		}
	}
	with, value, _ := tpotRows(set, rows)
	out := make([]int64, set.Requests.Len())
	for i := range out {
		out[i] = table.Missing
	}
	for _, row := range with {
		out[row] = value[row]
	}
	return out
}
