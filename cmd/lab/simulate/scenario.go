package simulate

import "fmt"

// Scenario is an incident, declared: everything that is needed to replay it. New
// incidents are new values of this type. Fields whose name ends in NS are ns.
type Scenario struct {
	// Name selects the scenario and is part of the seed.
	Name string
	// Summary says what happens and Finding what a post-mortem should say.
	Summary, Finding string
	// Cause is the planted cause as vLLM's V1 engine shows it; nil plants none.
	// See [Scenario.CauseOn] for other servers.
	Cause *Cause
	// Causes are where the planted cause shows on servers that differ from what
	// CauseOn derives by itself.
	Causes map[Server]Cause
	// Servers are the servers that the scenario exists on; none means all.
	Servers []Server
	// Requests is how many requests are made unless the caller says otherwise.
	Requests int

	Load     Load
	Classes  []Class
	Routes   []Route
	Gateway  Gateway
	Frontend Frontend
	Engine   Engine
	Batcher  Batcher
	Cold     Cold

	Client   Client
	Replicas []Replica // none is one, as the engine declares it
	Split    Split
	Clocks   []HostClock // hosts that are not in it have the true time
}

// Load is the arrival process: Poisson, with a rate that changes from phase to
// phase. Phases are counted in requests and repeat, so that a long capture holds
// the incident several times.
type Load struct {
	// CycleRequests is the length of one round of phases. A capture with fewer
	// requests than that shrinks the round to its own length.
	CycleRequests int
	Phases        []Phase
}

// Phase is a share of a round's requests, arriving at one rate.
type Phase struct {
	Share     float64
	PerSecond float64
}

// Class is a kind of request, chosen with probability proportional to Share.
type Class struct {
	Name           string
	Share          float64
	Prompt, Output Tokens
	// MaxTokens is the limit the client asks for, never below Output.Max.
	MaxTokens int
}

// Route is a group of clients in one region and their way to the gateway.
type Route struct {
	// Region is the cloud.region of the client's resource.
	Region string
	// Share is the probability weight of the route.
	Share float64
	// Up and Down are the client's link, towards and from the gateway.
	Up, Down Link
	// ConnectShare is the probability that a request needs a new connection,
	// which costs two round trips before its first byte can leave.
	ConnectShare float64
}

// Link is one direction of a network path. A message takes propagation plus
// lognormal jitter plus, with probability LossShare each time, a retransmission
// timeout that doubles; and its bytes take turns at BytesPerSecond. Messages of
// one connection arrive in order.
type Link struct {
	PropagationNS  int64
	JitterNS       int64 // median
	JitterSigma    float64
	LossShare      float64
	RetransmitNS   int64
	BytesPerSecond int64
}

// Gateway is the proxy: a pool of workers that authenticates and routes each
// request, and a forwarding path for responses that needs no worker.
type Gateway struct {
	Workers   int
	WorkNS    int64 // median worker time of a request
	WorkSigma float64
	ForwardNS int64 // time to pass one response message on
	// MaxUpstream is how many requests may be upstream at once; what comes beyond
	// is answered with 503. 0 is no limit.
	MaxUpstream int
	// TimeoutNS is how long the gateway waits for the first byte of a response
	// before it answers 504 and closes the upstream request, and UnaryTimeoutNS the
	// same for servers whose response is one message. 0 is no limit.
	TimeoutNS, UnaryTimeoutNS int64
	// EndAtHeaders ends the gateway's span and the client's with the headers of
	// the response, while its body goes on.
	EndAtHeaders bool
	// Up and Down are the link between gateway and server.
	Up, Down Link
}

// Frontend is the server's host process around the engine: one event loop, a
// pool of tokeniser threads, and the hop to the engine's process.
type Frontend struct {
	Tokenizers      int
	HandleNS        int64 // parse one request, on the loop
	TokenizeNS      int64 // fixed part of tokenising
	TokenizeTokenNS int64 // per prompt token
	DispatchNS      int64 // serialise and send to the engine, on the loop
	IPCNS           int64 // median of one message between the processes
	OutputNS        int64 // fixed part of handling one step's outputs, on the loop
	DetokenizeNS    int64 // per request in a step's outputs
	FinishNS        int64 // per finished request: statistics and its span
	FlushNS         int64 // from handled to the socket
}

// Engine is the iteration-level batching engine and the GPU behind it.
type Engine struct {
	Slots         int // most requests in a step
	TokensPerStep int // most tokens in a step
	BlockTokens   int // tokens per key-value block
	Blocks        int // key-value blocks
	AddNS         int64
	LoopNS        int64 // between two steps
	ScheduleNS    int64 // fixed part of forming a step
	ScheduleSeqNS int64 // per request in the step
	StepNS        int64 // fixed part of executing a step
	PrefillNS     int64 // per prefill token
	DecodeSeqNS   int64 // per decoding request
	StepSigma     float64
	// Unchunked computes every prompt in one step, whatever its length.
	Unchunked bool
	// Prefills is how many prompts a step may work on; 0 is no limit.
	Prefills int
}

// Batcher is Triton's side of the same GPUs: model instances behind a dynamic
// batcher. Compute runs every request of a batch to the longest one's end.
type Batcher struct {
	Instances    int
	MaxBatch     int
	MaxDelayNS   int64 // longest that a batch waits to fill
	Threads      int   // HTTP and gRPC handler threads
	ParseNS      int64 // median
	ResponseNS   int64 // median
	InputNS      int64 // host to device, fixed part
	InputTokenNS int64 // host to device, per prompt token
	OutputNS     int64 // device to host, fixed part
	OutputSeqNS  int64 // device to host, per request
	GRPCShare    float64
}

// Cold is a server that is not ready when the first requests arrive. Its host
// process accepts them at once; the engine takes none before LoadNS + WarmupNS
// have passed since the beginning. Afterwards the first step of each size class
// (a power of two of tokens) and each model instance's first batch takes KernelNS
// longer, for kernels that are compiled on first use.
type Cold struct {
	LoadNS, WarmupNS int64
	KernelNS         int64
}

func (c Cold) readyNS() int64 { return epochNS + c.LoadNS + c.WarmupNS }

// Validate reports the first thing in the declaration that cannot work: a pool
// without workers, a share or rate that is not positive, a request larger than
// the engine's memory.
func (sc Scenario) Validate() error {
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{sc.Name == "", "a name is missing"},
		{sc.Requests < 1, "requests must be at least 1"},
		{sc.Load.CycleRequests < 1, "a cycle must have at least 1 request"},
		{len(sc.Load.Phases) == 0, "a load needs at least one phase"},
		{len(sc.Classes) == 0, "at least one class is needed"},
		{len(sc.Routes) == 0, "at least one route is needed"},
		{sc.Gateway.Workers < 1, "the gateway needs a worker"},
		{sc.Frontend.Tokenizers < 1, "the frontend needs a tokenizer"},
		{sc.Engine.Slots < 1, "the engine needs a slot"},
		{sc.Engine.TokensPerStep < sc.Engine.Slots, "tokens per step must cover one token per slot"},
		{sc.Engine.BlockTokens < 1, "a block must hold a token"},
		{sc.Batcher.Instances < 1, "the batcher needs an instance"},
		{sc.Batcher.MaxBatch < 1, "a batch must hold a request"},
		{sc.Batcher.Threads < 1, "the batcher needs a thread"},
	} {
		if c.bad {
			return fmt.Errorf("scenario %q: %s", sc.Name, c.what)
		}
	}
	for _, p := range sc.Load.Phases {
		if p.Share <= 0 || p.PerSecond <= 0 {
			return fmt.Errorf("scenario %q: share and rate of a phase must be positive", sc.Name)
		}
	}
	for _, r := range sc.Routes {
		if r.Share <= 0 || r.Up.BytesPerSecond < 1 || r.Down.BytesPerSecond < 1 {
			return fmt.Errorf("scenario %q: route %q: share and bandwidth must be positive", sc.Name, r.Region)
		}
	}
	if sc.Gateway.Up.BytesPerSecond < 1 || sc.Gateway.Down.BytesPerSecond < 1 {
		return fmt.Errorf("scenario %q: gateway: bandwidth must be positive", sc.Name)
	}
	for _, c := range sc.Classes {
		switch most := c.Prompt.Max + c.Output.Max; {
		case c.Share <= 0:
			return fmt.Errorf("scenario %q: class %q: share must be positive", sc.Name, c.Name)
		case c.Prompt.Min < 1 || c.Output.Min < 1 || c.Prompt.Max < c.Prompt.Min || c.Output.Max < c.Output.Min:
			return fmt.Errorf("scenario %q: class %q: token bounds must be positive and in order", sc.Name, c.Name)
		case c.MaxTokens < c.Output.Max:
			return fmt.Errorf("scenario %q: class %q: max tokens is below the longest output", sc.Name, c.Name)
		case most > sc.Engine.Blocks*sc.Engine.BlockTokens:
			return fmt.Errorf("scenario %q: class %q: %d tokens do not fit into the engine's %d blocks of %d",
				sc.Name, c.Name, most, sc.Engine.Blocks, sc.Engine.BlockTokens)
		}
	}
	return sc.validateParts()
}
