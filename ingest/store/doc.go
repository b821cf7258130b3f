// Package store keeps what was ingested over time, so that any part of the time can be asked for
// later: which parts hold it, and were their inputs ingested before?
//
// A store is a directory:
//
//	store.json        the parts: when their rows are, which inputs they were made of
//	parts/ID/         one ingest: a directory of tables, as package table writes it
//	store.lock        there only while a run begins to write a part, and while store.json is replaced
//
// What the package guarantees:
//
//   - No input is in a store twice: inputs are known by the SHA-256 of their bytes, whatever
//     their name. [Store.Add] refuses one that is there.
//   - A part is there whole or not at all. It is written under another name, renamed, and counts
//     from the moment at which store.json, replaced by a rename as well, names it. A run that ends
//     before leaves the store as it was, and at most a directory with a dot in front under parts,
//     which the next run that adds removes. Of a run that still writes it is locked.
//   - Runs that add at the same time add one after the other.
//   - store.json depends on the parts alone and is in order of their time: not on the order in
//     which they were added, the clock or the host.
//   - What was damaged or changed is found: store.json holds the hash of what it says of the parts
//     and of the manifest of each, and that those of its tables.
//
// For example:
//
//	s, err := store.Open("runs")
//	for _, part := range s.Between(from-hour, to+hour) {
//		if err := s.Verify(part); err != nil { ... }
//		paths = append(paths, s.Path(part))
//	}
package store
