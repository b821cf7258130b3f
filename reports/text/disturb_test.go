package text

import (
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// disturbCapacity puts names from an attacker and numbers from chance into a capacity section.
func disturbCapacity(t *rapid.T, c *reports.Capacity, name func(label string, p *string)) {
	number := func(label string, p **float64) {
		if rapid.Bool().Draw(t, label+"?") {
			v := rapid.Float64().Draw(t, label)
			if *p = &v; rapid.Bool().Draw(t, label+" unknown") {
				*p = nil
			}
		}
	}
	c.Warnings = append(c.Warnings, reports.Warning{ID: drawName(t, "id"), Text: drawName(t, "text")})
	for i := range c.Objectives {
		o := &c.Objectives[i]
		name("objective", &o.Objective)
		name("limiting", &o.Limiting)
		name("why", &o.NoGoodput)
		number("good", &o.Goodput)
		o.Good = rapid.Int64().Draw(t, "good")
		disturbCarried(t, &o.Carried, name, number)
		for k := range o.Terms {
			term := &o.Terms[k]
			name("term", &term.Term)
			name("of", &term.Of)
			name("outcome", &term.Outcome)
			term.Need = rapid.Int64().Draw(t, "need")
			for l := range term.Limits {
				name("limit", &term.Limits[l].Time)
			}
			if q := term.Observed; q != nil && q.ValueNS != nil {
				*q.ValueNS = rapid.Int64().Draw(t, "observed")
			}
			if term.Attainment != nil {
				term.Attainment.Value = rapid.Float64().Draw(t, "met")
			}
			for l := range term.Undefined {
				name("undefined", &term.Undefined[l].Name)
			}
		}
	}
	disturbSystem(t, &c.System, name, number)
	for i := range c.Alternatives {
		a := &c.Alternatives[i]
		name("of", &a.Of)
		name("figure", &a.Name)
		name("formula", &a.Text)
		name("counts", &a.Counts)
		name("unknown", &a.Unknown)
		name("outcome", &a.Outcome)
	}
}

func disturbCarried(t *rapid.T, c *reports.Carried, name func(string, *string), number func(string, **float64)) {
	name("words", &c.Words)
	name("method", &c.Method)
	number("rate", &c.Rate)
	number("tokens", &c.TokenRate)
	number("fail", &c.Fail)
	number("per GPU", &c.PerGPU)
	c.Target = rapid.Float64().Draw(t, "target")
	for i := range c.Bins {
		name("verdict", &c.Bins[i].Verdict)
		c.Bins[i].Rate = rapid.Float64().Draw(t, "bin")
	}
	at := rapid.Int64().Draw(t, "bin")
	c.FailBin = &at
}

func disturbSystem(t *rapid.T, s *reports.System, name func(string, *string), number func(string, **float64)) {
	name("refused", &s.Refused)
	name("held up", &s.Decision.Words)
	s.ToNS = rapid.Int64Range(0, 1<<62).Draw(t, "to")
	for i := range s.OverTime {
		number("tokens", &s.OverTime[i].Output.Rate)
		s.OverTime[i].ToNS = rapid.Int64Range(0, 1<<62).Draw(t, "until")
	}
	for i := range s.Engines {
		name("engine", &s.Engines[i].Name)
		name("verdict", &s.Engines[i].Verdict)
		number("busy", &s.Engines[i].Busy)
	}
	for i := range s.Decision.Rows {
		r := &s.Decision.Rows[i]
		name("signature", &r.Signature)
		for k := range r.Figures {
			name("figure", &r.Figures[k].Name)
			name("of", &r.Figures[k].Of)
			number("low", &r.Figures[k].Low)
		}
	}
	for i := range s.Curves {
		c := &s.Curves[i]
		name("of", &c.Of)
		name("reason", &c.Reason)
		number("knee", &c.Knee.InFlight)
	}
	for i := range s.Stages {
		name("stage", &s.Stages[i].Stage)
	}
	for _, p := range []**string{&s.Context.Vantage, &s.Context.Model, &s.Context.Engine} {
		text := drawName(t, "context")
		*p = &text
	}
}

// disturbQueue puts names from an attacker and numbers from chance into a queue section.
func disturbQueue(t *rapid.T, q *reports.Queue, name func(label string, p *string)) {
	for i := range q.Where {
		w := &q.Where[i]
		name("key", &w.Key)
		name("where", &w.Words)
		for k := range w.Places {
			name("place", &w.Places[k].Value)
			share := rapid.Float64Range(-10, 10).Draw(t, "share")
			if w.Places[k].Share = &share; rapid.Bool().Draw(t, "few") {
				w.Places[k].P95NS = nil
			}
		}
	}
	name("work", &q.Work.Words)
	name("little", &q.Little.Words)
	name("when", &q.When.Words)
	for i := range q.Candidates {
		name("candidate", &q.Candidates[i].Name)
		name("speaks", &q.Candidates[i].Speaks)
	}
	for i := range q.When.Incidents {
		in := &q.When.Incidents[i]
		in.OnsetNS, in.RecoveryNS = rapid.Int64Range(0, 1<<62).Draw(t, "onset"), rapid.Int64Range(0, 1<<62).Draw(t, "recovery")
		in.Hit = rapid.Int64Range(0, 1<<62).Draw(t, "hit")
		if rapid.Bool().Draw(t, "nothing before") {
			in.Before.Rate, in.Before.InFlight, in.Arrivals = nil, nil, nil
		}
	}
	if w := q.WhatIf; w != nil {
		name("what if", &w.Words)
	}
}
