package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// ErrLocked says that another run begins to write or is replacing store.json, or was killed while
// it did.
var ErrLocked = errors.New("another run is writing " + lockName)

// ErrKnown says that an input is in the store already: another run added it meanwhile.
var ErrKnown = errors.New("an input is in the store already")

// How long Add waits for another run, and how often it looks.
const (
	lockWait  = 5 * time.Second
	lockEvery = 20 * time.Millisecond
)

// Add writes tables as a new part, made of some inputs, each of which must have its hash. The
// store is made if there is none; the directory above it must be there. On an error the store is
// as it was. It is ErrKnown when an input is in the store, and ErrLocked when another run does
// not finish.
func (s *Store) Add(set *table.Set, inputs []Input, options ...table.DirOption) (Part, error) {
	part := Part{Inputs: slices.Clone(inputs)}
	slices.SortFunc(part.Inputs, func(a, b Input) int { return strings.Compare(a.SHA256, b.SHA256) })
	if len(inputs) == 0 {
		return part, errors.New("a part is made of no input")
	}
	if first, last, ok := table.Extent(set); ok {
		part.FromNS, part.ToNS = &first, &last
	}
	part.ID = idOf(part.Inputs)
	for _, rows := range set.Tables() {
		part.Rows = append(part.Rows, Rows{rows.Schema().Name, rows.Len()})
	}
	parts := filepath.Join(s.dir, partsName)
	for _, dir := range []string{s.dir, parts} {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return part, err
		}
	}
	work, giveUp, err := s.workIn(parts)
	if err != nil {
		return part, err
	}
	defer giveUp()
	fresh := filepath.Join(work, part.ID)
	if err := table.WriteDir(fresh, set, options...); err != nil {
		return part, err
	}
	if part.SHA256, err = table.DirDigest(fresh); err != nil {
		return part, err
	}
	return part, s.commit(fresh, part)
}

// commit moves the tables of a part to their place and adds it to store.json, which may have
// other parts by now.
func (s *Store) commit(fresh string, part Part) (err error) {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	now := newStore(s.dir)
	if err := now.load(); err != nil {
		if _, there := os.Stat(filepath.Join(s.dir, manifestName)); !errors.Is(there, fs.ErrNotExist) {
			return err
		}
	}
	for _, in := range part.Inputs {
		if now.Knows(in.SHA256) {
			return fmt.Errorf("%s: %w", in.Name, ErrKnown)
		}
	}
	// What store.json does not name is of a run that was killed here.
	target := s.Path(part)
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := s.rename(fresh, target); err != nil {
		return err
	}
	all := append(slices.Clone(now.parts), part)
	order(all)
	m, err := listed(all)
	if err == nil {
		err = syncDir(filepath.Dir(target))
	}
	if err == nil {
		err = s.replace(m)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(target))
	}
	s.parts = all
	return nil
}

// replace writes store.json, which is there whole before and after.
func (s *Store) replace(m manifest) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return err
	}
	// Who holds the lock is alone with this name; it is there only if a run was killed.
	name := filepath.Join(s.dir, "."+manifestName+".new")
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(out.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.rename(name, filepath.Join(s.dir, manifestName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	_ = syncDir(s.dir) // store.json is replaced, whatever comes of this
	return nil
}

// syncDir waits until the names in a directory are on disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // refused for directories on some systems, where renames are durable otherwise
	return d.Close()
}

// lock waits until no other run replaces store.json and keeps others from it.
func (s *Store) lock() (unlock func() error, err error) {
	name := filepath.Join(s.dir, lockName)
	for waited := time.Duration(0); ; waited += lockEvery {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			unlock = func() error { return os.Remove(name) }
			if err := f.Close(); err != nil {
				return nil, errors.Join(err, unlock())
			}
			return unlock, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if waited >= s.wait {
			return nil, ErrLocked
		}
		time.Sleep(lockEvery)
	}
}
