package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal makes a terminal of some columns and returns both its ends: what a
// program writes to inner can be read from outer.
func openTerminal(t *testing.T, columns uint16) (outer, inner *os.File) {
	t.Helper()
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { outer.Close() })
	n, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	inner, err = os.OpenFile(filepath.Join("/dev/pts", strconv.Itoa(n)), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { inner.Close() })
	if err := unix.IoctlSetWinsize(int(inner.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return outer, inner
}

// onTerminal runs tailpath with standard output, or standard error, on a terminal and
// returns what came out there.
func onTerminal(t *testing.T, columns uint16, start func(cmd *exec.Cmd, terminal *os.File), args ...string) string {
	t.Helper()
	outer, inner := openTerminal(t, columns)
	cmd := exec.Command("tailpath", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=", "CLICOLOR_FORCE=", "TAILPATH_FORCE_TTY=")
	start(cmd, inner)
	shown := make(chan string)
	go func() {
		all, _ := io.ReadAll(outer) // ends with an error once the last end inside is closed
		shown <- string(all)
	}()
	if err := cmd.Run(); err != nil {
		t.Errorf("tailpath %v: %v", args, err)
	}
	inner.Close()
	select {
	case text := <-shown:
		return strings.ReplaceAll(text, "\r\n", "\n")
	case <-time.After(time.Minute):
		t.Fatal("the terminal did not end")
		return ""
	}
}

func outputOn(cmd *exec.Cmd, terminal *os.File) { cmd.Stdout = terminal }

func TestOnATerminalLinesFitAndHaveColour(t *testing.T) {
	name := filepath.Join(repository, "testdata", "scenarios", "healthy")
	for _, c := range []struct {
		columns uint16
		command string
	}{{60, "summary"}, {80, "summary"}, {132, "summary"}, {60, "report"}, {80, "capacity"}} {
		text := onTerminal(t, c.columns, outputOn, c.command, name)
		if !strings.Contains(text, "\x1b[1m") {
			t.Errorf("%v: there is no colour in\n%s", c, text)
		}
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(text)
		for line := range strings.Lines(plain) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > int(c.columns) && !strings.Contains(line, name) {
				t.Errorf("%v: a line has %d: %q", c, n, line)
			}
		}
	}
}

func TestOnATerminalColourCanBeRefused(t *testing.T) {
	name := filepath.Join("testdata", "small", "traces.jsonl")
	refuse := func(cmd *exec.Cmd, terminal *os.File) {
		cmd.Stdout = terminal
		cmd.Env = append(cmd.Env, "NO_COLOR=1")
	}
	dumb := func(cmd *exec.Cmd, terminal *os.File) {
		cmd.Stdout = terminal
		cmd.Env = append(cmd.Env, "TERM=dumb")
	}
	for what, text := range map[string]string{
		"NO_COLOR=1":    onTerminal(t, 80, refuse, "summary", name),
		"TERM=dumb":     onTerminal(t, 80, dumb, "summary", name),
		"--color never": onTerminal(t, 80, outputOn, "summary", "--color", "never", name),
	} {
		if strings.Contains(text, "\x1b") || text == "" {
			t.Errorf("%s: escape sequences in, or nothing: %q", what, text)
		}
	}
}

// TestProgressShowsOnATerminalAlone feeds tailpath slowly through a pipe, so that the
// line has time to appear.
func TestProgressShowsOnATerminalAlone(t *testing.T) {
	traces, err := os.ReadFile(filepath.Join("testdata", "small", "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slowly := func(seen <-chan struct{}) io.Reader {
		r, w := io.Pipe()
		go func() {
			w.Write(traces)
			<-seen
			w.Close()
		}()
		return r
	}
	outer, inner := openTerminal(t, 80)
	seen, shown := make(chan struct{}), make(chan string)
	go func() {
		var all strings.Builder
		buf := make([]byte, 1024)
		for {
			n, err := outer.Read(buf)
			if had := strings.Contains(all.String(), "reading"); n > 0 {
				all.Write(buf[:n])
				if !had && strings.Contains(all.String(), "reading") {
					close(seen)
				}
			}
			if err != nil {
				shown <- all.String()
				return
			}
		}
	}()
	cmd := exec.Command("tailpath", "summary")
	cmd.Env = append(os.Environ(), "TERM=xterm")
	cmd.Stdin, cmd.Stderr = slowly(seen), inner
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	inner.Close()
	text := <-shown
	if !strings.HasSuffix(text, "\r\x1b[K") || strings.Contains(text, "\n") {
		t.Errorf("the line was not erased, or there are several: %q", text)
	}

	// Elsewhere the same wait shows nothing.
	for _, args := range [][]string{{"summary"}, {"summary", "--progress", "never"}, {"summary", "-q"}} {
		wait := make(chan struct{})
		time.AfterFunc(progressAfter+3*progressEvery, func() { close(wait) })
		if len(args) == 1 { // no terminal
			var talk strings.Builder
			cmd := exec.Command("tailpath", args...)
			cmd.Stdin, cmd.Stderr = slowly(wait), &talk
			if err := cmd.Run(); err != nil || talk.Len() > 0 {
				t.Errorf("%v off a terminal: %v, %q", args, err, talk.String())
			}
			continue
		}
		text := onTerminal(t, 80, func(cmd *exec.Cmd, terminal *os.File) { cmd.Stdin, cmd.Stderr = slowly(wait), terminal }, args...)
		if text != "" {
			t.Errorf("%v: %q", args, text)
		}
	}
}
