package reports

// JoinTimes joins neighbouring times of the same length, all but the last as many, so that
// there are at most so many. What is left over at the end goes to the last one, unless it is
// half as long at least: its rates would stand on little. Rates and means are of the whole of
// each, and a median of requests is lost unless it is of one alone.
func JoinTimes(list []SystemTime, most int) []SystemTime {
	each := max(1, (len(list)+most-1)/most)
	out := []SystemTime{}
	for from := 0; from < len(list); from += each {
		out = append(out, joinTimes(list[from:min(len(list), from+each)]))
	}
	if n := len(out); n > 1 && out[n-1].seconds() < out[0].seconds()/2 {
		out = append(out[:n-2], joinTimes(out[n-2:]))
	}
	return out
}

// joinTimes joins some times, one at least.
func joinTimes(list []SystemTime) SystemTime {
	if len(list) == 1 {
		return list[0]
	}
	out := list[0]
	out.ToNS = list[len(list)-1].ToNS
	out.Arrivals, out.Completions, out.InFlightPeak = 0, 0, 0
	out.Output.Counted, out.Input.Counted = 0, 0
	out.GenerationRate, out.GenerationN = nil, 0
	var length, inFlight, waiting, running float64
	var output, input weighedRate
	for _, t := range list {
		s := t.seconds()
		length += s
		out.Arrivals += t.Arrivals
		out.Completions += t.Completions
		out.Output.Counted += t.Output.Counted
		out.Input.Counted += t.Input.Counted
		out.InFlightPeak = max(out.InFlightPeak, t.InFlightPeak)
		inFlight += float64(s * t.InFlight)
		waiting += float64(s * t.Waiting)
		running += float64(s * t.Running)
		output.add(t.Output.Rate, s)
		input.add(t.Input.Rate, s)
	}
	if length <= 0 {
		return out
	}
	out.Arrived, out.Completed = float64(out.Arrivals)/length, float64(out.Completions)/length
	out.InFlight, out.Waiting, out.Running = inFlight/length, waiting/length, running/length
	out.Output.Rate, out.Input.Rate = output.mean(length), input.mean(length)
	return out
}

// seconds returns the length of a time.
func (t SystemTime) seconds() float64 { return float64(t.ToNS-t.FromNS) / 1e9 }

// weighedRate sums rates by the time that each holds for.
type weighedRate struct {
	sum     float64
	unknown bool
}

func (w *weighedRate) add(rate *float64, seconds float64) {
	if rate == nil {
		w.unknown = true
		return
	}
	w.sum += float64(*rate * seconds)
}

// mean returns the rate over all of the time, nil when it is not known for some.
func (w *weighedRate) mean(seconds float64) *float64 {
	if w.unknown {
		return nil
	}
	return figure(w.sum / seconds)
}
