package otlp

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// A single indented document of 256 MiB streams through a bounded window: the heap holds
// the rows and little else.
func TestIndentedDocumentStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("256 MiB")
	}
	const spans = 1 << 15
	pad := strings.Repeat("x", 8<<10)
	r, w := io.Pipe()
	go func() {
		head, tail, _ := strings.Cut(doc("@"), "@")
		_, err := io.WriteString(w, head)
		begins, ends, _ := strings.Cut(",\n    {\n      \"traceId\": \"5b8efff798038103d269b633813fc60c\",\n      \"spanId\": \"@\",\n      \"ignored\": {\n        \"pad\": \""+pad+"\"\n      }\n    }", "@")
		span := []byte(begins + strings.Repeat("0", 16) + ends)
		from := len(",") // which the first has none of
		for i := 0; i < spans && err == nil; i++ {
			copy(span[len(begins):], fmt.Sprintf("%016x", i+1))
			_, err = w.Write(span[from:])
			from = 0
		}
		if err == nil {
			_, err = io.WriteString(w, tail)
		}
		w.CloseWithError(err)
	}()
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "input")
	defer d.Close()
	watch := &heapWatch{r: r}
	if err := d.Read(watch, JSON, Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	if d.Stats().Spans != spans || len(account.Entries()) > 0 {
		t.Fatalf("%+v", d.Stats())
	}
	if watch.read < 250<<20 {
		t.Fatalf("only %d bytes were read", watch.read)
	}
	if watch.peak > 64<<20 {
		t.Errorf("the heap grew to %d MiB", watch.peak>>20)
	}
	if got, want := set.Spans.Line[1], int64(2+7); got != want {
		t.Errorf("the second span is said to be at line %d, not %d", got, want)
	}
}

// heapWatch measures the live heap now and then while it is read.
type heapWatch struct {
	r          io.Reader
	read, next uint64
	peak       uint64
}

func (h *heapWatch) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if h.read += uint64(n); h.read > h.next {
		h.next += 16 << 20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.peak = max(h.peak, m.HeapAlloc)
	}
	return n, err
}

// A record beyond the limit is passed over without being held, and the next one is read.
func TestOversizeRecord(t *testing.T) {
	big := spanText(9, `,"attributes":[{"key":"k","value":{"stringValue":"`+strings.Repeat("x", 1<<20)+`"}}]`)
	data := doc(spanText(1, ""), big, spanText(2, ""))
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "input")
	s := &d.json
	s.open(strings.NewReader(data), Start{Line: 1}, 100<<10)
	s.step, s.final = 1<<10, true
	s.documents()
	if d.Stats().Spans != 2 || d.Stats().BadSpans != 1 || len(account.Entries()) != 1 {
		t.Errorf("%+v, %v", d.Stats(), account.Entries())
	}
	if cap(s.own) > 1<<19 {
		t.Errorf("the window grew to %d bytes", cap(s.own))
	}
}
