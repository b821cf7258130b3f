package table

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// DirOption sets how WriteDir writes.
type DirOption func(*dirWriter)

// WithTool records the name and version of the program that writes, which a reader
// of another format is told.
func WithTool(version string) DirOption {
	return func(w *dirWriter) { w.tool = version }
}

// WithRules keeps the text of the stage rules that the requests were built with, so
// that who builds them anew can do it by the same rules.
func WithRules(text string) DirOption {
	return func(w *dirWriter) { w.rules = text }
}

// dirWriter writes the files of a directory.
type dirWriter struct {
	tool   string
	rules  string
	create func(path string) (syncedFile, error)
	rename func(from, to string) error
}

// syncedFile is what dirWriter needs of an *os.File.
type syncedFile interface {
	io.WriteCloser
	Sync() error
}

// WriteDir writes a set as a directory: one Parquet file a table, and the manifest
// tailpath.json with the rows, size and SHA-256 of each, written last.
//
// The directory appears at once and whole. It is written under a temporary name
// beside dir, where the parent directory must be, and renamed when all of it is on
// disk; an error leaves dir as it was. dir may be a directory of tailpath, which is
// replaced, or an empty directory, or not exist. Anything else is refused, and so is
// a directory of tailpath with other files in it. When a directory is replaced there
// is a moment between two renames in which dir does not exist.
func WriteDir(dir string, s *Set, options ...DirOption) error {
	w := dirWriter{create: createFile, rename: os.Rename}
	for _, o := range options {
		o(&w)
	}
	if err := w.write(dir, s); err != nil {
		return fmt.Errorf("write directory %s: %w", dir, err)
	}
	return nil
}

func createFile(path string) (syncedFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (w *dirWriter) write(dir string, s *Set) (err error) {
	if err := s.Validate(); err != nil {
		return err
	}
	target, exists, err := replaceable(dir)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".tailpath-*")
	if err != nil {
		return err
	}
	// The temporary directory is private to its owner; the one inside it, which
	// becomes the result, has the mode that any new directory has.
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	defer func() {
		if _, lost := os.Lstat(old); lost == nil && err != nil {
			err = fmt.Errorf("%w; what was there before is now %s", err, old)
			return
		}
		err = errors.Join(err, os.RemoveAll(work))
	}()
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	if err := w.files(fresh, s); err != nil {
		return err
	}
	if exists {
		if err := w.rename(target, old); err != nil {
			return err
		}
	}
	if err := w.rename(fresh, target); err != nil {
		if exists {
			err = errors.Join(err, w.rename(old, target))
		}
		return err
	}
	return syncDir(filepath.Dir(target))
}

// files writes every table and at last the manifest.
func (w *dirWriter) files(dir string, s *Set) error {
	m := manifest{Format: Format, Tool: w.tool, Rules: w.rules}
	for _, t := range s.Tables() {
		name := tableFile(t.schema)
		sum := sha256.New()
		var size int64
		err := w.file(filepath.Join(dir, name), func(f io.Writer) error {
			out := &countingWriter{to: io.MultiWriter(f, sum)}
			err := writeParquet(memory.NewGoAllocator(), out, s, t)
			size = out.n
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Tables = append(m.Tables, manifestTable{
			Name: t.schema.Name, File: name, Rows: t.Len(), Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil)),
		})
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	if err := w.file(filepath.Join(dir, manifestName), func(f io.Writer) error {
		_, err := f.Write(text)
		return err
	}); err != nil {
		return err
	}
	return syncDir(dir)
}

// file writes one file and waits until it is on disk.
func (w *dirWriter) file(path string, write func(io.Writer) error) error {
	f, err := w.create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceable returns the directory that dir names, whether it is there, and why it
// must not be replaced, if so.
func replaceable(dir string) (target string, exists bool, err error) {
	if dir == "" {
		return "", false, errors.New("no name given")
	}
	if target, err = filepath.Abs(dir); err != nil {
		return "", false, err
	}
	if resolved, err := filepath.EvalSymlinks(target); err == nil {
		target = resolved
	}
	info, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, false, nil
	}
	if err != nil {
		return "", false, err
	}
	const choose = "choose another name, or move it away"
	if !info.IsDir() {
		return "", false, errors.New("it is there and is no directory: " + choose)
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return "", false, err
	}
	if len(entries) > 0 && !IsDir(target) {
		return "", false, fmt.Errorf("it is there and is not a tailpath directory (it holds %s and no %s): %s", entries[0].Name(), manifestName, choose)
	}
	ours := DirFiles()
	for _, e := range entries {
		if !slices.Contains(ours, e.Name()) || !e.Type().IsRegular() {
			return "", false, fmt.Errorf("it holds %s, which tailpath did not write and replacing it would remove: %s", e.Name(), choose)
		}
	}
	return target, true, nil
}

// syncDir waits until the names in a directory are on disk. Systems that cannot
// sync a directory are taken at their word.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync() // refused for directories on some systems, where renames are durable otherwise
	return f.Close()
}
