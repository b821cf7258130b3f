package serverlog

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

//go:embed formats/*.yaml
var builtinFiles embed.FS

// Formats is a list of formats in the order in which a line is tried against them. It is
// immutable and safe for concurrent use.
type Formats struct {
	list    []*format.Format
	byFirst [256][]int // places in list of the formats whose lines may begin with a byte
}

// NewFormats returns the formats in the order in which lines are tried: as they are
// given, but each before those that it says it wins over. Ids must differ.
func NewFormats(list ...*format.Format) (*Formats, error) {
	byID := map[string]*format.Format{}
	for _, f := range list {
		if byID[f.ID] != nil {
			return nil, fmt.Errorf("log format %q is declared twice", f.ID)
		}
		byID[f.ID] = f
	}
	o := &Formats{}
	// A format comes once all that win over it have come.
	under := map[string][]string{}
	for _, f := range list {
		for _, id := range f.Over {
			under[id] = append(under[id], f.ID)
		}
	}
	const open, done = 1, 2
	mark := map[string]int{}
	var visit func(f *format.Format) error
	visit = func(f *format.Format) error {
		switch mark[f.ID] {
		case done:
			return nil
		case open:
			return fmt.Errorf("log format %q wins over itself, by way of others", f.ID)
		}
		mark[f.ID] = open
		for _, id := range under[f.ID] {
			if err := visit(byID[id]); err != nil {
				return err
			}
		}
		mark[f.ID] = done
		o.list = append(o.list, f)
		return nil
	}
	for _, f := range list {
		if err := visit(f); err != nil {
			return nil, err
		}
	}
	for i, f := range o.list {
		for b := range o.byFirst {
			if f.MayBegin(byte(b)) {
				o.byFirst[b] = append(o.byFirst[b], i)
			}
		}
	}
	return o, nil
}

// Builtin returns the formats that come with tailpath.
func Builtin() *Formats { return builtin() }

var builtin = sync.OnceValue(func() *Formats {
	list, err := loadBuiltin()
	if err == nil {
		var formats *Formats
		if formats, err = NewFormats(list...); err == nil {
			return formats
		}
	}
	panic(err) // the embedded files are checked by the tests
})

// loadBuiltin compiles the embedded files, in order of their names.
func loadBuiltin() ([]*format.Format, error) {
	files, err := builtinFiles.ReadDir("formats")
	if err != nil {
		return nil, fmt.Errorf("read built-in formats: %w", err)
	}
	var list []*format.Format
	for _, file := range files {
		f, err := loadFile(file.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func loadFile(name string) (*format.Format, error) {
	data, err := builtinFiles.ReadFile(path.Join("formats", name))
	if err != nil {
		return nil, fmt.Errorf("read built-in format: %w", err)
	}
	f, err := Load(data, "built-in "+name)
	if err == nil && f.ID != strings.TrimSuffix(name, ".yaml") {
		return nil, fmt.Errorf("built-in %s: id is %q and not the name of the file", name, f.ID)
	}
	return f, err
}

// Load compiles a format file; name names it in errors.
func Load(data []byte, name string) (*format.Format, error) {
	d, err := format.Parse(data, name)
	if err != nil {
		return nil, err
	}
	return d.Compile()
}

// With returns the formats with those of a user before them. A user's format takes the
// place of one that has the same id.
func (f *Formats) With(user ...*format.Format) (*Formats, error) {
	list := slices.Clone(user)
	for _, own := range f.list {
		if !slices.ContainsFunc(user, func(u *format.Format) bool { return u.ID == own.ID }) {
			list = append(list, own)
		}
	}
	return NewFormats(list...)
}

// List returns the formats in order.
func (f *Formats) List() []*format.Format { return slices.Clone(f.list) }

// Lookup returns the format of an id.
func (f *Formats) Lookup(id string) (*format.Format, bool) {
	for _, own := range f.list {
		if own.ID == id {
			return own, true
		}
	}
	return nil, false
}

// only returns a format and its companions: those that never claim an input, because
// all their records are weak. Their lines stand among those of many programs.
func (f *Formats) only(main *format.Format) *Formats {
	list := []*format.Format{main}
	for _, own := range f.list {
		if own.ID != main.ID && !claims(own) {
			list = append(list, own)
		}
	}
	o, err := NewFormats(list...)
	if err != nil {
		panic(err) // the ids differ, and fewer formats win over each other than before
	}
	return o
}

// claims reports whether a format has a record that tells an input's format.
func claims(f *format.Format) bool {
	return slices.ContainsFunc(f.Records, func(r *format.Record) bool { return !r.Weak })
}
