package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// pagerVariable names the command that shows what would go to a terminal.
const pagerVariable = "TAILPATH_PAGER"

// pager is standard output that is a terminal, and goes through a command of the user's to it. The
// command starts with the first byte that is written. It is a writer of one goroutine.
type pager struct {
	terminal *os.File
	command  string
	begin    func() error // is called before the command starts
	held     *heldBack    // what is told meanwhile

	// cmd is the command while it runs, and in its standard input.
	cmd *exec.Cmd
	in  io.WriteCloser
	// kept is all that was written, as long as it may have to be written to the terminal because
	// the command cannot be started; took counts the bytes that the pipe took.
	kept []byte
	took int
	// interrupts are taken while the command runs: it has the terminal, and decides what they mean.
	interrupts chan os.Signal
	ended      bool // the command ended
	direct     bool // what is written goes to the terminal as it is
}

// mostInPipe is more than a pipe holds that nobody reads.
const mostInPipe = 1 << 20

// notFound are the exit codes by which a shell says that it could not start a command.
var notFound = map[bool][]int{false: {126, 127}, true: {1, 9009}}[runtime.GOOS == "windows"]

// paged puts the command of TAILPATH_PAGER before a terminal that is standard output, and returns
// what is to be called at the end of the run, before anything more is told.
func (p *program) paged() (end func()) {
	terminal, is := terminalOf(p.stdout)
	command := strings.TrimSpace(p.env(pagerVariable))
	if !is || command == "" || command == "cat" {
		return func() {}
	}
	held := &heldBack{to: p.stderr}
	g := &pager{terminal: terminal, command: command, begin: p.stage.write, held: held}
	p.stdout, p.stderr = g, held
	return g.end
}

// unpaged returns standard output for a line or two, which need no pager.
func (p *program) unpaged() io.Writer {
	if g, is := p.stdout.(*pager); is {
		return g.terminal
	}
	return p.stdout
}

// onto returns the stream that a writer is for.
func (g *pager) onto() any { return g.terminal }

// Write gives b to the command. Once the command has ended, because its user has seen enough, what
// is written is dropped: the run goes on, and its exit code is what it would be.
func (g *pager) Write(b []byte) (int, error) {
	if g.cmd == nil && !g.ended && !g.direct {
		if err := g.begin(); err != nil {
			return 0, err
		}
		g.start()
	}
	switch {
	case g.direct:
		return g.terminal.Write(b)
	case g.ended:
		return len(b), nil
	}
	if g.took <= mostInPipe {
		g.kept = append(g.kept, b...)
	} else {
		g.kept = nil
	}
	n, err := g.in.Write(b)
	g.took += n
	if err != nil { // nobody reads any more
		if err := g.wait(); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// start starts the command on the terminal. Where that cannot be done, all goes to the terminal.
func (g *pager) start() {
	cmd := exec.Command("sh", "-c", g.command)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/C", g.command)
	}
	cmd.Stdout, cmd.Stderr = g.terminal, g.terminal
	if f, is := terminalOf(g.held.to); is {
		cmd.Stderr = f
	}
	cmd.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set { // end if all fits on a screen, keep colour, leave the text there
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		g.direct = true
		g.warn(err.Error())
		return
	}
	g.cmd, g.in, g.interrupts = cmd, in, make(chan os.Signal, 1)
	signal.Notify(g.interrupts, os.Interrupt)
	g.held.hold()
}

// wait waits for the command to end, which its user decides. If it turns out that there is none,
// what it was given is written to the terminal.
func (g *pager) wait() error {
	g.in.Close() // fails at most because the command is gone
	err := g.cmd.Wait()
	signal.Stop(g.interrupts)
	g.cmd, g.ended = nil, true
	g.held.release()
	var exit *exec.ExitError
	if g.took > mostInPipe || !errors.As(err, &exit) || !slices.Contains(notFound, exit.ExitCode()) {
		g.kept = nil
		return nil
	}
	g.direct = true
	g.warn("it cannot be started")
	_, err = g.terminal.Write(g.kept)
	g.kept = nil
	return err
}

// end waits for the command to end, if it runs.
func (g *pager) end() {
	if g.cmd == nil {
		return
	}
	if err := g.wait(); err != nil {
		fmt.Fprintf(g.held, "tailpath: %s: %v\n", pagerVariable, err)
	}
}

func (g *pager) warn(why string) {
	fmt.Fprintf(g.held, "tailpath: %s: %s: %s; the output goes to the terminal\n", pagerVariable, oneLine(shortened(g.command, longestValue)), oneLine(why))
}

// heldBack is standard error, on which nothing is told while a pager has the terminal.
type heldBack struct {
	to    io.Writer
	mu    sync.Mutex
	holds bool
	text  []byte
}

// onto returns the stream that a writer is for.
func (h *heldBack) onto() any { return h.to }

// Write tells b, or keeps it for later.
func (h *heldBack) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holds {
		h.text = append(h.text, b...)
		return len(b), nil
	}
	return h.to.Write(b)
}

// hold begins to keep what is told, if it is told on a terminal.
func (h *heldBack) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, h.holds = terminalOf(h.to)
}

// release tells what was kept.
func (h *heldBack) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holds = false
	h.to.Write(h.text) // there is nowhere to say that it fails
	h.text = nil
}
