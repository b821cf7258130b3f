package simulate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TruthName is the name of the truth file in a capture's directory. Names that
// begin with an underscore are not telemetry.
const TruthName = "_truth.jsonl.zst"

// suffix ends the name of each telemetry file.
const suffix = ".jsonl.zst"

// ErrForeignTelemetry says that a directory holds telemetry of another capture,
// which would be read together with the new one.
var ErrForeignTelemetry = errors.New("telemetry of another capture")

// Files returns the names of the files of the capture, telemetry first.
func (c *Capture) Files() []string {
	var names []string
	for _, sv := range c.Services {
		names = append(names, sv.Name+suffix)
	}
	return append(names, TruthName)
}

// WriteDir writes the capture into a directory, which is made if needed: for each
// service a file of OTLP JSON lines, one export a line, and the truth, all
// compressed. Every file is complete before it takes its name, and the truth
// comes last. Existing files of the same names are replaced and others left
// alone; but if one of those holds telemetry, nothing is written and the error
// wraps [ErrForeignTelemetry].
func (c *Capture) WriteDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	if err := c.checkForeign(dir); err != nil {
		return err
	}
	for _, sv := range c.Services {
		if err := writeFile(dir, sv.Name+suffix, sv.WriteJSON); err != nil {
			return err
		}
	}
	return writeFile(dir, TruthName, c.writeTruth)
}

func (c *Capture) checkForeign(dir string) error {
	own := make(map[string]bool)
	for _, name := range c.Files() {
		own[name] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) && !own[e.Name()] {
			return fmt.Errorf("write capture: %s: %w: remove it or choose another directory",
				filepath.Join(dir, e.Name()), ErrForeignTelemetry)
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
