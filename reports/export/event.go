package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// event is one event of the Trace Event format. The phases used here are X (a slice), i (an
// instant), s and f (both ends of a flow), b and e (both ends of an asynchronous slice, those of
// one category and id nest), C (a counter) and M (names of processes and threads).
type event struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     json.Number    `json:"ts,omitempty"`  // µs
	Duration json.Number    `json:"dur,omitempty"` // µs
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       string         `json:"id,omitempty"` // of an asynchronous slice, or the number of a flow as text: see flow
	Bind     string         `json:"bp,omitempty"` // e: the flow ends in the slice around it, not in the next one
	Scope    string         `json:"s,omitempty"`  // of an instant: t for its thread
	Args     map[string]any `json:"args,omitempty"`
}

// traceFile is the JSON object that is made of events.
type traceFile struct {
	origin int64 // ns; what times count from
	events []event
	flows  int
	other  map[string]any
}

func (f *traceFile) add(e event) { f.events = append(f.events, e) }

// at returns an instant in µs from the origin, to the nanosecond.
func (f *traceFile) at(ns int64) json.Number {
	if ns < f.origin {
		return "-" + micro(uint64(f.origin)-uint64(ns))
	}
	return micro(uint64(ns) - uint64(f.origin))
}

// length returns the time from one instant to a later one in µs.
func length(from, to int64) json.Number {
	if to < from {
		return micro(0)
	}
	return micro(uint64(to) - uint64(from))
}

// micro spells ns as µs with three decimals.
func micro(ns uint64) json.Number {
	digits := strconv.FormatUint(ns%1000, 10)
	return json.Number(strconv.FormatUint(ns/1000, 10) + "." + "000"[len(digits):] + digits)
}

// process and thread name a process or a thread; the lists of viewers are in order of rank.
func (f *traceFile) process(pid int, name string) {
	f.add(event{Name: "process_name", Phase: "M", Process: pid, Args: map[string]any{"name": visible(name)}})
	f.add(event{Name: "process_sort_index", Phase: "M", Process: pid, Args: map[string]any{"sort_index": pid}})
}

func (f *traceFile) thread(pid, tid int, name string) {
	f.add(event{Name: "thread_name", Phase: "M", Process: pid, Thread: tid, Args: map[string]any{"name": visible(name)}})
	f.add(event{Name: "thread_sort_index", Phase: "M", Process: pid, Thread: tid, Args: map[string]any{"sort_index": tid}})
}

// flow draws an arrow from a place on one thread to one on another. Its id is hexadecimal digits
// that no other flow of the file has: Perfetto reads it as that, and drops a flow of another id.
func (f *traceFile) flow(name, category string, from, to place) {
	f.flows++
	id := strconv.FormatInt(int64(f.flows), 16)
	f.add(event{Name: name, Category: category, Phase: "s", Time: f.at(from.at), Process: from.pid, Thread: from.tid, ID: id})
	f.add(event{Name: name, Category: category, Phase: "f", Time: f.at(to.at), Process: to.pid, Thread: to.tid, ID: id, Bind: "e"})
}

// place is an instant on a thread.
type place struct {
	pid, tid int
	at       int64
}

// write writes the object with an event a line.
func (f *traceFile) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString("{\"displayTimeUnit\":\"ns\",\"otherData\":")
	if err := writeJSON(out, f.other); err != nil {
		return err
	}
	out.WriteString(",\"traceEvents\":[\n")
	for i, e := range f.events {
		if i > 0 {
			out.WriteString(",\n")
		}
		if err := writeJSON(out, e); err != nil {
			return err
		}
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// writeJSON writes a value on the line that w is in.
func writeJSON(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimRight(line.Bytes(), "\n"))
	return err
}

// number returns a floating-point number as JSON can hold it: what is none is text.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return v
}
