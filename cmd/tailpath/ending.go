package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// foreignEndings are the ends of names by which somebody asks for a format in which no document is
// written, each with what to do instead. Text under such a name would be opened by a program that
// cannot read it.
var foreignEndings = []struct {
	endings []string
	hint    string
}{
	{[]string{".pdf", ".docx", ".odt", ".rtf"}, "write .html, and print it from a browser"},
	{[]string{".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp"}, "write .html, which has the charts in it"},
	{[]string{".xls", ".xlsx", ".ods", ".tsv"}, "write .csv: tailpath help output names its tables"},
	{[]string{".yaml", ".yml", ".xml"}, "write .json"},
	{[]string{".gz", ".zst", ".bz2", ".xz", ".zip"}, "write it uncompressed, or to - and through gzip"},
	{[]string{".parquet", ".arrow", ".pb", ".folded", ".prom"}, "tailpath export FILE... -o NAME writes that"},
}

// checkEnding says why no document can be written under the name that -o gives. With --format any
// name will do.
func (p *program) checkEnding() error {
	name := p.flags.output
	ending := strings.ToLower(filepath.Ext(name))
	for _, f := range foreignEndings {
		if p.flags.format == "" && slices.Contains(f.endings, ending) {
			return usage(name, "no document is written as "+strings.TrimPrefix(ending, "."), f.hint+", or name a format: -f "+strings.Join(documentFormats, "|"))
		}
	}
	return nil
}
