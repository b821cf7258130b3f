package join

import (
	"testing"
)

// at returns a record with an address of its client.
func at(name, service, client string, start, end int64) row {
	return row{name: name, record: true, service: service, start: start, end: end, attrs: []attr{{"client", client}}}
}

var byAddress = map[string]int{"joined": 1, "joined-by-address": 1}

func TestAddressJoinsWhatNothingElseDoes(t *testing.T) {
	check(t, []row{at("a", "haproxy", "192.0.2.10:40001", 0, 10), at("b", "aws-alb", "192.0.2.10:40001", 2, 9), at("c", "haproxy", "192.0.2.10:40002", 0, 10)},
		outcome{Groups: []string{"a b: address", "c: alone"}, Issues: byAddress})
	check(t, []row{at("a", "haproxy", "[2001:db8::1]:40001", 0, 10), at("b", "aws-alb", "[2001:DB8:0::1]:40001", 2, 9)},
		outcome{Groups: []string{"a b: address"}, Issues: byAddress})
}

// One connection carries one request after the other.
func TestAddressOfAConnectionThatIsKept(t *testing.T) {
	var rows []row
	for i := range int64(50) {
		rows = append(rows, at(string(rune('A'+i)), "haproxy", "192.0.2.10:40001", i*100, i*100+50), at(string(rune('A'+i)), "envoy", "192.0.2.10:40001", i*100+1, i*100+49))
	}
	got, p := findIn(t, setOf(rows), Options{}, hashText)
	if len(p.Groups) != 50 || got.Issues["joined-by-address"] != 50 || got.Issues["join-ambiguous"] != 0 || got.Groups[0] != "A A: address" {
		t.Errorf("groups are %v", got)
	}
}

func TestAmbiguousAddress(t *testing.T) {
	check(t, []row{at("a", "haproxy", "192.0.2.10:40001", 0, 10), at("b", "envoy", "192.0.2.10:40001", 0, 4), at("c", "envoy", "192.0.2.10:40001", 5, 9)},
		outcome{Groups: []string{"a: alone", "b: alone", "c: alone"}, Issues: map[string]int{"join-ambiguous": 1}})
}

func TestAddressIsNotAskedWhereAnIDWas(t *testing.T) {
	a, b := at("a", "haproxy", "192.0.2.10:40001", 0, 10), at("b", "vllm", "192.0.2.10:40001", 0, 10)
	a.requestID, b.requestID = someUUID, somePlain
	check(t, []row{a, b, at("c", "envoy", "192.0.2.10:40001", 0, 10)},
		outcome{Groups: []string{"a b: request id", "c: alone"}, Classes: []string{"a b"}, Issues: map[string]int{"joined": 1}})
}

// TestAddressesThatSayNothing has addresses that several connections may have, or that
// are of the other end of the call.
func TestAddressesThatSayNothing(t *testing.T) {
	for _, client := range []string{"192.0.2.10", "192.0.2.10:0", "127.0.0.1:40001", "[::1]:40001", "0.0.0.0:1", "[fe80::1%eth0]:40001", "host:40001", "", "192.0.2.10:99999"} {
		check(t, []row{at("a", "haproxy", client, 0, 10), at("b", "envoy", client, 2, 9)},
			outcome{Groups: []string{"a: alone", "b: alone"}})
	}
	const server, client = 2, 3
	span := func(kind uint8, attrs ...attr) row {
		return row{name: "b", trace: traceID(1, 1), service: "app", kind: kind, start: 1, end: 9, attrs: attrs}
	}
	for _, c := range []struct {
		span   row
		joined bool
	}{
		{span(server, attr{"client.address", "192.0.2.10"}, attr{"client.port", int64(40001)}), true},
		{span(server, attr{"client.address", "192.0.2.10"}, attr{"client.port", "40001"}), true},
		{span(server, attr{"client.address", "::ffff:192.0.2.10"}, attr{"client.port", int64(40001)}), true},
		{span(server, attr{"network.peer.address", "192.0.2.10"}, attr{"network.peer.port", int64(40001)}), true},
		{span(server, attr{"net.sock.peer.addr", "192.0.2.10"}, attr{"net.sock.peer.port", int64(40001)}), true},
		{span(server, attr{"net.peer.ip", "192.0.2.10"}, attr{"net.peer.port", int64(40001)}), true},
		{span(server, attr{"peer.address", "192.0.2.10:40001"}), true},
		{span(server, attr{"http.client_ip", "192.0.2.10:40001"}), true},
		{span(server, attr{"client.address", "198.51.100.7"}, attr{"network.peer.address", "192.0.2.10"}, attr{"network.peer.port", int64(40001)}), true},
		{span(client, attr{"network.local.address", "192.0.2.10"}, attr{"network.local.port", int64(40001)}), true},
		{span(client, attr{"network.peer.address", "192.0.2.10"}, attr{"network.peer.port", int64(40001)}), false},
		{span(server, attr{"network.local.address", "192.0.2.10"}, attr{"network.local.port", int64(40001)}), false},
		{span(server, attr{"client.address", "192.0.2.10"}), false},
		{span(server, attr{"client.address", "192.0.2.10"}, attr{"client.port", "ssh"}), false},
		{span(server, attr{"client.address", int64(5)}, attr{"client.port", "40001"}), false},
		{span(server, attr{"client", "192.0.2.10:40001"}), false},
	} {
		want := outcome{Groups: []string{"a: alone", "b: alone"}}
		if c.joined {
			want = outcome{Groups: []string{"a b: address"}, Issues: byAddress}
		}
		check(t, []row{at("a", "haproxy", "192.0.2.10:40001", 0, 10), c.span}, want)
	}
}
