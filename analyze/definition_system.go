package analyze

import (
	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
)

// What the definitions of the system are readings of.
const (
	ofThroughput       = "request throughput"
	ofOutputThroughput = "output-token throughput"
	ofConcurrency      = "concurrency"
	ofGoodput          = "goodput"
	ofAttainment       = "attainment"
	ofKnee             = "knee"
	ofCapacity         = "capacity"
	ofFluidity         = "fluidity"
)

// The ids of the definitions of the system. Those of output tokens and of knees are also the
// ids of packages serving and curve, where they have one.
const (
	defThroughput         = "throughput"
	defThroughputRun      = "throughput_run"
	defThroughputAnswered = "throughput_answered"
	defOffered            = "offered_rate"
	defEmitted            = string(serving.TokensEmitted)
	defOfCompleted        = string(serving.TokensOfCompleted)
	defOfAnswered         = "tokens_of_answered"
	defPeak1s             = "peak_1s"
	defInFlight           = "in_flight"
	defLittleSum          = "little_sum"
	defPeakInFlight       = "peak_in_flight"
	defAtArrival          = "in_flight_at_arrival"
	defGoodput            = "goodput"
	defGoodputVLLM        = "goodput_vllm"
	defGoodputAIPerf      = "goodput_aiperf"
	defGoodputDistServe   = "goodput_distserve"
	defAttainment         = "attainment"
	defAttainmentMLPerf   = "attainment_mlperf"
	defAttainmentPoint    = "attainment_point"
	defStick              = "broken_stick"
	defPower              = curve.MethodPower
	defKneedle            = curve.MethodKneedle
	defPlateau            = curve.MethodPlateau
	defUSL                = "usl_nstar"
	defCapacity           = "capacity"
	defMaxPassing         = "max_passing_window"
	defFluidity           = "fluidity"
	defFluidityCode       = "fluidity_etalon_code"
	defFluidityDoc        = "fluidity_etalon_doc"
)

// The names of tools that take some figures alike.
const (
	vllmBench   = "vLLM bench"
	sglangBench = "SGLang bench"
	aiperf      = "AIPerf"
	distServe   = "DistServe"
	mlperf      = "MLPerf"
)

// systemDefinitions are the readings of what a system did and carries. Those of tools are what
// their source text does with the requests of a run of theirs, and here with those of a capture:
// what a tool calls successful is answered, neither failed nor given up.
func systemDefinitions() []Definition {
	return []Definition{
		{defThroughput, ofThroughput, "requests that end in the window, failed ones too, / its length", true, nil},
		{defThroughputRun, ofThroughput, "answered requests / (last end - first start) of all, with the time in which the last ones drain", false, []string{vllmBench, sglangBench}},
		{defThroughputAnswered, ofThroughput, "answered requests / (last token - first start) of those, the end where the last token is not known", false, []string{aiperf}},
		{defOffered, ofThroughput, "requests that start in the window / its length", false, nil},

		{defEmitted, ofOutputThroughput, "output tokens that come in the window / its length", true, nil},
		{defOfCompleted, ofOutputThroughput, "output tokens of the requests that end in the window, failed ones too, / its length", false, nil},
		{defOfAnswered, ofOutputThroughput, "output tokens of answered requests / (last end - first start) of all", false, []string{vllmBench, sglangBench, aiperf + " by the times of answered ones"}},
		{defPeak1s, ofOutputThroughput, "most output tokens of answered requests in one second, by whole seconds from their first start", false, []string{vllmBench + ", which counts chunks"}},

		{defInFlight, ofConcurrency, "requests from start to before end, failed ones too, weighted by time: the mean of the window", true, nil},
		{defLittleSum, ofConcurrency, "sum of the durations of answered requests / (last end - first start) of all", false, []string{sglangBench}},
		{defPeakInFlight, ofConcurrency, "most requests from start to before end at one instant", false, []string{vllmBench + " of answered ones to their last token, in some versions by whole seconds"}},
		{defAtArrival, ofConcurrency, "requests that started before one that starts and have not ended: mean, p50 and p95 of all that start", false, nil},

		{defGoodput, ofGoodput, "requests that keep every limit / window; those that lack a measure are listed apart, failed ones are not good", true, nil},
		{defGoodputVLLM, ofGoodput, "as goodput, tpot of fewer than two tokens taken for 0; failed requests are not asked", false, []string{vllmBench}},
		{defGoodputAIPerf, ofGoodput, "answered requests that keep every limit / the time of throughput_answered; those that lack a measure are not good", false, []string{aiperf}},
		{defGoodputDistServe, ofGoodput, "rate of arrivals at which 90 % keep every limit, for each GPU where their number is known; by bins of windows, where a load generator would search", false, []string{distServe + " by searching"}},

		{defAttainment, ofAttainment, "good / asked; it passes or fails by Clopper-Pearson bounds of 95 % each", true, nil},
		{defAttainmentMLPerf, ofAttainment, "good / asked; it passes or fails by the same bounds of 99 % each, as early stopping does", false, []string{mlperf}},
		{defAttainmentPoint, ofAttainment, "good / asked; it passes where that reaches the target, whatever chance did", false, []string{distServe}},

		{defStick, ofKnee, "where two lines meet, the first through the origin, if beyond it throughput grows by less than 15 % of before", true, nil},
		{defPower, ofKnee, "greatest throughput squared / requests in flight, which is throughput / latency: the efficient operating point, no limit", false, nil},
		{defKneedle, ofKnee, "first peak of normalised throughput - normalised load that a fall of one mean step follows (S = 1)", false, nil},
		{defPlateau, ofKnee, "least load with 95 % of the greatest throughput", false, nil},
		{defUSL, ofKnee, "sqrt((1 - sigma) / kappa) of the universal scalability law: an extrapolation", false, nil},

		{defCapacity, ofCapacity, "rate of arrivals up to which bins of windows keep the target by lower bounds, of resampled windows: a lower bound itself", true, nil},
		{defMaxPassing, ofCapacity, "highest rate of arrivals of one whole window in which the target was kept", false, nil},

		{defFluidity, ofFluidity, "tokens that come by ttft limit + k itl limit from the start of their request, k from 0, / tokens", true, nil},
		{defFluidityCode, ofFluidity, "deadlines kept / deadlines, one of each chunk in time: slack is banked, and a late gap misses as many as fit into it", false, []string{"Etalon's code"}},
		{defFluidityDoc, ofFluidity, "chunks in time / chunks: slack is banked, and a late chunk misses one deadline", false, []string{"Etalon's documents"}},
	}
}
