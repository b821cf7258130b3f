package match

// Slots gives names their places in the values that a Matcher fills. Matchers that
// fill the same values are compiled with the same Slots.
type Slots struct {
	names []string
	index map[string]int
}

// NewSlots returns Slots without any name.
func NewSlots() *Slots { return &Slots{index: map[string]int{}} }

// Slot returns the place of name, and makes one if it has none.
func (s *Slots) Slot(name string) int {
	if i, ok := s.index[name]; ok {
		return i
	}
	s.names = append(s.names, name)
	s.index[name] = len(s.names) - 1
	return len(s.names) - 1
}

// Lookup returns the place of name; ok is false if it has none.
func (s *Slots) Lookup(name string) (slot int, ok bool) {
	slot, ok = s.index[name]
	return slot, ok
}

// Names returns the names by their places. The caller must not change it.
func (s *Slots) Names() []string { return s.names }

// Len is how many values a Matcher needs.
func (s *Slots) Len() int { return len(s.names) }

// NewValues returns one empty value for every name.
func (s *Slots) NewValues() []Value { return make([]Value, len(s.names)) }
