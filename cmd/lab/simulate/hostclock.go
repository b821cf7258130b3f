package simulate

// HostClock is what is wrong with the clock of one host.
type HostClock struct {
	Host string `json:"host"`
	// OffsetNS is by how much the clock is ahead when the simulation begins, and
	// DriftPPB how many ns it gains every second after that.
	OffsetNS int64 `json:"offset_ns"`
	DriftPPB int64 `json:"drift_ppb"`
	// ZoneNS is what the host's logs add to UTC. Its spans are not affected.
	ZoneNS int64 `json:"zone_ns"`
}

// shown is what the clock shows at a true instant, both ns since 1970. It is
// strictly increasing for any drift of a real clock.
func (h HostClock) shown(at int64) int64 {
	passed := at - epochNS
	return at + h.OffsetNS + passed/s*h.DriftPPB + passed%s*h.DriftPPB/s
}

// hostClocks are the declared clocks.
type hostClocks []HostClock

// of returns the clock of a host, which is true if it is not declared.
func (list hostClocks) of(host string) HostClock {
	for _, h := range list {
		if h.Host == host {
			return h
		}
	}
	return HostClock{Host: host}
}

// differ reports whether two hosts' clocks show different times.
func (list hostClocks) differ(a, b string) bool {
	x, y := list.of(a), list.of(b)
	return x.OffsetNS != y.OffsetNS || x.DriftPPB != y.DriftPPB
}

// zones are the shifts of the logs that are not in UTC.
func (list hostClocks) zones() map[string]int64 {
	var out map[string]int64
	for _, h := range list {
		if h.ZoneNS != 0 {
			if out == nil {
				out = make(map[string]int64)
			}
			out[h.Host] = h.ZoneNS
		}
	}
	return out
}

// Shown returns what the clock of a host shows at a true instant, both in ns
// since 1970. The exported spans of that host carry it; its logs carry it too,
// plus what Zone says.
func (c *Capture) Shown(host string, at int64) int64 {
	return hostClocks(c.Header.Clocks).of(host).shown(at)
}
