package format

import "strings"

// Declaration is a log format as its file spells it. Parse reads one from YAML; a
// program may as well fill one in. Compile makes a Format of it.
type Declaration struct {
	ID       string              `yaml:"id"`       // [a-z0-9-]+; the scope of its rows
	Title    string              `yaml:"title"`    // one line for the list of formats
	Doc      string              `yaml:"doc"`      // which setting writes it, when a line is written, what it cannot say
	Kind     string              `yaml:"kind"`     // gateway or engine
	Service  string              `yaml:"service"`  // service of its rows where no field says it
	Zone     string              `yaml:"zone"`     // zone of times without one, if the program fixes it
	Clock    string              `yaml:"clock"`    // wall (default) or steady
	Absent   []string            `yaml:"absent"`   // texts that stand for no value
	Heads    []string            `yaml:"heads"`    // what stands before every message
	Engine   Names               `yaml:"engine"`   // fields that say which engine
	Rank     Names               `yaml:"rank"`     // fields by which equal records are copies of one
	Over     Names               `yaml:"over"`     // ids of formats that this one wins over
	Unusable *Unusable           `yaml:"unusable"` // set for a format that is known and has no latency in it
	Records  []RecordDeclaration `yaml:"records"`  // tried in order; the first that matches wins

	origin *origin // where the texts stand; nil for a declaration made by a program
}

// Unusable says why inputs of a format are refused.
type Unusable struct {
	What    string `yaml:"what"`    // completes "this is ..."
	Instead string `yaml:"instead"` // what to do
}

// RecordDeclaration is one kind of record of a format. It has exactly one source
// (Pattern, JSON, Logfmt, Python or Regex) and at least one thing that it is.
type RecordDeclaration struct {
	ID      string `yaml:"id"`
	Example string `yaml:"example"` // one line as in the file, with its head
	Doc     string `yaml:"doc"`
	Weak    bool   `yaml:"weak"` // a match says nothing about which format an input is
	Bare    bool   `yaml:"bare"` // it may stand without a head, such as where a collector took the time off

	Pattern string            `yaml:"pattern"`
	JSON    Fields            `yaml:"json"`
	Logfmt  Fields            `yaml:"logfmt"`
	Python  Fields            `yaml:"python"`
	Regex   string            `yaml:"regex"`
	Prefix  string            `yaml:"prefix"` // what stands before JSON, logfmt or python
	Types   map[string]string `yaml:"types"`  // types of the groups of Regex

	Split []SplitDeclaration `yaml:"split"` // fields that hold several values

	When map[string]Names `yaml:"when"` // conditions on fields; see When in doc.go

	Use     string              `yaml:"use"` // "ignore"
	Log     *LogDeclaration     `yaml:"log"`
	Samples []SampleDeclaration `yaml:"samples"`
	Begin   *MarkDeclaration    `yaml:"begin"`
	Update  *MarkDeclaration    `yaml:"update"`
	Finish  *MarkDeclaration    `yaml:"finish"`
	Span    *SpanDeclaration    `yaml:"span"`
	Keep    Names               `yaml:"keep"` // fields stored as attributes
}

// SplitDeclaration reads what one field holds between separators. Each piece is read by
// the first pattern that matches all of it, and sets only fields without a value.
type SplitDeclaration struct {
	Field string `yaml:"field"`
	At    string `yaml:"at"`   // the separator
	Into  Names  `yaml:"into"` // patterns
}

// LogDeclaration makes a record an instant: a row of the logs table.
type LogDeclaration struct{}

// SampleDeclaration is one reading that a record holds.
type SampleDeclaration struct {
	Metric string  `yaml:"metric"` // a name of table.Metrics
	Field  string  `yaml:"field"`
	Scale  float64 `yaml:"scale"` // the reading is the field times this; 0 stands for 1
}

// MarkDeclaration makes a record one of several that tell a request together.
type MarkDeclaration struct {
	Key  Names  `yaml:"key"`  // fields that name the request; [] is that of the record before
	Time string `yaml:"time"` // name under which the record's time is remembered
}

// SpanDeclaration says how a record, or several together, tell a request.
type SpanDeclaration struct {
	Name       string               `yaml:"name"`        // template of fields in braces
	Start      Names                `yaml:"start"`       // expressions; the first whose terms are all there
	End        Names                `yaml:"end"`         // likewise
	FirstToken Names                `yaml:"first_token"` // likewise
	Error      string               `yaml:"error"`       // resolution of start and end
	Failed     map[string]Names     `yaml:"failed"`      // fields and values that make it a failed request
	Aborted    map[string]Names     `yaml:"aborted"`     // fields and values that say that who asked went away
	Untold     map[string]Names     `yaml:"untold"`      // fields and values by which a part of its time is not told
	Parts      []PartDeclaration    `yaml:"parts"`
	Attempts   *AttemptsDeclaration `yaml:"attempts"`
	Rest       *RestDeclaration     `yaml:"rest"`
}

// PartDeclaration is one part of a span.
type PartDeclaration struct {
	When       map[string]Names `yaml:"when"` // conditions on all fields that are known; without them, always
	From       string           `yaml:"from"` // default: where the last part ended
	Until      string           `yaml:"until"`
	Cut        bool             `yaml:"cut"` // what of it the part before covers is left out
	Stage      string           `yaml:"stage"`
	Detail     string           `yaml:"detail"`
	Confidence string           `yaml:"confidence"` // exact or anchored; default: anchored if there is an error, else exact
	Error      string           `yaml:"error"`
	Basis      string           `yaml:"basis"` // default: the fields it is made of
}

// AttemptsDeclaration names the lists of a gateway that tries several servers in turn.
type AttemptsDeclaration struct {
	Response string `yaml:"response"` // duration of every attempt
	Header   string `yaml:"header"`   // likewise, up to the response's headers
	Connect  string `yaml:"connect"`  // likewise, up to the connection
}

// RestDeclaration says whose the time between the parts is.
type RestDeclaration struct {
	Stage  string `yaml:"stage"`
	Detail string `yaml:"detail"`
}

// Names is a list of names; a file may write one of them without brackets.
type Names []string

// UnmarshalYAML accepts a scalar where a list is meant.
func (n *Names) UnmarshalYAML(unmarshal func(any) error) error {
	var many []string
	if err := unmarshal(&many); err == nil {
		*n = many
		return nil
	}
	var one string
	if err := unmarshal(&one); err != nil {
		return err
	}
	*n = Names{one}
	return nil
}

// Fields maps the names of fields to where they stand in an object.
type Fields map[string]FieldDeclaration

// FieldDeclaration says where a field stands in an object and of which type it is.
// The short form in a file is "path" or "path type".
type FieldDeclaration struct {
	Path Names  `yaml:"path"` // the first of them that is there
	Key  Names  `yaml:"key"`  // the same thing, as logfmt calls it
	Type string `yaml:"type"` // default: text

	odd string // a short form that cannot be read
}

// UnmarshalYAML accepts the short form.
func (f *FieldDeclaration) UnmarshalYAML(unmarshal func(any) error) error {
	var short string
	if err := unmarshal(&short); err == nil {
		words := strings.Fields(short)
		switch len(words) {
		case 1:
			f.Path = Names{words[0]}
		case 2:
			f.Path, f.Type = Names{words[0]}, words[1]
		default:
			f.odd = short // Compile knows the place
		}
		return nil
	}
	type long FieldDeclaration
	return unmarshal((*long)(f))
}

// paths returns where the field may stand; name stands for itself if it says nothing.
func (f FieldDeclaration) paths(name string) []string {
	switch {
	case len(f.Path) > 0:
		return f.Path
	case len(f.Key) > 0:
		return f.Key
	}
	return []string{name}
}
