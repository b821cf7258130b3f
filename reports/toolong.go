package reports

import "fmt"

// TooLongError says that a document cannot be drawn as short as it must: it is longer when all is
// left out that may be.
type TooLongError struct {
	Least, Most int64 // bytes that it would have at least, and may have at most
}

// Error says both.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s bytes are left when all is left out that may be, and %s are allowed", Integer(e.Least), Integer(e.Most))
}
