package reports

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailpath/tailpath/analyze/serving"
)

// Decision is what was found of every signature of what may hold a system up, in the order in
// which they are asked for.
type Decision struct {
	Kind      string        `json:"kind"`      // answered, device_busy, none_fits or cannot_say
	Signature string        `json:"signature"` // of answered; empty otherwise
	Otherwise string        `json:"otherwise"` // of cannot_say: the answer if nothing before it holds
	Missing   []string      `json:"missing"`   // of cannot_say: what would tell
	Words     string        `json:"words"`
	Rows      []DecisionRow `json:"rows"`
}

// DecisionRow is what was found of one signature.
type DecisionRow struct {
	Signature string           `json:"signature"`
	Speaks    string           `json:"speaks"` // for, against or unknown
	Means     string           `json:"means"`  // if it is the answer
	Missing   []string         `json:"missing"`
	Figures   []DecisionFigure `json:"figures"`
}

// DecisionFigure is one number of a row against its gate. Low and high are what it may be;
// both are null when it is over nothing.
type DecisionFigure struct {
	Name  string   `json:"name"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Gate  float64  `json:"gate"`
	Below bool     `json:"below"` // a number below the gate speaks for the signature; otherwise one that reaches it
	N     int64    `json:"n"`
	Of    string   `json:"of"` // what n counts
	Says  string   `json:"says"`
	Sign  int64    `json:"sign"` // figures of one sign count together, from 1; any sign of a row is enough
}

func decision(t serving.Table) Decision {
	v := t.Verdict
	out := Decision{Kind: spelled(v.Kind), Signature: spelled(v.Signature), Otherwise: spelled(v.Otherwise), Missing: lacking(v.Missing), Rows: []DecisionRow{}}
	if out.Kind == "" { // nothing was asked
		out.Kind = spelled(serving.CannotSay)
	}
	for _, r := range t.Rows {
		row := DecisionRow{Signature: spelled(r.Signature), Speaks: string(r.Speaks), Means: r.Means, Missing: lacking(r.Missing), Figures: []DecisionFigure{}}
		for _, f := range r.Figures {
			figure := DecisionFigure{Name: f.Name, Gate: f.Gate, Below: f.Below, N: f.N, Of: string(f.Of), Says: string(f.Says), Sign: int64(f.Sign) + 1}
			if !f.Undefined {
				figure.Low, figure.High = &f.Low, &f.High
			}
			row.Figures = append(row.Figures, figure)
		}
		out.Rows = append(out.Rows, row)
	}
	out.Words = out.words(v.Text)
	return out
}

// kindTexts say what is not recorded where intervals of a kind are not.
var kindTexts = map[string]string{
	"gateway": "times of waits before the engines", "queue": "times in the engines' queues", "host": "times of host work", "transfer": "times of copies",
}

// lacking says what is not recorded.
func lacking(list []string) []string {
	out := make([]string, 0, len(list))
	for _, text := range list {
		if kind, ok := strings.CutPrefix(text, "intervals of kind "); ok && kindTexts[kind] != "" {
			text = kindTexts[kind]
		}
		out = append(out, text)
	}
	return out
}

// words says what holds the system up. text is the verdict as the table has it.
func (d *Decision) words(text string) string {
	switch {
	case d.Signature == spelled(serving.NoSaturation):
		return text
	case d.Signature != "":
		return fmt.Sprintf("held up by %s: %s", SignatureText(d.Signature), text)
	case d.Kind == spelled(serving.DeviceBusy):
		return "held up by " + text
	case d.Kind == spelled(serving.NoneFits):
		return "nothing that is asked for holds it up" + strings.TrimPrefix(text, "no signature fits")
	case len(d.Rows) == 0:
		return "cannot say: there is nothing to tell it from"
	}
	var unsaid []string
	for _, r := range d.Rows {
		if r.Speaks == string(serving.For) {
			break
		}
		if r.Speaks == string(serving.Silent) {
			unsaid = append(unsaid, SignatureText(r.Signature))
		}
	}
	if len(unsaid) == len(d.Rows) {
		return "cannot say: " + strings.Join(d.Missing, "; ")
	}
	words := fmt.Sprintf("cannot say: to decide on %s it takes %s", enumerated(unsaid), strings.Join(d.Missing, "; "))
	if d.Otherwise != "" {
		words += fmt.Sprintf("; if none of them holds it is %s", SignatureText(d.Otherwise))
	}
	return words
}

// enumerated joins names, the last with and.
func enumerated(list []string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return strings.Join(list, "")
}

// signatureTexts name the signatures, and the kinds of a verdict that has none.
var signatureTexts = map[string]string{
	"no_saturation": "no saturation", "gateway_limit": "a limit before the engines", "slots_full": "full slots", "kv_full": "a full KV cache",
	"transfer_bound": "copies", "host_bound": "host work", "replica_skew": "skewed replicas", "bursts": "bursts",
	"device_busy": "the device", "none_fits": "nothing that fits", "cannot_say": "cannot say",
}

// SignatureText names a signature, or the kind of a verdict that has none.
func SignatureText(id string) string {
	if text, ok := signatureTexts[id]; ok {
		return text
	}
	return strings.ReplaceAll(id, "_", " ")
}

// figureTexts say what the figures of the table are. Those that plain names are shares.
var figureTexts = map[string]struct {
	text  string
	plain bool // a number, and no share
}{
	"idle_while_waiting":                      {"idle while a request waits", false},
	"mean_in_flight_while_work_is_present":    {"mean in flight, with work", true},
	"gateway_share_of_waiting":                {"of waiting: before engines", false},
	"gateway_share_of_request_time":           {"of time: before engines", false},
	"engine_queue_occupied":                   {"with a queue, of all work", false},
	"queue_share_of_request_time":             {"of time: in the queue", false},
	"slots_full_while_queued":                 {"slots full, with a queue", false},
	"busy_while_queued":                       {"GPU busy, with a queue", false},
	"queued_while_busy_share_of_request_time": {"of time: queued, GPU busy", false},
	"slots_free_and_kv_full_while_queued":     {"KV full, slots free", false},
	"preemptions_per_request":                 {"preemptions a request", true},
	"transfer_share_of_request_time":          {"of time: in copies", false},
	"host_share_of_request_time":              {"of time: in host work", false},
	"several_in_host_work_and_gpu_idle":       {"several in it, GPU idle", false},
	"replicas":                                {"engines that served", true},
	"busiest":                                 {"the busiest is busy", false},
	"busiest_over_mean":                       {"busiest over the mean", true},
	"service_time_over_others":                {"service time, slowest/others", true},
	"service_time_over_others_at_like_load":   {"same, with as many beside", true},
	"prompt_tokens_over_others":               {"prompt tokens there/at others", true},
	"output_tokens_over_others":               {"output tokens there/at others", true},
	"excess_share_of_its_request_time":        {"of its time: more than others", false},
	"busy":                                    {"GPU busy, of all time", false},
	"busy_while_work_is_present":              {"GPU busy, with work", false},
	"busy_time_in_full_buckets":               {"of busy time: full 100 ms", false},
	"dispersion_of_arrivals":                  {"variance/mean of arrivals", true},
}

// FiguresText says what the names of figures mean.
const FiguresText = "of time: of the time of all requests; with work: while a request is there; with a queue: while one waits in an engine's queue"

// Text says what the figure is.
func (f DecisionFigure) Text() string {
	if t, ok := figureTexts[f.Name]; ok {
		return t.text
	}
	return strings.ReplaceAll(f.Name, "_", " ")
}

// number writes a value of the figure.
func (f DecisionFigure) number(v float64) string {
	switch {
	case f.share():
		return Percent(v) + " %"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return Integer(int64(v))
	}
	return Number(v)
}

// share reports whether the figure is a share.
func (f DecisionFigure) share() bool {
	t, ok := figureTexts[f.Name]
	return ok && !t.plain
}

// Found writes what the number is or may be: "-" when it is over nothing, and unknown of a
// share that may be any.
func (f DecisionFigure) Found() string {
	switch {
	case f.Low == nil || f.High == nil:
		return "-"
	case *f.Low == *f.High:
		return f.number(*f.Low)
	case f.share() && *f.Low <= 0 && *f.High >= 1:
		return "unknown"
	}
	low, high := f.number(*f.Low), f.number(*f.High)
	if low == high {
		return low
	}
	return strings.TrimSuffix(low, " %") + "–" + high
}

// For writes what speaks for the signature.
func (f DecisionFigure) For() string {
	if f.Below {
		return "< " + f.number(f.Gate)
	}
	return ">= " + f.number(f.Gate)
}

// Counted writes the n of the figure with what it counts.
func (f DecisionFigure) Counted() string {
	if f.Of == string(serving.OfRequests) {
		return Integer(f.N)
	}
	of, _, _ := strings.Cut(f.Of, " of ") // buckets of 100 ms
	return plural(f.N, strings.TrimSuffix(of, "s"))
}
