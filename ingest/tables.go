package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// readTables reads a directory of tables. Only what was recorded is taken: requests and
// segments are made anew from all inputs, and the quality account goes on in the
// account of this run.
func (j *job) readTables(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	set, err := table.ReadDir(j.name)
	if err != nil {
		j.in.Problem = &Error{Where: j.name, What: err.Error(), Hint: "write the directory again with tailpath ingest", Err: err}
		return
	}
	j.in.Format = "tailpath tables"
	j.in.Spans, j.in.Logs, j.in.Samples = int64(set.Spans.Len()), int64(set.Logs.Len()), int64(set.EngineSamples.Len())
	j.takeQuality(set)
	for _, derived := range []any{&set.Requests, &set.Segments, &set.Quality} {
		empty(derived)
	}
	err = j.hashTables()
	if err == nil {
		err = j.skipOthers()
	}
	if err != nil {
		j.in.Problem = systemError(j.name, err)
		return
	}
	j.sets = append(j.sets, set)
	j.gauge.readMore(j.in.Bytes)
	j.gauge.addSet(set)
}

// takeQuality adds the quality table of a set to the account.
func (j *job) takeQuality(set *table.Set) {
	q := &set.Quality
	for i := range q.Len() {
		is := table.Issue{ID: set.Symbols.Text(q.ID[i]), Severity: table.Severity(q.Severity[i]), Advice: q.Advice[i]}
		at := table.Place{Source: set.Symbols.Text(q.Source[i])}
		if q.Line[i] != table.Missing {
			at.Line = q.Line[i]
		}
		if q.Offset[i] != table.Missing {
			at.Offset = q.Offset[i]
		}
		j.account.Add(is, q.Count[i], at, q.Detail[i])
	}
}

// empty drops the rows of a table by its columns.
func empty(rows any) {
	v := reflect.ValueOf(rows).Elem()
	for i := range v.NumField() {
		if _, ok := v.Type().Field(i).Tag.Lookup("col"); ok {
			v.Field(i).SetZero()
		}
	}
}

// skipOthers counts what lies in a directory of tables and is none of them.
func (j *job) skipOthers() error {
	entries, err := os.ReadDir(j.name)
	if err != nil {
		return err
	}
	ours := table.DirFiles()
	for _, entry := range entries {
		if !slices.Contains(ours, entry.Name()) && !hidden(entry.Name()) {
			j.account.Add(Skipped, 1, table.Place{Source: filepath.Join(j.name, entry.Name())}, "it lies in a directory of tables and is none of them")
		}
	}
	return nil
}

// hashTables fills in the size of a directory and the hash over the names and contents
// of its files, those that are tables or the manifest.
func (j *job) hashTables() error {
	sum := sha256.New()
	for _, name := range table.DirFiles() {
		f, err := os.Open(filepath.Join(j.name, name))
		if err != nil {
			return err
		}
		io.WriteString(sum, name+"\x00")
		n, err := io.Copy(sum, f)
		f.Close()
		if err != nil {
			return err
		}
		j.in.Bytes += n
		if j.opt.Progress != nil {
			j.opt.Progress(n)
		}
	}
	j.in.Decompressed = j.in.Bytes
	j.in.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// tablesSize returns the size of the tables of a directory in bytes.
func tablesSize(dir string) (total int64) {
	for _, name := range table.DirFiles() {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			total += info.Size()
		}
	}
	return total
}
