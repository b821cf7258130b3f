package analyze

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// products are the engines that rules, scopes and services name, by a part of that name.
var products = []struct{ part, name string }{
	{"vllm", "vLLM"}, {"sglang", "SGLang"}, {"trtllm", "TensorRT-LLM"}, {"triton", "Triton"}, {"tgi", "TGI"}, {"text-generation", "TGI"},
}

func productOf(text string) string {
	text = strings.ToLower(text)
	for _, p := range products {
		if strings.HasPrefix(text, p.part) {
			return p.name
		}
	}
	return ""
}

// execution is how some executions were recorded: the rule that gave them their stage, and
// the row of the scopes table of their spans, -1 for none.
type execution struct {
	rule  table.Sym
	scope int32
}

// executions returns the ways in which the executions on the paths were recorded, each once.
func (c *captured) executions() (out []execution) {
	seg, spans := &c.set.Segments, &c.set.Spans
	seen := map[execution]bool{}
	var last execution
	for _, i := range c.path {
		if stage.Stage(seg.Stage[i]) != stage.GPU || !c.ends(seg.RequestRow[i]) {
			continue
		}
		e := execution{seg.Rule[i], -1}
		if span := seg.SpanRow[i]; span >= 0 && int(span) < spans.Len() {
			if scope := spans.ScopeRow[span]; scope >= 0 && int(scope) < c.set.Scopes.Len() {
				e.scope = scope
			}
		}
		if len(out) > 0 && e == last {
			continue
		}
		if last = e; !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// ends reports whether a request is one of the rows: it is in the capture, and has an end.
func (c *captured) ends(row int32) bool {
	at := c.index[row]
	return at >= 0 && c.Requests[at].EndNS != serving.Unknown
}

// gpuTypes are the attributes of a resource that name the type of its GPUs: labels that NVIDIA's
// feature discovery gives a node, as the Kubernetes attributes processor copies them, and the
// bare names.
var gpuTypes = []string{
	"k8s.node.label.nvidia.com/gpu.product", "k8s.node.labels.nvidia.com/gpu.product", "nvidia.com/gpu.product",
	"gpu.product", "gpu.model", "gpu.name", "gpu.type", "host.gpu.model", "host.gpu.name", "host.gpu.type",
}

// platform fills in what software and what devices executed the requests, each only if it was
// one for all of them.
func (c *captured) platform(x *serving.Context) {
	list := c.executions()
	of := func(tell func(e execution) string) serving.Maybe[string] {
		rows := make([]int32, len(list))
		for i := range rows {
			rows[i] = int32(i)
		}
		return alike(rows, func(i int32) string { return tell(list[i]) })
	}
	text, scopes := c.set.Symbols.Text, &c.set.Scopes
	scope := func(e execution) string {
		if e.scope < 0 {
			return ""
		}
		return text(scopes.Scope[e.scope])
	}
	x.Engine = of(func(e execution) string { return cmp.Or(productOf(text(e.rule)), productOf(scope(e))) })
	// The version of a service is that of an engine where the engine itself made the span.
	x.EngineVersion = of(func(e execution) string {
		if productOf(scope(e)) == "" {
			return ""
		}
		return cmp.Or(text(scopes.ScopeVersion[e.scope]), c.resource(e.scope, "service.version"))
	})
	x.GPUType = of(func(e execution) string { return c.resource(e.scope, gpuTypes...) })
	x.GPUCount = c.gpusInUse(list)
}

// resource returns the first of some attributes that the resource of a scope has; "" for none.
func (c *captured) resource(scope int32, names ...string) string {
	if scope < 0 {
		return ""
	}
	for _, name := range names {
		if key, known := c.set.Symbols.Lookup(name); known {
			if v, ok := c.set.Scopes.ResourceAttributes.Get(int(scope), key); ok {
				if text, _ := v.Scalar(); len(text) > 0 {
					return string(text)
				}
			}
		}
	}
	return ""
}

// gpuActivity are the readings that tell whether anything ran on a GPU.
var gpuActivity = []string{"gpu_utilization", "gpu_engine_active"}

// gpusInUse counts the GPUs of the hosts of some executions on which something ran meanwhile,
// by their own readings. It is unknown when there are none of one of the hosts, and off the
// wall clock. Parts of a divided GPU are one.
func (c *captured) gpusInUse(list []execution) serving.Maybe[int64] {
	samples, symbols := &c.set.EngineSamples, c.set.Symbols
	metrics := map[table.Sym]bool{}
	for _, name := range gpuActivity {
		if sym, known := symbols.Lookup(name); known {
			metrics[sym] = true
		}
	}
	if len(metrics) == 0 || samples.Len() == 0 || len(list) == 0 || c.base.clock != table.ClockWall || len(c.rows) == 0 {
		return serving.Maybe[int64]{}
	}
	hosts := map[table.Sym]map[string]bool{}
	for _, e := range list {
		if e.scope < 0 || c.set.Scopes.Host[e.scope] == 0 {
			return serving.Maybe[int64]{}
		}
		hosts[c.set.Scopes.Host[e.scope]] = map[string]bool{}
	}
	from, to := slices.Min(gather(c.set.Requests.Start, c.rows)), slices.Max(gather(c.set.Requests.End, c.rows))
	for i, metric := range samples.Metric {
		devices := hosts[samples.Host[i]]
		if devices == nil || !metrics[metric] || !(samples.Value[i] > 0) || samples.Clock[i] != table.ClockWall || samples.Time[i] < from || samples.Time[i] > to {
			continue
		}
		if name, _, _ := strings.Cut(symbols.Text(samples.Engine[i]), "/"); name != "" {
			devices[name] = true
		}
	}
	n := 0
	for _, devices := range hosts {
		if len(devices) == 0 {
			return serving.Maybe[int64]{}
		}
		n += len(devices)
	}
	return serving.Is(int64(n))
}
