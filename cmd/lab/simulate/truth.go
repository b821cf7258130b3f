package simulate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/table"
)

// TruthVersion is the version of the truth file's format, the value of the
// header's key tailpath_truth.
const TruthVersion = 2

// The stages, in path order. The numbers index a [StageNS].
const (
	StageNetwork = iota
	StageGateway
	StageQueue
	StageScheduling
	StageGPU
	StageTransfer
	StageApplication
	StageUnattributed
)

// StageNames are the stages' names, in path order.
var StageNames = table.StageNames

// StageNS is a duration in ns for each stage. In JSON it is an object with every
// stage's name, in path order.
type StageNS [table.StageCount]int64

// Sum is the total over the stages, in ns.
func (d StageNS) Sum() int64 {
	sum := int64(0)
	for _, ns := range d {
		sum += ns
	}
	return sum
}

// MarshalJSON writes the object.
func (d StageNS) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, ns := range d {
		b.WriteByte(separator(i))
		fmt.Fprintf(&b, "%q:%d", StageNames[i], ns)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// separator precedes the i-th member of a JSON object.
func separator(i int) byte {
	if i == 0 {
		return '{'
	}
	return ','
}

// UnmarshalJSON reads the object. It fails unless every stage and nothing else is
// named.
func (d *StageNS) UnmarshalJSON(data []byte) error {
	var m map[string]int64
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	for i, name := range StageNames {
		ns, ok := m[name]
		if !ok {
			return fmt.Errorf("stage %q is missing", name)
		}
		d[i] = ns
	}
	if len(m) != len(d) {
		return fmt.Errorf("%d stages instead of %d", len(m), len(d))
	}
	return nil
}

// Detail is a duration under a finer label.
type Detail struct {
	// Name is stage/detail, such as gpu/prefill, or the stage where it has no
	// finer label.
	Name string
	NS   int64
}

// DetailNS are the details of one request, in order of first occurrence. Those
// of one stage add up to the stage. In JSON it is an object in that order.
type DetailNS []Detail

// Get returns the duration under a name in ns, 0 if there is none.
func (d DetailNS) Get(name string) int64 {
	for _, x := range d {
		if x.Name == name {
			return x.NS
		}
	}
	return 0
}

func (d *DetailNS) add(name string, ns int64) {
	for i := range *d {
		if (*d)[i].Name == name {
			(*d)[i].NS += ns
			return
		}
	}
	*d = append(*d, Detail{name, ns})
}

// MarshalJSON writes the object, null for no details at all.
func (d DetailNS) MarshalJSON() ([]byte, error) {
	if len(d) == 0 {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	for i, x := range d {
		b.WriteByte(separator(i))
		fmt.Fprintf(&b, "%q:%d", x.Name, x.NS)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the object and keeps its order.
func (d *DetailNS) UnmarshalJSON(data []byte) error {
	*d = nil
	if string(data) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var ns int64
		if err := dec.Decode(&ns); err != nil {
			return fmt.Errorf("detail %v: %w", name, err)
		}
		key, _ := name.(string)
		*d = append(*d, Detail{key, ns})
	}
	return nil
}

// detailKey is the name of a detail under its stage.
func detailKey(stage, detail string) string {
	if detail == "" {
		return stage
	}
	return stage + "/" + detail
}

// Header is the first line of a truth file.
type Header struct {
	Version  int    `json:"tailpath_truth"`
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`
	Server   Server `json:"server"`
	// Cause is the planted cause as it shows on this server, null for none.
	Cause    *Cause `json:"cause"`
	Requests int    `json:"requests"`
	// EpochNS is the instant at which the simulation begins, ns since 1970.
	EpochNS int64 `json:"epoch_ns"`
	// Clocks are the hosts whose clocks or zones are wrong, null for none.
	Clocks []HostClock `json:"clocks"`
}

// Vantage is a request as seen from one of the places that it came by.
type Vantage struct {
	StartNS int64 `json:"start_ns"`
	EndNS   int64 `json:"end_ns"`
	// StagesNS adds up to EndNS - StartNS; DetailsNS splits the stages further.
	StagesNS  StageNS  `json:"stages_ns"`
	DetailsNS DetailNS `json:"details_ns"`
}

// Truth is where the time of one request went. Instants are ns since 1970 on the
// one true clock, durations are ns.
type Truth struct {
	TraceID string `json:"trace_id"` // hex
	// StartNS and EndNS are the bounds of the client's span. Where that ends with
	// the headers of the response, EndNS is the end of the last of the request's
	// spans that shows the response.
	StartNS int64 `json:"start_ns"`
	EndNS   int64 `json:"end_ns"`
	// ArrivalNS is when the server took the request up, before any rounding by
	// its telemetry: vLLM's arrival_time, Triton's last request byte; 0 if it did not
	// while the client waited.
	ArrivalNS int64 `json:"arrival_ns"`
	// FirstTokenNS is when the client held the first token, null when the
	// response is one message, when there was none, and when no span shows it.
	FirstTokenNS *int64 `json:"first_token_ns"`
	// Region and Class name the route and the kind of request.
	Region string `json:"region"`
	Class  string `json:"class"`
	// PromptTokens and OutputTokens are what was asked for and what a full answer
	// has, given up or not.
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"`
	// PreemptedNS is how long the request was out of the running batch between
	// being preempted and running again. It is part of gpu, as in the engine's
	// own stamps, except with SGLang, whose spans show it: there it is
	// queue/preempted.
	PreemptedNS int64 `json:"preempted_ns"`
	// KVTransferNS is how long keys and values were on their way between the two
	// servers of a request. With vLLM it is part of queue/engine, as in the
	// engine's own stamps; with SGLang it is in transfer/kv.
	KVTransferNS int64 `json:"kv_transfer_ns"`

	// Attempts is how often the request was sent. Status is what the gateway
	// answered in the end, and Aborted says that the client had given up by then.
	Attempts int  `json:"attempts"`
	Status   int  `json:"status"`
	Aborted  bool `json:"aborted"`
	// ServerHost is where the deciding attempt was served, empty if it never left
	// the gateway; PrefillHost where its prompt was computed, if elsewhere.
	ClientHost  string `json:"client_host"`
	GatewayHost string `json:"gateway_host"`
	ServerHost  string `json:"server_host"`
	PrefillHost string `json:"prefill_host"`
	// QueueCause is what kept the request waiting for most of its queue stage:
	// slots, kv_memory, prefill, batch_delay, stuck, retry or unknown; empty when
	// it hardly waited, which is less than 20 ms. QueueCausesNS are all, and add up
	// to the stage.
	QueueCause    string   `json:"queue_cause"`
	QueueCausesNS DetailNS `json:"queue_causes_ns"`

	// StagesNS adds up to EndNS - StartNS; DetailsNS splits the stages further.
	StagesNS  StageNS  `json:"stages_ns"`
	DetailsNS DetailNS `json:"details_ns"`
	// HiddenNS is the part of StagesNS that no span shows, because the server left
	// none of an attempt that was given up: a reader of the spans finds StagesNS
	// less this, and the sum of this unattributed.
	HiddenNS StageNS `json:"hidden_ns"`
	// ErrorNS bounds, per stage, how far a perfect reader of the spans may be off.
	ErrorNS StageNS `json:"error_ns"`
	// Gateway is the request as the gateway saw it: from the headers of its first
	// attempt to the last byte it passed on of the last.
	Gateway *Vantage `json:"gateway"`

	// The TTFT fields are the same for the path up to FirstTokenNS, null without
	// one. TTFTStagesNS adds up to FirstTokenNS - StartNS.
	TTFTStagesNS  *StageNS `json:"ttft_stages_ns"`
	TTFTDetailsNS DetailNS `json:"ttft_details_ns"`
	// TTFTBeyondNS is the part of TTFTStagesNS after the first-token instant that
	// the server's own spans show (vLLM: span start + time_to_first_token). No
	// span covers it: a reader whose path ends at that instant finds
	// TTFTStagesNS - TTFTBeyondNS, less TTFTHiddenNS.
	TTFTBeyondNS *StageNS `json:"ttft_beyond_ns"`
	// TTFTHiddenNS is the part of TTFTStagesNS that no span shows, as HiddenNS is.
	TTFTHiddenNS *StageNS `json:"ttft_hidden_ns"`
	// TTFTErrorNS bounds, per stage, how far such a reader may be off.
	TTFTErrorNS *StageNS `json:"ttft_error_ns"`
}

// TruthFile is a truth file, read.
type TruthFile struct {
	Header   Header
	Requests []Truth
}

// zstdMagic begins every Zstandard frame.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// ReadTruth reads a truth file, compressed with Zstandard or not. Errors name the
// line, counted from 1.
func ReadTruth(r io.Reader) (*TruthFile, error) {
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(len(zstdMagic)); bytes.Equal(magic, zstdMagic) {
		dec, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("read truth: %w", err)
		}
		defer dec.Close()
		buffered = bufio.NewReader(dec)
	}
	f := &TruthFile{}
	dec := json.NewDecoder(buffered)
	if err := dec.Decode(&f.Header); err != nil {
		return nil, fmt.Errorf("read truth: line 1: %w", err)
	}
	if f.Header.Version != TruthVersion {
		return nil, fmt.Errorf("read truth: line 1: tailpath_truth is %d, not %d: not a truth file of this version",
			f.Header.Version, TruthVersion)
	}
	for line := 2; ; line++ {
		var t Truth
		err := dec.Decode(&t)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read truth: line %d: %w", line, err)
		}
		f.Requests = append(f.Requests, t)
	}
	if len(f.Requests) != f.Header.Requests {
		return nil, fmt.Errorf("read truth: %d requests instead of the %d announced: the file is cut short", len(f.Requests), f.Header.Requests)
	}
	return f, nil
}

// writeTruth writes the truth file's lines.
func (c *Capture) writeTruth(w io.Writer) error {
	enc := json.NewEncoder(w)
	if err := enc.Encode(c.Header); err != nil {
		return err
	}
	for i := range c.Truth {
		if err := enc.Encode(&c.Truth[i]); err != nil {
			return err
		}
	}
	return nil
}
