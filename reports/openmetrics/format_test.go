package openmetrics

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// point is a sample as it was read.
type point struct {
	family, name string
	labels       map[string]string
	value        float64
	stamp        string
}

var (
	familyName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	realNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

// reader reads OpenMetrics text as strictly as version 1.0 has it, for the types that are used.
type reader struct {
	current  string // family that is being read
	kind     map[string]string
	unit     map[string]string
	help     map[string]bool
	finished map[string]bool
	sampled  bool
	seen     map[string]bool // series
	points   []point
}

// read returns the samples of a text, or what is wrong with it.
func read(text string) ([]point, error) {
	body, ok := strings.CutSuffix(text, "# EOF\n")
	if !ok {
		return nil, errors.New("the text does not end with # EOF")
	}
	r := &reader{kind: map[string]string{}, unit: map[string]string{}, help: map[string]bool{}, finished: map[string]bool{}, seen: map[string]bool{}}
	for i, line := range strings.SplitAfter(body, "\n") {
		if line == "" && i == strings.Count(body, "\n") {
			break
		}
		if err := r.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	return r.points, nil
}

func (r *reader) line(line string) error {
	if rest, ok := strings.CutPrefix(line, "# "); ok {
		return r.descriptor(rest)
	}
	if strings.HasPrefix(line, "#") || line == "" || strings.TrimSpace(line) != line {
		return errors.New("no descriptor and no sample")
	}
	return r.sample(line)
}

func (r *reader) descriptor(rest string) error {
	parts := strings.SplitN(rest, " ", 3)
	if len(parts) != 3 {
		return errors.New("a descriptor has three parts")
	}
	what, name, value := parts[0], parts[1], parts[2]
	if !familyName.MatchString(name) {
		return errors.New("no name of a family")
	}
	if name != r.current {
		if r.finished[name] {
			return errors.New("the family was finished")
		}
		r.finished[r.current], r.current, r.sampled = true, name, false
	}
	if r.sampled {
		return errors.New("a descriptor behind a sample")
	}
	switch what {
	case "TYPE":
		if r.kind[name] != "" || !slices.Contains([]string{"gauge", "info", "stateset"}, value) {
			return errors.New("a second type, or one that is not used here")
		}
		r.kind[name] = value
	case "UNIT":
		if r.unit[name] != "" || !strings.HasSuffix(name, "_"+value) || r.kind[name] != "gauge" {
			return errors.New("a second unit, or one that does not end the name")
		}
		r.unit[name] = value
	case "HELP":
		if _, err := unescaped(value); err != nil || r.help[name] || value == "" {
			return errors.New("a second help, or one that is not escaped")
		}
		r.help[name] = true
	default:
		return errors.New("an unknown descriptor")
	}
	return nil
}

func (r *reader) sample(line string) error {
	end := strings.IndexAny(line, "{ ")
	if end < 0 {
		return errors.New("no value")
	}
	p := point{family: r.current, name: line[:end], labels: map[string]string{}}
	suffix := map[string]string{"gauge": "", "info": "_info", "stateset": ""}[r.kind[r.current]]
	if r.kind[r.current] == "" || !r.help[r.current] || p.name != r.current+suffix {
		return errors.New("the sample is of no family that was described")
	}
	rest := line[end:]
	if rest[0] == '{' {
		var err error
		if rest, err = p.readLabels(rest[1:]); err != nil {
			return err
		}
	}
	fields := strings.Split(rest, " ")
	if len(fields) < 2 || len(fields) > 3 || fields[0] != "" || !realNumber.MatchString(fields[1]) {
		return errors.New("a value, and perhaps a timestamp, follow with one space before each")
	}
	if len(fields) == 3 {
		if p.stamp = fields[2]; !realNumber.MatchString(p.stamp) {
			return errors.New("no timestamp")
		}
	}
	p.value, _ = strconv.ParseFloat(fields[1], 64)
	switch r.kind[r.current] {
	case "info":
		if p.value != 1 {
			return errors.New("the value of an info is 1")
		}
	case "stateset":
		if _, ok := p.labels[r.current]; !ok || p.value != 0 && p.value != 1 {
			return errors.New("a state is named by a label as the family is, and 0 or 1")
		}
	}
	series := line[:len(line)-len(rest)]
	if r.seen[series] {
		return errors.New("the series is there twice")
	}
	r.seen[series], r.sampled = true, true
	r.points = append(r.points, p)
	return nil
}

// readLabels reads name="value",...} and returns what is behind it.
func (p *point) readLabels(rest string) (string, error) {
	for {
		name, after, ok := strings.Cut(rest, `="`)
		if _, twice := p.labels[name]; !ok || !labelName.MatchString(name) || twice {
			return "", fmt.Errorf("%q is no label, or there twice", name)
		}
		end := 0
		for end < len(after) && after[end] != '"' {
			if after[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(after) {
			return "", errors.New("a value has no end")
		}
		value, err := unescaped(after[:end])
		if err != nil {
			return "", err
		}
		p.labels[name] = value
		switch rest = after[end+1:]; {
		case strings.HasPrefix(rest, ","):
			rest = rest[1:]
		case strings.HasPrefix(rest, "}"):
			return rest[1:], nil
		default:
			return "", errors.New("a label is followed by neither a comma nor the end")
		}
	}
}

// unescaped returns the text that is spelled so.
func unescaped(text string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"' || c == '\n':
			return "", errors.New("a quote or a line feed is not escaped")
		case c != '\\':
			out.WriteByte(c)
			continue
		}
		i++
		if i == len(text) {
			return "", errors.New("nothing follows a backslash")
		}
		letter, ok := map[byte]byte{'\\': '\\', '"': '"', 'n': '\n'}[text[i]]
		if !ok {
			return "", errors.New("no such escape")
		}
		out.WriteByte(letter)
	}
	return out.String(), nil
}
