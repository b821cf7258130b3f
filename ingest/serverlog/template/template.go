package template

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// The programs whose formats are known, as Program names them. They are also the
// Service of a declaration that Parse makes.
const (
	ProgramNginx   = "nginx"
	ProgramEnvoy   = "envoy"
	ProgramHAProxy = "haproxy"
)

// Parse makes a declaration of a format string of any of the programs. Its Service
// says which it was taken for.
func Parse(text string) (*format.Declaration, error) {
	switch Program(text) {
	case ProgramNginx:
		return Nginx(text)
	case ProgramEnvoy:
		return Envoy(text)
	case ProgramHAProxy:
		return HAProxy(text)
	}
	if apacheLike.MatchString(text) {
		return nil, errors.New("this is a LogFormat of Apache, which is not read as a template; Apache's lines are read if they end with %T/%D")
	}
	return nil, errors.New("the log format holds no variable: expected $name of nginx, %OPERATOR% of Envoy or %name of HAProxy")
}

var (
	apacheLike    = regexp.MustCompile(`%[hl] %[lu] |%[<>]s|%D\b`)
	nginxLike     = regexp.MustCompile(`\$\{?[a-z][a-z0-9_]*`)
	haproxyLike   = regexp.MustCompile(`%(\{[^}]*\})?([A-Za-z]|\[)`)
	nginxStart    = regexp.MustCompile(`^\s*log_format\s`)
	haproxyStart  = regexp.MustCompile(`^\s*log-format\s`)
	envoyOperator = regexp.MustCompile(`%([A-Z][A-Z0-9_]{4,}|REQ|RESP)(\([^()]*\))?(:[0-9]+)?%`)
)

// Program says whose format string a text is: one of the constants, or "" for none.
func Program(text string) string {
	switch {
	case nginxStart.MatchString(text):
		return ProgramNginx
	case haproxyStart.MatchString(text):
		return ProgramHAProxy
	case envoyOperator.MatchString(text):
		return ProgramEnvoy
	case nginxLike.MatchString(text):
		return ProgramNginx
	case apacheLike.MatchString(text):
		return ""
	case haproxyLike.MatchString(text):
		return ProgramHAProxy
	}
	return ""
}

// faultAt is an error at a byte offset of text.
func faultAt(text string, offset int, message string, args ...any) error {
	before := text[:min(offset, len(text))]
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndexByte(before, '\n')
	what := fmt.Sprintf(message, args...)
	if strings.Contains(text, "\n") {
		return fmt.Errorf("line %d, column %d: %s", line, column, what)
	}
	return fmt.Errorf("column %d: %s", column, what)
}

// checked returns a declaration if it compiles and every record of it reads its own
// example, which it may not do if the texts between the variables say too little.
func checked(d *format.Declaration) (*format.Declaration, error) {
	f, err := d.Compile()
	if err != nil {
		return nil, fmt.Errorf("read the log format: %w", err)
	}
	s := f.NewScratch()
	for i, r := range f.Records {
		if got, _, _ := f.Match(&format.Line{Text: []byte(d.Records[i].Example)}, s); got != r {
			return nil, errors.New("a line of the format can be read in more than one way: put a text such as name= in front of each variable")
		}
	}
	return d, nil
}
