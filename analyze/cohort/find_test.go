package cohort

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// load is made-up requests, one every interval ns from the start of 2026 on.
type load struct {
	*Sample
	random  *rand.Rand
	columns []Column
}

const began = int64(1_767_225_600) * second

func newLoad(n int, interval int64, seed uint64, slow func(i int, random *rand.Rand) bool) *load {
	l := &load{Sample: &Sample{}, random: rand.New(rand.NewPCG(seed, 7))}
	for i := range n {
		l.Start = append(l.Start, began+int64(i)*interval)
		l.Slow = append(l.Slow, slow(i, l.random))
	}
	return l
}

// add adds an attribute of categories.
func (l *load) add(name string, names []string, code func(i int) int) *load {
	c := Column{Name: name, Names: names}
	for i := range l.Slow {
		c.Codes = append(c.Codes, int32(code(i)))
	}
	return l.column(c)
}

// number adds an attribute of numbers.
func (l *load) number(name string, of func(i int) float64) *load {
	c := Column{Name: name}
	for i := range l.Slow {
		c.Numbers = append(c.Numbers, of(i))
	}
	return l.column(c)
}

func (l *load) column(c Column) *load {
	l.columns = append(l.columns, c)
	l.Columns = len(l.columns)
	l.Column = func(i int) Column { return l.columns[i] }
	return l
}

// noise adds an attribute that has nothing to do with anything.
func (l *load) noise(name string, kinds int) *load {
	names := make([]string, kinds)
	for v := range names {
		names[v] = fmt.Sprintf("v%d", v)
	}
	return l.add(name, names, func(int) int { return l.random.IntN(kinds) })
}

// oneIn is slow once in so many, whatever the attributes.
func oneIn(n int) func(int, *rand.Rand) bool {
	return func(_ int, random *rand.Rand) bool { return random.IntN(n) == 0 }
}

func names(found []Finding) (out []string) {
	for _, f := range found {
		out = append(out, f.Attribute+" "+f.Value.Name)
	}
	return out
}

func statusOf(r Result, name string) Status {
	i := slices.IndexFunc(r.Attributes, func(a Attribute) bool { return a.Name == name })
	return r.Attributes[i].Status
}

var hosts = []string{"gpu-1", "gpu-2", "gpu-3", "gpu-4"}

func TestAPlantedValueIsFound(t *testing.T) {
	l := newLoad(4000, second/5, 1, func(i int, r *rand.Rand) bool { return i%4 == 2 && r.IntN(4) == 0 || r.IntN(50) == 0 })
	l.add("host", hosts, func(i int) int { return i % 4 }).noise("a", 3).noise("b", 8).noise("c", 2)
	r := Of(l.Sample, Options{})
	if diff := cmp.Diff([]string{"host gpu-3"}, names(r.Findings)); diff != "" {
		t.Fatal(diff)
	}
	f := r.Findings[0]
	if f.Adjusted.Lift < 2 || f.Adjusted.Difference.Bounds.Low <= 0 || f.Adjusted.Difference.Bounds.High >= 1 {
		t.Errorf("contrast is %+v", f.Adjusted)
	}
	if f.Adjusted.Fraction.Value <= 0 || f.Adjusted.Fraction.Value > f.Crude.SlowShare {
		t.Errorf("%.3f of the slow requests would go, of %.3f that have it", f.Adjusted.Fraction.Value, f.Crude.SlowShare)
	}
	if r.Count(Tested) != 4 || r.Strata.N < 20 || r.Strata.WidthNS == 0 {
		t.Errorf("%d tested over %+v", r.Count(Tested), r.Strata)
	}
}

// TestWhatOnlyTracksTheTimeIsNotFound plants an incident of three minutes in half an
// hour in which half of the requests are slow, whatever they are, and a version that was
// on just then.
func TestWhatOnlyTracksTheTimeIsNotFound(t *testing.T) {
	for seed := range uint64(20) {
		incident := func(i int) bool { return i >= 4000 && i < 4720 }
		l := newLoad(7200, second/4, seed, func(i int, r *rand.Rand) bool { return incident(i) && r.IntN(2) == 0 || r.IntN(100) == 0 })
		l.add("version", []string{"old", "new"}, func(i int) int {
			if incident(i) {
				return 1
			}
			return 0
		})
		l.number("day", func(i int) float64 { return float64(i) }).noise("a", 3)
		r := Of(l.Sample, Options{})
		if len(r.Findings) != 0 {
			t.Errorf("seed %d: found %v over %+v", seed, names(r.Findings), r.Strata)
		}
		if diff := cmp.Diff([]string{"version new", "day "}, names(r.TimeOnly)); diff != "" {
			t.Errorf("seed %d: put down to time: %s", seed, diff)
		}
		for _, f := range r.TimeOnly {
			if f.Why != WhySameTime || f.Crude.Lift < 4 {
				t.Errorf("seed %d: %s: %s, %+v", seed, f.Attribute, f.Why, f.Crude)
			}
		}
	}
}

// TestWithoutOthersAtTheTimeNothingIsClaimed: all requests of the incident are slow.
func TestWithoutOthersAtTheTimeNothingIsClaimed(t *testing.T) {
	incident := func(i int) bool { return i >= 3000 && i < 3600 }
	l := newLoad(7200, second/4, 3, func(i int, _ *rand.Rand) bool { return incident(i) })
	l.add("version", []string{"old", "new"}, func(i int) int { return int(map[bool]int{true: 1}[incident(i)]) })
	r := Of(l.Sample, Options{})
	if len(r.Findings) != 0 || len(r.TimeOnly) != 1 || r.TimeOnly[0].Why != WhyNoOverlap {
		t.Errorf("found %v, put down to time %+v", names(r.Findings), r.TimeOnly)
	}
	if !slices.ContainsFunc(r.Warnings, func(w stat.Warning) bool { return w.ID == WarnNoOverlap }) {
		t.Errorf("warnings are %+v", r.Warnings)
	}
}

// TestAHostWithinAnIncidentIsFound: the incident alone does not explain the host.
func TestAHostWithinAnIncidentIsFound(t *testing.T) {
	incident := func(i int) bool { return i >= 3000 && i < 4200 }
	l := newLoad(7200, second/4, 4, func(i int, r *rand.Rand) bool { return incident(i) && i%4 == 1 && r.IntN(10) > 0 })
	l.add("host", hosts, func(i int) int { return i % 4 })
	l.add("version", []string{"old", "new"}, func(i int) int { return int(map[bool]int{true: 1}[incident(i)]) })
	r := Of(l.Sample, Options{})
	if diff := cmp.Diff([]string{"host gpu-2"}, names(r.Findings)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"version new"}, names(r.TimeOnly)); diff != "" {
		t.Error(diff)
	}
}

func TestDuplicatesAreMergedAndIDsAreLeftOut(t *testing.T) {
	l := newLoad(2000, second, 5, func(i int, r *rand.Rand) bool { return i%4 == 3 && r.IntN(3) == 0 })
	all := make([]string, 2000)
	for i := range all {
		all[i] = fmt.Sprintf("id-%04d", i)
	}
	pods := []string{"pod-a", "pod-b", "pod-c", "pod-d"}
	l.add("pod", pods, func(i int) int { return i % 4 }).add("host", hosts, func(i int) int { return i % 4 })
	l.add("region", []string{"eu", "us"}, func(i int) int { return i % 4 / 2 })
	l.add("trace", all, func(i int) int { return i })
	l.add("user", all, func(i int) int { return i / 4 })
	l.add("tenant", all, func(i int) int { return min(0, i-3) + 3 })
	l.add("retry", all, func(i int) int {
		if l.Slow[i] && i%8 == 3 {
			return i
		}
		return -1
	})
	l.column(Column{Name: "e2e_ms", LeftOut: "a time"})
	r := Of(l.Sample, Options{})
	if diff := cmp.Diff([]string{"host gpu-4", "retry ", "region us"}, names(r.Findings), cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
		t.Fatal(diff)
	}
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Attribute == "host" })
	same := r.Findings[i].Same
	if len(same) != 1 || same[0].Attribute != "pod" || same[0].Value.Name != "pod-d" || same[0].V < .999 || r.Same != 1 {
		t.Errorf("host is the same as %+v, %d merged", same, r.Same)
	}
	for name, want := range map[string]Status{
		"trace": ID, "user": Scattered, "tenant": Constant, "retry": Presence, "host": Tested, "e2e_ms": LeftOut,
	} {
		if got := statusOf(r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	counted := 0
	for _, s := range Statuses() {
		counted += r.Count(s)
	}
	if counted != l.Columns || len(r.Attributes) != l.Columns {
		t.Errorf("%d of %d attributes have a status", counted, l.Columns)
	}
}

func TestAThresholdOfANumberIsFound(t *testing.T) {
	l := newLoad(5000, second/2, 6, func(int, *rand.Rand) bool { return false })
	tokens := make([]float64, len(l.Slow))
	for i := range tokens {
		tokens[i] = math.Round(math.Exp(math.Log(2500) + l.random.NormFloat64()))
		l.Slow[i] = tokens[i] >= 8000 && l.random.IntN(2) == 0 || l.random.IntN(200) == 0
	}
	l.number("prompt_tokens", func(i int) float64 { return tokens[i] })
	l.number("characters", func(i int) float64 { return 4 * tokens[i] })
	l.number("cached", func(i int) float64 {
		if l.Slow[i] && i%2 == 0 {
			return 900 + float64(i)
		}
		return 0
	})
	r := Of(l.Sample, Options{})
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Attribute == "prompt_tokens" || f.Attribute == "characters" })
	if i < 0 || len(r.Findings) != 2 {
		t.Fatalf("found %+v", r.Findings)
	}
	f, scale := r.Findings[i], 1.0
	if f.Attribute == "characters" {
		scale = 4
	}
	// The bound is one of the deciles of the rest on either side of the threshold.
	if f.Value.Kind != Range || f.Value.Low < 5000*scale || f.Value.Low > 8500*scale || !math.IsInf(f.Value.High, 1) || len(f.Same) != 1 {
		t.Errorf("the range is %+v, the same as %+v", f.Value, f.Same)
	}
	// What most requests have is a range of its own: 0 cached tokens.
	f = r.Findings[1-i]
	if f.Attribute != "cached" || f.Value.Low <= 0 || f.Value.Low > 902 || f.Value.Rest != 0 || !math.IsInf(f.Adjusted.Lift, 1) {
		t.Errorf("cached gives %+v", f)
	}
}

// TestNoiseIsRarelyFound makes 200 loads in which nothing differs but the time: findings are
// to be in 5 % of them or fewer. Were it 5 %, more than 16 loads of 200 would be two standard
// deviations too many.
func TestNoiseIsRarelyFound(t *testing.T) {
	const runs = 200
	found, small, tested, timed := 0, 0, 0, 0
	for seed := range uint64(runs) {
		l := newLoad(600, second, seed, func(i int, r *rand.Rand) bool { return r.IntN(600) < 10+(i/100)*20 })
		for a := range 6 {
			l.noise(fmt.Sprintf("noise %d", a), 2+3*a)
		}
		l.add("drift", []string{"x", "y"}, func(i int) int { return l.random.IntN(600+i) / 600 })
		l.number("size", func(int) float64 { return l.random.ExpFloat64() })
		r := Of(l.Sample, Options{})
		found += min(1, len(r.Findings))
		timed += min(1, len(r.TimeOnly))
		for _, a := range r.Attributes {
			tested++
			if a.P <= .05 {
				small++
			}
		}
	}
	if found > 16 {
		t.Errorf("%d of %d loads of noise have findings", found, runs)
	}
	if share := float64(small) / float64(tested); share < .02 || share > .065 {
		t.Errorf("%.3f of the tests have p <= 0.05", share)
	}
	t.Logf("findings in %d, put down to time in %d of %d; %.3f of the tests have p <= 0.05", found, timed, runs, float64(small)/float64(tested))
}

// TestOrderAndCodesDoNotMatter deals the requests anew and numbers the categories anew.
func TestOrderAndCodesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(10, 300).Draw(t, "n")
		l := newLoad(n, rapid.Int64Range(1, 20*second).Draw(t, "interval"), rapid.Uint64().Draw(t, "seed"), oneIn(rapid.IntRange(2, 8).Draw(t, "one in")))
		l.add("host", hosts, func(i int) int {
			if l.Slow[i] {
				return l.random.IntN(2) - 1
			}
			return l.random.IntN(5) - 1
		}).noise("noise", 12)
		l.number("size", func(i int) float64 {
			if x := l.random.IntN(40); x > 0 {
				return float64(x * x)
			}
			return math.NaN()
		})
		if rapid.Bool().Draw(t, "clocks") {
			for range l.Slow {
				l.Clock = append(l.Clock, int32(l.random.IntN(4)-1))
			}
		}
		want := Of(l.Sample, Options{})
		order := l.random.Perm(n)
		dealt := &load{Sample: &Sample{}, random: l.random}
		for _, i := range order {
			dealt.Slow, dealt.Start = append(dealt.Slow, l.Slow[i]), append(dealt.Start, l.Start[i])
			if l.Clock != nil {
				dealt.Clock = append(dealt.Clock, l.Clock[i])
			}
		}
		for _, k := range l.random.Perm(l.Columns) {
			c := l.columns[k]
			if c.Numbers != nil {
				dealt.number(c.Name, func(i int) float64 { return c.Numbers[order[i]] })
				continue
			}
			to := l.random.Perm(len(c.Names))
			renamed := make([]string, len(c.Names))
			for v, name := range c.Names {
				renamed[to[v]] = name
			}
			dealt.add(c.Name, renamed, func(i int) int {
				if v := c.Codes[order[i]]; v >= 0 {
					return to[v]
				}
				return -1
			})
		}
		got := Of(dealt.Sample, Options{Workers: 3})
		want.Options.Workers = 3
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestNamesChangeNothingButNames renames the values in an order of their own.
func TestNamesChangeNothingButNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLoad(rapid.IntRange(50, 400).Draw(t, "n"), second, rapid.Uint64().Draw(t, "seed"), oneIn(4))
		l.add("host", hosts, func(i int) int {
			if l.Slow[i] {
				return l.random.IntN(2)
			}
			return l.random.IntN(4)
		})
		want := Of(l.Sample, Options{})
		back := map[string]string{}
		c := l.columns[0]
		c.Names = rapid.Permutation([]string{"n", "m", "o", "p"}).Draw(t, "names")
		for v, name := range c.Names {
			back[name] = hosts[v]
		}
		l.columns[0] = c
		got := Of(l.Sample, Options{})
		for i := range got.Findings {
			got.Findings[i].Value.Name = back[got.Findings[i].Value.Name]
		}
		byName := cmpopts.SortSlices(func(a, b Finding) bool { return a.Value.Name < b.Value.Name })
		if diff := cmp.Diff(want.Findings, got.Findings, byName, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
