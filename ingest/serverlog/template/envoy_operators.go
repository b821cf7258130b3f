package template

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// A milestone is an instant in the life of a request, as Envoy's COMMON_DURATION names
// them. Those of a connection are left out: a connection serves many requests, so
// they may lie long before this one.
type milestone int

const (
	dsRxBeg milestone = iota // the request began; also START_TIME
	dsRxEnd                  // its last byte was there
	usTxBeg                  // its first byte was sent to the server
	usTxEnd                  // its last byte was
	usRxBeg                  // the first byte of the response came
	usRxEnd                  // its last byte came
	dsTxEnd                  // its last byte was sent to the client
	milestones
)

var milestoneNames = [milestones]string{
	"DS_RX_BEG", "DS_RX_END", "US_TX_BEG", "US_TX_END", "US_RX_BEG", "US_RX_END", "DS_TX_END",
}

// unplaced are the milestones that are known and not used.
var unplaced = map[string]bool{
	"DS_CX_BEG": true, "DS_CX_END": true, "US_CX_BEG": true, "US_CX_END": true,
	"US_HS_END": true, "US_RX_BODY_BEG": true, "DS_TX_BEG": true,
}

// edge is a duration between two milestones, held by a field.
type edge struct {
	from, to milestone
	field    string
}

// chain collects the durations of a format.
type chain struct {
	edges   []edge
	pool    bool // the field pool is the wait for a connection
	service bool // the field service_time is the server's time, from the end of the upload
}

// envoyDurations are the operators that are durations.
var envoyDurations = map[string]edge{
	"DURATION":             {dsRxBeg, dsTxEnd, "duration"},
	"REQUEST_DURATION":     {dsRxBeg, dsRxEnd, "request_duration"},
	"REQUEST_TX_DURATION":  {dsRxBeg, usTxEnd, "request_tx"},
	"RESPONSE_DURATION":    {dsRxBeg, usRxBeg, "response_duration"},
	"RESPONSE_TX_DURATION": {usRxBeg, dsTxEnd, "response_tx"},
}

// envoySamples are the operators that say something else, by what they give.
var envoySamples = map[string]field{
	"upstream": {"upstream", "token", "192.0.2.50:8000"},
}

// What stands in an example for the values that differ between the records of a format;
// nothing else in an example looks so.
const (
	attemptSample = "0001"
	poolSample    = "0002"
)

var envoySimple = map[string]field{
	"RESPONSE_CODE":                  {"status", "int", "200"},
	"RESPONSE_FLAGS":                 {"flags", "token", "DC"},
	"RESPONSE_CODE_DETAILS":          {"response_code_details", "text", "via_upstream"},
	"UPSTREAM_CLUSTER":               {"upstream_cluster", "text", "llm"},
	"UPSTREAM_CLUSTER_RAW":           {"upstream_cluster", "text", "llm"},
	"UPSTREAM_HOST":                  envoySamples["upstream"],
	"UPSTREAM_REMOTE_ADDRESS":        {"", "text", "192.0.2.50:8000"},
	"UPSTREAM_REQUEST_ATTEMPT_COUNT": {"attempt_count", "int", attemptSample},
	"DOWNSTREAM_REMOTE_ADDRESS":      {"client", "text", "192.0.2.10:40001"},
	"ROUTE_NAME":                     {"route_name", "text", "default"},
	"TRACE_ID":                       {"trace_id", "text", "0af7651916cd43dd8448eb211c80319c"},
	"BYTES_RECEIVED":                 {"", "int", "812"},
	"BYTES_SENT":                     {"", "int", "9120"},
	"PROTOCOL":                       {"", "token", "HTTP/1.1"},
}

// envoyHeaders are request headers that say something.
var envoyHeaders = map[string]field{
	":method":                {"method", "token", "POST"},
	":path":                  {"route", "token", "/v1/chat/completions"},
	"x-envoy-original-path":  {"route", "token", "/v1/chat/completions"},
	"x-envoy-origin-path":    {"route", "token", "/v1/chat/completions"},
	":authority":             {"authority", "token", "llm.example"},
	"x-request-id":           {"request_id", "token", "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90"},
	"traceparent":            {"trace_id", "text", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	"x-b3-traceid":           {"trace_id", "text", "0af7651916cd43dd8448eb211c80319c"},
	"x-gateway-model-name":   {"model", "text", "llama"},
	"x-ai-eg-model":          {"model", "text", "llama"},
	"x-gateway-request-id":   {"request_id", "text", "cc21d9b0"},
	"x-envoy-decorator-name": {"", "text", "x"},
}

// field is what an operator gives; of no type for one that says nothing.
func (c *chain) field(text string, op operator) (field, error) {
	if e, ok := envoyDurations[op.name]; ok {
		c.edges = append(c.edges, e)
		return field{e.field, "ms", envoyExample[e.field]}, nil
	}
	switch op.name {
	case "COMMON_DURATION":
		return c.common(text, op)
	case "UPSTREAM_CONNECTION_POOL_READY_DURATION":
		c.pool = true
		return field{"pool", "ms", poolSample}, nil
	case "START_TIME":
		return startTime(text, op)
	case "DYNAMIC_METADATA":
		key := op.argument[strings.LastIndexByte(op.argument, ':')+1:]
		return envoyMetadata[key], nil
	case "REQ", "REQUEST_HEADER", "REQ_WITHOUT_QUERY":
		for _, header := range strings.Split(strings.ToLower(op.argument), "?") {
			if f, ok := envoyHeaders[header]; ok {
				return f, nil
			}
		}
	case "RESP", "RESPONSE_HEADER":
		if strings.EqualFold(op.argument, "x-envoy-upstream-service-time") {
			c.service = true
			return field{"service_time", "ms", "614"}, nil
		}
	}
	return envoySimple[op.name], nil
}

// envoyMetadata are the keys that Envoy AI Gateway leaves for access logs.
var envoyMetadata = map[string]field{
	"token_latency_ttft":  {"ttft", "ms", "617"},
	"llm_input_token":     {"prompt_tokens", "int", "1000"},
	"llm_output_token":    {"output_tokens", "int", "90"},
	"model_name_override": {"model", "text", "llama"},
}

// envoyExample are values that fit together.
var envoyExample = map[string]string{
	"duration": "2750", "request_duration": "1", "request_tx": "3", "response_duration": "617", "response_tx": "2133",
}

// common reads COMMON_DURATION(start:end:precision).
func (c *chain) common(text string, op operator) (field, error) {
	words := strings.Split(op.argument, ":")
	if len(words) != 3 {
		return field{}, faultAt(text, op.offset, "COMMON_DURATION takes start:end:precision, and not %q", op.argument)
	}
	unit := words[2]
	if unit != "ms" && unit != "us" && unit != "ns" {
		return field{}, faultAt(text, op.offset, "the precision of COMMON_DURATION is ms, us or ns, and not %q", unit)
	}
	var at [2]milestone
	for i, word := range words[:2] {
		m := slices.Index(milestoneNames[:], word)
		ok := m >= 0
		if !ok && !unplaced[word] {
			return field{}, faultAt(text, op.offset, "COMMON_DURATION knows no time point %q", word)
		}
		if !ok {
			return field{"", "int", "0"}, nil
		}
		at[i] = milestone(m)
	}
	name := strings.ToLower(words[0] + "_" + words[1])
	if at[0] != at[1] {
		c.edges = append(c.edges, edge{at[0], at[1], name})
	}
	return field{name, unit, "0"}, nil
}

// startTime reads the ways of START_TIME to write a time that can be read back.
func startTime(text string, op operator) (field, error) {
	switch f := strings.Trim(op.argument, `"`); {
	case f == "":
		return field{"time", "rfc3339", "2026-08-20T12:00:00.101Z"}, nil
	case f == "%s":
		return field{"time", "epoch_s", "1787227200"}, nil
	case f == "%s.%3f" || f == "%s.%6f" || f == "%s.%9f":
		return field{"time", "epoch_s", "1787227200.101"}, nil
	case f == "%s%3f":
		return field{"time", "epoch_ms", "1787227200101"}, nil
	case f == "%s%6f":
		return field{"time", "epoch_us", "1787227200101000"}, nil
	case f == "%s%9f":
		return field{"time", "epoch_ns", "1787227200101000000"}, nil
	case strings.HasPrefix(f, "%d/%b/%Y:%H:%M:%S %z"):
		return field{"time", "clf", "20/Aug/2026:12:00:00 +0000"}, nil
	case strings.HasPrefix(f, "%Y-%m-%dT%H:%M:%S") || strings.HasPrefix(f, "%Y-%m-%d %H:%M:%S") || strings.HasPrefix(f, "%FT%T") || strings.HasPrefix(f, "%F %T"):
		sample := strings.NewReplacer("%Y", "2026", "%m", "08", "%d", "20", "%F", "2026-08-20", "%T", "12:00:00", "%H", "12", "%M", "00", "%S", "00",
			"%3f", "101", "%6f", "101000", "%9f", "101000000", "%f", "101000", "%z", "+0000", "%Ez", "+00:00").Replace(f)
		if strings.Contains(sample, "%") {
			break
		}
		return field{"time", "datetime", sample}, nil
	}
	return field{}, faultAt(text, op.offset, "the time format %q is not read back: write %%START_TIME%% alone", op.argument)
}

// paths returns for every milestone that the durations lead to an expression from the
// start of the span.
func (c *chain) paths() map[milestone]string {
	paths := map[milestone]string{dsRxBeg: "start"}
	edges := c.edges
	if c.service {
		edges = append(edges[:len(edges):len(edges)], edge{dsRxEnd, usRxBeg, "service_time"})
	}
	for range edges {
		for _, e := range edges {
			from, known := paths[e.from]
			to, reached := paths[e.to]
			switch {
			case known && !reached:
				paths[e.to] = from + " + " + e.field
			case reached && !known:
				paths[e.from] = to + " - " + e.field
			}
		}
	}
	return paths
}

// owners says whose the time from one milestone to a later one is. Pairs that are not
// in it hold several owners' time.
var owners = map[[2]milestone][2]string{
	{dsRxBeg, dsRxEnd}: {"network", "upload"},
	{dsRxBeg, usTxBeg}: {"unattributed", "not recorded"}, // the client's upload is in it
	{dsRxBeg, usTxEnd}: {"unattributed", "not recorded"},
	{dsRxEnd, usTxBeg}: {"gateway", "envoy"},
	{dsRxEnd, usTxEnd}: {"gateway", "envoy"},
	{usTxBeg, usTxEnd}: {"network", "upload"},
	{usTxBeg, usRxBeg}: {"unattributed", "upstream"},
	{usTxEnd, usRxBeg}: {"unattributed", "upstream"},
	{usRxBeg, usRxEnd}: {"unattributed", "upstream response"},
	{usRxBeg, dsTxEnd}: {"unattributed", "upstream response"},
	{usRxEnd, dsTxEnd}: {"transfer", "response"},
}

// parts makes the parts of the span between the milestones that are known.
func (c *chain) parts(paths map[milestone]string) []format.PartDeclaration {
	if _, ok := paths[usRxBeg]; !ok && c.service {
		// The service time counts from the end of the upload, which is not told: it is
		// placed as if the upload took no time.
		slack := strings.Replace(paths[dsTxEnd], "start + ", "", 1) + " - service_time"
		return []format.PartDeclaration{
			{Until: "start + service_time", Stage: "unattributed", Detail: "upstream", Confidence: "anchored", Error: slack, Basis: "x-envoy-upstream-service-time"},
			{From: "start + service_time", Until: "end", Stage: "unattributed", Detail: "upstream response", Confidence: "anchored", Error: slack, Basis: "%DURATION% - x-envoy-upstream-service-time"},
		}
	}
	var parts []format.PartDeclaration
	from := dsRxBeg
	for to := dsRxEnd; to < milestones; to++ {
		until, known := paths[to]
		if !known {
			continue
		}
		owner, ok := owners[[2]milestone{from, to}]
		begin, names := paths[from], [2]string{milestoneNames[from], milestoneNames[to]}
		from = to
		if !ok {
			continue
		}
		part := format.PartDeclaration{From: begin, Until: until, Stage: owner[0], Detail: owner[1], Basis: names[0] + " to " + names[1]}
		if owner[0] != "gateway" || !c.pool {
			parts = append(parts, part)
			continue
		}
		// The wait for a connection ends where the upload to the server begins. It may have
		// begun while the client was sending still, so that it may lie anywhere before; what
		// of it would lie in the client's upload is cut off.
		slack := strings.TrimPrefix(until, "start + ") + " - pool"
		wait := part
		wait.From, wait.Stage, wait.Detail = until+" - pool", "queue", "admission"
		part.Until = until + " - pool"
		wait.Confidence, part.Confidence = "anchored", "anchored"
		wait.Error, part.Error = slack, slack
		wait.Cut, part.Cut = true, true
		wait.Basis = "%UPSTREAM_CONNECTION_POOL_READY_DURATION%"
		parts = append(parts, part, wait)
	}
	return parts
}
