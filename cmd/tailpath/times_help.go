package main

// timesText says how times are given and what they choose.
const timesText = `Times

--since TIME keeps the requests that start then or later, --until TIME those
that start before. The others are counted as left out ("outside"), and so are
requests without a date ("undated"). It comes before --where.

  2026-08-17T14:10:00Z     RFC 3339, also with an offset such as +02:00
  2026-08-17               the beginning of a date
  "2026-08-17 14:10"       a date and a time, with or without seconds
  14:10                    of the day of the last record
  -2h -30m -7d -1w         before the last record; d is 24 hours

The last record is the last one of all that is read, of each side in compare,
and of all parts of a store; never the clock of this machine. Dates and times
of the day are those of --tz ZONE, UTC without it. A time that the clocks of
the zone skip, or show twice, is refused: give its offset.

A request that is in flight when the time begins or ends is counted by its
start alone, and then with all of its time. What is in flight when it begins
has started before and is in no figure, also of load: where that is more than
1 % of the requests or of their time, capacity decides nothing. Engines and logs
that tell of all requests are asked for the rest of the time.

compare sets two times of one capture against each other: it is read once, and a
request belongs to the time that it starts in.

  compare FILE... --split 14:08
      base is what starts before then and new what starts from then on, both
      within --since and --until
  compare FILE --base-since 13:00 --base-until 14:00 --since 14:08 --until 14:20
      a bad time in the middle. --since and --until are those of new; an end
      that is left open reaches to the other time
  compare BASE NEW --base-since 13:00 --since 14:08
      two captures: --since and --until are those of new alone when base has
      one of its own, and of both else

Two operands are BASE and NEW. One alone is both, and so are any number with
--split: put several FILEs in a directory, or name them by a pattern in quotes.
Times that overlap are refused, with exit code 2; one in which no request starts
ends with 3. What the requests of a capture ask for may change in it: that is
told, and refuses nothing. report takes the same flags, in place of --baseline:
it is of the new time, set against the other.

report --week 2026-W47 keeps those that start in a week by ISO 8601: from
Monday 00:00 in the zone, also where the clocks are moved in it. --week last is
the last one that is over: that had at most an hour to go at the last record.

`

// storeText says what a store is.
const storeText = `Stores

tailpath ingest FILE... --store DIR adds what is new to a store. It is a FILE
of every command, also beside others. With --since and --until, or --week, only
its parts of that time are read, and an hour before and after, whose records
may tell of the same requests.

  store.json      the parts: when their records are, and their inputs with their
                  SHA-256; in order of time, whatever was added first
  parts/ID/       one ingest: tables, as below; can be read by itself
  store.lock      there while a run begins to write a part, and while store.json
                  is replaced; left over if a run was killed then: remove it
  parts/.new-*    what a run is writing; the next ingest removes what one that
                  was killed left

An input is known by its bytes: one that is there is passed over, whatever it
is called. A file that grew is another file; add it when it is complete. Tables
are known by their own bytes, not by those that they were made of. Spans and
logs of the same requests are joined whether they were added together or not,
if their parts are read together. A part that was changed is told, and so is a
store.json, with exit code 2.

tailpath report --store DIR --week W is set against the four weeks before it
that are in the store. --baseline takes a report that was written as JSON or
HTML, a directory of such JSON (the last four of earlier times), tables or
traces, or another store; --baseline none takes nothing.

Memory

A run holds all rows of its inputs. -v says what they take; a run takes about four
times that, and 64 MB. With --memory SIZE, in KB, MB, GB (1000 to a step) or KiB,
MiB, GiB (1024), it keeps to that: memory is given back sooner, fewer workers
decode where it is small, and a capture that does not fit ends the run with exit
code 2 and a SIZE that would do. Once a tenth of the inputs is read, it is known
about what all of them take; of standard input, and after reading, only what is
held counts. Output that is being written is written to its end. Nothing is put
on disk instead: read less, by --since and --until of a store. Without the flag
there is no bound.

`
