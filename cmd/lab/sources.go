package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/logs"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/clock"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
)

// sources is what of a capture is read: the traces, the logs, all of it, or the engine's
// log alone.
type sources string

const (
	fromTraces sources = "traces"
	fromAll    sources = "all"
	fromLogs   sources = "logs"
	fromEngine sources = "engine"
)

// allSources are the subsets that a score is made of, in the order of its rows.
var allSources = []sources{fromTraces, fromAll, fromLogs, fromEngine}

// gateways are the kinds of log that a capture's gateway may have written. Each
// scenario has one, in turn.
var gateways = []string{"nginx", "envoy-json", "haproxy"}

// gatewayOf returns the kind of log that the gateway of a scenario writes.
func gatewayOf(sc simulate.Scenario) string {
	all := simulate.Scenarios()
	i := slices.IndexFunc(all, func(x simulate.Scenario) bool { return x.Name == sc.Name })
	return gateways[max(i, 0)%len(gateways)]
}

// engineLog returns the kind of log that the engine of a capture writes: the first that is
// no gateway's.
func engineLog(c *simulate.Capture) string {
	names := logs.Names(c)
	i := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(logs.Gateways(), name) })
	return names[i]
}

// found is what tailpath made of a capture's files.
type found struct {
	set *table.Set
	// rows are, for every planted request, the rows of the requests table that tell of
	// it; more than one if what belongs together was not joined.
	rows [][]int
	// stray counts requests that tell of no planted one.
	stray int
	// clocks is what the calls say of the hosts' clocks.
	clocks *clock.Solution
}

// writeCapture writes what is to be read into a directory.
func writeCapture(c *simulate.Capture, from sources, gateway, dir string) error {
	write := func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}
	if from == fromTraces || from == fromAll {
		for _, service := range c.Services {
			var file bytes.Buffer
			if err := service.WriteJSON(&file); err != nil {
				return err
			}
			if err := write(service.Name+".jsonl", file.Bytes()); err != nil {
				return err
			}
		}
	}
	if from == fromTraces {
		return nil
	}
	files, err := logsOf(c, from, gateway)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := write(f.Name, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// logsOf returns the logs of a capture's engine, and of its gateway unless the engine's
// alone are wanted.
func logsOf(c *simulate.Capture, from sources, gateway string) ([]logs.File, error) {
	kinds := []string{engineLog(c)}
	if from != fromEngine {
		kinds = append(kinds, gateway)
	}
	var all []logs.File
	for _, kind := range kinds {
		files, err := logs.Write(c, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// readBack reads a capture as a user's files would be read, and builds the requests. The
// files stay in keep, if that is not empty. It fails if a line of a log or a span is not
// accounted for exactly once.
func readBack(c *simulate.Capture, from sources, gateway, keep string, opt critical.Options) (*found, error) {
	dir := keep
	var err error
	if keep == "" {
		if dir, err = os.MkdirTemp("", "lab"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := writeCapture(c, from, gateway, dir); err != nil {
		return nil, err
	}
	set, account, report, err := ingest.Read(context.Background(), []string{dir}, ingest.Options{})
	if err != nil {
		return nil, err
	}
	for _, in := range report.Inputs {
		if l := in.Lines; l != nil {
			sum := l.Used
			for _, u := range l.Unused {
				sum += u.Count
			}
			if sum != l.In {
				return nil, fmt.Errorf("%s: %d lines of %d are accounted for", in.Name, sum, l.In)
			}
		}
	}
	names := planted(c)
	f := &found{set: set, rows: make([][]int, len(c.Truth))}
	traceID, _ := set.Symbols.Lookup("trace_id")
	row := 0
	times := make([]int, set.Spans.Len())
	see := func(r *critical.Request) {
		for _, s := range r.Spans {
			times[s.Row]++
		}
		for _, e := range r.Excluded {
			times[e.Row]++
		}
		truth, ok := -1, false
		for _, s := range r.Spans {
			id := set.Spans.TraceID[s.Row]
			if truth, ok = names[hex.EncodeToString(id[:])]; ok {
				break
			}
			if truth, ok = names[set.Spans.RequestID[s.Row]]; ok {
				break
			}
			if v, has := set.Spans.Attributes.Get(int(s.Row), traceID); has && traceID != 0 {
				if truth, ok = names[string(v.Text)]; ok {
					break
				}
			}
		}
		switch {
		case ok:
			f.rows[truth] = append(f.rows[truth], row)
		case r.Class == critical.Complete:
			f.stray++
		}
		row++
	}
	b := critical.NewBuilder(set, account, opt)
	if err := b.BuildAnd(context.Background(), see); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	for row, n := range times {
		if n != 1 {
			return nil, fmt.Errorf("%s: span row %d is accounted for %d times", from, row, n)
		}
	}
	f.clocks = b.Clocks()
	return f, nil
}

// planted returns the planted request by all the ids that it goes by.
func planted(c *simulate.Capture) map[string]int {
	names := map[string]int{}
	for i, t := range c.Truth {
		names[t.TraceID] = i
	}
	for _, v := range c.Visits {
		for _, id := range []string{v.RequestID, v.EngineID} {
			if id != "" {
				names[id] = v.Request
			}
		}
	}
	return names
}
