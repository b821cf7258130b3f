package match

import (
	"fmt"
	"slices"
	"strings"
)

// Type says how the text of a field is written.
type Type uint8

// The types, by the names that ParseType takes; see the documentation of the package.
const (
	TypeText       Type = iota // text
	TypeToken                  // token
	TypeWord                   // word
	TypeInt                    // int
	TypeFloat                  // float
	TypeHex                    // hex
	TypeUUID                   // uuid
	TypeQuoted                 // quoted
	TypePython                 // python
	TypeS                      // s
	TypeMS                     // ms
	TypeUS                     // us
	TypeNS                     // ns
	TypeRust                   // rust
	TypeGo                     // go
	TypeGinLatency             // gin_latency
	TypeRFC3339                // rfc3339
	TypeCLF                    // clf
	TypeHAProxy                // haproxy
	TypeDateTime               // datetime
	TypeVLLM                   // vllm
	TypeGlog                   // glog
	TypeGin                    // gin
	TypeSyslog                 // syslog
	TypeEpochS                 // epoch_s
	TypeEpochMS                // epoch_ms
	TypeEpochUS                // epoch_us
	TypeEpochNS                // epoch_ns
	TypeUptime                 // uptime
	TypeSteadyS                // steady_s

	typeWords // one of the words of a hole of a pattern

	listOf Type = 0x80 // a list of the type in the lower bits
)

var typeNames = [...]string{
	"text", "token", "word", "int", "float", "hex", "uuid", "quoted", "python",
	"s", "ms", "us", "ns", "rust", "go", "gin_latency",
	"rfc3339", "clf", "haproxy", "datetime", "vllm", "glog", "gin", "syslog",
	"epoch_s", "epoch_ms", "epoch_us", "epoch_ns", "uptime", "steady_s",
}

// TypeNames returns the names of all types that are no lists.
func TypeNames() []string { return slices.Clone(typeNames[:]) }

// ListOf returns the type of a list of t.
func ListOf(t Type) Type { return t | listOf }

// ParseType returns the type of a name, such as "ms" or "list(s)". "" is text.
func ParseType(name string) (Type, error) {
	if name == "" {
		return TypeText, nil
	}
	if elem, ok := strings.CutPrefix(name, "list("); ok {
		elem, closed := strings.CutSuffix(elem, ")")
		if !closed {
			return 0, fmt.Errorf("type %q has no closing bracket", name)
		}
		t, err := ParseType(elem)
		if err != nil {
			return 0, err
		}
		switch t {
		case TypeText, TypeToken, TypeWord, TypeInt, TypeFloat, TypeHex, TypeS, TypeMS, TypeUS, TypeNS, TypeRust, TypeGo:
			return ListOf(t), nil
		}
		return 0, fmt.Errorf("there are no lists of %s", elem)
	}
	if i := slices.Index(typeNames[:], name); i >= 0 {
		return Type(i), nil
	}
	return 0, fmt.Errorf("unknown type %q; expected one of %s or list(...)", name, strings.Join(typeNames[:], ", "))
}

// String is the name that ParseType takes.
func (t Type) String() string {
	switch {
	case t&listOf != 0:
		return "list(" + (t &^ listOf).String() + ")"
	case int(t) < len(typeNames):
		return typeNames[t]
	}
	return "words"
}

// Kind is the kind of the values that the type gives.
func (t Type) Kind() Kind {
	switch {
	case t&listOf != 0:
		return List
	case t == TypeInt:
		return Int
	case t == TypeFloat:
		return Float
	case t >= TypeS && t <= TypeGinLatency:
		return Duration
	case t >= TypeRFC3339 && t <= TypeSteadyS:
		return Instant
	}
	return Text
}

// stretches reports whether a hole of the type has no end of its own in a pattern:
// it ends where what follows it is found.
func (t Type) stretches() bool { return t == TypeText || t == TypeToken }
