package format

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// meanings compiles what the records say, once all of them are known: the last record
// of a request may use the fields of the ones before it.
func (c *compiler) meanings() {
	told := map[string]match.Kind{}
	var keep []string
	begins, finishes := false, false
	for i, r := range c.f.Records {
		if r.Use != Begin && r.Use != Update {
			finishes = finishes || r.Use == Finish
			continue
		}
		begins = begins || r.Use == Begin
		keep = append(keep, c.d.Records[i].Keep...)
		kinds := maps.Clone(r.source.kinds)
		if name := c.mark(i).Time; name != "" {
			kinds[name] = match.Instant
		}
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			if err := addKind(told, name, kinds[name]); err != nil {
				c.fault(at{"records", i}, "%w", err)
			}
		}
	}
	for i, r := range c.f.Records {
		switch {
		case r.Use == Finish && !begins:
			c.fault(at{"records", i, "finish"}, "no record begins a request")
		case r.Use == Update && !begins:
			c.fault(at{"records", i, "update"}, "no record begins a request")
		case r.Use == Begin && !finishes:
			c.fault(at{"records", i, "begin"}, "no record finishes a request")
		}
		m := &meaning{compiler: c, r: r, d: &c.d.Records[i], where: at{"records", i}}
		if r.Use == Finish || r.Use == Update && m.d.Span != nil {
			m.told, m.keep = told, keep
		}
		m.compile()
	}
}

// mark returns what makes record i one of several.
func (c *compiler) mark(i int) *MarkDeclaration {
	d := &c.d.Records[i]
	for _, m := range []*MarkDeclaration{d.Begin, d.Update, d.Finish} {
		if m != nil {
			return m
		}
	}
	return &MarkDeclaration{}
}

// meaning compiles what one record says.
type meaning struct {
	*compiler
	r     *Record
	d     *RecordDeclaration
	where at
	told  map[string]match.Kind // fields of the records before the last one
	keep  []string              // of them, those that are kept
}

// kind returns the kind of a field that the record has or may have been told before.
func (m *meaning) kind(name string) (match.Kind, bool) {
	if k, ok := m.r.source.kinds[name]; ok {
		return k, true
	}
	if k, ok := m.told[name]; ok {
		return k, true
	}
	return match.Instant, name == "time" // what wraps a line may give its time
}

// field returns the place of a field.
func (m *meaning) field(name string) (int, error) {
	if _, ok := m.kind(name); !ok {
		return 0, fmt.Errorf("no field %q", name)
	}
	return m.r.source.slots.Slot(name), nil
}

// maybe returns the place of a field, -1 if there is none of that name.
func (m *meaning) maybe(name string) Slot {
	if _, ok := m.kind(name); !ok {
		return -1
	}
	return Slot(m.r.source.slots.Slot(name))
}

// slots returns the places of named fields.
func (m *meaning) slots(names []string, where at, own bool) []Slot {
	var list []Slot
	for i, name := range names {
		slot, err := m.field(name)
		if _, ok := m.r.source.kinds[name]; own && !ok {
			err = fmt.Errorf("no field %q", name)
		}
		if err != nil {
			m.fault(where.in(i), "%w", err)
			continue
		}
		list = append(list, Slot(slot))
	}
	return list
}

// stored are the fields that become attributes without being kept.
var stored = []string{"trace_id", "span_id", "method", "client", "upstream"}

func (m *meaning) compile() {
	r := m.r
	if kind, _ := m.kind("time"); kind != match.Instant {
		m.fault(m.where, "field time is of kind %s and not an instant: give it a type, such as rfc3339, datetime or epoch_ms", kind)
	}
	r.Time = m.maybe("time")
	r.Fields = Meanings{
		Level: m.maybe("level"), RequestID: m.maybe("request_id"), TraceID: m.maybe("trace_id"), SpanID: m.maybe("span_id"),
		Model: m.maybe("model"), Route: m.maybe("route"), Method: m.maybe("method"), Status: m.maybe("status"),
		PromptTokens: m.maybe("prompt_tokens"), OutputTokens: m.maybe("output_tokens"), CachedTokens: m.maybe("cached_tokens"),
		Host: m.maybe("host"), Instance: m.maybe("instance"), Service: m.maybe("service"),
		Client: m.maybe("client"), Upstream: m.maybe("upstream"),
	}
	m.slots(m.d.Keep, m.where.in("keep"), false)
	for _, name := range slices.Concat(m.d.Keep, m.keep) {
		slot := m.maybe(name)
		kept := func(k Kept) bool { return k.Name == name }
		if slot >= 0 && !slices.Contains(stored, name) && !slices.ContainsFunc(r.Keep, kept) {
			r.Keep = append(r.Keep, Kept{name, slot})
		}
	}
	for _, name := range m.compiler.d.Engine {
		if slot := m.maybe(name); slot >= 0 {
			r.Engine = append(r.Engine, slot)
		} else if !m.somewhere(name) {
			m.faultOnce(at{"engine"}, "no record has a field %q", name)
		}
	}
	for _, name := range m.compiler.d.Rank {
		if slot, ok := r.source.slots.Lookup(name); ok {
			r.Rank = append(r.Rank, Slot(slot))
		} else if !m.somewhere(name) {
			m.faultOnce(at{"rank"}, "no record has a field %q", name)
		}
	}
	if mark := m.mark(r.Index); r.Use >= Begin && r.Use <= Finish {
		what := [...]string{Begin: "begin", Update: "update", Finish: "finish"}[r.Use]
		if len(mark.Key) == 0 && (mark.Key == nil || r.Use == Begin) {
			m.fault(m.where.in(what), "key is missing")
		}
		r.Key = m.slots(mark.Key, m.where.in(what, "key"), true)
		r.TimeName = mark.Time
		if r.Use == Finish && mark.Time != "" {
			m.fault(m.where.in(what, "time"), "the time of the last record is called time")
		}
	}
	for i := range m.d.Samples {
		m.sample(i)
	}
	if m.d.Span != nil {
		m.span()
	}
}

// somewhere reports whether any record of the format has a field.
func (m *meaning) somewhere(name string) bool {
	for _, r := range m.f.Records {
		if _, ok := r.source.kinds[name]; ok {
			return true
		}
	}
	return false
}

// faultOnce is fault for what is said of the format and not of a record.
func (m *meaning) faultOnce(where at, format string, args ...any) {
	if m.r.Index == 0 {
		m.fault(where, format, args...)
	}
}

func (m *meaning) sample(i int) {
	d, where := m.d.Samples[i], m.where.in("samples", i)
	metric, ok := table.MetricByName(d.Metric)
	if !ok {
		m.fault(where.in("metric"), "unknown metric %q", d.Metric)
		return
	}
	slot, err := m.field(d.Field)
	if err != nil {
		m.fault(where.in("field"), "%w", err)
		return
	}
	kind, _ := m.kind(d.Field)
	switch {
	case kind == match.Duration && metric.Unit != "ns":
		m.fault(where.in("field"), "field %q is a duration and metric %s is in %q", d.Field, d.Metric, metric.Unit)
	case kind != match.Duration && kind != match.Int && kind != match.Float:
		m.fault(where.in("field"), "field %q is of kind %s and no number", d.Field, kind)
	case metric.Unit == "ns" && kind != match.Duration && d.Scale == 0:
		m.fault(where.in("field"), "metric %s is in ns: give field %q the type of a duration, or a scale", d.Metric, d.Field)
	}
	scale := d.Scale
	if scale == 0 {
		scale = 1
	}
	sample := Sample{Metric: d.Metric, Unit: metric.Unit, Slot: Slot(slot), Scale: scale}
	if parts := math.Round(1 / scale); scale < 1 && 1/parts == scale {
		sample.Parts = parts
	}
	m.r.Samples = append(m.r.Samples, sample)
}

func (m *meaning) span() {
	d, where := m.d.Span, m.where.in("span")
	s := &Span{Labels: []string{""}, time: m.r.Time}
	m.r.Span = s
	var err error
	name := d.Name
	if name == "" {
		name = m.r.Name
	}
	if s.name, err = template(name, m.field); err != nil {
		m.fault(where.in("name"), "%w", err)
	}
	m.ends(s, d, where)
	s.first = m.expressions(d.FirstToken, where.in("first_token"), scope{start: true, end: true}, true)
	if d.Error != "" {
		s.hasError = true
		if s.error, err = parseLiteral(d.Error); err != nil {
			m.fault(where.in("error"), "%w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Failed)) {
		slot, err := m.field(name)
		if err != nil {
			m.fault(where.in("failed", name), "%w", err)
			continue
		}
		s.failed = append(s.failed, newCondition(slot, d.Failed[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Aborted)) {
		slot, err := m.field(name)
		if err != nil {
			m.fault(where.in("aborted", name), "%w", err)
			continue
		}
		s.aborted = append(s.aborted, newCondition(slot, d.Aborted[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Untold)) {
		slot, err := m.field(name)
		if err != nil {
			m.fault(where.in("untold", name), "%w", err)
			continue
		}
		s.untold = append(s.untold, untold{name, newCondition(slot, d.Untold[name])})
	}
	for i := range d.Parts {
		m.part(s, d.Parts[i], where.in("parts", i))
	}
	if d.Attempts != nil {
		m.attempts(s, d.Attempts, where.in("attempts"))
	}
	s.rest = rest{stage: unattributed, detail: s.intern(NotRecorded), basis: s.intern(restBasis)}
	if d.Rest != nil {
		s.hasRest = true
		s.rest.stage = m.stage(d.Rest.Stage, where.in("rest", "stage"))
		s.rest.detail = s.intern(d.Rest.Detail)
	}
	s.intern(Conflict)
}

// ends compiles start and end. One of them may refer to the other.
func (m *meaning) ends(s *Span, d *SpanDeclaration, where at) {
	refers := func(list Names, word string) bool {
		return slices.ContainsFunc(list, func(text string) bool {
			return slices.Contains(strings.Fields(strings.NewReplacer("+", " ", "-", " ").Replace(text)), word)
		})
	}
	s.startEnd = refers(d.Start, "end")
	if s.startEnd && refers(d.End, "start") {
		m.fault(where.in("start"), "start and end refer to each other")
		return
	}
	if len(d.Start) == 0 || len(d.End) == 0 {
		m.fault(where, "a span needs start and end")
		return
	}
	s.start = m.expressions(d.Start, where.in("start"), scope{end: true}, true)
	s.end = m.expressions(d.End, where.in("end"), scope{start: true}, true)
}

// expressions compiles alternatives that must be instants.
func (m *meaning) expressions(list Names, where at, in scope, instant bool) []*expression {
	var out []*expression
	in.kind = m.kind
	in.slot = func(name string) int { return m.r.source.slots.Slot(name) }
	for i, text := range list {
		e, err := parseExpression(text, in)
		if err == nil && e.instant != instant {
			err = fmt.Errorf("%q is a duration, and an instant is wanted", text)
		}
		if err != nil {
			m.fault(where.in(i), "%w", err)
			continue
		}
		out = append(out, e)
	}
	return out
}

func (m *meaning) part(s *Span, d PartDeclaration, where at) {
	in := scope{start: true, end: true, last: true}
	p := part{label: Part{Stage: m.stage(d.Stage, where.in("stage")), Detail: s.intern(d.Detail)}, cut: d.Cut}
	for _, name := range slices.Sorted(maps.Keys(d.When)) {
		slot, err := m.field(name)
		if err == nil && len(d.When[name]) == 0 {
			err = fmt.Errorf("no texts to compare %q with", name)
		}
		if err != nil {
			m.fault(where.in("when", name), "%w", err)
			continue
		}
		p.when = append(p.when, newCondition(slot, d.When[name]))
	}
	if d.From != "" {
		if e := m.expressions(Names{d.From}, where.in("from"), in, true); len(e) == 1 {
			p.from = e[0]
		}
	}
	if d.Until == "" {
		m.fault(where, "a part needs until")
		return
	}
	e := m.expressions(Names{d.Until}, where.in("until"), in, true)
	if len(e) != 1 {
		return
	}
	p.until = e[0]
	switch {
	case d.Confidence == "exact" && d.Error != "":
		m.fault(where.in("confidence"), "a part with an error is not exact: leave out one of them, or say anchored")
	case d.Confidence == "exact":
	case d.Confidence == "anchored" || d.Confidence == "" && d.Error != "":
		p.label.Confidence = anchored
	case d.Confidence == "":
	default:
		m.fault(where.in("confidence"), "unknown confidence %q (exact or anchored)", d.Confidence)
	}
	if d.Error != "" {
		var err error
		p.hasError = true
		if p.error, err = parseLiteral(d.Error); err != nil {
			p.error = 0
			if e := m.expressions(Names{d.Error}, where.in("error"), in, false); len(e) == 1 {
				p.bound = e[0]
			}
		}
	}
	basis := d.Basis
	if basis == "" {
		basis = p.until.basis(p.from)
	}
	p.label.Basis = s.intern(basis)
	s.parts = append(s.parts, p)
}

func (m *meaning) attempts(s *Span, d *AttemptsDeclaration, where at) {
	if d.Response == "" {
		m.fault(where, "attempts need response")
		return
	}
	a := &attempts{header: -1, connect: -1, names: [3]string{d.Response, d.Header, d.Connect}}
	for i, to := range []*Slot{&a.response, &a.header, &a.connect} {
		name, key := a.names[i], []string{"response", "header", "connect"}[i]
		if name == "" {
			continue
		}
		slot, err := m.field(name)
		if kind, _ := m.kind(name); err == nil && kind != match.List && kind != match.Duration {
			err = fmt.Errorf("field %q is of kind %s and no list of durations", name, kind)
		}
		if err != nil {
			m.fault(where.in(key), "%w", err)
			continue
		}
		*to = Slot(slot)
	}
	network := uint8(slices.Index(table.StageNames[:], "network"))
	a.network = Part{Stage: network, Confidence: anchored, Detail: s.intern("connect"), Basis: s.intern("field " + d.Connect)}
	a.body = Part{Stage: unattributed, Confidence: anchored, Detail: s.intern(Response), Basis: s.intern("field " + d.Response)}
	a.upstream = Part{Stage: unattributed, Confidence: anchored, Detail: s.intern(Upstream), Basis: s.intern("field " + d.Response)}
	if d.Header != "" {
		a.upstream.Basis = s.intern("field " + d.Header)
	}
	s.attempts = a
}

func (m *meaning) stage(name string, where at) uint8 {
	i := slices.Index(table.StageNames[:], name)
	if i < 0 {
		m.fault(where, "unknown stage %q (one of %s)", name, strings.Join(table.StageNames[:], ", "))
		return unattributed
	}
	return uint8(i)
}

// intern returns the number of a label.
func (s *Span) intern(text string) int {
	if i := slices.Index(s.Labels, text); i >= 0 {
		return i
	}
	s.Labels = append(s.Labels, text)
	return len(s.Labels) - 1
}
