package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/reports/csv"
)

// command declares one command. Parsing, help, completion and the command list of
// the README are made from it.
type command struct {
	name     string
	operands string // as help spells them
	about    string // one line
	more     []string
	examples []example
	flags    []string
	formats  []string        // of --format, where they are not those of a document
	also     string          // a format beside those of a document
	words    func() []string // what the operand may be, when it is one of few words
	files    bool            // the operands are files
	run      func(p *program, ctx context.Context, operands []string) error
}

// example is a command line and what it is for.
type example struct{ line, about string }

// commands lists every command in the order of help.
func commands() []command {
	return []command{
		inspectCommand(), summaryCommand(), explainCommand(), queueCommand(), capacityCommand(), compareCommand(), reportCommand(), renderCommand(), exportCommand(), ingestCommand(), helpCommand(), completionCommand(), versionCommand(),
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// find returns the command of a name.
func find(name string) (command, bool) {
	list := commands()
	i := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return list[i], true
}

// root builds the command line parser. Without a command the operands are those of
// summary.
func (p *program) root() *cobra.Command {
	root := p.parser(summaryCommand())
	root.Use, root.Version = "tailpath", version()
	root.SetVersionTemplate("tailpath {{.Version}}\n")
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, operands []string) error {
		if err := p.configured(summaryCommand(), cmd.Flags()); err != nil {
			return err
		}
		return p.withinMemory(func() error { return p.withoutCommand(cmd.Context(), operands) })
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if cmd == root {
			p.helpErr = rootHelp(p.stdout)
			return
		}
		c, _ := find(cmd.Name())
		p.helpErr = c.help(p.stdout)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	for _, c := range commands() {
		if c.name == "help" {
			root.SetHelpCommand(p.parser(c))
			continue
		}
		root.AddCommand(p.parser(c))
	}
	return root
}

// parser builds the parser of one command.
func (p *program) parser(c command) *cobra.Command {
	cmd := &cobra.Command{
		Use: c.name, Short: c.about, SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, operands []string) error {
			if err := p.configured(c, cmd.Flags()); err != nil {
				return err
			}
			return p.withinMemory(func() error { return c.run(p, cmd.Context(), operands) })
		},
	}
	cmd.Flags().SortFlags = false
	specs := c.specs()
	for _, f := range specs {
		f.addTo(cmd.Flags(), &p.flags)
		// The flag was declared in the line above, which is all that can be wrong here.
		_ = cmd.RegisterFlagCompletionFunc(f.name, f.complete)
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagFault(c.name, specs, err) })
	cmd.ValidArgsFunction = func(_ *cobra.Command, done []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case c.files:
			return nil, cobra.ShellCompDirectiveDefault
		case len(done) == 0 && c.words != nil:
			return c.words(), cobra.ShellCompDirectiveNoFileComp
		case c.name == "help" && len(done) == 1 && done[0] == "formats":
			return formatIDs(serverlog.Builtin()), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// complete offers the values of a flag to a shell.
func (f flagSpec) complete(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	switch {
	case f.choices != nil:
		return f.choices, cobra.ShellCompDirectiveNoFileComp
	case f.name == "output" || f.name == "stages" || f.name == "store" || f.name == "save" || f.name == "baseline" || f.name == "config":
		return nil, cobra.ShellCompDirectiveDefault
	case f.name == "where" || f.name == "fail-on" || f.name == "require" || f.name == "by":
		return completeFilter(f.name)
	case f.name == "table":
		return append(csv.Names(), csv.List), cobra.ShellCompDirectiveNoFileComp
	case f.name == "week":
		return []string{lastWeek + "\tthe last one that is over"}, cobra.ShellCompDirectiveNoFileComp
	case f.name == "slo":
		return completeObjective()
	case f.name == "define":
		return completeDefinition()
	case f.name == "logs" || f.name == "tz":
		return completeLogFlag(f.name, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// flagFault is the fault of flags that could not be parsed.
func flagFault(name string, specs []flagSpec, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	hint := "see tailpath " + name + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		hint = unknownFlagHint(unknown.GetSpecifiedName(), name, specs)
	}
	return usage(name, err.Error(), hint)
}

// withoutCommand reads operands without a command before them: files, unless the
// first one looks like a command that was mistyped.
func (p *program) withoutCommand(ctx context.Context, operands []string) error {
	if len(operands) == 0 && !dataOn(p.stdin) {
		if err := rootHelp(p.stderr); err != nil {
			return err
		}
		return usage("", "no command and no FILE is given, and no data comes from standard input", "")
	}
	if len(operands) > 0 && !looksLikeFile(operands[0]) {
		return unknownCommand(operands[0])
	}
	return runSummary(p, ctx, operands)
}

func unknownCommand(word string) error {
	hint := "see tailpath help"
	if near := nearest(word, commandNames()); near != "" {
		hint = "did you mean tailpath " + near + "? see tailpath help"
	}
	return usage(word, "is no command, and there is no such file", hint)
}

// looksLikeFile says whether a word names a file, or is meant to.
func looksLikeFile(word string) bool {
	if _, err := os.Stat(word); err == nil || word == stdioName {
		return true
	}
	return strings.ContainsAny(word, "*?[./") || strings.ContainsRune(word, filepath.Separator)
}

// completionCommand declares completion.
func completionCommand() command {
	return command{
		name: "completion", operands: "SHELL", about: "print a completion script for a shell",
		more: []string{"SHELL is bash, zsh, fish or powershell."},
		examples: []example{
			{"source <(tailpath completion bash)", "in this shell"},
			{"tailpath completion zsh > ~/.zfunc/_tailpath", "for good"},
		},
		flags: []string{"help"}, words: shells, run: runCompletion,
	}
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func runCompletion(p *program, _ context.Context, operands []string) error {
	if len(operands) != 1 {
		return usage("completion", "want one shell: bash, zsh, fish or powershell", "tailpath completion bash")
	}
	root := p.root()
	switch operands[0] {
	case "bash":
		return root.GenBashCompletionV2(p.stdout, true)
	case "zsh":
		return root.GenZshCompletion(p.stdout)
	case "fish":
		return root.GenFishCompletion(p.stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(p.stdout)
	}
	hint := "want one of bash, zsh, fish, powershell"
	if near := nearest(operands[0], shells()); near != "" {
		hint = "did you mean tailpath completion " + near + "?"
	}
	return usage(operands[0], "unknown shell", hint)
}
