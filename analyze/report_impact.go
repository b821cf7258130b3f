package analyze

import (
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
)

// FirstMissed is the first request that broke a limit of an objective.
type FirstMissed struct {
	Objective filter.Objective
	Known     bool
	AtNS      int64 // its start, on the clock of the report
	Request   Exemplar
}

// Users counts who was hit: those with a request that missed an objective, or without objectives
// with a slow one.
type Users struct {
	Field   string // the attribute that tells users apart; empty for none
	Known   bool   // some request has it
	Hit, Of int64
}

// userFields are attributes that OpenTelemetry has for who asks, in the order in which they are
// looked for.
var userFields = []string{"enduser.id", "user.id", "enduser.pseudo.id", "user.hash"}

// impact finds out since when objectives were missed, and whom that hit.
func (r *Report) impact(o ReportOptions) {
	req := &r.set.Requests
	hit := make([]bool, req.Len())
	var asked []int32
	if len(r.opt.Objectives) > 0 {
		a := newAsking(r.set, r.rows, r.Population, r.opt, CapacityOptions{Objectives: r.opt.Objectives})
		asked = a.asked
		for _, objective := range r.opt.Objectives {
			r.FirstMissed = append(r.FirstMissed, a.firstMissed(objective, hit))
		}
	} else if r.Enough {
		for _, row := range r.rows[r.N-r.TailN:] {
			hit[row] = true
		}
	}
	if len(asked) == 0 {
		asked = r.rows
	}
	r.Users = usersOf(r.set, asked, hit, o.UserField)
}

// firstMissed finds the first request that broke a limit of an objective, and marks all that did.
func (a *asking) firstMissed(o filter.Objective, hit []bool) FirstMissed {
	out := FirstMissed{Objective: o}
	joint := a.unlimited()
	for _, t := range o.Terms {
		for i, m := range a.meets(t) {
			joint[i] = joint[i].and(m)
		}
	}
	req := &a.set.Requests
	var first int32
	for i, row := range a.asked {
		if joint[i].why != 0 || joint[i].good {
			continue
		}
		hit[row] = true
		if !a.onBase(row) || req.Start[row] == table.Missing {
			continue
		}
		earlier := !out.Known || req.Start[row] < out.AtNS
		if same := out.Known && req.Start[row] == out.AtNS; same {
			earlier = string(req.TraceID[row][:])+string(req.RootSpanID[row][:]) < string(req.TraceID[first][:])+string(req.RootSpanID[first][:])
		}
		if earlier {
			first, out.Known, out.AtNS = row, true, req.Start[row]
			out.Request = exemplar(a.set, row, max(0, req.Duration[row]))
		}
	}
	return out
}

// usersOf counts the users of requests, and those that were hit.
func usersOf(set *table.Set, rows []int32, hit []bool, name string) Users {
	names := userFields
	if name != "" {
		names = []string{name}
	}
	fields := NewFields(set)
	for _, name := range names {
		field := fields.Field(name)
		users := map[string]bool{} // whether one was hit
		for _, row := range rows {
			if who, ok := field.Text(row); ok {
				users[who] = users[who] || hit[row]
			}
		}
		if len(users) == 0 {
			continue
		}
		out := Users{Field: name, Known: true, Of: int64(len(users))}
		for _, was := range users {
			if was {
				out.Hit++
			}
		}
		return out
	}
	return Users{Field: name}
}
