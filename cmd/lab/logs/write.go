package logs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// File is the log of one program on one host.
type File struct {
	// Name is a file name: the host, the kind and ".log".
	Name string
	// Kind is the kind it was asked for, one of [Names].
	Kind string
	// Host is where the program runs.
	Host string
	// Data is the file, with a line feed behind every line.
	Data []byte
}

// logKind is one kind of log and how it is written: gateway for the log of a gateway, or
// engine for that of the named servers.
type logKind struct {
	name    string
	gateway func(*book, []*simulate.Visit)
	servers []simulate.Server
	engine  func(*book, *replica)
}

// kinds are all kinds in the order of [Names].
var kinds = []logKind{
	{name: "nginx", gateway: writeNginx},
	{name: "envoy", gateway: writeEnvoy},
	{name: "envoy-json", gateway: writeEnvoyJSON},
	{name: "haproxy", gateway: writeHAProxy},
	{name: "vllm", servers: []simulate.Server{simulate.VLLM, simulate.VLLMV0}, engine: writeVLLM},
	{name: "sglang", servers: []simulate.Server{simulate.SGLang}, engine: writeSGLang},
	{name: "sglang-json", servers: []simulate.Server{simulate.SGLang}, engine: writeSGLangJSON},
	{name: "triton", servers: []simulate.Server{simulate.Triton}, engine: writeTriton},
	{name: "tgi", servers: []simulate.Server{simulate.TGI}, engine: writeTGI},
	{name: "tgi-json", servers: []simulate.Server{simulate.TGI}, engine: writeTGIJSON},
}

// exists reports whether a capture of the server has this kind.
func (k *logKind) exists(server simulate.Server) bool {
	return k.gateway != nil || slices.Contains(k.servers, server)
}

// Gateways returns the kinds of log that a gateway writes, in the order of [Names].
func Gateways() []string {
	var names []string
	for i := range kinds {
		if kinds[i].gateway != nil {
			names = append(names, kinds[i].name)
		}
	}
	return names
}

// Names returns the kinds of log that exist for the capture, those of the gateway first.
func Names(c *simulate.Capture) []string {
	var names []string
	for i := range kinds {
		if kinds[i].exists(c.Header.Server) {
			names = append(names, kinds[i].name)
		}
	}
	return names
}

// Write returns the logs of one kind: a file for each gateway host, in order of name, or
// for each engine, in order of replica. It fails for a kind that the capture does not
// have, and the error lists those that it has.
func Write(c *simulate.Capture, kind string) ([]File, error) {
	for i := range kinds {
		k := &kinds[i]
		switch {
		case k.name != kind || !k.exists(c.Header.Server):
		case k.gateway != nil:
			return writeGateways(c, k), nil
		default:
			return writeEngines(c, k), nil
		}
	}
	return nil, fmt.Errorf("write logs of server %s: no kind %q: choose one of %s",
		c.Header.Server, kind, strings.Join(Names(c), ", "))
}

func writeGateways(c *simulate.Capture, k *logKind) []File {
	byHost := make(map[string][]*simulate.Visit)
	for i := range c.Visits {
		if v := &c.Visits[i]; v.GatewayStart > 0 {
			byHost[v.GatewayHost] = append(byHost[v.GatewayHost], v)
		}
	}
	hosts := make([]string, 0, len(byHost))
	for host := range byHost {
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	var files []File
	for _, host := range hosts {
		b := newBook(c, host)
		k.gateway(b, gatewayView(byHost[host]))
		files = append(files, File{Name: host + "." + k.name + ".log", Kind: k.name, Host: host, Data: b.bytes()})
	}
	return files
}

func writeEngines(c *simulate.Capture, k *logKind) []File {
	var files []File
	for i := range c.Engines {
		e := &c.Engines[i]
		b := newBook(c, e.Host)
		k.engine(b, newReplica(c, i))
		name := e.Host
		for j := range c.Engines {
			if j != i && c.Engines[j].Host == e.Host {
				name = e.Host + "." + e.Name // two engines on one host
				break
			}
		}
		files = append(files, File{Name: name + "." + k.name + ".log", Kind: k.name, Host: e.Host, Data: b.bytes()})
	}
	return files
}
