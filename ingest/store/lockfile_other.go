//go:build !unix || aix || solaris

package store

import (
	"errors"
	"os"
)

const canLock = false

func lockFile(*os.File) error { return errors.ErrUnsupported }
