package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// workPrefix begins the names of directories in which parts are written.
	workPrefix = ".new-"
	// heldName is a file in such a directory, which the run that writes there has locked.
	heldName = "held"
)

// workIn makes a directory in which a part is written before it has its place, and removes those
// of runs that were killed while they wrote. giveUp removes it with what is left in it.
//
// Both are done by one run at a time: a directory that is there is either locked by its run, or
// the run has ended.
func (s *Store) workIn(parts string) (work string, giveUp func(), err error) {
	unlock, err := s.lock()
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if free := unlock(); free != nil && err == nil {
			giveUp()
			err = free
		}
	}()
	if err := removeAbandoned(parts); err != nil {
		return "", nil, err
	}
	if work, err = os.MkdirTemp(parts, workPrefix+"*"); err != nil {
		return "", nil, err
	}
	held, err := os.OpenFile(filepath.Join(work, heldName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(work))
	}
	// Where a file cannot be locked, another run cannot find out that it is not, and lets it be.
	_ = lockFile(held)
	return work, func() {
		held.Close()
		os.RemoveAll(work)
	}, nil
}

// removeAbandoned removes the directories of runs that have ended without doing so. What cannot
// be told, or not be removed, stays: it takes room and is in nobody's way.
func removeAbandoned(parts string) error {
	entries, err := os.ReadDir(parts)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), workPrefix) {
			continue
		}
		work := filepath.Join(parts, e.Name())
		held, err := os.OpenFile(filepath.Join(work, heldName), os.O_RDWR, 0)
		switch {
		case err == nil && lockFile(held) == nil:
			_ = os.RemoveAll(work)
		case errors.Is(err, fs.ErrNotExist) && canLock: // the run was killed before it made it
			_ = os.RemoveAll(work)
		}
		if err == nil {
			held.Close()
		}
	}
	return nil
}
