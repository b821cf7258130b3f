// Package clock answers one question: how far is each host's clock off, and how sure
// are we?
//
// The clocks of two hosts never agree quite, and some are wrong by hours. A call from
// one host to the other bounds by how much: what the server recorded lay between the
// call's start and end, so
//
//	server end - caller end  <=  server's clock - caller's clock  <=  server start - caller start
//
// One call says little; the bounds of many calls together say much.
//
// # From calls to windows
//
// Between two clocks the offset is taken to be a straight line over time with a rate
// of at most 200 ppm either way (two quartz clocks of 100 ppm each), for as long as
// one such line keeps to the bounds of all calls. Where none does, a clock was set or
// its rate changed, and the time is cut. Over ten minutes without calls, only a constant
// offset is carried on. All lines that keep to the bounds, not one
// of them, are what is known: at each instant they span an interval, [lo, hi].
//
//   - If a constant offset keeps to all bounds, the stretch is one window, and its
//     Offset is the constant nearest zero: 0 if 0 is feasible.
//   - Else the clocks drift, and the stretch is cut into windows in each of which the
//     drift is at most half of what is not known anyway. Their Offset is the point
//     of [lo, hi] nearest zero.
//   - Error is the distance from Offset to the farther end of [lo, hi], drift within
//     the window included.
//   - Fewer than three calls are not cut off into a window of their own. Where the
//     bounds contradict each other to the last three, Known is false, and only
//     durations can be trusted.
//
// Of eight calls or more one may be violated, and one more of each twenty: calls with
// the wrong parent, stamps taken late. The line with the least sum of violations gives
// the rate, and at this rate the offset with the fewest violations wins (Marzullo's
// rule, the one that NTP selects servers by). Three violations in a row on one side are no
// accident but a change of the clock, and cut the window. Where some bounds are
// violated, others may be wrong by less than can be seen, so the tightest of each side
// are left out too: one, and one more for each eight violated.
//
// # From windows to hosts
//
// Each host gets one offset: pairs are taken into a spanning tree, narrowest first,
// and offsets and errors add along it. The reference of a tree is the clock that
// calls others and is called least. Pairs outside the tree count, as violations, the
// calls that contradict it.
//
// # What is assumed
//
// The true offset lies within Offset ± Error if the clocks' rate is as above and the
// violated bounds are the wrong ones. A step smaller than the time that calls spend
// on the way hides among delays: no method that has only these bounds can see it.
//
// # Memory
//
// A Log keeps, for a caller, a server and ten seconds, the eight exchanges with the
// narrowest bounds, and counts the rest: at most 128 KiB a caller, server and hour.
// Which are kept depends on the exchanges alone, so the order of Add and Merge never
// shows.
//
// # Example
//
//	var log clock.Log
//	x, ok := clock.Observe("gateway", "engine", 0, 100, 40, 120, 0) // [20, 40] ns
//	if ok {
//		log.Add(x)
//	} else {
//		log.Broken("gateway", "engine")
//	}
//	offset, errorNS, known := clock.Solve(&log).Between("gateway", "engine", 0) // 20, 20, true
package clock
