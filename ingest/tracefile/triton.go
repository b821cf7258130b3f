package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// tritonShape is the shape of Triton's own trace file: objects in an array, a tensor in
// some of them, which may be of any size and is passed over without being loaded.
var tritonShape = shape{dropped: []string{"tensor"}, is: isTriton}

// Names of the times that Triton takes, in the order in which a request meets them.
// Releases until 2020 wrote them in lower case, with blanks, and REQUEST_HANDLER for
// REQUEST; they are read as these.
var tritonNames = [...]string{
	"GRPC_WAITREAD_START", "GRPC_WAITREAD_END", "HTTP_RECV_START", "HTTP_RECV_END", "REQUEST_START", "QUEUE_START",
	"COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END", "INFER_RESPONSE_COMPLETE", "REQUEST_END",
	"HTTP_SEND_START", "HTTP_SEND_END", "GRPC_SEND_START", "GRPC_SEND_END",
}

// tritonKind is a name by its place in tritonNames, or tritonCustom.
type tritonKind uint8

const (
	waitReadStart tritonKind = iota
	waitReadEnd
	httpRecvStart
	httpRecvEnd
	requestStart
	queueStart
	computeStart
	computeInputEnd
	computeOutputStart
	computeEnd
	responseComplete
	requestEnd
	httpSendStart
	httpSendEnd
	grpcSendStart
	grpcSendEnd
	tritonCustom  // an activity of a backend's own
	tritonDropped // a time that cannot be true
)

// frontend says whether the HTTP or gRPC server took the time, and not the model.
func (k tritonKind) frontend() bool {
	return k <= httpRecvEnd || k >= httpSendStart && k < tritonCustom
}

// once says whether a trace meets the time once at most. Models that are scheduled
// again, as generative ones are step by step, meet the others several times, and a
// streamed response is sent in many pieces.
func (k tritonKind) once() bool {
	return k <= httpRecvEnd || k == requestStart || k == requestEnd
}

// tritonStamp is one time of a trace.
type tritonStamp struct {
	ns   int64
	name table.Sym
	next int32 // the trace's next one, -1 for none
	kind tritonKind
}

// tritonTrace is what the objects of one id say: one call of one model.
type tritonTrace struct {
	id, parentID int64
	version      int64 // Missing if it was not told
	offset, line int64 // of its first object
	requestID    string
	model        table.Sym
	first, last  int32 // of its stamps, -1 for none
	parent       int32 // index of the trace that called it, -1 for none
	root         int32 // index of the trace that its request began with
	named        bool  // its model is known
	frontend     bool  // the HTTP or gRPC server has a span of its own
	called       bool  // the model has a span of its own
}

// A tritonReader puts the objects of Triton's trace file together to requests. The
// objects of a request come in any order and children may precede their parents, so the
// ids of an array are held until it ends: about 100 bytes an id and 24 a time.
type tritonReader struct {
	*recorder
	cursor   cursor
	names    [len(tritonNames)]table.Sym
	index    map[int64]int32 // by id: index of its trace
	traces   []tritonTrace
	stamps   []tritonStamp
	inArray  bool
	lastID   int64 // id of the last object
	last     int32 // index of its trace, -1 for none
	restarts int   // how often ids began again within an array

	tensors, others, repeated, badTimes tally

	sorted []tritonStamp // of the trace that is being turned into spans
	times  []int64       // of all stamps, then of the starts of executions, in order
	path   []int32
	list   []tritonActivity
	ends   map[string][]int32 // by activity: its ends among the sorted times
	runs   []int32            // the executions in list
	holds  []int32
	rows   []int32
}

// tally counts what is not worth an entry of its own each time.
type tally struct {
	n  int
	at table.Place // of the first
}

func (t *tally) add(at table.Place) {
	if t.n == 0 {
		t.at = at
	}
	t.n++
}

func newTriton(d *Decoder) handler {
	t := &tritonReader{recorder: newRecorder(d), index: map[int64]int32{}, ends: map[string][]int32{}, last: -1}
	for i, name := range tritonNames {
		t.names[i] = d.set.Symbols.Intern(name)
	}
	return t
}

func (t *tritonReader) open(table.Place)                   {}
func (t *tritonReader) member(string, []byte, table.Place) {}
func (t *tritonReader) close(bool)                         {}

// array, end and finish make spans of what was read. The ids of every array are its own;
// objects that stand without one, such as one a line, belong together.
func (t *tritonReader) array() {
	t.flush()
	t.inArray = true
}

func (t *tritonReader) end(bool) {
	if t.inArray {
		t.flush()
	}
	t.inArray = false
}

func (t *tritonReader) finish() { t.flush() }

// tritonObject is one object of the file as it stands there.
type tritonObject struct {
	id             int64
	hasID, badID   bool
	named, modelOK bool // it has a model_name, and that is text
	parentOK       bool
	timed, tensor  bool
	times          int // where its timestamps begin, when they stand before the id
	model, version []byte
	parentID       []byte
	requestID      string
}

// element takes one object.
func (t *tritonReader) element(raw []byte, at table.Place) bool {
	c := &t.cursor
	c.reset(raw)
	if !c.enter('{') {
		return false
	}
	o := tritonObject{parentOK: true}
	for {
		name, ok := c.member()
		if !ok {
			break
		}
		t.take(&o, name, at)
	}
	switch {
	case !o.named && !o.timed && !o.tensor:
		if o.hasID {
			t.others.add(at)
		}
		return o.hasID
	case o.badID:
		t.leaveOut(BadRecord, at, "the id of an object is no whole number")
		return true
	case !o.hasID:
		t.leaveOut(BadRecord, at, "an object has no id")
		return true
	}
	if o.tensor {
		t.tensors.add(at)
	}
	if o.named {
		t.addModel(&o, at)
	}
	if o.times > 0 {
		c.pos = o.times
		t.addTimes(o.id, at)
	}
	return true
}

// take reads the value of a member of an object.
func (t *tritonReader) take(o *tritonObject, name []byte, at table.Place) {
	c := &t.cursor
	switch string(name) {
	case "id":
		text, _, ok := c.scalar()
		id, whole := jsonInt(text)
		o.id, o.hasID = id, ok && whole
		o.badID = !o.hasID
	case "timestamps":
		o.timed = true
		if o.hasID {
			t.addTimes(o.id, at)
			return
		}
		c.peek()
		o.times = c.pos
		c.skip()
	case "model_name":
		o.named = true
		o.model, o.modelOK, _ = c.scalar()
	case "model_version":
		o.version, _, _ = c.scalar()
	case "parent_id":
		o.parentID, _, o.parentOK = c.scalar()
	case "request_id":
		if text, _, ok := c.scalar(); ok {
			o.requestID = string(text)
		}
	case "activity", "tensor":
		o.tensor = true
		c.skip()
	default:
		c.skip()
	}
}

// trace returns the trace of an id, a new one if it is not known yet.
func (t *tritonReader) trace(id int64, at table.Place) *tritonTrace {
	if t.last >= 0 && t.lastID == id {
		return &t.traces[t.last]
	}
	i, ok := t.index[id]
	if !ok {
		i = int32(len(t.traces))
		t.index[id] = i
		t.traces = append(t.traces, tritonTrace{id: id, version: table.Missing, offset: at.Offset, line: at.Line, first: -1, last: -1, parent: -1, root: -1})
	}
	t.lastID, t.last = id, i
	return &t.traces[i]
}

// addModel takes the object that names the model of a trace.
func (t *tritonReader) addModel(o *tritonObject, at table.Place) {
	if !o.modelOK {
		t.issue(BadPart, at, "the model_name of an object is no text")
		return
	}
	version := int64(table.Missing)
	if n, ok := jsonInt(o.version); ok {
		version = n
	}
	parent, ok := jsonInt(o.parentID)
	if !ok && o.parentID != nil || !o.parentOK {
		t.issue(BadPart, at, "the parent_id of an object is no whole number")
	}
	tr := t.trace(o.id, at)
	if tr.named {
		tr = t.reused(o.id, at)
	}
	tr.named, tr.model, tr.version, tr.parentID, tr.requestID = true, t.set.Symbols.InternBytes(o.model), version, parent, o.requestID
}

// reused ends the array in which an id stands a second time: a server that was started
// again wrote on behind an array that was never closed.
func (t *tritonReader) reused(id int64, at table.Place) *tritonTrace {
	t.note(TritonReused, 1, at, "an id begins again")
	t.flush()
	t.restarts++
	return t.trace(id, at)
}

// addTimes takes the times at the cursor, which are a list of objects.
func (t *tritonReader) addTimes(id int64, at table.Place) {
	c := &t.cursor
	if !c.enter('[') {
		t.issue(BadPart, at, "the timestamps of an object are no array")
		return
	}
	for c.item() {
		name, ns, named := t.stampAtCursor()
		if !named || len(name) == 0 {
			t.issue(BadPart, at, "a timestamp has no name")
			continue
		}
		t.addTime(id, name, ns, at)
	}
}

// stampAtCursor reads the name and the ns of one time.
func (t *tritonReader) stampAtCursor() (name, ns []byte, named bool) {
	c := &t.cursor
	if !c.enter('{') {
		return nil, nil, false
	}
	for {
		key, ok := c.member()
		if !ok {
			return name, ns, named
		}
		switch string(key) {
		case "name":
			name, named, _ = c.scalar()
		case "ns":
			ns, _, _ = c.scalar()
		default:
			c.skip()
		}
	}
}

// addTime takes one time of a trace.
func (t *tritonReader) addTime(id int64, name, ns []byte, at table.Place) {
	kind, sym := t.nameOf(name)
	stamp, ok := jsonInt(ns)
	if !ok || stamp <= 0 || stamp > maxSteadyNS {
		t.trace(id, at)
		t.badTimes.add(at)
		return
	}
	tr := t.trace(id, at)
	if kind.once() {
		for s := tr.first; s >= 0 && t.stamps[s].kind.once(); s = t.stamps[s].next {
			if t.stamps[s].kind != kind {
				continue
			}
			if t.stamps[s].ns == stamp {
				t.repeated.add(at)
				return
			}
			tr = t.reused(id, at)
			break
		}
	}
	next := int32(len(t.stamps))
	t.stamps = append(t.stamps, tritonStamp{stamp, sym, -1, kind})
	switch {
	case tr.first < 0:
		tr.first, tr.last = next, next
	case kind.once(): // in front, where they are few and looked up
		t.stamps[next].next = tr.first
		tr.first = next
	default:
		t.stamps[tr.last].next = next
		tr.last = next
	}
}

// maxSteadyNS is the largest time of a steady clock that is used: 146 years of ns.
const maxSteadyNS = 1 << 62

// nameOf returns the kind and the symbol of the name of a time.
func (t *tritonReader) nameOf(text []byte) (tritonKind, table.Sym) {
	for k, name := range tritonNames {
		if string(text) == name {
			return tritonKind(k), t.names[k]
		}
	}
	old := bytes.ReplaceAll(bytes.ToUpper(text), []byte(" "), []byte("_"))
	if rest, ok := bytes.CutPrefix(old, []byte("REQUEST_HANDLER_")); ok {
		old = append([]byte("REQUEST_"), rest...)
	}
	for k, name := range tritonNames {
		if string(old) == name {
			return tritonKind(k), t.names[k]
		}
	}
	return tritonCustom, t.set.Symbols.InternBytes(text)
}

// isTriton reports whether an object, or the beginning of one, is of Triton's trace file:
// it has a numeric id, and a model, timestamps or a tensor.
func isTriton(raw []byte) bool {
	var id, known, model, version, foreign bool
	members(raw, func(name, value []byte) {
		switch string(name) {
		case "id":
			_, id = jsonInt(value)
		case "timestamps":
			known = known || len(value) > 0 && value[0] == '['
		case "model_name":
			model = true
		case "model_version":
			version = true
		case "activity":
			known = known || bytes.HasPrefix(value, []byte(`"TENSOR_`))
		case "traceId", "traceID", "spans", "resourceSpans":
			foreign = true
		}
	})
	return id && (known || model && version) && !foreign
}
