package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tailpath/tailpath/ingest/store"
)

// The times of OTLP JSON, and the first and last digits of its trace ids.
var (
	recordedTime = regexp.MustCompile(`(UnixNano":")(\d+)(")`)
	traceDigits  = regexp.MustCompile(`("traceId":")[0-9a-f]{4}([0-9a-f]{24})[0-9a-f]{4}`)
)

// later writes OTLP JSON as if it had been recorded some time later, with other trace ids:
//
//	later DURATION DIGITS FILE OUT
//
// FILE may be compressed by zstd; DIGITS are four of hex.
func later(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 || len(args[1]) != 4 {
		ts.Fatalf("usage: later DURATION DIGITS FILE OUT")
	}
	by, err := time.ParseDuration(args[0])
	ts.Check(err)
	text := []byte(ts.ReadFile(args[2]))
	if decoder, err := zstd.NewReader(nil); err == nil {
		defer decoder.Close()
		if plain, err := decoder.DecodeAll(text, nil); err == nil {
			text = plain
		}
	}
	text = recordedTime.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := recordedTime.FindSubmatch(found)
		ns, err := strconv.ParseInt(string(parts[2]), 10, 64)
		ts.Check(err)
		return fmt.Appendf(nil, "%s%d%s", parts[1], ns+int64(by), parts[3])
	})
	text = traceDigits.ReplaceAll(text, []byte("${1}"+args[1]+"${2}"+args[1]))
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), text, 0o666))
}

// spoil cuts the spans of the part of a store that begins on a date short:
//
//	spoil STORE DATE
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil STORE DATE")
	}
	s, err := store.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, part := range s.Parts() {
		if part.FromNS != nil && time.Unix(0, *part.FromNS).UTC().Format(time.DateOnly) == args[1] {
			ts.Check(os.Truncate(filepath.Join(s.Path(part), "spans.parquet"), 100))
			return
		}
	}
	ts.Fatalf("%s has no part of %s", args[0], args[1])
}
