package critical

import (
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// ending is what a span says of how it ended.
//
// Who asked went away is one thing, a time limit of who serves another, and a failure a
// third; only the first makes a request aborted. What can mean two of them is the one that
// blames the server: a failure. The signals, and what they mean:
//
//	HTTP 499 (nginx, Kong, Traefik, Envoy, Ray Serve, Ollama)         left
//	Envoy's and Istio's response flags DC and DR, alone               left
//	  beside another flag, which may have been the reason             failed
//	  UT, SI, DT, UMSDR: a limit of the gateway; any other flag       failed
//	HAProxy's termination state C?: the client closed                 left
//	  c?: it was too slow for a limit of HAProxy; S?, s?, P?, R?      failed
//	AWS ALB: 460; 408 and 504 are its limits                          left
//	HTTP 408, 429, 504 and all others of 400 and more                 failed
//	gRPC CANCELLED (1), told by who serves                            left
//	  told by who calls                                               let go
//	gRPC DEADLINE_EXCEEDED (4): set by the client, or by the server   failed
//	  told by who calls: the far end tells which                      silent
//	any other code of gRPC but OK                                     failed
//	vLLM: "Request X aborted.", "Aborted request X."                  left
//	  "Request X failed (...)"                                        failed
//	finish reason abort or cancel (vLLM, LMDeploy, TensorRT-LLM, Dynamo) left
//	  abort with a status code (SGLang: queue full, limit, bad input) failed
//	  error, timeout: the engine's own                                no more than its status
//	llama.cpp: "cancel task"; Ray Serve: CANCELLED                    left
//	Dynamo: attribute cancelled, status cancelled of its log          left
//	Triton: PENDING to RELEASED, FAILED_ENQUEUE: cancelled, refused
//	  or timed out, which the line does not tell apart                no more than its status
//	TGI: a request that was given up has no line at all               -
//	a text that says "cancel", or that the client closed, disconnected
//	  or aborted, told by who serves                                  left
//	  told by who calls                                               let go
//	  beside HTTP 400 or more, but 499: the status says what came back failed
//	  beside a deadline or time-out: that was the reason              as it alone
//	a text of a deadline or time-out, told by who serves              failed
//	  told by who calls: its own limit, if no status came back        ran out
//
// A request is aborted by what its root says of itself; where that leaves it open, by what
// the last call that it waited for says, and so on down: see aborted.
type ending uint8

const (
	silent ending = iota // nothing, or only that it was no success
	answered
	failed // by who serves, a time limit of its own among the reasons
	left   // who asked was gone before the answer was complete
	letGo  // a call that its caller cancelled, for whatever reason
	ranOut // a call that its caller gave so much time and no more
)

// signals finds out how spans ended.
type signals struct {
	set *table.Set
	// What occurs of the attributes; 0 for those that do not.
	grpc, reasons                            []table.Sym
	flags, errorType, cancelled, abortStatus table.Sym
}

// finishReasons are the attributes by which engines say why they stopped.
var finishReasons = []string{"finish_reason", "gen_ai.response.finish_reasons"}

func newSignals(set *table.Set) signals {
	s := signals{set: set}
	all := func(names []string) (out []table.Sym) {
		for _, name := range names {
			if key, ok := set.Symbols.Lookup(name); ok {
				out = append(out, key)
			}
		}
		return out
	}
	s.grpc, s.reasons = all(grpcKeys), all(finishReasons)
	s.flags, _ = set.Symbols.Lookup("response_flags")
	s.errorType, _ = set.Symbols.Lookup("error.type")
	s.cancelled, _ = set.Symbols.Lookup("cancelled")
	s.abortStatus, _ = set.Symbols.Lookup("abort_status")
	return s
}

// calls reports whether a span is of who calls, and not of who serves.
func (s *signals) calls(row int32) bool {
	kind := s.set.Spans.Kind[row]
	return kind == kindClient || kind == kindProducer
}

// serves reports whether a span is, by its kind, of who serves.
func (s *signals) serves(row int32) bool {
	kind := s.set.Spans.Kind[row]
	return kind == kindServer || kind == kindConsumer
}

// of returns how a span says that it ended.
func (s *signals) of(row int32) ending {
	spans := &s.set.Spans
	code := spans.HTTPStatus[row]
	if e, told := s.byAttributes(row); told {
		return e
	}
	gone, limit := s.told(row)
	calls := s.calls(row)
	switch {
	case code == 499, s.toldByRecord(row):
		return left
	case code >= 400, limit && !calls:
		return failed
	case gone && !limit && calls:
		return letGo
	case gone && !limit:
		return left
	case limit:
		return ranOut
	case spans.Status[row] == statusError && s.serves(row):
		return failed
	case spans.Status[row] != statusError && (code > 0 || spans.Status[row] == statusOK):
		return answered
	}
	return silent
}

// byAttributes is of by gRPC's code, Envoy's flags and the reasons of engines, if they
// decide.
func (s *signals) byAttributes(row int32) (e ending, told bool) {
	switch calls := s.calls(row); s.grpcCode(row) {
	case grpcNone, grpcOK:
	case grpcCancelled:
		if calls {
			return letGo, true
		}
		return left, true
	case grpcDeadline:
		if calls {
			return silent, true
		}
		return failed, true
	default:
		return failed, true
	}
	if v, ok := s.get(row, s.flags); ok && v.Type == table.ValueString {
		switch string(v.Text) {
		case "", "-", "DI", "RFCF": // none; a delay that a test put in; an answer from the cache
		case "DC", "DR", "DC,DR", "DI,DC":
			return left, true
		default:
			return failed, true
		}
	}
	if v, ok := s.get(row, s.cancelled); ok && v.Type == table.ValueBool && v.Bool() {
		return left, true
	}
	for _, key := range s.reasons {
		v, _ := s.get(row, key)
		reason := strings.ToLower(string(v.Text))
		switch _, coded := s.get(row, s.abortStatus); {
		case !strings.Contains(reason, "abort") && !strings.Contains(reason, "cancel"):
		case coded:
			return failed, true
		default:
			return left, true
		}
	}
	return silent, false
}

// get returns the value of an attribute that occurs.
func (s *signals) get(row int32, key table.Sym) (table.Value, bool) {
	if key == 0 {
		return table.Value{}, false
	}
	return s.set.Spans.Attributes.Get(int(row), key)
}

// grpcCode returns gRPC's code, grpcNone where no attribute holds one. All but the first of
// the names are those of other protocols too: what is no code of gRPC, such as HTTP's, says
// nothing here.
func (s *signals) grpcCode(row int32) int {
	for _, key := range s.grpc {
		v, ok := s.get(row, key)
		switch {
		case !ok:
		case v.Type == table.ValueInt && v.Int() >= 0 && v.Int() < int64(len(grpcNames)):
			return int(v.Int())
		case v.Type == table.ValueString:
			if code := grpcCodeOf(string(v.Text)); code != grpcNone {
				return code
			}
		}
	}
	return grpcNone
}

// Words of texts that say that who asked went away, and that a time limit was reached.
var (
	wordsGone = []string{
		"cancel", "client disconnected", "client has disconnected", "client closed request", "client closed the connection", "client closed connection",
		"closed by client", "closed by the client", "aborted by client", "aborted by the client", "client aborted", "clientabort",
		"client went away", "aborterror", "downstream_remote_disconnect", "downstreamconnectiontermination",
	}
	wordsLimit = []string{"deadline", "timeout", "timed out", "time-out"}
)

// recordLeft is the status message that readers of logs give to a record which says, in
// whatever way its format has, that who asked went away.
const recordLeft = "cancelled by who asked"

// toldByRecord reports whether a reader of logs says so. It has weighed the record's HTTP
// status already, such as 460 of a load balancer.
func (s *signals) toldByRecord(row int32) bool {
	return s.set.Spans.Origin[row] == table.OriginRecord && s.set.Spans.StatusMessage[row] == recordLeft
}

// told returns what the texts of a span say: its status message and its error.type.
func (s *signals) told(row int32) (gone, limit bool) {
	text := s.set.Spans.StatusMessage[row]
	if v, ok := s.get(row, s.errorType); ok && v.Type == table.ValueString {
		text += " " + string(v.Text)
	}
	if text == "" {
		return false, false
	}
	text = strings.ToLower(text)
	has := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	return has(wordsGone), has(wordsLimit)
}

// lastCalls follows, from the root, of all calls that a span waited for the one that was
// waited for last. Its slices are used again for the next request.
type lastCalls struct {
	until  []int64 // by span: end of the last segment that it or what lies below it owns
	next   []int32 // by span: its child with the largest of these; -1 for none
	record []int32 // by span: a record of the same work; -1 for none
	beside []int32 // by record: another record of the same work; -1 for none
}

func (l *lastCalls) follow(r *Request) {
	l.until, l.next, l.record, l.beside = l.until[:0], l.next[:0], l.record[:0], l.beside[:0]
	for range r.Spans {
		l.until, l.next = append(l.until, earliest-1), append(l.next, -1)
		l.record, l.beside = append(l.record, -1), append(l.beside, -1)
	}
	for _, s := range r.EndPath {
		l.until[s.Span] = max(l.until[s.Span], s.End)
	}
	for k := len(r.Spans) - 1; k > 0; k-- { // parents stand before their children
		s := &r.Spans[k]
		if s.Role == Record {
			l.beside[k], l.record[s.Parent] = l.record[s.Parent], int32(k)
			continue
		}
		if l.until[k] < earliest {
			continue
		}
		l.until[s.Parent] = max(l.until[s.Parent], l.until[k])
		if other := l.next[s.Parent]; other < 0 || l.until[k] >= l.until[other] {
			l.next[s.Parent] = int32(k)
		}
	}
}

// aborted reports whether who asked for a request gave it up. The first of these that tells
// it counts: the root, a record of the same work, the last call that the root waited for,
// a record of that, the last call that this one waited for, and so on. An earlier call that
// was given up counts for nothing, as another one followed; nor does a hedge that lost,
// which is not on the path.
//
//   - left: it was given up. If there were several attempts, which share their ids, a record
//     may be of another one than it stands at: then one of the same work does not count, nor
//     one below a span that says it answered;
//   - a call that was let go: so it was, as long as nobody above serves or says that all is
//     well. Below one who does it may have been let go for any reason, and the far end of
//     the call tells;
//   - the root's own call ran out of the time that it gave: likewise. Any other that did is
//     a matter of who serves there;
//   - failed: it was not.
func (b *writer) aborted(r *Request) bool {
	b.last.follow(r)
	asks, well := true, false
	for k := int32(0); k >= 0; k = b.last.next[k] {
		row := r.Spans[k].Row
		switch e := b.signals.of(row); {
		case e == left && well && r.Attempts > 1 && b.set.Spans.Origin[row] == table.OriginRecord:
			return false
		case e == left, e == letGo && asks, e == ranOut && k == 0:
			return true
		case e == failed:
			return false
		case e == answered, b.signals.serves(row):
			asks, well = false, well || e == answered
		}
		for i := b.last.record[k]; i >= 0 && r.Attempts <= 1; i = b.last.beside[i] {
			switch b.signals.of(r.Spans[i].Row) {
			case left:
				return true
			case failed:
				return false
			}
		}
	}
	return false
}
