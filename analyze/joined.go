package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// Joining says how requests were put together of traces and records.
type Joining struct {
	Requests int64 // looked at
	Joined   int64 // of them, told by several traces or records
	// ByUnits counts requests by how many traces and records tell of them, the fewest
	// first; they add up to Requests. ByBasis counts the joined ones by the weakest key that
	// was needed, the strongest first; they add up to Joined.
	ByUnits []UnitCount
	ByBasis []Count
	// Retried counts requests of which several attempts were recorded, and Attempts all
	// attempts at those.
	Retried, Attempts int64
	// Issues are the issues of joining that were met in the whole input, as they were
	// counted, in a fixed order.
	Issues []Count
}

// UnitCount counts requests that are told by one number of traces and records.
type UnitCount struct{ Units, N int64 }

// joinIssues are the issues that say what was not joined, was not joined for certain, or
// was left out because others tell it better.
var joinIssues = []string{"join-ambiguous", "joined-by-address", "ambiguous-place", "attempts-apart", "told-twice"}

// joining sums up how the requests in some rows were put together.
func joining(set *table.Set, rows []int32) Joining {
	t := &set.Requests
	j := Joining{Requests: int64(len(rows))}
	units, bases := map[int64]int64{}, map[string]int64{}
	for _, row := range rows {
		n := max(1, int64(t.Units[row])) // 0 in tables that do not say
		units[n]++
		if n > 1 {
			j.Joined++
			bases[set.Symbols.Text(t.JoinBasis[row])]++
		}
		if a := int64(t.Attempts[row]); a > 1 {
			j.Retried, j.Attempts = j.Retried+1, j.Attempts+a
		}
	}
	for n, count := range units {
		j.ByUnits = append(j.ByUnits, UnitCount{n, count})
	}
	slices.SortFunc(j.ByUnits, func(a, b UnitCount) int { return cmp.Compare(a.Units, b.Units) })
	for name, n := range bases {
		j.ByBasis = append(j.ByBasis, Count{name, n})
	}
	slices.SortFunc(j.ByBasis, func(a, b Count) int {
		return cmp.Or(cmp.Compare(strength(a.Name), strength(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	counts := map[string]int64{}
	for i := range set.Quality.Len() {
		counts[set.Symbols.Text(set.Quality.ID[i])] += set.Quality.Count[i]
	}
	for _, id := range joinIssues {
		if n := counts[id]; n > 0 {
			j.Issues = append(j.Issues, Count{id, n})
		}
	}
	return j
}

// strength is the place of a basis among all, the strongest first.
func strength(name string) int {
	if k := slices.Index(table.JoinBasisNames, name); k >= 0 {
		return k
	}
	return len(table.JoinBasisNames)
}

// lone counts the requests of one kind of source that no other source tells of.
type lone struct {
	kind    string // "traces", or the format of the log
	n       int64
	withIDs int64 // of them, those that carry an id that others could be joined by
}

// notJoined warns of requests that one source alone tells of while there are others: one
// that a gateway and an engine both tell of is two then. Requests of a single kind are no
// fault: the others were joined, and these may have left no mark elsewhere.
func notJoined(set *table.Set, rows []int32) []stat.Warning {
	traceID, hasTraceID := set.Symbols.Lookup("trace_id")
	records := false
	kinds := map[table.Sym]*lone{}
	var n int64
	for _, row := range rows {
		root := set.Requests.RootRow[row]
		if int(root) >= set.Spans.Len() {
			return nil // the spans are not here
		}
		if set.Requests.Units[row] > 1 {
			continue
		}
		n++
		kind, name := table.Sym(0), "traces" // all traces are one kind
		ids := set.Requests.RequestID[row] != ""
		if set.Spans.Origin[root] == table.OriginRecord {
			records = true
			kind = set.Scopes.Scope[set.Spans.ScopeRow[root]]
			name = cmp.Or(set.Symbols.Text(kind), "a log")
			if hasTraceID && !ids {
				_, ids = set.Spans.Attributes.Get(int(root), traceID)
			}
		} else {
			ids = true // a trace has its own
		}
		k := kinds[kind]
		if k == nil {
			k = &lone{kind: name}
			kinds[kind] = k
		}
		k.n++
		if ids {
			k.withIDs++
		}
	}
	if !records || len(kinds) < 2 {
		return nil
	}
	list := make([]*lone, 0, len(kinds))
	for _, k := range kinds {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b *lone) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.kind, b.kind)) })
	return []stat.Warning{{ID: NotJoined, Text: notJoinedText(list, n, int64(len(rows)))}}
}

// kindsNamed is how many kinds of source the warning names.
const kindsNamed = 4

func notJoinedText(list []*lone, n, of int64) string {
	var kinds, bare []string
	for _, k := range list[:min(len(list), kindsNamed)] {
		kinds = append(kinds, fmt.Sprintf("%d of %s", k.n, k.kind))
	}
	if more := len(list) - kindsNamed; more > 0 {
		kinds = append(kinds, plural(int64(more), "more kind"))
	}
	for _, k := range list {
		if k.withIDs < k.n {
			text := fmt.Sprintf("%d of the %d of %s carry none", k.n-k.withIDs, k.n, k.kind)
			if what := loggable[k.kind]; what != "" {
				text += " (log " + what + ")"
			}
			bare = append(bare, text)
		}
	}
	text := fmt.Sprintf("%d of %s are told by one source alone, %s: one that two sources tell of is counted twice; ",
		n, plural(of, "request"), strings.Join(kinds, ", "))
	if bare == nil {
		return text + "their ids meet in no other source: pass traceparent and X-Request-Id on unchanged, or add what is missing"
	}
	return text + "they are joined by a request id or traceparent that both log: " + strings.Join(bare[:min(len(bare), kindsNamed)], ", ")
}

// loggable is what a gateway writes its ids of a request with, by the format of the log.
var loggable = map[string]string{
	"nginx":   "tp=$http_traceparent, or rid=$request_id and pass that on as X-Request-Id",
	"envoy":   "%REQ(X-REQUEST-ID)% or %REQ(TRACEPARENT)%",
	"istio":   "%REQ(X-REQUEST-ID)% or %REQ(TRACEPARENT)%",
	"haproxy": "http-request capture req.hdr(traceparent) len 55",
	"vllm":    "--enable-log-requests",
}
