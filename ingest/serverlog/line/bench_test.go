package line

import (
	"bytes"
	"strings"
	"testing"
)

const throughput = "(APIServer pid=402) INFO 08-20 12:00:10 [loggers.py:310] Engine 000: Avg prompt throughput: 1268.2 tokens/s, Avg generation throughput: 611.0 tokens/s, Running: 18 reqs, Waiting: 3 reqs, GPU KV cache usage: 44.2%, Prefix cache hit rate: 37.5%"

func BenchmarkNext(b *testing.B) {
	progress := strings.Repeat("\r 33%|###       | 1/3 [00:01<00:02]", 20)
	for _, c := range []struct {
		name, line string
		opt        Options
	}{
		{"plain", throughput + "\n", Options{}},
		{"plain-short", third + "\n", Options{}},
		{"plain-CRLF", throughput + "\r\n", Options{}},
		{"plain-non-ASCII", throughput + " é\n", Options{}},
		{"begins", throughput + "\n", Options{Begins: func(text []byte, from int) (int, int) {
			if i := bytes.Index(text[from:], []byte("INFO 08-20")); i >= 0 {
				return from + i, from + i + 10
			}
			return -1, -1
		}}},
		{"CRI", "2026-08-20T12:00:00.123456789Z stdout F " + throughput + "\n", Options{}},
		{"kubectl-times", "2026-08-20T12:00:00.123456789Z " + throughput + "\n", Options{}},
		{"compose", "vllm-1  | " + throughput + "\n", Options{}},
		{"syslog", "Aug 20 12:00:03 lb1 vllm[14389]: " + throughput + "\n", Options{}},
		{"docker", `{"log":"` + throughput + `\n","stream":"stdout","time":"2026-08-20T12:00:00.123456789Z"}` + "\n", Options{}},
		{"own-JSON", `{"timestamp": "2026-08-20T12:00:03.512300Z", "level": "INFO", "message": "Success", "target": "server", "span": {"total_time": "3.412345678s", "queue_time": "604.112345ms", "name": "generate"}}` + "\n", Options{}},
		{"colours", "\x1b[32mINFO\x1b[0m " + throughput + "\x1b[0m\n", Options{}},
		{"progress-bar", progress + throughput + "\n", Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := bytes.Repeat([]byte(c.line), 8<<20/len(c.line))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(bytes.NewReader(data), nil, "in", c.opt)
				for _, ok := r.Next(); ok; _, ok = r.Next() {
				}
			}
		})
	}
	b.Run("UTF-16", func(b *testing.B) {
		data := toUTF16(strings.Repeat(throughput+"\n", 8<<20/len(throughput)/2), false)
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			r := NewReader(bytes.NewReader(data), nil, "in", Options{})
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
		}
	})
}
