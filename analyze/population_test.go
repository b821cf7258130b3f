package analyze

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// outcome is a request with everything that may leave it out.
type outcome struct {
	given
	aborted bool
	crooked bool // its stage times do not add up
}

// outcomes writes requests, of which those that keep says.
func outcomes(list []outcome, keep func(outcome) bool) *table.Set {
	set := table.NewSet()
	for _, o := range list {
		if !keep(o) {
			continue
		}
		add(set, o.given)
		i := set.Requests.Len() - 1
		set.Requests.Aborted[i] = o.aborted
		set.Requests.OutputTokens[i] = o.tokens
		if o.crooked {
			set.Requests.Stage[stage.GPU][i]++
		}
	}
	return set
}

// anyOutcomes draws requests of every class and outcome.
func anyOutcomes(t *rapid.T, most int) (list []outcome) {
	n := rapid.IntRange(0, most).Draw(t, "requests")
	for i := range n {
		o := outcome{given: given{
			id: uint64(i + 1), class: critical.Class(rapid.IntRange(0, 3).Draw(t, "class")), err: rapid.IntRange(0, 3).Draw(t, "failed") == 0,
			start: int64(i) * 1000 * ms, tokens: rapid.SampledFrom([]int64{table.Missing, 1, 20}).Draw(t, "tokens"), ttft: rapid.Bool().Draw(t, "streamed"), basis: "event",
			times: times(stage.Queue, int(rapid.Int64Range(0, 50).Draw(t, "queue")*ms), stage.GPU, int(rapid.Int64Range(1, 500).Draw(t, "gpu")*ms)),
		}, aborted: rapid.IntRange(0, 3).Draw(t, "aborted") == 0, crooked: rapid.IntRange(0, 7).Draw(t, "crooked") == 0}
		if rapid.IntRange(0, 1).Draw(t, "plain") == 0 {
			o.class, o.err, o.aborted, o.crooked = critical.Complete, false, false, false
		}
		if o.class != critical.Complete {
			o.reason = "missing parent"
		}
		list = append(list, o)
	}
	return list
}

// belongs says by the words of the options, and not by the code of population, whether a
// request is used; else why not.
func (o outcome) belongs(incomplete, errors Inclusion, filter func(outcome) bool) string {
	failed := o.err || o.aborted
	switch {
	case filter != nil && !filter(o):
		return ExcludedFilter
	case o.class == critical.Unfinished:
		return "unfinished"
	case o.class == critical.Broken:
		return "broken"
	case o.class == critical.Incomplete && incomplete == Exclude:
		return "incomplete"
	case o.class == critical.Complete && incomplete == Only:
		return "complete"
	case o.crooked:
		return ExcludedInvalid
	case o.aborted && errors == Exclude:
		return ExcludedAborted
	case o.err && errors == Exclude:
		return ExcludedError
	case !failed && errors == Only:
		return ExcludedSuccess
	}
	return ""
}

// TestEveryRequestIsCountedOnce: under every combination of options each request is used or
// counted under one exclusion, and the error rate stands on complete requests that the
// filter keeps, with aborted ones apart.
func TestEveryRequestIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyOutcomes(t, 40)
		set := outcomes(list, func(outcome) bool { return true })
		for _, incomplete := range []Inclusion{Exclude, Include, Only} {
			for _, errors := range []Inclusion{Exclude, Include, Only} {
				for _, filtered := range []bool{false, true} {
					opt := Options{Incomplete: incomplete, Errors: errors}
					var holds func(outcome) bool
					if filtered {
						opt.Where = where(t, "e2e >= 200ms")
						// What never ended, or is no request, has no duration that could be compared.
						holds = func(o outcome) bool { return o.class <= critical.Incomplete && o.duration() >= 200*ms }
					}
					label := fmt.Sprintf("incomplete %s, errors %s, filter %v", incomplete, errors, filtered)
					rows, p := population(set, opt)
					var want []int32
					var mixed [3]int64
					counts, failed, aborted, of := map[string]int64{}, int64(0), int64(0), int64(0)
					for i, o := range list {
						why := o.belongs(incomplete, errors, holds)
						if counts[why]++; why == "" {
							want = append(want, int32(i))
							switch {
							case o.aborted:
								mixed[1]++
							case o.err:
								mixed[0]++
							}
							if o.class == critical.Incomplete {
								mixed[2]++
							}
						}
						if o.class == critical.Complete && why != ExcludedFilter {
							of++
							if o.aborted {
								aborted++
							} else if o.err {
								failed++
							}
						}
					}
					if diff := cmp.Diff(want, rows, cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("%s: used rows (-want +got):\n%s", label, diff)
					}
					if got := [3]int64{p.Failed, p.Aborted, p.Partial}; got != mixed {
						t.Fatalf("%s: of those used failed, were given up, lack a part: %v, want %v", label, got, mixed)
					}
					sum := p.N
					got := map[string]int64{}
					for k, x := range p.Excluded {
						sum += x.N
						got[x.Kind] += x.N
						if x.N <= 0 {
							t.Fatalf("%s: nothing is counted under %v", label, x)
						}
						for _, y := range p.Excluded[:k] {
							if y.Kind == x.Kind && y.Reason == x.Reason {
								t.Fatalf("%s: %v is there twice", label, x)
							}
						}
					}
					delete(counts, "")
					if diff := cmp.Diff(counts, got, cmpopts.EquateEmpty()); diff != "" || sum != int64(len(list)) || p.Requests != sum {
						t.Fatalf("%s: %d used and left out of %d (-want +got):\n%s", label, sum, p.Requests, diff)
					}
					if e := p.Errors; e.N != failed || e.Of != of || e.Aborted != aborted || e.Bounds != stat.ClopperPearson(failed, of, stat.Confidence) {
						t.Fatalf("%s: error rate %+v, want %d and %d aborted of %d", label, e, failed, aborted, of)
					}
				}
			}
		}
	})
}

// TestNothingUsesWhatIsLeftOut: what is said of latencies is the same as if the requests
// that are left out had never been recorded. Load and what it is compared with count failed
// requests, and say so: there they are left in.
func TestNothingUsesWhatIsLeftOut(t *testing.T) {
	choices := []Inclusion{Exclude, Include, Only}
	rapid.Check(t, func(t *rapid.T) {
		list := anyOutcomes(t, 120)
		opt := Options{
			Incomplete: rapid.SampledFrom(choices).Draw(t, "incomplete"), Errors: rapid.SampledFrom(choices).Draw(t, "errors"), Replicates: 20,
		}
		all := outcomes(list, func(outcome) bool { return true })
		used := outcomes(list, func(o outcome) bool { return o.belongs(opt.Incomplete, opt.Errors, nil) == "" })

		a, b := Summarize(all, opt), Summarize(used, opt)
		same := func(what string, a, b any) {
			t.Helper()
			if diff := unequal(b, a, cmp.AllowUnexported(stat.Sum{}), cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%s (-of those used +of all):\n%s", what, diff)
			}
		}
		same("duration", a.Duration, b.Duration)
		same("ttft", a.TTFT, b.TTFT)
		same("tpot", a.TPOT, b.TPOT)
		same("first token", a.FirstToken, b.FirstToken)
		same("verdict", a.Verdict, b.Verdict)
		same("ttft verdict", a.TTFTVerdict, b.TTFTVerdict)
		same("stalling", a.Stalling, b.Stalling)
		same("queueing", a.Queueing, b.Queueing)
		same("joining", a.Joining, b.Joining)
		same("unattributed", a.Unattributed, b.Unattributed)

		p, q := QueueOf(all, opt, nil), QueueOf(used, opt, nil)
		same("work of waits", p.Work, q.Work)
		same("where", p.Where, q.Where)
		same("who", p.Who, q.Who)

		other := tables(many(60, 5000, given{times: times(stage.GPU, int(100*ms))}))
		c, d := Compare(all, other, opt, change.Rule{}), Compare(used, other, opt, change.Rule{})
		same("mix", c.Mix, d.Mix)
		same("used", c.Base.Population.N, d.Base.Population.N)
		for k := range c.Metrics {
			x, y := c.Metrics[k], d.Metrics[k]
			same(x.Metric+" n", x.N, y.N)
			same(x.Metric+" undefined", x.Undefined, y.Undefined)
			same(x.Metric+" test", x.Effect, y.Effect)
			for j := range x.Percentiles {
				same(x.Metric+" percentile", x.Percentiles[j].Base, y.Percentiles[j].Base)
			}
		}
	})
}
