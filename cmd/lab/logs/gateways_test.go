package logs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"

	"pgregory.net/rapid"
)

var gatewayKinds = []string{"nginx", "envoy", "envoy-json", "haproxy"}

// logged are the visits of a gateway's log in the order of its lines.
func logged(c *simulate.Capture, host string) []*simulate.Visit {
	var visits []*simulate.Visit
	for i := range c.Visits {
		if v := &c.Visits[i]; v.GatewayStart > 0 && v.GatewayHost == host {
			visits = append(visits, v)
		}
	}
	visits = oneALine(visits)
	slices.SortStableFunc(visits, func(a, b *simulate.Visit) int { return int(gatewayEnd(a) - gatewayEnd(b)) })
	return visits
}

// oneALine leaves one visit of those of two servers that serve one request: the decoding
// one, for which the gateway began to wait when it asked the first of the two.
func oneALine(visits []*simulate.Visit) []*simulate.Visit {
	var out []*simulate.Visit
	for _, v := range visits {
		if v.Role == simulate.RolePrefill {
			continue
		}
		whole := *v
		for _, leg := range visits {
			if leg.Role == simulate.RolePrefill && leg.Request == v.Request && leg.Attempt == v.Attempt && leg.UpstreamStart > 0 {
				whole.UpstreamStart, whole.Connected = leg.UpstreamStart, leg.Connected
				if v.UpstreamStart == 0 {
					whole.ServerAddr = leg.ServerAddr
				}
			}
		}
		out = append(out, &whole)
	}
	return out
}

// TestGateways reads the gateways' logs of every scenario with every server.
func TestGateways(t *testing.T) {
	everyCapture(t, 120, func(t *testing.T, c *simulate.Capture) { checkGateways(t, c) })
}

// checkGateways demands of each gateway kind that every line tells its visit: as fields
// of the line, and as the span that the whole reader makes of it.
func checkGateways(t rapid.TB, c *simulate.Capture) {
	for _, kind := range gatewayKinds {
		for _, f := range write(t, c, kind) {
			visits, lines := logged(c, f.Host), textLines(f)
			if len(lines) != len(visits) {
				t.Fatalf("%s: %d lines for %d visits", f.Name, len(lines), len(visits))
			}
			format := builtin(t, formatOf[kind])
			scratch := format.NewScratch()
			r := readBack(t, c, f)
			r.mustNot(t, "log-impossible-time")
			for i, v := range visits {
				record, fields := values(t, format, scratch, lines[i])
				checkFields[kind](t, &exchange{c: c, v: v, record: record, fields: fields})
				checkGatewaySpan(t, c, r, i, v)
				if t.Failed() {
					t.Fatalf("%s: visit %+v\n%s", f.Name, *v, lines[i])
				}
			}
		}
	}
}

// checkGatewaySpan compares row i of the spans with a visit.
func checkGatewaySpan(t rapid.TB, c *simulate.Capture, r *readLog, i int, v *simulate.Visit) {
	sp := &r.set.Spans
	bound := sp.Error[i] + 1
	within(t, "start", sp.Start[i], c.Shown(v.GatewayHost, v.GatewayStart), bound)
	within(t, "end", sp.End[i], c.Shown(v.GatewayHost, gatewayEnd(v)), bound+ms)
	sum := int64(0)
	for _, ns := range r.parts(i) {
		sum += ns
	}
	if sum != sp.End[i]-sp.Start[i] {
		t.Errorf("parts are %d ns of %d", sum, sp.End[i]-sp.Start[i])
	}
	// Of a response that had begun only HAProxy says that nobody waited for its end.
	begun := v.Status == 499 && v.FirstByte > 0
	if failed := table.StatusNames[sp.Status[i]] == "ERROR"; !begun && failed != (v.Status >= 400) {
		t.Errorf("failed is %v, status %d", failed, v.Status)
	}
	if sp.RequestID[i] != "" && sp.RequestID[i] != v.RequestID {
		t.Errorf("request id is %q", sp.RequestID[i])
	}
}

// exchange is a visit and the fields of its line.
type exchange struct {
	c      *simulate.Capture
	v      *simulate.Visit
	record string
	fields map[string]match.Value
}

// shown is what the gateway's clock shows.
func (x *exchange) shown(at int64) int64 { return x.c.Shown(x.v.GatewayHost, at) }

// between is from one instant to another by the gateway's clock, in ns.
func (x *exchange) between(from, to int64) int64 { return x.shown(to) - x.shown(from) }

// ns is a field, of which a list has one item.
func (x *exchange) ns(name string) (int64, bool) {
	v, ok := x.fields[name]
	if !ok {
		return 0, false
	}
	if len(v.List) > 0 {
		return v.List[0].Int, v.List[0].Kind == match.Duration
	}
	return v.Int, true
}

// duration demands that a field is the time between two instants, off by less than a unit
// of ms on either side of zero as far as early and late allow; it must be absent if one of
// the instants is.
func (x *exchange) duration(t rapid.TB, name string, from, to int64, early, late int64) {
	t.Helper()
	got, ok := x.ns(name)
	if want := from > 0 && to > 0; ok != want {
		t.Errorf("%s is there: %v, want %v", name, ok, want)
		return
	}
	if d := x.between(from, to) - got; ok && (d < -early || d >= late+1) {
		t.Errorf("%s is %d ns, want %d", name, got, x.between(from, to))
	}
}

var checkFields = map[string]func(rapid.TB, *exchange){
	"nginx": func(t rapid.TB, x *exchange) {
		v, end := x.v, gatewayEnd(x.v)
		cut(t, "msec", x.fields["msec"].Int, x.shown(end), ms)
		cut(t, "time", x.fields["time"].Int, x.shown(end), s)
		x.duration(t, "rt", v.GatewayStart, end, ms, ms)
		asked := func(at int64) int64 {
			if v.UpstreamStart == 0 {
				return 0
			}
			return at
		}
		x.duration(t, "uct", v.UpstreamStart, asked(v.Connected), ms, ms)
		x.duration(t, "uht", v.UpstreamStart, asked(v.FirstByte), ms, ms)
		x.duration(t, "urt", v.UpstreamStart, asked(upstreamEnd(v)), ms, ms)
		x.text(t, "request_id", v.RequestID)
		x.text(t, "trace_id", fmt.Sprintf("00-%x-%x-01", v.TraceID, v.CallerSpan))
		x.text(t, "client", clientIP(v))
		if v.UpstreamStart > 0 {
			x.item(t, "upstream", v.ServerAddr)
		}
		switch {
		case v.Status == 499 && v.FirstByte == 0:
			x.text(t, "status", "499")
		case v.Status == 499:
			x.text(t, "status", "200")
		default:
			x.text(t, "status", fmt.Sprint(v.Status))
		}
	},
	"envoy": func(t rapid.TB, x *exchange) {
		cut(t, "time", x.fields["time"].Int, x.shown(x.v.GatewayStart), ms)
		x.duration(t, "duration", x.v.GatewayStart, gatewayEnd(x.v), 0, ms)
		x.service(t)
		x.text(t, "request_id", x.v.RequestID)
		x.envoyStatus(t)
	},
	"envoy-json": func(t rapid.TB, x *exchange) {
		v := x.v
		cut(t, "time", x.fields["time"].Int, x.shown(v.GatewayStart), ms)
		x.duration(t, "duration", v.GatewayStart, gatewayEnd(v), 0, ms)
		x.duration(t, "request_duration", v.GatewayStart, v.UploadEnd, 0, ms)
		x.duration(t, "response_duration", v.GatewayStart, v.FirstByte, 0, ms)
		x.service(t)
		if v.UpstreamStart > 0 {
			x.duration(t, "pool", v.UpstreamStart, v.Connected, 0, ms)
		}
		x.text(t, "request_id", v.RequestID)
		x.text(t, "trace_id", fmt.Sprintf("%x", v.TraceID))
		x.text(t, "client", v.ClientAddr)
		x.envoyStatus(t)
	},
	"haproxy": func(t rapid.TB, x *exchange) {
		v, sum := x.v, int64(0)
		cut(t, "time", x.fields["time"].Int, x.shown(v.GatewayStart)+x.c.Zone[v.GatewayHost], ms)
		x.duration(t, "Ta", v.GatewayStart, gatewayEnd(v), 0, ms)
		reached := v.UpstreamStart > 0
		for _, timer := range []struct {
			name string
			at   int64
		}{{"TR", v.GatewayStart}, {"Tw", v.UpstreamStart}, {"Tc", v.Connected}, {"Tr", v.FirstByte}} {
			got, ok := x.ns(timer.name)
			if timer.name != "TR" {
				reached = reached && timer.at > 0
				if v.Status == 499 && v.UpstreamStart == 0 && timer.name == "Tw" {
					timer.at, reached = gatewayEnd(v), true
				}
				if ok != reached {
					t.Errorf("%s is there: %v, want %v", timer.name, ok, reached)
				}
			}
			if sum += got; ok {
				cut(t, timer.name, sum, x.between(v.GatewayStart, timer.at), ms)
			}
			if timer.name == "Tw" {
				reached = v.UpstreamStart > 0
			}
		}
		x.text(t, "trace_id", fmt.Sprintf("%x", v.TraceID))
		x.text(t, "client", v.ClientAddr)
		x.text(t, "host", v.GatewayHost)
		if x.record == "other" {
			t.Errorf("flags %s are not of any known state", x.fields["flags"].Text)
		}
	},
}

// service checks x-envoy-upstream-service-time, which begins when the router has all of
// the request.
func (x *exchange) service(t rapid.TB) {
	v := x.v
	from := max(v.UploadEnd, v.UpstreamStart)
	if v.UpstreamStart == 0 || v.Connected == 0 || v.UploadEnd == 0 {
		from = 0
	}
	x.duration(t, "service_time", from, v.FirstByte, 0, ms)
}

func (x *exchange) envoyStatus(t rapid.TB) {
	switch {
	case x.v.Status == 499 && x.v.FirstByte == 0:
		x.text(t, "status", "0")
		x.text(t, "flags", "DC")
	case x.v.Status == 499:
		x.text(t, "status", "200")
		x.text(t, "flags", "DC")
	default:
		x.text(t, "status", fmt.Sprint(x.v.Status))
	}
	if x.v.UpstreamStart > 0 {
		x.text(t, "upstream", x.v.ServerAddr)
	}
}

func (x *exchange) text(t rapid.TB, name, want string) {
	t.Helper()
	v := x.fields[name]
	if got := string(v.Text); got != want {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
}

// item is text for a list of one item.
func (x *exchange) item(t rapid.TB, name, want string) {
	t.Helper()
	v := x.fields[name]
	if len(v.List) != 1 || string(v.List[0].Text) != want {
		t.Errorf("%s is %q, want the one item %q", name, v.Text, want)
	}
}
