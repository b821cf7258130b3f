package plant

import "github.com/tailpath/tailpath/critical/stage"

// calm is the rate of independent requests a second: so few that no two slow ones are near
// each other by chance.
const calm = 0.1

// alone makes a model of requests that know nothing of each other and arrive at random, at
// a rate a second.
func alone(perSecond float64, one func(r source) Request) func(source, int, func(*Request)) {
	gap := int64(float64(second) / perSecond)
	return func(r source, n int, see func(*Request)) {
		at := int64(0)
		for range n {
			at += r.exponential(gap)
			q := one(r)
			q.StartNS = at
			see(&q)
		}
	}
}

// share is how often a trouble takes a stage, of all its times.
type share struct {
	stage stage.Stage
	of    float64
}

// troubled makes requests that are troubled with probability p, for an exponential time
// with a mean in ns, and otherwise are usual. The whole trouble takes one stage.
func troubled(p float64, mean int64, shares ...share) func(source) Request {
	return func(r source) Request {
		q := usual(r, 0.15)
		if r.chance(p) {
			q.delay(pick(r, shares), r.exponential(mean))
		}
		return q
	}
}

// pick draws a stage.
func pick(r source, shares []share) stage.Stage {
	x := r.Float64()
	for _, s := range shares {
		if x -= s.of; x < 0 {
			return s.stage
		}
	}
	return shares[len(shares)-1].stage
}

// between makes requests that are troubled with probability p: a part of each trouble,
// of - 1/5 to of + 1/5 of it, waits in the queue, and the rest decodes.
func between(p float64, mean int64, of float64) func(source) Request {
	return func(r source) Request {
		q := usual(r, 0.15)
		if r.chance(p) {
			whole := r.exponential(mean)
			waited := min(whole, quantise(float64(whole)*(of-0.2+0.4*r.Float64())))
			q.delay(stage.Queue, waited)
			q.delay(stage.GPU, whole-waited)
		}
		return q
	}
}

// atOnce makes requests that are troubled one time in four: a part of each trouble, of - 1/5
// to of + 1/5 of it, waits in the queue, and the rest is split at random between network
// and application.
func atOnce(of float64) func(source) Request {
	return func(r source) Request {
		q := usual(r, 0.15)
		if r.chance(0.25) {
			whole := r.exponential(5 * second)
			waited := quantise(float64(whole) * (of - 0.2 + 0.4*r.Float64()))
			wire := quantise(float64(whole-waited) * r.Float64())
			q.delay(stage.Queue, waited)
			q.delay(stage.Network, wire)
			q.delay(stage.Application, whole-waited-wire)
		}
		return q
	}
}

func independentKinds() []Kind {
	kinds := []Kind{
		{Name: "queue-95", About: "waits, nearly alone", Sizes: []int{200, 1000, 30000}, draw: alone(calm, troubled(0.25, 6*second, share{stage.Queue, 0.95}, share{stage.GPU, 0.05}))},
		{Name: "queue-80", About: "waits, with long answers", Sizes: []int{200, 400, 4000}, draw: alone(calm, between(0.25, 5*second, 0.82))},
		{Name: "queue-60", About: "waits, and long answers half as much", Sizes: []int{400, 4000}, draw: alone(calm, between(0.25, 5*second, 0.62))},
		{Name: "queue-52", About: "waits, just above half", Sizes: []int{1000, 12000}, draw: alone(calm, troubled(0.25, 5*second, share{stage.Queue, 0.53}, share{stage.GPU, 0.25}, share{stage.Network, 0.22}))},
		{Name: "queue-42", About: "waits, just below half", Sizes: []int{1000, 12000}, draw: alone(calm, troubled(0.25, 5*second, share{stage.Queue, 0.43}, share{stage.GPU, 0.19}, share{stage.Network, 0.19}, share{stage.Application, 0.19}))},
		{Name: "queue-42-at-once", About: "waits, just below half, of every slow request", Sizes: []int{400, 4000}, draw: alone(calm, atOnce(0.43))},
		{Name: "queue-52-at-once", About: "waits, just above half, of every slow request", Sizes: []int{400, 4000}, draw: alone(calm, atOnce(0.53))},
		{Name: "decode", About: "answers of very different length, and some waits", Sizes: []int{200, 400, 4000}, draw: alone(calm, verbose)},
		{Name: "prefill", About: "some prompts are very long", Sizes: []int{400, 4000}, draw: alone(calm, longPrompts)},
		{Name: "network-region", About: "one caller in twelve is far away", Sizes: []int{400, 4000}, draw: alone(calm, farAway)},
		{Name: "gateway", About: "a plugin of the gateway is slow at times", Sizes: []int{400, 4000}, draw: alone(calm, troubled(0.15, 3*second, share{stage.Gateway, 0.85}, share{stage.Queue, 0.15}))},
		{Name: "retrieval", About: "documents are slow to find", Sizes: []int{400, 4000}, draw: alone(calm, retrieval)},
		{Name: "two-equal", About: "waits and long answers, alike", Sizes: []int{400, 4000}, draw: alone(calm, troubled(0.25, 5*second, share{stage.Queue, 0.5}, share{stage.GPU, 0.5}))},
		{Name: "two-at-once", About: "waits and long answers, alike and together", Sizes: []int{400, 4000}, draw: alone(calm, between(0.25, 5*second, 0.5))},
		{Name: "three-causes", About: "waits, network and application, a third each", Sizes: []int{400, 4000}, draw: alone(calm, troubled(0.3, 5*second, share{stage.Queue, 0.34}, share{stage.Network, 0.33}, share{stage.Application, 0.33}))},
		{Name: "no-tail", About: "nothing: requests are alike", Sizes: []int{200, 1000, 4000}, draw: alone(calm, alike)},
		{Name: "heavy-tail", About: "answers whose length has a heavy tail", Sizes: []int{1000, 4000}, draw: alone(calm, heavy)},
		{Name: "giants", About: "one request in a thousand is a giant; the others wait", Sizes: []int{1000, 12000}, draw: alone(calm, giants)},
		{Name: "retries", About: "attempts fail, and time passes until the next", Sizes: []int{400, 4000}, draw: alone(calm, retried)},
		{Name: "long-answers", About: "one answer in thirty is twenty times as long", Sizes: []int{400, 4000}, draw: alone(calm, longAnswers)},
		{Name: "too-small", About: "waits, but of few requests", Sizes: []int{30, 80, 150}, draw: alone(calm, between(0.25, 5*second, 0.82))},
		{Name: "hidden", About: "waits that nothing records", Sizes: []int{400, 4000}, draw: alone(calm, troubled(0.25, 5*second, share{stage.Unattributed, 0.8}, share{stage.GPU, 0.2}))},
		{Name: "half-hidden", About: "waits, of which a part is not recorded", Sizes: []int{400, 4000}, draw: alone(calm, halfHidden)},
		{Name: "kept-slow", About: "waits, where a sampler keeps slow traces", Kept: true, Sizes: []int{400, 4000}, draw: keptSlow},
		{Name: "many-replicas", About: "waits at many servers, so often that slow requests overlap", Sizes: []int{1000, 4000}, draw: alone(20, between(0.25, 5*second, 0.82))},
	}
	for i := range kinds {
		if kinds[i].PerSecond == 0 {
			kinds[i].PerSecond = calm
		}
		if kinds[i].Name == "many-replicas" {
			kinds[i].PerSecond = 20
		}
	}
	return kinds
}

// verbose has answers of very different length, and one request in sixteen waits.
func verbose(r source) Request {
	q := usual(r, 0.7)
	if r.chance(1. / 16) {
		q.StagesNS[stage.Queue] += r.exponential(1500 * ms)
	}
	return q
}

// longPrompts has prompts of up to 100,000 tokens, one in six; one request in ten waits.
func longPrompts(r source) Request {
	q := usual(r, 0.2)
	if r.chance(0.16) {
		q.ask(min(r.tokens(25_000, 0.7), 100_000))
	}
	if r.chance(0.1) {
		q.StagesNS[stage.Queue] += r.exponential(4 * second)
	}
	return q
}

// farAway has one caller in twelve on a slow connection of its own.
func farAway(r source) Request {
	q := usual(r, 0.25)
	if r.chance(1. / 12) {
		q.Route = "chat-far"
		q.StagesNS[stage.Network] += 1500*ms + r.lognormal(1200*ms, 0.6)
	}
	return q
}

// retrieval searches documents first, in a time with a heavy tail.
func retrieval(r source) Request {
	q := usual(r, 0.2)
	q.Route = "answer-with-sources"
	q.StagesNS[stage.Application] = r.lognormal(300*ms, 1.1)
	return q
}

// alike makes requests that differ by a few hundredths.
func alike(r source) Request {
	q := usual(r, 0)
	q.StagesNS[stage.GPU], q.PrefillNS, q.PromptTokens = q.StagesNS[stage.GPU]-q.PrefillNS, 0, 0
	q.ask(r.tokens(400, 0.1))
	q.StagesNS[stage.Network] = r.uniform(28*ms, 32*ms)
	q.StagesNS[stage.Queue] = r.uniform(0, 8*ms)
	return q
}

// heavy has answers with a heavy tail beside moderate waits.
func heavy(r source) Request {
	q := usual(r, 1.2)
	q.StagesNS[stage.Queue] += r.exponential(700 * ms)
	return q
}

// giants has one giant in a thousand, which alone weighs more than the waits of the others.
func giants(r source) Request {
	q := troubled(0.1, second, share{stage.Queue, 1})(r)
	if r.chance(0.001) {
		q.answer(r.tokens(10_000, 0.5))
	}
	return q
}

// retried has attempts that fail one time in twelve, after which it waits 1, 2 or 4 s, give
// or take a half. The time of a failed attempt is the gateway's.
func retried(r source) Request {
	q := usual(r, 0.2)
	for wait := second; wait <= 4*second && r.chance(1./12); wait *= 2 {
		q.Attempts++
		backoff := r.uniform(wait/2, wait*3/2)
		q.BackoffNS += backoff
		q.StagesNS[stage.Queue] += backoff
		q.StagesNS[stage.Gateway] += r.uniform(50*ms, 400*ms)
	}
	return q
}

// longAnswers has two kinds of answers.
func longAnswers(r source) Request {
	q := usual(r, 0.2)
	if r.chance(1. / 30) {
		q.Route = "report"
		q.answer(r.tokens(2300, 0.25))
	}
	if r.chance(0.1) {
		q.StagesNS[stage.Queue] += r.exponential(800 * ms)
	}
	return q
}

// halfHidden has waits of which between a tenth and two thirds is not recorded.
func halfHidden(r source) Request {
	q := usual(r, 0.2)
	if r.chance(0.25) {
		whole := r.exponential(6 * second)
		lost := quantise(float64(whole) * (0.1 + 0.57*r.Float64()))
		q.StagesNS[stage.Unattributed] += lost
		q.StagesNS[stage.Queue] += whole - lost
	}
	return q
}

// keptPerDrawn is the share of its requests that keptSlow keeps.
const keptPerDrawn = 0.194

// keptSlow draws requests until n are kept: all slower than 6 s, and of the others one in
// ten.
func keptSlow(r source, n int, see func(*Request)) {
	one := between(0.25, 5*second, 0.82)
	gap := int64(float64(second) * keptPerDrawn / calm)
	for at := int64(0); n > 0; {
		at += r.exponential(gap)
		q := one(r)
		q.StartNS = at
		switch slow := q.DurationNS() > 6*second; {
		case slow:
			q.Weight = 1
		case r.chance(0.1):
			q.Weight = 10
		default:
			continue
		}
		n--
		see(&q)
	}
}
