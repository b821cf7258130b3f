package join

import (
	"cmp"
	"math"
	"slices"
)

// stay is the time during which a row carries an id or address.
type stay struct {
	group, service, row int32
	dated               bool  // start and end, in ns, are on a clock that tells the date
	start, end          int64 // both inclusive
}

// mostAtOnce is how many groups may carry one weak id or address at the same instant.
// Where more do, it does not tell requests apart, and nothing is looked for.
const mostAtOnce = 8

// The reasons for which a weak id or an address joins nothing.
const (
	doubtSeveral = "with several candidates at one time"
	doubtUndated = "on a clock that does not tell the date"
)

// pairing is the work of one pair, and keeps its memory for the next.
type pairing struct {
	stays    []stay  // one for each stretch of time of a group; group is a place in groups
	groups   []int32 // the groups, ascending
	services []int32 // those of group i are services[begin[i]:begin[i+1]], ascending
	begin    []int32
	crowded  []bool // by group: it is in a crowd, where not all candidates are looked for
	met      [][2]int32
	good     [][2]int32 // the second is the only candidate of the first at its services
	joined   [][2]int32
	doubt    string
	here     []stay
	scratch  []int32
}

// pair finds the groups that carry one weak id, or address, at the same time and at
// different services, and only they: two groups are joined if neither has another
// candidate at any service of the other. It returns the pairs, each with the lesser group
// first, void after the next call, and why some could not be told, empty if there were none.
//
// Groups with a service in common are not candidates for each other: they are two
// requests, or two attempts.
func (p *pairing) pair(stays []stay) (joined [][2]int32, doubt string) {
	if !slices.ContainsFunc(stays, func(s stay) bool { return s.service != stays[0].service }) {
		return nil, ""
	}
	p.stays, p.doubt = append(p.stays[:0], stays...), ""
	p.met, p.good, p.joined = p.met[:0], p.good[:0], p.joined[:0]
	p.stretch()
	if len(p.groups) < 2 {
		return nil, ""
	}
	p.meet()
	p.undated()
	for i := 0; i < len(p.met); {
		j := i
		for j < len(p.met) && p.met[j][0] == p.met[i][0] {
			j++
		}
		p.only(p.met[i:j])
		i = j
	}
	for _, m := range p.good {
		_, both := slices.BinarySearchFunc(p.good, [2]int32{m[1], m[0]}, comparePairs)
		if both && m[0] < m[1] && !p.crowded[m[0]] && !p.crowded[m[1]] {
			p.joined = append(p.joined, [2]int32{p.groups[m[0]], p.groups[m[1]]})
		}
	}
	if p.doubt == "" && 2*len(p.joined) != len(p.met) {
		p.doubt = doubtSeveral
	}
	return p.joined, p.doubt
}

// at returns the services of a group.
func (p *pairing) at(group int32) []int32 { return p.services[p.begin[group]:p.begin[group+1]] }

// apart reports whether two groups have no service in common.
func (p *pairing) apart(a, b int32) bool {
	x, y := p.at(a), p.at(b)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			return false
		case x[0] < y[0]:
			x = x[1:]
		default:
			y = y[1:]
		}
	}
	return true
}

// stretch numbers the groups, notes their services, and makes one stay of those of a
// group that touch or overlap. The stays are in order of their start then.
func (p *pairing) stretch() {
	slices.SortFunc(p.stays, func(a, b stay) int {
		return cmp.Or(cmp.Compare(a.group, b.group), compareBool(a.dated, b.dated), cmp.Compare(a.start, b.start))
	})
	p.groups, p.services, p.begin = p.groups[:0], p.services[:0], p.begin[:0]
	n := 0
	for i, s := range p.stays {
		if i == 0 || s.group != p.groups[len(p.groups)-1] {
			p.closeGroup()
			p.groups = append(p.groups, s.group)
		}
		p.services = append(p.services, s.service)
		s.group = int32(len(p.groups) - 1)
		if last := n - 1; last >= 0 && p.stays[last].group == s.group && p.stays[last].dated == s.dated && s.start <= p.stays[last].end {
			p.stays[last].end = max(p.stays[last].end, s.end)
			continue
		}
		p.stays[n] = s
		n++
	}
	p.closeGroup()
	p.stays = p.stays[:n]
	p.crowded = append(p.crowded[:0], make([]bool, len(p.groups))...)
	slices.SortFunc(p.stays, func(a, b stay) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.group, b.group)) })
}

// closeGroup orders the services of the last group, each once.
func (p *pairing) closeGroup() {
	if len(p.groups) > 0 {
		last := p.services[p.begin[len(p.groups)-1]:]
		slices.Sort(last)
		p.services = p.services[:len(p.services)-len(last)+len(slices.Compact(last))]
	}
	p.begin = append(p.begin, int32(len(p.services)))
}

// meet finds the pairs of groups that are candidates for each other, both ways, and the
// crowds.
func (p *pairing) meet() {
	here := p.here[:0]
	for _, s := range p.stays {
		if !s.dated {
			continue
		}
		here = slices.DeleteFunc(here, func(o stay) bool { return o.end < s.start })
		for _, o := range here {
			switch {
			case o.group == s.group || !p.apart(o.group, s.group):
			case len(here) >= mostAtOnce:
				p.doubt = doubtSeveral
			default:
				p.met = append(p.met, [2]int32{o.group, s.group}, [2]int32{s.group, o.group})
			}
		}
		here = append(here, s)
		if len(here) <= mostAtOnce {
			continue
		}
		for _, o := range here {
			p.crowded[o.group] = true
		}
		if len(here) > mostAtOnce+1 {
			// Whoever meets the one that leaves first meets all the others too.
			first := 0
			for i, o := range here {
				if o.end < here[first].end {
					first = i
				}
			}
			here = slices.Delete(here, first, first+1)
		}
	}
	p.here = here
	slices.SortFunc(p.met, comparePairs)
	p.met = slices.Compact(p.met)
}

// undated doubts groups without a date that could belong to any other.
func (p *pairing) undated() {
	if p.doubt != "" {
		return
	}
	var kinds []int32 // a group for each list of services, of which there are few
	for g := range int32(len(p.groups)) {
		if !slices.ContainsFunc(kinds, func(k int32) bool { return slices.Equal(p.at(k), p.at(g)) }) {
			kinds = append(kinds, g)
		}
	}
	for _, s := range p.stays {
		if !s.dated && slices.ContainsFunc(kinds, func(k int32) bool { return p.apart(k, s.group) }) {
			p.doubt = doubtUndated
			return
		}
	}
}

// only adds those of the pairs of one group to the good whose second group is the only
// candidate at each of its services.
func (p *pairing) only(met [][2]int32) {
	all := p.scratch[:0]
	for _, m := range met {
		all = append(all, p.at(m[1])...)
	}
	slices.Sort(all)
	p.scratch = all
	for _, m := range met {
		if !slices.ContainsFunc(p.at(m[1]), func(service int32) bool {
			i, _ := slices.BinarySearch(all, service)
			return i+1 < len(all) && all[i+1] == service
		}) {
			p.good = append(p.good, m)
		}
	}
}

func comparePairs(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// compareBool puts false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// addTime adds two times in ns, within the bounds of int64.
func addTime(a, b int64) int64 {
	switch c := a + b; {
	case b > 0 && c < a:
		return math.MaxInt64
	case b < 0 && c > a:
		return math.MinInt64
	default:
		return c
	}
}
