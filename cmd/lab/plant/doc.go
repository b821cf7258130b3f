// Package plant answers: which populations of requests have a tail whose cause is known?
//
// A kind is a stochastic model of requests. A capture is drawn from it by a seed, straight
// into the requests and segments tables: there is no trace to read, so what is found in it
// tells of the analysis alone. What is true of the population, of all requests that the
// model would ever make, is computed from the same model by a large sample ([Know]).
//
// Kinds are independent, where no request's time depends on another's, or correlated, where
// requests wait for each other or are slow together.
//
// # When a capture decides
//
// What a capture of n requests can tell is declared from the model, before anything is
// analysed, by the first of these rules that holds ([Truth.Open]):
//
//   - [Small]: a capture has fewer than 20 requests in its slowest tenth.
//   - [NoTail]: the excess of the tail is less than 5 % of its mean.
//   - [Hidden]: unattributed is at least 20 % of the tail's time, or has the largest excess.
//   - [Close]: the largest stage leads the next by less than 10 points of the excess, or has
//     less than 40 % of it.
//   - [Noisy]: the lead is less than 3 standard errors of the lead that captures of this
//     size show: which stage comes first in a capture is partly chance.
//
// Otherwise the top stage is decidable. Apart from that, a capture predicts only if it takes
// at least 10 incidents to make up nine tenths of the excess of the stage in question
// ([Capture.Incidents], and [Truth.Incidents] on average). Incidents are the model's
// own: a burst, an outage, a time in which the server is never idle; a slow request outside
// of any is one by itself. One burst among many slow requests is one, however long.
//
// # Days
//
// A [System] is a number of servers with a law of service, and the rate of arrivals that it
// carries within an objective, from long runs at constant rates. A [Day] is a load on it that
// comes and goes, in one peak or two, up to a share of that rate.
//
// # Guarantees
//
//   - The same kind, seed and number of requests give the same capture, byte for byte.
//     Times are rounded to 64 ns, so that the last bit of a logarithm decides nothing.
//   - The stage times of a request are not negative and add up to its duration; its
//     segments tile it.
//   - The true shares add up to 1.
//
// # Example
//
//	k, err := plant.Lookup("queue-80")
//	truth := plant.Know(k, 4000).At(4000, stat.P99)
//	truth.Top, truth.Shares[truth.Top] // queue, 0.82
//	truth.Open                         // empty: decidable
//	capture := k.Draw(1, 4000)
//	capture.Set // 4000 requests
package plant
