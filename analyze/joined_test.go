package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestJoinIssuesAreDeclared finds every issue that is reported among those that joining
// may count: another name would never be met.
func TestJoinIssuesAreDeclared(t *testing.T) {
	declared := slices.Concat(critical.Issues(), join.Issues())
	for _, id := range joinIssues {
		if !slices.ContainsFunc(declared, func(issue table.Issue) bool { return issue.ID == id }) {
			t.Errorf("nothing counts %s", id)
		}
	}
}

// TestJoiningAddsUp counts the requests of random tables.
func TestJoiningAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		var rows []int32
		for i := range set.Requests.Len() {
			set.Requests.Units[i] = int32(rapid.IntRange(0, 4).Draw(t, "units"))
			set.Requests.Attempts[i] = int32(rapid.IntRange(1, 3).Draw(t, "attempts"))
			if set.Requests.Units[i] > 1 {
				set.Requests.JoinBasis[i] = set.Symbols.Intern(rapid.SampledFrom(table.JoinBasisNames[1:]).Draw(t, "basis"))
			}
			rows = append(rows, int32(i))
		}
		j := joining(set, rows)
		var units, joined, bases int64
		for i, u := range j.ByUnits {
			units += u.N
			if u.Units > 1 {
				joined += u.N
			}
			if i > 0 && j.ByUnits[i-1].Units >= u.Units {
				t.Fatalf("not by number: %v", j.ByUnits)
			}
		}
		for _, b := range j.ByBasis {
			bases += b.N
		}
		if units != int64(len(rows)) || joined != j.Joined || bases != j.Joined || j.Requests != units || j.Attempts < 2*j.Retried {
			t.Fatalf("%d requests: %+v", len(rows), j)
		}
		if !slices.IsSortedFunc(j.ByBasis, func(a, b Count) int { return strength(a.Name) - strength(b.Name) }) {
			t.Fatalf("not the strongest first: %v", j.ByBasis)
		}
		reversed := slices.Clone(rows)
		slices.Reverse(reversed)
		if diff := cmp.Diff(j, joining(set, reversed)); diff != "" {
			t.Fatalf("the order of the rows matters: %s", diff)
		}
	})
}

func TestJoiningOfAHouse(t *testing.T) {
	set, _ := busy(40).build(t, critical.Options{})
	j := Inspect(set, Beside{}).Joining
	want := Joining{Requests: 40, Joined: 40, ByUnits: []UnitCount{{3, 40}}, ByBasis: []Count{{"request id", 40}}}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Error(diff)
	}
	if w := notJoinedOf(set); w != "" {
		t.Errorf("all are joined, and yet: %s", w)
	}
	var account table.Account
	account.Add(table.Issue{ID: "join-ambiguous", Severity: table.Warning, Advice: "a"}, 7, table.Place{}, "")
	account.WriteTo(set)
	if got := Inspect(set, Beside{}).Joining.Issues; !cmp.Equal(got, []Count{{"join-ambiguous", 7}}) {
		t.Errorf("issues %v", got)
	}
}

func notJoinedOf(set *table.Set) string {
	for _, w := range Summarize(set, Options{}).Warnings {
		if w.ID == NotJoined {
			return w.Text
		}
	}
	return ""
}

func TestSourcesThatAreNotJoinedAreSaid(t *testing.T) {
	set := onClocks(5, table.ClockWall, table.ClockWall)
	scopes := map[string]int32{}
	for _, name := range []string{"", "nginx", "vllm"} {
		i := set.Scopes.Grow()
		set.Scopes.Scope[i] = set.Symbols.Intern(name)
		scopes[name] = int32(i)
	}
	root := func(i int) int32 { return set.Requests.RootRow[i] }
	if w := notJoinedOf(set); w != "" {
		t.Errorf("a warning about traces alone: %s", w)
	}
	for i := range 5 { // the requests of the first source come from a log
		set.Spans.Origin[root(i)], set.Spans.ScopeRow[root(i)] = table.OriginRecord, scopes["nginx"]
	}
	want := "10 of 10 requests are told by one source alone, 5 of nginx, 5 of traces: one that two sources tell of is counted twice; " +
		"they are joined by a request id or traceparent that both log: 5 of the 5 of nginx carry none (log tp=$http_traceparent, or rid=$request_id and pass that on as X-Request-Id)"
	if got := notJoinedOf(set); got != want {
		t.Errorf("a log beside traces:\n%s, want\n%s", got, want)
	}
	for i := range 5 {
		set.Requests.RequestID[i] = string(rune('a' + i))
	}
	if got := notJoinedOf(set); !strings.HasSuffix(got, "their ids meet in no other source: pass traceparent and X-Request-Id on unchanged, or add what is missing") {
		t.Errorf("with ids: %s", got)
	}
	for i := range 3 { // three of the traces are joined with a line of the log that is left: nothing to say of them
		set.Requests.Units[5+i] = 2
	}
	if got := notJoinedOf(set); !strings.HasPrefix(got, "7 of 10 requests are told by one source alone, 5 of nginx, 2 of traces: ") {
		t.Errorf("some joined: %s", got)
	}
	for i := range 5 {
		set.Requests.Units[5+i] = 2
	}
	if got := notJoinedOf(set); got != "" {
		t.Errorf("what is left is of one kind, and yet: %s", got)
	}
	for i := range 10 { // all come from logs of two kinds
		set.Requests.Units[i] = 1
		set.Spans.Origin[root(i)] = table.OriginRecord
	}
	for i := range 5 {
		set.Spans.ScopeRow[root(5+i)] = scopes["nginx"]
	}
	if got := notJoinedOf(set); got != "" {
		t.Errorf("logs of one kind: %s", got)
	}
	set.Spans.ScopeRow[root(9)] = scopes["vllm"]
	if got := notJoinedOf(set); !strings.Contains(got, "9 of nginx, 1 of vllm") || !strings.Contains(got, "1 of the 1 of vllm carry none (log --enable-log-requests)") {
		t.Errorf("logs of two kinds: %s", got)
	}
}
