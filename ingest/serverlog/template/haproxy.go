package template

import (
	"errors"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// haproxyVariables are the variables whose shape or meaning is known, by their names
// without the percent sign.
var haproxyVariables = map[string]field{
	"tr":  {"time", "haproxy", "20/Aug/2026:12:00:00.101"},
	"trg": {"request_time", "clf", "20/Aug/2026:12:00:00 +0000"},
	"trl": {"request_time", "clf", "20/Aug/2026:12:00:00 +0000"},
	"t":   {"accepted", "haproxy", "20/Aug/2026:12:00:00.101"},
	"T":   {"accept_time", "clf", "20/Aug/2026:12:00:00 +0000"},
	"Tl":  {"accept_time", "clf", "20/Aug/2026:12:00:00 +0000"},
	"Ts":  {"accept_second", "epoch_s", "1787227200"},
	"ms":  {"", "int", "101"},

	"Ta": {"Ta", "ms", "2750"}, "Tc": {"Tc", "ms", "1"}, "Td": {"Td", "ms", "2135"},
	"Th": {"Th", "ms", "0"}, "Ti": {"Ti", "ms", "0"}, "TR": {"TR", "ms", "0"},
	"Tr": {"Tr", "ms", "602"}, "Tq": {"Tq", "ms", "0"}, "Tt": {"Tt", "ms", "2750"},
	"Tw": {"Tw", "ms", "12"}, "Tu": {"", "ms", "2750"},

	"ci": {"client", "token", "192.0.2.10"}, "cp": {"", "int", "40001"},
	"si": {"upstream", "token", "192.0.2.50"}, "sp": {"", "int", "8000"},
	"f": {"frontend", "token", "front"}, "ft": {"frontend", "token", "front"},
	"b": {"backend", "text", "pool"}, "s": {"server", "token", "srv1"},
	"ST": {"status", "int", "200"}, "ts": {"flags", "token", "--"}, "tsc": {"flags", "token", "----"},
	"ID": {"request_id", "text", "req-77"}, "HM": {"method", "token", "POST"},
	"HU": {"route", "token", "/v1/chat/completions"}, "HP": {"route", "token", "/v1/chat/completions"},
	"HPO": {"route", "token", "/v1/chat/completions"}, "HV": {"", "token", "HTTP/1.1"}, "HQ": {"", "text", "?a=1"},
	"r": {"", "text", "x"}, "B": {"", "token", "9426"}, "U": {"", "int", "812"},
	"ac": {"", "int", "24"}, "fc": {"", "int", "24"}, "bc": {"", "int", "23"}, "sc": {"", "int", "12"},
	"rc": {"", "token", "0"}, "sq": {"", "int", "0"}, "bq": {"", "int", "3"},
	"CC": {"", "token", "-"}, "CS": {"", "token", "-"}, "rt": {"", "int", "7"}, "pid": {"", "int", "14389"},
	"hr": {}, "hs": {}, "hrl": {"", "text", "x"}, "hsl": {"", "text", "x"},
	"lc": {"", "int", "1"}, "bi": {"", "token", "10.0.1.2"}, "bp": {"", "int", "40000"},
	"fi": {"", "token", "10.0.1.1"}, "fp": {"", "int", "80"}, "H": {"", "token", "lb1"},
	"E": {"", "text", "x"}, "OG": {"", "text", "x"},
	"sslc": {"", "token", "-"}, "sslv": {"", "token", "-"},
}

// HAProxy makes a declaration of a HAProxy log-format: the format string, or the whole
// directive.
func HAProxy(text string) (*format.Declaration, error) {
	pieces, err := haproxyPieces(text)
	if err != nil {
		return nil, err
	}
	record := format.RecordDeclaration{}
	if haproxyJSON.MatchString(text) {
		return haproxyDeclaration(haproxyObject(pieces, &record), &record)
	}
	pieces = join(pieces, "%ci", "%cp", field{"client", "token", "192.0.2.10:40001"})
	pieces = join(pieces, "%si", "%sp", field{"upstream", "token", "192.0.2.50:8000"})
	l, err := build(text, pieces)
	if err != nil {
		return nil, err
	}
	record.Pattern, record.Example = l.pattern.String(), l.example.String()
	return haproxyDeclaration(l.fields, &record)
}

// haproxyDeclaration makes a declaration of what the fields tell.
func haproxyDeclaration(have map[string]bool, record *format.RecordDeclaration) (*format.Declaration, error) {
	span := format.SpanDeclaration{Name: spanName(have)}
	for _, s := range []struct {
		start string
		needs []string
	}{
		{"time", []string{"time"}},
		{"request_us", []string{"request_us"}},
		{"request_ms", []string{"request_ms"}},
		{"accepted_us + Th + Ti", []string{"accepted_us", "Th", "Ti"}},
		{"accepted_ms + Th + Ti", []string{"accepted_ms", "Th", "Ti"}},
		{"accepted + Th + Ti", []string{"accepted", "Th", "Ti"}},
		{"accepted + Tq - TR", []string{"accepted", "Tq", "TR"}},
		{"accepted", []string{"accepted"}},
		{"accepted_us", []string{"accepted_us"}},
		{"accepted_ms", []string{"accepted_ms"}},
		{"request_time", []string{"request_time"}},
		{"accept_time", []string{"accept_time"}},
		{"accept_second", []string{"accept_second"}},
	} {
		if hasAll(have, s.needs) {
			span.Start = append(span.Start, s.start)
		}
	}
	if len(span.Start) == 0 {
		return nil, errors.New("the format holds no time: add [%tr] to it")
	}
	for _, e := range []struct {
		end   string
		needs []string
	}{
		{"start + Ta", []string{"Ta"}},
		{"start + Tt - Th - Ti", []string{"Tt", "Th", "Ti"}},
		{"start + Tt - Tq + TR", []string{"Tt", "Tq", "TR"}},
		{"start + Tt", []string{"Tt"}},
		{"start + TR + Tw + Tc + Tr + Td", []string{"TR", "Tw", "Tc", "Tr", "Td"}},
	} {
		if hasAll(have, e.needs) {
			span.End = append(span.End, e.end)
		}
	}
	if len(span.End) == 0 {
		return nil, errors.New("the format holds no duration of the whole request: add %TR/%Tw/%Tc/%Tr/%Ta to it")
	}
	records := haproxyRecords(record, have, span)
	return checked(&format.Declaration{
		ID:      "haproxy-log-format",
		Title:   "HAProxy, the given log-format",
		Doc:     "Written when a response has ended, or with option logasap when its headers came; the stamp is when the request began.",
		Kind:    "gateway",
		Service: ProgramHAProxy,
		Absent:  []string{"-", "-1"},
		Records: records,
	})
}

func hasAll(have map[string]bool, names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !have[n] })
}

// haproxyRecords makes one record for each phase that a request may have ended in,
// where the termination state tells it, and one for those that came to their end.
func haproxyRecords(whole *format.RecordDeclaration, have map[string]bool, span format.SpanDeclaration) []format.RecordDeclaration {
	parts, reached := haproxyChain(have)
	record := func(id string, parts []format.PartDeclaration, rest *format.RestDeclaration, flags ...string) format.RecordDeclaration {
		r, s := *whole, span
		s.Parts, s.Rest = parts, rest
		if id != "local" {
			s.Failed = haproxyFailed(have)
			if len(s.Failed) > 0 {
				s.Aborted = map[string]format.Names{"flags": {"C*"}}
			}
		}
		r.ID, r.Span = id, &s
		r.Keep = keep(have, "frontend", "backend", "server", "flags", "logasap")
		if len(flags) > 0 {
			r.When = map[string]format.Names{"flags": flags}
		}
		if r.JSON != nil {
			if r.When == nil {
				r.When = map[string]format.Names{}
			}
			for _, name := range []string{"Ta", "Tt", "Td"} {
				if have[name] {
					r.When[name] = format.Names{"*"}
					break
				}
			}
		}
		return r
	}
	rest := &format.RestDeclaration{Stage: "unattributed", Detail: "upstream"}
	own := &format.RestDeclaration{Stage: "gateway", Detail: "haproxy"}
	if !have["flags"] || reached < len(haproxyPhases) {
		return []format.RecordDeclaration{record("request", parts, rest)}
	}
	records := []format.RecordDeclaration{record("request", parts, rest, append([]string{"--*"}, states("DL")...)...)}
	example := func(flags string) string {
		e := whole.Example
		for _, f := range []string{"----", "--"} {
			if strings.Contains(e, f) {
				return strings.Replace(e, f, flags+f[2:], 1)
			}
		}
		return e
	}
	for i, phase := range haproxyPhases {
		until := slices.Clone(parts[:i])
		last := format.PartDeclaration{Until: "end", Stage: phase.stage, Detail: phase.detail, Basis: "termination state"}
		rest := (*format.RestDeclaration)(nil)
		if phase.timer == "Tc" || phase.timer == "Tr" {
			last.From = "start"
			for _, p := range until {
				last.From += strings.TrimPrefix(p.Until, "last")
			}
		}
		if phase.timer == "Tc" { // without a wait there was no server to connect to
			rest = own
		}
		r := record(phase.id, append(until, last), rest, states(phase.state)...)
		r.Example = example("c" + phase.state)
		records = append(records, r)
	}
	local := record("local", parts[:1], own, "LR*", "PR*", "PT*", "RR*", "IR*")
	local.Example = example("LR")
	other := record("other", parts, nil)
	other.Example = example("IC")
	return append(records, local, other)
}

// haproxyFailed tells by the termination state that a request did not come to its end,
// whatever its status: the client left, the server did, or one of them took too long.
// Without a status the line may be of a TCP session, which ends so as a rule.
func haproxyFailed(have map[string]bool) map[string]format.Names {
	if !have["flags"] || !have["status"] {
		return nil
	}
	var names format.Names
	for _, who := range "CScsPRDIKU" {
		names = append(names, string(who)+"*")
	}
	return map[string]format.Names{"flags": names}
}

// states are the termination states whose second letter is one of phases, but for those
// in which HAProxy itself answered.
func states(phases string) format.Names {
	var out format.Names
	for _, phase := range phases {
		who := "CScsPRLDKU"
		if phase == 'R' {
			who = "CcSs"
		}
		for _, w := range who {
			out = append(out, string(w)+string(phase)+"*")
		}
	}
	return out
}

// haproxyPhases are the phases of a request in their order, each with the timer of it
// and the letter of the termination state.
var haproxyPhases = []struct{ id, timer, state, stage, detail string }{
	{"upload", "TR", "R", "network", "upload"},
	{"queue", "Tw", "Q", "queue", "admission"},
	{"connect", "Tc", "C", "network", "connect"},
	{"headers", "Tr", "H", "unattributed", "upstream"},
}

// haproxyChain makes the parts of the timers, up to the first that is not logged, and
// says how many of them there are. Where the first timer is not logged, as in TCP mode,
// what comes before the second is not told, and so the rest may lie later than is said.
func haproxyChain(have map[string]bool) (parts []format.PartDeclaration, reached int) {
	phases, slack, sum := haproxyPhases, "", "start"
	if !have["TR"] && !have["Tq"] {
		phases, slack = phases[1:], "end - start"
		for _, phase := range phases {
			if !have[phase.timer] {
				break
			}
			slack += " - " + phase.timer
		}
	}
	for _, phase := range phases {
		timer := phase.timer
		if timer == "TR" && !have["TR"] {
			timer = "Tq"
		}
		if !have[timer] {
			return parts, reached
		}
		part := format.PartDeclaration{Until: "last + " + timer, Stage: phase.stage, Detail: phase.detail, Basis: "field " + timer}
		if slack != "" {
			part.Confidence, part.Error = "anchored", slack
		}
		parts = append(parts, part)
		sum += " + " + timer
		reached++
	}
	if slack != "" {
		return parts, reached
	}
	return append(parts, format.PartDeclaration{
		From: sum, Until: "end", Stage: "unattributed", Detail: "upstream response",
		Basis: "what follows " + strings.Replace(strings.ReplaceAll(strings.TrimPrefix(sum, "start + "), " + ", ", "), ", Tr", " and Tr", 1),
	}), reached
}
