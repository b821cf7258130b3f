package table

// Resource attributes that say where a process ran, the most telling first.
var (
	hostKeys     = []string{"host.id", "host.name", "k8s.pod.name", "k8s.node.name"}
	instanceKeys = []string{"service.instance.id", "process.pid", "vllm.process_id"}
)

// PlaceScope fills service, host and instance of a row of the scopes table from the
// attributes of its resource. It leaves absent what they do not tell.
func (s *Set) PlaceScope(row int, resource []Attr) {
	t := &s.Scopes
	t.Service[row] = s.firstOf(resource, "service.name")
	t.Host[row] = s.firstOf(resource, hostKeys...)
	t.Instance[row] = s.firstOf(resource, instanceKeys...)
}

// firstOf returns the text of the first of the keys that the list has; the last value
// of a key counts.
func (s *Set) firstOf(list []Attr, keys ...string) Sym {
	for _, key := range keys {
		sym, ok := s.Symbols.Lookup(key)
		if !ok {
			continue
		}
		for j := len(list) - 1; j >= 0; j-- {
			if list[j].Key != sym {
				continue
			}
			if text, ok := list[j].Value.Scalar(); ok && len(text) > 0 {
				return s.Symbols.InternBytes(text)
			}
			break
		}
	}
	return 0
}
