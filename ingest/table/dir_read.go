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
)

// ReadDir reads a directory that WriteDir wrote. The size and SHA-256 of every file
// are verified before it is decoded. Rows come back in the order they were written;
// the symbols are numbered as in a canonical set.
func ReadDir(dir string) (*Set, error) {
	s, err := readDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	return s, nil
}

func readDir(dir string) (*Set, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s := NewSet()
	for i, t := range s.Tables() {
		if err := readTable(dir, m.Tables[i], s, t); err != nil {
			return nil, err
		}
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s contradicts itself: %w; write the directory anew", dir, err)
	}
	s.compactSymbols()
	return s, nil
}

// readTable reads one file of a directory.
func readTable(dir string, entry manifestTable, s *Set, t *Rows) error {
	path := filepath.Join(dir, entry.File)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing, which %s lists: write the directory anew", path, manifestName)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	if size != entry.Bytes {
		return fmt.Errorf("%s has %d bytes and %s says %d: it was cut short or changed; write the directory anew", path, size, manifestName, entry.Bytes)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != entry.SHA256 {
		return fmt.Errorf("%s is damaged or was changed: its SHA-256 is not the one in %s; write the directory anew", path, manifestName)
	}
	if err := ReadParquet(f, size, path, s, t); err != nil {
		return err
	}
	if t.Len() != entry.Rows {
		return fmt.Errorf("%s has %d rows and %s says %d; write the directory anew", path, t.Len(), manifestName, entry.Rows)
	}
	return nil
}
