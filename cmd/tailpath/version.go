package main

import (
	"context"
	"fmt"
	"runtime/debug"
)

// versionCommand declares version.
func versionCommand() command {
	return command{
		name: "version", about: "print the version of tailpath",
		examples: []example{{"tailpath version", ""}},
		flags:    []string{"help"}, run: runVersion,
	}
}

func runVersion(p *program, _ context.Context, operands []string) error {
	if len(operands) > 0 {
		return usage("version", "takes no operand", "tailpath version")
	}
	_, err := fmt.Fprintf(p.unpaged(), "tailpath %s\n", version())
	return err
}

// version returns the version that the build was made from, devel when it was made
// from no version.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
