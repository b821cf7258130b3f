package reports

// The kinds of a report.
const (
	Weekly     = "weekly"
	PostMortem = "postmortem"
)

// Report is what a report has beyond the answers that it stands on, which are in the same
// document: Summary, Queue, Capacity, Inspect, Compare where there is something before, and the
// requests that it shows.
type Report struct {
	Kind  string `json:"report_kind"` // weekly or postmortem
	Week  *Week  `json:"week"`        // null of a report of no week
	Scope string `json:"scope"`       // which requests, in words
	// Banner has what a reader must know before any figure; empty when nothing is.
	Banner []Warning `json:"banner"`
	// Before are the times that this one is set against, the latest last; the last of them is
	// "last week". Empty without a baseline.
	Before []Before `json:"before"`
	// BaselineFrom says where they came from: tables, document or none.
	BaselineFrom string       `json:"baseline_from"`
	Verdicts     []VerdictRow `json:"verdict_rows"`
	Moved        *Moved       `json:"moved"` // null without a baseline
	Bottlenecks  []Bottleneck `json:"bottlenecks"`
	// Lesser counts the stages and sub-labels with an excess that are not among the bottlenecks.
	Lesser       Lesser         `json:"lesser_bottlenecks"`
	OpenItems    []OpenItem     `json:"open_items"`
	Distribution []Distribution `json:"distributions"` // duration, ttft
	Heat         *Heat          `json:"heat"`          // null where requests have no times
	Hours        []HourOfWeek   `json:"hours_of_week"`
	Timeline     []Moment       `json:"timeline"`
	// TimelineIncidents is of how many of the incidents the timeline tells.
	TimelineIncidents int64        `json:"timeline_incidents"`
	Impact            Impact       `json:"impact"`
	Streams           []Stream     `json:"streams"` // of exemplars whose tokens were recorded
	Exemplars         []Exemplar   `json:"exemplars"`
	Definitions       []Definition `json:"definitions"`
}

// Week is a week from Monday 00:00 in a zone.
type Week struct {
	Name    string `json:"name"` // 2026-W47
	Zone    string `json:"zone"`
	StartNS int64  `json:"start_ns"`
	EndNS   int64  `json:"end_ns"`
	Start   string `json:"start"`
	End     string `json:"end"`
	// CoveredNS is how much of the week the capture tells of, in stretches of an hour; the rest
	// are gaps. A week with gaps of more than 5 % is incomplete and is not ranked.
	CoveredNS int64 `json:"covered_ns"`
	Complete  bool  `json:"complete"`
}

// Before is a time that a report is set against.
type Before struct {
	Name        string        `json:"name"` // 2026-W46, or what its report was of
	Complete    bool          `json:"complete"`
	Requests    int64         `json:"requests"`
	Metrics     []Percentiles `json:"metrics"` // duration, ttft, tpot
	Slow        *Mix          `json:"slow"`    // of the tail at the percentile of the report; null for too few
	SlowQ       string        `json:"slow_q"`
	Errors      ErrorRate     `json:"error_rate"`
	Objectives  []Kept        `json:"objectives"`
	Bottlenecks []Bottleneck  `json:"bottlenecks"`
}

// Kept is how many requests met an objective.
type Kept struct {
	Objective string `json:"objective"`
	Good      int64  `json:"good"`
	Asked     int64  `json:"asked"`
}

// VerdictRow is one figure of a report beside what it was.
type VerdictRow struct {
	Metric string  `json:"metric"` // duration, ttft, tpot, requests, errors, slo, budget
	P      string  `json:"p"`      // of a percentile; empty otherwise
	Of     string  `json:"of"`     // an objective; empty otherwise
	Unit   string  `json:"unit"`   // ns, share, requests, ns of a budget
	Now    Compact `json:"now"`
	Last   Compact `json:"last"`
	// Median is the median of the four before, of those that are complete and have the figure.
	Median  *float64 `json:"median_of_4"`
	Of4     int64    `json:"median_n"`
	Change  *Figure  `json:"change"`  // now less last, with its interval; null when one is missing
	Percent *float64 `json:"percent"` // as a share of last; null when one is missing or last is 0
	// Outcome is higher, lower, same for a change that chance makes as well or that is too small
	// to count, describes for one that is of these captures and says nothing of others, or unknown.
	Outcome string `json:"outcome"`
	// Why is of unknown and describes, and of same where the interval leaves out 0.
	Why string `json:"why"`
}

// Compact is a figure with its interval; the value is null where it is not known.
type Compact struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int64    `json:"n"`
}

// Moved is what the change of the slow requests' mean is made of: contributions add up to it.
type Moved struct {
	Q      string       `json:"q"`
	OldNS  int64        `json:"old_ns"`
	NewNS  int64        `json:"new_ns"`
	OldN   int64        `json:"old_n"`
	NewN   int64        `json:"new_n"`
	Stages []MovedStage `json:"stages"` // the largest contribution first
	Why    string       `json:"why"`    // there are none; empty when there are
}

// MovedStage is a stage's contribution.
type MovedStage struct {
	Stage  string   `json:"stage"`
	OldNS  int64    `json:"old_ns"`
	NewNS  int64    `json:"new_ns"`
	Change int64    `json:"change_ns"`
	Share  *float64 `json:"share"` // of the change; null when that is 0
}

// Bottleneck is a stage that makes some requests slow.
type Bottleneck struct {
	// ID stays from week to week as long as stage and scope do; one whose scope grew or shrank
	// keeps the id that it had.
	ID     string       `json:"id"`
	Stage  string       `json:"stage"`
	Detail string       `json:"detail,omitempty"`
	Scope  []ScopeField `json:"scope"` // empty for all requests
	Words  string       `json:"words"`
	FromNS int64        `json:"from_ns"`
	ToNS   int64        `json:"to_ns"`
	From   string       `json:"from"` // empty when the clock is not the wall clock
	To     string       `json:"to"`
	// Hit are the requests, as few as hold 90 % of the excess, and Of all in scope.
	Hit int64 `json:"hit"`
	Of  int64 `json:"of"`
	// MedianNS is the median of all requests, beyond which time in the stage is excess.
	MedianNS int64   `json:"median_ns"`
	Excess   float64 `json:"excess_request_s"`
	Share    float64 `json:"share"` // of the excess of all stages
	// SlowShare is the share of the excess of the slow requests, by which bottlenecks are in order;
	// null where these are too few.
	SlowShare *float64 `json:"slow_share"`
	Q         string   `json:"q"` // the percentile that the gain is of
	GainNS    *int64   `json:"gain_ns"`
	// Confidence says how sure it is: dominates, leads, describes or too_few; Why says it in words.
	Confidence string       `json:"confidence"`
	Why        string       `json:"why"`
	Exemplars  []RequestRef `json:"exemplars"` // a typical one, one at the p99 and the worst of those hit
	Check      string       `json:"check"`     // what to look at next
	Weeks      int64        `json:"weeks"`     // in a row, this one included
	Since      string       `json:"since"`     // the first of them
}

// Lesser counts bottlenecks that are not told one by one.
type Lesser struct {
	N     int64   `json:"n"`
	Share float64 `json:"share"` // of the excess of all stages, together
}

// ScopeField limits a bottleneck to values of a field.
type ScopeField struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// OpenItem is a bottleneck of last week, and what became of it.
type OpenItem struct {
	ID     string   `json:"id"`
	Words  string   `json:"words"`
	State  string   `json:"state"` // gone, same, worse, better or unknown
	Before float64  `json:"excess_before_request_s"`
	Now    *float64 `json:"excess_now_request_s"` // null when gone or unknown
	Why    string   `json:"why"`
}

// Distribution is how a metric is distributed: exact quantiles and a histogram.
type Distribution struct {
	Metric    string     `json:"metric"`
	N         int64      `json:"n"`
	MeanNS    *int64     `json:"mean_ns"`
	Quantiles []Quantile `json:"quantiles"` // ascending
	Edges     []int64    `json:"edges_ns"`  // of the histogram, one more than Counts; the first cell reaches down to 0
	Counts    []int64    `json:"counts"`
}

// Quantile is the value that a share of requests reaches or exceeds: all of them the least, and
// one of n the greatest.
type Quantile struct {
	Above float64 `json:"above"`
	NS    int64   `json:"value_ns"`
}

// Heat is how many requests took how long, and when they started.
type Heat struct {
	Clock  string     `json:"clock"`
	Times  []int64    `json:"times_ns"`  // edges of the columns
	Levels []int64    `json:"levels_ns"` // edges of the durations
	Counts [][]int64  `json:"counts"`    // by column, then level; the first level reaches down to 0
	N      []int64    `json:"n"`         // by column
	P50    []*int64   `json:"p50_ns"`
	P99    []*int64   `json:"p99_ns"` // null where a column has too few
	Queue  []*float64 `json:"queue_share"`
	Rate   []*float64 `json:"arrivals_per_s"`
	Tokens []*float64 `json:"output_tokens_per_s"`
	Prompt []*int64   `json:"prompt_tokens_p50"`
	Output []*int64   `json:"output_tokens_p50"`
	Depth  []*float64 `json:"waiting_mean"`
}

// HourOfWeek is an hour of the week in the zone of the report, Monday 0 first.
type HourOfWeek struct {
	Day  int    `json:"day"`  // 0 for Monday
	Hour int    `json:"hour"` // 0 to 23
	N    int64  `json:"n"`
	P50  *int64 `json:"p50_ns"`
	P99  *int64 `json:"p99_ns"` // null where there are too few
}

// Moment is an entry of a timeline.
type Moment struct {
	AtNS int64  `json:"at_ns"`
	At   string `json:"at"`
	What string `json:"what"`
}

// Impact is whom it hit, and how hard.
type Impact struct {
	Over []Over `json:"over"` // by objective
	// Excess is what requests took longer than the median of all.
	Excess float64 `json:"excess_request_s"`
	// Requests are the complete ones, of which Failed and GivenUp are; these are in no percentile
	// unless they were asked for.
	Requests  int64  `json:"requests"`
	Failed    int64  `json:"failed"`
	GivenUp   int64  `json:"given_up"`
	UserField string `json:"user_field"` // the attribute that tells users apart; empty for none
	Users     *int64 `json:"users"`      // hit; null when nothing tells, or when requests are too few to call any slow
	UsersOf   *int64 `json:"users_of"`
}

// Over is how many requests missed an objective.
type Over struct {
	Objective string `json:"objective"`
	Missed    int64  `json:"missed"`
	Asked     int64  `json:"asked"`
	// FirstNS is the start of the first request that missed it; null when none did, or without times.
	FirstNS *int64 `json:"first_missed_ns"`
	// BudgetNS is how much of the error budget of 28 days was spent, as time; null of an objective
	// without a share.
	BudgetNS *int64   `json:"budget_spent_ns"`
	Budget   *float64 `json:"budget_spent"` // the same as a share of the budget
}

// Stream is when the tokens of one response came.
type Stream struct {
	Request RequestRef `json:"request"`
	FirstNS int64      `json:"first_ns"` // from the start
	EndNS   int64      `json:"end_ns"`
	AtNS    []int64    `json:"at_ns"`  // of each chunk, from the start
	Tokens  []int64    `json:"tokens"` // in each; empty where nothing tells
	P50NS   *int64     `json:"gap_p50_ns"`
	P99NS   *int64     `json:"gap_p99_ns"` // of all requests
	Gaps    int64      `json:"gaps_n"`
}

// Exemplar is a request that the report shows in full, and why it was chosen.
type Exemplar struct {
	Request RequestRef `json:"request"`
	Role    string     `json:"role"` // typical, p99 or worst
	Of      string     `json:"of"`   // a bottleneck's id; empty for all requests
	// Segments is of how many its path is when these are too many to be shown; 0 otherwise.
	Segments int64 `json:"segments_not_shown"`
}
