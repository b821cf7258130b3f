package main

import (
	"fmt"
	"io"
	"strings"
)

// manualDate is the month in which what the page says was last changed. It is written here: a page
// is the same bytes whenever it is made.
const manualDate = "November 2026"

// writeMan writes the manual page in roff, with the man macros alone. It is made of the tables
// that parsing and help are made of; man -l shows it, and cmd/tailpath/tailpath.1 is it.
func writeMan(w io.Writer) error {
	m := &manual{}
	m.line(`.TH TAILPATH 1 "` + manualDate + `" "tailpath" "User Commands"`)
	m.line(`.SH NAME`)
	m.text(`tailpath \- where the time of slow requests went, and whether it is the queue`)
	m.line(`.SH SYNOPSIS`)
	for _, c := range commands() {
		m.line(`.B tailpath ` + c.name)
		use := c.operands
		if len(c.flags) > 1 {
			use = strings.TrimLeft(use+" [FLAG...]", " ")
		}
		if use != "" {
			m.text(roff(use))
		}
		m.line(`.br`)
	}
	m.line(`.B tailpath`)
	m.text(`FILE... [FLAG...]`)
	m.line(`.SH DESCRIPTION`)
	m.text("tailpath reads traces of inference servers and the logs around them, rebuilds the critical path of each request, gives every nanosecond of it to a stage, and compares the slow requests with the usual ones. It is offline: no server, no database, no network.")
	m.line(`.PP`)
	m.text("A FILE is a file, a directory, a pattern in quotes, - for standard input, or a directory that tailpath ingest wrote. Without a command, summary runs.")
	m.line(`.SH COMMANDS`)
	for _, c := range commands() {
		m.tagged(c.name, sentence(c.about))
		for _, line := range c.more {
			m.text(roff(line))
		}
		for _, e := range c.examples {
			m.line(`.RS`)
			m.line(`.nf`)
			m.text(roff("$ " + e.line))
			m.line(`.fi`)
			if e.about != "" {
				m.text(roff(e.about))
			}
			m.line(`.RE`)
		}
	}
	m.line(`.SH FLAGS`)
	m.text("A flag means the same in every command that has it; the help of a command lists those it has.")
	for _, f := range flagSpecs {
		m.tagged(strings.TrimSpace(f.head()), f.about)
	}
	m.page("EXIT STATUS", exitCodesPage)
	m.page("ENVIRONMENT", environmentPage)
	m.line(`.SH MORE`)
	for _, t := range topics() {
		m.tagged("tailpath help "+t.name, t.about)
	}
	_, err := io.WriteString(w, m.out.String())
	return err
}

// manual collects a page in roff.
type manual struct{ out strings.Builder }

// line writes a line as it is: a request of roff.
func (m *manual) line(text string) { m.out.WriteString(text + "\n") }

// text writes a line of text that is escaped already.
func (m *manual) text(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	m.line(text)
}

// tagged writes a term and what it is.
func (m *manual) tagged(term, about string) {
	m.line(`.TP`)
	m.line(`.B ` + roff(term))
	m.text(roff(about))
}

// page writes a page of help as a section, its lines as they stand but for the title.
func (m *manual) page(title, text string) {
	_, body, _ := strings.Cut(text, "\n\n")
	m.line(`.SH ` + title)
	m.line(`.nf`)
	for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		m.text(roff(line))
	}
	m.line(`.fi`)
}

// roff escapes a text: backslashes and hyphens, which roff would take for its own, and
// characters that old formatters do not know.
func roff(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			out.WriteString(`\e`)
		case r == '-':
			out.WriteString(`\-`)
		case r > '~':
			fmt.Fprintf(&out, `\[u%04X]`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
