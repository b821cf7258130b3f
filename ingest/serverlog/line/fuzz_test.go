package line

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzLines reads any bytes. Nothing may panic, every byte and physical line is
// accounted for, and single bytes come to the same as the whole.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		vllmLine + "\n", " 10%|# |\r 20%|##|" + first + "\r 30%|###|\n", first + second + third,
		"2026-08-20T12:00:00Z stdout P a\n2026-08-20T12:00:00Z stdout F b\n2026-08-20T12:00:00.123456789Z {\"a\":1}{\"b\":2}\n",
		dockerLine(`\u001b[32mhi\u001b[0m`, "stdout", 0) + dockerLine(`a\ud83d\ude00\n`, "stdout", 1),
		`{"MESSAGE":[104,105],"__REALTIME_TIMESTAMP":"1787227200123456"}` + "\n" + `{"MESSAGE":["a","b"],"__REALTIME_TIMESTAMP":"1"}`,
		`{"log":"x","kubernetes":{"pod_name":"p","host":"h"},"time":"2026-08-20T12:00:00Z"}`,
		"\xff\xfea\x00\n\x00\x00\xd8", "\xef\xbb\xbf\x00\x1b]0;t\x07\x1b[31mname-1  | \x1b[0mx\r\n",
		"<134>1 2026-08-20T12:00:03Z h a - - [a b=\"]\"] x\nThu 2026-08-20 12:00:03.5 UTC gpu7 vllm[12]: x\nAug 20 12:00:03 h u[1]: x\n",
		"1787227200.5 h u[1]: x\n[pod/a/b] vllm-7d9f8c6b5d-x2x4z server INFO:     x\n",
	} {
		f.Add([]byte(seed), false, 0)
		f.Add([]byte(seed), true, 40)
	}
	f.Fuzz(func(t *testing.T, data []byte, split bool, limit int) {
		opt := Options{MaxLine: max(0, limit) % 300, MaxWhole: max(0, limit) % 500}
		if split {
			opt.Begins = begins
		}
		whole := readFrom(&slowly{data: data, cuts: []int{1 << 20}}, opt)
		conserved(t, data, whole)
		single := readFrom(&slowly{data: data, cuts: []int{1}}, opt)
		if diff := cmp.Diff(whole.spelled(), single.spelled()); diff != "" {
			t.Fatalf("(-whole +single bytes)\n%s", diff)
		}
		if whole.stats != single.stats || whole.issues() != single.issues() {
			t.Fatalf("%+v, %s as single bytes; %+v, %s", single.stats, single.issues(), whole.stats, whole.issues())
		}
		if len(Sample(data)) > len(data)+1 {
			t.Fatal("a sample has more records than bytes")
		}
	})
}
