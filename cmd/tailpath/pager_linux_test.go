package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// paged runs tailpath with standard output and standard error on a terminal and a pager before it,
// and returns what came out there and the exit code. meanwhile gets the terminal's other end.
func paged(t *testing.T, pager string, env []string, meanwhile func(cmd *exec.Cmd, outer *os.File, seen <-chan string), args ...string) (shown string, code int) {
	t.Helper()
	outer, inner := openTerminal(t, 80)
	cmd := exec.Command("tailpath", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=", "CLICOLOR_FORCE=", "TAILPATH_FORCE_TTY=", pagerVariable+"="+pager)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inner, inner, inner
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inner.Close()
	seen, all := make(chan string, 1), make(chan string, 1)
	go func() { // the text so far, as long as somebody wants it; ends once the last end inside is closed
		var text strings.Builder
		defer func() { all <- text.String() }()
		buf := make([]byte, 1<<16)
		for {
			n, err := outer.Read(buf)
			text.Write(buf[:n])
			select {
			case <-seen:
			default:
			}
			seen <- text.String()
			if err != nil {
				return
			}
		}
	}()
	if meanwhile != nil {
		meanwhile(cmd, outer, seen)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	cmd.Wait() // the exit code is what is asked for
	const usual = unix.ECHO | unix.ICANON | unix.ISIG
	if mode, err := unix.IoctlGetTermios(int(outer.Fd()), unix.TCGETS); err != nil || mode.Lflag&usual != usual {
		t.Errorf("%q leaves the terminal in mode %+v, %v", pager, mode, err)
	}
	return strings.ReplaceAll(<-all, "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// until waits for a text on a terminal.
func until(t *testing.T, seen <-chan string, text string) {
	t.Helper()
	late, got := time.After(30*time.Second), ""
	for {
		select {
		case got = <-seen:
			if strings.Contains(got, text) {
				return
			}
		case <-late:
			t.Fatalf("%q was not shown, but %q", text, got)
		}
	}
}

func TestAPagerShowsWhatATerminalWould(t *testing.T) {
	name := filepath.Join("testdata", "small", "traces.jsonl")
	plain, code := paged(t, "", nil, nil, "summary", name)
	if code != 0 || !strings.Contains(plain, "\x1b[1m") {
		t.Fatalf("exit %d\n%s", code, plain)
	}
	for _, c := range []struct {
		pager string
		want  string
	}{
		{"sed 's/^/> /'", "> " + strings.ReplaceAll(strings.TrimSuffix(plain, "\n"), "\n", "\n> ") + "\n"}, // colour and width as without
		{"cat", plain}, {"  ", plain}, {"cat; exit 7", plain},
		{"cat >/dev/null; echo LESS is $LESS", "LESS is FRX\n"},
		{"cat >/dev/null; yes | head -1", "y\n"}, // a closed pipe ends it, as it would anywhere
		{"nosuchpager -x", ""}, {"/", ""},
	} {
		got, code := paged(t, c.pager, nil, nil, "summary", name)
		if code != 0 {
			t.Errorf("%q: exit %d", c.pager, code)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%q: %q, want %q", c.pager, got, c.want)
		}
		warning := "tailpath: " + pagerVariable + ": " + c.pager + ": it cannot be started; the output goes to the terminal\n"
		if c.want == "" && !strings.HasSuffix(got, warning+plain) {
			t.Errorf("%q: %q, want %q", c.pager, got, warning+plain)
		}
	}
	if got, _ := paged(t, "cat >/dev/null; echo LESS is $LESS.", []string{"LESS="}, nil, "help"); got != "LESS is .\n" {
		t.Errorf("LESS, which was set and empty, became %q", got)
	}
	file := filepath.Join(t.TempDir(), "out.txt")
	for _, args := range [][]string{{"version"}, {"--version"}, {"summary", name, "-o", file}, {"summary", "missing.jsonl"}} {
		if got, _ := paged(t, "echo paged; cat", nil, nil, args...); strings.Contains(got, "paged") {
			t.Errorf("%v is paged: %q", args, got)
		}
	}
}

// TestAPagerIsForTerminalsAlone: in a pipe nobody pages.
func TestAPagerIsForTerminalsAlone(t *testing.T) {
	cmd := exec.Command("tailpath", "help")
	cmd.Env = append(os.Environ(), pagerVariable+"=echo paged")
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), "paged") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestExitCodesArePastThePager: the exit code is that of the run, also when the pager was left
// before it had read all, and what is told comes after it.
func TestExitCodesArePastThePager(t *testing.T) {
	name := filepath.Join("testdata", "small", "traces.jsonl")
	for _, pager := range []string{"cat; echo end", "head -1; echo end", "echo end", "exec <&-; echo end"} {
		got, code := paged(t, pager, nil, nil, "summary", name, "--fail-on", "n < 3")
		_, told, _ := strings.Cut(got, "end\n")
		if code != exitTrue || told != "tailpath: failed: n < 3 (found 2, n = 2)\n" {
			t.Errorf("%s: exit %d, %q", pager, code, got)
		}
	}
	// More than a pipe holds, and a pager that reads a line of it.
	got, code := paged(t, "head -c 20; echo; echo end", nil, nil, "report", scenarioPath("queue-buildup"), "-f", "json")
	if code != exitDone || !strings.HasSuffix(got, "end\n") || len(got) > 100 {
		t.Errorf("exit %d, %q", code, got[:min(len(got), 300)])
	}
	// And one that is not there.
	got, code = paged(t, "nosuchpager", nil, nil, "report", scenarioPath("queue-buildup"), "-f", "json")
	if code != exitDone || !strings.Contains(got, "cannot be started") || !strings.HasSuffix(got, "\n}\n") || strings.Count(got, `"headline"`) < 1 {
		t.Errorf("exit %d, %d bytes", code, len(got))
	}
}

func scenarioPath(name string) string {
	return filepath.Join(repository, "testdata", "scenarios", name)
}

// TestCtrlCIsThePagers: with less on the screen, an interrupt ends neither less nor tailpath, and
// the terminal is as it was once less is left.
func TestCtrlCIsThePagers(t *testing.T) {
	if _, err := exec.LookPath("less"); err != nil {
		t.Skip("there is no less")
	}
	got, code := paged(t, "less", []string{"LESS=RX"}, func(cmd *exec.Cmd, outer *os.File, seen <-chan string) {
		until(t, seen, "Flags: the same name")
		for range 3 {
			io.WriteString(outer, "\x03")
			time.Sleep(50 * time.Millisecond)
		}
		go typing(outer, "G") // an interrupt drops what was typed before it was taken
		until(t, seen, "version     --help")
		io.WriteString(outer, "\x03")
		go typing(outer, "q")
	}, "help", "flags")
	if code != exitDone {
		t.Errorf("exit %d\n%s", code, got)
	}
}

// typing types a key until nobody is there any more.
func typing(outer *os.File, key string) {
	for {
		if _, err := io.WriteString(outer, key); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
