package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// The rules of what is written for a terminal:
//
//   - standard output is data, standard error is talk, and each is judged for itself;
//   - colour: --color, then NO_COLOR, then CLICOLOR_FORCE or TAILPATH_FORCE_TTY, then
//     whether the stream is a terminal that is not dumb;
//   - width: the columns of a terminal; in a pipe or a file nothing is cut;
//   - characters outside ASCII only where the locale is UTF-8;
//   - progress only on a terminal, only after half a second, and erased at the end;
//   - no pager but the one of TAILPATH_PAGER, for output to a terminal.

// terminalOf returns the terminal that a stream is, or that what is written to it ends up on, if
// there is one.
func terminalOf(stream any) (*os.File, bool) {
	if w, ok := stream.(interface{ onto() any }); ok {
		return terminalOf(w.onto())
	}
	f, ok := stream.(*os.File)
	if !ok || f == nil {
		return nil, false
	}
	return f, term.IsTerminal(int(f.Fd()))
}

// columns returns the width of a terminal in columns, 0 for no limit.
func columns(stream io.Writer) int {
	f, ok := terminalOf(stream)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// coloured decides whether a stream gets colour.
func coloured(flag string, env func(string) string, terminal bool) bool {
	force := env("CLICOLOR_FORCE")
	switch {
	case flag == "always":
		return true
	case flag == "never" || env("NO_COLOR") != "":
		return false
	case force != "" && force != "0", env("TAILPATH_FORCE_TTY") != "":
		return true
	}
	return terminal && env("TERM") != "dumb"
}

// utf8Locale says whether the locale's characters are spelled in UTF-8.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// dataOn says whether data can be read from standard input: whether it is a pipe, a
// socket or a file, and not a terminal or another device.
func dataOn(stdin io.Reader) bool {
	if stdin == nil {
		return false
	}
	f, ok := stdin.(*os.File)
	if !ok {
		return true
	}
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeDevice|os.ModeDir) == 0
}
