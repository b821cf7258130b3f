// Package tokens says what the times of one request's tokens mean: how long until the
// first, how long between them, and whether they came when they were due.
//
// The same words mean different things in different tools: "ITL" is a gap between chunks
// in one, a mean over a request in another. So every measure here has an id, and
// [Definitions] lists them with the tools that use them; nothing is computed under a name
// alone.
//
// # Guarantees
//
//   - The gaps of a request are as many as its tokens less one and add up to exactly the
//     time from the first token to the last, in ns: no gap is rounded on its own.
//   - What is not defined stays so and says why: a request of one token has no time per
//     output token, which is not the same as 0.
//   - Gaps are pooled by token and times per output token by request, and the two are
//     never mixed: a request of 101 tokens weighs 100 in one and 1 in the other.
//   - The order of requests, and of the chunks of a request, changes no result.
//   - An objective is asked of each request as a whole ([Judge]), and a schedule of each of
//     its tokens ([Stream.OnSchedule]): averages hide neither.
//   - A request that lacks a term of an objective is listed apart, as neither good nor bad.
//
// # Example
//
// A request that starts at 0 and gets chunks at 600 (1 token), 650 (3) and 700 ms (2):
//
//	s := tokens.NewStream(0, tokens.Absent, []tokens.Chunk{
//		{AtNS: 600e6, Tokens: 1}, {AtNS: 650e6, Tokens: 3}, {AtNS: 700e6, Tokens: 2}})
//	s.ChunkGaps() // 50 ms, 50 ms: what some tools call ITL
//	s.Gaps()      // 16.666666 ms, twice 16.666667 ms, twice 25 ms: five gaps, 100 ms in all
//	s.Times().TPOT().V // 20e6 ns: (700 - 600) / 5
package tokens
