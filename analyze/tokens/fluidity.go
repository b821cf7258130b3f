package tokens

// Schedule says when tokens are due: the first FirstNS after the start of the request, and
// each GapNS after the one before was due. Both are in ns and not negative.
type Schedule struct{ FirstNS, GapNS int64 }

// Fluidity says how many tokens came when they were due.
type Fluidity struct {
	Tokens, OnTime int64
	LatestNS       int64 // by how much the latest of the late ones was late, ns
}

// Share returns the share of tokens on time, and false without tokens.
func (f Fluidity) Share() (float64, bool) {
	if f.Tokens == 0 {
		return 0, false
	}
	return float64(f.OnTime) / float64(f.Tokens), true
}

// OnSchedule compares the tokens with one schedule for the whole request: token k, counted
// from 0, is due at FirstNS + k*GapNS after the start. A late token moves no later one's
// due time, and an early one leaves slack to those after it, so holding tokens back gains
// nothing. All tokens of a chunk come when it does. [fluidity]
func (s *Stream) OnSchedule(due Schedule) Fluidity {
	var f Fluidity
	for _, c := range s.chunks {
		if c.Tokens == 0 {
			continue
		}
		late := max(0, c.AtNS-due.FirstNS) // of token 0, were it in this chunk
		first := f.Tokens                  // index of the chunk's first token
		f.Tokens += c.Tokens
		switch {
		case late == 0:
			f.OnTime += c.Tokens
			continue
		case due.GapNS <= 0:
			f.LatestNS = max(f.LatestNS, late)
			continue
		}
		punctual := late/due.GapNS + min(1, late%due.GapNS) // the least index that is on time
		f.OnTime += min(c.Tokens, max(0, f.Tokens-punctual))
		if first < punctual {
			f.LatestNS = max(f.LatestNS, late-first*due.GapNS)
		}
	}
	return f
}

// EtalonMisses counts deadlines and missed ones as Etalon's code does
// (etalon/metrics/metric_utils.py): a token in time banks its slack for the next; a late
// gap counts as many missed deadlines as fit into what it has beyond the slack, and the
// first token one more for being late; then the slack is lost. times are those of
// [Stream.InterTokenTimes]. [fluidity_etalon_code]
func EtalonMisses(times []int64, due Schedule) (missed, deadlines int64) {
	var slack int64
	for i, t := range times {
		allowed := due.GapNS
		if i == 0 {
			allowed = due.FirstNS
		}
		if t-slack <= allowed {
			slack += allowed - t
			deadlines++
			continue
		}
		var late int64 // deadlines missed by it
		switch {
		case due.GapNS <= 0:
			late = 1
		case i == 0:
			late = 1 + (t-due.FirstNS)/due.GapNS
		default:
			late = (t - slack) / due.GapNS
		}
		missed, deadlines, slack = missed+late, deadlines+late, 0
	}
	return missed, deadlines
}

// EtalonOnTime counts tokens and those on time by the formula that Etalon documents: a
// token is on time if it comes within its allowance and the slack that those before it
// banked; a late one is one miss, however late, and the slack is lost. times are those of
// [Stream.InterTokenTimes]. It differs from the code, see [EtalonMisses].
// [fluidity_etalon_doc]
func EtalonOnTime(times []int64, due Schedule) (onTime, tokens int64) {
	var slack int64
	for i, t := range times {
		allowed := due.GapNS
		if i == 0 {
			allowed = due.FirstNS
		}
		if tokens++; t-slack <= allowed {
			slack += allowed - t
			onTime++
			continue
		}
		slack = 0
	}
	return onTime, tokens
}
