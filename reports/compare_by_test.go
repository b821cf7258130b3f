package reports_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// byModel makes the document of a comparison by model: one waits longer, one takes as long as
// before with more of the requests, one is gone, one has come, one fails, and one is rare.
func byModel() reports.Document {
	base, new := models()
	return comparedByKeys(base, new, "model", 0)
}

// models are the sides of byModel.
func models() (base, new *table.Set) {
	base, new = served(900, 0, 60, 80), served(1000, 7200, 60, 80)
	of := func(set *table.Set, model func(i int) string) {
		for i := range set.Requests.Len() {
			set.Requests.Model[i] = set.Symbols.Intern(model(i))
		}
	}
	of(base, func(i int) string {
		if i%90 == 7 {
			return "rare"
		}
		return []string{"large", "small", "gone", "large", "fails", "small"}[i%6]
	})
	d := dice(3)
	of(new, func(i int) string {
		model := []string{"large", "small", "small", "come", "large", "fails", "small", ""}[i%8]
		switch r := &new.Requests; model {
		case "large":
			by := d.roll(300*ms, 900*ms)
			r.Stage[stage.Queue][i], r.End[i], r.Duration[i] = r.Stage[stage.Queue][i]+by, r.End[i]+by, r.Duration[i]+by
			r.TTFTStage[stage.Queue][i], r.FirstToken[i], r.TTFT[i] = r.TTFTStage[stage.Queue][i]+by, r.FirstToken[i]+by, r.TTFT[i]+by
		case "fails":
			r.Error[i] = true
		}
		if i%100 == 9 {
			return "rare"
		}
		return model
	})
	return base, new
}

// TestWhereOfGroups: the expression of a group selects its requests on both sides, and the next
// command looks at the one that got slower.
func TestWhereOfGroups(t *testing.T) {
	base, new := models()
	for _, keys := range []string{"model", "model,streaming", "status,model", "output_tokens", "model,output_tokens", "model,e2e@(1 2)"} {
		d := comparedByKeys(base, new, keys, 0)
		none := strings.Contains(keys, "output") || strings.Contains(keys, "e2e")
		for _, g := range d.Compare.By.Groups {
			if (g.Where == "") != none {
				t.Fatalf("%s: %q", keys, g.Where)
			}
			if none {
				continue
			}
			where, err := filter.Parse(g.Where)
			if err != nil {
				t.Fatalf("%s: %v", g.Where, err)
			}
			for s, set := range []*table.Set{base, new} {
				if got, want := analyze.Summarize(set, analyze.Options{Where: where, Replicates: 20}).Population.N, [2]int64{g.BaseN, g.NewN}[s]; got != want {
					t.Errorf("%s selects %d, want %d", g.Where, got, want)
				}
			}
		}
		if want := map[string]string{"model": " --where model=large", "output_tokens": "incident/"}[keys]; !strings.HasSuffix(d.Next, want) {
			t.Errorf("%s: next is %s", keys, d.Next)
		}
	}
}

// comparedByKeys makes the document of a comparison by keys.
func comparedByKeys(base, new *table.Set, keys string, listed int) reports.Document {
	by, err := filter.ParseKeys(keys)
	if err != nil {
		panic(err)
	}
	c := analyze.Compare(base, new, analyze.Options{Replicates: 200, Force: true, By: by.List, Listed: listed}, change.Rule{})
	return run("compare", "before/", "after/").Compare(c, reports.Compared{Label: "before"}, reports.Compared{Label: "after"})
}

// TestComparedByModel: each group is told what became of it, and so is the page.
func TestComparedByModel(t *testing.T) {
	d := byModel()
	b := d.Compare.By
	want := []struct{ model, kind, words string }{
		{"large", "slower", "slower: p95 x"}, {"small", "same", "no change that counts"}, {"rare", "too_few", "too few"},
		{"fails", "left_out", "all 120 of new left out"}, {"gone", "only_base", "only in base"}, {"come", "only_new", "only in new"}, {"", "only_new", "only in new"},
	}
	if len(b.Groups) != len(want) {
		t.Fatalf("%d groups", len(b.Groups))
	}
	for i, w := range want {
		g := b.Groups[i]
		model := ""
		if g.Values[0] != nil {
			model = *g.Values[0]
		}
		if w.model != "" && model != w.model || g.Kind != w.kind || !strings.HasPrefix(g.Words, w.words) {
			t.Errorf("group %d is %s: %s, %q, want %v", i, model, g.Kind, g.Words, w)
		}
	}
	if want := "7 groups: 1 slower, 1 without a change that counts, 1 too few to compare, 1 left out on a side, 1 only in base, 2 only in new"; b.Sentence != want {
		t.Errorf("%q, want %q", b.Sentence, want)
	}
	page := drawn(t, d)
	for _, want := range []string{
		"by model, new against base [", b.Sentence, "large", "slower: p95 x", ", queue", "all 120 of new left out", "(not recorded)",
		"the shares of the groups changed (", "over all groups that can be judged, 2 of them", "too-few: p50 takes 20 requests on either side", "added",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if at, after := strings.Index(page, "\nby model"), strings.Index(page, "how long requests took"); at < after || after < 0 {
		t.Error("groups come before all requests")
	}
}

// TestKeysOfOneSide: a key that one side alone has is told, whichever it is, and so is a number
// that is put into bands.
func TestKeysOfOneSide(t *testing.T) {
	with, without := served(200, 0, 60, 80), served(200, 7200, 60, 80)
	for i := range without.Requests.Len() {
		without.Requests.Model[i] = 0
	}
	if page := drawn(t, comparedByKeys(with, without, "model", 0)); !strings.Contains(page, "model is recorded in base alone: no request of new has a value") {
		t.Error(page)
	}
	if page := drawn(t, comparedByKeys(without, with, "model", 0)); !strings.Contains(page, "model is recorded in new alone: no request of base has a value") {
		t.Error(page)
	}
	if page := drawn(t, comparedByKeys(with, without, "output_tokens", 0)); !strings.Contains(page, "output_tokens has 80 values, and is put into bands") || !strings.Contains(page, "50-99 ") {
		t.Error(page)
	}
}

// TestComparedGroupsAddUp: the groups that are listed and the others have all requests of both sides,
// however many are listed and wherever they are cut, and shares are those of all.
func TestComparedGroupsAddUp(t *testing.T) {
	base, new := served(240, 0, 60, 80), served(260, 7200, 60, 80)
	schema := compiled(t)
	for s, set := range []*table.Set{base, new} {
		for i := range set.Requests.Len() {
			set.Requests.Route[i] = set.Symbols.Intern("/r" + string(rune('A'+i%(55+s))))
		}
	}
	of := func(d reports.Document) (sum reports.GroupSize, groups int64) {
		b := d.Compare.By
		sum, groups = b.Other, b.OtherGroups
		for _, g := range b.Groups {
			groups++
			sum.BaseN, sum.NewN, sum.BaseLeftOut, sum.NewLeftOut = sum.BaseN+g.BaseN, sum.NewN+g.NewN, sum.BaseLeftOut+g.BaseLeftOut, sum.NewLeftOut+g.NewLeftOut
			if n := d.Compare.Base.Population.Used; *g.BaseShare != float64(g.BaseN)/float64(n) {
				t.Fatalf("%d of %d is a share of %v", g.BaseN, n, *g.BaseShare)
			}
		}
		return sum, groups
	}
	made := map[int]reports.Document{}
	for _, listed := range []int{-1, 0, 52} {
		made[listed] = comparedByKeys(base, new, "route,status", listed)
	}
	whole, all := of(made[-1])
	if whole.BaseN+whole.BaseLeftOut != 240 || whole.NewN+whole.NewLeftOut != 260 || whole.NewLeftOut == 0 || all < 55 || len(made[0].Compare.By.Groups) != 50 || len(made[52].Compare.By.Groups) != 52 {
		t.Fatalf("%+v in %d groups", whole, all)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := made[rapid.SampledFrom([]int{-1, 0, 52}).Draw(t, "listed")]
		d = d.Limited(rapid.IntRange(0, 60).Draw(t, "rows")).Limited(rapid.IntRange(0, 60).Draw(t, "rows again"))
		sum, groups := of(d)
		if sum != whole || groups != all {
			t.Fatalf("%+v in %d groups, want %+v in %d", sum, groups, whole, all)
		}
		if n := len(d.Compare.By.Groups); int64(n) < all && !slices.Contains(d.Limit.Cut, reports.CutList{List: "compare.by.groups", Shown: int64(n), Of: all}) {
			t.Fatalf("%d of %d groups, and cut are %v", n, all, d.Limit.Cut)
		}
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTheHeadlineCountsChangedGroups: what the groups found is told beside what all requests say, and
// the next command looks at the group that got slower.
func TestTheHeadlineCountsChangedGroups(t *testing.T) {
	base, new := served(2000, 0, 60, 80), served(2000, 7200, 60, 80)
	for s, set := range []*table.Set{base, new} {
		r := &set.Requests
		for i := range r.Len() {
			r.Model[i] = set.Symbols.Intern("m" + string(rune('a'+i%20)))
			if s == 1 && i%20 == 3 {
				by := 400 * ms
				r.Stage[stage.GPU][i], r.End[i], r.Duration[i] = r.Stage[stage.GPU][i]+by, r.End[i]+by, r.Duration[i]+by
			}
		}
	}
	d := comparedByKeys(base, new, "model", 0)
	if want := "; of 20 groups by model: " + reports.Integer(d.Compare.By.Kinds[0].N) + " slower"; !strings.HasSuffix(d.Headline, want) || !strings.HasSuffix(d.Next, " --where model=md") {
		t.Errorf("%q, want %q; next is %s", d.Headline, want, d.Next)
	}
	if d := comparedByKeys(base, base, "model", 0); strings.Contains(d.Headline, "group") {
		t.Errorf("nothing changed: %q", d.Headline)
	}
}

// TestGroupsLeftOutOnTheirOnlySide: a group that one side has, of which every request was left out, is
// counted as what its row says.
func TestGroupsLeftOutOnTheirOnlySide(t *testing.T) {
	base, new := served(200, 0, 60, 80), served(200, 7200, 60, 80)
	for i := range new.Requests.Len() {
		if i%10 == 0 {
			new.Requests.Model[i], new.Requests.Error[i] = new.Symbols.Intern("fails"), true
		}
	}
	for _, of := range []struct {
		base, new *table.Set
		words     string
	}{{base, new, "all 20 of new left out"}, {new, base, "all 20 of base left out"}} {
		b := comparedByKeys(of.base, of.new, "model", 0).Compare.By
		i := slices.IndexFunc(b.Groups, func(g reports.ComparedRows) bool { return g.Values[0] != nil && *g.Values[0] == "fails" })
		if g := b.Groups[i]; g.Words != of.words || g.Kind != "left_out" || !strings.Contains(b.Sentence, "1 left out on a side") || strings.Contains(b.Sentence, "only in") {
			t.Errorf("%s, %q; %q", g.Kind, g.Words, b.Sentence)
		}
	}
}
