package reports

import "strconv"

// RowLimit says how many rows the lists of a document have at most, as who asked for it wants.
//
// # Which lists are cut, and where
//
// Lists whose rows stand on their own, and of which there are as many as the input has names, are
// cut in the document: groups, places, findings, values, steps of the path (of which the largest
// stay, with those above them), and the services, hosts, scopes,
// readings and engines of an inspection. JSON and CSV have no more of them than text has; Cut
// counts what is missing, and sums such as By.OtherN take it up.
//
// Other lists stay as they are in the document, since charts, sums or a later report are made from
// them: inputs, incidents (of which it has [MostIncidents] unless more were asked for), windows and
// stretches of time, points of curves, bottlenecks, clocks, spans of a waterfall and chunks of a
// stream. Where they are drawn they are cut to as many rows, and the place says so.
//
// Never cut are percentiles, bands, stages, segments of a critical path, conditions, objectives,
// warnings, and what says what was lost or left out. A timeline tells of [TimelineIncidents], or of
// more where more rows are asked for, and names in a sentence have their own number.
type RowLimit struct {
	Rows int64 `json:"rows"` // 0 for all
	// Cut are the lists of the document that have fewer rows than there were, in its order.
	Cut []CutList `json:"cut"`
}

// CutList is a list that has fewer rows than there were.
type CutList struct {
	// List is its path in the JSON. The place of an entry of a list on the way counts from 1:
	// queue.where.2.places.
	List  string `json:"list"`
	Shown int64  `json:"shown"`
	Of    int64  `json:"of"`
}

// Limited returns a document whose lists have at most so many rows; 0 for all that it has. What a
// list had before it was cut an earlier time is still counted. The document that is given does
// not change.
func (d Document) Limited(rows int) Document {
	c := &cutter{rows: max(0, rows), before: map[string]int64{}}
	if d.Limit != nil {
		for _, x := range d.Limit.Cut {
			c.before[x.List] = x.Of
		}
	}
	c.out = &RowLimit{Rows: int64(c.rows), Cut: []CutList{}}
	if d.Summary != nil {
		s := *d.Summary
		s.Path = c.path("summary.path.steps", s.Path)
		s.By = c.by("summary.by", s.By)
		d.Summary = &s
	}
	d.Requests = c.requests(d.Requests)
	if d.Inspect != nil {
		in := *d.Inspect
		in.Services = cutList(c, "inspect.services", in.Services, 0)
		in.Hosts = cutList(c, "inspect.hosts", in.Hosts, 0)
		in.Scopes = cutList(c, "inspect.scopes", in.Scopes, 0)
		in.Readings = cutList(c, "inspect.readings", in.Readings, 0)
		in.Engines = cutList(c, "inspect.engines", in.Engines, 0)
		d.Inspect = &in
	}
	if d.Queue != nil {
		q := *d.Queue
		q.Summary.Path = c.path("queue.summary.path.steps", q.Summary.Path)
		q.Where = c.wheres(q.Where)
		q.Who.Findings = cutList(c, "queue.who.findings", q.Who.Findings, 0)
		q.Who.TimeOnly = cutList(c, "queue.who.time_only", q.Who.TimeOnly, 0)
		d.Queue = &q
	}
	if d.Compare != nil {
		x := *d.Compare
		x.Mix = c.mix(x.Mix)
		x.By = c.compareBy("compare.by", x.By)
		d.Compare = &x
	}
	d.Limit = c.out
	return d
}

// Fewer returns the lists of which a document has fewer rows than it is asked to show, although
// there were more: those that were cut, and those that are never listed in full unless it is
// asked for while they are made. 0 asks for all. Shown is what the document has.
func (d Document) Fewer(rows int) []CutList {
	whole := d.Limited(0)
	list := whole.Limit.Cut
	for i, r := range d.Requests {
		if r.RowsOmitted > 0 {
			n := int64(len(r.Rows))
			list = append(list, CutList{within("requests", i, "rows"), n, n + r.RowsOmitted})
		}
	}
	if d.Summary != nil {
		list = d.Summary.Path.fewer("summary.path.steps", list)
	}
	if d.Queue != nil {
		list = d.Queue.Summary.Path.fewer("queue.summary.path.steps", list)
	}
	if d.Queue != nil && d.Queue.When.More.N > 0 {
		w := d.Queue.When
		list = append(list, CutList{"queue.when.incidents", int64(len(w.Incidents)), w.All()})
	}
	if d.Capacity != nil {
		t := d.Capacity.System.Tradeoff
		if n, all := int64(len(t.Moves)), t.Better+t.Worse; n < all {
			list = append(list, CutList{"capacity.system.tradeoff.moves", n, all})
		}
	}
	var out []CutList
	for _, x := range list {
		if rows == 0 || x.Shown < int64(rows) {
			out = append(out, x)
		}
	}
	return out
}

// Of returns how many rows a list had before the document was cut, of which it has shown.
func (l *RowLimit) Of(list string, shown int) int {
	if l != nil {
		for _, x := range l.Cut {
			if x.List == list {
				return int(x.Of)
			}
		}
	}
	return shown
}

// cutter cuts the lists of a document.
type cutter struct {
	rows   int              // 0 for all
	before map[string]int64 // rows that lists had before they were cut another time
	out    *RowLimit
}

// cutList returns at most as many rows of a list as the cutter leaves, and counts the others,
// and those beyond that the list did not have.
func cutList[T any](c *cutter, name string, list []T, beyond int64) []T {
	of := max(c.before[name], int64(len(list))+beyond)
	if c.rows > 0 && len(list) > c.rows {
		list = list[:c.rows:c.rows]
	}
	if n := int64(len(list)); n < of {
		c.out.Cut = append(c.out.Cut, CutList{name, n, of})
	}
	return list
}

// within is the path of a list of entry i of another.
func within(list string, i int, name string) string {
	return list + "." + strconv.Itoa(i+1) + "." + name
}

// by adds the groups that are cut to the others.
func (c *cutter) by(name string, b *By) *By {
	if b == nil {
		return nil
	}
	out := *b
	out.Groups = cutList(c, name+".groups", b.Groups, b.OtherGroups)
	for _, g := range b.Groups[len(out.Groups):] {
		out.OtherGroups, out.OtherN, out.OtherSlow = out.OtherGroups+1, out.OtherN+g.N, out.OtherSlow+g.Slow
	}
	return &out
}

// compareBy adds the groups that are cut to the others.
func (c *cutter) compareBy(name string, b *CompareBy) *CompareBy {
	if b == nil {
		return nil
	}
	out := *b
	out.Groups = cutList(c, name+".groups", b.Groups, b.OtherGroups)
	for _, g := range b.Groups[len(out.Groups):] {
		out.OtherGroups, out.Other = out.OtherGroups+1, out.Other.plus(g.GroupSize)
	}
	return &out
}

// wheres puts the places that are cut together with the others.
func (c *cutter) wheres(list []Where) []Where {
	if list == nil {
		return nil
	}
	out := make([]Where, len(list))
	for i, w := range list {
		out[i] = w
		out[i].Places = cutList(c, within("queue.where", i, "places"), w.Places, w.Values-int64(len(w.Places)))
		if cut := w.Places[len(out[i].Places):]; len(cut) > 0 {
			out[i].Others = together(cut, w.Others, w.Values-int64(len(out[i].Places)))
		}
	}
	return out
}

// mix counts the values that are cut.
func (c *cutter) mix(list []MixShift) []MixShift {
	if list == nil {
		return nil
	}
	out := make([]MixShift, len(list))
	for i, m := range list {
		out[i] = m
		out[i].Values = cutList(c, within("compare.mix", i, "values"), m.Values, m.MoreValues)
		out[i].MoreValues += int64(len(m.Values) - len(out[i].Values))
	}
	return out
}

// requests cuts the places that tell of each request.
func (c *cutter) requests(list []Request) []Request {
	if list == nil {
		return nil
	}
	out := make([]Request, len(list))
	for i, r := range list {
		out[i] = r
		out[i].ToldBy = cutList(c, within("requests", i, "told_by"), r.ToldBy, 0)
	}
	return out
}
