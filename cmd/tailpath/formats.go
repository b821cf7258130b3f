package main

// formatsPage says what is read. It names nothing that is not.
const formatsPage = `Input formats

A FILE is a file, a directory with all that is below it, a pattern in quotes, - for
standard input, or a directory that tailpath ingest wrote. The format is told from the
content. Names that begin with . or _ are passed over in a directory.

  OTLP traces and logs   JSON: one document, one a line, or several in a row, also
                         pretty-printed; protobuf: one message, or messages with their
                         length before them, as the Collector's file exporter writes
  compressed by          gzip or zstd, whole files or each message for itself
  tailpath directory     the tables, as tailpath ingest writes them

A line or message that is damaged costs itself alone: it is counted, with its place, and
tailpath inspect lists what was met. Not read yet: the JSON of Jaeger, Zipkin and Tempo,
Triton's own trace file, text logs of servers and gateways.
`
