package simulate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TruthName is the name of the truth file in a capture's directory. Names that
// begin with an underscore are not telemetry.
const TruthName = "_truth.jsonl.zst"

// What ends the names of telemetry files: of traces, and of logs.
const (
	suffix    = ".jsonl.zst"
	logSuffix = ".log.zst"
)

// File is a log that belongs to a capture, before it is compressed.
type File struct {
	Name string // ends in .log
	Data []byte
}

// ErrForeignTelemetry says that a directory holds telemetry of another capture,
// which would be read together with the new one.
var ErrForeignTelemetry = errors.New("telemetry of another capture")

// Files returns the names of the files of the capture's traces and its truth, telemetry
// first.
func (c *Capture) Files() []string {
	var names []string
	for _, sv := range c.Services {
		names = append(names, sv.Name+suffix)
	}
	return append(names, TruthName)
}

// WriteDir writes the capture into a directory, which is made if needed: for each
// service a file of OTLP JSON lines, one export a line, the given logs, and the truth, all
// compressed. Every file is complete before it takes its name, and the truth
// comes last. Existing files of the same names are replaced and others left
// alone; but if one of those holds telemetry, nothing is written and the error
// wraps [ErrForeignTelemetry]. It returns the names of the files.
func (c *Capture) WriteDir(dir string, logs ...File) ([]string, error) {
	names := c.Files()
	for _, f := range logs {
		names = slices.Insert(names, len(names)-1, f.Name+".zst")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write capture: %w", err)
	}
	if err := checkForeign(dir, names); err != nil {
		return nil, err
	}
	for _, sv := range c.Services {
		if err := writeFile(dir, sv.Name+suffix, sv.WriteJSON); err != nil {
			return nil, err
		}
	}
	for _, f := range logs {
		content := func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		}
		if err := writeFile(dir, f.Name+".zst", content); err != nil {
			return nil, err
		}
	}
	return names, writeFile(dir, TruthName, c.writeTruth)
}

// checkForeign looks for telemetry in a directory that is not of the named files.
func checkForeign(dir string, own []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if (strings.HasSuffix(name, suffix) || strings.HasSuffix(name, logSuffix)) && name != TruthName && !slices.Contains(own, name) {
			return fmt.Errorf("write capture: %s: %w: remove it or choose another directory", filepath.Join(dir, name), ErrForeignTelemetry)
		}
	}
	return nil
}

// WriteJSON writes a service's exports as OTLP JSON, one a line.
func (sv *Service) WriteJSON(w io.Writer) error {
	marshaler := ptrace.JSONMarshaler{}
	for _, batch := range sv.Batches {
		line, err := marshaler.MarshalTraces(batch)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a compressed file under a temporary name and renames it.
func writeFile(dir, name string, content func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Join(dir, name), err)
	}
	defer func() {
		if err != nil {
			f.Close()
			if rm := os.Remove(f.Name()); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
				err = errors.Join(err, rm)
			}
			err = fmt.Errorf("write %s: %w", filepath.Join(dir, name), err)
		}
	}()
	if err := compress(f, content); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}

// compress writes content as one Zstandard stream. One thread and no host
// detection: the same content gives the same bytes.
func compress(w io.Writer, content func(io.Writer) error) error {
	enc, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := content(enc); err != nil {
		enc.Close()
		return err
	}
	return enc.Close()
}
