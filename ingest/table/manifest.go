package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// manifestName is the file by which a directory is known as one of tailpath.
const manifestName = "tailpath.json"

// largestManifest bounds the bytes that are read of a manifest.
const largestManifest = 1 << 20

// manifest says what a directory holds. It is written last.
type manifest struct {
	Format int             `json:"format"`
	Tool   string          `json:"tool"`
	Rules  string          `json:"rules,omitempty"`
	Tables []manifestTable `json:"tables"`
}

// manifestTable is one table of a directory.
type manifestTable struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func tableFile(s *Schema) string { return s.Name + ".parquet" }

// IsDir says whether a directory was written by WriteDir, of any format, complete or
// damaged: its manifest has a format above 0 and a list of tables. A file of the same
// name that someone else wrote does not make one. It is false when there is no such
// directory or it cannot be looked into.
func IsDir(dir string) bool {
	path := filepath.Join(dir, manifestName)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isManifest(io.LimitReader(f, largestManifest))
}

// isManifest reads no more than it needs to, so that a damaged end does not matter.
func isManifest(r io.Reader) bool {
	dec := json.NewDecoder(r)
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	numbered := false
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return false
		}
		if name == "tables" {
			open, err := dec.Token()
			return err == nil && open == json.Delim('[') && numbered
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return false
		}
		if name == "format" {
			var format int
			numbered = json.Unmarshal(value, &format) == nil && format > 0
		}
	}
	return false
}

// DirFiles returns the names of the files that WriteDir writes, in order of their names.
func DirFiles() []string {
	names := []string{manifestName}
	for _, s := range Schemas() {
		names = append(names, tableFile(s))
	}
	slices.Sort(names)
	return names
}

// DirRules returns the stage rules that a directory was written with, empty when they
// were the built-in ones alone.
func DirRules(dir string) (string, error) {
	m, err := readManifest(dir)
	return m.Rules, err
}

// readManifest reads and checks the manifest of a directory. The tables come in the
// order of Schemas, each once.
func readManifest(dir string) (manifest, error) {
	var m manifest
	f, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s is not a tailpath directory: it has no %s", dir, manifestName)
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largestManifest))
	if err != nil {
		return m, err
	}
	damaged := func(err error) error {
		return fmt.Errorf("%s is damaged: %w; write the directory anew", f.Name(), err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, damaged(err)
	}
	if m.Format != Format {
		return m, fmt.Errorf("%s has format %d, written by %q, and this tailpath reads format %d: read it with that version, or write the directory anew", f.Name(), m.Format, m.Tool, Format)
	}
	schemas := Schemas()
	if len(m.Tables) != len(schemas) {
		return m, damaged(fmt.Errorf("it lists %d tables and there are %d", len(m.Tables), len(schemas)))
	}
	for i, s := range schemas {
		if t := m.Tables[i]; t.Name != s.Name || t.File != tableFile(s) {
			return m, damaged(fmt.Errorf("table %d is %q in file %q, not %q in %q", i, t.Name, t.File, s.Name, tableFile(s)))
		}
	}
	return m, nil
}

func (m manifest) encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return out.Bytes(), err
}
