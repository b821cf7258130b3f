package join

import (
	"math/bits"
	"strings"
)

// enginePrefix stands before the id of a request in an id that an engine makes of it.
type enginePrefix struct {
	text  string
	batch bool // an interface for several prompts at once: a dash and their number follow
}

// enginePrefixes are vLLM's, which others follow (TensorRT-LLM, Dynamo, llama.cpp), and
// those of the interfaces for responses and messages.
var enginePrefixes = []enginePrefix{
	{"chatcmpl-", false}, {"cmpl-", true}, {"resp_", false}, {"resp-", false}, {"msg_", false}, {"generate-tokens-", false},
	{"embd-", true}, {"emb-", true}, {"embedding-", true}, {"pool-", true}, {"pooling-", true},
	{"score-", true}, {"rerank-", true}, {"classify-", true}, {"token-classify-", true}, {"token-embed-", true}, {"tokn-", false},
	{"trsc-", false}, {"transcribe-", false}, {"transcription-", false}, {"trsl-", false}, {"translate-", false}, {"translation-", false},
	{"speech-", false}, {"audiospeech-", false}, {"realtime-", false},
}

// prefixesOf holds the prefixes by their first letter.
var prefixesOf = func() (by [256][]enginePrefix) {
	for _, p := range enginePrefixes {
		by[p.text[0]] = append(by[p.text[0]], p)
	}
	return by
}()

// absent are texts that programs write in the place of an id they do not have.
var absent = []string{"-", "null", "nil", "none", "undefined", "unknown", "<id_unknown>", "n/a", "na"}

// longestID is how many bytes an id may have; a longer text is none.
const longestID = 512

// isID reports whether a text, without blanks around it, can be an id.
func isID(text []byte) bool {
	if len(text) == 0 || len(text) > longestID {
		return false
	}
	if len(text) > len("<id_unknown>") {
		return true
	}
	for _, a := range absent {
		if len(a) == len(text) && strings.EqualFold(a, string(text)) {
			return false
		}
	}
	return true
}

// appendCanonical appends an id in the one form of all its spellings: a UUID in its
// plain 32 digits, and these and other long hexadecimal numbers in lower case, also
// where engines have put something before or behind them.
func appendCanonical(dst, id []byte) []byte {
	for _, core, _ := heads(id); core > 0; _, core, _ = heads(id) {
		dst, id = append(dst, id[:core]...), id[core:]
	}
	n := 0
	if isUUID(id) {
		n = uuidSize
	} else if run := hexRun(id); run >= minHex && (run == len(id) || !isAlnum(id[run])) {
		n = run
	}
	for _, c := range id[:n] {
		if c != '-' {
			dst = append(dst, lower(c))
		}
	}
	return append(dst, id[n:]...)
}

// heads returns where an engine's prefix begins and ends in an id: id[:child] is the
// number of a sample as in vLLM's 3_chatcmpl-..., and id[child:core] the prefix. batch
// is that of the prefix.
func heads(id []byte) (child, core int, batch bool) {
	n := digits(id)
	if n >= 1 && n <= 4 && n < len(id)-1 && id[n] == '_' {
		rest := id[n+1:]
		size, batch := prefix(rest)
		if size > 0 || isUUID(rest) || strong(rest) {
			return n + 1, n + 1 + size, batch
		}
	}
	core, batch = prefix(id)
	return 0, core, batch
}

// prefix returns the length of the engine's prefix that an id begins with. No prefix
// begins with another.
func prefix(id []byte) (size int, batch bool) {
	if len(id) == 0 {
		return 0, false
	}
	for _, p := range prefixesOf[id[0]] {
		if len(id) > len(p.text) && string(id[:len(p.text)]) == p.text {
			return len(p.text), p.batch
		}
	}
	return 0, false
}

// shape is what can be taken off a canonical id.
type shape struct {
	begin [3]int // where it begins with 0, 1 and 2 heads taken off
	end   [3]int // where it ends with 0, 1 and 2 tails taken off
	heads int
	tails int
	stem  [2]int // where the stem lies; both 0 if it has none
}

// shapeOf finds the heads and tails of a canonical id. A tail is vLLM's eight random
// letters and digits, or the number of a prompt; each may be there once, in any order.
// Without a head an id is cut only if what is left is strong.
//
// The stem is what must be common to the ids that an engine makes of one request with
// several prompts or samples: the id without its heads, and with interfaces for several
// prompts also without the number of the prompt and what is behind it. What was made of
// ids that end with a number of their own keeps that.
func shapeOf(id []byte) (s shape) {
	child, core, batch := heads(id)
	if child > 0 {
		s.heads++
		s.begin[s.heads] = child
		s.stem = [2]int{core, len(id)}
	}
	if core > child {
		s.heads++
		s.begin[s.heads] = core
	}
	s.end[0] = len(id)
	random, number := false, false
	for s.tails < 2 {
		body := id[core:s.end[s.tails]]
		isNumber, at := false, 0
		if !random {
			at = randomTail(body)
		}
		if at == 0 && !number {
			at = numberTail(body, batch)
			isNumber = true
		}
		if at == 0 || s.heads == 0 && !strong(body[:at]) {
			break
		}
		s.tails++
		s.end[s.tails] = core + at
		random, number = random || !isNumber, number || isNumber
		if isNumber && batch {
			s.stem = [2]int{core, core + at}
		}
	}
	return s
}

// plain reports whether nothing can be taken off.
func (s *shape) plain() bool { return s.heads == 0 && s.tails == 0 }

// each calls f with all forms that are less than the id itself, the closest first:
// those with the fewest things taken off, and of them those with a head off first. It
// stops when f returns true.
func (s *shape) each(id []byte, f func(form []byte) bool) {
	for off := 1; off <= s.heads+s.tails; off++ {
		for heads := min(off, s.heads); heads >= 0 && off-heads <= s.tails; heads-- {
			if f(id[s.begin[heads]:s.end[off-heads]]) {
				return
			}
		}
	}
}

// core returns the id without its heads, which say nothing about its strength.
func (s *shape) core(id []byte) []byte { return id[s.begin[s.heads]:] }

// randomTail returns where a tail of a dash and eight small letters or digits begins,
// 0 if there is none.
func randomTail(id []byte) int {
	at := len(id) - 9
	if at <= 0 || id[at] != '-' {
		return 0
	}
	for _, c := range id[at+1:] {
		if !isDigit(c) && (c < 'a' || c > 'z') {
			return 0
		}
	}
	return at
}

// numberTail returns where a tail of an underscore, or a dash, and up to six digits
// begins, 0 if there is none.
func numberTail(id []byte, dash bool) int {
	at := len(id) - 1
	for at > 0 && isDigit(id[at]) {
		at--
	}
	if n := len(id) - 1 - at; at <= 0 || n < 1 || n > 6 || id[at] != '_' && !(dash && id[at] == '-') {
		return 0
	}
	return at
}

// The measures of a strong id.
const (
	minHex      = 16 // hexadecimal digits in a row
	minHexKinds = 6  // different ones among them
	minLetters  = 16 // letters and digits in any id
	minKinds    = 8  // different ones among them
	minChanges  = 4  // places where small letters, large letters and digits meet
)

// strong reports whether two programs cannot have come to the same id by chance, so
// that it tells a request whatever the clocks say: it has 16 hexadecimal digits in a
// row, six of them different (UUIDs, trace ids, long numbers), or 16 letters and digits,
// eight of them different, that change between small letters, large letters and digits
// four times or more, which words with a number behind them do not.
func strong(id []byte) bool {
	var kinds [2]uint64
	var hexKinds uint16
	letters, changes, run := 0, 0, 0
	last := byte(0)
	for _, c := range id {
		if hexValue(c) < 16 {
			run++
			hexKinds |= 1 << hexValue(c)
			if run >= minHex && bits.OnesCount16(hexKinds) >= minHexKinds {
				return true
			}
		} else {
			run, hexKinds = 0, 0
		}
		class := classes[c]
		if class == 0 {
			continue
		}
		letters++
		kinds[c>>6] |= 1 << (c & 63)
		if last != 0 && class != last {
			changes++
		}
		last = class
	}
	return letters >= minLetters && changes >= minChanges && bits.OnesCount64(kinds[0])+bits.OnesCount64(kinds[1]) >= minKinds
}

const uuidSize = len("00000000-0000-0000-0000-000000000000")

// isUUID reports whether an id begins with a UUID that has its dashes.
func isUUID(id []byte) bool {
	if len(id) < uuidSize || len(id) > uuidSize && isAlnum(id[uuidSize]) {
		return false
	}
	for i, c := range id[:uuidSize] {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && hexValue(c) > 15 {
			return false
		}
	}
	return true
}

// hexRun returns how many hexadecimal digits an id begins with.
func hexRun(id []byte) (n int) {
	for n < len(id) && hexValue(id[n]) < 16 {
		n++
	}
	return n
}

func digits(id []byte) (n int) {
	for n < len(id) && isDigit(id[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isAlnum(c byte) bool { return classes[c] != 0 }

func lower(c byte) byte {
	if c-'A' <= 'Z'-'A' {
		return c | 0x20
	}
	return c
}

// hexValue returns the value of a hexadecimal digit, or 16.
func hexValue(c byte) byte { return hexValues[c] }

// classes holds 1 for a small letter, 2 for a large one, 3 for a digit, 0 for any other
// byte; hexValues the value of each hexadecimal digit.
var classes, hexValues = func() (class, hex [256]byte) {
	for i := range hex {
		hex[i] = 16
	}
	for i := range byte(26) {
		class['a'+i], class['A'+i] = 1, 2
	}
	for i := range byte(10) {
		class['0'+i], hex['0'+i] = 3, i
	}
	for i := range byte(6) {
		hex['a'+i], hex['A'+i] = 10+i, 10+i
	}
	return class, hex
}()
