package ingest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/ingest/tracefile"
)

// reference is an instant from which the year of a log is inferred: it is near the end
// of the log, or after it.
type reference struct {
	at    int64 // ns since the Unix epoch; table.Missing for none
	basis string
}

// readTraces reads a trace file that is no OTLP.
func (j *job) readTraces(o *opened) error {
	set := table.NewSet()
	d := tracefile.NewDecoderWith(set, &j.account.Account, j.name, tracefile.Options{KeepText: j.opt.Logs.KeepText})
	rows := scale{gauge: j.gauge, set: set}
	err := d.Read(rows.reader(o.p), o.what.trace)
	rows.weigh()
	s := d.Stats()
	j.sets = append(j.sets, set)
	j.in.Format = o.what.trace.String()
	j.in.Documents, j.in.Spans = s.Documents, s.Spans
	j.in.BadDocuments, j.in.BadSpans, j.in.Bad = s.BadDocuments, s.BadSpans, s.BadDocuments+s.BadSpans
	for _, f := range s.Faults {
		j.in.Faults = append(j.in.Faults, Fault(f))
	}
	if s.Spans == 0 {
		hint := "the query that wrote it found nothing, or the file is damaged: write it again"
		if o.what.trace == tracefile.ResponseBody {
			hint = hintBody
		}
		j.in.Problem = &Error{Where: j.name, What: fmt.Sprintf("this is %s, and no span or record in it could be read", o.what.trace), Hint: hint}
	}
	return err
}

// readLog reads lines of text.
func (j *job) readLog(o *opened) error {
	if u := o.what.found.Unusable; u != nil {
		j.in.Problem = &Error{Where: j.name, What: "this is " + u.What, Hint: u.Instead}
		return nil
	}
	logs := &j.opt.Logs
	set := table.NewSet()
	d := serverlog.NewDecoder(set, &j.account.Account, j.name, serverlog.Options{
		Formats: logs.formats(), Format: o.what.as, Year: logs.Year, Zone: logs.zone, KeepText: logs.KeepText,
		Size: j.plainSize(o), Reference: j.ref.at, ReferenceBasis: j.ref.basis,
	})
	rows := scale{gauge: j.gauge, set: set}
	err := d.Read(rows.reader(o.p), serverlog.Start{Line: 1})
	rows.weigh()
	s := d.Stats()
	switch {
	case s.Used > 0:
		j.sets = append(j.sets, set)
		j.in.Spans, j.in.Logs, j.in.Samples = s.Spans, s.Logs, s.Samples
		j.in.Lines = &Lines{In: s.Lines, Used: s.Used, Unused: s.Unused}
		j.in.Format = formatsOf(s.Records)
	case o.what.as == nil:
		j.in.Problem = unknown(j.name, o.head, o.src.n)
	default:
		j.in.Problem = &Error{Where: j.name, What: fmt.Sprintf("none of its %d lines is a record of %s that tells of a request or of the state of an engine", s.Lines, o.what.as.ID),
			Hint: "tailpath help formats " + o.what.as.ID + " shows the records"}
	}
	return err
}

// plainSize returns how many bytes a log has, 0 if that is not known.
func (j *job) plainSize(o *opened) int64 {
	if !j.regular() || o.p.compression() != "" {
		return 0
	}
	return j.info.Size()
}

// formatsOf names the formats of the records that were used, the commonest first.
func formatsOf(records []serverlog.Count) string {
	counts := map[string]int64{}
	for _, r := range records {
		id, _, _ := strings.Cut(r.Record, ".")
		counts[id] += r.Count
	}
	ids := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	text := strings.Join(ids, ", ")
	if strings.HasSuffix(text, "log") {
		return text
	}
	return text + " log"
}

// readPutOff reads the logs whose year was left open, as many at a time as there are
// workers. The year is taken from the latest time of everything else, else from the
// date of the file.
func readPutOff(ctx context.Context, jobs []*job, opt Options) {
	latest := reference{at: table.Missing}
	for _, j := range jobs {
		for _, set := range j.sets {
			latest.at = max(latest.at, latestTime(set))
		}
	}
	if latest.at != table.Missing {
		latest.basis = "what was read beside it"
	}
	slots := make(chan struct{}, opt.Workers)
	var wg sync.WaitGroup
	for _, j := range jobs {
		if j.open == nil {
			continue
		}
		ref := latest
		if ref.at == table.Missing && j.regular() {
			ref = reference{j.info.ModTime().UnixNano(), "the date of the file"}
		}
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			j.resume(ctx, ref)
		}()
	}
	wg.Wait()
}

// latestTime returns the latest time on the wall clock in a set; table.Missing for none.
func latestTime(set *table.Set) int64 {
	latest := int64(table.Missing)
	for i, end := range set.Spans.End {
		if set.Spans.Clock[i] == table.ClockWall {
			latest = max(latest, end)
		}
	}
	for i, at := range set.Logs.Time {
		if set.Logs.Clock[i] == table.ClockWall {
			latest = max(latest, at)
		}
	}
	for i, at := range set.EngineSamples.Time {
		if set.EngineSamples.Clock[i] == table.ClockWall {
			latest = max(latest, at)
		}
	}
	return latest
}
