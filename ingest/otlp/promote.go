package otlp

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// A promotion fills one typed column of the spans table from the first of its keys
// that is there and can be read. The attribute stays in the map as recorded.
type promotion struct {
	keys []string
	set  func(t *table.Set, row int, key string, v table.Value) bool
}

var promotions = []promotion{
	{[]string{"gen_ai.request.id", "triton.request_id", "rid", "x_request_id", "request_id", "guid:x-request-id"}, setRequestID},
	{[]string{"gen_ai.request.model", "gen_ai.response.model", "triton.model_name", "model"}, setModel},
	{[]string{"gen_ai.operation.name"}, setOperation},
	{[]string{"http.route", "url.path", "http.target", "url.full", "http.url"}, setRoute},
	{[]string{"http.response.status_code", "http.status_code"}, setCount(func(t *table.Spans) []int64 { return t.HTTPStatus })},
	{[]string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_tokens"}, setCount(func(t *table.Spans) []int64 { return t.PromptTokens })},
	{[]string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "output_tokens"}, setCount(func(t *table.Spans) []int64 { return t.OutputTokens })},
	{[]string{"gen_ai.usage.cached_tokens", "gen_ai.usage.cache_read.input_tokens"}, setCount(func(t *table.Spans) []int64 { return t.CachedTokens })},
	{[]string{"gen_ai.latency.time_to_first_token"}, setSeconds(func(t *table.Spans) []int64 { return t.TTFT })},
	{[]string{"gen_ai.latency.e2e"}, setSeconds(func(t *table.Spans) []int64 { return t.E2E })},
	{[]string{"gen_ai.latency.time_in_queue"}, setSeconds(func(t *table.Spans) []int64 { return t.Queue })},
	{[]string{"gen_ai.latency.time_in_model_prefill"}, setSeconds(func(t *table.Spans) []int64 { return t.Prefill })},
	{[]string{"gen_ai.latency.time_in_model_decode"}, setSeconds(func(t *table.Spans) []int64 { return t.Decode })},
	{[]string{"gen_ai.latency.time_in_model_inference"}, setSeconds(func(t *table.Spans) []int64 { return t.Inference })},
}

// promotedKeys numbers the keys of all promotions from 1 on, in order, and
// promotionKeys has a bit for every number that belongs to a promotion.
var promotedKeys, promotedNames, promotionKeys = func() (map[string]uint8, []string, []uint64) {
	numbers, names := map[string]uint8{}, []string{""}
	masks := make([]uint64, len(promotions))
	for i, p := range promotions {
		for _, key := range p.keys {
			numbers[key] = uint8(len(names))
			masks[i] |= 1 << len(names)
			names = append(names, key)
		}
	}
	return numbers, names, masks
}()

// promoter finds the attributes of a span that have a column of their own.
type promoter struct {
	number []uint8   // by symbol: the number of the key, 0 for any other key
	last   [64]int32 // by number: index of its last attribute, if the span has one
}

// fill sets the promoted columns of a row of the spans table.
func (p *promoter) fill(set *table.Set, row int, list []table.Attr) {
	var found uint64
	for i := range list {
		key := list[i].Key
		if int(key) >= len(p.number) {
			p.learn(set.Symbols)
		}
		if n := p.number[key]; n != 0 {
			p.last[n] = int32(i)
			found |= 1 << n
		}
	}
	for c := 0; found != 0 && c < len(promotions); c++ {
		for keys := found & promotionKeys[c]; keys != 0; keys &= keys - 1 {
			n := bits.TrailingZeros64(keys)
			if promotions[c].set(set, row, promotedNames[n], list[p.last[n]].Value) {
				break
			}
		}
		found &^= promotionKeys[c]
	}
}

// learn numbers the symbols that came since the last call.
func (p *promoter) learn(symbols *table.Symbols) {
	for id := len(p.number); id < symbols.Len(); id++ {
		p.number = append(p.number, promotedKeys[symbols.Text(table.Sym(id))])
	}
}

func setRequestID(t *table.Set, row int, _ string, v table.Value) bool {
	text, ok := valueText(v, nil)
	if !ok || len(text) == 0 {
		return false
	}
	t.Spans.RequestID[row] = string(text)
	return true
}

func setModel(t *table.Set, row int, _ string, v table.Value) bool {
	return setSymbol(t, &t.Spans.Model[row], v)
}

func setOperation(t *table.Set, row int, _ string, v table.Value) bool {
	return setSymbol(t, &t.Spans.Operation[row], v)
}

func setSymbol(t *table.Set, to *table.Sym, v table.Value) bool {
	text, ok := valueText(v, nil)
	if !ok || len(text) == 0 {
		return false
	}
	*to = t.Symbols.InternBytes(text)
	return true
}

func setRoute(t *table.Set, row int, key string, v table.Value) bool {
	if v.Type != table.ValueString {
		return false
	}
	route := v.Text
	switch key {
	case "url.full", "http.url":
		route = pathOf(route)
	case "http.target":
		route = withoutQuery(route)
	}
	if len(route) == 0 {
		return false
	}
	t.Spans.Route[row] = t.Symbols.InternBytes(route)
	return true
}

// pathOf returns the path of a URL without query and fragment, "/" if it has none. A
// text without a scheme is taken for a path.
func pathOf(url []byte) []byte {
	url = withoutQuery(url)
	_, rest, ok := bytes.Cut(url, []byte("://"))
	if !ok {
		return url
	}
	if i := bytes.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return []byte("/")
}

func withoutQuery(url []byte) []byte {
	if i := bytes.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}

func setCount(column func(*table.Spans) []int64) func(*table.Set, int, string, table.Value) bool {
	return func(t *table.Set, row int, _ string, v table.Value) bool {
		n, ok := valueInt(v)
		if ok {
			column(&t.Spans)[row] = n
		}
		return ok
	}
}

func setSeconds(column func(*table.Spans) []int64) func(*table.Set, int, string, table.Value) bool {
	return func(t *table.Set, row int, _ string, v table.Value) bool {
		ns, ok := valueSeconds(v)
		if ok {
			column(&t.Spans)[row] = ns
		}
		return ok
	}
}

// valueText returns a scalar as text; to is used when it has to be formatted.
func valueText(v table.Value, to []byte) ([]byte, bool) {
	switch v.Type {
	case table.ValueString:
		return v.Text, true
	case table.ValueInt:
		return strconv.AppendInt(to, v.Int(), 10), true
	case table.ValueDouble:
		return strconv.AppendFloat(to, v.Double(), 'g', -1, 64), true
	case table.ValueBool:
		return strconv.AppendBool(to, v.Bool()), true
	}
	return nil, false
}

// valueInt returns a whole number that was recorded as number or text.
func valueInt(v table.Value) (int64, bool) {
	switch v.Type {
	case table.ValueInt:
		return v.Int(), v.Int() != table.Missing
	case table.ValueDouble:
		f := v.Double()
		return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<63
	case table.ValueString:
		n, ok := readInteger(bytes.TrimSpace(v.Text))
		if !ok || n.frac {
			return 0, false
		}
		i, ok := n.int64()
		return i, ok && i != table.Missing
	}
	return 0, false
}

// valueSeconds returns seconds, recorded as number or text, as ns rounded to the
// nearest. It fails on NaN and on what int64 cannot hold.
func valueSeconds(v table.Value) (ns int64, ok bool) {
	var s float64
	switch v.Type {
	case table.ValueInt:
		s = float64(v.Int())
	case table.ValueDouble:
		s = v.Double()
	case table.ValueString:
		var err error
		if s, err = strconv.ParseFloat(string(bytes.TrimSpace(v.Text)), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	f := math.Round(s * 1e9)
	if !(math.Abs(f) < 1<<63) {
		return 0, false
	}
	return int64(f), true
}
