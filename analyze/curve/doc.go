// Package curve says where throughput stops growing with concurrency.
//
// There are several rules, and on one and the same curve they differ by an order of
// magnitude, so every answer carries the id of its rule and the number of points it stands
// on. The rule to believe is the broken stick with its gate ([BrokenStick]): it can say
// that the knee was not reached, which most rules cannot.
//
// # Guarantees
//
//   - No knee is given on a straight line, however far it goes.
//   - The order of the points changes nothing. Points that cannot be are left out and
//     counted in a warning.
//   - Another unit of throughput changes no place of a knee.
//   - What lies beyond the loads that were seen is marked as extrapolated.
//
// # Example
//
// Throughput that grows up to 16 requests in flight and no further:
//
//	c := curve.Of([]curve.Point{{2, 10, 1}, {4, 20, 1}, {8, 40, 1}, {16, 80, 1}, {32, 80, 1}, {64, 80, 1}})
//	c.Stick.Reached   // true: beyond the knee the slope is 0 of the slope before
//	c.Stick.InFlight  // 16
//	c.Stick.Slope     // 5 a second for each request in flight
//	c.Power.InFlight  // 16: X*X/N is the largest there
package curve
