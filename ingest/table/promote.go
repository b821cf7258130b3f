package table

import (
	"bytes"
	"math/bits"
	"slices"
)

// A promotion fills one typed column of the spans table from the first of its keys
// that is there and can be read. The attribute stays in the map as recorded.
type promotion struct {
	keys []string
	set  func(t *Set, row int, key string, v Value) bool
}

var promotions = []promotion{
	{[]string{"gen_ai.request.id", "triton.request_id", "rid", "x_request_id", "request_id", "guid:x-request-id"}, setRequestID},
	{[]string{"gen_ai.request.model", "gen_ai.response.model", "triton.model_name", "model"}, setModel},
	{[]string{"gen_ai.operation.name"}, setOperation},
	{[]string{"http.route", "url.path", "http.target", "url.full", "http.url"}, setRoute},
	{[]string{"http.response.status_code", "http.status_code"}, setCount(func(t *Spans) []int64 { return t.HTTPStatus })},
	{[]string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_tokens"}, setCount(func(t *Spans) []int64 { return t.PromptTokens })},
	{[]string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "output_tokens"}, setCount(func(t *Spans) []int64 { return t.OutputTokens })},
	{[]string{"gen_ai.usage.cached_tokens", "gen_ai.usage.cache_read.input_tokens"}, setCount(func(t *Spans) []int64 { return t.CachedTokens })},
	{[]string{"gen_ai.latency.time_to_first_token"}, setSeconds(func(t *Spans) []int64 { return t.TTFT })},
	{[]string{"gen_ai.latency.e2e"}, setSeconds(func(t *Spans) []int64 { return t.E2E })},
	{[]string{"gen_ai.latency.time_in_queue"}, setSeconds(func(t *Spans) []int64 { return t.Queue })},
	{[]string{"gen_ai.latency.time_in_model_prefill"}, setSeconds(func(t *Spans) []int64 { return t.Prefill })},
	{[]string{"gen_ai.latency.time_in_model_decode"}, setSeconds(func(t *Spans) []int64 { return t.Decode })},
	{[]string{"gen_ai.latency.time_in_model_inference"}, setSeconds(func(t *Spans) []int64 { return t.Inference })},
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

// PromotedKeys returns the keys of the attributes that fill a typed column of the spans
// table, the most telling of each column first.
func PromotedKeys() []string { return slices.Clone(promotedNames[1:]) }

// Promoter fills the typed columns of the spans table from attributes, for every reader
// alike. The zero value is ready for use; it is for one Set.
type Promoter struct {
	number []uint8   // by symbol: the number of the key, 0 for any other key
	last   [64]int32 // by number: index of its last attribute, if the span has one
}

// Fill sets the promoted columns of a row of the spans table from its attributes. Of
// several with one key the last counts. A value that cannot be read leaves the column
// to the next key.
func (p *Promoter) Fill(set *Set, row int, list []Attr) {
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
func (p *Promoter) learn(symbols *Symbols) {
	for id := len(p.number); id < symbols.Len(); id++ {
		p.number = append(p.number, promotedKeys[symbols.Text(Sym(id))])
	}
}

func setRequestID(t *Set, row int, _ string, v Value) bool {
	text, ok := v.Scalar()
	if !ok || len(text) == 0 {
		return false
	}
	t.Spans.RequestID[row] = string(text)
	return true
}

func setModel(t *Set, row int, _ string, v Value) bool {
	return setSymbol(t, &t.Spans.Model[row], v)
}

func setOperation(t *Set, row int, _ string, v Value) bool {
	return setSymbol(t, &t.Spans.Operation[row], v)
}

func setSymbol(t *Set, to *Sym, v Value) bool {
	text, ok := v.Scalar()
	if !ok || len(text) == 0 {
		return false
	}
	*to = t.Symbols.InternBytes(text)
	return true
}

func setRoute(t *Set, row int, key string, v Value) bool {
	if v.Type != ValueString {
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

// setCount returns a setter of whole numbers.
func setCount(column func(*Spans) []int64) func(*Set, int, string, Value) bool {
	return func(t *Set, row int, _ string, v Value) bool {
		n, ok := valueInt(v)
		if ok {
			column(&t.Spans)[row] = n
		}
		return ok
	}
}

func setSeconds(column func(*Spans) []int64) func(*Set, int, string, Value) bool {
	return func(t *Set, row int, _ string, v Value) bool {
		ns, ok := valueSeconds(v)
		if ok {
			column(&t.Spans)[row] = ns
		}
		return ok
	}
}
