package plant

import (
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Request is one request of a model.
type Request struct {
	StartNS  int64 // after the start of the capture
	StagesNS [table.StageCount]int64
	// PrefillNS is the part of the gpu time that reads the prompt; the rest is decode.
	PrefillNS int64
	// BackoffNS is the part of the queue time that is spent between attempts.
	BackoffNS            int64
	PromptTokens, Tokens int64 // Tokens is those of the answer
	Attempts             int32
	Weight               float64 // requests that it stands for; 0 when nothing says so
	Route                string
	// Incident numbers what made the request slow, where other requests were slow for the
	// same reason; 0 for none.
	Incident int32
	// Event numbers the burst or the trouble of the model during which the request started; 0
	// for none. Requests can be slow after an event and because of it, and none during it.
	Event int32
}

// DurationNS is the sum of the stage times.
func (q *Request) DurationNS() (sum int64) {
	for _, ns := range q.StagesNS {
		sum += ns
	}
	return sum
}

// The usual speeds of a server.
const (
	perTokenNS       = 12 * ms // decode, a token of the answer
	perPromptTokenNS = ms / 5  // prefill
)

// usual draws a request that nothing troubles: about 1.6 s, nearly all of it decode.
// spread is the standard deviation of the logarithm of the answer's length, which is what
// makes such requests differ.
func usual(r source, spread float64) Request {
	var q Request
	q.Attempts = 1
	q.Route = "chat"
	q.StagesNS[stage.Network] = r.lognormal(30*ms, 0.3)
	q.StagesNS[stage.Gateway] = r.uniform(ms, 3*ms)
	q.StagesNS[stage.Queue] = r.exponential(5 * ms)
	q.StagesNS[stage.Scheduling] = r.uniform(3*ms, 8*ms)
	q.StagesNS[stage.Transfer] = r.uniform(2*ms, 4*ms)
	q.StagesNS[stage.Unattributed] = r.uniform(0, ms)
	q.ask(r.tokens(400, 0.3))
	q.answer(r.tokens(120, spread))
	return q
}

// ask makes the prompt longer by some tokens.
func (q *Request) ask(tokens int64) {
	q.PromptTokens += tokens
	q.PrefillNS += tokens * perPromptTokenNS
	q.StagesNS[stage.GPU] += tokens * perPromptTokenNS
}

// answer makes the answer longer by some tokens.
func (q *Request) answer(tokens int64) {
	q.Tokens += tokens
	q.StagesNS[stage.GPU] += tokens * perTokenNS
}

// delay makes a stage longer by about ns: the gpu by tokens of the answer, any other
// stage exactly.
func (q *Request) delay(s stage.Stage, ns int64) {
	if s == stage.GPU {
		q.answer(ns / perTokenNS)
		return
	}
	q.StagesNS[s] += ns
}
