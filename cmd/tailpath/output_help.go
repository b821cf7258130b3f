package main

// flagsOfOutput says in which formats the flags that are about how a document is written change
// anything. A test compares it with what they do.
const flagsOfOutput = `                                     text   json   md     csv    html
  --color always                     yes    same   same   same   same
  --ascii                            yes    same   same   same   same
  --verbose                          yes    same   yes    same   yes
  --no-warn few-incidents            yes    yes    yes    same   yes
  --table queue.where                error  error  error  yes    error
`

// outputPage says in what formats a document is printed, and what each is for.
const outputPage = `Output

Every report is one document, and each format is drawn from it alone, at once or
later: -f FORMAT, or the end of the name that -o gives.

  text  .txt            for a terminal or a pipe; in a pipe nothing is cut
  json  .json           all of it, with a schema and a version: times are whole
                        ns, shares lie from 0 to 1, what is not known is null
  md    .md .markdown   for a pull request, a step summary or an issue; at most
                        60,000 bytes: folded sections, then the last rows of the
                        longest tables are left out for that, and counted
  html  .html .htm      one file for a browser, without a network; it holds the
                        JSON
  csv   .csv            one table, for a spreadsheet

Any other name is text, but for those that promise what is not written, such as
report.pdf: they are refused unless -f says what to write. No other program is
started, but for the pager that TAILPATH_PAGER names, for what goes to a
terminal: see tailpath help environment.

Which flags change what

` + flagsOfOutput + `
Where it says same, the flag is taken and changes nothing, so that a file of
flags does for every format: JSON, Markdown, CSV and HTML are UTF-8 wherever
they go. --verbose adds tables to summary, queue, capacity and compare, which
JSON and CSV have in any case; where files are read it tells on standard error
of them, in every format. --no-warn leaves warnings out of the document, so of
CSV in the tables that list them.

Long lists and long pages

Each list has its usual number of rows. --limit N makes it N, --limit 0 all that
there are. Where a list was cut it says so, as in

  12 of 431 shown; --limit 0 shows all

Groups, places, findings, values of a property, and what inspect lists of
services, hosts, scopes, readings and engines are cut in the document: JSON and
CSV have no more of them, "limit" in the JSON counts the rest, and for a table
of CSV so does standard error. Other lists are whole in JSON and CSV, since
charts, sums or a later report are made from them, and are cut where they are
drawn. Never cut are percentiles, bands, stages, the critical path, conditions,
warnings, and what was left out. How many requests explain has is --slowest.
render cuts a document further; of rows that it does not hold it tells on
standard error.

--max-size SIZE is how long Markdown or HTML may be, such as 500KB or 2MB. Left
out are folded sections first, with the requests that a report shows in full,
then waterfalls, the JSON in HTML, and the last rows of the longest tables. The
page says what. Where no page is so short the exit code is 2, and the error
names the size that it would have. Of text, JSON and CSV nothing may be left
out: with them it is an error, unless a file of flags has it.

Tables

Each list of the JSON is a table, named by its path. Without --table it is the
one that answers the question, such as summary.duration.percentiles of summary.
--table list prints those that have rows, as CSV too:

  tailpath summary logs/ -f csv --table list
  tailpath summary logs/ -f csv --table summary.duration.bands.stages

Columns depend on the table alone, so that one week can be put under another. A
list within a list is a table as well: its rows begin with what names the
objects above them, and with the place of each in its list, counted from 1.
Lines end in LF. Text that begins with = + - or @ gets a ' before it, so that no
spreadsheet takes it for a formula; numbers are those of the JSON.

Later

  tailpath summary logs/ -o week.json
  tailpath render week.json             the text, as summary printed it
  tailpath render week.json -o week.html
  tailpath render week.html -f md       HTML that tailpath wrote will do

render reads nothing else, and wants a document of its own version. It draws
what was found, conditions of --fail-on with it, and ends with 0: the gate is
the run that judged.
`
