package serving

import (
	"slices"
	"strings"
	"testing"
)

// TestBusyWithoutAQueueIsNoLimit: engines that execute something all the time may have room
// for more of it, and nobody waits.
func TestBusyWithoutAQueueIsNoLimit(t *testing.T) {
	c := abreast(3, train(1, Queue, Host, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU))
	r := Of(c, Options{Recorded: Everything})
	want := "no signature fits: no limit was seen; the engines execute something for 90 % of the time, and how full the device is meanwhile is not recorded"
	for _, v := range []Verdict{r.Table.Verdict, r.Engines[0].Table.Verdict} {
		if v.Kind != NoneFits || v.Text != want {
			t.Errorf("%+v", v)
		}
	}
	c = abreast(3, train(1, Queue, Host, Transfer, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU))
	if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != NoneFits || v.Text != "no signature fits: the GPU is busy for 80 % of the time" {
		t.Errorf("%+v", v)
	}
	// What ran at no engine may have run while this one was idle.
	c.Intervals = append(c.Intervals, Interval{0, 3 * second / 20, NoEngine, GPU})
	for i := range c.Requests {
		c.Requests[i].StartNS = int64(i) * 100 * ms
	}
	if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != NoneFits || v.Text != "no signature fits: the GPU is busy for 80 to 95 % of the time" {
		t.Errorf("%+v", v)
	}
}

// TestDeviceIsBusyFromTheGate has a GPU that is busy for nine tenths, exactly, of the time
// with a queue, and queues that take a fifth of the requests' time, or a tenth, or less.
func TestDeviceIsBusyFromTheGate(t *testing.T) {
	c := with(train(4, Queue, Host, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU), 8, .5)
	v := Of(c, Options{Recorded: Everything}).Table.Verdict
	if v.Kind != DeviceBusy || v.Signature != "" || v.Text != "the device: requests are in the engines' queues for 60 % of their time, and the GPU is busy for 90 % of the time with a queue" {
		t.Errorf("%+v", v)
	}
	for ns, want := range map[int64]Kind{second: DeviceBusy, second - 10: CannotSay, 10: CannotSay} {
		c = abreast(10, train(1, Queue, GPU))
		c.Slots, c.KV = []Sample{{0, 0, 90}}, []Sample{{0, 0, .5}}
		c.Intervals = append(c.Intervals, Interval{0, second, 0, Queue}, Interval{0, ns, 0, Queue})
		if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != want {
			t.Errorf("a queue for a second and %d ns of 10 s: %+v", ns, v)
		}
	}
	c.Intervals = append(c.Intervals[:len(c.Intervals)-2], Interval{0, second - 10, 0, Queue})
	if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != NoneFits {
		t.Errorf("less than a tenth: %+v", v)
	}
}

// longAhead has requests that queue behind long ones for two thirds of their time while the
// GPU is busy, and then nothing for a while: as prompts of an engine do that takes one long
// prompt at a time.
func longAhead() Capture {
	c := Capture{FromNS: 0, ToNS: 7300 * ms, Slots: []Sample{{0, 0, 64}}, KV: []Sample{{150 * ms, 0, .2}}}
	for i := range int64(6) {
		c.Requests = append(c.Requests, plain(i*150*ms, (i+1)*second, 0))
		c.Intervals = append(c.Intervals, Interval{i * 150 * ms, i * second, 0, Queue}, Interval{i * second, (i + 1) * second, 0, GPU})
	}
	return c
}

// TestQueueForABusyDevice: where requests queue while the GPU is busy it is the device, though
// it is idle at other times, and though others might hold requests up for the rest of theirs.
func TestQueueForABusyDevice(t *testing.T) {
	all := Everything
	for _, c := range []struct {
		name    string
		change  func(*Capture)
		opt     Options
		want    Verdict
		missing string
	}{
		{"all known", nil, Options{Recorded: all}, Verdict{Kind: DeviceBusy}, ""},
		{"copies unknown", nil, Options{Recorded: all &^ KindsOf(Transfer)}, Verdict{Kind: DeviceBusy}, ""},
		{"host work unknown", nil, Options{Recorded: all &^ KindsOf(Host)}, Verdict{Kind: DeviceBusy}, ""},
		{"waits in front unknown, and the queue not empty", nil, Options{Recorded: 0}, Verdict{Kind: DeviceBusy}, ""},
		{"slots unknown", func(c *Capture) { c.Slots = nil }, Options{Recorded: all}, Verdict{Kind: DeviceBusy}, ""},
		{"slots full", func(c *Capture) { c.Slots[0].Value = 1 }, Options{Recorded: all}, Verdict{Kind: DeviceBusy}, ""},
		{"KV full", func(c *Capture) { c.KV[0].Value = .95 }, Options{Recorded: all}, Verdict{Kind: Answered, Signature: KVFull}, ""},
		{"KV unknown", func(c *Capture) { c.KV = nil }, Options{Recorded: all}, Verdict{Kind: CannotSay, Otherwise: Device}, missKV},
		{"a short queue of no engine", func(c *Capture) { c.Intervals = append(c.Intervals, Interval{0, 100 * ms, NoEngine, Queue}) }, Options{Recorded: all}, Verdict{Kind: DeviceBusy}, ""},
		{"a long queue of no engine", func(c *Capture) { c.Intervals[2].Engine = NoEngine }, Options{Recorded: all}, Verdict{Kind: CannotSay}, missEngines},
		{"GPU work of an engine unknown", func(c *Capture) {
			c.Requests = append(c.Requests, plain(0, second, 1))
			c.Intervals = append(c.Intervals, Interval{0, second / 2, 1, Queue})
			c.Slots, c.KV = append(c.Slots, Sample{0, 1, 64}), append(c.KV, Sample{0, 1, .2})
		}, Options{Recorded: all &^ KindsOf(GPU)}, Verdict{Kind: CannotSay, Otherwise: Device}, missGPU},
	} {
		x := longAhead()
		if c.change != nil {
			c.change(&x)
		}
		v := Of(x, c.opt).Table.Verdict
		if v.Kind != c.want.Kind || v.Signature != c.want.Signature || v.Otherwise != c.want.Otherwise || c.missing != "" && !slices.Contains(v.Missing, c.missing) {
			t.Errorf("%s: %+v", c.name, v)
		}
		if v.Otherwise == Device && !strings.HasSuffix(v.Text, "if none of them holds it is the device") {
			t.Errorf("%s: %s", c.name, v.Text)
		}
	}
	// Where the queue takes less than half of the time, copies may take as much.
	c := longAhead()
	for i := range c.Requests {
		c.Requests[i].EndNS += 3 * second
	}
	if v := Of(c, Options{Recorded: all &^ KindsOf(Transfer)}).Table.Verdict; v.Kind != CannotSay || v.Otherwise != Device || !slices.Contains(v.Missing, missKind(Transfer)) {
		t.Errorf("%+v", v)
	}
}

// TestQueueOutweighsCopies: copies that take a fifth of the requests' time hold them up, unless
// a queue for a busy GPU takes half of it; where that is open, so are they.
func TestQueueOutweighsCopies(t *testing.T) {
	queued := func(parts ...What) Capture {
		c := with(train(6, Queue, parts...), 8, .5)
		c.Intervals = append(c.Intervals, Interval{0, 5 * second, 0, Transfer})
		return c
	}
	nine, eight := queued(Host, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU), queued(Host, Host, GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU)
	elsewhere, beside := longAhead(), queued(GPU)
	elsewhere.Intervals[2].Engine = NoEngine
	elsewhere.Intervals = append(elsewhere.Intervals, Interval{0, 5 * second, 0, Transfer})
	beside.Intervals = append(beside.Intervals, Interval{0, second, NoEngine, GPU})
	for _, c := range []struct {
		name      string
		capture   Capture
		copies    Speaks
		low, high float64 // queued while busy; 0 where that is not asked
		want      Verdict
	}{
		{"GPU busy for nine tenths", nine, Against, 13.5 / 21, 13.5 / 21, Verdict{Kind: DeviceBusy}},
		{"GPU busy for eight tenths", eight, For, 0, 0, Verdict{Kind: Answered, Signature: TransferBound}},
		{"much queues at no engine", elsewhere, Silent, 0, 12.75 / 18.75, Verdict{Kind: CannotSay}},
		{"GPU work of no engine beside that of one", beside, Against, 15. / 21, 15. / 21, Verdict{Kind: DeviceBusy}},
	} {
		table := Of(c.capture, Options{Recorded: Everything}).Table
		row, v := table.Rows[4], table.Verdict
		if row.Speaks != c.copies || v.Kind != c.want.Kind || v.Signature != c.want.Signature || v.Otherwise != "" {
			t.Errorf("%s: %+v, %+v", c.name, row, v)
		}
		if asked := len(row.Figures) == 2; asked != (c.high > 0) {
			t.Errorf("%s: %v", c.name, row.Figures)
		} else if asked {
			near(t, c.name, row.Figures[1].Low, c.low, 1e-12)
			near(t, c.name, row.Figures[1].High, c.high, 1e-12)
		}
	}
}

// TestUnknownBusyLeavesTheDeviceOpen: whether it is the device is asked like all else.
func TestUnknownBusyLeavesTheDeviceOpen(t *testing.T) {
	// Slots and memory are free, and somebody runs at no known engine while the queue waits.
	c := with(train(4, Queue, GPU, Host), 64, .2)
	for i := range int64(3) {
		c.Intervals = append(c.Intervals, Interval{i*second + second/2, (i + 1) * second, NoEngine, GPU})
	}
	table := Of(c, Options{Recorded: Everything}).Table
	device := table.Rows[len(table.Rows)-1]
	if device.Signature != Device || device.Speaks != Silent || !slices.Contains(device.Missing, missEngines) || table.Verdict.Kind != CannotSay || !strings.Contains(table.Verdict.Text, "the device cannot be decided without") {
		t.Errorf("%+v", table)
	}
	// Nor is it known of an engine with a queue of its own and no GPU work that is told.
	c = longAhead()
	c.Requests = append(c.Requests, plain(0, 2*second, 1))
	c.Intervals = append(c.Intervals, Interval{0, 2 * second, 1, Queue})
	all := Everything
	row := Of(c, Options{Recorded: all &^ KindsOf(GPU)}).Table.Rows[8]
	if f := row.Figures[1]; row.Speaks != Silent || !slices.Equal(row.Missing, []string{missGPU}) || f.High != 1 {
		t.Errorf("%+v", row)
	}
	near(t, "busy at least", row.Figures[1].Low, 4.85/6.85, 1e-12)
}

// TestGatewayShareNeedsTheOtherWaits has requests that are at the gateway for 15 % of their
// time and execute for the rest: how much of that is waits is open where those are not told.
func TestGatewayShareNeedsTheOtherWaits(t *testing.T) {
	var c Capture
	for i := range int64(30) {
		s := i * second
		c.Requests = append(c.Requests, plain(s, s+5*second, 0))
		c.Intervals = append(c.Intervals, Interval{s, s + 750*ms, 0, Gateway}, Interval{s + 750*ms, s + 750*ms + 1000, 0, Queue}, Interval{s + 750*ms + 1000, s + 5*second, 0, GPU})
	}
	at := 30 * 750 * ms // at the gateway, in all
	for _, x := range []struct {
		name     string
		recorded Kinds
		hidden   map[What]int64
		low      float64
		missing  []string
	}{
		{"all told", Everything, nil, 1, nil},
		{"host work and copies not told", 0, nil, 0, []string{missKind(Host), missKind(Transfer)}},
		{"copies not told", KindsOf(Host), nil, 0, []string{missKind(Transfer)}},
		{"copies within bounds", KindsOf(Host), map[What]int64{Transfer: at / 2}, 2. / 3, nil},
		{"copies within wide bounds", KindsOf(Host), map[What]int64{Transfer: at * 3}, .25, []string{missKind(Transfer)}},
		{"both within bounds", 0, map[What]int64{Transfer: at, Host: at}, 1. / 3, []string{missKind(Host), missKind(Transfer)}},
		{"one within bounds", 0, map[What]int64{Transfer: at}, 0, []string{missKind(Host), missKind(Transfer)}},
	} {
		opt := Options{Recorded: x.recorded}
		for w, ns := range x.hidden {
			opt.Hidden[w] = Is(product(ns, 1))
		}
		row := Of(c, opt).Table.Rows[1]
		f := row.Figures[0]
		near(t, x.name, f.Low, x.low, 1e-4)
		near(t, x.name, f.High, 1, 1e-4)
		if !slices.Equal(f.Missing, x.missing) || (row.Speaks == For) != (x.missing == nil) {
			t.Errorf("%s: %+v", x.name, row)
		}
	}
}
