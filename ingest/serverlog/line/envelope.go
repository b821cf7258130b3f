package line

import (
	"github.com/tailpath/tailpath/ingest/table"
)

// key is a member of a JSON object that says it is a wrapper.
type key uint8

const (
	keyLog key = iota
	keyMessage
	keyLine
	keyTextPayload
	keyJSONPayload
	keyJournal
	keyStream
	keyTime
	keyTimestamp
	keyAtTimestamp
	keyDate
	keyRealtime
	keyIngestion
	keyAttrs
	keyLogtag
	keyPartial
	keyContainerPartial
	keyKubernetes
	keyAgent
	keyLabels
	keyResource
	keyInsertID
	keyLogName
	keyLogStream
	keyContainerID
	keyContainerName
	keyJournalContainer
	keyHostname
	keySystemdUnit
	keySyslogIdentifier
	keys
)

// keyNames are the names of the members, by their key.
var keyNames = [keys]string{
	keyLog: "log", keyMessage: "message", keyLine: "line", keyTextPayload: "textPayload", keyJSONPayload: "jsonPayload",
	keyJournal: "MESSAGE", keyStream: "stream", keyTime: "time", keyTimestamp: "timestamp", keyAtTimestamp: "@timestamp",
	keyDate: "date", keyRealtime: "__REALTIME_TIMESTAMP", keyIngestion: "ingestionTime", keyAttrs: "attrs",
	keyLogtag: "logtag", keyPartial: "_p", keyContainerPartial: "CONTAINER_PARTIAL_MESSAGE", keyKubernetes: "kubernetes",
	keyAgent: "agent", keyLabels: "labels", keyResource: "resource", keyInsertID: "insertId", keyLogName: "logName",
	keyLogStream: "logStreamName", keyContainerID: "container_id", keyContainerName: "container_name",
	keyJournalContainer: "CONTAINER_NAME", keyHostname: "_HOSTNAME", keySystemdUnit: "_SYSTEMD_UNIT",
	keySyslogIdentifier: "SYSLOG_IDENTIFIER",
}

// keysByHash are the keys by the hash of their names.
var keysByHash = func() (table [64][]key) {
	for k, name := range keyNames {
		h := hashName([]byte(name))
		table[h] = append(table[h], key(k))
	}
	return table
}()

// hashName tells the names of members apart by their length and two of their bytes.
func hashName(name []byte) byte {
	if len(name) == 0 {
		return 0
	}
	return (byte(len(name))*5 ^ name[0]*3 ^ name[len(name)-1]) & 63
}

// keyOf returns the key that a name is.
func keyOf(name []byte) (k key, ok bool) {
	for _, k := range keysByHash[hashName(name)] {
		if keyNames[k] == string(name) {
			return k, true
		}
	}
	return 0, false
}

// set is a set of keys, by bit. bitOther stands for all names that are no key.
type set uint64

const bitOther = set(1) << keys

func setOf(names ...key) (s set) {
	for _, k := range names {
		s |= 1 << k
	}
	return s
}

// envelope is a JSON object that a collector puts around a record.
type envelope struct {
	text      key   // the member that holds the record
	need      set   // members besides text, of which all must be there
	only      set   // if not 0, members besides text and need that may be there
	time      key   // its time
	perSecond int64 // the unit of a time that is a number
	docker    bool
}

// envelopes are the wrappers that are known, in the order in which they are tried. Each
// needs members that a server's own record does not have together.
var envelopes = []envelope{
	// Docker's json-file.
	{text: keyLog, need: setOf(keyStream, keyTime), only: setOf(keyAttrs), time: keyTime, docker: true},
	// Fluent Bit and others behind the prefix of a container runtime.
	{text: keyLog, need: setOf(keyStream, keyLogtag), time: keyTime, perSecond: 1},
	{text: keyMessage, need: setOf(keyStream, keyLogtag), time: keyTime, perSecond: 1},
	{text: keyLog, need: setOf(keyStream, keyPartial), time: keyTime, perSecond: 1},
	{text: keyMessage, need: setOf(keyStream, keyPartial), time: keyTime, perSecond: 1},
	// Fluent Bit, Fluentd, Vector and Filebeat with what they know of the pod.
	{text: keyLog, need: setOf(keyKubernetes), time: keyTime, perSecond: 1},
	{text: keyMessage, need: setOf(keyKubernetes), time: keyTimestamp, perSecond: 1},
	// Fluent Bit's output as JSON lines.
	{text: keyLog, need: setOf(keyDate), only: setOf(keyStream, keyTime, keyContainerName, keyContainerID), time: keyDate, perSecond: 1},
	// The FireLens driver of Amazon ECS.
	{text: keyLog, need: setOf(keyContainerID, keyContainerName), time: keyTime, perSecond: 1},
	// journalctl -o json.
	{text: keyJournal, need: setOf(keyRealtime), time: keyRealtime, perSecond: 1_000_000},
	// Google Cloud Logging: text, and a record in JSON as an object.
	{text: keyTextPayload, time: keyTimestamp, perSecond: 1},
	{text: keyJSONPayload, need: setOf(keyInsertID, keyLogName), time: keyTimestamp, perSecond: 1},
	// Loki: logcli -o jsonl.
	{text: keyLine, need: setOf(keyLabels, keyTimestamp), only: setOf(keyStream), time: keyTimestamp, perSecond: 1},
	// CloudWatch Logs: one event a line.
	{text: keyMessage, need: setOf(keyIngestion, keyTimestamp), time: keyTimestamp, perSecond: 1000},
	{text: keyMessage, need: setOf(keyLogStream, keyTimestamp), time: keyTimestamp, perSecond: 1000},
	// Filebeat.
	{text: keyMessage, need: setOf(keyAtTimestamp, keyAgent), time: keyAtTimestamp, perSecond: 1},
}

// fits reports whether an object with these members is the wrapper.
func (e *envelope) fits(has set) bool {
	need := e.need | 1<<e.text
	return has&need == need && (e.only == 0 || has&^(need|e.only) == 0)
}

// peelEnvelope takes a known JSON wrapper off l, and leaves any other object alone.
func (r *Reader) peelEnvelope(l *Line) verdict {
	if !looksObject(l.Text) {
		return bare
	}
	has := set(0)
	end := members(l.Text, func(name, value []byte) bool {
		k, ok := keyOf(name)
		if !ok {
			has |= bitOther
			return true
		}
		if has&(1<<k) == 0 {
			has |= 1 << k
			r.keys[k] = value
		}
		return true
	})
	if end < 0 || !blank(l.Text[end:]) {
		return bare
	}
	for i := range envelopes {
		if e := &envelopes[i]; e.fits(has) {
			if v := r.take(l, e, has); v != bare {
				return v
			}
		}
	}
	return bare
}

// value returns the value of a member of the object at hand, nil without.
func (r *Reader) value(has set, k key) []byte {
	if has&(1<<k) == 0 {
		return nil
	}
	return r.keys[k]
}

// take makes l what a wrapper holds. Text is decoded in place, and last, because the
// object cannot be read again.
func (r *Reader) take(l *Line, e *envelope, has set) verdict {
	text, ok := payload(r.keys[e.text], e.text)
	if !ok {
		return bare
	}
	if ns := e.when(r.value(has, e.time)); ns != table.Missing {
		l.Time = ns
	} else if ns = e.when(r.value(has, keyAtTimestamp)); ns != table.Missing {
		l.Time = ns
	}
	switch string(r.value(has, keyStream)) {
	case `"stdout"`:
		l.Stream = Stdout
	case `"stderr"`:
		l.Stream = Stderr
	}
	r.names(l, e, has)
	l.Text = text
	if e.docker {
		return docker
	}
	switch string(r.value(has, keyLogtag)) + string(r.value(has, keyPartial)) {
	case `"P"`:
		return partial
	case `"F"`:
		return final
	}
	switch {
	case has&setOf(keyJournal, keyJournalContainer) != setOf(keyJournal, keyJournalContainer):
		return wrapped
	case string(r.value(has, keyContainerPartial)) == `"true"`:
		return partial
	}
	return final
}

// payload decodes the text in a wrapper, in place. It returns false, and leaves value
// alone, if that is of a type the wrapper does not have.
func payload(value []byte, k key) ([]byte, bool) {
	switch {
	case k == keyJSONPayload:
		return value, looksObject(value)
	case isString(value):
		return unquote(value), true
	case k != keyJournal:
		return nil, false
	case string(value) == "null": // journalctl leaves out text that is long
		return nil, true
	case len(value) > 2 && value[0] == '[' && value[1] == '"': // a field that was set twice
		if end := skipString(value, 1); end > 0 {
			return unquote(value[1:end]), true
		}
		return nil, false
	}
	return unquoteBytes(value)
}

// when reads the time in a wrapper: RFC 3339, or a number of the unit of e, in quotes or
// not.
func (e *envelope) when(value []byte) int64 {
	if isString(value) {
		value = value[1 : len(value)-1]
	}
	if s := parseStamp(value); s.size > 0 {
		return s.ns
	}
	if e.perSecond == 0 || len(value) == 0 {
		return table.Missing
	}
	return parseDecimal(value, e.perSecond)
}

// names sets what a wrapper tells of the origin of a record.
func (r *Reader) names(l *Line, e *envelope, has set) {
	set := func(to *[]byte, value []byte) {
		if isString(value) && len(value) > 2 {
			*to = unquote(value)
		}
	}
	switch {
	case e.text == keyJournal:
		set(&l.Host, r.value(has, keyHostname))
		set(&l.Unit, r.value(has, keySyslogIdentifier))
		set(&l.Unit, r.value(has, keySystemdUnit))
		set(&l.Service, r.value(has, keyJournalContainer))
	case e.text == keyTextPayload || e.text == keyJSONPayload:
		if labels := member(r.value(has, keyResource), "labels"); labels != nil {
			set(&l.Unit, member(labels, "pod_name"))
			set(&l.Service, member(labels, "container_name"))
		}
	case has&(1<<keyKubernetes) != 0:
		k := r.keys[keyKubernetes]
		set(&l.Host, member(k, "host"))
		set(&l.Host, member(k, "pod_node_name"))
		set(&l.Unit, member(k, "pod_name"))
		set(&l.Unit, member(member(k, "pod"), "name"))
		set(&l.Service, member(k, "container_name"))
		set(&l.Service, member(member(k, "container"), "name"))
	case has&(1<<keyContainerName) != 0:
		set(&l.Service, r.keys[keyContainerName])
	}
}

// member returns the value of the first member of an object that has a name, or nil.
func member(object []byte, want string) []byte {
	var found []byte
	if len(object) == 0 {
		return nil
	}
	members(object, func(name, value []byte) bool {
		if string(name) == want {
			found = value
		}
		return found == nil
	})
	return found
}
