package stage

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/tailpath/tailpath/ingest/table"
)

// Version is the version of the rule format and of the built-in rules. It changes
// when the stage of any span may change.
const Version = 1

//go:embed rules.yaml
var builtin []byte

// Peer says what is recorded at the other end of the calls a span makes. It is known
// only once the request is assembled.
type Peer uint8

// The peers.
const (
	PeerNone    Peer = iota // not a CLIENT span, and no child in another process
	PeerRemote              // a child span in another process
	PeerLocal               // a SERVER child in the same process: no wire between them
	PeerMissing             // nothing is recorded of the other end
)

var peerNames = []string{"none", "remote", "local", "missing"}

// Rule is one stage rule, as compiled.
type Rule struct {
	ID       string
	Doc      string
	When     string // the conditions in words; empty when it always holds
	Stage    Stage
	Detail   string // a literal or a $ reference; see doc.go
	Residual bool   // the time is what was left over between recorded spans
	Sections string // name of the recipe that cuts the span's own time further; empty for none
	Holder   bool   // the span only holds others together and owns no time
	Startup  bool   // the span is work of a server before it serves, and no request
	Entry    bool   // the span is where a request enters its process, whatever its kind says

	match     match
	attribute string // key of a $attribute detail
}

// Rules is an ordered list of rules. It is immutable and safe for concurrent use.
type Rules struct{ list []*Rule }

// fileRule is one rule as the file spells it.
type fileRule struct {
	ID         string    `yaml:"id"`
	Doc        string    `yaml:"doc"`
	Match      fileMatch `yaml:"match"`
	Stage      string    `yaml:"stage"`
	Detail     string    `yaml:"detail"`
	Confidence string    `yaml:"confidence"`
	Sections   string    `yaml:"sections"`
	Role       string    `yaml:"role"`
}

type fileMatch struct {
	Service   patterns            `yaml:"service"`
	Scope     patterns            `yaml:"scope"`
	Kind      patterns            `yaml:"kind"`
	Name      patterns            `yaml:"name"`
	Event     patterns            `yaml:"event"`
	Peer      patterns            `yaml:"peer"`
	Origin    patterns            `yaml:"origin"`
	Attribute map[string]patterns `yaml:"attribute"`
}

// patterns is one pattern or a list of them.
type patterns []string

// UnmarshalYAML accepts a scalar where a list is meant.
func (p *patterns) UnmarshalYAML(unmarshal func(any) error) error {
	var many []string
	if err := unmarshal(&many); err == nil {
		*p = many
		return nil
	}
	var one string
	if err := unmarshal(&one); err != nil {
		return err
	}
	*p = patterns{one}
	return nil
}

// Builtin returns the rules that come with tailpath.
func Builtin() *Rules { return builtinRules() }

var builtinRules = sync.OnceValue(func() *Rules {
	rules, err := ParseRules(builtin, "built-in rules")
	if err != nil {
		panic(err) // the embedded file is checked by the tests
	}
	return rules
})

// Before returns the rules of r followed by those of after. Ids must differ.
func (r *Rules) Before(after *Rules) (*Rules, error) {
	list := slices.Concat(r.list, after.list)
	seen := map[string]bool{}
	for _, rule := range list {
		if seen[rule.ID] {
			return nil, fmt.Errorf("stage rule %q is declared twice", rule.ID)
		}
		seen[rule.ID] = true
	}
	return &Rules{list}, nil
}

// List returns the rules in order.
func (r *Rules) List() []*Rule { return slices.Clone(r.list) }

// ParseRules reads rules from YAML; name names them in errors, which carry line and
// column and an excerpt.
func ParseRules(data []byte, name string) (*Rules, error) {
	var file struct {
		Version int        `yaml:"version"`
		Rules   []fileRule `yaml:"rules"`
	}
	if err := yaml.UnmarshalWithOptions(data, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if file.Version != Version {
		return nil, fmt.Errorf("%s: version is %d, this tailpath reads version %d", name, file.Version, Version)
	}
	if len(file.Rules) == 0 {
		return nil, fmt.Errorf("%s: no rules", name)
	}
	rules := &Rules{}
	seen := map[string]bool{}
	for i, f := range file.Rules {
		where := fmt.Sprintf("%s: rule %d", name, i+1)
		if f.ID != "" {
			where = fmt.Sprintf("%s (%s)", where, f.ID)
		}
		rule, err := f.compile()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if seen[rule.ID] {
			return nil, fmt.Errorf("%s: id is declared twice", where)
		}
		seen[rule.ID] = true
		rules.list = append(rules.list, rule)
	}
	return rules, nil
}

func (f fileRule) compile() (*Rule, error) {
	if f.ID == "" {
		return nil, fmt.Errorf("id is missing")
	}
	s, err := Parse(f.Stage)
	if err != nil {
		return nil, err
	}
	rule := &Rule{ID: f.ID, Doc: f.Doc, Stage: s, Detail: f.Detail, Sections: f.Sections}
	switch f.Confidence {
	case "", "exact":
	case "residual":
		rule.Residual = true
	default:
		return nil, fmt.Errorf("unknown confidence %q (exact or residual)", f.Confidence)
	}
	switch f.Role {
	case "":
	case "container":
		rule.Holder = true
	case "startup":
		rule.Startup = true
	case "entry":
		rule.Entry = true
	default:
		return nil, fmt.Errorf("unknown role %q (container, startup or entry)", f.Role)
	}
	if rule.attribute, err = parseDetail(f.Detail); err != nil {
		return nil, err
	}
	if f.Sections != "" && !slices.Contains(Recipes, f.Sections) {
		return nil, fmt.Errorf("unknown sections %q (one of %v)", f.Sections, Recipes)
	}
	rule.When = f.Match.words()
	rule.match, err = f.Match.compile()
	return rule, err
}

// words spells the conditions in the order in which they are tried.
func (f fileMatch) words() string {
	var parts []string
	say := func(what string, any patterns) {
		if len(any) > 0 {
			parts = append(parts, what+" "+strings.Join(any, " or "))
		}
	}
	say("service", f.Service)
	say("scope", f.Scope)
	say("name", f.Name)
	say("kind", f.Kind)
	say("peer", f.Peer)
	say("origin", f.Origin)
	for _, key := range slices.Sorted(maps.Keys(f.Attribute)) {
		say(key, f.Attribute[key])
	}
	say("event", f.Event)
	return strings.Join(parts, "; ")
}

// Recipes are the names a rule's sections may have. Package critical holds what
// they do.
var Recipes = []string{
	"vllm-v1", "vllm-v0", "trtllm", "triton-request", "triton-model", "triton-compute",
	"prefill", "kv-wait", "sglang-decode", "tgi", "envoy", "genai-client",
}

var attributeRef = regexp.MustCompile(`^\$attribute\(([^)]+)\)$`)

// parseDetail checks a detail and returns the key of the attribute it refers to.
func parseDetail(detail string) (attribute string, err error) {
	if ref := attributeRef.FindStringSubmatch(detail); ref != nil {
		return ref[1], nil
	}
	if !strings.HasPrefix(detail, "$") || slices.Contains([]string{"$service", "$scope", "$name"}, detail) {
		return "", nil
	}
	return "", fmt.Errorf("unknown detail %q ($service, $scope, $name or $attribute(KEY))", detail)
}

// match is a compiled condition; nil parts always hold.
type match struct {
	service, scope, name, event []pattern
	kinds                       []uint8
	peers                       []Peer
	origins                     []uint8
	attributes                  []attributeMatch // in order of key
}

type attributeMatch struct {
	key      string
	patterns []pattern
}

func (f fileMatch) compile() (m match, err error) {
	for _, part := range []struct {
		from patterns
		to   *[]pattern
	}{{f.Service, &m.service}, {f.Scope, &m.scope}, {f.Name, &m.name}, {f.Event, &m.event}} {
		if *part.to, err = compilePatterns(part.from); err != nil {
			return m, err
		}
	}
	for _, kind := range f.Kind {
		i := slices.Index(table.KindNames, kind)
		if i < 0 {
			return m, fmt.Errorf("unknown kind %q (one of %v)", kind, table.KindNames)
		}
		m.kinds = append(m.kinds, uint8(i))
	}
	for _, peer := range f.Peer {
		i := slices.Index(peerNames, peer)
		if i < 0 {
			return m, fmt.Errorf("unknown peer %q (one of %v)", peer, peerNames)
		}
		m.peers = append(m.peers, Peer(i))
	}
	for _, origin := range f.Origin {
		i := slices.Index(table.OriginNames, origin)
		if i < 0 {
			return m, fmt.Errorf("unknown origin %q (one of %v)", origin, table.OriginNames)
		}
		m.origins = append(m.origins, uint8(i))
	}
	for key, from := range f.Attribute {
		compiled, err := compilePatterns(from)
		if err != nil {
			return m, err
		}
		m.attributes = append(m.attributes, attributeMatch{key, compiled})
	}
	slices.SortFunc(m.attributes, func(a, b attributeMatch) int { return strings.Compare(a.key, b.key) })
	return m, nil
}

// pattern matches text: exactly, by wildcard or by regular expression.
type pattern struct {
	exact string
	re    *regexp.Regexp
}

func (p pattern) matches(text string) bool {
	if p.re != nil {
		return p.re.MatchString(text)
	}
	return p.exact == text
}

func anyMatches(list []pattern, text string) bool {
	return list == nil || slices.ContainsFunc(list, func(p pattern) bool { return p.matches(text) })
}

func compilePatterns(from patterns) ([]pattern, error) {
	var list []pattern
	for _, text := range from {
		switch {
		case len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/':
			re, err := regexp.Compile(text[1 : len(text)-1])
			if err != nil {
				return nil, fmt.Errorf("pattern %s: %w", text, err)
			}
			list = append(list, pattern{re: re})
		case strings.Contains(text, "*"):
			parts := strings.Split(text, "*")
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			list = append(list, pattern{re: regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$")})
		default:
			list = append(list, pattern{exact: text})
		}
	}
	return list, nil
}
