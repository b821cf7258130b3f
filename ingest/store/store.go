package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// Format is the version of store.json that this package reads and writes.
const Format = 1

const (
	manifestName = "store.json"
	partsName    = "parts"
	lockName     = "store.lock"
	// largestManifest bounds the bytes that are read of store.json.
	largestManifest = 64 << 20
	// idDigits is the length of the id of a part.
	idDigits = 16
)

// ErrDamaged says that a store.json is not as it was written.
var ErrDamaged = errors.New("is damaged")

// Store is the list of the parts of a directory, as it was when the store was opened.
type Store struct {
	dir    string
	parts  []Part
	rename func(from, to string) error
	wait   time.Duration // for the lock
}

// Part is what one ingest added.
type Part struct {
	// ID is the name of its directory, made of the hashes of its inputs.
	ID string `json:"id"`
	// FromNS and ToNS are the first and the last instant that a row with a date tells of, in ns
	// since the Unix epoch; nil where none has one.
	FromNS *int64  `json:"from_ns"`
	ToNS   *int64  `json:"to_ns"`
	Inputs []Input `json:"inputs"` // in order of their hashes
	Rows   []Rows  `json:"rows"`   // of every table, in their order
	SHA256 string  `json:"sha256"` // of the manifest of its tables, in hex
}

// Input is what a part was made of.
type Input struct {
	Name   string `json:"name"` // as it was named when it was ingested
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the bytes as stored, in hex
}

// Rows is the length of a table.
type Rows struct {
	Table string `json:"table"`
	N     int    `json:"n"`
}

// manifest is store.json.
type manifest struct {
	Format int    `json:"format"`
	Parts  []Part `json:"parts"`
	SHA256 string `json:"sha256"` // of Parts, in hex
}

// listed returns the manifest of some parts.
func listed(parts []Part) (manifest, error) {
	sum, err := digestOf(parts)
	return manifest{Format, parts, sum}, err
}

// digestOf returns the SHA-256 of a list of parts in hex, written as JSON without spaces. A digit
// that is wrong in it would leave a part out of the time that was asked for, and nobody would see.
func digestOf(parts []Part) (string, error) {
	data, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Is reports whether a directory is a store, complete or damaged: it has a store.json with a
// format and parts, or one beside directories of tables in parts.
func Is(dir string) bool {
	path := filepath.Join(dir, manifestName)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if data, err := readManifest(path); err == nil {
		var m struct {
			Format int             `json:"format"`
			Parts  json.RawMessage `json:"parts"`
		}
		if json.Unmarshal(data, &m) == nil && m.Format > 0 && bytes.HasPrefix(m.Parts, []byte("[")) {
			return true
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, partsName))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return table.IsDir(filepath.Join(dir, partsName, e.Name())) })
}

// Open reads the list of the parts of a store. Their tables are not looked at.
func Open(dir string) (*Store, error) {
	s := newStore(dir)
	return s, s.load()
}

// OpenOrNew is Open, and for a directory that is not there or empty a store without parts,
// which Add makes. A directory that holds something else is an error.
func OpenOrNew(dir string) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		return Open(dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); name != partsName && name != lockName && !strings.HasPrefix(name, ".") {
			return nil, fmt.Errorf("%s holds %s and is no store: name another directory", dir, name)
		}
	}
	return newStore(dir), nil
}

func newStore(dir string) *Store { return &Store{dir: dir, rename: os.Rename, wait: lockWait} }

// load reads store.json and checks it.
func (s *Store) load() error {
	path := filepath.Join(s.dir, manifestName)
	data, err := readManifest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no store: it has no %s", s.dir, manifestName)
	}
	if err != nil {
		return err
	}
	s.parts, err = parse(path, data)
	return err
}

// parse returns the parts that the bytes of a store.json list.
func parse(path string, data []byte) ([]Part, error) {
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s %w: %w", path, ErrDamaged, err)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("%s has format %d, and this tailpath reads format %d: use the version that wrote it", path, m.Format, Format)
	}
	for i, p := range m.Parts {
		switch {
		case !isHex(p.ID, idDigits) || !isHex(p.SHA256, 2*sha256.Size) || (p.FromNS == nil) != (p.ToNS == nil) || p.FromNS != nil && *p.FromNS > *p.ToNS:
			return nil, fmt.Errorf("%s %w: part %d of it (%q) is none", path, ErrDamaged, i+1, p.ID)
		case slices.ContainsFunc(m.Parts[:i], func(q Part) bool { return q.ID == p.ID }):
			return nil, fmt.Errorf("%s %w: part %s is in it twice", path, ErrDamaged, p.ID)
		}
	}
	if sum, err := digestOf(m.Parts); err != nil || sum != m.SHA256 {
		return nil, fmt.Errorf("%s %w or was changed: its sha256 is not that of its parts", path, ErrDamaged)
	}
	return m.Parts, nil
}

// readManifest reads a store.json, as far as one may reach.
func readManifest(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, largestManifest))
}

// isHex reports whether a text is so many digits of hex, which no path can be made of.
func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}

// Within reports whether a path is a store or lies in one. Links in the path are followed, as far
// as it is there.
func Within(path string) bool {
	at, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for missing := ""; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = filepath.Join(real, missing)
			break
		}
		if at == filepath.Dir(at) {
			break
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
	for !Is(at) {
		if at == filepath.Dir(at) {
			return false
		}
		at = filepath.Dir(at)
	}
	return true
}

// Parts returns all parts, in order of time; those without dates come first.
func (s *Store) Parts() []Part { return s.parts }

// Path returns the directory of the tables of a part.
func (s *Store) Path(p Part) string { return filepath.Join(s.dir, partsName, p.ID) }

// Between returns the parts that have a row in the time from one instant to another, both
// included, as far as their first and last rows tell, and those that have no date, of which
// nobody can say. Times are in ns since the Unix epoch.
func (s *Store) Between(from, to int64) (out []Part) {
	for _, p := range s.parts {
		if p.FromNS == nil || *p.FromNS <= to && *p.ToNS >= from {
			out = append(out, p)
		}
	}
	return out
}

// Extent returns the first and the last instant of all parts; ok is false when none has a date.
func (s *Store) Extent() (from, to int64, ok bool) {
	for _, p := range s.parts {
		if p.FromNS == nil {
			continue
		}
		if !ok {
			from, to, ok = *p.FromNS, *p.ToNS, true
		}
		from, to = min(from, *p.FromNS), max(to, *p.ToNS)
	}
	return from, to, ok
}

// Knows reports whether an input with these bytes is in the store, by its SHA-256 in hex.
func (s *Store) Knows(sha256 string) bool {
	return slices.ContainsFunc(s.parts, func(p Part) bool {
		return slices.ContainsFunc(p.Inputs, func(in Input) bool { return in.SHA256 == sha256 })
	})
}

// Verify says whether the tables of a part are those that were added. That the tables are those
// of their manifest is verified when they are read.
func (s *Store) Verify(p Part) error {
	digest, err := table.DirDigest(s.Path(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("part %s is missing", p.ID)
	case err != nil:
		return fmt.Errorf("part %s: %w", p.ID, err)
	case digest != p.SHA256:
		return fmt.Errorf("part %s is damaged or was changed: its manifest is not the one that was added", p.ID)
	}
	return nil
}

// order puts parts in order of time.
func order(parts []Part) {
	at := func(ns *int64) int64 {
		if ns == nil {
			return table.Missing
		}
		return *ns
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(at(a.FromNS), at(b.FromNS)), cmp.Compare(at(a.ToNS), at(b.ToNS)), strings.Compare(a.ID, b.ID))
	})
}

// idOf returns the id of a part that is made of some inputs, which are in order.
func idOf(inputs []Input) string {
	sum := sha256.New()
	for _, in := range inputs {
		io.WriteString(sum, in.SHA256+"\n")
	}
	return hex.EncodeToString(sum.Sum(nil))[:idDigits]
}
