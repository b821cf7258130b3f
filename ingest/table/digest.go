package table

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// DirDigest returns the SHA-256 in hex of the manifest of a directory that WriteDir wrote. As the
// manifest holds the SHA-256 of every table, two directories of the same digest hold the same,
// once ReadDir has verified them.
func DirDigest(dir string) (string, error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
