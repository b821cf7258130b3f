package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/ingest/tracefile"
)

// Read reads every path into one canonical Set: files, directories with all below them,
// patterns, "-" for standard input, and directories of tables that tailpath wrote.
// What a file is shows from its content; its name plays no part.
//
// Faults in the content are counted in the Account and named in the Report, and cost no
// more than the span, line or message that they are in. An error is returned only when
// a path cannot be opened, when nothing at all could be read, when the rows are too many,
// or when ctx ends; it is an *Error, but for the third a *TooLarge, and for the last that of
// ctx. Rows, counts and report are the same for any number of workers and any order of paths.
func Read(ctx context.Context, paths []string, opt Options) (*table.Set, *table.Account, *Report, error) {
	account := &table.Account{}
	targets, err := expand(paths, account)
	if err != nil {
		return nil, nil, nil, err
	}
	var known []Input
	var hashed int64
	if opt.Known != nil {
		if targets, known, hashed, err = passOver(ctx, targets, opt, account); err != nil {
			return nil, nil, nil, err
		}
	}
	if opt.Total != nil {
		total := totalSize(targets)
		if total > 0 {
			total += hashed
		}
		opt.Total(total)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	jobs := run(ctx, targets, opt, newBound(targets, opt, stop), account)
	if err := ctx.Err(); err != nil {
		if tooLarge := new(TooLarge); errors.As(context.Cause(ctx), &tooLarge) {
			return nil, nil, nil, tooLarge
		}
		return nil, nil, nil, err
	}
	opt.Logs.checkUsed(jobs, account)
	return merge(paths, jobs, account, known)
}

// totalSize adds up the sizes of the targets in bytes; 0 when one has none.
func totalSize(targets []target) int64 {
	total := int64(0)
	for _, t := range targets {
		switch {
		case t.spare: // whether it is read shows later
			return 0
		case t.tables:
			total += tablesSize(t.name)
		case t.regular():
			total += t.info.Size()
		default:
			return 0
		}
	}
	return total
}

// job is the reading of one target.
type job struct {
	target
	slots   chan struct{} // one for each worker
	opt     Options
	sets    []*table.Set // in order
	account account
	stats   otlp.Stats
	in      Input
	gauge   *gauge    // nil without a bound
	closed  bool      // it could not even be opened
	open    *opened   // a log that was put off
	told    int64     // bytes of it that Progress knows of
	ref     reference // what its year is inferred from
	bodies  *bodyReader
}

// run reads all targets. Tables that were found below a directory are passed over, and
// counted, when anything else below it could be read. Where that may yet be a log that
// is put off, they wait for it.
func run(ctx context.Context, targets []target, opt Options, most *bound, account *table.Account) []*job {
	var first, spare []target
	for _, t := range targets {
		if t.spare {
			spare = append(spare, t)
		} else {
			first = append(first, t)
		}
	}
	jobs := runAll(ctx, first, opt, most)
	alone, rest := unaccompanied(spare, jobs)
	jobs = append(jobs, runAll(ctx, alone, opt, most)...)
	readPutOff(ctx, jobs, opt)
	alone, rest = unaccompanied(rest, jobs)
	jobs = append(jobs, runAll(ctx, alone, opt, most)...)
	for _, t := range rest {
		account.Add(TablesPassedOver, 1, table.Place{Source: t.name}, "it lies below a directory of which the telemetry itself was read")
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return strings.Compare(a.name, b.name) })
	return jobs
}

// unaccompanied parts tables that were found below directories into those beside which
// no job read anything or may yet, and the rest.
func unaccompanied(spare []target, jobs []*job) (alone, rest []target) {
	raw := map[string]bool{} // directories with a file that was read
	for _, j := range jobs {
		for _, dir := range j.below {
			raw[dir] = raw[dir] || j.in.Problem == nil && !j.spare
		}
	}
	for _, t := range spare {
		if slices.ContainsFunc(t.below, func(dir string) bool { return raw[dir] }) {
			rest = append(rest, t)
		} else {
			alone = append(alone, t)
		}
	}
	return alone, rest
}

// runAll reads targets, as many at a time as there are workers.
func runAll(ctx context.Context, targets []target, opt Options, most *bound) []*job {
	slots := make(chan struct{}, opt.Workers)
	jobs := make([]*job, len(targets))
	var wg sync.WaitGroup
	for i, t := range targets {
		jobs[i] = &job{target: t, slots: slots, opt: opt, in: Input{Name: t.name}, gauge: most.gauge(t)}
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			if t.tables {
				jobs[i].readTables(ctx)
				return
			}
			jobs[i].read(ctx)
		}()
	}
	wg.Wait()
	return jobs
}

// read reads one file or stream, but for logs that leave open in which year they are:
// what is read meanwhile may tell.
func (j *job) read(ctx context.Context) {
	src, err := j.openSource(ctx)
	if err != nil {
		j.fail(err)
		return
	}
	p, err := decompress(src)
	j.in.Compression = p.compression()
	var head []byte
	if err == nil {
		head, err = p.Peek(otlp.HeadSize)
	}
	var what content
	if len(head) > 0 {
		what = j.tell(head, err == io.EOF)
	}
	o := &opened{src: src, p: p, what: what, head: bytes.Clone(head[:min(len(head), lookSize)])} // the window moves on
	switch {
	case !what.known():
		j.refuse(o, err)
	case what.log && !what.dated:
		j.open = o
		if j.regular() {
			o.close() // it can be opened again, and may be one of many
			j.told = src.n
			j.open = &opened{what: what}
		}
	default:
		j.finish(o)
	}
}

// openSource opens the target of the job.
func (j *job) openSource(ctx context.Context) (*source, error) {
	src, err := open(ctx, j.target, j.opt)
	if err == nil {
		src.gauge = j.gauge
	}
	return src, err
}

// opened is an input whose head was looked at.
type opened struct {
	src  *source
	p    *plain
	what content
	head []byte
}

func (o *opened) close() {
	o.p.close()
	o.src.close()
}

// resume reads a log that was put off.
func (j *job) resume(ctx context.Context, ref reference) {
	o := j.open
	j.open, j.ref = nil, ref
	if o.src == nil {
		var err error
		if o.src, err = j.openSource(ctx); err != nil {
			j.fail(err)
			return
		}
		o.src.told = j.told
		if o.p, err = decompress(o.src); err != nil {
			j.refuse(o, err)
			return
		}
		head, _ := o.p.Peek(lookSize) // a fault comes again when the text is read
		o.head = bytes.Clone(head)
	}
	j.finish(o)
}

// refuse closes an input of which nothing is read, and says why.
func (j *job) refuse(o *opened, err error) {
	defer o.close()
	j.in.Bytes = o.src.n
	j.in.Problem = unknown(j.name, o.head, o.src.n)
	if err != nil && err != io.EOF {
		j.broken(o.src, err)
		if len(o.head) == 0 {
			j.in.Problem = unreadable(j.name, o.src, err)
		}
	}
}

// finish reads an input to its end.
func (j *job) finish(o *opened) {
	defer o.close()
	var err error
	switch what := o.what; {
	case what.log:
		err = j.readLog(o)
	case what.trace != tracefile.Unknown:
		err = j.readTraces(o)
	default:
		err = j.readOTLP(o)
	}
	if err != nil {
		j.broken(o.src, err)
	}
	if j.in.Problem != nil {
		j.account.disown()
		j.sets = nil
		j.gauge.drop()
	}
	j.in.SHA256 = o.src.sum()
	j.in.Bytes, j.in.Decompressed = o.src.n, o.p.n
}

func (j *job) readOTLP(o *opened) error {
	err := j.decode(o.p, o.what.otlp)
	if j.stats.Documents > 0 {
		j.in.Format = formatOf(o.what.otlp, j.stats)
		j.in.count(j.stats)
		j.endBodies()
	} else {
		j.in.Problem = notOTLP(j.name, o.head, j.stats, j.account.Entries())
	}
	return err
}

// formatOf names a form, now that it is known how many documents there were.
func formatOf(form otlp.Form, s otlp.Stats) string {
	if form == otlp.JSONLines && s.Documents+s.Unknown+s.Other+s.BadDocuments <= 1 {
		form = otlp.JSON
	}
	return form.String()
}

// broken counts that reading ended early, unless it was told to.
func (j *job) broken(src *source, err error) {
	at := table.Place{Source: j.name, Offset: src.n}
	switch {
	case src.ctx.Err() != nil:
	case src.failed != nil:
		j.account.Add(ReadFailed, 1, at, systemError(j.name, src.failed).What)
	default:
		j.account.Add(CutCompression, 1, at, fmt.Sprintf("%s: %v", j.in.Compression, err))
	}
}

// unreadable is the Error of an input of which not a byte could be had.
func unreadable(where string, src *source, err error) *Error {
	switch {
	case src.failed != nil:
		return systemError(where, src.failed)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return &Error{Where: where, What: "it is compressed by zstd with a window that is larger than 128 MiB", Hint: "decompress it first: zstd -d --long=31", Err: err}
	}
	return &Error{Where: where, What: "the head of the compressed stream is damaged: " + err.Error(), Hint: "copy or download the file again", Err: err}
}

func (j *job) fail(err error) {
	j.closed = true
	if !errors.As(err, &j.in.Problem) {
		j.in.Problem = systemError(j.name, err)
	}
}

// merge puts the jobs together in order.
func merge(paths []string, jobs []*job, account *table.Account, known []Input) (*table.Set, *table.Account, *Report, error) {
	report := &Report{Known: known}
	sums := map[string]string{}
	good := 0
	for _, j := range jobs {
		if j.isKnown(sums) {
			report.Known = append(report.Known, Input{Name: j.name, Bytes: j.in.Bytes, SHA256: j.in.SHA256})
			j.sets = nil
			continue
		}
		report.Inputs = append(report.Inputs, j.in)
		j.account.addTo(account)
		switch {
		case j.in.Problem == nil:
			good++
		case j.closed && j.named:
			return nil, nil, nil, j.in.Problem
		default:
			account.Add(issueOf(j), 1, table.Place{Source: j.name}, j.in.Problem.What)
		}
		if first, ok := sums[j.in.SHA256]; ok && j.in.SHA256 != "" && j.in.Problem == nil {
			account.Add(SameBytes, 1, table.Place{Source: j.name}, "the same bytes as "+first)
		} else {
			sums[j.in.SHA256] = j.name
		}
	}
	if good == 0 && len(report.Known) == 0 {
		return nil, nil, nil, nothingRead(paths, jobs)
	}
	slices.SortStableFunc(report.Known, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	set := joined(jobs)
	set.Canonicalize()
	report.RowBytes = set.Footprint()
	return set, account, report, nil
}

// issueOf is what an input that was not read counts as.
func issueOf(j *job) table.Issue {
	switch {
	case j.in.Bytes == 0 && j.regular() && j.in.Problem.Err == nil:
		return Empty
	case j.named || j.closed:
		return Unread
	}
	return Skipped
}

// nothingRead is the error of a run in which no input could be read. It tells of the
// input that was named, or of the first file of the directories that were.
func nothingRead(paths []string, jobs []*job) error {
	for _, j := range jobs {
		if j.named {
			return j.in.Problem
		}
	}
	first := jobs[0].in.Problem
	return &Error{Where: paths[0], What: fmt.Sprintf("none of %d files could be read; %s: %s", len(jobs), first.Where, first.What), Hint: first.Hint, Err: first.Err}
}

// joined puts the sets of all jobs into one, giving up their rows as they are copied.
func joined(jobs []*job) *table.Set {
	var sets []*table.Set
	for _, j := range jobs {
		sets = append(sets, j.sets...)
		j.sets = nil
	}
	return table.Join(sets)
}
