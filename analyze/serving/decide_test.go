package serving

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// train returns n requests that come at once to engine 0 and are served one after the
// other, 1 s each: parts say how the second of each is spent, in tenths, and before how it
// waits for its turn.
func train(n int64, before What, parts ...What) Capture {
	var c Capture
	for i := range n {
		c.Requests = append(c.Requests, plain(0, (i+1)*second, 0))
		if i > 0 {
			c.Intervals = append(c.Intervals, Interval{0, i * second, 0, before})
		}
		for k, what := range parts {
			from := i*second + int64(k)*second/int64(len(parts))
			c.Intervals = append(c.Intervals, Interval{from, from + second/int64(len(parts)), 0, what})
		}
	}
	return c
}

// abreast returns what c has, n times at the same time.
func abreast(n int, c Capture) Capture {
	c.Requests, c.Intervals = slices.Repeat(c.Requests, n), slices.Repeat(c.Intervals, n)
	return c
}

func with(c Capture, slots, kv float64) Capture {
	if slots > 0 {
		c.Slots = []Sample{{0, 0, slots}}
	}
	if kv > 0 {
		c.KV = []Sample{{0, 0, kv}}
	}
	return c
}

// TestEverySignature has a capture for each answer, and what it takes away from it to know
// less.
func TestEverySignature(t *testing.T) {
	twoReplicas := abreast(3, train(1, Queue, GPU))
	twoReplicas.Slots = []Sample{{0, 1, 8}}
	inBursts := abreast(3, train(1, Queue, GPU))
	inBursts.FromNS, inBursts.ToNS = 0, 5*second
	for _, c := range []struct {
		name     string
		capture  Capture
		recorded Kinds
		want     Verdict
	}{
		{"one at a time, all of it GPU work", train(1, Queue, GPU), Everything, Verdict{Kind: Answered, Signature: NoSaturation}},
		{"and no GPU work recorded", train(1, Queue), KindsOf(Gateway, Queue, Host, Transfer), Verdict{Kind: CannotSay, Missing: []string{missGPU}}},
		{"and no interval of what it did", train(1, Queue), Everything, Verdict{Kind: CannotSay, Missing: []string{missUnseen}}},
		{"at the gateway", train(4, Gateway, GPU, Host), Everything, Verdict{Kind: Answered, Signature: GatewayLimit}},
		{"and no queue recorded", train(4, Gateway, GPU, Host), KindsOf(Gateway), Verdict{Kind: CannotSay, Missing: []string{missKind(Queue), missKind(Transfer)}}},
		{"queued, one slot", with(train(4, Queue, GPU, Host), 1, 0), Everything, Verdict{Kind: Answered, Signature: SlotsFull}},
		{"and no slots known", train(4, Queue, GPU, Host), Everything, Verdict{Kind: CannotSay, Missing: []string{missSlots}}},
		{"whatever waits at the gateway, since the queue is not empty", with(train(4, Queue, GPU, Host), 1, 0), 0, Verdict{Kind: Answered, Signature: SlotsFull}},
		{"queued, one slot, GPU busy", with(train(4, Queue, GPU), 1, 0), Everything, Verdict{Kind: DeviceBusy}},
		{"queued, slots free, KV full", with(train(4, Queue, GPU, Host), 8, .9), Everything, Verdict{Kind: Answered, Signature: KVFull}},
		{"queued, slots free, GPU busy, KV full", with(train(4, Queue, GPU), 8, .95), Everything, Verdict{Kind: Answered, Signature: KVFull}},
		{"queued, slots free, KV not full", with(train(4, Queue, GPU, Host), 8, .79), Everything, Verdict{Kind: NoneFits}},
		{"queued, slots free, KV nearly full", with(train(4, Queue, GPU, Host), 8, .89), Everything, Verdict{Kind: CannotSay, Missing: []string{missKV}}},
		{"queued, KV not full, slots unknown", with(train(4, Queue, GPU), 0, .5), Everything, Verdict{Kind: DeviceBusy}},
		{"queued, slots free, KV unknown", with(train(4, Queue, GPU, Host), 8, 0), Everything, Verdict{Kind: CannotSay, Missing: []string{missKV}}},
		{"copies", train(1, Queue, Transfer, GPU), Everything, Verdict{Kind: Answered, Signature: TransferBound}},
		{"host work of three at once", abreast(3, train(1, Queue, Host, GPU)), Everything, Verdict{Kind: Answered, Signature: HostBound}},
		{"host work of one", train(1, Queue, Host, GPU), Everything, Verdict{Kind: NoneFits}},
		{"and the kinds not declared", abreast(3, train(1, Queue, Host, GPU)), 0, Verdict{Kind: CannotSay, Otherwise: HostBound, Missing: []string{missKind(Gateway), missKind(Queue), missKind(Transfer)}}},
		{"one of two replicas", twoReplicas, Everything, Verdict{Kind: Answered, Signature: ReplicaSkew}},
		{"all at once, then nothing", inBursts, Everything, Verdict{Kind: Answered, Signature: Bursts}},
		{"all at once, and the GPU waits in the burst", with(train(4, Queue, GPU, Host), 8, .5), Everything, Verdict{Kind: NoneFits}},
		{"three at once all the time", abreast(3, train(1, Queue, GPU)), Everything, Verdict{Kind: NoneFits}},
		{"nothing", Capture{}, Everything, Verdict{Kind: CannotSay, Missing: []string{missEngines, missTime, missBuckets}}},
	} {
		got := Of(c.capture, Options{Recorded: c.recorded, Replicas: Is(true)}).Table
		v := got.Verdict
		if v.Kind != c.want.Kind || v.Signature != c.want.Signature || v.Otherwise != c.want.Otherwise {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, m := range c.want.Missing {
			if !slices.Contains(v.Missing, m) || !strings.Contains(v.Text, m) {
				t.Errorf("%s: %q misses %q, and should %q", c.name, v.Text, v.Missing, m)
			}
		}
		if v.Kind != CannotSay && len(v.Missing) > 0 {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestRowOfOneEngineIsItsOwn: a table of an engine is about it, where that of the capture
// mixes engines.
func TestRowOfOneEngineIsItsOwn(t *testing.T) {
	c := with(train(4, Queue, GPU, Host), 1, 0)
	for k := range int64(40) {
		c.Requests = append(c.Requests, plain(k*100*ms, (k+1)*100*ms, 1))
		c.Intervals = append(c.Intervals, Interval{k * 100 * ms, (k + 1) * 100 * ms, 1, GPU})
	}
	r := Of(c, Options{Recorded: Everything})
	if a, b := r.Engines[0].Table.Verdict.Signature, r.Engines[1].Table.Verdict.Signature; a != SlotsFull || b != NoSaturation {
		t.Errorf("%s, %s", a, b)
	}
}

// TestUnplacedWaitsLeaveDoubt: a wait of no engine may have been at an idle one, and GPU
// work of no engine at one that seems idle.
func TestUnplacedWaitsLeaveDoubt(t *testing.T) {
	c := train(1, Queue, GPU)
	c.Intervals = append(c.Intervals, Interval{0, second / 10, NoEngine, Gateway})
	row := Of(c, Options{Recorded: Everything}).Table.Rows[0]
	if row.Speaks != Silent || !slices.Equal(row.Missing, []string{missEngines}) {
		t.Errorf("%+v", row)
	}
	c = train(1, Queue, GPU, Host)
	c.Intervals = append(c.Intervals, Interval{second / 2, second, NoEngine, GPU})
	if row = Of(c, Options{Recorded: Everything}).Table.Rows[0]; row.Speaks != Silent {
		t.Errorf("%+v", row)
	}
	c = with(train(4, Queue, GPU, Host), 1, 0)
	c.Intervals = append(c.Intervals, Interval{0, 4 * second, NoEngine, GPU})
	if row = Of(c, Options{Recorded: Everything}).Table.Rows[2]; row.Speaks != Silent {
		t.Errorf("%+v", row)
	}
	c = train(1, Queue, Host, GPU)
	c.Intervals = append(c.Intervals, Interval{0, second / 2, NoEngine, Host})
	if row = Of(c, Options{Recorded: Everything}).Table.Rows[5]; row.Speaks != Silent {
		t.Errorf("%+v", row)
	}
	c = train(1, Queue, GPU)
	c.Requests = append(c.Requests, plain(0, second, NoEngine), plain(0, second, NoEngine))
	if f := Of(c, Options{Recorded: Everything}).Table.Rows[0].Figures[1]; f.Says != Silent || f.Low != 1 || f.High != 3 {
		t.Errorf("%+v", f)
	}
	// Without any engine the gateway's row can tell, and the first cannot.
	c = Capture{Requests: []Request{plain(0, second, NoEngine)}, Intervals: []Interval{{0, second, NoEngine, Gateway}}}
	if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != CannotSay || v.Otherwise != GatewayLimit || !slices.Equal(v.Missing, []string{missEngines}) {
		t.Errorf("%+v", v)
	}
	// Too short to matter.
	c = train(1, Queue, GPU)
	c.Intervals = append(c.Intervals, Interval{0, second / 1000, NoEngine, Gateway})
	if row = Of(c, Options{Recorded: Everything}).Table.Rows[0]; row.Speaks != For {
		t.Errorf("%+v", row)
	}
}

// TestQueueOfNoEngineLeavesDoubt: whether slots or the KV cache were full while requests
// queued is unknown as far as it is not known where they did.
func TestQueueOfNoEngineLeavesDoubt(t *testing.T) {
	nowhere := func(c Capture, from int) Capture {
		for i := range c.Intervals {
			if c.Intervals[i].What == Queue && i >= from {
				c.Intervals[i].Engine = NoEngine
			}
		}
		return c
	}
	all := func(c Capture) Capture { return nowhere(c, 0) }
	most := func(c Capture) Capture { return nowhere(c, 6) } // 2 s with a queue at the engine, and a wait of 3 s at none
	slotsFull, kvFull := with(train(4, Queue, GPU, Host), 1, 0), with(train(4, Queue, GPU, Host), 8, .95)
	for _, c := range []struct {
		name    string
		capture Capture
		row     int
		want    Speaks
		missing []string
	}{
		{"slots", all(with(train(4, Queue, GPU, Host), 1, 0)), 2, Silent, []string{missEngines}},
		{"slots, no reading", all(train(4, Queue, GPU, Host)), 2, Silent, []string{missEngines}},
		{"slots, known of one wait", most(with(train(4, Queue, GPU, Host), 1, 0)), 2, Silent, []string{missEngines}},
		{"KV", all(with(train(4, Queue, GPU, Host), 8, .95)), 3, Silent, []string{missEngines}},
		{"KV, no reading", all(train(4, Queue, GPU, Host)), 3, Silent, []string{missEngines}},
		{"KV, known of one wait", most(with(train(4, Queue, GPU, Host), 8, .95)), 3, Silent, []string{missEngines}},
		{"slots, all known", slotsFull, 2, For, nil},
		{"KV, all known", kvFull, 3, For, nil},
		{"nobody queued", train(1, Queue, GPU), 2, Against, nil},
	} {
		r := Of(c.capture, Options{Recorded: Everything})
		row := r.Table.Rows[c.row]
		if row.Speaks != c.want || !slices.Equal(row.Missing, c.missing) || c.want == Silent && len(row.Figures) < 2 {
			t.Errorf("%s: %+v", c.name, row)
		}
		if v := r.Table.Verdict; c.want == Silent && v.Kind != CannotSay {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	// Too short to matter.
	c := with(train(4, Queue, GPU, Host), 1, 0)
	c.Intervals = append(c.Intervals, Interval{0, second / 1000, NoEngine, Queue})
	if row := Of(c, Options{Recorded: Everything}).Table.Rows[2]; row.Speaks != For {
		t.Errorf("%+v", row)
	}
}

// TestDarkEngineLeavesDoubt: an engine with requests and no GPU interval was idle only if
// its GPU work would have been recorded.
func TestDarkEngineLeavesDoubt(t *testing.T) {
	c := abreast(3, train(1, Queue, GPU))
	for range 3 {
		c.Requests = append(c.Requests, plain(0, second, 1))
		c.Intervals = append(c.Intervals, Interval{0, second, 1, Queue})
	}
	c.Slots = []Sample{{0, 1, 3}}
	all := Everything
	r := Of(c, Options{Recorded: all &^ KindsOf(GPU), Replicas: Is(true)})
	if r.Engines[1].GPUKnown || r.Skew.Replicas != 1 || r.Table.Rows[6].Speaks != Silent || r.Engines[1].Table.Rows[0].Speaks == For {
		t.Errorf("%+v", r)
	}
	if r.Engines[0].Table.Rows[6].Speaks != Silent {
		t.Errorf("%+v", r.Engines[0].Table.Rows[6])
	}
	one := Capture{Requests: []Request{plain(0, second, 0), plain(0, second, 1)}, Intervals: []Interval{{0, second, 0, GPU}, {0, second, 1, Queue}}}
	if row := Of(one, Options{Recorded: all &^ KindsOf(GPU)}).Table.Rows[0]; row.Speaks != Silent || row.Figures[0].Low != 0 || row.Figures[0].High != .5 {
		t.Errorf("%+v", row)
	}
	r = Of(c, Options{Recorded: all, Replicas: Is(true)})
	if !r.Engines[1].GPUKnown || r.Skew.Replicas != 2 || r.Table.Rows[6].Speaks != For {
		t.Errorf("%+v", r)
	}
	// Without requests there is nothing that a GPU could have done.
	c.Requests, c.Intervals = c.Requests[:3], c.Intervals[:3]
	if r = Of(c, Options{Replicas: Is(true)}); !r.Engines[1].GPUKnown || r.Table.Rows[6].Speaks != For {
		t.Errorf("%+v", r)
	}
}

// TestGates holds which side of a gate is which, and that what may lie on both is silent.
func TestGates(t *testing.T) {
	up := math.Nextafter(.5, 1)
	for _, c := range []struct {
		low, high      float64
		below, atLeast Speaks
	}{
		{.5, .5, Against, For}, {.4, .4, For, Against}, {.4, .5, Silent, Silent}, {.5, up, Against, For}, {0, .4, For, Against}, {0, 1, Silent, Silent},
	} {
		var r Row
		r.below("x", bounds{low: c.low, high: c.high}, .5, 1, OfRequests, "m")
		r.atLeast("x", bounds{low: c.low, high: c.high}, .5, 1, OfRequests, "m")
		if r.Figures[0].Says != c.below || r.Figures[1].Says != c.atLeast {
			t.Errorf("%+v: %+v", c, r.Figures)
		}
	}
}

// TestSilentRowIsNotSkipped draws what rows say: a signature is the answer when it is the
// first to speak and none before it is silent.
func TestSilentRowIsNotSkipped(t *testing.T) {
	order := []Signature{NoSaturation, GatewayLimit, SlotsFull, KVFull, TransferBound, HostBound, ReplicaSkew, Bursts, Device}
	rapid.Check(t, func(t *rapid.T) {
		var rows []Row
		for _, s := range order {
			r := newRow(s)
			for range rapid.IntRange(1, 3).Draw(t, "figures") {
				v := rapid.SampledFrom([]bounds{exactly(0), exactly(1), anything, {undefined: true}}).Draw(t, "is")
				r.atLeast("x", v, .5, 1, OfRequests, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "missing"))
			}
			rows = append(rows, r.done())
		}
		wellFormed(t, tableOf(rows, exactly(rapid.Float64Range(0, 1).Draw(t, "device")), "x"))
	})
}

// TestEveryFigureCounts has, for each figure of a row, a capture in which it alone speaks
// against the signature.
func TestEveryFigureCounts(t *testing.T) {
	halfBusy := abreast(3, train(1, Queue, GPU))
	halfBusy.FromNS, halfBusy.ToNS, halfBusy.Slots = 0, 2*second, []Sample{{0, 1, 8}}
	bothBusy := abreast(3, train(1, Queue, GPU))
	bothBusy.Requests, bothBusy.Intervals = append(bothBusy.Requests, plain(0, 900*ms, 1)), append(bothBusy.Intervals, Interval{0, 900 * ms, 1, GPU})
	thin := Capture{FromNS: 0, ToNS: 2 * second}
	paced := Capture{FromNS: 0, ToNS: 2 * second}
	for k := range int64(10) {
		for range 30 {
			thin.Requests = append(thin.Requests, plain(k*200*ms, k*200*ms+30*ms, 0))
			paced.Requests = append(paced.Requests, plain(k*100*ms, (k+1)*100*ms, 0), plain((k+10)*100*ms, (k+10)*100*ms, 0))
		}
		thin.Intervals = append(thin.Intervals, Interval{k * 200 * ms, k*200*ms + 30*ms, 0, GPU})
		paced.Intervals = append(paced.Intervals, Interval{k * 100 * ms, (k + 1) * 100 * ms, 0, GPU})
	}
	copied, brief := train(3, Queue, GPU), abreast(3, train(1, Queue, GPU))
	for i := range int64(3) {
		copied.Intervals = append(copied.Intervals, Interval{i * second, i*second + second/2, 0, Transfer})
	}
	brief.Intervals = append(brief.Intervals, Interval{0, second / 10, 0, Queue})
	// Half a second in which two are in host work and no other is left.
	hosted := train(4, Queue, GPU)
	for _, i := range []int{2, 3} {
		from := hosted.Requests[3].EndNS
		hosted.Requests[i].EndNS = 9 * second / 2
		hosted.Intervals = append(hosted.Intervals, Interval{0, second, 0, Host}, Interval{min(from, 4*second), 9 * second / 2, 0, Host})
	}
	for _, c := range []struct {
		row     Signature
		against string
		capture Capture
	}{
		{NoSaturation, "idle_while_waiting", train(1, Queue, GPU, Host)},
		{NoSaturation, "mean_in_flight_while_work_is_present", abreast(2, train(1, Queue, GPU))},
		{SlotsFull, "slots_full_while_queued", with(train(4, Queue, GPU, Host), 2, 0)},
		{SlotsFull, "busy_while_queued", with(train(4, Queue, GPU), 1, 0)},
		{KVFull, "slots_free_and_kv_full_while_queued", with(train(4, Queue, GPU), 8, .7)},
		{HostBound, "host_share_of_request_time", abreast(3, train(1, Queue, Host, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU))},
		{HostBound, "several_in_host_work_and_gpu_idle", train(1, Queue, Host, GPU)},
		{ReplicaSkew, "replicas", train(1, Queue, GPU)},
		{ReplicaSkew, "busiest", halfBusy},
		{ReplicaSkew, "busiest_over_mean", bothBusy},
		{Bursts, "busy", abreast(100, train(1, Queue, GPU))},
		{Bursts, "busy_while_work_is_present", with(train(4, Queue, GPU, Host), 8, .5)},
		{Bursts, "busy_time_in_full_buckets", thin},
		{Bursts, "dispersion_of_arrivals", paced},
		{TransferBound, "queued_while_busy_share_of_request_time", copied},
		{HostBound, "queued_while_busy_share_of_request_time", hosted},
		{Device, "queue_share_of_request_time", brief},
		{Device, "busy_while_queued", with(train(4, Queue, GPU, Host), 8, .5)},
	} {
		rows := Of(c.capture, Options{Recorded: Everything, Replicas: Is(true)}).Table.Rows
		row := rows[slices.IndexFunc(rows, func(r Row) bool { return r.Signature == c.row })]
		var against []string
		for _, f := range row.Figures {
			if f.Says != For {
				against = append(against, f.Name)
			}
		}
		if row.Speaks != Against || !slices.Equal(against, []string{c.against}) {
			t.Errorf("%s by %s: %v", c.row, c.against, row.Figures)
		}
	}
	if row := Of(with(train(4, Queue, GPU, Host), 0, .95), Options{Recorded: Everything}).Table.Rows[3]; !slices.Equal(row.Missing, []string{missSlots}) {
		t.Errorf("%+v", row)
	}
}
