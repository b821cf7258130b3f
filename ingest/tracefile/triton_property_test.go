package tracefile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// fact is one object of a generated trace file.
type fact struct {
	id     int64
	model  string // names the model; with parent, version and request
	parent int64
	stamps map[string]int64
	tensor int // bytes of a tensor
}

func (f fact) json() string {
	switch {
	case f.model != "":
		text := fmt.Sprintf(`{"id":%d,"model_name":%q,"model_version":1,"request_id":"r%d"`, f.id, f.model, f.id)
		if f.parent != 0 {
			text += fmt.Sprintf(`,"parent_id":%d`, f.parent)
		}
		return text + "}"
	case f.tensor > 0:
		return fmt.Sprintf(`{"id":%d,"activity":"TENSOR_BACKEND_INPUT","tensor":{"name":"x]}","data":"%s","shape":"1","dtype":"FP32"}}`, f.id, strings.Repeat(`\"}],`, f.tensor))
	}
	var list []string
	for _, name := range tritonNames {
		if ns, ok := f.stamps[name]; ok {
			list = append(list, fmt.Sprintf(`{"name":%q,"ns":%d}`, name, ns))
		}
	}
	return fmt.Sprintf(`{"id":%d,"timestamps":[%s]}`, f.id, strings.Join(list, ","))
}

// drawFacts draws the objects of some requests, one by one, in the order of the server.
// Without whole, some times are 0: the server did not meet them.
func drawFacts(t *rapid.T, whole bool) []fact {
	var facts []fact
	now, id := int64(5_000_000_000), int64(0)
	tick := func() int64 {
		now += rapid.Int64Range(0, 1000).Draw(t, "tick")
		return now
	}
	stamp := func(id int64, names ...string) {
		for _, name := range names {
			ns := tick()
			if !whole && rapid.IntRange(0, 30).Draw(t, "not met") == 0 {
				ns = 0
			}
			facts = append(facts, fact{id: id, stamps: map[string]int64{name: ns}})
		}
	}
	var model func(parent int64, depth int, id int64)
	model = func(parent int64, depth int, self int64) {
		facts = append(facts, fact{id: self, model: fmt.Sprintf("m%d", depth), parent: parent})
		stamp(self, "REQUEST_START", "QUEUE_START")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0 && depth < 2: // an ensemble
			for range rapid.IntRange(0, 3).Draw(t, "models") {
				id++
				model(self, depth+1, id)
			}
		case kind == 1: // a cached response
		default:
			stamp(self, "COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END")
		}
		stamp(self, "REQUEST_END")
		if rapid.Bool().Draw(t, "tensor") {
			facts = append(facts, fact{id: self, tensor: rapid.IntRange(1, 20).Draw(t, "bytes")})
		}
	}
	for range rapid.IntRange(1, 4).Draw(t, "requests") {
		id++
		self, protocol := id, rapid.SampledFrom([]string{"", "HTTP", "GRPC"}).Draw(t, "protocol")
		switch protocol {
		case "HTTP":
			stamp(self, "HTTP_RECV_START", "HTTP_RECV_END")
		case "GRPC":
			facts = append(facts, fact{id: self, stamps: map[string]int64{"GRPC_WAITREAD_START": rapid.Int64Range(1, now).Draw(t, "idle since")}})
			stamp(self, "GRPC_WAITREAD_END")
		}
		model(0, 0, self)
		if protocol != "" {
			stamp(self, "INFER_RESPONSE_COMPLETE", protocol+"_SEND_START", protocol+"_SEND_END")
		}
	}
	return facts
}

// known is what is known of one id.
type known struct {
	id, parent int64
	model      string
	ns         map[string]int64
}

func (k *known) first(names ...string) int64 {
	for _, name := range names {
		if ns, ok := k.ns[name]; ok {
			return ns
		}
	}
	return 0
}

// edges returns the least and the largest of the times whose names have one of the
// prefixes.
func (k *known) edges(prefixes ...string) (least, most int64, any bool) {
	for name, ns := range k.ns {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) && name != "GRPC_WAITREAD_START" {
				if !any || ns < least {
					least = ns
				}
				most, any = max(most, ns), true
			}
		}
	}
	return least, most, any
}

// events lists the times whose names have one of the prefixes, in order.
func (k *known) events(prefixes ...string) string {
	var names []string
	for _, name := range tritonNames {
		if _, ok := k.ns[name]; ok && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(k.ns[a], k.ns[b]) })
	text := ""
	for _, name := range names {
		text += fmt.Sprintf(" @%s=%d", name, k.ns[name])
	}
	return text
}

// truth tells the spans of facts from their definition.
func truth(facts []fact) []string {
	all := map[int64]*known{}
	for _, f := range facts {
		if f.tensor > 0 {
			continue
		}
		k := all[f.id]
		if k == nil {
			k = &known{id: f.id, ns: map[string]int64{}}
			all[f.id] = k
		}
		if f.model != "" {
			k.model, k.parent = f.model, f.parent
		}
		for name, ns := range f.stamps {
			if ns > 0 {
				k.ns[name] = ns
			}
		}
	}
	lines := []string{}
	const complete = "INFER_RESPONSE_COMPLETE"
	spans := func(k *known) (request, model string) {
		_, _, served := k.edges("HTTP", "GRPC")
		least, _, called := k.edges("REQUEST", "QUEUE", "COMPUTE")
		if served {
			start := k.first("HTTP_RECV_START", "HTTP_RECV_END", "GRPC_WAITREAD_END")
			if start == 0 {
				start, _, _ = k.edges("")
			}
			end := int64(0)
			if k.first(complete, "REQUEST_END", "HTTP_SEND_START", "HTTP_SEND_END", "GRPC_SEND_START", "GRPC_SEND_END") != 0 {
				_, end, _ = k.edges("")
			}
			request = fmt.Sprintf("InferRequest [%d, %d)", start, end)
		}
		if !called && !served && k.first(complete) != 0 {
			called = true
			least = k.first(complete)
		}
		if called {
			name := k.model
			if name == "" {
				name = "model"
			}
			start := k.first("REQUEST_START", "QUEUE_START")
			if start == 0 {
				start = least
			}
			model = fmt.Sprintf("%s [%d, %d)", name, start, k.first("REQUEST_END"))
		}
		return request, model
	}
	var path func(k *known) string
	path = func(k *known) string { // of the innermost span that calls of k hang under
		request, model := spans(k)
		if model == "" {
			return " < " + request
		}
		text := " < " + model
		if request != "" {
			return text + " < " + request
		}
		if p := all[k.parent]; p != nil {
			if r, m := spans(p); r+m != "" {
				text += path(p)
			}
		}
		return text
	}
	for _, k := range all {
		request, model := spans(k)
		if request != "" {
			lines = append(lines, request+k.events("HTTP", "GRPC", complete))
		}
		if model == "" {
			continue
		}
		own := []string{"REQUEST", "QUEUE"}
		if request == "" {
			own = append(own, "HTTP", "GRPC", complete)
		}
		compute := k.first("COMPUTE_START") != 0 && k.first("COMPUTE_END") != 0
		if compute {
			lines = append(lines, fmt.Sprintf("compute [%d, %d)%s%s", k.ns["COMPUTE_START"], k.ns["COMPUTE_END"], path(k), k.events("COMPUTE")))
		} else {
			own = append(own, "COMPUTE")
		}
		lines = append(lines, strings.TrimPrefix(path(k), " < ")+k.events(own...))
	}
	slices.Sort(lines)
	return lines
}

// writeFacts writes facts as a file: in any order, some of an id in one object, with any
// blanks. It returns where every object ends, with the facts that it holds.
func writeFacts(t *rapid.T, facts []fact) (text string, ends []int, held [][]fact) {
	order := rapid.Permutation(facts).Draw(t, "order")
	var b strings.Builder
	b.WriteString("[")
	for i := 0; i < len(order); i++ {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{",", ",\n", " , "}).Draw(t, "between"))
		}
		f, inside := order[i], []fact{order[i]}
		for i+1 < len(order) && f.stamps != nil && order[i+1].id == f.id && order[i+1].stamps != nil && rapid.Bool().Draw(t, "together") {
			i++
			merged := map[string]int64{}
			for _, part := range []fact{f, order[i]} {
				for name, ns := range part.stamps {
					merged[name] = ns
				}
			}
			f.stamps = merged
			inside = append(inside, order[i])
		}
		b.WriteString(f.json())
		ends, held = append(ends, b.Len()), append(held, inside)
	}
	if rapid.Bool().Draw(t, "closed") {
		b.WriteString("]\n")
	}
	return b.String(), ends, held
}

func trimmed(lines []string) []string {
	out := []string{}
	for _, line := range lines {
		if from := strings.Index(line, " triton."); from >= 0 {
			events := strings.Index(line, " @")
			if events < 0 {
				events = len(line)
			}
			line = line[:from] + line[events:]
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// TestTritonProperty holds that the spans of a file are those of the facts in it, in
// whatever order and pieces they stand, and those of the facts before a cut at any byte.
func TestTritonProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t, false)
		text, ends, held := writeFacts(t, facts)
		var all []fact
		for _, f := range held {
			all = append(all, f...)
		}
		check := func(text string, facts []fact) {
			set, _, stats := recordsOf(t, TritonTrace, text)
			checkRecords(t, set, stats)
			if d := gocmp.Diff(truth(facts), trimmed(spanLines(set)), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("(-truth +got) %s\n%s", d, text)
			}
		}
		check(text, all)
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		var before []fact
		for i, end := range ends {
			if end <= cut {
				before = append(before, held[i]...)
			}
		}
		check(text[:cut], before)
	})
}

// TestTritonArrays holds that arrays behind each other, with the same ids, give the spans
// of each, closed or not before the next one begins.
func TestTritonArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := drawFacts(t, false), drawFacts(t, false)
		for i := range two { // another run of the server, at another time
			for name, ns := range two[i].stamps {
				if ns > 0 {
					two[i].stamps[name] = ns + 1_000_000_000_000
				}
			}
		}
		want := append(truth(one), truth(two)...)
		slices.Sort(want)
		write := func(facts []fact) string {
			var list []string
			for _, f := range facts {
				list = append(list, f.json())
			}
			return "[" + strings.Join(list, ",")
		}
		for _, between := range []string{"]", "]\n", ",", "", "\n"} {
			set, _, stats := recordsOf(t, TritonTrace, write(one)+between+write(two)+"]")
			checkRecords(t, set, stats)
			if d := gocmp.Diff(want, trimmed(spanLines(set)), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%q between: (-truth +got) %s", between, d)
			}
		}
	})
}

// FuzzTriton holds that no input does harm, that what is read keeps the invariants of
// records, and that whole objects of a valid array are all accounted for.
func FuzzTriton(f *testing.F) {
	for _, seed := range []string{tritonExample, `[{"id":1,"model_name":"m"},[{"id":1,"model_name":"m"}`, `[{"id":1,"timestamps":[{"name":"X_START","ns":1},{"name":"X_END","ns":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, account, stats := recordsOf(t, TritonTrace, string(text))
		checkRecords(t, set, stats)
		var objects []map[string]any
		if json.Unmarshal(text, &objects) == nil && len(account.Entries()) == 0 {
			for _, o := range objects {
				if stamps, ok := o["timestamps"].([]any); ok && len(stamps) > 0 && set.Spans.Len() == 0 {
					t.Fatal("nothing was read of times, and nothing counted")
				}
			}
		}
	})
}
