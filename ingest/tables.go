package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"reflect"

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
	j.in.Spans, j.in.Logs = int64(set.Spans.Len()), int64(set.Logs.Len())
	j.takeQuality(set)
	for _, derived := range []any{&set.Requests, &set.Segments, &set.Quality} {
		empty(derived)
	}
	if err := j.hashTables(); err != nil {
		j.in.Problem = systemError(j.name, err)
		return
	}
	j.sets = append(j.sets, set)
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

// hashTables fills in the size of a directory and the hash over the names and contents
// of its files.
func (j *job) hashTables() error {
	entries, err := os.ReadDir(j.name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(j.name, entry.Name()))
		if err != nil {
			return err
		}
		io.WriteString(sum, entry.Name()+"\x00")
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

// tablesSize returns the size of the files of a directory in bytes.
func tablesSize(dir string) (total int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total
}
