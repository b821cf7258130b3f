// Command lab answers: does tailpath find what is truly there? It is the laboratory,
// for those who change tailpath or want to check its claims; nobody needs it to read
// traces.
//
//	lab generate --scenario NAME --seed N --output DIR   simulate an incident
//	lab score                                            compare findings with the truth
//	lab help
//
// A simulated incident is written as its traces, as the logs of its gateway and its engine,
// or as all of both (--sources). The score reads each of these, and the engine's log alone,
// and holds what tailpath finds against what was planted: whether each request is found
// once, its stage times, its attempts, why it waited, and the verdict.
//
// Whether the verdict is right about more than the capture at hand is scored on tails of
// populations, each a stochastic model whose truth is computed from the model itself, from 30
// to 30,000 requests a capture: how often the right stage is named, how often one is said to
// dominate that does not, what is said where nothing can be known, and how often intervals
// hold the truth. `lab score --only tails` prints these alone, `--only paths` the incidents.
//
// Whether the rate that a system is said to carry is right is scored on whole days and short
// captures of systems whose capacity long runs at constant rates gave, with loads from half
// of it to a quarter more: how often a limit is claimed that was not reached, how often one
// that was is seen, and how far rates are from the truth (`--only capacity`).
//
// # Guarantees
//
//   - The same flags give the same bytes: every draw comes from the seed.
//   - The planted truth never enters what tailpath reads: it stands in a file of its
//     own, whose name begins with "_".
//   - Exit code 0 means done and 2 that the command could not be carried out; an error
//     is one line on standard error.
//
// # Example
//
//	$ go run ./cmd/lab generate --scenario queue-buildup --seed 1 --output /tmp/incident
//	$ go run ./cmd/tailpath summary /tmp/incident
package main
