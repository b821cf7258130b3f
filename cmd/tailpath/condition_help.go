package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

const filtersIntro = `Filters, keys and conditions

--where EXPR keeps the requests that match, and counts the others as left out.
Several --where must all match.

  model=llama3                          text is compared as it stands
  model=(llama3 qwen)                   one of a list
  -status=error                         not: - or NOT in front, for ( ) too
  model!=llama3                         the same as -model=llama3
  e2e>2s AND queue>500ms                times: ns us ms s m h, or 1m30s
  prompt_tokens>4k prompt_tokens<=32k   AND may be left out; k M G
  route=/v1/chat OR route=none          none: nothing was recorded
  route~/v1/*                           pattern: * is any text
  name~/^(GET|POST)/                    regular expression between slashes
  start>=2026-08-20T12:00:30Z           dates, UTC without a zone
  "my key"="two words"                  quotes, for fields and values
  model=llama3 AND (route=/v1/chat OR prompt_tokens>4k) AND -status=error

NOT binds more than AND, AND more than OR. A comparison of what was not recorded
does not hold, but for =none and != ; its negation does. Text has no order: < <=
> >= are for numbers. = compares numbers as numbers where both sides are:
batch=4k is 4000.

Fields

`

const attributesText = `
Any other name is an attribute, by its key: of the root span, else of the span
nearest the engine, else of their resources. That span has the longest gpu
segment, else the longest queue segment, of the critical path. Keys with spaces
or ( ) = ! < > ~ , need quotes. Prompts and outputs are no fields, also with
--keep-text.

`

const keysText = `Keys

--by KEYS splits by fields, with commas between them. An order only sorts.

  host,model
  batch@num                by size; @alpha byte by byte
  model@(small large)      these first, in this order

compare puts numbers of more than 20 values into bands, such as 200-499 of
prompt_tokens: attributes, too, if all values are numbers, and neither if the
order is @alpha or a list. Other commands take each value for itself. compare
takes no times or rates of requests, such as e2e or queue: it compares them.

`

const bandsText = `Bands

--bands BANDS are those whose time is shown by stage: the requests between two
percentiles of how long they took. No request is in two of them, and not all
need be in one.

  p0-50,50-90,90-99,99-100   those that are shown without it
  p0-95,95-100               usual requests, and the slowest twentieth
  p99-99.9,99.9-100          the tail alone

`

const conditionsText = `Conditions

--fail-on COND ends with exit code 1 if it is true. Several may be given.

  p99(e2e) > 5s                  percentile of e2e, ttft, tpot or itl
  p99.9(ttft) >= 800ms           or a measure; see tailpath help definitions
  p99(itl) > 50ms                of all gaps between tokens
  share(queue) > 50%             of what slow requests take longer than usual
  share(queue, p99-100) > 50%    of the time of the requests in a band
  unattributed > 5%              of all time
  incomplete > 2%                of the requests: not complete, for any reason
  errors > 1%                    of the complete requests
  n < 100                        requests used
  verdict(queue) = dominates     or leads, or (dominates leads)
  verdict != (none mixed)        of any stage; see tailpath help verdict
  rate(slo) < 99%                of the requests that meet the first --slo
  rate(slo:e2e) < 99%            the --slo that limits e2e alone
  goodput(slo:2) < 5             requests a second that meet the second --slo
  capacity(slo) < 12             requests a second that are carried within it

A condition fails or passes only when the data leave no doubt. Percentiles and
errors have exact bounds, each with 95 % confidence: if no request is beyond the
limit it takes 299 requests to pass a p99, 59 to pass a p95. share(STAGE) has
the interval of its resamples, which is about these requests alone where they
cannot predict others, and is called that. What lies between is inconclusive,
and ends with exit code 3 unless another condition is true. unattributed,
incomplete, n and the share of a band are exact for these requests, and predict
nothing. A percentile that a condition names is in the report. That of gaps has
bounds from resampled blocks of time.

An objective is named by its number, or by all that it limits, as slo:ttft+itl;
slo alone is the first. rate(slo) is the share of requests that keep every limit
of it, each in one request, with exact bounds; one that failed or was given up
kept none. goodput is exact for these requests. capacity(slo), which tailpath
capacity alone judges, lies between the rate that it tells and the lowest rate
that fails, as far as each was seen. What lies between is inconclusive here too.

  p99(ttft) > +10% @0.05         a change: against a baseline, at level 0.05

A change is of e2e, ttft or tpot. It has the interval of its ratio, which holds
with one less the level: 95 % at @0.05, also where no level is given. It fails
when all of the interval is beyond the limit and passes when none of it is. In
between it is inconclusive, and how many requests would decide is said. It is
inconclusive too where captures have too few incidents, or too little time, to
predict.

Where every request has a sampling weight, and they differ, percentiles,
share(STAGE) and rate(slo) are those of all requests, kept or not. Changes and
other figures of traces that a sampler chose hold among kept traces, which is
said beside them.
`

const requirementsText = `
Requirements

--require COND says what must hold of the data for anything to be judged by
them. Several may be given. Where one does not hold, or that cannot be told, the
report says so first, every condition of --fail-on is inconclusive, and the exit
code is 3, whatever else is true. --min-requests N asks for requests likewise.

  n >= 1000                requests used
  incomplete < 2%          of the requests: not complete, for any reason
  errors < 5%              of the complete requests
  unattributed < 5%        of all time of the requests used
  residual < 10%           of it: left over between what was recorded
  lost < 1%                of the rows read: unreadable, or known to be missing
  excluded < 1%            of the spans of requests: such as those told twice
  joined > 90%             of the requests used: told by several traces or logs
  clock < 5ms              how far clocks may be apart; with --clock adjust the
                           error of that, which calls between hosts bound
  sampling != suspected    or = (none uniform); also unknown, weighted, partial

errors has exact bounds, and clock those that calls give; the others are exact
for what was read. compare asks both sides, and report its baseline too, where
that has tables.
`

// writeFilters writes the language of filters, keys and conditions, with the fields.
func writeFilters(w io.Writer) error {
	var out strings.Builder
	out.WriteString(filtersIntro)
	widest := 0
	for _, b := range analyze.Built() {
		widest = max(widest, len(b.Name))
	}
	for _, b := range analyze.Built() {
		doc := b.Doc
		if b.Unit == "ns" {
			doc += " (time)"
			if b.Name == "start" {
				doc = b.Doc + " (date)"
			}
		}
		fmt.Fprintf(&out, "  %-*s  %s\n", widest, b.Name, doc)
	}
	out.WriteString(attributesText + timesText + keysText + bandsText + conditionsText + requirementsText)
	_, err := io.WriteString(w, out.String())
	return err
}
