package format

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

var formatID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// compiler makes a Format of a declaration and gathers what is wrong with it.
type compiler struct {
	d      *Declaration
	f      *Format
	shared map[string]*source
	faults []error
}

// Compile checks a declaration and makes a Format of it. It returns everything that is
// wrong, one error a fault, joined; each begins with file:line:column if the declaration
// was parsed from a file.
func (d *Declaration) Compile() (*Format, error) {
	c := &compiler{d: d, shared: map[string]*source{}}
	c.f = &Format{
		ID: d.ID, Title: strings.TrimSpace(d.Title), Doc: strings.TrimSpace(d.Doc), Kind: d.Kind, Service: d.Service,
		Over: slices.Clone(d.Over), Unusable: d.Unusable, headKinds: map[string]match.Kind{},
	}
	c.header()
	c.heads()
	seen := map[string]bool{}
	for i := range d.Records {
		if c.record(i); d.Records[i].ID != "" && seen[d.Records[i].ID] {
			c.fault(at{"records", i, "id"}, "record %q is declared twice", d.Records[i].ID)
		}
		seen[d.Records[i].ID] = true
	}
	if len(c.faults) == 0 {
		c.meanings()
	}
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	c.index()
	return c.f, nil
}

func (c *compiler) fault(where at, format string, args ...any) {
	c.faults = append(c.faults, c.d.fault(where, format, args...))
}

// header checks what is said of the format as a whole.
func (c *compiler) header() {
	d := c.d
	if !formatID.MatchString(d.ID) {
		c.fault(at{"id"}, "id %q is not made of a-z, 0-9 and -", d.ID)
	}
	if c.f.Title == "" {
		c.fault(at{"title"}, "title is missing")
	}
	if c.f.Doc == "" {
		c.fault(at{"doc"}, "doc is missing: say which program and setting write it, and what it cannot say")
	}
	if d.Kind != "gateway" && d.Kind != "engine" {
		c.fault(at{"kind"}, "unknown kind %q (gateway or engine)", d.Kind)
	}
	if d.Service == "" {
		c.fault(at{"service"}, "service is missing")
	}
	if d.Zone != "" {
		zone, err := time.LoadLocation(d.Zone)
		if err != nil || d.Zone == "Local" {
			c.fault(at{"zone"}, "unknown zone %q: want a name such as UTC or Europe/Berlin", d.Zone)
		}
		c.f.Zone = zone
	}
	switch d.Clock {
	case "", "wall":
	case "steady":
		c.f.Steady = true
	default:
		c.fault(at{"clock"}, "unknown clock %q (wall or steady)", d.Clock)
	}
	if d.Unusable != nil && (d.Unusable.What == "" || d.Unusable.Instead == "") {
		c.fault(at{"unusable"}, "unusable needs what and instead")
	}
	if len(d.Records) == 0 {
		c.fault(at{"records"}, "no records")
	}
}

func (c *compiler) heads() {
	slots := match.NewSlots()
	for i, spec := range c.d.Heads {
		m, _, err := match.Pattern(spec, slots, c.d.Absent)
		if err != nil {
			c.fault(at{"heads", i}, "%w", err)
			continue
		}
		kinds, err := patternKinds(spec)
		if err != nil {
			c.fault(at{"heads", i}, "%w", err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			if err := addKind(c.f.headKinds, name, kinds[name]); err != nil {
				c.fault(at{"heads", i}, "%w", err)
			}
		}
		c.f.heads = append(c.f.heads, m)
	}
	c.f.headNames = slots.Names()
}

func (c *compiler) record(i int) {
	d, where := &c.d.Records[i], at{"records", i}
	r := &Record{
		Format: c.f, Index: i, ID: d.ID, Name: c.d.ID + "." + d.ID, Doc: strings.TrimSpace(d.Doc), Weak: d.Weak, Bare: d.Bare,
		Example: strings.TrimRight(d.Example, "\r\n"), headSlots: len(c.f.headNames), Time: -1,
	}
	c.f.Records = append(c.f.Records, r)
	if !formatID.MatchString(d.ID) {
		c.fault(where.in("id"), "id %q of a record is not made of a-z, 0-9 and -", d.ID)
	}
	if r.Example == "" || strings.ContainsAny(r.Example, "\r\n") {
		c.fault(where.in("example"), "example must be one line as in the file, with its head")
	}
	c.use(r, d, where)
	if r.source = c.source(d, where); r.source == nil {
		return
	}
	r.Rest = r.source.rest
	for _, name := range slices.Sorted(maps.Keys(d.When)) {
		if _, ok := r.source.kinds[name]; !ok {
			c.fault(where.in("when", name), "no field %q", name)
			continue
		}
		if len(d.When[name]) == 0 {
			c.fault(where.in("when", name), "no texts to compare %q with", name)
		}
		when := newCondition(r.source.slots.Slot(name), d.When[name])
		r.when = append(r.when, when)
		if key := lastKey(name, d.JSON[name]); d.JSON != nil && key != "" && when.wants() {
			r.must = append(r.must, []byte(key))
		}
	}
	if d.Pattern == "" && d.Regex == "" && d.Prefix == "" && len(d.When) == 0 {
		c.fault(where, "a record without literal text needs when: say which fields make it this record, such as {duration: \"*\"}")
	}
}

// lastKey returns how the key of a member of an object ends, if it stands in one place:
// "" if a text may have the member without it.
func lastKey(name string, f FieldDeclaration) string {
	paths := f.paths(name)
	if len(paths) != 1 || strings.ContainsAny(paths[0], "'\"`\\") {
		return ""
	}
	last := paths[0][strings.LastIndexByte(paths[0], '.')+1:]
	if last == "" || strings.Trim(last, "0123456789") == "" {
		return ""
	}
	return last + `"`
}

// use finds out what a record is.
func (c *compiler) use(r *Record, d *RecordDeclaration, where at) {
	said := 0
	for _, is := range []bool{d.Use != "", d.Log != nil, d.Begin != nil, d.Update != nil, d.Span != nil && d.Update == nil} {
		if is {
			said++
		}
	}
	switch {
	case d.Use != "" && d.Use != "ignore":
		c.fault(where.in("use"), "unknown use %q (ignore)", d.Use)
	case said > 1:
		c.fault(where, "a record is one of use, log, begin, update and span, but for update with span")
	case said == 0 && len(d.Samples) == 0:
		c.fault(where, "the record says not what it is: use, log, samples, begin, update, or span with or without finish")
	case d.Finish != nil && d.Span == nil:
		c.fault(where.in("finish"), "finish needs a span")
	case len(d.Samples) > 0 && (d.Use != "" || d.Begin != nil || d.Update != nil):
		c.fault(where.in("samples"), "samples stand alone or with log, span or finish")
	case c.d.Unusable != nil && d.Use == "":
		c.fault(where, "the records of an unusable format are all ignored (use: ignore)")
	case len(d.Keep) > 0 && (d.Use != "" || said == 0):
		c.fault(where.in("keep"), "keep stores fields with a log, begin, update or span")
	}
	switch {
	case d.Use != "":
		r.Use = Ignored
	case d.Log != nil:
		r.Use = Instant
	case d.Begin != nil:
		r.Use = Begin
	case d.Update != nil:
		r.Use = Update
	case d.Finish != nil:
		r.Use = Finish
	case d.Span != nil:
		r.Use = Whole
	default:
		r.Use = Reading
	}
}

// source compiles how a record is read, or finds the record that is read the same way.
func (c *compiler) source(d *RecordDeclaration, where at) *source {
	count := 0
	for _, is := range []bool{d.Pattern != "", d.JSON != nil, d.Logfmt != nil, d.Python != nil, d.Regex != ""} {
		if is {
			count++
		}
	}
	if count != 1 {
		c.fault(where, "a record has exactly one of pattern, json, logfmt, python and regex")
		return nil
	}
	if d.Prefix != "" && (d.Pattern != "" || d.Regex != "") {
		c.fault(where.in("prefix"), "prefix stands before json, logfmt or python")
		return nil
	}
	if len(d.Types) > 0 && d.Regex == "" {
		c.fault(where.in("types"), "types are those of the groups of regex")
		return nil
	}
	key := fmt.Sprintf("%q %q %v %v %v %v %v %q", d.Pattern, d.Regex, d.Prefix, d.JSON, d.Logfmt, d.Python, d.Types, d.Split)
	if s := c.shared[key]; s != nil {
		return s
	}
	s := &source{slots: match.NewSlots()}
	for _, name := range c.f.headNames {
		s.slots.Slot(name)
	}
	err := c.read(s, d)
	if err == nil && !c.split(s, d, where) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.f.headKinds)) {
		if kind, ok := s.kinds[name]; ok && kind != c.f.headKinds[name] && err == nil {
			err = fmt.Errorf("field %q is of kind %s here and %s in a head", name, kind, c.f.headKinds[name])
		}
	}
	if err != nil {
		for name, is := range map[string]bool{"pattern": d.Pattern != "", "json": d.JSON != nil, "logfmt": d.Logfmt != nil,
			"python": d.Python != nil, "regex": d.Regex != ""} {
			if is {
				c.fault(where.in(name), "%w", err)
			}
		}
		return nil
	}
	for name, kind := range c.f.headKinds {
		if _, ok := s.kinds[name]; !ok {
			s.kinds[name] = kind
		}
	}
	for slot, name := range s.slots.Names() {
		kind, ok := s.kinds[name]
		if ok && kind == match.Instant {
			s.instants = append(s.instants, slot)
		}
		if ok && kind != match.Text {
			s.typed = append(s.typed, slot)
		}
	}
	s.number = len(c.f.sources)
	c.f.sources = append(c.f.sources, s)
	c.shared[key] = s
	return s
}

// read compiles the matcher of a source.
func (c *compiler) read(s *source, d *RecordDeclaration) (err error) {
	absent := c.d.Absent
	switch {
	case d.Pattern != "":
		if s.pattern, s.rest, err = match.Pattern(d.Pattern, s.slots, absent); err != nil {
			return err
		}
		s.matcher, s.first, s.prefix = s.pattern, *s.pattern.First(), s.pattern.Prefix()
		s.must, s.needs = s.pattern.Must(), patternPairs(d.Pattern)
		s.kinds, err = patternKinds(d.Pattern)
		return err
	case d.Regex != "":
		types := map[string]match.Type{}
		for name, text := range d.Types {
			if types[name], err = match.ParseType(text); err != nil {
				return err
			}
		}
		if s.kinds, err = regexKinds(d.Regex, types); err != nil {
			return err
		}
		s.matcher, err = match.Regex(d.Regex, types, s.slots, absent)
		for i := range s.first {
			s.first[i] = true
		}
		return err
	case d.JSON != nil:
		return c.object(s, d, d.JSON, func(f []match.Field) (match.Matcher, error) {
			return match.JSON(d.Prefix, f, s.slots, absent)
		})
	case d.Logfmt != nil:
		return c.object(s, d, d.Logfmt, func(f []match.Field) (match.Matcher, error) {
			return match.Logfmt(d.Prefix, f, s.slots, absent)
		})
	}
	return c.object(s, d, d.Python, func(f []match.Field) (match.Matcher, error) {
		return match.Python(d.Prefix, f, s.slots, absent)
	})
}

// object compiles a source whose fields are named in an object.
func (c *compiler) object(s *source, d *RecordDeclaration, fields Fields, compile func([]match.Field) (match.Matcher, error)) (err error) {
	s.kinds = map[string]match.Kind{}
	var list []match.Field
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		if f.odd != "" {
			return fmt.Errorf("field %s: want a path, or a path and a type, and not %q", name, f.odd)
		}
		t, err := match.ParseType(f.Type)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		if err := addKind(s.kinds, name, t.Kind()); err != nil {
			return err
		}
		for i, path := range f.paths(name) {
			as := name
			if i > 0 {
				// No output names it.
				as = fmt.Sprint(name, alternative, i)
				s.others = append(s.others, other{s.slots.Slot(name), s.slots.Slot(as)})
			}
			list = append(list, match.Field{Name: as, Path: path, Type: t})
		}
	}
	if s.matcher, err = compile(list); err != nil {
		return err
	}
	c.reach(s, d)
	return nil
}

// reach says what a text needs to have so that it is worth reading as an object: its
// prefix, or its first byte and the names of the fields that must be there.
func (c *compiler) reach(s *source, d *RecordDeclaration) {
	switch {
	case d.Prefix != "":
		s.prefix = []byte(d.Prefix)
		s.needs = textPairs(s.prefix)
		s.first[d.Prefix[0]] = true
	case d.JSON != nil:
		for _, b := range []byte(" \t{") {
			s.first[b] = true
		}
	default:
		for i := range s.first {
			s.first[i] = true
		}
	}
}

// index makes the tables by first bytes.
func (c *compiler) index() {
	f := c.f
	var all pairs
	for i := range all {
		all[i] = ^uint64(0)
	}
	f.needs = all
	for _, r := range f.Records {
		f.needs = f.needs.common(r.source.needs)
		any := true
		for b, ok := range r.source.first {
			if ok {
				f.byFirst[b] = append(f.byFirst[b], r)
			}
			any = any && ok
		}
		if any {
			f.empty = append(f.empty, r)
		}
		f.bare = f.bare || r.Bare
		if len(f.heads) == 0 || r.Bare {
			for b, ok := range r.source.first {
				f.first[b] = f.first[b] || ok
			}
		}
	}
	if len(f.heads) == 0 {
		return
	}
	for i, h := range f.heads {
		all = all.common(patternPairs(c.d.Heads[i]))
		for b, ok := range h.First() {
			f.first[b] = f.first[b] || ok
		}
	}
	if !f.bare {
		f.needs = f.needs.join(all)
	}
}
