package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// helpCommand declares help.
func helpCommand() command {
	return command{
		name: "help", operands: "[COMMAND|TOPIC]", about: "help on a command or a topic",
		more: wrapped("Topics: "+strings.Join(topicNames(), ", ")+".", 80),
		examples: []example{
			{"tailpath help explain", "a command"},
			{"tailpath help stages", "the stage rules in order"},
		},
		flags: []string{"help"}, run: runHelp,
		words: func() []string { return append(commandNames(), topicNames()...) },
	}
}

func runHelp(p *program, _ context.Context, operands []string) error {
	switch len(operands) {
	case 0:
		return rootHelp(p.stdout)
	case 1:
	case 2:
		if operands[0] == "formats" {
			return writeOneFormat(p.stdout, operands[1])
		}
		fallthrough
	default:
		return usage("help", "takes one command or topic", "tailpath help")
	}
	if c, ok := find(operands[0]); ok {
		return c.help(p.stdout)
	}
	for _, t := range topics() {
		if t.name == operands[0] {
			return t.write(p.stdout)
		}
	}
	hint := "see tailpath help"
	if near := nearest(operands[0], append(commandNames(), topicNames()...)); near != "" {
		hint = "did you mean tailpath help " + near + "?"
	}
	return usage(operands[0], "no such command or topic", hint)
}

// rootHelp writes the help of tailpath itself.
func rootHelp(w io.Writer) error {
	var out strings.Builder
	out.WriteString("tailpath says where the time of slow requests went, and whether it is the queue.\n")
	out.WriteString("usage: tailpath COMMAND FILE...   (FILE... alone is tailpath summary FILE...)\n\n")
	writeExamples(&out, []example{
		{"tailpath inspect incident/", "what is there, can it be trusted"},
		{"tailpath summary incident/", "where the time of slow requests goes"},
		{"tailpath explain incident/ --slowest 5", "single requests"},
	})
	out.WriteString("commands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&out, "  %-11s %s\n", c.name, c.about)
	}
	fmt.Fprintf(&out, "\n%s\n", strings.Join(wrapped("topics: "+strings.Join(topicNames(), ", "), 80), "\n"))
	out.WriteString("FILE: file, directory, pattern or - (stdin). More: tailpath help COMMAND|TOPIC\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// help writes the help of a command.
func (c command) help(w io.Writer) error {
	var out strings.Builder
	use := strings.TrimRight("tailpath "+c.name+" "+c.operands, " ")
	if len(c.flags) > 1 {
		use += " [FLAG...]"
	}
	fmt.Fprintf(&out, "%s\n\nusage: %s\n\n", sentence(c.about), use)
	writeExamples(&out, c.examples)
	for _, line := range c.more {
		out.WriteString(line + "\n")
	}
	if len(c.more) > 0 {
		out.WriteString("\n")
	}
	c.writeFlags(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

// flagColumn is the width of the flags in the list of them.
const flagColumn = 26

// writeFlags lists the flags of a command: those that change what it does one a line,
// the others by name.
func (c command) writeFlags(out *strings.Builder) {
	var minor []string
	listed := false
	for _, f := range c.specs() {
		if f.minor {
			f.value, f.choices = "", nil // there are many: help flags has what they take
			minor = append(minor, strings.TrimSpace(f.head()))
			continue
		}
		if !listed {
			out.WriteString("flags:\n")
			listed = true
		}
		if c.name == "ingest" && f.name == "output" {
			f.value, f.about = "DIR", "directory to write"
		}
		fmt.Fprintf(out, "  %-*s %s\n", flagColumn, f.head(), f.about)
	}
	line := "also (tailpath help flags):"
	for i, name := range minor {
		if len(line)+len(name)+2 > 80 {
			out.WriteString(line + "\n")
			line = "     "
		}
		line += " " + name
		if i < len(minor)-1 {
			line += ","
		}
	}
	out.WriteString(line + "\n")
}

// writeAllFlags lists every flag with its meaning and the commands that have it.
func writeAllFlags(w io.Writer) error {
	var out strings.Builder
	out.WriteString("Flags: the same name means the same in every command that has it\n\n")
	widest := 0
	for _, f := range flagSpecs {
		widest = max(widest, len(f.head()))
	}
	for _, f := range flagSpecs {
		fmt.Fprintf(&out, "  %-*s  %s\n", widest, f.head(), f.about)
	}
	out.WriteString("\nFlags may stand anywhere on the line; -- ends them. Which commands have which:\n\n")
	for _, c := range commands() {
		var names []string
		for _, f := range specsOf(c.flags) {
			names = append(names, "--"+f.name)
		}
		fmt.Fprintf(&out, "  %-11s %s\n", c.name, strings.Join(names, " "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeExamples(out *strings.Builder, examples []example) {
	widest := 0
	for _, e := range examples {
		widest = max(widest, len(e.line))
	}
	out.WriteString("examples:\n")
	for _, e := range examples {
		if e.about == "" {
			fmt.Fprintf(out, "  %s\n", e.line)
			continue
		}
		fmt.Fprintf(out, "  %-*s  %s\n", widest, e.line, e.about)
	}
	out.WriteString("\n")
}

// sentence gives a line a capital and a full stop.
func sentence(line string) string {
	return strings.ToUpper(line[:1]) + line[1:] + "."
}
