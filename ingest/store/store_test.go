package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// spans are tables with a span at each start, of length 1; of no clock when undated.
func spans(undated bool, starts ...int64) *table.Set {
	set := table.NewSet()
	scope := set.Scopes.Grow()
	for i, at := range starts {
		row := set.Spans.Grow()
		set.Spans.TraceID[row][0], set.Spans.SpanID[row][0] = byte(i+1), 1
		set.Spans.Start[row], set.Spans.End[row] = at, at+1
		set.Spans.ScopeRow[row] = int32(scope)
		if undated {
			set.Spans.Clock[row] = table.ClockNone
		}
	}
	return set
}

func input(n int) Input {
	return Input{Name: fmt.Sprintf("f%d.json", n), Bytes: int64(n), SHA256: fmt.Sprintf("%064x", n)}
}

func added(t interface{ Fatal(...any) }, dir string, set *table.Set, inputs ...Input) Part {
	s, err := OpenOrNew(dir)
	if err != nil {
		t.Fatal(err)
	}
	part, err := s.Add(set, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// tree lists all that is below a directory, with the contents of files.
func tree(t interface{ Fatal(...any) }, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStoreKeepsWhatWasAdded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	if Is(dir) {
		t.Error("what is not there is a store")
	}
	late := added(t, dir, spans(false, 500, 600), input(2), input(1))
	none := added(t, dir, spans(true, 0), input(3))
	early := added(t, dir, spans(false, 100, 150), input(4))
	if !Is(dir) {
		t.Fatal("it is no store")
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Part{none, early, late}, s.Parts()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if from, to, ok := s.Extent(); from != 100 || to != 601 || !ok {
		t.Errorf("it reaches from %d to %d, %v", from, to, ok)
	}
	if late.Inputs[0] != input(1) || *late.FromNS != 500 || *late.ToNS != 601 {
		t.Errorf("part %+v", late)
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: true, 4: true, 5: false} {
		if s.Knows(input(n).SHA256) != want {
			t.Errorf("input %d is known: %v", n, !want)
		}
	}
	for _, p := range s.Parts() {
		if err := s.Verify(p); err != nil {
			t.Error(err)
		}
		set, err := table.ReadDir(s.Path(p))
		if err != nil || set.Spans.Len() != p.Rows[slices.IndexFunc(p.Rows, func(r Rows) bool { return r.Table == "spans" })].N {
			t.Errorf("part %s: %v", p.ID, err)
		}
	}
}

// TestNoInputTwice: an input that is there is refused, and nothing is left of the attempt.
func TestNoInputTwice(t *testing.T) {
	dir := t.TempDir()
	added(t, dir, spans(false, 1), input(1))
	before := tree(t, dir)
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Add(spans(false, 9), []Input{input(2), input(1)}); !errors.Is(err, ErrKnown) {
		t.Errorf("added again: %v", err)
	}
	if _, err = s.Add(spans(false, 9), nil); err == nil {
		t.Error("a part of no input was added")
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("the store changed:\n%s", diff)
	}
}

// TestOrderOfAddingIsNotSeen: the same parts give the same bytes, whichever came first.
func TestOrderOfAddingIsNotSeen(t *testing.T) {
	sets := []*table.Set{spans(false, 300, 900), spans(true, 5), spans(false, 300)}
	var want map[string]string
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		dir := t.TempDir()
		for _, i := range order {
			added(t, dir, sets[i], input(i))
		}
		got := tree(t, dir)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the order %v is seen:\n%s", order, diff)
		}
	}
}

// TestPartsOfATime: those of a time are the ones that may have a row in it, in order of time.
func TestPartsOfATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Store{}
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			p := Part{ID: input(len(s.parts)).SHA256[64-idDigits:]}
			if rapid.IntRange(0, 4).Draw(t, "dated") > 0 {
				first := rapid.Int64Range(0, 50).Draw(t, "first")
				last := first + rapid.Int64Range(0, 10).Draw(t, "length")
				p.FromNS, p.ToNS = &first, &last
			}
			s.parts = append(s.parts, p)
		}
		order(s.parts)
		from := rapid.Int64Range(-5, 60).Draw(t, "from")
		to := from + rapid.Int64Range(0, 20).Draw(t, "length")
		got := s.Between(from, to)
		for _, p := range s.parts {
			may := p.FromNS == nil
			for at := from; at <= to && !may; at++ {
				may = at >= *p.FromNS && at <= *p.ToNS
			}
			if has := slices.ContainsFunc(got, func(q Part) bool { return q.ID == p.ID }); has != may {
				t.Fatalf("from %d to %d, part %+v is there: %v", from, to, p, has)
			}
		}
		for i := 1; i < len(got); i++ {
			if a, b := got[i-1].FromNS, got[i].FromNS; b == nil && a != nil || a != nil && b != nil && *a > *b {
				t.Fatalf("out of order: %+v", got)
			}
		}
	})
}

// TestFailureLeavesTheStoreAsItWas: whichever step fails, what was there is there, and the next
// attempt succeeds.
func TestFailureLeavesTheStoreAsItWas(t *testing.T) {
	for step := 1; step <= 2; step++ {
		dir := t.TempDir()
		first := added(t, dir, spans(false, 1), input(1))
		before := tree(t, dir)
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		s.rename = func(from, to string) error {
			if n++; n == step {
				return errors.New("the disk is full")
			}
			return os.Rename(from, to)
		}
		if _, err := s.Add(spans(false, 9), []Input{input(2)}); err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("step %d: %v", step, err)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("step %d changed the store:\n%s", step, diff)
		}
		second := added(t, dir, spans(false, 9), input(2))
		if again, err := Open(dir); err != nil || !cmp.Equal(again.Parts(), []Part{first, second}) {
			t.Errorf("step %d: then %v, %v", step, again.Parts(), err)
		}
	}
}

// TestKilledRunsAreNoHindrance: a run that is killed between its two renames leaves tables that
// no list names, and one that is killed before leaves a name with a dot; both are passed over.
func TestKilledRunsAreNoHindrance(t *testing.T) {
	dir := t.TempDir()
	part := added(t, dir, spans(false, 1), input(1))
	if err := os.Remove(filepath.Join(dir, manifestName)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parts/.new-1/x", ".store.json.new"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if again := added(t, dir, spans(false, 1), input(1)); !cmp.Equal(part, again) {
		t.Errorf("%+v, want %+v", again, part)
	}
}

// TestRunsAtTheSameTime: each adds its part; of those with the same input one does.
func TestRunsAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	const runs = 6
	var wg sync.WaitGroup
	errs := make([]error, runs)
	for i := range runs {
		wg.Go(func() {
			s, err := OpenOrNew(dir)
			if err == nil {
				_, err = s.Add(spans(false, int64(i)), []Input{input(i / 2)})
			}
			errs[i] = err
		})
	}
	wg.Wait()
	refused := 0
	for _, err := range errs {
		switch {
		case errors.Is(err, ErrKnown):
			refused++
		case err != nil:
			t.Error(err)
		}
	}
	s, err := Open(dir)
	if err != nil || len(s.Parts()) != runs/2 || refused != runs/2 {
		t.Fatalf("%d parts, %d refused, %v", len(s.Parts()), refused, err)
	}
	for _, p := range s.Parts() {
		if err := s.Verify(p); err != nil {
			t.Error(err)
		}
	}
	for name := range tree(t, dir) {
		if strings.Contains(name, "/.") || strings.Contains(name, lockName) {
			t.Errorf("%s was left", name)
		}
	}
}

func TestLockedStore(t *testing.T) {
	dir := t.TempDir()
	added(t, dir, spans(false, 1), input(1))
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.wait = 0
	if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(spans(false, 1), []Input{input(2)}); !errors.Is(err, ErrLocked) {
		t.Errorf("added to a locked store: %v", err)
	}
	if again, err := Open(dir); err != nil || len(again.Parts()) != 1 {
		t.Errorf("%v, %v", again.Parts(), err)
	}
}

// TestDamageIsFound: of a part that was changed or is missing, and of a list that is none.
func TestDamageIsFound(t *testing.T) {
	fresh := func(t *testing.T) (*Store, Part, string) {
		dir := t.TempDir()
		part := added(t, dir, spans(false, 1), input(1))
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s, part, dir
	}
	s, part, _ := fresh(t)
	if err := os.WriteFile(filepath.Join(s.Path(part), "tailpath.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(part); err == nil || !strings.Contains(err.Error(), part.ID) {
		t.Errorf("a changed part: %v", err)
	}
	if err := os.RemoveAll(s.Path(part)); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(part); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing part: %v", err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"format": 1`, `"format": 2`, "format 2"},
		{part.ID, "../../../../etc/x", "is none"},
		{`"from_ns": 1`, `"from_ns": 3`, "is none"},
		{`"parts"`, `"parts`, "damaged"},
		{part.SHA256, "", "is none"},
	} {
		_, _, dir := fresh(t)
		path := filepath.Join(dir, manifestName)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := strings.Replace(string(data), c.from, c.to, 1)
		if broken == string(data) {
			t.Fatalf("%s is not in %s", c.from, data)
		}
		if err := os.WriteFile(path, []byte(broken), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) || !Is(dir) {
			t.Errorf("%s for %s: %v, a store: %v", c.to, c.from, err, Is(dir))
		}
	}
}

// TestEveryByteOfTheListCounts: whichever byte of store.json is another, or missing, the parts are
// those that were added, or it is told: none is left out of a time, or put into one, in silence.
func TestEveryByteOfTheListCounts(t *testing.T) {
	dir := t.TempDir()
	added(t, dir, spans(false, 1700000000000000000), input(1))
	added(t, dir, spans(false, 1700600000000000000), input(2))
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, path := s.Parts(), filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, at int, broken []byte) {
		t.Helper()
		if got, err := parse(path, broken); err == nil && !cmp.Equal(got, want) {
			t.Errorf("byte %d %s: %+v", at, what, got)
		}
	}
	for at := range data {
		for _, bit := range []byte{1, 4, 0x20, 0x80} {
			broken := slices.Clone(data)
			broken[at] ^= bit
			check("is another", at, broken)
		}
		check("is missing", at, slices.Delete(slices.Clone(data), at, at+1))
		check("is the last", at, data[:at+1])
	}
	broken := []byte(strings.Replace(string(data), "1700600000", "1700700000", 2))
	if _, err := parse(path, broken); !errors.Is(err, ErrDamaged) {
		t.Errorf("another time: %v", err)
	}
}

// TestWhatLiesInAStore: a path below a store is known as such, also by a link and when it is not
// there.
func TestWhatLiesInAStore(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "runs")
	part := added(t, dir, spans(false, 1), input(1))
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(dir, partsName), link); err != nil {
		t.Skip(err)
	}
	for path, in := range map[string]bool{
		dir: true, filepath.Join(dir, manifestName): true, filepath.Join(dir, "a", "b"): true, filepath.Join(link, part.ID, "x"): true,
		root: false, filepath.Join(root, "runs2"): false, filepath.Join(dir, "..", "x"): false,
	} {
		if got := Within(path); got != in {
			t.Errorf("%s lies in a store: %v", path, got)
		}
	}
}

// TestOtherDirectoriesAreNoStores: what somebody else wrote is neither read nor written to.
func TestOtherDirectoriesAreNoStores(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, manifestName), []byte(`{"shops": []}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if Is(dir) {
		t.Error("a list of shops is a store")
	}
	if s, err := OpenOrNew(dir); err == nil {
		t.Errorf("it is opened: %v", s.Parts())
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOrNew(other); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("a directory of notes: %v", err)
	}
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "no store") {
		t.Errorf("a directory of notes: %v", err)
	}
}
