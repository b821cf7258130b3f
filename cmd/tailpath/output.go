package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/store"
	"github.com/tailpath/tailpath/ingest/table"
)

// stdioName is how standard input and output are named on the command line.
const stdioName = "-"

// checkOutput says why the output of a command cannot be what the flags name.
func (p *program) checkOutput(c command, inputs []string) error {
	if c.formats == nil { // it prints a document
		if err := cmp.Or(p.checkTable(), p.checkMaxSize()); err != nil {
			return err
		}
	}
	name := p.flags.output
	if name == "" || name == stdioName {
		return nil
	}
	if c.name == "ingest" {
		return p.checkTables("-o", name, inputs)
	}
	if err := refuseStore("-o", name); err != nil {
		return err
	}
	inputs = slices.Concat(inputs, p.flagFiles())
	if err := checkFile(name, inputs); err != nil {
		return err
	}
	if c.formats == nil {
		if err := p.checkEnding(); err != nil {
			return err
		}
	}
	if from, ok := p.stdin.(*os.File); ok && p.stdinUser != "" {
		there, err := os.Stat(name)
		if err != nil {
			return nil
		}
		if read, err := from.Stat(); err == nil && there.Mode().IsRegular() && os.SameFile(there, read) {
			return overwritten("-o", name)
		}
	}
	return nil
}

// flagFiles returns the files and directories that flags name to be read.
func (p *program) flagFiles() []string {
	var files []string
	if p.flags.baseline != "" && p.flags.baseline != noBaseline {
		files = append(files, p.flags.baseline)
	}
	for _, name := range []string{p.flags.stages, cmp.Or(p.flags.config, p.env(configVariable))} {
		if name != "" {
			files = append(files, name)
		}
	}
	for _, text := range p.flags.logFormats {
		if name, is := strings.CutPrefix(text, "@"); is {
			files = append(files, name)
		}
	}
	for _, text := range p.flags.logs {
		_, name, _ := cutLast(text, "=")
		if _, builtin := serverlog.Builtin().Lookup(name); !builtin {
			files = append(files, name)
		}
	}
	return files
}

func overwritten(flag, name string) error {
	return usage(name, "is an input and would be overwritten", "write to another name with "+flag)
}

// refuseStore says that an output which a flag names would lie in a store.
func refuseStore(flag, name string) error {
	if store.Within(name) {
		return usage(name, "lies in a store", "write to another name with "+flag+"; tailpath ingest FILE... --store DIR adds to a store")
	}
	return nil
}

// checkTables says why the directory of tables that a flag names cannot be written: it is one
// of the inputs or holds something else, or its parent directory is missing.
func (p *program) checkTables(flag, name string, inputs []string) error {
	if err := refuseStore(flag, name); err != nil {
		return err
	}
	for above := filepath.Dir(filepath.Clean(name)); above != filepath.Dir(above); above = filepath.Dir(above) {
		if table.IsDir(above) {
			return usage(name, "lies in "+above+", which holds tables and nothing else", "name another directory with "+flag)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return checkParent(name)
	}
	if !info.IsDir() {
		return usage(name, "is there and is no directory", "name another directory with "+flag)
	}
	if err := refuseInput(flag, name, info, slices.Concat(inputs, p.flagFiles())); err != nil {
		return err
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return failed(name, err, "")
	}
	if len(entries) > 0 && !table.IsDir(name) {
		return usage(name, "holds "+entries[0].Name()+" and was not written by tailpath ingest", "name another directory with "+flag)
	}
	return nil
}

// checkFile says why a file cannot be an output before any work is done for it: it
// is one of the inputs or a directory, or its parent directory is missing.
func checkFile(name string, inputs []string) error {
	info, err := os.Stat(name)
	if err != nil {
		return checkParent(name)
	}
	if info.IsDir() {
		return usage(name, "is a directory", "name a file to write, such as "+filepath.Join(name, "tailpath.txt"))
	}
	return refuseInput("-o", name, info, inputs)
}

// checkParent says whether the directory that a file is to be made in is there.
func checkParent(name string) error {
	parent := filepath.Dir(name)
	info, err := os.Stat(parent)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage(name, "directory "+parent+" does not exist", "make it first: mkdir -p "+parent)
	case err != nil:
		return failed(name, err, "")
	case !info.IsDir():
		return usage(name, parent+" is no directory", "name another file to write")
	}
	return nil
}

// refuseInput refuses to write over something that is read, or over a part of a directory of
// tables that is.
func refuseInput(flag, name string, info fs.FileInfo, inputs []string) error {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	for _, in := range inputs {
		other, err := os.Stat(in)
		if err == nil && (os.SameFile(info, other) || lies(name, in) && table.IsDir(in)) {
			return overwritten(flag, name)
		}
	}
	return nil
}

// write writes data to an output, or to standard output when it has no name.
func (p *program) write(name string, data []byte) error {
	return p.writeWith(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeWith is write of what fill writes.
func (p *program) writeWith(name string, fill func(io.Writer) error) error {
	if name == "" || name == stdioName {
		if err := fill(p.stdout); err != nil {
			return failed("standard output", err, "")
		}
		return nil
	}
	if err := writeFile(name, fill); err != nil {
		return failed(name, err, spaceHint(err))
	}
	return nil
}

// writeFile writes a file so that it is there whole or not at all: under another name
// beside it, which then takes its place. What is there and is no regular file, such
// as a device or a pipe, is written to as it is.
func writeFile(name string, fill func(io.Writer) error) (err error) {
	mode := fs.FileMode(0)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return writeInto(name, fill)
		}
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	f, err := createBeside(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = fill(f)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// spaceHint says what to do about an output that could not be written.
func spaceHint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space, or write elsewhere with -o; no part of it was left behind"
	case errors.Is(err, fs.ErrPermission):
		return "write elsewhere with -o"
	}
	return ""
}

func writeInto(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// createBeside makes a new file in the directory of name.
func createBeside(name string) (*os.File, error) {
	for i := 0; ; i++ {
		temporary := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.tailpath-%d", filepath.Base(name), os.Getpid()))
		if i > 0 {
			temporary += "-" + strconv.Itoa(i)
		}
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
