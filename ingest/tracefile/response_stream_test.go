package tracefile

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// streamOf writes a streamed response of llama.cpp's: pieces, then one with times.
func streamOf(pieces int) string {
	var b strings.Builder
	b.WriteString(": ping\n\n")
	for range pieces {
		b.WriteString(`data: {"id":"c","object":"chat.completion.chunk","model":"l","choices":[{"index":0,"delta":{"content":"THE-PROMPT"},"finish_reason":null}]}` + "\n\n")
	}
	b.WriteString("event: message\nid: 7\nretry: 10\n")
	b.WriteString(`data:{"id":"c","object":"chat.completion.chunk","model":"l","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":5,"prompt_ms":50.5,"predicted_n":30,"predicted_ms":900}}` + "\r\n\r\ndata: [DONE]\n\n")
	return b.String()
}

// TestStreamedResponse holds that server-sent events are read as they were received,
// however many pieces come before the times, that every piece is counted and nothing is
// called a loss.
func TestStreamedResponse(t *testing.T) {
	for name, text := range map[string]string{
		"a stream":    streamOf(2000),
		"two streams": streamOf(1000) + streamOf(1000),
		"lines of it": strings.NewReplacer("data: [DONE]", "", "data: ", "", "data:", "", "event: message\nid: 7\nretry: 10\n", "", ": ping", "").Replace(streamOf(2000)),
	} {
		t.Run(name, func(t *testing.T) {
			if got := Sniff([]byte(text)[:HeadSize], false); got != ResponseBody {
				t.Fatalf("sniffed as %v", got)
			}
			spans := max(int64(strings.Count(text, "timings")), 1)
			set, account, stats := recordsOf(t, ResponseBody, text)
			checkRecords(t, set, stats)
			checkSecret(t, set, account)
			if stats.Spans != spans || stats.BadSpans != 0 || stats.BadDocuments != 0 || stats.Unused != 2000 {
				t.Errorf("stats %+v", stats)
			}
			if entries := account.Entries(); len(entries) != 1 || entries[0].ID != RecordOther.ID {
				t.Errorf("account %+v", entries)
			}
			s := &set.Spans
			if at := strings.Index(text, `{"id":"c","object":"chat.completion.chunk","model":"l","choices":[{"index":0,"delta":{},`); s.Offset[0] != int64(at) || s.Line[0] != int64(strings.Count(text[:at], "\n"))+1 {
				t.Errorf("read from line %d, byte %d", s.Line[0], s.Offset[0])
			}
			if s.End[0]-s.Start[0] != 950500000 || s.TTFT[0] != 50500000 || s.Clock[0] != table.ClockNone {
				t.Errorf("%d ns, first token after %d", s.End[0]-s.Start[0], s.TTFT[0])
			}
		})
	}
}

// TestEventStream holds what becomes blank and that it does not depend on the reads.
func TestEventStream(t *testing.T) {
	for in, want := range map[string]string{
		"data: {\"a\":1}\n\ndata:[DONE]\n":      "      {\"a\":1}\n\n           \n",
		": hi\r\nevent: x\r\nid: 1\nretry: 5":   "    \r\n        \r\n     \n        ",
		"data: {\n:never\ndata: \"x\":1}\n":     "      {\n      \n      \"x\":1}\n",
		"{\n\"a\"\n: 1}\n":                      "{\n\"a\"\n: 1}\n",
		"{\"data: [DONE]\":\n\"event: \"}":      "{\"data: [DONE]\":\n\"event: \"}",
		"\xef\xbb\xbfdata: {}\ndata: {}":        "         {}\n      {}",
		"\xef\xbb\xbf{}\n\xef\xbb\xbfdata:":     "\xef\xbb\xbf{}\n\xef\xbb\xbfdata:",
		"data:           [DONE]":                "                [DONE]",
		"":                                      "",
		"database: no field\n {\"data:\": 1}\n": "database: no field\n {\"data:\": 1}\n",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "eof": iotest.DataErrReader(strings.NewReader(in))} {
			got, err := io.ReadAll(iotest.HalfReader(newEventStream(r)))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, string(got)); d != "" {
				t.Errorf("%q, %s: %s", in, name, d)
			}
		}
	}
}

// TestEventStreamError holds that an error of the input is handed on behind what was read.
func TestEventStreamError(t *testing.T) {
	got, err := io.ReadAll(newEventStream(io.MultiReader(strings.NewReader("data: {}"), iotest.ErrReader(io.ErrUnexpectedEOF))))
	if string(got) != "      {}" || err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", got, err)
	}
}
