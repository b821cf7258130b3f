// Package curve says where throughput stops growing with concurrency.
//
// There are several rules, and on one and the same curve they differ by an order of
// magnitude, so every answer carries the id of its rule and the number of points it stands
// on. The rule to believe is the broken stick with its gate ([BrokenStick]): it can say
// that the knee was not reached, which most rules cannot.
//
// # From windows to points
//
// A capture of ordinary traffic is cut into windows, of which [Windowed] makes points: those
// with about as many requests in flight are one. Windows that show another load than their
// own are left out, and counted by reason.
//
// What the knee is worth then, by simulation: days of Poisson arrivals with one peak, of four
// hours, on three systems: 16 devices, batches of up to 64 requests, and the law of universal
// scalability; twelve days for each system and peak, in windows of 10 s and of 60 s
// (BenchmarkDays in the tests).
//
//   - Peak at 50 and 80 % of what the system does: none of 144 days claims a knee; of 102 days
//     of two hours, one does.
//   - Peak at 95 %: 17 of 36 days with windows of 10 s, and 1 of 36 with 60 s. Chance fills
//     the system for minutes on end at such a load, so that its knee is seen, and where it is.
//   - Peak at 110 %: all of 72. With windows of 10 s the knee is at 15.6 to 15.8 in flight (the
//     lines of few requests and of the greatest throughput meet at 16), 22 to 27 (18.7) and
//     12.6 to 13.4 (10.4); with 60 s at 13 to 15.5, 15 to 28 and 9 to 12.5.
//
// # Guarantees
//
//   - Every window is in one point or left out for one reason. Another unit of time changes
//     the rates alone.
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
