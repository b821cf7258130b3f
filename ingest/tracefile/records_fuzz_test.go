package tracefile

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// FuzzRecords holds that no input does harm to the readers of records, that their parts
// lie within their spans, and that no text that stands under a prompt or an answer is kept.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{dynamoExample, trtllmExample, trtllmPair, vllmExample, llamaExample, ollamaExample} {
		f.Add([]byte(seed))
		f.Add([]byte(seed + "\n" + seed[:len(seed)/2]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range []Format{DynamoRequestTrace, TensorRTMetrics, ResponseBody} {
			set, _, stats := recordsOf(t, format, string(text))
			checkRecords(t, set, stats)
		}
		Sniff(text, false)
	})
}

// TestRecordPartsProperty holds that whatever durations a record gives, its parts are
// disjoint, in order and inside its span, and that sane ones are placed as given.
func TestRecordPartsProperty(t *testing.T) {
	value := rapid.OneOf(
		rapid.Map(rapid.Float64Range(-2, 5000), func(v float64) string { return fmt.Sprint(v) }),
		rapid.SampledFrom([]string{"null", "-1", "0", `"12.5"`, "1e300", "NaN", `"x"`, "[]", "{}", "9223372036854775807", "1e-400000"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		object := func(names ...string) string {
			var list []string
			for _, name := range names {
				if rapid.IntRange(0, 5).Draw(t, "present") > 0 {
					list = append(list, fmt.Sprintf("%q:%s", name, value.Draw(t, name)))
				}
			}
			return "{" + strings.Join(list, ",") + "}"
		}
		for format, text := range map[Format]string{
			DynamoRequestTrace: `{"schema":"dynamo.request.trace.v1","event_type":"request_end","request":` +
				object("request_received_ms", "prefill_wait_time_ms", "prefill_time_ms", "ttft_ms", "total_time_ms", "kv_transfer_estimated_latency_ms", "input_tokens") + "}",
			TensorRTMetrics: `{"ctx_request_id":4,"request_id":4,"perf_metrics":{"timing_metrics":` + object(append([]string{"kv_cache_size"}, trtllmFields...)...) + "}}" +
				`{"ctx_request_id":4,"request_id":5,"perf_metrics":{"timing_metrics":` + object(trtllmFields...) + "}}",
			ResponseBody: `{"metrics":` + object(vllmTimes...) + `}{"timings":` + object(timingTimes...) + `}` +
				strings.Replace(object("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"), "{", `{"created_at":"2026-08-20T12:00:03Z",`, 1),
		} {
			text = strings.ReplaceAll(text, ",}", "}")
			set, _, stats := recordsOf(t, format, text)
			checkRecords(t, set, stats)
			for i := range set.Spans.Len() {
				if first := set.Spans.TTFT[i]; first != table.Missing && (first < 0 || set.Spans.End[i] != 0 && first > set.Spans.End[i]-set.Spans.Start[i]) {
					t.Fatalf("%s: first token after %d of %d ns", text, first, set.Spans.End[i]-set.Spans.Start[i])
				}
			}
		}
	})
}

// tensorFile is a trace file with requests and between them tensors of a size.
type tensorFile struct {
	requests, tensor int
	at               int
	part             strings.Reader
	left             int // bytes of the tensor that is being written
	closing          bool
}

func (f *tensorFile) Read(p []byte) (int, error) {
	for f.part.Len() == 0 {
		switch {
		case f.left > 0:
			n := min(f.left, len(p), len(digits))
			f.left -= n
			return copy(p, digits[:n]), nil
		case f.closing:
			f.closing = false
			f.part.Reset(`","shape":"1","dtype":"FP32"}}`)
		case f.at > f.requests:
			return 0, io.EOF
		default:
			f.next()
		}
	}
	return f.part.Read(p)
}

var digits = strings.Repeat("0.123456789,", 4096)

// next begins the next request, or ends the array.
func (f *tensorFile) next() {
	var b strings.Builder
	if b.WriteByte('['); f.at > 0 {
		b.Reset()
		b.WriteByte(',')
	}
	if f.at++; f.at > f.requests {
		f.part.Reset("]")
		return
	}
	fmt.Fprintf(&b, `{"id":%d,"model_name":"simple","model_version":1,"request_id":"req-%d"}`, f.at, f.at)
	for k := httpRecvStart; k <= httpSendEnd; k++ {
		fmt.Fprintf(&b, `,{"id":%d,"timestamps":[{"name":"%s","ns":%d}]}`, f.at, tritonNames[k], 2356425054587444+int64(f.at)*1_000_000+int64(k)*1000)
	}
	if f.tensor > 0 {
		fmt.Fprintf(&b, `,{"id":%d,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"IN","data":"`, f.at)
		f.left, f.closing = f.tensor, true
	}
	f.part.Reset(b.String())
}

// TestTritonTensorsAreNotLoaded holds that tensors much larger than the memory that is
// used pass by.
func TestTritonTensorsAreNotLoaded(t *testing.T) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "in.json")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := d.Read(&tensorFile{requests: 3, tensor: 100 << 20}, TritonTrace); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if set.Spans.Len() != 9 || account.Count("triton-tensor") != 3 || len(account.Entries()) != 1 {
		t.Errorf("%d spans, %+v", set.Spans.Len(), account.Entries())
	}
}

func benchmarkTriton(b *testing.B, requests, tensor int) {
	var text strings.Builder
	if _, err := io.Copy(&text, &tensorFile{requests: requests, tensor: tensor}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		set := table.NewSet()
		if err := NewDecoder(set, &table.Account{}, "in.json").Read(strings.NewReader(text.String()), TritonTrace); err != nil {
			b.Fatal(err)
		}
		if set.Spans.Len() != 3*requests {
			b.Fatal(set.Spans.Len())
		}
	}
}

func BenchmarkTriton(b *testing.B) {
	b.Run("times", func(b *testing.B) { benchmarkTriton(b, 20_000, 0) })
	b.Run("tensors", func(b *testing.B) { benchmarkTriton(b, 2_000, 16<<10) })
}

func BenchmarkDynamo(b *testing.B) {
	text := strings.Repeat(dynamoExample+"\n", 5000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := NewDecoder(table.NewSet(), &table.Account{}, "in.jsonl").Read(strings.NewReader(text), DynamoRequestTrace); err != nil {
			b.Fatal(err)
		}
	}
}
