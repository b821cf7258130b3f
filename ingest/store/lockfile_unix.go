//go:build unix && !aix && !solaris

package store

import (
	"os"
	"syscall"
)

// canLock says that lockFile works on this system, on most of its file systems.
const canLock = true

// lockFile locks an open file until it is closed, also by the end of the program. It fails when
// it is locked, or cannot be.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
