package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// stdinName is the path that stands for standard input.
const stdinName = "-"

// target is one input to read.
type target struct {
	name   string
	info   fs.FileInfo // nil for standard input
	named  bool        // by the user, not found in a directory
	tables bool        // a directory of tables
	below  []string    // the directories it was found below
	spare  bool        // tables found below a directory: they are read if nothing else there is
}

// regular reports whether the target is a file with a size.
func (t target) regular() bool { return t.info != nil && t.info.Mode().IsRegular() }

// expand turns paths into targets ordered by name, each file once. A directory that
// nothing comes from is an Error, as is a path that cannot be looked at.
func expand(paths []string, account *table.Account) ([]target, error) {
	x := expander{account: account}
	for _, path := range paths {
		if err := x.path(path); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(x.targets, func(a, b target) int { return strings.Compare(a.name, b.name) })
	return x.once(), nil
}

type expander struct {
	targets []target
	account *table.Account
}

func (x *expander) path(path string) error {
	if path == stdinName {
		x.targets = append(x.targets, target{name: path, named: true})
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return x.dir(path, info)
	case err == nil:
		x.targets = append(x.targets, target{name: path, info: info, named: true})
		return nil
	case !strings.ContainsAny(path, "*?["):
		return systemError(path, err)
	}
	matches, err := filepath.Glob(path)
	if err != nil {
		return &Error{Where: path, What: "this is neither a file nor a pattern: " + err.Error(), Err: err}
	}
	if len(matches) == 0 {
		return &Error{Where: path, What: "no file matches this pattern", Hint: "check the directory and the ending", Err: fs.ErrNotExist}
	}
	for _, match := range matches {
		if hidden(filepath.Base(match)) && !hidden(filepath.Base(path)) {
			continue
		}
		if info, err = os.Stat(match); err != nil {
			return systemError(match, err)
		}
		if err := x.match(match, info); err != nil {
			return err
		}
	}
	return nil
}

func (x *expander) match(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return x.dir(path, info)
	}
	x.targets = append(x.targets, target{name: path, info: info, named: true})
	return nil
}

// dir adds the files of a directory and of those below it, apart from hidden ones.
func (x *expander) dir(root string, info fs.FileInfo) error {
	if table.IsDir(root) {
		x.targets = append(x.targets, target{name: root, info: info, named: true, tables: true})
		return nil
	}
	before := len(x.targets)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return systemError(root, err)
		case err != nil:
			x.account.Add(Unread, 1, table.Place{Source: path}, systemError(path, err).What)
			return nil
		case path != root && hidden(entry.Name()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() && path != root && table.IsDir(path):
			return x.nested(root, path)
		case entry.IsDir():
			return nil
		}
		info, err := os.Stat(path) // follows links, as to rotated files
		switch {
		case err != nil:
			x.account.Add(Unread, 1, table.Place{Source: path}, systemError(path, err).What)
		case info.Mode().IsRegular():
			x.targets = append(x.targets, target{name: path, info: info, below: []string{root}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(x.targets) == before {
		return &Error{Where: root, What: "the directory has no files to read", Hint: "files whose names begin with . or _ are passed over"}
	}
	return nil
}

// nested adds tables below a directory: most likely they were made from what lies around
// them, which then must not be read twice.
func (x *expander) nested(root, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return systemError(path, err)
	}
	x.targets = append(x.targets, target{name: path, info: info, tables: true, below: []string{root}, spare: true})
	return fs.SkipDir
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// once drops what is there under another name already, and counts it. A file that was
// named stays named.
func (x *expander) once() []target {
	bySize := map[int64][]int{} // candidates for being the same file
	var kept []target
	stdin := false
	for _, t := range x.targets {
		if t.info == nil {
			if !stdin {
				kept = append(kept, t)
			}
			stdin = true
			continue
		}
		same := -1
		for _, i := range bySize[t.info.Size()] {
			if os.SameFile(kept[i].info, t.info) {
				same = i
			}
		}
		if same < 0 {
			bySize[t.info.Size()] = append(bySize[t.info.Size()], len(kept))
			kept = append(kept, t)
			continue
		}
		kept[same].named = kept[same].named || t.named
		if kept[same].named {
			kept[same].spare = false
		}
		kept[same].below = append(kept[same].below, t.below...)
		x.account.Add(NamedTwice, 1, table.Place{Source: t.name}, fmt.Sprintf("the same file as %s", kept[same].name))
	}
	return kept
}
