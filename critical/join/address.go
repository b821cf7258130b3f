package join

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// Kinds of span that say whose end of a connection its attributes describe.
const (
	kindClient   = 3
	kindProducer = 4
)

// addressKeys are the attributes with an address and its port; the port may stand in the
// address itself, and has no attribute of its own where it always does.
var addressKeys = []struct {
	address, port string
	side          addressSide
}{
	{"client", "", ofRecord}, // as the formats of logs keep it
	{"client.address", "client.port", ofServer},
	{"network.peer.address", "network.peer.port", ofServer},
	{"net.sock.peer.addr", "net.sock.peer.port", ofServer},
	{"net.peer.ip", "net.peer.port", ofServer},
	{"peer.address", "", ofServer},
	{"http.client_ip", "", ofServer},
	{"network.local.address", "network.local.port", ofClient},
	{"net.sock.host.addr", "net.sock.host.port", ofClient},
	{"net.host.ip", "net.host.port", ofClient},
}

// addressSide says which rows have the client's address in a pair of attributes: a span
// of a call knows it as its own end, whoever answers as the other end.
type addressSide uint8

const (
	ofRecord addressSide = iota
	ofServer
	ofClient
)

// place is the address that a row has of its client.
type place struct {
	addr [16]byte
	port uint16
	row  int32
}

// byAddress joins units that nothing else has joined, by the client's address and time.
func (f *finder) byAddress() {
	places := f.places()
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(bytes.Compare(a.addr[:], b.addr[:]), cmp.Compare(a.port, b.port), cmp.Compare(a.row, b.row))
	})
	var joins [][2]int32
	var stays []stay
	var p pairing
	for i := 0; i < len(places); {
		j := i
		stays = stays[:0]
		for ; j < len(places) && places[j].addr == places[i].addr && places[j].port == places[i].port; j++ {
			row := places[j].row
			stays = append(stays, f.stay(row, f.unitOf[row], f.service(row)))
		}
		joined, doubt := p.pair(stays)
		joins = append(joins, joined...)
		if doubt != "" {
			f.count(issueAmbiguous, places[i].row, "address of a client, "+doubt)
		}
		i = j
	}
	for _, j := range joins {
		f.groups.join(j[0], j[1], Address)
	}
}

// places returns the addresses of clients, with their ports, in the units that nothing
// has joined.
func (f *finder) places() (out []place) {
	addresses, ports := make([]table.Sym, len(addressKeys)), make([]table.Sym, len(addressKeys))
	known := false
	for i, k := range addressKeys {
		addresses[i], _ = f.set.Symbols.Lookup(k.address)
		ports[i], _ = f.set.Symbols.Lookup(k.port)
		known = known || addresses[i] != 0
	}
	if !known {
		return nil
	}
	spans := &f.set.Spans
	for row, unit := range f.unitOf {
		if f.groups.basis[f.groups.find(unit)] != Alone {
			continue
		}
		side := ofServer
		switch {
		case spans.Origin[row] == table.OriginRecord:
			side = ofRecord
		case spans.Kind[row] == kindClient || spans.Kind[row] == kindProducer:
			side = ofClient
		}
		from := len(out)
		for i, k := range addressKeys {
			if k.side != side || addresses[i] == 0 {
				continue
			}
			at, ok := f.addressOf(row, addresses[i], ports[i])
			if !ok {
				continue
			}
			p := place{at.Addr().As16(), at.Port(), int32(row)}
			if !slices.Contains(out[from:], p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// addressOf returns an address and port of a row that mean one end of one connection
// wherever they are read, which those of a host with itself do not.
func (f *finder) addressOf(row int, address, port table.Sym) (at netip.AddrPort, ok bool) {
	attrs := &f.set.Spans.Attributes
	v, ok := attrs.Get(row, address)
	if !ok || v.Type != table.ValueString {
		return at, false
	}
	text := strings.TrimSpace(string(v.Text))
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at, usable(at)
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil || port == 0 {
		return at, false
	}
	v, ok = attrs.Get(row, port)
	if !ok {
		return at, false
	}
	number, _ := v.Scalar()
	n, err := strconv.ParseUint(string(bytes.TrimSpace(number)), 10, 16)
	if err != nil {
		return at, false
	}
	at = netip.AddrPortFrom(addr, uint16(n))
	return at, usable(at)
}

func usable(at netip.AddrPort) bool {
	addr := at.Addr().Unmap()
	return at.Port() != 0 && !addr.IsLoopback() && !addr.IsUnspecified() && !addr.IsLinkLocalUnicast()
}
